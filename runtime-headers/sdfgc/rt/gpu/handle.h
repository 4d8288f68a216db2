// The handle of a device's library, whose calls go to the stream that it was bound to last.
#pragma once

#include "sdfgc/rt/gpu.h"

namespace sdfgc::gpu::detail {

/// Made by `create` at the first use and ended by `destroy`: functions of the library that return a status, of which zero is
/// success.
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
