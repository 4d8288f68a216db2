// C++ code, which the interpreter does not execute itself: its caller compiles the code, and the interpreter calls it
// with copies of the data at its connectors.
#pragma once

#include "sdfgc/Diag/Diag.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sdfgc::interpret {

/// C++ functions, `extern "C" void NAME(void *const *)`, one for each tasklet.
struct NativeSource {
    std::string text;               // declarations of the user, followed by the functions; without includes
    std::vector<Name> environments; // named by the tasklets (format reference 7.10)
};

/// The functions, valid during its lifetime.
class NativeLibrary {
public:
    using Function = void (*)(void *const *);
    virtual ~NativeLibrary() = default;
    /// Returns null if there is no such function.
    virtual Function function(const std::string &name) const = 0;
};

/// Compiles a library. Returns null, with reports, if the code does not compile.
using NativeCompiler = std::function<std::shared_ptr<const NativeLibrary>(const NativeSource &, diag::Engine &)>;

} // namespace sdfgc::interpret
