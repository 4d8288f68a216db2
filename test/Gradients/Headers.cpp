// Loops with every comparison, step and position of the test, with zero, one and several iterations: the gradient uses exactly the
// values of the variable that occurred in the loop.
#include "Gradient.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace sdfgc::test;

namespace {

constexpr int64_t elements = 16;

/// The position of the loop's test: before the body, or after it, before or after the update.
enum class Test { Before, AfterUpdate, BeforeUpdate };

struct Header {
    const char *relation;
    int64_t step;
    Test test;

    bool holds(int64_t i, int64_t end) const {
        const std::string r = relation;
        return r == "<" ? i < end : r == "<=" ? i <= end : r == ">" ? i > end : r == ">=" ? i >= end : i != end;
    }
    int64_t begin() const { return step > 0 ? 0 : elements - 1; }
    /// Values of the variable in the iterations.
    std::set<int64_t> values(int64_t end) const {
        std::set<int64_t> out;
        int64_t i = begin();
        if (test == Test::Before && !holds(i, end))
            return out;
        while (true) {
            out.insert(i);
            const bool goesOn = holds(test == Test::BeforeUpdate ? i : i + step, end);
            i += step;
            if (!goesOn)
                return out;
        }
    }
    /// Ends for which the loop has zero, one and four iterations, and ends between two values of the variable.
    std::vector<int64_t> ends() const {
        const int64_t towards = step > 0 ? 1 : -1;
        if (std::string(relation) == "!=") {
            std::vector<int64_t> out{begin() + step, begin() + 4 * step};
            if (test != Test::AfterUpdate) // which would never end
                out.push_back(begin());
            return out;
        }
        return {begin() - 4 * towards,        begin() - towards, begin(), begin() + towards,
                begin() + 3 * step + towards, begin() + 4 * step};
    }
    std::string text() const {
        const std::string label = test == Test::Before        ? ""
                                  : test == Test::AfterUpdate ? "l (inverted, update_before_condition = true): "
                                                              : "l (inverted, update_before_condition = false): ";
        return label + "for i = " + std::to_string(begin()) + "; i " + relation + " E; i = i " + (step > 0 ? "+ " : "- ") +
               std::to_string(std::abs(step));
    }
};

std::vector<Header> headers() {
    std::vector<Header> out;
    for (const Test test : {Test::Before, Test::AfterUpdate, Test::BeforeUpdate})
        for (const int64_t step : {1, 2, 3}) {
            for (const char *relation : {"<", "<=", "!="})
                out.push_back({relation, step, test});
            for (const char *relation : {">", ">=", "!="})
                out.push_back({relation, -step, test});
        }
    return out;
}

/// s = sin(s * A[i]) in the loop, and out = s * s.
std::string program(const std::string &header) {
    return replaced(R"(
        sdfg f(A, x, out) {
          symbol E, i: int64
          argument A: float64[$elements]
          argument x: float64[1]
          argument out: float64[1]
          transient s: float64
          state begin {
            t: o = a  with a <- x[0]; o -> s[0]
          }
          $header {
            state step {
              t: o = sin(b * c)  with b <- s[0], c <- A[i]; o -> s[0]
            }
          }
          state end {
            t: o = a * a  with a <- s[0]; o -> out[0]
          }
        }
    )",
                    {{"$elements", std::to_string(elements)}, {"$header", header}});
}

} // namespace

TEST_CASE("Loops with every comparison and step") {
    for (const Header &h : headers()) {
        Differentiated d(program(h.text()), "out", "A x");
        for (const int64_t end : h.ends()) {
            INFO(h.text() << ", E = " << end);
            d.set("E", end).check();
            const Arrays gradients = d.run(d.input(), {{"out", {1}}});
            std::set<int64_t> reached;
            for (int64_t i = 0; i < elements; ++i)
                if (gradients.at("gradient_A")[static_cast<std::size_t>(i)] != 0)
                    reached.insert(i);
            CHECK(reached == h.values(end));
        }
    }
}

TEST_CASE("Steps that lead away from the end: no iteration, or the one in front of the test") {
    for (const char *head : {"for i = 5; i < E; i = i - 1", "for i = 5; i <= E - 1; i = i - 2", "for i = 5; i > E; i = i + 1",
                             "for i = 5; i >= E + 1; i = i + 3"})
        for (const bool inverted : {false, true}) {
            const std::string text = (inverted ? "l (inverted, update_before_condition = false): " : "") + std::string(head);
            INFO(text);
            Differentiated d(program(text), "out", "A x");
            d.set("E", 5).check();
            const Arrays gradients = d.run(d.input(), {{"out", {1}}});
            for (int64_t i = 0; i < elements; ++i)
                CHECK((gradients.at("gradient_A")[static_cast<std::size_t>(i)] != 0) == (inverted && i == 5));
        }
}

