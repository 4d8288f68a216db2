// Types of values that may be vectors: an operator works lane by lane, in the type given by docs/user/semantics.md (*Types*).
#pragma once

#include "../Values.h"

namespace sdfgc::interpret {

inline Type lane(Type t) { return t.isVector() ? t.element() : t; }
inline int64_t lanesOf(Type t) { return t.isVector() ? t.lanes() : 1; }
inline Type withLanes(Type scalar, int64_t lanes) { return lanes > 1 ? Type::vector(scalar, lanes) : scalar; }

/// The type in which operands of two types are combined.
inline Type arithmeticType(Type a, Type b) {
    // A scalar does not widen the floats of a vector.
    if (a.isVector() != b.isVector()) {
        const Type vector = a.isVector() ? a : b, scalar = a.isVector() ? b : a;
        if (lane(vector).isFloat() && (scalar.isFloat() || scalar.isInteger() || scalar.isBool()))
            return vector;
    }
    const Type t = commonType(withLanes(arithmeticTypeOf(lane(a)), lanesOf(a)), withLanes(arithmeticTypeOf(lane(b)), lanesOf(b)));
    return t;
}

inline Type floatingType(Type t) {
    const Type l = lane(t);
    return l.isInteger() || l.isBool() ? withLanes(ScalarKind::Float64, lanesOf(t)) : t;
}

inline bool isWholeType(Type t) { return lane(t).isInteger() || lane(t).isBool(); }

/// Is one a signed and the other an unsigned integer, in the types in which they are combined?
inline bool mixedSigns(Type a, Type b) {
    const auto mixed = [](Type x, Type y) { return x.isInteger() && y.isInteger() && x.isUnsigned() != y.isUnsigned(); };
    return mixed(lane(a), lane(b)) && mixed(arithmeticTypeOf(lane(a)), arithmeticTypeOf(lane(b)));
}

} // namespace sdfgc::interpret
