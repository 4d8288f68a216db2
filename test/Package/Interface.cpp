// Names and layouts that do not occur in the programs of test/Bindings.
#include "sdfgc/Package/Interface.h"
#include "Package/Callback.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using package::Argument;
using package::ArgumentKind;

namespace {

sym::Expr symbol(const char *name) { return sym::Expr::symbol(Name(name)); }

Argument value(const std::string &name, Type t) {
    Argument a;
    a.name = a.parameter = name;
    a.type = t;
    a.declaration = "int64_t " + name;
    return a;
}

Argument array(const std::string &name, std::vector<sym::Expr> shape) {
    Argument a = value(name, ScalarKind::Float64);
    a.kind = ArgumentKind::Array;
    a.declaration = "double *" + name;
    a.shape = shape;
    a.strides.assign(shape.size(), 1);
    a.totalSize = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        a.strides[d] = a.totalSize;
        a.totalSize *= shape[d];
    }
    a.access = {true, true};
    return a;
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("Fortran knows no case and no leading underscore") {
    package::Interface i;
    i.name = "p";
    i.arguments = {array("A", {symbol("N")}),     array("__return", {symbol("N")}), array("_a", {symbol("N")}),
                   value("N", ScalarKind::Int64), value("n", ScalarKind::Int64),    value("handle", ScalarKind::Int32)};
    const std::string text = package::fortranModule(i);
    CHECK(contains(text, "subroutine p_program(handle, A, returned, a_1, N, n_1, handle_1) bind(C, name=\"p_program\")"));
    CHECK(contains(text, "real(c_double), intent(inout) :: a_1(N)"));
}

TEST_CASE("Fortran lines stay below the limit, names too") {
    package::Interface i;
    i.name = std::string(90, 'p');
    for (int k = 0; k < 30; ++k)
        i.arguments.push_back(
            value("argument_with_a_long_name_that_goes_on_and_on_and_on_and_on_" + std::to_string(k), ScalarKind::Int64));
    std::vector<sym::Expr> shape;
    for (const Argument &a : i.arguments)
        shape.push_back(symbol(a.name.c_str()));
    i.arguments.push_back(array("A", shape));
    const std::string text = package::fortranModule(i);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        if (text[at] != '!') // comments may be longer
            CHECK(end - at <= 132);
        at = end + 1;
    }
    CHECK_FALSE(contains(text, "subroutine " + std::string(60, 'p')));
    CHECK(contains(text, "bind(C, name=\"" + i.name + "_program\")"));
}

TEST_CASE("Fortran bounds: reversed for row-major memory, assumed for the rest") {
    auto bounds = [](Argument a) {
        package::Interface i;
        i.name = "p";
        i.arguments = {a, value("M", ScalarKind::Int64)};
        const std::string text = package::fortranModule(i);
        const std::size_t at = text.find(":: A(") + 4;
        return text.substr(at, text.find('\n', at) - at);
    };
    CHECK(bounds(array("A", {4, symbol("M")})) == "(M, 4)");
    CHECK(bounds(array("A", {symbol("N"), symbol("M")})) == "(M, *)"); // N is not an argument
    CHECK(bounds(array("A", {symbol("M"), symbol("N")})) == "(*)");
    Argument padded = array("A", {4, symbol("M")});
    padded.strides[0] = symbol("M") + 1;
    CHECK(bounds(padded) == "(*)");
    Argument columns = array("A", {4, symbol("M")});
    columns.strides = {1, 4};
    CHECK(bounds(columns) == "(4, M)");
    Argument vectors = array("A", {symbol("M")});
    vectors.type = Type::vector(ScalarKind::Float64, 2);
    CHECK(bounds(vectors) == "(2, M)");
}

TEST_CASE("C++: sizes are checked in 64 bits where the arguments say them; null only where it is allowed") {
    package::Interface i;
    i.name = "p";
    Argument optional = array("B", {symbol("N")});
    optional.optional = true;
    Argument unknown = array("C", {symbol("K")});
    i.arguments = {array("A", {symbol("N"), symbol("M")}), optional, unknown, value("M", ScalarKind::Int64),
                   value("N", ScalarKind::Int32)};
    const std::string text = package::cppHeader(i, "// support\n");
    CHECK(contains(text, "checkSize(\"A\", sdfgc_program::sizeOf(A), (M*std::int64_t(N)));") |
          contains(text, "checkSize(\"A\", sdfgc_program::sizeOf(A), M*std::int64_t(N));"));
    CHECK(contains(text, "if (sdfgc_program::address(B))"));
    CHECK_FALSE(contains(text, "checkSize(\"C\""));
    CHECK_FALSE(contains(text, "using namespace"));
}

