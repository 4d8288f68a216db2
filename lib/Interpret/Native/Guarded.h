// Memory passed to foreign code, and calls of such code. The memory is a copy that ends at an inaccessible page, so that accesses
// beyond it stop the code. Bytes before it, back to the previous inaccessible page, are checked afterwards. Child processes share
// it.
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

    /// Copies `bytes`. False if there is not enough memory.
    bool take(const std::byte *from, int64_t bytes);
    std::byte *begin() const { return end() - bytes_; }
    /// Is the address that stopped the code in one of the guard pages?
    bool guards(const void *address) const;
    /// Are the bytes before the copy unchanged?
    bool isIntact() const;

private:
    std::byte *end() const;
    void release();
    std::byte *all_ = nullptr;
    int64_t pages_ = 0, bytes_ = 0; // between the two guard pages; of the copy
};

/// Why code was stopped.
struct Stop {
    int signal = 0;                // 0: an exception
    const void *address = nullptr; // the accessed address
};

/// Calls a function. A signal or an exception ends the function rather than the program; its resources are then lost.
std::optional<Stop> callGuarded(NativeLibrary::Function function, void *const *values);

/// Has a signal ended a function in this process? A library may then be left with a locked mutex or an unreleased buffer, and
/// breaks if this happens often enough (OpenBLAS after some fifty calls), so later calls run in separate processes.
bool hasStopped();

/// The same in a child process, so that any state the function leaves behind ends with it. It sees values of the caller, but the
/// caller sees only its effects on guarded copies. A function that does not return within `seconds` is ended by SIGALRM.
std::optional<Stop> callApart(NativeLibrary::Function function, void *const *values, unsigned seconds = 60);

} // namespace sdfgc::interpret
