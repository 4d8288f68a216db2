// Element types and reductions in MPI's terms.
//
// Rules: complex numbers use MPI's C types, not names that only some implementations have. Types that MPI lacks (floats of 16 and 8
// bits, vectors) are sent as elements of the same size, and reduced by an operator that the program creates. Operators are
// commutative and associative, as MPI requires; MPI chooses the order in which ranks are combined.
#pragma once

#include "sdfgc/rt/mpi/error.h"

#include <complex>
#include <cstdint>
#include <type_traits>

namespace sdfgc::mpi {

enum class Op { Sum, Prod, Min, Max, LogicalAnd, LogicalOr, LogicalXor, BitAnd, BitOr, BitXor };

namespace detail {

/// MPI's type for T; MPI_DATATYPE_NULL if it has none.
template <class T> MPI_Datatype basicType() {
    if constexpr (std::is_same_v<T, float>)
        return MPI_FLOAT;
    else if constexpr (std::is_same_v<T, double>)
        return MPI_DOUBLE;
    else if constexpr (std::is_same_v<T, std::complex<float>>)
        return MPI_C_FLOAT_COMPLEX;
    else if constexpr (std::is_same_v<T, std::complex<double>>)
        return MPI_C_DOUBLE_COMPLEX;
    else if constexpr (std::is_same_v<T, bool>)
        return MPI_C_BOOL;
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
        return sizeof(T) == 1 ? MPI_INT8_T : sizeof(T) == 2 ? MPI_INT16_T : sizeof(T) == 4 ? MPI_INT32_T : MPI_INT64_T;
    else if constexpr (std::is_integral_v<T>)
        return sizeof(T) == 1 ? MPI_UINT8_T : sizeof(T) == 2 ? MPI_UINT16_T : sizeof(T) == 4 ? MPI_UINT32_T : MPI_UINT64_T;
    else
        return MPI_DATATYPE_NULL;
}

template <class T>
constexpr bool hasBasicType =
    std::is_arithmetic_v<T> || std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

/// MPI's own operator.
inline MPI_Op basicOperator(Op op) {
    switch (op) {
    case Op::Sum:
        return MPI_SUM;
    case Op::Prod:
        return MPI_PROD;
    case Op::Min:
        return MPI_MIN;
    case Op::Max:
        return MPI_MAX;
    case Op::LogicalAnd:
        return MPI_LAND;
    case Op::LogicalOr:
        return MPI_LOR;
    case Op::LogicalXor:
        return MPI_LXOR;
    case Op::BitAnd:
        return MPI_BAND;
    case Op::BitOr:
        return MPI_BOR;
    case Op::BitXor:
        return MPI_BXOR;
    }
    return MPI_OP_NULL;
}

/// A function for MPI_Op_create: b[i] = a[i] op b[i].
template <class T, Op op> void combine(void *a, void *b, int *count, MPI_Datatype *) {
    const T *in = static_cast<const T *>(a);
    T *out = static_cast<T *>(b);
    for (int i = 0; i < *count; ++i) {
        if constexpr (op == Op::Sum)
            out[i] = static_cast<T>(in[i] + out[i]);
        else if constexpr (op == Op::Prod)
            out[i] = static_cast<T>(in[i] * out[i]);
        else if constexpr (op == Op::Min)
            out[i] = in[i] < out[i] ? in[i] : out[i];
        else
            out[i] = in[i] > out[i] ? in[i] : out[i];
    }
}

} // namespace detail
} // namespace sdfgc::mpi
