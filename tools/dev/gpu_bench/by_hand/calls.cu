// Calls the programs of replay.py from C++, as users do: the time that a script needs to pass arguments is not measured.
#include "by_hand.h"

#include <chrono>
#include <utility>

using namespace by_hand;

namespace {

/// Arguments of one call.
struct Turn {
    double *const *arrays;
    double last;
};

template <size_t... I>
void time(std::index_sequence<I...>, double *seconds, int64_t calls, void (*program)(), void *handle, const Turn *turns, int64_t count,
          int64_t N) {
    using Pointer = double *;
    const auto call = reinterpret_cast<void (*)(void *, decltype(Pointer(I))..., int64_t, double)>(program);
    for (int64_t i = 0; i < calls; ++i) {
        const Turn &turn = turns[i % count];
        const auto start = std::chrono::steady_clock::now();
        call(handle, turn.arrays[I]..., N, turn.last);
        seconds[i] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
}

} // namespace

/// Calls `program`, the function NAME_program of a program with `width` arrays, with the arguments in `turns` in turn; stores each
/// call's `seconds`.
BY_HAND time_program(double *seconds, int64_t calls, void (*program)(), void *handle, const void *turns, int64_t count, int64_t width,
        int64_t N) {
    const auto *const all = static_cast<const Turn *>(turns);
    switch (width) {
    case 1:
        return time(std::make_index_sequence<1>(), seconds, calls, program, handle, all, count, N), 0;
    case 3:
        return time(std::make_index_sequence<3>(), seconds, calls, program, handle, all, count, N), 0;
    case 8:
        return time(std::make_index_sequence<8>(), seconds, calls, program, handle, all, count, N), 0;
    default:
        return static_cast<int>(gpu::invalidValue);
    }
}
