#include "Validate/Programs.h"

#include "sdfgc/Run/Values.h"
#include "sdfgc/Support/File.h"

#include <cmath>
#include <cstring>

using namespace sdfgc;
using namespace sdfgc::test;
using validate::Input;

namespace {

const char *const sizes = R"(
sdfg f {
  symbol N: int64
  symbol M: int32
  argument A: float64[N, M - 2]
  argument I: int8[N]
  argument s: float32
  argument z: complex64[3]
  argument b: bool[N]
  state main {
    map m[i = 0:N + M] with OUT_s -> s {
      t: o = 1  with o -> s
    }
  }
}
)";

std::set<double> valuesOf(const std::vector<Input> &inputs, const char *name) {
    std::set<double> out;
    for (const Input &i : inputs) {
        const run::Argument &a = *i.arguments.find(name);
        const auto size = static_cast<std::size_t>(a.dtype.size);
        for (std::size_t at = 0; at + size <= a.data.size(); at += size)
            if (const double v = run::valueOf(a.type, std::string_view(a.data).substr(at, size)); !std::isnan(v))
                out.insert(v);
    }
    return out;
}

bool hasNan(const std::vector<Input> &inputs, const char *name) {
    for (const Input &i : inputs) {
        const run::Argument &a = *i.arguments.find(name);
        const auto size = static_cast<std::size_t>(a.dtype.size);
        for (std::size_t at = 0; at + size <= a.data.size(); at += size)
            if (std::isnan(run::valueOf(a.type, std::string_view(a.data).substr(at, size))))
                return true;
    }
    return false;
}

} // namespace

TEST_CASE("shapes of inputs are those that the symbols give, and none is negative") {
    const std::vector<Input> inputs = allInputs(sizes);
    REQUIRE(inputs.size() > 8);
    std::set<int64_t> seen;
    for (const Input &i : inputs) {
        const int64_t n = i.arguments.symbols.at(Name("N")), m = i.arguments.symbols.at(Name("M"));
        CHECK(m >= 2);
        const run::Argument &a = *i.arguments.find("A");
        CHECK(a.shape == std::vector<int64_t>{n, m - 2});
        CHECK(a.data.size() == static_cast<std::size_t>(n * (m - 2) * 8));
        seen.insert(n);
    }
    for (int64_t n : {2, 3, 5, 8})
        CHECK(seen.count(n) == 1);
}

