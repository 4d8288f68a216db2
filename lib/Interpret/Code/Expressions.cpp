// Expressions: types by docs/semantics.md, one instruction for each operator.
#include "Builder.h"

#include "../Values.h"

#include <cmath>
#include <cstdlib>

namespace sdfgc::interpret {

using py::ExprKind;
using py::Op;

namespace {

Type lane(Type t) { return t.isVector() ? t.element() : t; }
int64_t lanesOf(Type t) { return t.isVector() ? t.lanes() : 1; }
Type withLanes(Type scalar, int64_t lanes) { return lanes > 1 ? Type::vector(scalar, lanes) : scalar; }

/// The type in which operands of two types are combined.
Type arithmeticType(Type a, Type b) {
    // A scalar does not widen the floats of a vector.
    if (a.isVector() != b.isVector()) {
        const Type vector = a.isVector() ? a : b, scalar = a.isVector() ? b : a;
        if (lane(vector).isFloat() && (scalar.isFloat() || scalar.isInteger() || scalar.isBool()))
            return vector;
    }
    const Type t = commonType(withLanes(arithmeticTypeOf(lane(a)), lanesOf(a)), withLanes(arithmeticTypeOf(lane(b)), lanesOf(b)));
    return t;
}

Type floatingType(Type t) {
    const Type l = lane(t);
    return l.isInteger() || l.isBool() ? withLanes(ScalarKind::Float64, lanesOf(t)) : t;
}

bool isWholeType(Type t) { return lane(t).isInteger() || lane(t).isBool(); }

bool mixedSigns(Type a, Type b) {
    return lane(a).isInteger() && lane(b).isInteger() && lane(a).isUnsigned() != lane(b).isUnsigned();
}

/// The value of a number in the text of the code, also behind a sign or a conversion that keeps it.
std::optional<double> number(const py::Expr &e) {
    if (e.kind == ExprKind::Int || e.kind == ExprKind::Float)
        return std::strtod(e.text.c_str(), nullptr);
    if (e.kind == ExprKind::Unary && e.op == Op::Neg) {
        const auto v = number(*e.args[0]);
        return v ? std::optional(-*v) : std::nullopt;
    }
    if (e.kind == ExprKind::Cast && e.args.size() == 1) {
        const auto v = number(*e.args[0]);
        return v && (!e.type.isInteger() || std::floor(*v) == *v) ? v : std::nullopt;
    }
    return std::nullopt;
}

} // namespace

Operand Builder::reserve(Type t) {
    const int64_t bytes = t.isPointer() || t.isOpaque() || t.isVoid() ? int64_t(sizeof(Pointer)) : sizeOf(t);
    return {t, machine.allocate(std::max<int64_t>(bytes, 1))};
}

Operand Builder::refuse(std::string why) {
    if (refusal_.empty())
        refusal_ = std::move(why);
    return reserve(ScalarKind::Int64);
}

void Builder::copy(Operand to, Operand from) {
    const int64_t bytes = to.type.isPointer() || to.type.isVoid() ? int64_t(sizeof(Pointer)) : sizeOf(to.type);
    emit({copyOfBytes(bytes), to.at, from.at, nullptr, bytes});
}

Operand Builder::convert(Operand a, Type t) {
    if (a.type == t || t.isVoid())
        return a;
    if (t.isPointer() && a.type.isPointer())
        return {t, a.at};
    const Operand out = reserve(t);
    const int64_t from = lanesOf(a.type), to = lanesOf(t);
    if (a.type.isStruct() || t.isStruct() || a.type.isPointer() || t.isPointer() || (from != to && from != 1))
        return refuse("a conversion from " + a.type.str() + " to " + t.str());
    if (from == 1 && to > 1) {
        const Operand one = convert(a, lane(t));
        emit({broadcast(lane(t).scalar()), out.at, one.at, nullptr, to});
        return out;
    }
    const Operation run = conversion(lane(t).scalar(), lane(a.type).scalar());
    if (!run)
        return refuse("a conversion from " + a.type.str() + " to " + t.str());
    emit({run, out.at, a.at, nullptr, to});
    return out;
}

Operand Builder::asBool(Operand a) {
    if (a.type.isBool())
        return a;
    if (a.type.isPointer()) {
        const Operand out = reserve(ScalarKind::Bool);
        emit({[](const Instruction *i, Machine &) {
                  interpret::as<bool>(i->to) = interpret::as<Pointer>(i->a).buffer != nullptr;
                  return i + 1;
              },
              out.at, a.at});
        return out;
    }
    return convert(a, withLanes(ScalarKind::Bool, lanesOf(a.type)));
}

Operand Builder::expression(const py::Expr &e) {
    switch (e.kind) {
    case ExprKind::Int:
    case ExprKind::Float:
    case ExprKind::Imaginary:
    case ExprKind::Bool:
    case ExprKind::None:
        return literal(e);
    case ExprKind::Name:
        return name(e);
    case ExprKind::Attribute:
        if (const Operand found = names_.element(*this, e))
            return found;
        return member(expression(*e.args[0]), e.name);
    case ExprKind::Subscript: {
        if (const Operand found = names_.element(*this, e))
            return found;
        const Operand base = expression(*e.args[0]);
        if (base.type.isVector() && e.args.size() == 2)
            return laneOf(base, *e.args[1]);
        if (base.type.isPointer() && e.args.size() == 2)
            return loadAt(advance(base, expression(*e.args[1])), base.type.element());
        return refuse("a subscript of " + base.type.str());
    }
    case ExprKind::Unary:
        return unary(e);
    case ExprKind::Binary:
        if (e.op == Op::Pow)
            return power(e);
        {
            const Operand a = expression(*e.args[0]);
            return binary(e.op, a, expression(*e.args[1]));
        }
    case ExprKind::BoolOp:
        return boolean(e);
    case ExprKind::Compare:
        return comparison(e);
    case ExprKind::IfExp:
        return choice(e);
    case ExprKind::Call:
        return call(e);
    case ExprKind::Cast:
        return cast(e);
    default:
        return refuse("`" + py::print(e) + "`");
    }
}

Operand Builder::literal(const py::Expr &e) {
    switch (e.kind) {
    case ExprKind::Int: {
        const uint64_t v = std::strtoull(e.text.c_str(), nullptr, 10);
        if (v <= uint64_t(INT32_MAX))
            return constant(ScalarKind::Int32, static_cast<int32_t>(v));
        return v <= uint64_t(INT64_MAX) ? constant(ScalarKind::Int64, static_cast<int64_t>(v)) : constant(ScalarKind::UInt64, v);
    }
    case ExprKind::Float: {
        const double v = std::strtod(e.text.c_str(), nullptr);
        return e.type.isFloat() && e.type.scalar() == ScalarKind::Float32 ? constant(e.type, static_cast<float>(v))
                                                                          : constant(ScalarKind::Float64, v);
    }
    case ExprKind::Imaginary:
        return constant(ScalarKind::Complex128, std::complex<double>(0, std::strtod(e.text.c_str(), nullptr)));
    case ExprKind::Bool:
        return constant(ScalarKind::Bool, e.text == "True");
    default:
        return constant(Type::pointer(Type()), Pointer());
    }
}

Operand Builder::name(const py::Expr &e) {
    if (const auto local = locals_.find(e.name); local != locals_.end())
        return local->second;
    if (const Operand found = names_.read(*this, e.name))
        return found;
    if (e.name.view() == "inf" || e.name.view() == "nan")
        return constant(ScalarKind::Float32, e.name.view() == "inf" ? INFINITY : NAN);
    return refuse("the name `" + e.name.str() + "`, which nothing defines");
}

Operand Builder::unary(const py::Expr &e) {
    if (e.op == Op::Neg && e.args[0]->kind == ExprKind::Int) { // the most negative integers have no positive counterpart
        const uint64_t v = std::strtoull(e.args[0]->text.c_str(), nullptr, 10);
        if (v == uint64_t(INT32_MAX) + 1)
            return constant(ScalarKind::Int32, INT32_MIN);
        if (v == uint64_t(INT64_MAX) + 1)
            return constant(ScalarKind::Int64, INT64_MIN);
    }
    Operand a = expression(*e.args[0]);
    if (e.op == Op::Not) {
        a = asBool(a);
        const Operand out = reserve(a.type);
        emit({unaryOperation(Op::Not, ScalarKind::Bool), out.at, a.at, nullptr, lanesOf(a.type)});
        return out;
    }
    a = convert(a, withLanes(arithmeticTypeOf(lane(a.type)), lanesOf(a.type)));
    if (e.op == Op::Pos)
        return a;
    const Operation run = unaryOperation(e.op, lane(a.type).scalar());
    if (!run)
        return refuse("`" + py::print(e) + "` of " + a.type.str());
    const Operand out = reserve(a.type);
    emit({run, out.at, a.at, nullptr, lanesOf(a.type)});
    return out;
}

Operand Builder::binary(Op op, Operand a, Operand b) {
    if (a.type.isPointer() || b.type.isPointer()) {
        if (op == Op::Add && a.type.isPointer() && b.type.isInteger())
            return advance(a, b);
        return refuse("arithmetic on addresses");
    }
    Type t = arithmeticType(a.type, b.type);
    if (op == Op::IntFloor)
        op = isWholeType(t) ? Op::FloorDiv : Op::TrueDiv;
    const bool whole = isWholeType(t);
    if (division_ == Division::C && (op == Op::TrueDiv || (whole && op == Op::FloorDiv)))
        op = Op::CDiv;
    else if (division_ == Division::C && op == Op::Mod)
        op = Op::CMod;
    else if (division_ == Division::Symbolic && op == Op::TrueDiv && whole)
        op = Op::CDiv;
    else if (op == Op::TrueDiv)
        t = floatingType(t);
    const bool floors = op == Op::FloorDiv || op == Op::Mod || (division_ == Division::Symbolic && op == Op::CDiv);
    if (floors && mixedSigns(a.type, b.type))
        t = withLanes(ScalarKind::Int64, lanesOf(t));
    const bool bits = op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor;
    const bool bools = bits && lane(a.type).isBool() && lane(b.type).isBool();
    a = convert(a, t);
    b = convert(b, t);
    const Operation run = binaryOperation(op, lane(t).scalar());
    if (!run)
        return refuse("an operator on " + a.type.str());
    const Operand out = reserve(t);
    emit({run, out.at, a.at, b.at, lanesOf(t), site_});
    if (bools)
        return convert(out, withLanes(ScalarKind::Bool, lanesOf(t)));
    if (division_ == Division::C && op == Op::FloorDiv && !whole) // of floats: a quotient rounded down, as an int
        return convert(callFunction("floor", {out}), ScalarKind::Int32);
    return out;
}

Operand Builder::wholePower(Operand base, uint64_t n) {
    const Type t = base.type;
    if (n == 0)
        return convert(constant(ScalarKind::Int32, int32_t(1)), t);
    if (n == 1)
        return base;
    if (n <= 3) {
        const Operand square = binary(Op::Mul, base, base);
        return n == 2 ? square : binary(Op::Mul, square, base);
    }
    if (t.isVector())
        return binary(Op::Mul, wholePower(base, n / 2), wholePower(base, n - n / 2));
    const Operand out = reserve(t);
    emit({interpret::wholePower(t.scalar()), out.at, base.at, nullptr, static_cast<int64_t>(n)});
    return out;
}

Operand Builder::power(const py::Expr &e) {
    Operand base = expression(*e.args[0]);
    const Operand exponent = expression(*e.args[1]);
    const auto n = number(*e.args[1]);
    base = convert(base, withLanes(arithmeticTypeOf(lane(base.type)), lanesOf(base.type)));
    const auto reciprocal = [&](Operand x, Type t) {
        return binary(Op::CDiv, convert(constant(ScalarKind::Int32, int32_t(1)), t), convert(x, t));
    };
    if (n && std::fabs(*n) == 0.5) {
        const Operand root = callFunction("sqrt", {convert(base, floatingType(base.type))});
        return *n > 0 ? root : reciprocal(root, root.type);
    }
    const bool integerExponent = isWholeType(exponent.type);
    if (n && std::floor(*n) == *n && std::fabs(*n) <= 1 << 30 && (integerExponent || !isWholeType(base.type))) {
        if (*n >= 0)
            return wholePower(base, static_cast<uint64_t>(*n));
        if (division_ == Division::Python)
            base = convert(base, floatingType(base.type));
        return reciprocal(wholePower(base, static_cast<uint64_t>(-*n)), base.type);
    }
    const Type t = arithmeticType(base.type, exponent.type);
    const Operation run = binaryOperation(Op::Pow, lane(t).scalar());
    if (!run)
        return refuse("`" + py::print(e) + "`");
    const Operand a = convert(base, t), b = convert(exponent, t), out = reserve(t);
    emit({run, out.at, a.at, b.at, lanesOf(t)});
    return out;
}

Operand Builder::boolean(const py::Expr &e) {
    // Operands after one that decides are not evaluated: `i < N and A[i] > 0`.
    const Operand first = asBool(expression(*e.args[0]));
    const Operand out = reserve(first.type);
    copy(out, first);
    std::vector<std::size_t> decided;
    for (std::size_t k = 1; k < e.args.size(); ++k) {
        if (out.type.isVector()) {
            const Operand next = asBool(expression(*e.args[k]));
            copy(out, binary(e.op == Op::And ? Op::BitAnd : Op::BitOr, out, next));
            continue;
        }
        if (e.op == Op::And) {
            decided.push_back(jumpLater(out));
        } else {
            const std::size_t go = jumpLater(out);
            decided.push_back(jumpLater());
            land(go);
        }
        copy(out, asBool(expression(*e.args[k])));
    }
    for (const std::size_t j : decided)
        land(j);
    return out;
}

Operand Builder::compare(Op op, Operand a, Operand b) {
    if (a.type.isPointer() || b.type.isPointer()) {
        if (op != Op::Is && op != Op::IsNot && op != Op::Eq && op != Op::Ne)
            return refuse("an order of addresses");
        const Operand out = reserve(ScalarKind::Bool);
        const bool none = !a.type.isPointer() || !b.type.isPointer(); // a number is never None
        const bool equal = op == Op::Is || op == Op::Eq;
        if (none)
            return constant(ScalarKind::Bool, !equal);
        emit({[](const Instruction *i, Machine &) {
                  const Pointer x = interpret::as<Pointer>(i->a), y = interpret::as<Pointer>(i->b);
                  interpret::as<bool>(i->to) = (x.buffer == y.buffer && (!x.buffer || x.offset == y.offset)) == (i->n == 1);
                  return i + 1;
              },
              out.at, a.at, b.at, equal ? 1 : 0});
        return out;
    }
    Type t = arithmeticType(a.type, b.type);
    Operation run = nullptr;
    if (mixedSigns(arithmeticTypeOf(lane(a.type)), arithmeticTypeOf(lane(b.type)))) { // by value
        const bool wide = sizeOf(lane(a.type)) == 8 || sizeOf(lane(b.type)) == 8;
        t = withLanes(ScalarKind::Int64, lanesOf(t));
        if (wide) {
            if (lane(a.type).isUnsigned()) {
                std::swap(a, b);
                op = op == Op::Lt ? Op::Gt : op == Op::Gt ? Op::Lt : op == Op::Le ? Op::Ge : op == Op::Ge ? Op::Le : op;
            }
            const Operand x = convert(a, t), y = convert(b, withLanes(ScalarKind::UInt64, lanesOf(t)));
            const Operand out = reserve(withLanes(ScalarKind::Bool, lanesOf(t)));
            emit({mixedComparison(op), out.at, x.at, y.at, lanesOf(t)});
            return out;
        }
    }
    run = interpret::comparison(op, lane(t).scalar());
    if (!run)
        return refuse("a comparison of " + a.type.str() + " with " + b.type.str());
    const Operand x = convert(a, t), y = convert(b, t), out = reserve(withLanes(ScalarKind::Bool, lanesOf(t)));
    emit({run, out.at, x.at, y.at, lanesOf(t)});
    return out;
}

Operand Builder::comparison(const py::Expr &e) {
    Operand result;
    for (std::size_t k = 0; k + 1 < e.args.size(); ++k) {
        const Op op = e.ops[k];
        const py::Expr &right = *e.args[k + 1];
        const auto operand = [&](const py::Expr &x, const py::Expr &other) { // against None, a container is its address
            if (other.kind == ExprKind::None && x.kind == ExprKind::Name)
                if (const Operand address = names_.address(*this, x.name))
                    return address;
            return expression(x);
        };
        const Operand a = operand(*e.args[k], right);
        Operand one;
        if (op == Op::In || op == Op::NotIn) {
            for (const py::ExprRef &x : right.args) {
                const Operand same = compare(Op::Eq, a, expression(*x));
                one = one ? convert(binary(Op::BitOr, one, same), ScalarKind::Bool) : same;
            }
            if (right.kind != ExprKind::Tuple || !one)
                return refuse("`in` on anything but a tuple");
            if (op == Op::NotIn)
                one = compare(Op::Eq, one, constant(ScalarKind::Bool, false));
        } else {
            one = compare(op, a, operand(right, *e.args[k]));
        }
        result = result ? binary(Op::BitAnd, result, one) : one;
    }
    return result;
}

Operand Builder::choice(const py::Expr &e) {
    const Operand condition = asBool(expression(*e.args[0]));
    const std::size_t start = position();
    // The type of the whole must be known before either branch is converted to it.
    const Type a = expression(*e.args[1]).type, b = expression(*e.args[2]).type;
    list_.resize(start);
    const Type t = a == b ? a : a.isPointer() && b.isPointer() ? a : commonType(a, b);
    const Operand out = reserve(t);
    if (condition.type.isVector())
        return refuse("a choice by a vector");
    const std::size_t no = jumpLater(condition);
    copy(out, convert(expression(*e.args[1]), t));
    const std::size_t done = jumpLater();
    land(no);
    copy(out, convert(expression(*e.args[2]), t));
    land(done);
    return out;
}

Operand Builder::cast(const py::Expr &e) {
    const Operand a = expression(*e.args[0]);
    if (e.args.size() == 2) { // a complex number by its parts
        const Type part = e.type.scalar() == ScalarKind::Complex64 ? ScalarKind::Float32 : ScalarKind::Float64;
        const Operand real = convert(a, part), imaginary = convert(expression(*e.args[1]), part), out = reserve(e.type);
        const int64_t bytes = sizeOf(part);
        emit({copyOfBytes(bytes), out.at, real.at, nullptr, bytes});
        emit({copyOfBytes(bytes), out.at + bytes, imaginary.at, nullptr, bytes});
        return out;
    }
    return convert(a, e.type);
}

Operand Builder::member(Operand base, Name field) {
    if (const auto at = base.type.isStruct() ? offsetOf(base.type, field) : std::nullopt)
        return {*base.type.field(field), base.at + *at};
    if (field.view() == "real" || field.view() == "imag")
        return callFunction(field.str(), {base});
    return refuse("the member `" + field.str() + "` of " + base.type.str());
}

Operand Builder::laneOf(Operand vector, const py::Expr &index) {
    if (const auto k = number(index); k && *k >= 0 && *k < static_cast<double>(vector.type.lanes()))
        return {vector.type.element(), vector.at + static_cast<int64_t>(*k) * sizeOf(vector.type.element())};
    const Operand i = convert(expression(index), ScalarKind::Int64), out = reserve(vector.type.element());
    struct Lanes {
        int64_t count, bytes;
    };
    // The number of lanes and their size stand in a register.
    const Operand about = reserve(Type::vector(ScalarKind::Int64, 2));
    interpret::as<Lanes>(about.at) = {vector.type.lanes(), sizeOf(vector.type.element())};
    emit({[](const Instruction *in, Machine &) {
              const Lanes &l = *static_cast<const Lanes *>(in->extra);
              const int64_t k = interpret::as<int64_t>(in->b);
              if (k >= 0 && k < l.count)
                  std::copy_n(in->a + k * l.bytes, l.bytes, in->to);
              return in + 1;
          },
          out.at, vector.at, i.at, 1, about.at});
    return out;
}

Operand Builder::callFunction(const std::string &name, const std::vector<Operand> &arguments) {
    std::vector<Type> types;
    for (const Operand &a : arguments)
        types.push_back(a.type);
    const FunctionOperation f = functionOperation(name, types);
    if (!f.run)
        return refuse("the function `" + name + "`");
    std::vector<Operand> given;
    for (const Operand &a : arguments)
        given.push_back(convert(a, f.argument));
    const Operand out = reserve(f.result);
    emit({f.run, out.at, given[0].at, given.size() > 1 ? given[1].at : nullptr, lanesOf(f.argument)});
    return out;
}

Operand Builder::structure(const py::Expr &e) {
    const Operand out = reserve(e.type);
    for (const py::Keyword &k : e.keywords) {
        const auto at = offsetOf(e.type, k.name);
        if (!at)
            return refuse("the member `" + k.name.str() + "` of " + e.type.str());
        const Type t = *e.type.field(k.name);
        copy({t, out.at + *at}, convert(expression(*k.value), t));
    }
    return out;
}

Operand Builder::call(const py::Expr &e) {
    const py::Expr &callee = *e.args[0];
    if (e.type.isStruct())
        return structure(e);
    const auto function = callee.kind == ExprKind::Name ? functions_.find(callee.name) : functions_.end();
    if (callee.kind == ExprKind::Lambda || function != functions_.end()) {
        std::vector<Operand> given;
        for (std::size_t k = 1; k < e.args.size(); ++k)
            given.push_back(expression(*e.args[k]));
        return apply(callee.kind == ExprKind::Lambda ? callee : *function->second, given);
    }
    if (callee.kind != ExprKind::Name)
        return refuse("the call `" + py::print(e) + "`");
    const std::string name = callee.name.str();
    std::vector<Operand> arguments;
    for (std::size_t k = 1; k < e.args.size(); ++k)
        arguments.push_back(expression(*e.args[k]));
    if (name == "py_mod" || name == "cpp_mod" || name == "py_floor") {
        const Division outer = std::exchange(division_, Division::Python);
        const Operand out = binary(name == "cpp_mod"  ? Op::CMod
                                   : name == "py_mod" ? Op::Mod
                                                      : Op::FloorDiv,
                                   arguments[0], arguments[1]);
        division_ = outer;
        return out;
    }
    if (name == "ipow" && arguments.size() == 2) {
        const Type t = withLanes(arithmeticTypeOf(lane(arguments[0].type)), lanesOf(arguments[0].type));
        const Operand a = convert(arguments[0], t), n = convert(arguments[1], t), out = reserve(t);
        emit({binaryOperation(Op::Pow, lane(t).scalar()), out.at, a.at, n.at, lanesOf(t)});
        return out;
    }
    if (name.starts_with("omp_get_"))
        return constant(ScalarKind::Int32, name == "omp_get_thread_num" ? int32_t(0) : int32_t(1));
    if ((name == "min" || name == "max") && arguments.size() != 2) { // from the right
        while (arguments.size() > 1) {
            const Operand last = callFunction(name, {arguments[arguments.size() - 2], arguments.back()});
            arguments.pop_back();
            arguments.back() = last;
        }
        return arguments.empty() ? refuse("`" + name + "` of nothing") : arguments[0];
    }
    return callFunction(name, arguments);
}

Operand Builder::apply(const py::Expr &lambda, const std::vector<Operand> &arguments) {
    if (lambda.kind != ExprKind::Lambda || lambda.params.size() != arguments.size())
        return refuse("`" + py::print(lambda) + "` as a function");
    const std::map<Name, Operand> outer = locals_;
    for (std::size_t k = 0; k < arguments.size(); ++k)
        locals_[lambda.params[k]] = arguments[k];
    const Operand out = expression(*lambda.args[0]);
    locals_ = outer;
    return out;
}

} // namespace sdfgc::interpret
