// gpu_tensor.h's operations by loops of the host, queued in the emulated streams.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/emulated_call.h"

namespace sdfgc::gpu::detail {

/// The letters of an operation, those of the result first, with their strides in each operand (zero if an operand lacks the
/// letter).
struct TensorLoops {
    static constexpr int maxModes = 48, operands = 3;
    int count = 0, kept = 0;
    int modes[maxModes] = {};
    int64_t extents[maxModes] = {}, strides[operands][maxModes] = {};

    template <class T> void add(const Tensor<T> &t, int operand) {
        for (int i = 0; i < t.rank; ++i) {
            int at = 0;
            while (at < count && modes[at] != t.modes[i])
                ++at;
            if (at == count) {
                modes[count] = t.modes[i];
                extents[count++] = t.extents[i];
            }
            strides[operand][at] += t.strides[i];
        }
    }

    /// Calls `visit` with the offset in each operand for all values of the letters first .. last - 1.
    template <class Visit> void over(int first, int last, const int64_t (&begin)[operands], const Visit &visit) const {
        if (first == last)
            return visit(begin);
        int64_t offsets[operands] = {begin[0], begin[1], begin[2]};
        for (int64_t i = 0; i < extents[first]; ++i) {
            over(first + 1, last, offsets, visit);
            for (int o = 0; o < operands; ++o)
                offsets[o] += strides[o][first];
        }
    }
};

class TensorLibrary {
public:
    template <class T, class A, class B>
    bool contract(Stream stream, T alpha, const Tensor<A> &a, const Tensor<B> &b, T beta, const Tensor<T> &c) {
        TensorLoops loops;
        loops.add(c, 0);
        loops.kept = loops.count;
        loops.add(a, 1);
        loops.add(b, 2);
        return queueCall("contract", stream, {used(a), used(b), used(c)}, {}, [=] {
            loops.over(0, loops.kept, {0, 0, 0}, [&](const int64_t(&at)[TensorLoops::operands]) {
                T sum = 0;
                loops.over(loops.kept, loops.count, at,
                           [&](const int64_t(&from)[TensorLoops::operands]) { sum += a.data[from[1]] * b.data[from[2]]; });
                c.data[at[0]] = beta == T(0) ? alpha * sum : alpha * sum + beta * c.data[at[0]];
            });
        });
    }

    template <class T, class A> bool permute(Stream stream, T alpha, const Tensor<A> &a, const Tensor<T> &c) {
        TensorLoops loops;
        loops.add(c, 0);
        loops.add(a, 1);
        return queueCall("permute", stream, {used(a), used(c)}, {}, [=] {
            loops.over(0, loops.count, {0, 0, 0}, [&](const int64_t(&at)[TensorLoops::operands]) {
                c.data[at[0]] = alpha == T(0) ? T(0) : alpha * a.data[at[1]];
            });
        });
    }

private:
    template <class T> static emulate::MemoryRange used(const Tensor<T> &t) {
        int64_t last = 0;
        for (int i = 0; i < t.rank; ++i) {
            if (t.extents[i] <= 0)
                return rangeFrom(t.data, 0);
            last += (t.extents[i] - 1) * t.strides[i];
        }
        return rangeFrom(t.data, last + 1);
    }
};

} // namespace sdfgc::gpu::detail
