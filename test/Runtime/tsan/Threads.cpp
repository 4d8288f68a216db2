// The threaded headers under ThreadSanitizer, on std::thread: atomics of every kind, streams, consume scopes, errors, reports.
#include "sdfgc/rt/abi.h"
#include "sdfgc/rt/atomic.h"
#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/consume.h"
#include "sdfgc/rt/report.h"
#include "sdfgc/rt/vec.h"

#include <cstdio>
#include <thread>
#include <vector>

namespace rt = sdfgc::rt;

namespace {

struct Large {
    int64_t a, b, c;
};

template <class F> void onThreads(int count, F f) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&f, i] { f(i); });
    for (std::thread &thread : threads)
        thread.join();
}

int failures = 0;
void expect(bool condition, const char *what) {
    if (!condition) {
        std::printf("failed: %s\n", what);
        ++failures;
    }
}

void atomics() {
    int64_t sum = 0;
    float most = 0;
    bool any = false;
    Large large{0, 0, 0};
    rt::complex128 product = 1;
    rt::complex64 complexSum = 0;
    rt::vec<double, 4> vector = 0.0;
    onThreads(4, [&](int thread) {
        for (int i = 0; i < 1000; ++i) {
            rt::atomic_add(&sum, 1);
            rt::atomic_max(&most, static_cast<float>(thread * 1000 + i));
            rt::atomic_logical_or(&any, i == 500);
            rt::atomic_mul(&product, rt::complex128(0, 1));
            rt::atomic_add(&complexSum, rt::complex64(1, 2));
            rt::atomic_add(&vector, rt::vec<double, 4>(1.0));
            rt::atomic_update(&large, Large{1, 2, 3}, [](Large x, Large y) { return Large{x.a + y.a, x.b + y.b, x.c + y.c}; });
            (void)rt::atomic_load(&large);
        }
    });
    expect(sum == 4000 && most == 3999 && any, "integers, floats, bools");
    expect(large.c == 12000 && product == rt::complex128(1, 0), "locked updates");
    expect(complexSum == rt::complex64(4000, 8000) && vector[3] == 4000, "updates by parts");
}

void streams() {
    rt::Stream<int> stream;
    std::vector<int> sink(4000);
    rt::ArrayStreamView<int> view(sink.data());
    onThreads(4, [&](int thread) {
        for (int i = 0; i < 1000; ++i) {
            if (thread % 2 == 0)
                stream.push(i);
            else
                view.push(stream.pop());
        }
    });
    expect(stream.empty() && view.size() == 2000, "producers and consumers");
}

void consumeScope() {
    rt::Stream<uint64_t> stream;
    stream.push(1);
    uint64_t sum = 0;
    const auto never = [] { return false; };
    rt::Consumer<uint64_t, decltype(never)> consumer(stream, 3, never);
    onThreads(4, [&](int pe) {
        auto body = [&](int, uint64_t *elements, int64_t count) {
            for (int64_t i = 0; i < count; ++i)
                if (elements[i] < 1024) {
                    rt::atomic_add(&sum, elements[i]);
                    stream.push(2 * elements[i]);
                    stream.push(2 * elements[i] + 1);
                }
        };
        consumer.work(pe, body);
    });
    expect(sum == 1023 * 512, "consume");
}

void errorsAndReports() {
    rt::ErrorState state;
    rt::Report report;
    onThreads(4, [&](int thread) {
        rt::guard(state, [&] { throw rt::Error(10 + thread, "failed"); });
        rt::Timer timer(report, "Map m");
    });
    expect(state.code >= 10 && state.code < 14 && report.size() == 4, "errors and reports");
}

} // namespace

int main() {
    atomics();
    streams();
    consumeScope();
    errorsAndReports();
    return failures == 0 ? 0 : 1;
}
