#include "Values.h"

namespace sdfgc::interpret {

Type arithmeticTypeOf(Type scalar) {
    if (scalar.isBool() || (scalar.isInteger() && sizeOf(scalar) < 4))
        return ScalarKind::Int32;
    return scalar.isFloat() && sizeOf(scalar) < 4 ? Type(ScalarKind::Float32) : scalar;
}

} // namespace sdfgc::interpret
