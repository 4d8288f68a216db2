// Calls of C functions whose parameters are known only from the program's interface.
#pragma once

#include "Run/Shared.h"

#include <ffi.h>
#include <vector>

namespace sdfgc::run {

/// A C function with the values of its parameters; `first` are addresses of pointers that precede them, such as the handle.
class CFunction {
public:
    CFunction(ffi_type *result, const std::vector<void *> &first, const Arguments &a, const std::vector<std::size_t> &parameters,
              std::vector<char *> &pointers, const std::vector<SharedMemory> &memory);
    /// Can it be called on this machine?
    bool ok() const { return ok_; }
    void operator()(void *function, void *result) { ffi_call(&cif_, FFI_FN(function), result, values_.data()); }

private:
    ffi_cif cif_{};
    std::vector<ffi_type *> types_;
    std::vector<void *> values_;
    bool ok_ = false;
};

} // namespace sdfgc::run