TEST_CASE("a program without conditions on its sizes gets 0 and 1, too") {
    std::set<int64_t> seen;
    for (const Input &i : allInputs(R"(
sdfg f {
  symbol N: int64
  argument A: float64[N]
  state s {
    map m[i = 0:N] with OUT_A -> A[0:N] {
      t: o = 1  with o -> A[i]
    }
  }
}
)"))
        seen.insert(i.arguments.symbols.at(Name("N")));
    for (int64_t n : {0, 1, 2, 3, 5, 17, 32})
        CHECK(seen.count(n) == 1);
}

TEST_CASE("each symbol alone is 0 and 1, whatever the others are") {
    std::set<std::pair<int64_t, int64_t>> seen;
    for (const Input &i :
         allInputs("sdfg f {\n  symbol N: int64\n  symbol M: int64\n  argument A: float64[N, M]\n  state s {}\n}\n"))
        seen.emplace(i.arguments.symbols.at(Name("N")), i.arguments.symbols.at(Name("M")));
    for (const auto &[n, m] : {std::pair<int64_t, int64_t>{0, 5}, {1, 5}, {5, 0}, {5, 1}})
        CHECK(seen.count({n, m}) == 1);
}

TEST_CASE("values reach the ends of their types") {
    const std::vector<Input> inputs = allInputs(sizes);
    const std::set<double> doubles = valuesOf(inputs, "A"), bytes = valuesOf(inputs, "I");
    const double inf = std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::max();
    for (double v : {inf, -inf, most, std::numeric_limits<double>::denorm_min(), 0.25, 1.0})
        CHECK(doubles.count(v) == 1);
    CHECK(hasNan(inputs, "A"));
    for (double v : {-128, 127, -1, 0, 1})
        CHECK(bytes.count(v) == 1);
    CHECK(valuesOf(inputs, "b") == std::set<double>{0, 1});
    CHECK(valuesOf(inputs, "z").size() > 4);
}

TEST_CASE("all numbers are finite where that is wanted") {
    const std::vector<Input> inputs = allInputs(sizes, {.finite = true});
    CHECK_FALSE(hasNan(inputs, "A"));
    for (const double v : valuesOf(inputs, "A"))
        CHECK(std::fabs(v) < 1e6);
    CHECK(valuesOf(inputs, "A").count(std::numeric_limits<double>::denorm_min()) == 1);
}

TEST_CASE("maxima and products among the reductions are found, by a memlet or by a node") {
    const auto found = [](const std::string &with) {
        return validate::reductionsOf(
            *graphOf("sdfg f {\n  argument A: float64[4]\n  argument C: float64[1]\n  state s {\n    " + with + "\n  }\n}\n"));
    };
    CHECK(found("A[0] -> C[0] (wcr = \"lambda x, y: max(x, y)\")").compares);
    CHECK_FALSE(found("A[0] -> C[0] (wcr = \"lambda x, y: x + y\")").compares);
    CHECK_FALSE(found("A[0] -> C[0] (wcr = \"lambda x, y: x + y\")").multiplies);
    CHECK(found("A[0] -> C[0] (wcr = \"lambda x, y: x * y\")").multiplies);
    CHECK(found("A[0] -> C[0] (wcr = \"lambda x, y: x if x < y else y\")").compares);
    CHECK(found("A[0] -> C[0] (wcr = \"lambda x, y: x + y\")").rounds);
    CHECK_FALSE(found("A[0] -> C[0] (wcr = \"lambda x, y: x + y\")").unordered);
    CHECK(found("map m[i = 0:4] with IN_A <- A[0:4]; OUT_C -> C[0] (+) {\n t: c = a  with a <- A[i]; c -> C[0] (+)\n}").unordered);
    CHECK_FALSE(
        found("map m[i = 0:4] (Sequential) with IN_A <- A[0:4]; OUT_C -> C[0] (+) {\n t: c = a  with a <- A[i]; c -> C[0] (+)\n}")
            .unordered);
    CHECK(found("library standard.Reduce r (axes = [0], wcr = \"lambda a, b: min(a, b)\") with <- A[0:4]; -> C[0]").compares);
}

TEST_CASE("there are signed zeros, and many equal values") {
    bool negative = false, ties = false;
    for (const Input &i : allInputs("sdfg f {\n  argument A: float32[64]\n  state s {}\n}\n")) {
        std::map<float, int> count;
        const std::string &data = i.arguments.find("A")->data;
        for (std::size_t k = 0; k < 64; ++k) {
            float v = 0;
            std::memcpy(&v, data.data() + 4 * k, 4);
            negative = negative || (v == 0 && std::signbit(v));
            ties = ties || ++count[v] > 2;
        }
    }
    CHECK(negative);
    CHECK(ties);
}

TEST_CASE("a series depends on the graph and the seed alone") {
    const std::vector<Input> one = allInputs(sizes), again = allInputs(sizes), other = allInputs(sizes, {.seed = 1});
    REQUIRE(one.size() == again.size());
    bool differs = one.size() != other.size();
    for (std::size_t i = 0; i < one.size(); ++i) {
        CHECK(one[i].name == again[i].name);
        for (std::size_t k = 0; k < one[i].arguments.all.size(); ++k) {
            CHECK(one[i].arguments.all[k].data == again[i].arguments.all[k].data);
            differs = differs || i >= other.size() || one[i].arguments.all[k].data != other[i].arguments.all[k].data;
        }
    }
    CHECK(differs);
}

TEST_CASE("symbols that are nothing but strides make rows that lie side by side") {
    const std::vector<Input> inputs = allInputs(R"(
sdfg f {
  symbol N: int64
  symbol S: int64
  argument A: float64[4, N] (strides = [S, 1], total_size = "4 * S")
  state s {
    map m[i = 0:N] with OUT_A -> A[0, 0:N] {
      t: o = S  with o -> A[0, i]
    }
  }
}
)");
    CHECK(inputs.size() > 20);
    for (const Input &i : inputs)
        CHECK(i.arguments.symbols.at(Name("S")) == std::max<int64_t>(i.arguments.symbols.at(Name("N")), 1));
}

TEST_CASE("sizes that only expanded library nodes will mention are chosen, too") {
    std::set<int64_t> seen;
    for (const Input &i : allInputs("sdfg f {\n  symbol N: int64\n  argument A: float64[N]\n  state s {}\n}\n"))
        seen.insert(i.arguments.symbols.at(Name("N")));
    CHECK(seen.size() > 6);
}

TEST_CASE("a size that is a constant of the graph has no other value") {
    const std::vector<Input> inputs = allInputs("sdfg f {\n  symbol N: int64\n  constant N: int64 = 20\n"
                                                "  argument A: float64[N]\n  state s {}\n}\n");
    REQUIRE(!inputs.empty());
    for (const Input &i : inputs)
        CHECK(i.arguments.find("A")->shape == std::vector<int64_t>{20});
}

TEST_CASE("arrays that may share memory do, those that may not never") {
    const std::string text = R"(
sdfg f {
  argument A: float64[4] (may_alias)
  argument B: float64[4] (may_alias)
  argument C: float64[4]
  argument D: float32[4] (may_alias)
  state s {}
}
)";
    int together = 0, apart = 0;
    for (const Input &i : allInputs(text)) {
        const auto &all = i.arguments.all;
        REQUIRE(all.size() == 4);
        for (std::size_t k : {0, 2, 3})
            CHECK_FALSE(all[k].sharesWith);
        (all[1].sharesWith ? together : apart) += 1;
        if (all[1].sharesWith) {
            CHECK(all[1].sharesWith == 0);
            CHECK(all[0].data == all[1].data);
            CHECK(i.name.starts_with("B=same:A "));
        }
    }
    CHECK(together > 0);
    CHECK(apart > 0);
}

