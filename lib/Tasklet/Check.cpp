// Constructs that parse but have no meaning in C++.
#include "Tasklet/Infer.h"
#include "Tasklet/Numbers.h"

namespace sdfgc::py {

using namespace detail;

namespace {

bool isComplexOperand(const ExprRef &e) { return laneOf(valueOf(e->type)).isComplex(); }

std::string complaintAboutCall(const Expr &e) {
    const Expr &callee = *e.args[0];
    if (e.type.isStruct()) {
        for (const Keyword &k : e.keywords)
            if (!e.type.field(k.name))
                return "struct `" + e.type.str() + "` has no field `" + k.name.str() + "`";
        return e.args.size() - 1 > e.type.fields().size() ? "too many values for struct `" + e.type.str() + "`" : "";
    }
    if (!e.keywords.empty())
        return "keyword arguments are supported for struct initialisers only";
    if (callee.kind == ExprKind::Attribute && isModule(*callee.args[0]))
        return "unknown function `" + dottedName(callee) + "`";
    return "";
}

std::string complaintAboutBinary(const Expr &e) {
    if (e.op == Op::MatMul)
        return "matrix products (`@`) are not supported in code strings";
    const bool integral = e.op == Op::Shl || e.op == Op::Shr || e.op == Op::BitAnd || e.op == Op::BitOr || e.op == Op::BitXor;
    for (const ExprRef &a : e.args) {
        const Type t = laneOf(valueOf(a->type));
        if (integral && (t.isFloat() || t.isComplex()))
            return "bit operators need integers, not " + t.str();
        if ((e.op == Op::FloorDiv || e.op == Op::Mod) && t.isComplex())
            return "`//` and `%` are not defined for complex numbers";
    }
    return "";
}

std::string complaintAboutCompare(const Expr &e) {
    for (std::size_t k = 0; k < e.ops.size(); ++k) {
        const Op op = e.ops[k];
        if ((op == Op::In || op == Op::NotIn) && e.args[k + 1]->kind != ExprKind::Tuple)
            return "`in` is supported for tuples only";
        const bool ordered = op == Op::Lt || op == Op::Le || op == Op::Gt || op == Op::Ge;
        if (ordered && (isComplexOperand(e.args[k]) || isComplexOperand(e.args[k + 1])))
            return "complex numbers have no order";
    }
    return "";
}

/// Complaints about a field of a structure. A Structure's struct type may lack fields when only its members are declared.
std::string complaintAboutField(const Expr &e) {
    const Type base = valueOf(e.args[0]->type);
    if (!base.isStruct() || base.fields().empty() || base.field(e.name))
        return "";
    return "struct `" + base.str() + "` has no field `" + e.name.str() + "`";
}

std::string complaint(const Expr &e) {
    switch (e.kind) {
    case ExprKind::Attribute:
        return complaintAboutField(e);
    case ExprKind::Int:
        return unsignedValue(e.text) ? "" : "integer literal does not fit in 64 bits";
    case ExprKind::Slice:
        return "slices are not supported in code strings";
    case ExprKind::Call:
        return complaintAboutCall(e);
    case ExprKind::Binary:
        return complaintAboutBinary(e);
    case ExprKind::Compare:
        return complaintAboutCompare(e);
    default:
        return "";
    }
}

} // namespace

namespace detail {

void collectUnsupported(const Expr &e, std::vector<TypeError> &errors) {
    if (std::string text = complaint(e); !text.empty())
        errors.push_back({std::move(text), e.at});
    forEachChild(e, [&](const Expr &c) { collectUnsupported(c, errors); });
}

} // namespace detail

std::vector<TypeError> unsupported(const Expr &e) {
    std::vector<TypeError> errors;
    collectUnsupported(e, errors);
    return errors;
}

} // namespace sdfgc::py
