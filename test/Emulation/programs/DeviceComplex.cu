// Arithmetic of complex numbers in kernels, one kernel for each: test/lit/gpu/complex-arithmetic.test looks for the instructions.
#include "sdfgc/rt/gpu_complexmath.h"
#include "sdfgc/rt/gpu_program.h"

using namespace sdfgc;
using C = gpu::complex<float>;
using Z = gpu::complex<double>;

extern "C" {
SDFGC_KERNEL void assignReal(C *o, const float *a) { *o = *a; }
SDFGC_KERNEL void addTo(Z *o, const Z *a) { *o += *a; }
SDFGC_KERNEL void multiply(Z *o, const Z *a) { *o = *o * *a; }
SDFGC_KERNEL void divide(Z *o, const Z *a) { *o = *o / *a; }
SDFGC_KERNEL void scale(Z *o, double by) { *o *= by; }
SDFGC_KERNEL void widen(Z *o, const C *a) { *o = *a; }
SDFGC_KERNEL void narrow(C *o, const Z *a) { *o = *a; }
SDFGC_KERNEL void fromHost(Z *o, std::complex<double> a) { *o = *o + a; }
SDFGC_KERNEL void exponential(Z *o, const Z *a) { *o = gpu::exp(*a); }
SDFGC_KERNEL void modulus(double *o, const Z *a) { *o = gpu::abs(*a); }
SDFGC_KERNEL void power(Z *o, const Z *a) { *o = gpu::pow(*a, 3) + gpu::np_float_pow(*a, 2.5f); }
SDFGC_KERNEL void rest(C *o, const C *a) { *o = gpu::log1p(*a) + gpu::sign_numpy_2(*a) + gpu::py_mod(*a, *o); }
}

/// Launches and graphs take the host's std::complex.
void host(gpu::Program &program, std::complex<double> *o, const std::complex<double> *a, std::complex<double> by) {
    program.launch<multiply>(0, {"multiply", "multiply"}, {1}, {1}, o, a);
    program.launch<fromHost>(0, {"fromHost", "fromHost"}, {1}, {1}, o, by);
}
