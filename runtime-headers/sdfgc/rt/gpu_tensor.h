// Contractions and permutations of tensors on the device: one dialect for cuTENSOR, hipTensor and, in the emulation, loops.
//
// Rules: a tensor is a pointer with a letter, an extent and a stride (in elements) for each dimension; dimensions of different
// tensors with the same letter correspond. Tensors are in device memory (or page-locked host memory); scalars are read at the call.
// Extents may be 0: an empty sum is 0. Every operation is queued in the given stream and returns at once; its workspace comes from
// the stream's pool and returns to it. Types: float, double, complex64, complex128. A failed call throws rt::Error, as the
// operations of gpu_program.h do. One Tensors is a member of a program's state; it keeps the library's plan for each kind of
// operation, and one thread at a time may use it. Link the library "gputensor" (docs/user/build.md), which is cutensor, hiptensor
// or nothing.
//
//   struct state_t { gpu::Program gpu; gpu::Tensors tensors; ... };
//   __state->tensors.contract(__state->gpu.stream(0), 1.0, tensor(A, 'a', M, K, 'b', K, 1), tensor(B, 'b', K, N, 'c', N, 1), 0.0,
//                             tensor(C, 'a', M, N, 'c', N, 1));
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/operation.h"
#include "sdfgc/rt/gpu_program.h"

namespace sdfgc::gpu {

template <class T> struct Tensor {
    static constexpr int maxRank = 16;
    T *data = nullptr;
    int rank = 0;
    int modes[maxRank] = {};
    int64_t extents[maxRank] = {}, strides[maxRank] = {};
};

namespace detail {

template <class T> void addModes(Tensor<T> &) {}
template <class T, class... More> void addModes(Tensor<T> &t, char mode, int64_t extent, int64_t stride, More... more) {
    t.modes[t.rank] = mode;
    t.extents[t.rank] = extent;
    t.strides[t.rank++] = stride;
    addModes(t, more...);
}

} // namespace detail

/// Letter, extent and stride of each dimension.
template <class T, class... Modes> Tensor<T> tensor(T *data, Modes... modes) {
    static_assert(sizeof...(modes) % 3 == 0 && sizeof...(modes) / 3 <= Tensor<T>::maxRank,
                  "a letter, an extent and a stride for each dimension");
    Tensor<T> t;
    t.data = data;
    detail::addModes(t, modes...);
    return t;
}

} // namespace sdfgc::gpu

#include SDFGC_GPU_HEADER(tensor)

namespace sdfgc::gpu {

/// All back ends define detail::TensorLibrary with these operations for extents above zero; they return false on failure.
class Tensors {
public:
    Tensors() noexcept = default;
    Tensors(const Tensors &) = delete;
    Tensors &operator=(const Tensors &) = delete;

    /// C = alpha * sum of A B over the letters that C lacks, + beta C. Each letter occurs in two or all of the tensors, and at most
    /// once in each. C is not read when beta is zero.
    template <class A, class B, class T>
    void contract(Stream stream, rt::Plain<T> alpha, const Tensor<A> &a, const Tensor<B> &b, rt::Plain<T> beta,
                  const Tensor<T> &c) {
        if (isEmpty(c))
            return;
        if (!isEmpty(a) && !isEmpty(b))
            return done(library_.template contract<T>(stream, alpha, a, b, beta, c), "contract");
        if (!(static_cast<T>(beta) == T(1))) // in place; with a factor of 0 nothing is read
            done(library_.template permute<T>(stream, beta, c, c), "permute");
    }

    /// C = alpha A, with the dimensions in the order of C's letters, which are those of A.
    template <class A, class T> void permute(Stream stream, rt::Plain<T> alpha, const Tensor<A> &a, const Tensor<T> &c) {
        if (!isEmpty(c))
            done(library_.template permute<T>(stream, alpha, a, c), "permute");
    }

private:
    template <class T> static bool isEmpty(const Tensor<T> &t) {
        for (int i = 0; i < t.rank; ++i)
            if (t.extents[i] <= 0)
                return true;
        return false;
    }
    static void done(bool success, const char *what) {
        detail::requireSuccess(success, "the device's library for tensors failed in ", what);
    }

    detail::TensorLibrary library_;
};

} // namespace sdfgc::gpu
