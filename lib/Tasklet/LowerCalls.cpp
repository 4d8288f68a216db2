// Calls: converts arguments to the type in which the function computes, and lowers functions that are operators.
#include "Tasklet/Lower.h"

#include <algorithm>

namespace sdfgc::py::detail {

namespace {

ExprRef withArguments(const ExprRef &e, const std::vector<ExprRef> &args) {
    if (std::equal(e->args.begin() + 1, e->args.end(), args.begin(), args.end()))
        return e;
    Expr copy = *e;
    copy.args.resize(1);
    copy.args.insert(copy.args.end(), args.begin(), args.end());
    return share(std::move(copy));
}

bool isLiteral(const Expr &e) { return literalValue(e).has_value(); }

} // namespace

ExprRef Lowering::call(const ExprRef &e) const {
    if (e->type.isStruct())
        return structInitialiser(e);
    const Expr &callee = *e->args[0];
    if (callee.kind != ExprKind::Name || callee.type.isCallback() || e->args.size() < 2)
        return e;
    const Function *f = findFunction(callee.name.view());
    if (!f || f->results > 0)
        return e;
    const std::string_view name = f->name;
    const Type first = valueOf(e->args[1]->type);
    if (name == "real" || name == "imag" || name == "conj")
        return complexPart(e, name, e->args[1]);
    if (name == "round" && isIntegral(first))
        return e->args[1];
    if (name == "min" || name == "max")
        return minMax(e);
    if (name == "py_floor" || name == "py_mod" || name == "cpp_mod")
        return remainder(e);
    if (name == "reciprocal" && (first.isFloat() || first.isComplex()))
        return py::binary(Op::CDiv, literal(1, e->type), convert(e->args[1], e->type), e->type);
    if (f->rule == Rule::Double && e->type && e->args.size() == 3 && !e->type.isComplex())
        return py::call("pow", {convert(e->args[1], e->type), convert(e->args[2], e->type)}, e->type);
    return mathCall(e, *f);
}

// Functions of <cmath> for the types that they are defined for: integers become double. Half and similar types become float in all
// functions, as they do in operators.
ExprRef Lowering::mathCall(const ExprRef &e, const Function &f) const {
    if (e->type.isVector())
        return e;
    std::vector<ExprRef> args(e->args.begin() + 1, e->args.end());
    for (std::size_t k = 0; k < args.size(); ++k) {
        const Type t = valueOf(args[k]->type);
        if (!t)
            continue;
        if (f.header == FunctionHeader::Std && f.rule == Rule::Float && e->type)
            args[k] = convert(args[k], e->type.isComplex() && !t.isComplex() ? realOf(e->type) : e->type);
        else if (f.header == FunctionHeader::Std && f.rule == Rule::FloatOne && k == 0)
            args[k] = convert(args[k], e->type);
        else if (isLowPrecision(t) && (f.header == FunctionHeader::Std || f.rule != Rule::First))
            args[k] = convert(args[k], ScalarKind::Float32);
    }
    return withArguments(e, args);
}

// The runtime finds the common type; literals are written in that type. Half and similar types become float, as in other functions.
ExprRef Lowering::minMax(const ExprRef &e) const {
    std::vector<ExprRef> args(e->args.begin() + 1, e->args.end());
    for (ExprRef &a : args)
        if (e->type.isFloat() && isLiteral(*a))
            a = convert(a, e->type);
        else if (e->type.isFloat() && isLowPrecision(valueOf(a->type)))
            a = convert(a, ScalarKind::Float32);
    return args.size() == 1 ? args[0] : withArguments(e, args);
}

// py_floor, py_mod: Python's operators in any semantics. cpp_mod: C's.
ExprRef Lowering::remainder(const ExprRef &e) const {
    const std::string_view name = e->args[0]->name.view();
    if (e->args.size() != 3 || laneOf(e->type).isComplex())
        return e;
    const ExprRef &a = e->args[1], &b = e->args[2];
    if (name == "cpp_mod") {
        if (isIntegral(e->type))
            return py::binary(Op::CMod, a, b, e->type);
        return e->type.isFloat() ? py::call("fmod", {convert(a, e->type), convert(b, e->type)}, e->type) : e;
    }
    return Lowering(Semantics::Python, oracle_)
        .floorOperator(py::binary(name == "py_floor" ? Op::FloorDiv : Op::Mod, a, b, e->type));
}

// `S(b=1, a=2)`: one value per field in order of declaration, converted explicitly because braces do not allow narrowing.
ExprRef Lowering::structInitialiser(const ExprRef &e) const {
    Expr copy = *e;
    copy.args.resize(1);
    copy.keywords.clear();
    const auto &fields = e->type.fields();
    for (std::size_t k = 0; k < fields.size(); ++k) {
        const auto &[name, type] = fields[k];
        ExprRef value = k + 1 < e->args.size() ? e->args[k + 1] : nullptr;
        for (const Keyword &keyword : e->keywords)
            if (keyword.name == name)
                value = keyword.value;
        if (!value)
            continue;
        value = forStore(value, type);
        const bool fits = isLiteral(*value) && isIntegral(value->type) && isIntegral(type);
        const bool numbers = type.isNumeric() && valueOf(value->type).isNumeric();
        copy.keywords.push_back({name, numbers && !fits ? convert(value, type) : value});
    }
    return share(std::move(copy));
}

// std::conj of a real number is complex, and integers have no std::real, so these functions are written out for real numbers.
ExprRef Lowering::complexPart(const ExprRef &e, std::string_view part, const ExprRef &of) const {
    const Type t = valueOf(of->type);
    if (!t || t.isVector())
        return e;
    if (t.isComplex())
        return py::call(part, {of}, part == "conj" ? t : realOf(t));
    return part == "imag" ? literal(0, promoted(t)) : of;
}

} // namespace sdfgc::py::detail