TEST_CASE("A bound in a container that is overwritten behind the loop") {
    const auto text = [](const std::string &around, const std::string &behind) {
        return replaced(R"(
            sdfg f(A, K, out) {
              symbol N, i, j: int64
              argument A: float64[N]
              argument K: int64[1]
              argument out: float64[1]
              transient s: float64
              transient n: int64
              state begin {
                t: o = a  with a <- A[0]; o -> s[0]
                u: o = k - 1  with k <- K[0]; o -> n[0]
              }
              $around
              state last {
                t: o = a * a * m  with a <- s[0], m <- n[0]; o -> out[0]
              }
            }
        )",
                        {{"$around", around}, {"$behind", behind}});
    };
    const std::string loop = R"(
              for i = 0; i < $bound; i = i + 1 {
                state step {
                  t: o = sin(b * c)  with b <- s[0], c <- A[i]; o -> s[0]
                }
              }
              $behind
    )";
    const auto in = [&loop](const std::string &bound) { return replaced(loop, {{"$bound", bound}}); };
    const std::string change = "state change {\n c: o = k + 2  with k <- n[0]; o -> n[0]\n d: o = 1  with o -> K[0]\n}\n";
    struct Case {
        std::string around, behind;
    };
    for (const Case &c : std::initializer_list<Case>{
             {in("n"), change},
             {in("K[0]"), change},
             {in("n"), "if s > 0.2 {\n" + change + "}\n"},
             {in("n"), "i = 7\n" + change},                                 // and the variable
             {"for j = 0; j < 2; j = j + 1 {\n" + in("n") + "}\n", change}, // also before the next iteration
             {in("n"), change + "for j = 0; j < n - 3; j = j + 1 {\nstate again {\n t: o = sin(b * c)  with b <- s[0], c <- A[j]; "
                                "o -> s[0]\n}\n}\n"}}) { // which is the bound of another loop
        INFO(c.around << c.behind);
        for (const double k : {0.0, 1.0, 2.0, 4.0}) {
            INFO("K = " << k);
            Differentiated d(text(c.around, c.behind), "out", "A");
            d.set("N", 7).set("K", std::vector<double>{k}).check();
        }
    }
}

namespace {

/// How a loop or an iteration ends once `s` is below a limit.
enum class Exit { Conjunction, Break, Continue, Return };

/// A loop that may execute less than its header says, and its result.
struct Early {
    Header header;
    Exit exit;
    double limit;

    std::string text() const {
        const std::string less = "s < " + std::to_string(limit);
        const std::string step = "state step {\n t: o = sin(b * c)  with b <- s[0], c <- A[i]; o -> s[0]\n}\n";
        switch (exit) {
        case Exit::Conjunction:
            return replaced(header.text(), {{" E;", " E and s > " + std::to_string(limit) + ";"}}) + " {\n" + step + "}\n";
        case Exit::Break:
            return header.text() + " {\n" + step + "if " + less + " {\n break\n}\n}\n";
        case Exit::Continue:
            return header.text() + " {\nif " + less +
                   " {\n state lift {\n t: o = b * b + 0.7  with b <- s[0]; o -> s[0]\n}\n continue\n}\n" + step + "}\n";
        case Exit::Return:
            return header.text() + " {\n" + step + "if " + less +
                   " {\n state leave {\n t: o = exp(b)  with b <- s[0]; o -> out[0]\n}\n return\n}\n}\n";
        }
        return "";
    }
    /// Iterations in which the step runs, if s starts with x.
    std::set<int64_t> values(int64_t end, double x, const std::vector<double> &a) const {
        std::set<int64_t> out;
        double s = x;
        for (int64_t i = header.begin(); header.holds(i, end); i += header.step) {
            if (exit == Exit::Conjunction && s <= limit)
                break;
            if (exit == Exit::Continue && s < limit) {
                s = s * s + 0.7;
                continue;
            }
            s = std::sin(s * a[static_cast<std::size_t>(i)]);
            out.insert(i);
            if ((exit == Exit::Break || exit == Exit::Return) && s < limit)
                break;
        }
        return out;
    }
};

/// out = s * s, if the loop does not return.
std::string program(const Early &loop) {
    return replaced(R"(
        sdfg f(A, x, out) {
          symbol E, i: int64
          argument A: float64[$elements]
          argument x: float64[1]
          argument out: float64[1]
          transient s: float64
          state begin {
            t: o = a  with a <- x[0]; o -> s[0]
          }
          $loop
          state end {
            t: o = a * a  with a <- s[0]; o -> out[0]
          }
        }
    )",
                    {{"$elements", std::to_string(elements)}, {"$loop", loop.text()}});
}

} // namespace

TEST_CASE("Loops that end before their headers say so, or skip iterations, with every step") {
    for (const Exit exit : {Exit::Conjunction, Exit::Break, Exit::Continue, Exit::Return}) {
        std::size_t whole = 0, shorter = 0;
        for (const int64_t step : {1, -1, 2, -2, 3, -3})
            for (const double limit : {0.1, 0.6}) {
                const Early loop{{step > 0 ? "<" : ">", step, Test::Before}, exit, limit};
                Differentiated d(program(loop), "out", "A x");
                d.set("x", std::vector<double>{1.2});
                const int64_t begin = loop.header.begin();
                for (const int64_t end : {begin, begin + step, begin + 5 * step}) {
                    INFO(loop.text() << ", E = " << end);
                    d.set("E", end).check();
                    const Arrays in = d.input(), gradients = d.run(in, {{"out", {1}}});
                    std::set<int64_t> reached;
                    for (int64_t i = 0; i < elements; ++i)
                        if (gradients.at("gradient_A")[static_cast<std::size_t>(i)] != 0)
                            reached.insert(i);
                    const std::set<int64_t> expected = loop.values(end, 1.2, in.at("A"));
                    CHECK(reached == expected);
                    (expected == loop.header.values(end) ? whole : shorter) += 1;
                }
            }
        CHECK(whole > 6);
        CHECK(shorter > 3); // some of the loops end early
    }
}
