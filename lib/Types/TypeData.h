// The contents of an interned type; unused parts are empty.
#pragma once

#include "sdfgc/Types/Type.h"

namespace sdfgc {

struct Type::Data {
    TypeKind kind = TypeKind::Scalar;
    ScalarKind scalar = ScalarKind::Void;
    std::optional<Type> element; // of vectors and pointers
    int64_t lanes = 1;
    Name name;
    std::vector<std::pair<Name, Type>> fields;
    std::vector<std::pair<Name, std::string>> lengths;
    std::vector<Type> arguments, returns;
    std::vector<std::string> argumentJson, returnJson;
};

} // namespace sdfgc
