// Code in C++, which the interpreter does not execute itself: whoever runs it compiles the code, and the interpreter calls it with
// copies of what its connectors name.
#pragma once

#include "sdfgc/Diag/Diag.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sdfgc::interpret {

/// Functions in C++, `extern "C" void NAME(void *const *)`, one for each tasklet.
struct NativeSource {
    std::string text;               // declarations of the user, then the functions; includes nothing
    std::vector<Name> environments; // that tasklets name (format reference 7.10)
};

/// The functions, as long as it lives.
class NativeLibrary {
public:
    using Function = void (*)(void *const *);
    virtual ~NativeLibrary() = default;
    /// Null if there is no such function.
    virtual Function function(const std::string &name) const = 0;
};

/// Makes a library. Null, with reports, where the code cannot be compiled.
using NativeCompiler = std::function<std::shared_ptr<const NativeLibrary>(const NativeSource &, diag::Engine &)>;

} // namespace sdfgc::interpret