TEST_CASE("an execution writes to the memory that arrays share") {
    diag::Engine diags;
    const auto graph = graphOf(R"(
sdfg f {
  argument A: float64[1] (may_alias)
  argument B: float64[1] (may_alias)
  state s {
    t: b = 7  with b -> B[0]
  }
}
)");
    const auto arguments = run::prepare(run::interfaceOf(*graph), {.given = {{"A", "1"}, {"B", "same:A"}}}, diags);
    REQUIRE(arguments);
    const auto subject = validate::interpreted(*graph, {}, diags);
    REQUIRE(subject);
    for (const std::string &memory : subject->run(*arguments).memory) {
        double v = 0;
        std::memcpy(&v, memory.data(), sizeof v);
        CHECK(v == 7);
    }
}

TEST_CASE("what no input can be made for has a reason") {
    validate::InputMaker maker(*graphOf("sdfg f {\n  argument A: float64[1 << 40]\n  state s {}\n}\n"), {});
    CHECK_FALSE(maker.next());
    CHECK(maker.problem() == "argument `A`: its shape would be [1099511627776]");
}

TEST_CASE("a program that takes nothing has one input") {
    const std::vector<Input> inputs = allInputs("sdfg f {\n  state s {}\n}\n");
    REQUIRE(inputs.size() == 1);
    CHECK(inputs[0].arguments.all.empty());
}

TEST_CASE("an input that is written to a folder is read again bit by bit") {
    const auto folder = std::move(*file::TemporaryFolder::create("sdfgc-validate-test"));
    const tree::Module interface = run::interfaceOf(*graphOf(sizes));
    for (const Input &i : allInputs(sizes)) {
        REQUIRE(validate::writeInput(i, folder.path()));
        Result<std::vector<run::Given>> given = validate::readInput(folder.path());
        REQUIRE(given);
        diag::Engine diags;
        const auto again = run::prepare(interface, {.given = *given}, diags);
        REQUIRE(again);
        for (const run::Argument &a : i.arguments.all)
            CHECK(again->find(a.name.view())->data == a.data);
    }
}
