// gpu_primitives.h's reduction by loops of the host, queued in the emulated streams.
#pragma once

#include "sdfgc/rt/gpu/emulated_call.h"

namespace sdfgc::gpu::detail {

template <class Op, class T> bool reduceRows(Stream stream, const T *in, int64_t rows, int64_t size, T *out) {
    return queueCall("reduce", stream, {rangeOf(in, rows * size), rangeOf(out, rows)}, {}, [=] {
        for (int64_t i = 0; i < rows; ++i) {
            T total = Neutral<Op, T>::value();
            for (int64_t j = 0; j < size; ++j)
                total = Op()(total, in[i * size + j]);
            out[i] = total;
        }
    });
}

} // namespace sdfgc::gpu::detail
