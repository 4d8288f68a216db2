// The costs of parts of a loop on the device, and the memory of an executable graph: called by questions.cu.
#include "questions.h"

#include <cstdint>

namespace questions {

/// A loop of small kernels: on the device, from the host, and unrolled.
void iterations() {
    constexpr int count = 1000;
    const Ints left, sum;
    bool *go, host = true;
    MUST(cudaMalloc(&go, 1));
    for (const int kernels : {1, 3, 10}) {
        Chain inside, apart, unrolled;
        cudaGraphConditionalHandle handle;
        Chain body = inside.loop(left.at, count, handle);
        for (int k = 0; k < kernels; ++k)
            body.kernel(addTo, 1, 1, sum.at, 1);
        body.kernel(countDown, 1, 1, left.at, handle);
        Chain other = apart.loop(left.at, count, handle);
        for (int k = 0; k < kernels; ++k)
            other.kernel(addTo, 1, 1, sum.at, 1);
        other.kernel(countDownFlag, 1, 1, left.at, go);
        other.kernel(bringFlag, 1, 1, handle, go);
        for (int i = 0; i < count * kernels; ++i)
            unrolled.kernel(addTo, 1, 1, sum.at, 1);
        const Exec first(inside), second(apart), third(unrolled);
        const double device = microseconds(5, [&] { MUST(first.run()); }),
                     twoKernels = microseconds(5, [&] { MUST(second.run()); });
        const double flat = microseconds(5, [&] { MUST(third.run()); });
        const double byHost = microseconds(5, [&] {
            left.write(count);
            do {
                for (int k = 0; k < kernels; ++k)
                    addTo<<<1, 1, 0, third.stream>>>(sum.at, 1);
                countDownFlag<<<1, 1, 0, third.stream>>>(left.at, go);
                MUST(cudaMemcpyAsync(&host, go, 1, cudaMemcpyDeviceToHost, third.stream));
                MUST(cudaStreamSynchronize(third.stream));
            } while (host);
        });
        say("%d kernels, µs an iteration: on the device %.2f, with a kernel of its own for the condition %.2f, from the host %.2f, "
            "unrolled %.2f",
            kernels, device / count, twoKernels / count, byHost / count, flat / count);
    }
    cudaFree(go);
}

__global__ void axpyByValue(const double *x, double *y, double a, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}
struct Slot {
    const double *x;
    double *y;
    double a;
    int64_t n;
};
__global__ void axpyBySlot(const Slot *slot) {
    const Slot in = *slot;
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < in.n)
        in.y[i] += in.a * in.x[i];
}

/// Arguments by value and from a slot in device memory.
void slots() {
    double *data;
    Slot *slot;
    constexpr int64_t most = int64_t(1) << 26;
    MUST(cudaMalloc(&data, 2 * most * sizeof(double))), MUST(cudaMalloc(&slot, sizeof(Slot)));
    MUST(cudaMemset(data, 0, 2 * most * sizeof(double)));
    for (const int64_t n : {int64_t(256), int64_t(1) << 16, most}) {
        const Slot values{data, data + most, 2.0, n};
        MUST(cudaMemcpy(slot, &values, sizeof values, cudaMemcpyHostToDevice));
        const unsigned blocks = unsigned((n + 255) / 256);
        const int kernels = n == most ? 20 : 1000;
        Chain byValue, bySlot;
        for (int k = 0; k < kernels; ++k) {
            byValue.kernel(axpyByValue, blocks, 256, data, data + most, 2.0, n);
            bySlot.kernel(axpyBySlot, blocks, 256, slot);
        }
        const Exec first(byValue), second(bySlot);
        const double value = microseconds(9, [&] { MUST(first.run()); }), read = microseconds(9, [&] { MUST(second.run()); });
        say("axpy of %lld doubles, µs a kernel: by value %.2f, from a slot %.2f", (long long)n, value / kernels, read / kernels);
    }
    cudaFree(data), cudaFree(slot);
}

__global__ void average(double *to, const double *from, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x + 1;
    if (i < n - 1)
        to[i] = 0.5 * (from[i - 1] + from[i + 1]);
}
__global__ void move(double *to, const double *from, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}

