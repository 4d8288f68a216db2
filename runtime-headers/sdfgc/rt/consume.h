// Consume scopes: workers that pop elements of a stream until it stays empty (sdfg-format 6.6).
//
// Rules: `workers` processing elements take elements, or chunks of up to `chunk` elements, and run the body on them; the body may
// push to the same stream. The scope ends when no element is left and no running body could push one, or when `halt` is true, which
// each worker evaluates before each pop. A worker without work sleeps. Workers are threads of an OpenMP region; if OpenMP gives
// fewer threads than asked for (inside another region it gives one), those do all the work. An exception from the body or from
// `halt` ends the scope and is rethrown by consume().
//
//     consume(stream, workers, 1, [&](int pe, T &element) { ... });
//     consume(stream, workers, chunk, [&](int pe, T *elements, int64_t count) { ... });
//     consume(stream, workers, chunk, [&] { return halt; }, body);
#pragma once

#include "sdfgc/rt/parallel.h"
#include "sdfgc/rt/stream.h"

#include <type_traits>

namespace sdfgc::rt {

/// One execution of a consume scope. Each worker, on whatever thread, calls work() once.
template <class T, class Halt> class Consumer {
public:
    Consumer(Stream<T> &stream, int64_t chunk, Halt halt) : stream_(stream), chunk_(chunk > 1 ? chunk : 1), halt_(halt) {}

    /// Runs the body until the scope ends. If the body throws, the scope ends for the other workers too.
    template <class Body> void work(int pe, Body &body) {
        try {
            Buffer<T> elements(chunk_);
            while (const int64_t count = take(elements)) {
                if constexpr (std::is_invocable<Body &, int, T *, int64_t>::value)
                    body(pe, elements.data(), count);
                else
                    for (int64_t i = 0; i < count; ++i)
                        body(pe, elements[i]);
                finish();
            }
        } catch (...) {
            end();
            throw;
        }
    }

private:
    /// Elements for one run of the body; 0 once the scope has ended. Sleeps while there are none but others may still push.
    int64_t take(T *elements) {
        for (;;) {
            if (halt_()) {
                end();
                return 0;
            }
            const LockGuard guard(stream_.mutex_);
            if (ended_)
                return 0;
            if (const int64_t count = stream_.takeSome(elements, chunk_)) {
                ++busy_;
                return count;
            }
            if (busy_ == 0) {
                ended_ = true;
                stream_.changed_.notifyAll();
                return 0;
            }
            stream_.changed_.wait(stream_.mutex_);
        }
    }

    /// A body has returned: what it pushed is in the stream.
    void finish() {
        const LockGuard guard(stream_.mutex_);
        --busy_;
        if (busy_ == 0 && stream_.ring_.size() == 0)
            stream_.changed_.notifyAll();
    }

    void end() {
        const LockGuard guard(stream_.mutex_);
        ended_ = true;
        stream_.changed_.notifyAll();
    }

    Stream<T> &stream_;
    const int64_t chunk_;
    Halt halt_;
    int64_t busy_ = 0; // running bodies; guarded by the stream's mutex, as is ended_
    bool ended_ = false;
};

template <class T, class Halt, class Body> void consume(Stream<T> &stream, int64_t workers, int64_t chunk, Halt halt, Body body) {
    Consumer<T, Halt> consumer(stream, chunk, halt);
    DeferredError error;
    [[maybe_unused]] const int threads = workers > 1 ? static_cast<int>(workers) : 1;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
#endif
    error.run([&] { consumer.work(workerIndex(), body); });
    error.rethrow();
}

template <class T, class Body> void consume(Stream<T> &stream, int64_t workers, int64_t chunk, Body body) {
    consume(
        stream, workers, chunk, [] { return false; }, body);
}

} // namespace sdfgc::rt
