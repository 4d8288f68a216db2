// Mutex and condition variable on pthread primitives: <mutex> and <condition_variable> cost 0.4 s to parse, <pthread.h> 0.01 s.
// The subset of the standard classes that stream.h, consume.h and report.h need, with the standard meaning.
#pragma once

#include <pthread.h>

namespace sdfgc::rt {

class Mutex {
public:
    Mutex() = default;
    Mutex(const Mutex &) = delete;
    Mutex &operator=(const Mutex &) = delete;
    ~Mutex() { pthread_mutex_destroy(&handle_); }

    void lock() noexcept { pthread_mutex_lock(&handle_); }
    void unlock() noexcept { pthread_mutex_unlock(&handle_); }

private:
    friend class Condition;
    pthread_mutex_t handle_ = PTHREAD_MUTEX_INITIALIZER;
};

/// Holds a mutex until the end of the block.
class LockGuard {
public:
    explicit LockGuard(Mutex &mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
    LockGuard(const LockGuard &) = delete;
    LockGuard &operator=(const LockGuard &) = delete;
    ~LockGuard() { mutex_.unlock(); }

private:
    Mutex &mutex_;
};

class Condition {
public:
    Condition() = default;
    Condition(const Condition &) = delete;
    Condition &operator=(const Condition &) = delete;
    ~Condition() { pthread_cond_destroy(&handle_); }

    /// The caller holds `mutex`. May return without a notification: wait in a loop that tests the state.
    void wait(Mutex &mutex) noexcept { pthread_cond_wait(&handle_, &mutex.handle_); }
    void notifyOne() noexcept { pthread_cond_signal(&handle_); }
    void notifyAll() noexcept { pthread_cond_broadcast(&handle_); }

private:
    pthread_cond_t handle_ = PTHREAD_COND_INITIALIZER;
};

} // namespace sdfgc::rt
