// Every function of the headers for kernels, for every type of element: compiled by nvcc and hipcc, never run.
#include "sdfgc/rt/gpu_atomic.h"
#include "sdfgc/rt/gpu_complex.h"
#include "sdfgc/rt/gpu_grid.h"
#include "sdfgc/rt/gpu_program.h"
#include "sdfgc/rt/gpu_reduce.h"
#include "sdfgc/rt/lowp.h"
#include "sdfgc/rt/vec.h"

using namespace sdfgc;
using rt::bfloat16, rt::float8_e4m3fn, rt::vec;
using complex64 = gpu::complex<float>;
using complex128 = gpu::complex<double>;

template <class T> SDFGC_KERNEL void arithmetic(T *p, T v) {
    gpu::atomicSum(p, v);
    gpu::atomicDifference(p + 1, v);
    gpu::atomicProduct(p + 2, v);
    gpu::atomicQuotient(p + 3, v);
    p[4] = gpu::atomicExchange(p + 5, v);
    gpu::atomicUpdate(p + 6, v, [](const T &a, const T &b) { return a * b + a; });
}

template <class T> SDFGC_KERNEL void order(T *p, T v) {
    gpu::atomicMin(p, v);
    gpu::atomicMax(p, v);
    gpu::atomicLogicalAnd(p, v);
    gpu::atomicLogicalOr(p, v);
    gpu::atomicLogicalXor(p, v);
}

template <class T> SDFGC_KERNEL void bits(T *p, T v) {
    gpu::atomicAnd(p, v);
    gpu::atomicOr(p, v);
    gpu::atomicXor(p, v);
}

template <class T> SDFGC_KERNEL void reduction(const T *A, T *out, T *partial, unsigned *counter, int64_t N) {
    T mine = 0;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < N; i += int64_t(gridDim.x) * blockDim.x)
        mine = mine + A[i];
    const T sum = gpu::blockReduce(mine, gpu::Sum());
    if (gpu::linearThread() == 0)
        gpu::atomicSum(out, sum);
    out[threadIdx.x] = gpu::blockReduceAll(mine, [](T a, T b) { return static_cast<T>(a + b); });
    out[threadIdx.x] = gpu::columnReduceAll(mine, gpu::Sum());
    out[threadIdx.x] = gpu::warpScan(mine, gpu::Sum());
    T total = 0;
    if (gpu::gridReduce(mine, gpu::Sum(), T(0), partial, counter, total))
        out[0] = total;
    if (gpu::anyLane(mine == T(1)) && gpu::allLanes(mine == T(0)))
        gpu::warpSync();
    gpu::gridSync();
}

template <class T> SDFGC_KERNEL void arithmeticBlocks(T *p, T v) {
    gpu::blockSum(p, v);
    gpu::blockProduct(p + 1, v);
}

template <class T> SDFGC_KERNEL void orderBlocks(T *p, T v) {
    gpu::blockMin(p, v);
    gpu::blockMax(p, v);
    gpu::blockLogicalAnd(p, v);
    gpu::blockLogicalOr(p, v);
    gpu::blockLogicalXor(p, v);
}

template <class T> SDFGC_KERNEL void bitBlocks(T *p, T v) {
    gpu::blockAnd(p, v);
    gpu::blockOr(p, v);
    gpu::blockXor(p, v);
}

struct Record {
    double a;
    int b;
    float c[3];
};
SDFGC_KERNEL void record(Record *p, Record v) {
    gpu::atomicExchange(p, v);
    gpu::atomicUpdate(p + 1, v, [](Record a, const Record &b) {
        a.b += b.b;
        return a;
    });
}

#define ARITHMETIC(T) template SDFGC_KERNEL void arithmetic<T>(T *, T);
#define ORDERED(T) ARITHMETIC(T) template SDFGC_KERNEL void order<T>(T *, T);
#define INTEGER(T) ORDERED(T) template SDFGC_KERNEL void bits<T>(T *, T);
#define REDUCED(T) template SDFGC_KERNEL void reduction<T>(const T *, T *, T *, unsigned *, int64_t);
INTEGER(bool)
INTEGER(int8_t)
INTEGER(uint8_t)
INTEGER(int16_t)
INTEGER(uint16_t)
INTEGER(int)
INTEGER(unsigned)
INTEGER(int64_t)
INTEGER(uint64_t)
INTEGER(long long)
ORDERED(float)
ORDERED(double)
ORDERED(rt::half)
ORDERED(bfloat16)
ORDERED(float8_e4m3fn)
ARITHMETIC(complex64)
ARITHMETIC(complex128)
using FloatVector = vec<float, 4>;
using IntVector = vec<int, 2>;
using HalfVector = vec<rt::half, 2>;
ORDERED(FloatVector)
INTEGER(IntVector)
ORDERED(HalfVector)
REDUCED(int8_t)
REDUCED(int)
REDUCED(int64_t)
REDUCED(float)
REDUCED(double)
REDUCED(rt::half)
REDUCED(complex64)
REDUCED(complex128)

#define ARITHMETIC_BLOCKS(T) template SDFGC_KERNEL void arithmeticBlocks<T>(T *, T);
#define ORDER_BLOCKS(T) ARITHMETIC_BLOCKS(T) template SDFGC_KERNEL void orderBlocks<T>(T *, T);
#define BIT_BLOCKS(T) ORDER_BLOCKS(T) template SDFGC_KERNEL void bitBlocks<T>(T *, T);
BIT_BLOCKS(bool)
BIT_BLOCKS(int8_t)
BIT_BLOCKS(uint8_t)
BIT_BLOCKS(int16_t)
BIT_BLOCKS(uint16_t)
BIT_BLOCKS(int)
BIT_BLOCKS(unsigned)
BIT_BLOCKS(int64_t)
BIT_BLOCKS(uint64_t)
ORDER_BLOCKS(float)
ORDER_BLOCKS(double)
ORDER_BLOCKS(rt::half)
ORDER_BLOCKS(bfloat16)
ARITHMETIC_BLOCKS(complex64)
ARITHMETIC_BLOCKS(complex128)

void host(gpu::Program &program, gpu::Buffer<complex128> &buffer) {
    buffer.allocate(3);
    program.fill(0, buffer.data(), 3, complex128(1, 2));
    program.synchronise(0);
}
