// One misuse of the GPU per argument: test/lit/gpu/misuse.test checks the reports of the emulation, and docs/user/emulation.md
// shows them.
#include "MisuseGraphs.h"

#include "sdfgc/rt/gpu.h"

#include <cstdio>
#include <cstring>

namespace gpu = sdfgc::gpu;

namespace {

SDFGC_KERNEL void scale(const double *A, double *B, int64_t shift) { B[threadIdx.x] = A[threadIdx.x + shift] * 2; }
SDFGC_KERNEL void put(double *A, int64_t index) { A[index] = 1; }

SDFGC_KERNEL void halfFilled(double *out) {
    SDFGC_SHARED(double, tile, 32);
    if (threadIdx.x < 16)
        tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x] + 1;
}
SDFGC_KERNEL void divergent(double *out) {
    if (threadIdx.x < 16)
        __syncthreads();
    out[threadIdx.x] = 1;
}
SDFGC_KERNEL void absentLane(double *out) { out[threadIdx.x] = __shfl_down_sync(~0u, 1.0 * threadIdx.x, 1); }
SDFGC_KERNEL void besideTile(double *out) {
    SDFGC_SHARED(double, tile, 4);
    tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = 1;
}
SDFGC_KERNEL void largeTile(double *out) {
    SDFGC_SHARED(double, tile, 10000);
    tile[0] = 1;
    out[0] = 1;
}

const gpu::Launch plain{.name = "scale", .element = "state s, map m"};
const gpu::Launch together{.name = "scale", .element = "state s, map m", .barriers = true};

struct Memory {
    double *A = nullptr, *B = nullptr;
    double host[64] = {};
    Memory() {
        (void)gpu::malloc(&A, 32 * sizeof(double), "A");
        (void)gpu::malloc(&B, 32 * sizeof(double), "B");
        (void)gpu::memsetAsync(A, 0, 32 * sizeof(double), nullptr);
        (void)gpu::deviceSynchronize();
    }
    void read(gpu::Stream stream = nullptr, size_t count = 32) {
        (void)gpu::memcpyAsync(host, B, count * sizeof(double), gpu::CopyKind::DeviceToHost, stream);
        (void)gpu::streamSynchronize(stream);
    }
};

void misuse(const char *name, Memory &m) {
    const auto is = [&](const char *other) { return std::strcmp(name, other) == 0; };
    if (is("host-reads")) {
        std::printf("%f\n", m.A[3]);
    } else if (is("host-pointer")) {
        (void)gpu::launch<scale>(plain, 1, 32, 0, nullptr, m.host, m.B, 0);
    } else if (is("far-out-of-bounds")) {
        (void)gpu::launch<scale>(plain, 1, 32, 0, nullptr, m.A, m.B, 100);
    } else if (is("near-out-of-bounds")) {
        (void)gpu::launch<put>(plain, 1, 1, 0, nullptr, m.A, 32);
    } else if (is("reads-beside")) {
        (void)gpu::memsetAsync(m.B, 0, 32 * sizeof(double), nullptr);
        double *C = nullptr;
        (void)gpu::malloc(&C, 31 * sizeof(double), "C");
        (void)gpu::memsetAsync(C, 0, 31 * sizeof(double), nullptr);
        (void)gpu::launch<scale>(plain, 1, 32, 0, nullptr, C, m.B, 0);
        m.read();
    } else if (is("copy-out-of-bounds")) {
        (void)gpu::memcpyAsync(m.host, m.A, 33 * sizeof(double), gpu::CopyKind::DeviceToHost, nullptr);
    } else if (is("wrong-direction")) {
        (void)gpu::memcpyAsync(m.host, m.A, 8, gpu::CopyKind::HostToDevice, nullptr);
    } else if (is("use-after-free")) {
        (void)gpu::free(m.A);
        (void)gpu::launch<scale>(plain, 1, 32, 0, nullptr, m.A, m.B, 0);
    } else if (is("freed-twice")) {
        (void)gpu::free(m.A);
        (void)gpu::free(m.A);
    } else if (is("before-allocation")) {
        gpu::Stream one = nullptr, two = nullptr;
        (void)gpu::streamCreate(one);
        (void)gpu::streamCreate(two);
        double *C = nullptr;
        (void)gpu::mallocAsync(&C, 256, one, "C");
        (void)gpu::launch<put>(plain, 1, 1, 0, two, C, 0); // without an event
        (void)gpu::streamSynchronize(two);
    } else if (is("never-written")) {
        (void)gpu::launch<scale>(plain, 1, 32, 0, nullptr, m.B, m.B, 0);
        m.read();
    } else if (is("shared-never-written")) {
        (void)gpu::launch<halfFilled>(together, 1, 32, 0, nullptr, m.B);
        m.read();
    } else if (is("beside-shared")) {
        (void)gpu::launch<besideTile>(together, 1, 5, 0, nullptr, m.B);
    } else if (is("too-much-shared")) {
        (void)gpu::launch<largeTile>(plain, 1, 1, 0, nullptr, m.B);
    } else if (is("divergent-barrier")) {
        (void)gpu::launch<divergent>(together, 1, 32, 0, nullptr, m.B);
    } else if (is("undeclared-barrier")) {
        (void)gpu::launch<divergent>(plain, 1, 32, 0, nullptr, m.B);
    } else if (is("absent-lane")) {
        (void)gpu::launch<absentLane>(together, 1, 20, 0, nullptr, m.B);
        m.read();
    } else if (is("large-block")) {
        (void)gpu::launch<scale>(plain, 1, 2048, 0, nullptr, m.A, m.B, 0);
    } else if (is("large-grid")) {
        (void)gpu::launch<scale>(plain, {1, 100000}, 32, 0, nullptr, m.A, m.B, 0);
    } else if (is("leak")) {
        gpu::Stream stream = nullptr;
        (void)gpu::streamCreate(stream);
        gpu::initialise("p");
        (void)gpu::free(m.B);
        gpu::finalise("p");
    } else if (is("missing-event")) {
        gpu::Stream one = nullptr, two = nullptr;
        (void)gpu::streamCreate(one);
        (void)gpu::streamCreate(two);
        (void)gpu::launch<put>(plain, 1, 1, 0, one, m.A, 3);
        (void)gpu::launch<scale>(plain, 1, 4, 0, two, m.A, m.B, 0); // should wait for the other stream but does not
        m.read(two, 4);
        std::printf("result %g\n", m.host[3]);
    }
    (void)gpu::deviceSynchronize();
}

} // namespace

int main(int, char **arguments) {
    if (std::strncmp(arguments[1], "graph-", 6) == 0) {
        if (!misuseGraphs(arguments[1]))
            return 2;
    } else {
        Memory memory;
        misuse(arguments[1], memory);
    }
    std::printf("%s: last error: %s\n", arguments[1], gpu::getErrorName(gpu::getLastError()));
    return 0;
}
