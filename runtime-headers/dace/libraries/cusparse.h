// DaCe's access to cuSPARSE, for C++ tasklets written by DaCe's expansions: `__state->cusparse_handle.Get()`. A handle is a member
// of a program's state, created at the first use.
#pragma once

#include "dace/device.h"

#include <cusparse.h>

namespace dace::sparse {

inline void CheckCusparseError(cusparseStatus_t status) { checkLibrary(static_cast<int>(status), "cuSPARSE"); }

class CusparseHandle {
public:
    CusparseHandle() = default;
    CusparseHandle(const CusparseHandle &) = delete;
    CusparseHandle &operator=(const CusparseHandle &) = delete;
    ~CusparseHandle() {
        if (handle_)
            (void)cusparseDestroy(handle_);
    }

    cusparseHandle_t &Get() {
        if (!handle_)
            CheckCusparseError(cusparseCreate(&handle_));
        return handle_;
    }

private:
    cusparseHandle_t handle_ = nullptr;
};

} // namespace dace::sparse