/// Arrays that exceed the device's cache: the time of a kernel, and of a copy by the driver or by a kernel, in a loop's body.
void bandwidth() {
    constexpr int64_t n = int64_t(1) << 24;
    constexpr int count = 100;
    constexpr unsigned blocks = n / 256;
    const Ints left, sum;
    double *a, *b;
    bool *go, host = true;
    MUST(cudaMalloc(&a, n * sizeof(double))), MUST(cudaMalloc(&b, n * sizeof(double))), MUST(cudaMalloc(&go, 1));
    MUST(cudaMemset(a, 0, n * sizeof(double))), MUST(cudaMemset(b, 0, n * sizeof(double)));
    struct Body {
        const char *what;
        bool kernel, copy, moves, forks; // forks: a kernel of one thread runs concurrently with the copy
        int from = 0;                    // the first copied element
    };
    const Body bodies[] = {{"a kernel", true, false, false, false},
                           {"a copy by the driver", false, true, false, false},
                           {"a copy by the driver, from the second element on", false, true, false, false, 1},
                           {"a copy by a kernel", false, false, true, false},
                           {"a kernel, then a copy by the driver", true, true, false, false},
                           {"a kernel, then a copy by a kernel", true, false, true, false},
                           {"a kernel, then a copy by the driver beside a small kernel", true, true, false, true},
                           {"the same, from the second element on", true, true, false, true, 1},
                           {"a kernel, then a copy by a kernel beside a small kernel", true, false, true, true}};
    for (const Body &body : bodies) {
        const auto add = [&](Chain &to) -> cudaGraphNode_t { // an additional predecessor of the next node, if any
            if (body.kernel)
                to.kernel(average, blocks, 256, b, a, n);
            const cudaGraphNode_t before = to.last;
            if (body.copy)
                to.copy(a + body.from, b + body.from, (n - 2 * body.from) * sizeof(double), cudaMemcpyDeviceToDevice);
            if (body.moves)
                to.kernel(move, blocks, 256, a, b, n);
            if (!body.forks)
                return nullptr;
            const cudaGraphNode_t copied = to.last;
            to.last = before;
            to.kernel(addTo, 1, 1, sum.at, 1);
            return copied;
        };
        Chain looped, unrolled;
        cudaGraphConditionalHandle handle;
        Chain inside = looped.loop(left.at, count, handle);
        const cudaGraphNode_t beside = add(inside), end = inside.kernel(countDown, 1, 1, left.at, handle);
        inside.join(beside, end);
        for (int i = 0; i < count; ++i) {
            const cudaGraphNode_t other = add(unrolled), next = unrolled.kernel(addTo, 1, 1, sum.at + 1, 1);
            unrolled.join(other, next);
        }
        const Exec first(looped), second(unrolled);
        const double device = microseconds(5, [&] { MUST(first.run()); }), flat = microseconds(5, [&] { MUST(second.run()); });
        const double byHost = microseconds(5, [&] {
            left.write(count);
            do {
                if (body.kernel)
                    average<<<blocks, 256, 0, second.stream>>>(b, a, n);
                if (body.copy)
                    MUST(cudaMemcpyAsync(a + body.from, b + body.from, (n - 2 * body.from) * sizeof(double),
                                         cudaMemcpyDeviceToDevice, second.stream));
                if (body.moves)
                    move<<<blocks, 256, 0, second.stream>>>(a, b, n);
                if (body.forks)
                    addTo<<<1, 1, 0, second.stream>>>(sum.at, 1);
                countDownFlag<<<1, 1, 0, second.stream>>>(left.at, go);
                MUST(cudaMemcpyAsync(&host, go, 1, cudaMemcpyDeviceToHost, second.stream));
                MUST(cudaStreamSynchronize(second.stream));
            } while (host);
        });
        say("%s, of %lld doubles, µs an iteration: on the device %.2f, from the host %.2f, unrolled %.2f", body.what, (long long)n,
            device / count, byHost / count, flat / count);
    }
    cudaFree(a), cudaFree(b), cudaFree(go);
}

/// The memory of an executable graph with 1000 kernels, and the time that uploading it saves.
void memory() {
    const Ints sum;
    Chain chain;
    for (int k = 0; k < 1000; ++k)
        chain.kernel(addTo, 1, 1, sum.at, 1);
    size_t before, after, total;
    {
        const Exec warm(chain);
        MUST(warm.run());
    }
    MUST(cudaMemGetInfo(&before, &total));
    std::vector<Exec *> held;
    for (int i = 0; i < 100; ++i)
        held.push_back(new Exec(chain)), MUST(held.back()->run());
    MUST(cudaMemGetInfo(&after, &total));
    say("an executable graph of 1000 kernels: %.1f KiB of device memory", double(before - after) / 1024 / 100);
    for (Exec *each : held)
        delete each;
    for (const bool upload : {false, true}) {
        std::vector<double> launches, uploads;
        for (int i = 0; i < 9; ++i) {
            const Exec exec(chain);
            const auto time = [&](const std::function<void()> &call) {
                const auto start = std::chrono::steady_clock::now();
                call();
                return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
            };
            if (upload)
                uploads.push_back(
                    time([&] { MUST(cudaGraphUpload(exec.exec, exec.stream)), MUST(cudaStreamSynchronize(exec.stream)); }));
            launches.push_back(time([&] { MUST(exec.run()); }));
        }
        std::sort(launches.begin(), launches.end()), std::sort(uploads.begin(), uploads.end());
        say(
            "first launch %s: %.0f µs%s%.0f", upload ? "after an upload" : "without an upload", launches[4],
            upload ? ", the upload µs " : ", later ones ", upload ? uploads[4] : [&] {
                const Exec exec(chain);
                return microseconds(9, [&] { MUST(exec.run()); });
            }());
    }
}

} // namespace questions
