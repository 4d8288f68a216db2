// Random expressions: the lowered tree, with the meaning of C++, computes the value that the original has in Python.
//
// Two interpreters walk the trees: one implements Python's operators on unbounded numbers, the other C++'s operators on the types
// of the nodes and the runtime functions. Expressions with integers of more than 31 bits are skipped, since there the languages
// differ by design.
#include "Tasklet/Fixture.h"

#include <cmath>
#include <random>

using namespace sdfgc;
using namespace sdfgc::py;
using namespace sdfgc::py::test;

namespace {

struct Value {
    bool isFloat = false;
    int64_t i = 0;
    double d = 0;
    static Value integer(int64_t v) { return {false, v, 0}; }
    static Value real(double v) { return {true, 0, v}; }
    double asDouble() const { return isFloat ? d : static_cast<double>(i); }
    bool truth() const { return isFloat ? d != 0 : i != 0; }
};

struct Undefined {}; // division by zero, or numbers that the test does not compare

Value checked(Value v) {
    if (v.isFloat ? !(std::fabs(v.d) < 1e15) : std::llabs(v.i) > INT32_MAX)
        throw Undefined();
    return v;
}

const std::map<Name, Value> &values() {
    static const std::map<Name, Value> all = {
        {"i", Value::integer(-7)}, {"j", Value::integer(3)},  {"l", Value::integer(11)}, {"s", Value::integer(-2)},
        {"n", Value::integer(6)},  {"u", Value::integer(4)},  {"b", Value::integer(1)},  {"c", Value::integer(0)},
        {"x", Value::real(2.5)},   {"y", Value::real(-0.75)},
    };
    return all;
}

int64_t floorDivide(int64_t a, int64_t b) {
    if (b == 0)
        throw Undefined();
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
double floorModulo(double a, double b) {
    if (b == 0)
        throw Undefined();
    const double r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

Value floorOperator(bool division, const Value &a, const Value &b) {
    if (!a.isFloat && !b.isFloat) {
        const int64_t quotient = floorDivide(a.i, b.i);
        return Value::integer(division ? quotient : a.i - quotient * b.i);
    }
    const double remainder = floorModulo(a.asDouble(), b.asDouble());
    return Value::real(division ? std::floor((a.asDouble() - remainder) / b.asDouble() + 0.5) : remainder);
}

Value integerPower(const Value &base, int64_t n) {
    if (n < 0)
        throw Undefined();
    Value result = base.isFloat ? Value::real(1) : Value::integer(1);
    for (; n > 0; --n)
        result = checked(base.isFloat ? Value::real(result.d * base.d) : Value::integer(result.i * base.i));
    return result;
}

bool test(Op op, const Value &a, const Value &b) {
    const bool less = a.isFloat || b.isFloat ? a.asDouble() < b.asDouble() : a.i < b.i;
    const bool same = a.isFloat || b.isFloat ? a.asDouble() == b.asDouble() : a.i == b.i;
    switch (op) {
    case Op::Lt:
        return less;
    case Op::Le:
        return less || same;
    case Op::Gt:
        return !less && !same;
    case Op::Ge:
        return !less;
    case Op::Ne:
        return !same;
    default:
        return same;
    }
}

// The common part of both languages; the operators in which they differ are virtual.
class Interpreter {
public:
    virtual ~Interpreter() = default;
    Value eval(const Expr &e) { return checked(result(e, evaluate(e))); }

protected:
    virtual Value binary(const Expr &e, const Value &a, const Value &b) = 0;
    virtual Value call(const Expr &e, const std::string &f, const std::vector<Value> &args) = 0;
    virtual Value result(const Expr &, Value v) { return v; }

    static Value arithmetic(Op op, const Value &a, const Value &b) {
        const bool f = a.isFloat || b.isFloat;
        switch (op) {
        case Op::Add:
            return f ? Value::real(a.asDouble() + b.asDouble()) : Value::integer(a.i + b.i);
        case Op::Sub:
            return f ? Value::real(a.asDouble() - b.asDouble()) : Value::integer(a.i - b.i);
        case Op::Mul:
            return f ? Value::real(a.asDouble() * b.asDouble()) : Value::integer(a.i * b.i);
        case Op::BitAnd:
            return Value::integer(a.i & b.i);
        case Op::BitOr:
            return Value::integer(a.i | b.i);
        case Op::BitXor:
            return Value::integer(a.i ^ b.i);
        default:
            FAIL("operator outside of the test");
            throw Undefined();
        }
    }

private:
    Value evaluate(const Expr &e) {
        switch (e.kind) {
        case ExprKind::Int:
            return Value::integer(std::stoll(e.text));
        case ExprKind::Float:
            return Value::real(std::stod(e.text));
        case ExprKind::Bool:
            return Value::integer(e.text == "True");
        case ExprKind::Name:
            return values().at(e.name);
        case ExprKind::Unary:
            return unary(e.op, eval(*e.args[0]));
        case ExprKind::Binary: {
            const Value a = eval(*e.args[0]);
            return binary(e, a, eval(*e.args[1]));
        }
        case ExprKind::BoolOp: {
            const bool isAnd = e.op == Op::And;
            for (const ExprRef &a : e.args)
                if (eval(*a).truth() != isAnd)
                    return Value::integer(!isAnd);
            return Value::integer(isAnd);
        }
        case ExprKind::Compare:
            return compare(e);
        case ExprKind::IfExp:
            return eval(*e.args[eval(*e.args[0]).truth() ? 1 : 2]);
        case ExprKind::Cast: {
            const Value v = eval(*e.args[0]);
            return e.type.isFloat() ? Value::real(v.asDouble()) : Value::integer(v.isFloat ? static_cast<int64_t>(v.d) : v.i);
        }
        case ExprKind::Call: {
            std::vector<Value> args;
            for (std::size_t k = 1; k < e.args.size(); ++k)
                args.push_back(eval(*e.args[k]));
            return call(e, e.args[0]->name.str(), args);
        }
        default:
            FAIL("expression outside of the test");
            throw Undefined();
        }
    }

    static Value unary(Op op, const Value &v) {
        switch (op) {
        case Op::Neg:
            return v.isFloat ? Value::real(-v.d) : Value::integer(-v.i);
        case Op::Not:
            return Value::integer(!v.truth());
        case Op::Invert:
            return Value::integer(~v.i);
        default:
            return v;
        }
    }

    Value compare(const Expr &e) {
        for (std::size_t k = 0; k < e.ops.size(); ++k) {
            const Value a = eval(*e.args[k]);
            if (e.ops[k] == Op::In || e.ops[k] == Op::NotIn) {
                bool found = false;
                for (const ExprRef &member : e.args[k + 1]->args)
                    found = found || test(Op::Eq, a, eval(*member));
                if (found != (e.ops[k] == Op::In))
                    return Value::integer(0);
            } else if (!test(e.ops[k], a, eval(*e.args[k + 1]))) {
                return Value::integer(0);
            }
        }
        return Value::integer(1);
    }
};

Value extremum(bool wantMax, const std::vector<Value> &args) {
    Value best = args[0];
    for (const Value &v : args)
        if (wantMax ? v.asDouble() > best.asDouble() : v.asDouble() < best.asDouble())
            best = v;
    return best;
}

class PythonInterpreter : public Interpreter {
protected:
    Value binary(const Expr &e, const Value &a, const Value &b) override {
        switch (e.op) {
        case Op::TrueDiv:
            if (b.asDouble() == 0)
                throw Undefined();
            return Value::real(a.asDouble() / b.asDouble());
        case Op::FloorDiv:
        case Op::Mod:
            return floorOperator(e.op == Op::FloorDiv, a, b);
        case Op::Pow: {
            if (a.asDouble() == 0 && b.asDouble() < 0)
                throw Undefined();
            if (!a.isFloat && !b.isFloat && b.i >= 0)
                return integerPower(a, b.i);
            const double v = std::pow(a.asDouble(), b.asDouble());
            return std::isnan(v) ? throw Undefined() : Value::real(v); // a complex number in Python
        }
        case Op::Shl:
            return b.i < 0 || b.i > 20 ? throw Undefined() : Value::integer(a.i * (int64_t(1) << b.i));
        case Op::Shr:
            return b.i < 0 || b.i > 20 ? throw Undefined() : Value::integer(floorDivide(a.i, int64_t(1) << b.i));
        default:
            return arithmetic(e.op, a, b);
        }
    }
    Value call(const Expr &, const std::string &f, const std::vector<Value> &args) override {
        if (f == "max" || f == "min")
            return extremum(f == "max", args);
        if (f == "abs")
            return args[0].isFloat ? Value::real(std::fabs(args[0].d)) : Value::integer(std::llabs(args[0].i));
        return Value::real(f == "floor" ? std::floor(args[0].asDouble()) : std::sin(args[0].asDouble()));
    }
};

/// Python, but with C's quotients for integer types.
class SymbolicInterpreter : public PythonInterpreter {
    Value binary(const Expr &e, const Value &a, const Value &b) override {
        if (e.op != Op::TrueDiv || e.type.isFloat())
            return PythonInterpreter::binary(e, a, b);
        return b.i == 0 ? throw Undefined() : Value::integer(a.i / b.i);
    }
};

class CppInterpreter : public Interpreter {
    // Every node has a type, and its value has that type: a wrong type results in a truncated or unsigned number.
    Value result(const Expr &e, Value v) override {
        REQUIRE(e.type);
        if (e.type.isFloat())
            return Value::real(v.asDouble());
        REQUIRE(!v.isFloat);
        if (e.type.isBool())
            return Value::integer(v.i != 0);
        return e.type.isUnsigned() && v.i < 0 ? throw Undefined() : v; // wraps as in C; Python's would not
    }
    Value binary(const Expr &e, const Value &a, const Value &b) override {
        switch (e.op) {
        case Op::CDiv:
            if (b.asDouble() == 0)
                throw Undefined();
            return a.isFloat || b.isFloat ? Value::real(a.asDouble() / b.asDouble()) : Value::integer(a.i / b.i);
        case Op::CMod:
            REQUIRE(!a.isFloat);
            REQUIRE(!b.isFloat);
            return b.i == 0 ? throw Undefined() : Value::integer(a.i % b.i);
        case Op::Shl:
            return b.i < 0 || b.i > 20 ? throw Undefined() : Value::integer(a.i * (int64_t(1) << b.i));
        case Op::Shr:
            return b.i < 0 || b.i > 20 ? throw Undefined() : Value::integer(a.i >> b.i);
        default:
            return arithmetic(e.op, a, b); // Python's operators must not occur any more: they would fail here
        }
    }
    Value call(const Expr &, const std::string &f, const std::vector<Value> &args) override {
        if (f == "max" || f == "min")
            return extremum(f == "max", args);
        if (f == "floordiv" || f == "floormod")
            return floorOperator(f == "floordiv", args[0], args[1]);
        if (f == "ipow")
            return integerPower(args[0], args[1].i);
        if (f.starts_with("cmp_"))
            return Value::integer(test(comparison(f), args[0], args[1]));
        if (f == "abs" && !args[0].isFloat)
            return Value::integer(std::llabs(args[0].i));
        for (const Value &a : args)
            REQUIRE(a.isFloat); // <cmath> functions are only called with floats
        if (f == "pow")
            return Value::real(std::pow(args[0].d, args[1].d));
        return Value::real(f == "abs"     ? std::fabs(args[0].d)
                           : f == "floor" ? std::floor(args[0].d)
                           : f == "sqrt"  ? std::sqrt(args[0].d)
                                          : std::sin(args[0].d));
    }
    static Op comparison(const std::string &f) {
        return f == "cmp_less"            ? Op::Lt
               : f == "cmp_less_equal"    ? Op::Le
               : f == "cmp_greater"       ? Op::Gt
               : f == "cmp_greater_equal" ? Op::Ge
               : f == "cmp_equal"         ? Op::Eq
                                          : Op::Ne;
    }
};

class Generator {
public:
    explicit Generator(unsigned seed) : random_(seed) {}

    std::string any(int depth) { return pick(2) ? integer(depth) : real(depth); }
    std::string integer(int depth) {
        if (depth == 0)
            return pick(3) ? names({"i", "j", "l", "s", "n", "u", "b", "c"}) : std::to_string(pick(9));
        switch (pick(9)) {
        case 0:
            return paired(integer(depth - 1), {"//", "%"}, integer(depth - 1));
        case 1:
            return "-" + integer(depth - 1);
        case 2:
            return "(" + integer(depth - 1) + ") ** " + std::to_string(pick(4));
        case 3:
            return paired(integer(depth - 1), {"&", "|", "^"}, integer(depth - 1));
        case 4:
            return names({"max", "min"}) + "(" + integer(depth - 1) + ", " + integer(depth - 1) + ")";
        case 5:
            return "abs(" + integer(depth - 1) + ")";
        case 6:
            return "(" + integer(depth - 1) + " if " + condition(depth - 1) + " else " + integer(depth - 1) + ")";
        case 7:
            return paired(integer(depth - 1), {"<<", ">>"}, std::to_string(pick(4)));
        default:
            return paired(integer(depth - 1), {"+", "-", "*"}, integer(depth - 1));
        }
    }
    std::string real(int depth) {
        if (depth == 0)
            return pick(3) ? names({"x", "y"}) : std::to_string(pick(9)) + ".25";
        switch (pick(7)) {
        case 0:
            return paired(any(depth - 1), {"/"}, any(depth - 1));
        case 1:
            return paired(real(depth - 1), {"//", "%"}, any(depth - 1));
        case 2:
            return "(" + any(depth - 1) + ") ** " + names({"0.5", "-0.5", "-1", "-2", "2.0", "1.5"});
        case 3:
            return names({"math.sin", "np.floor"}) + "(" + any(depth - 1) + ")";
        case 4:
            return "(" + real(depth - 1) + " if " + condition(depth - 1) + " else " + any(depth - 1) + ")";
        default:
            return paired(any(depth - 1), {"+", "-", "*"}, real(depth - 1));
        }
    }
    std::string condition(int depth) {
        if (depth == 0)
            return names({"b", "c", "i < u", "n > i"});
        switch (pick(4)) {
        case 0:
            return "(" + condition(depth - 1) + names({" and ", " or "}) + condition(depth - 1) + ")";
        case 1:
            return "(not " + condition(depth - 1) + ")";
        case 2:
            return "(" + integer(depth - 1) + " in (" + integer(depth - 1) + ", " + integer(depth - 1) + "))";
        default:
            return "(" + any(depth - 1) + compare() + any(depth - 1) + (pick(2) ? compare() + any(depth - 1) : "") + ")";
        }
    }

private:
    std::mt19937 random_;

    unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
    std::string names(const std::vector<std::string> &list) { return list[pick(static_cast<unsigned>(list.size()))]; }
    std::string compare() { return names({" < ", " <= ", " > ", " >= ", " == ", " != "}); }
    std::string paired(const std::string &a, const std::vector<std::string> &ops, const std::string &b) {
        return "(" + a + " " + names(ops) + " " + b + ")";
    }
};

// True if both were compared.
template <class Original>
bool compareMeanings(const std::string &text, Semantics s, const std::function<bool(const Expr &)> &nonNegative) {
    const ExprRef original = resolved(text);
    Value python, cpp;
    try {
        const ExprRef known = inferTypes(original, env(), s);
        python = Original().eval(s == Semantics::Python ? *original : *known);
        cpp = CppInterpreter().eval(*lowerOperators(known, s, nonNegative));
    } catch (const Undefined &) {
        return false;
    }
    INFO(text << "\n" << CppPrinter().expr(*lowered(text, s)) << "\nis " << cpp.asDouble() << ", wanted " << python.asDouble());
    CHECK(cpp.asDouble() == Approx(python.asDouble()).epsilon(1e-9).margin(1e-9));
    return true;
}

} // namespace

TEST_CASE("lowered expressions mean the same as in Python, quotients of symbolic code as in C", "[tasklet][semantics]") {
    int compared = 0;
    for (unsigned seed = 1; seed <= 4000; ++seed) {
        Generator generator(seed);
        const int depth = 1 + static_cast<int>(seed % 4);
        const std::string text = seed % 3 == 0   ? generator.integer(depth)
                                 : seed % 3 == 1 ? generator.real(depth)
                                                 : generator.condition(depth);
        const auto known = [](const Expr &e) {
            return e.kind == ExprKind::Name && values().count(e.name) && values().at(e.name).asDouble() >= 0;
        };
        compared += compareMeanings<PythonInterpreter>(text, Semantics::Python, known);
        compared += compareMeanings<PythonInterpreter>(text, Semantics::Python, nullptr);
        compared += compareMeanings<SymbolicInterpreter>(text, Semantics::Symbolic, known);
        compared += compareMeanings<SymbolicInterpreter>(text, Semantics::Symbolic, nullptr);
    }
    CHECK(compared > 8000); // most expressions have a value
}
