// Classification of write-conflict resolution lambdas and identities of reductions.
#include "Tasklet/Fixture.h"

using namespace sdfgc;
using namespace sdfgc::py;

namespace {

std::string kind(const std::string &lambda) {
    const auto w = parseWcr(lambda);
    INFO(lambda << ": " << w.error.message);
    REQUIRE(w.value);
    REQUIRE(w.value->lambda->kind == ExprKind::Lambda);
    return std::string(reductionName(w.value->kind));
}

std::string identity(Reduction r, Type t) {
    const auto e = reductionIdentity(r, t);
    if (!e)
        return "none";
    CHECK((*e)->type == t);
    return CppPrinter().expr(**e);
}

} // namespace

TEST_CASE("sums and products by value", "[tasklet][wcr]") {
    CHECK(kind("lambda a, b: a + b") == "Sum");
    CHECK(kind("(lambda x, y: (y + x))") == "Sum");
    CHECK(kind("lambda a, b: a + 1*b") == "Sum");
    CHECK(kind("lambda a, b: a - (-b)") == "Sum");
    CHECK(kind("lambda a, b: a + b + 0") == "Sum");
    CHECK(kind("lambda a, b: a * b") == "Product");
    CHECK(kind("lambda a, b: 1.0 * b * a") == "Product");
    CHECK(kind("lambda a, b: a - b") == "Sub");
    CHECK(kind("lambda a, b: a / b") == "Div");
    CHECK(kind("lambda a, b: b") == "Exchange");
    CHECK(kind("lambda a, b: a") == "Custom");
    CHECK(kind("lambda a, b: b - a") == "Custom");
    CHECK(kind("lambda a, b: b / a") == "Custom");
    CHECK(kind("lambda a, b: a + 2*b") == "Custom");
    CHECK(kind("lambda a, b: a + a") == "Custom");
    CHECK(kind("lambda a, b: a + b * b") == "Custom");
    CHECK(kind("lambda a, b: a + c") == "Custom");
}

TEST_CASE("extrema need exactly the parameters", "[tasklet][wcr]") {
    CHECK(kind("lambda a, b: max(a, b)") == "Max");
    CHECK(kind("lambda a, b: min(b, a)") == "Min");
    CHECK(kind("lambda a, b: Max(a, b)") == "Max");
    CHECK(kind("lambda a, b: np.minimum(a, b)") == "Min");
    CHECK(kind("lambda a, b: max(a, 2 * b)") == "Custom");
    CHECK(kind("lambda a, b: max(a, a)") == "Custom");
    CHECK(kind("lambda a, b: max(a, b, 0)") == "Custom");
    CHECK(kind("lambda a, b: a if a > b else b") == "Max");
    CHECK(kind("lambda a, b: b if a > b else a") == "Min");
    CHECK(kind("lambda a, b: a if a <= b else b") == "Min");
    CHECK(kind("lambda a, b: b if b >= a else a") == "Max");
    CHECK(kind("lambda a, b: a if a == b else b") == "Custom");
    CHECK(kind("lambda a, b: a if a > 0 else b") == "Custom");
}

TEST_CASE("bitwise and logical kinds", "[tasklet][wcr]") {
    CHECK(kind("lambda a, b: a & b") == "Bitwise_And");
    CHECK(kind("lambda a, b: b | a") == "Bitwise_Or");
    CHECK(kind("lambda a, b: a ^ b") == "Bitwise_Xor");
    CHECK(kind("lambda a, b: a and b") == "Logical_And");
    CHECK(kind("lambda a, b: a or b") == "Logical_Or");
    CHECK(kind("lambda a, b: a != b") == "Logical_Xor");
    CHECK(kind("lambda a, b: a and b > 1") == "Custom");
    CHECK(kind("lambda a, b: a != 0") == "Custom");
    CHECK(kind("lambda a, b: a & 1") == "Custom");
}

TEST_CASE("what is no reduction lambda is an error", "[tasklet][wcr]") {
    CHECK(parseWcr("max").error.message == "expected a lambda with two parameters");
    CHECK(parseWcr("lambda a: a").error.message == "expected a lambda with two parameters");
    CHECK(parseWcr("lambda a, a: a").error.message == "expected a lambda with two parameters");
    CHECK(!parseWcr("lambda a, b: [a]").value);
    CHECK(kind("lambda a, b: a" + std::string(1000, ' ') + "+ b") == "Sum");
}

