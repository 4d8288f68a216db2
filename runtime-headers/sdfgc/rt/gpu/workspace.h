// The workspace of a library function: allocated from the stream's pool, and freed after the function.
#pragma once

#include "sdfgc/rt/gpu/operation.h"

namespace sdfgc::gpu::detail {

/// Holds bytes of the pool while it lives, in stream order. False if there is no memory.
class Workspace {
public:
    Workspace(Stream stream, size_t bytes) : stream_(stream) {
        if (bytes > 0 && mallocAsync(&data_, bytes, stream, "workspace") != success)
            data_ = nullptr;
        ok_ = bytes == 0 || data_;
    }
    Workspace(const Workspace &) = delete;
    Workspace &operator=(const Workspace &) = delete;
    ~Workspace() {
        if (data_)
            (void)freeAsync(data_, stream_);
    }
    explicit operator bool() const noexcept { return ok_; }
    char *data() const noexcept { return data_; }

private:
    Stream stream_;
    char *data_ = nullptr;
    bool ok_ = false;
};

} // namespace sdfgc::gpu::detail
