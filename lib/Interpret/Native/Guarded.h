// Memory that foreign code gets, and calls of it. Memory is a copy that ends at a page which nobody may touch, so that accesses behind it stop the code. What
// lies before it up to the last page that nobody may touch is looked at afterwards. Child processes share it.
#pragma once

#include "sdfgc/Interpret/Native.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sdfgc::interpret {

class GuardedCopy {
public:
    GuardedCopy() = default;
    ~GuardedCopy() { release(); }
    GuardedCopy(const GuardedCopy &) = delete;
    GuardedCopy &operator=(const GuardedCopy &) = delete;

    /// Copies `bytes`. False where there is no memory for them.
    bool take(const std::byte *from, int64_t bytes);
    std::byte *begin() const { return end() - bytes_; }
    /// Is an address that stopped the code one of the pages around?
    bool guards(const void *address) const;
    /// Has nothing been written in front of the copy?
    bool isIntact() const;

private:
    std::byte *end() const;
    void release();
    std::byte *all_ = nullptr;
    int64_t pages_ = 0, bytes_ = 0; // between the two that are closed; of the copy
};

/// What stopped code.
struct Stop {
    int signal = 0;                // 0: an exception
    const void *address = nullptr; // that was accessed
};

/// Calls a function. A signal or an exception ends it, not the program; what it holds is lost then.
std::optional<Stop> callGuarded(NativeLibrary::Function function, void *const *values);

/// Has a signal ended a function in this process? Then a library may be left with a lock or a buffer that nobody gives back, and one that
/// is left so often enough breaks (OpenBLAS after some fifty calls): the next calls belong into processes of their own.
bool hasStopped();

/// The same in a child process, so that whatever the function leaves behind ends with it. It sees values of the caller, but the caller sees
/// only what it does to guarded copies. A function that does not come back within `seconds` is ended by SIGALRM.
std::optional<Stop> callApart(NativeLibrary::Function function, void *const *values, unsigned seconds = 60);

} // namespace sdfgc::interpret
