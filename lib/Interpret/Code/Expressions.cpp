// Expressions: numbers, names, conversions, choices, calls.
#include "Builder.h"
#include "Lanes.h"

#include <cmath>
#include <cstdlib>

namespace sdfgc::interpret {

using py::ExprKind;
using py::Op;

std::vector<py::ExprRef> indicesOf(const py::Expr &e) {
    if (e.kind != ExprKind::Subscript)
        return {};
    const bool tuple = e.args.size() == 2 && e.args[1]->kind == ExprKind::Tuple;
    return tuple ? e.args[1]->args : std::vector<py::ExprRef>(e.args.begin() + 1, e.args.end());
}

namespace {

/// Does a number in the code keep its value in the type that it is converted to, apart from rounding of a fraction?
bool isKept(double v, Type t) {
    const ScalarKind k = lane(t).scalar();
    if (k == ScalarKind::Complex64 || k == ScalarKind::Complex128)
        return isKept(v, k == ScalarKind::Complex64 ? ScalarKind::Float32 : ScalarKind::Float64);
    bool kept = std::floor(v) != v && lane(t).isFloat();
    withScalar(k, [&](auto tag) {
        using T = typename decltype(tag)::type;
        kept = kept || converted<double>(converted<T>(v)) == v;
    });
    return kept;
}

} // namespace

std::optional<double> numberIn(const py::Expr &e) {
    if (e.kind == ExprKind::Int || e.kind == ExprKind::Float)
        return std::strtod(e.text.c_str(), nullptr);
    if (e.kind == ExprKind::Unary && e.op == Op::Neg) {
        const auto v = numberIn(*e.args[0]);
        return v ? std::optional(-*v) : std::nullopt;
    }
    if (e.kind == ExprKind::Cast && e.args.size() == 1) {
        const auto v = numberIn(*e.args[0]);
        return v && isKept(*v, e.type) ? v : std::nullopt;
    }
    return std::nullopt;
}

Operand Builder::reserve(Type t) {
    const int64_t bytes = t.isPointer() || t.isOpaque() || t.isVoid() ? int64_t(sizeof(Pointer)) : sizeOf(t);
    return {t, machine.allocate(std::max<int64_t>(bytes, 1))};
}

Operand Builder::refuse(std::string why) {
    if (refusal_.empty())
        refusal_ = std::move(why);
    return reserve(ScalarKind::Int64);
}

const int64_t *Builder::integer(const py::Expr &e) { return &interpret::as<int64_t>(convert(expression(e), ScalarKind::Int64).at); }

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
    const Instruction converts{run, out.at, a.at, nullptr, to, site_};
    if (literals_.count(a.at)) { // converted once, at build time
        run(&converts, machine);
        literals_.insert(out.at);
    } else {
        emit(converts);
    }
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
    return division_ == Division::Symbolic && seesFractions(e) ? truncated(quotientOf(e)) : plainExpression(e);
}

Operand Builder::plainExpression(const py::Expr &e) {
    switch (e.kind) {
    case ExprKind::Int:
    case ExprKind::Float:
    case ExprKind::Imaginary:
    case ExprKind::Bool:
    case ExprKind::None:
        return literal(e);
    case ExprKind::Name:
        return name(e);
    case ExprKind::MemRef:
        if (const Operand found = names_.element(*this, e))
            return found;
        return refuse("a reference to memory");
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
    const Operand value = valueOfLiteral(e);
    literals_.insert(value.at);
    return value;
}

Operand Builder::valueOfLiteral(const py::Expr &e) {
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
    return refuse("the name `" + e.name.str() + "`, which is not defined");
}

Operand Builder::choice(const py::Expr &e) {
    const Operand condition = asBool(expression(*e.args[0]));
    const std::size_t start = position();
    // The common type must be known before either branch is converted to it.
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
    if (e.args.size() == 2) { // a complex number from its parts
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
    if (const auto k = numberIn(index); k && *k >= 0 && *k < static_cast<double>(vector.type.lanes()))
        return {vector.type.element(), vector.at + static_cast<int64_t>(*k) * sizeOf(vector.type.element())};
    const Operand i = convert(expression(index), ScalarKind::Int64), out = reserve(vector.type.element());
    struct Lanes {
        int64_t count, bytes;
    };
    // A register holds the number of lanes and their size.
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

Operand Builder::quotient(Op op, const std::vector<Operand> &arguments) {
    const Division outer = std::exchange(division_, Division::Python);
    const Operand out = binary(op, arguments[0], arguments[1]);
    division_ = outer;
    return out;
}

Operand Builder::callFunction(const std::string &name, const std::vector<Operand> &arguments) {
    if (const Operand found = names_.call(*this, Name(name), arguments))
        return found;
    static const std::map<std::string, Op> quotients = {
        {"py_mod", Op::Mod},   {"cpp_mod", Op::CMod}, {"py_floor", Op::FloorDiv}, {"floordiv", Op::FloorDiv},
        {"floormod", Op::Mod}, {"__cdiv", Op::CDiv},  {"__cmod", Op::CMod}};
    if (const auto q = quotients.find(name); q != quotients.end() && arguments.size() == 2)
        return quotient(q->second, arguments);
    static const std::map<std::string, Op> comparisons = {{"cmp_equal", Op::Eq},      {"cmp_not_equal", Op::Ne},
                                                          {"cmp_less", Op::Lt},       {"cmp_greater", Op::Gt},
                                                          {"cmp_less_equal", Op::Le}, {"cmp_greater_equal", Op::Ge}};
    if (const auto c = comparisons.find(name); c != comparisons.end() && arguments.size() == 2)
        return compare(c->second, arguments[0], arguments[1]);
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
    emit({f.run, out.at, given[0].at, given.size() > 1 ? given[1].at : nullptr, lanesOf(f.argument),
          given.size() > 2 ? given[2].at : nullptr});
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
    if (name == "ipow" && arguments.size() == 2) {
        const Type t = withLanes(arithmeticTypeOf(lane(arguments[0].type)), lanesOf(arguments[0].type));
        const Operand a = convert(arguments[0], t);
        if (const auto known = numberIn(*e.args[2]); known && *known >= 0 && std::floor(*known) == *known)
            return wholePower(a, static_cast<uint64_t>(*known));
        const Operand n = convert(arguments[1], t), out = reserve(t);
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
