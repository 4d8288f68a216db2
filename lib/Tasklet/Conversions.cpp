// Conversions of values to the type that they are stored to or combined with.
#include "sdfgc/Tasklet/Conversions.h"

#include "Tasklet/Lower.h"

namespace sdfgc::py {

using namespace detail;

ExprRef inType(Type t, const ExprRef &value) {
    return value->type == t ? value : Lowering(Semantics::Python, nullptr).node(castTo(t, value));
}

ExprRef asStored(Type t, const ExprRef &value) { return Lowering(Semantics::Python, nullptr).forStore(value, t); }

namespace {

/// Are all bits within the width of `t` the same, whatever the operands' higher bits are?
bool isModular(Reduction r) {
    switch (r) {
    case Reduction::Sum:
    case Reduction::Sub:
    case Reduction::Product:
    case Reduction::BitAnd:
    case Reduction::BitOr:
    case Reduction::BitXor:
        return true;
    default:
        return false;
    }
}

/// Does C++ compute `t op from` as `t op t(from)`?
bool convertsItself(Reduction r, Type t, Type from) {
    switch (r) {
    case Reduction::Min:
    case Reduction::Max: // these are function templates over the element type
        return !from.isComplex();
    case Reduction::Custom:
    case Reduction::MinLocation:
    case Reduction::MaxLocation:
        return false;
    default:
        break;
    }
    if (t.isInteger() && (from.isInteger() || from.isBool()) && isModular(r))
        return true;
    const bool computesAsItIs = t == Type(ScalarKind::Float32) || t == Type(ScalarKind::Float64) ||
                                (t.isInteger() && t.bytes().value_or(0) >= 4); // others are promoted
    return computesAsItIs && commonType(t, from) == t;
}

} // namespace

ExprRef operandOf(Reduction r, Type t, const ExprRef &value) {
    const Type from = value->type;
    if (r == Reduction::Exchange)
        return asStored(t, value);
    if (from == t || !t.isNumeric())
        return t.isVector() && from.isVector() && !(from == t) ? castTo(t, value) : value;
    if (!from)
        return t == Type(ScalarKind::Float64) ? value : castTo(t, value);
    return !from.isNumeric() || convertsItself(r, t, from) ? value : inType(t, value);
}

} // namespace sdfgc::py
