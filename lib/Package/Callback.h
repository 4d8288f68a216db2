// The function pointer type of a callback (format reference 8.6), in a form that every language can print.
#pragma once

#include "sdfgc/Types/Type.h"

#include <optional>
#include <string>
#include <vector>

namespace sdfgc::package {

struct CallbackPart {
    Type type;                      // element type of an array
    bool array = false;             // `T const *`
    bool result = false;            // written by the callback: `T const *` for arrays (the caller casts), `T *` for scalars
    std::vector<std::string> shape; // as in the file, for arrays with a known one
    bool byAddress() const { return array || result; }
};
struct CallbackShape {
    std::vector<CallbackPart> parameters; // in C order, with result parameters last
    std::optional<Type> returns;          // a scalar result returned by the function
};
CallbackShape callbackShape(Type callback);

} // namespace sdfgc::package
