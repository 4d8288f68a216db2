// DaCe's access to cuTENSOR, for C++ tasklets written by DaCe's expansions: `__state->cutensor_handle.Get()`. A handle is a member
// of a program's state, created at the first use.
#pragma once

#include "dace/device.h"

#include <cutensor.h>

namespace dace::linalg {

inline void CheckCuTensorError(cutensorStatus_t status) { checkLibrary(static_cast<int>(status), "cuTENSOR"); }

class CuTensorHandle {
public:
    CuTensorHandle() = default;
    CuTensorHandle(const CuTensorHandle &) = delete;
    CuTensorHandle &operator=(const CuTensorHandle &) = delete;
    ~CuTensorHandle() {
        if (handle_)
            (void)cutensorDestroy(handle_);
    }

    cutensorHandle_t &Get() {
        if (!handle_)
            CheckCuTensorError(cutensorCreate(&handle_));
        return handle_;
    }

private:
    cutensorHandle_t handle_ = nullptr;
};

} // namespace dace::linalg