TEST_CASE("Python stubs: symbols that shapes tell have defaults, results are returned") {
    package::Interface i;
    i.name = "p";
    Argument result = array("__return", {symbol("N")}), optional = array("B", {symbol("N")});
    optional.optional = true;
    i.arguments = {result, array("A", {symbol("N")}), optional, value("N", ScalarKind::Int64)};
    i.init = {value("N", ScalarKind::Int64)};
    const std::string text = package::pythonStub(i), f64 = "_npt.NDArray[_np.float64]";
    const std::string call = "A: " + f64 + ", B: _t.Optional[" + f64 + "], N: int = ..., **named: _t.Any) -> ";
    CHECK(contains(text, "def run(" + call + f64 + ": ..."));
    CHECK(contains(text, "def bind(self, /, " + call + "_t.Callable[[], " + f64 + "]: ..."));
    CHECK(contains(text, "def initialize(self, /, *, N: int) -> None: ..."));
}

TEST_CASE("Python literals cannot be ended by names") {
    package::Interface i;
    i.name = "p";
    Argument odd = value("N", ScalarKind::Int64);
    odd.name = "N\"\"\"\nimport os";
    i.arguments = {odd};
    const std::string text = package::pythonModule(i, "");
    CHECK_FALSE(contains(text, "\"\"\"\nimport os"));
    CHECK(contains(text, R"("name": "N\"\"\"\nimport os")"));
}

TEST_CASE("callbacks: scalars by value, arrays by address, several results as parameters") {
    const Type f64 = ScalarKind::Float64;
    const std::string descriptor = R"({"type": "Array", "attributes": {"dtype": "float64", "shape": ["N", "3"]}})";
    package::CallbackShape one = package::callbackShape(Type::callback({f64, f64}, {f64}, {"", descriptor}));
    REQUIRE(one.parameters.size() == 2);
    CHECK_FALSE(one.parameters[0].byAddress());
    CHECK(one.parameters[1].array);
    CHECK(one.parameters[1].shape == std::vector<std::string>{"N", "3"});
    CHECK(one.returns == f64);
    package::CallbackShape two = package::callbackShape(Type::callback({}, {f64, f64}, {}, {"", descriptor}));
    REQUIRE(two.parameters.size() == 2);
    CHECK((two.parameters[0].result && !two.parameters[0].array));
    CHECK((two.parameters[1].result && two.parameters[1].array));
    CHECK_FALSE(two.returns);
    CHECK_FALSE(package::callbackShape(Type::callback({}, {})).returns);
    // A described scalar is returned, whatever its contents are; an array is a parameter, even a single one.
    const std::string scalar = R"({"type": "Scalar", "attributes": {"dtype": {"type": "opaque", "ctype": "pyobject"}}})";
    package::CallbackShape object = package::callbackShape(Type::callback({f64}, {ScalarKind::PyObject}, {descriptor}, {scalar}));
    CHECK(object.returns == Type(ScalarKind::PyObject));
    CHECK(object.parameters.size() == 1);
    CHECK(package::callbackShape(Type::callback({}, {f64}, {}, {descriptor})).parameters.size() == 1);
}

TEST_CASE("wrappers set sizes from arrays, one after the other, where they can") {
    package::Interface i;
    i.name = "p";
    Argument optional = array("o", {symbol("K")});
    optional.optional = true;
    i.arguments = {array("B", {symbol("M") * symbol("P")}), array("A", {symbol("M"), symbol("N")}), optional,
                   array("R", {symbol("Q") * symbol("Q")}), value("N", ScalarKind::Int64)};
    for (const char *size : {"K", "M", "P", "Q"})
        i.sizes.push_back(value(size, ScalarKind::Int64));
    const std::string cpp = package::cppHeader(i, "");
    CHECK(contains(cpp, "size_of__M.limit(sdfgc_program::sizeOf(A), 0, N);"));
    CHECK(contains(cpp, "if (size_of__M.known())\n            size_of__P.limit(sdfgc_program::sizeOf(B), 0, size_of__M.value());"));
    CHECK(cpp.find("Extent size_of__M;") < cpp.find("Extent size_of__P;"));
    CHECK(contains(cpp, "if (!sdfgc_program::address(o))\n            size_of__K.leaveOut();"));
    CHECK_FALSE(contains(cpp, "Extent size_of__Q"));
    CHECK(contains(cpp, "void setSize_Q(std::int64_t value)"));
    const std::string fortran = package::fortranModule(i);
    CHECK(contains(fortran, "size_M = size(A, 2, c_int64_t)"));
    CHECK(contains(fortran, "size_P = size(B, 1, c_int64_t) / max(int(size_M, c_int64_t), 1_c_int64_t)"));
    CHECK(contains(fortran, "if (present(o)) size_K = size(o, 1, c_int64_t)"));
    CHECK(contains(fortran, ":: A(:, :)"));
    CHECK(contains(fortran, "function p_set_size_Q(handle, value) result(status) bind(C, name=\"p_set_size_Q\")"));
    CHECK(contains(fortran, "subroutine p_call(handle, B, A, o, R, N) bind(C, name=\"p_program\")"));
    CHECK_FALSE(contains(fortran, "size_Q ="));
}
