// The handle of a device library. Its calls go to the stream that it was last bound to.
#pragma once

#include "sdfgc/rt/gpu.h"

namespace sdfgc::gpu::detail {

/// Created by `create` at the first use and destroyed by `destroy`: library functions that return a status, with zero for success.
template <class Handle, auto create, auto destroy, auto setStream> class LibraryHandle {
public:
    using Status = decltype(destroy(Handle()));

    LibraryHandle() noexcept = default;
    LibraryHandle(const LibraryHandle &) = delete;
    LibraryHandle &operator=(const LibraryHandle &) = delete;
    ~LibraryHandle() {
        if (handle_)
            (void)destroy(handle_);
    }
    /// False on failure.
    bool open() { return handle_ || ok(create(&handle_)); }
    bool bind(Stream stream) { return open() && ok(setStream(handle_, stream)); }
    operator Handle() const noexcept { return handle_; }

    static bool ok(Status status) { return status == Status(); }

private:
    Handle handle_ = nullptr;
};

} // namespace sdfgc::gpu::detail
