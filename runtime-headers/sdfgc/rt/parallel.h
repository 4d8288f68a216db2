// Helpers for OpenMP regions: the worker's number, and exceptions that would otherwise end the process.
//
// An exception must not leave an OpenMP region. Where the body of a parallel loop can throw (it allocates a container per
// iteration, say), generated code runs it through a DeferredError and rethrows after the region:
//
//     sdfgc::rt::DeferredError error;
//     #pragma omp parallel for
//     for (int64_t i = 0; i < N; ++i)
//         error.run([&] { ... });
//     error.rethrow();
#pragma once

#include <exception>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace sdfgc::rt {

/// The first exception of a parallel region; iterations that start after it are skipped.
class DeferredError {
public:
    template <class Body> void run(Body &&body) noexcept {
        if (__atomic_load_n(&failed_, __ATOMIC_RELAXED))
            return;
        try {
            body();
        } catch (...) {
            if (!__atomic_exchange_n(&failed_, true, __ATOMIC_ACQ_REL))
                first_ = std::current_exception();
        }
    }

    /// Call it after the region, where one thread runs. Does nothing if nothing failed.
    void rethrow() const {
        if (first_)
            std::rethrow_exception(first_);
    }

private:
    bool failed_ = false;
    std::exception_ptr first_;
};

/// Number of this thread in the innermost parallel region: 0 outside of one, and without OpenMP.
inline int workerIndex() noexcept {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/// Number of threads of the innermost parallel region.
inline int workerCount() noexcept {
#ifdef _OPENMP
    return omp_get_num_threads();
#else
    return 1;
#endif
}

} // namespace sdfgc::rt