TEST_CASE("identities", "[tasklet][wcr]") {
    CHECK(identity(Reduction::Sum, ScalarKind::Float64) == "0.0");
    CHECK(identity(Reduction::Sum, ScalarKind::Int32) == "0");
    CHECK(identity(Reduction::Product, ScalarKind::Float32) == "1.0f");
    CHECK(identity(Reduction::Product, ScalarKind::Complex128) == "std::complex<double>(1)");
    CHECK(identity(Reduction::Sub, ScalarKind::UInt8) == "0");
    CHECK(identity(Reduction::LogicalAnd, ScalarKind::Bool) == "true");
    CHECK(identity(Reduction::LogicalOr, ScalarKind::Bool) == "false");
    CHECK(identity(Reduction::LogicalXor, ScalarKind::Int32) == "0");
    CHECK(identity(Reduction::BitAnd, ScalarKind::Int64) == "-1");
    CHECK(identity(Reduction::BitAnd, ScalarKind::UInt32) == "4294967295U");
    CHECK(identity(Reduction::BitAnd, ScalarKind::UInt64) == "18446744073709551615ULL");
    CHECK(identity(Reduction::BitAnd, ScalarKind::Float32) == "none");
    CHECK(identity(Reduction::BitOr, ScalarKind::UInt16) == "0");
    CHECK(identity(Reduction::Min, ScalarKind::Int8) == "127");
    CHECK(identity(Reduction::Max, ScalarKind::Int8) == "-128");
    CHECK(identity(Reduction::Min, ScalarKind::Int32) == "2147483647");
    CHECK(identity(Reduction::Max, ScalarKind::Int32) == "(-2147483647 - 1)");
    CHECK(identity(Reduction::Max, ScalarKind::Int64) == "(-9223372036854775807LL - 1)");
    CHECK(identity(Reduction::Max, ScalarKind::UInt64) == "0");
    CHECK(identity(Reduction::Min, ScalarKind::Bool) == "true");
    CHECK(identity(Reduction::Min, ScalarKind::Float64) == "double(INFINITY)");
    CHECK(identity(Reduction::Max, ScalarKind::Float64) == "-double(INFINITY)");
    CHECK(identity(Reduction::Max, ScalarKind::Float32) == "-INFINITY");
    CHECK(identity(Reduction::Min, ScalarKind::Complex64) == "none");
    CHECK(identity(Reduction::Custom, ScalarKind::Int32) == "none");
    CHECK(identity(Reduction::Exchange, ScalarKind::Int32) == "none");
    const Type half = ScalarKind::Float16;
    CHECK(identity(Reduction::Max, half) == half.cppName() + "(-INFINITY)");
    const Type vector = Type::vector(ScalarKind::Float32, 4);
    CHECK(identity(Reduction::Sum, vector) == vector.cppName() + "(0.0f)");
    CHECK(identity(Reduction::Sum, Type::opaque("T")) == "none");
}

namespace {

/// The block with chained assignments split; `u` is an update, `d` a dynamic one, `s` a stream.
std::string split(const std::string &code) {
    const auto storeOf = [](Name n) {
        const std::string text = n.str();
        return text == "u" ? Store::Update : text == "d" ? Store::DynamicUpdate : text == "s" ? Store::Other : Store::Plain;
    };
    return print(splitChainedUpdates(*parseBlock(code).value, storeOf)) + "\n";
}

bool usesOld(const std::string &code, const char *output, bool dynamic) {
    return usesOldValue(*parseBlock(code).value, output, dynamic);
}

} // namespace

TEST_CASE("chained assignments to updates are taken apart", "[tasklet][wcr]") {
    CHECK(split("v = u[5] = 1") == "u[5] = 1\nv = old 0\n");
    CHECK(split("v = w = d[i] = x + 1") == "d[i] = x + 1\nv = w = old 0\n");
    CHECK(split("v = d = x") == "d = x\nv = d\n"); // when a dynamic output is read, it has the old value
    CHECK(split("d[0] = u[1] = x") == "u[1] = x\nd[0] = old 0\n");
    // In other cases, every target gets the value, which is computed once.
    CHECK(split("v = u = x + 1") == "chained_value = x + 1\nv = chained_value\nu = chained_value\n");
    CHECK(split("u[2] = v = x") == "u[2] = x\nv = x\n");
    CHECK(split("s = v = 1") == "s = 1\nv = 1\n");
    CHECK(split("v = w = x") == "v = w = x\n");
    CHECK(split("if x > 0:\n    v = u[0] = 1\nelse:\n    w = v = 2") ==
          "if x > 0:\n    u[0] = 1\n    v = old 0\nelse:\n    w = v = 2\n");
    const auto update = splitChainedUpdates(*parseBlock("v = u[5] = 1").value,
                                            [](Name n) { return n == Name("u") ? Store::Update : Store::Plain; });
    REQUIRE(update.size() == 2);
    CHECK(update[0]->old == Name("old 0"));
    CHECK(update[1]->old.empty());
}

TEST_CASE("which updates use what was there before", "[tasklet][wcr]") {
    CHECK(usesOld("v = u[5] = 1", "u", false));
    CHECK(usesOld("v = u = 1", "u", true));
    CHECK_FALSE(usesOld("v = u = 1", "u", false));
    CHECK_FALSE(usesOld("u[5] = v = 1", "u", true));
    CHECK(usesOld("u = 1\nv = u", "u", true));
    CHECK_FALSE(usesOld("u = 1\nv = u", "u", false)); // one update at the end
    CHECK(usesOld("u += 1", "u", true));
    CHECK(usesOld("if x:\n    w[u] = 1", "u", true));
    CHECK_FALSE(usesOld("u = x\nu[1] = x", "u", true));
}

TEST_CASE("the order of updates counts for real numbers, and for what is no known reduction", "[tasklet][wcr]") {
    const Type real = ScalarKind::Float64, complex = ScalarKind::Complex64, integer = ScalarKind::Int32;
    for (const Reduction r : {Reduction::Sum, Reduction::Product, Reduction::Sub}) {
        CHECK(py::orderCounts(r, real));
        CHECK(py::orderCounts(r, complex));
        CHECK_FALSE(py::orderCounts(r, integer));
    }
    for (const Reduction r : {Reduction::Min, Reduction::Max, Reduction::LogicalOr})
        CHECK_FALSE(py::orderCounts(r, real));
    CHECK(py::orderCounts(Reduction::Custom, integer));
}
