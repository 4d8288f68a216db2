// Every function of one argument in a chain, s = f(s * A[i]), whose values are stored: in float64 compared with differences, in
// float32 with float64.
#include "Gradient.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace sdfgc::test;

namespace {

/// Functions with a derivative in the table.
const char *const functions[] = {
#define SDFGC_DERIVATIVE1(Name, X) #Name,
#include "sdfgc/Tasklet/Derivatives.def"
};

/// A factor for s * A[i], which is initially between 0.4 and 1. It keeps the entire chain inside the domain of the function, away
/// from corners, and bounded away from zero and infinity.
double factor(const std::string &function) {
    static const std::map<std::string, double> factors{{"exp", 0.5},  {"exp2", 0.5}, {"expm1", 0.7},  {"sinh", 0.8},
                                                       {"cosh", 0.8}, {"tan", 0.8},  {"log", 4},      {"log2", 3},
                                                       {"log10", 20}, {"acosh", 4},  {"deg2rad", 50}, {"rad2deg", 0.02}};
    const auto found = factors.find(function);
    return found == factors.end() ? 1 : found->second;
}

std::string program(const std::string &function, const std::string &type) {
    return replaced(R"(
        sdfg f(A, x, out) {
          symbol N, i: int64
          argument A: $type[N]
          argument x: $type[1]
          argument out: $type[1]
          transient s: $type
          state begin {
            t: o = a  with a <- x[0]; o -> s[0]
          }
          for i = 0; i < N; i = i + 1 {
            state step {
              t: o = $function(b * c)  with b <- s[0], c <- A[i]; o -> s[0]
            }
          }
          state end {
            t: o = a * a  with a <- s[0]; o -> out[0]
          }
        }
    )",
                    {{"$type", type}, {"$function", function}});
}

void begin(Differentiated &d, const std::string &function) {
    std::vector<double> a{0.875, 0.625, 0.75, 1.0};
    for (double &each : a)
        each *= factor(function);
    d.set("N", static_cast<int64_t>(a.size())).set("A", a).set("x", std::vector<double>{0.8125});
}

} // namespace

TEST_CASE("A chain of each function") {
    for (const char *function : functions) {
        INFO(function);
        Differentiated d(program(function, "float64"), "out", "A x");
        begin(d, function);
        d.check();
        CHECK(d.tapes() == "tape_s[N, 1]");
        const Arrays gradients = d.run(d.input(), {{"out", {1}}});
        for (const auto &[name, values] : {std::pair("A", gradients.at("gradient_A")), {"x", gradients.at("gradient_x")}})
            for (const double g : values) {
                INFO("gradient_" << name << ": " << g);
                CHECK(std::abs(g) > 1e-4); // otherwise differences would be meaningless
            }
    }
}

TEST_CASE("A chain of each function in float32") {
    for (const char *function : functions) {
        INFO(function);
        Differentiated narrow(program(function, "float32"), "out", "A x"), wide(program(function, "float64"), "out", "A x");
        for (Differentiated *each : {&narrow, &wide})
            begin(*each, function);
        narrow.checkTangents();
        CHECK(narrow.tapes() == "tape_s[N, 1]");
        CHECK(narrow.text().find("tape_s: float32") != std::string::npos);
        const Arrays weights{{"out", {0.75}}};
        const Arrays found = narrow.run(narrow.input(), weights), expected = wide.run(wide.input(), weights);
        for (const auto &[name, values] : expected)
            for (std::size_t k = 0; k < values.size(); ++k) {
                INFO(name << "[" << k << "]");
                CHECK(found.at(name)[k] == Approx(values[k]).epsilon(1e-5));
            }
    }
}
