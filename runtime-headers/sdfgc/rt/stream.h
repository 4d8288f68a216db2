// Streams: first-in first-out queues between parts of a program (sdfg-format 3.6).
//
// Rules: a Stream is unbounded; a buffer size is a capacity hint. Any number of threads may push and pop. pop() waits for an
// element; popping several takes the available elements, without waiting, because the dataflow edge that reads the stream comes
// after all pushes to it. A stream that is only filled by code and drained into one array needs no queue: an ArrayStreamView
// appends to the array itself. Elements are plain data (scalars, complex numbers, vectors, structs).
#pragma once

#include "sdfgc/rt/buffer.h"
#include "sdfgc/rt/config.h"
#include "sdfgc/rt/threads.h"

#include <cstdint>

namespace sdfgc::rt {

template <class T, class Halt> class Consumer; // consume.h

/// The array itself, with a counter: push() appends. ArrayStreamView may be used by several threads, ArrayStreamViewThreadlocal by
/// one.
template <class T, bool shared> class BasicArrayStreamView {
public:
    explicit BasicArrayStreamView(T *sink) : array_(sink) {}

    void push(const T &element) { array_[claim(1)] = element; }
    void push(const T *elements, int64_t count) { copy(elements, count, claim(count)); }
    template <bool other> void push(const BasicArrayStreamView<T, other> &view) { push(view.data(), view.size()); }
    template <int N> void push(const Vec<T, N> &element) { push(element.lane, N); }
    template <int N> void push(const Vec<T, N> *elements, int64_t count) { push(elements->lane, N * count); }

    void push_if(const T &element, bool condition) {
        if (condition)
            push(element);
    }
    /// The elements whose mask is set, next to each other.
    template <int N, class M> void push_if(const Vec<T, N> &element, const Vec<M, N> &mask) {
        int64_t count = 0;
        for (int i = 0; i < N; ++i)
            count += mask[i] ? 1 : 0;
        T *to = array_ + claim(count);
        for (int i = 0; i < N; ++i)
            if (mask[i])
                *to++ = element[i];
    }

    const T *data() const { return array_; }
    int64_t size() const { return shared ? __atomic_load_n(&count_, __ATOMIC_RELAXED) : count_; }

private:
    /// The first of `count` positions that now belong to the caller.
    int64_t claim(int64_t count) {
        if constexpr (shared)
            return __atomic_fetch_add(&count_, count, __ATOMIC_RELAXED);
        count_ += count;
        return count_ - count;
    }
    void copy(const T *from, int64_t count, int64_t at) {
        if (count > 0)
            __builtin_memcpy(static_cast<void *>(array_ + at), from, static_cast<std::size_t>(count) * sizeof(T));
    }

    T *array_;
    int64_t count_ = 0;
};
template <class T> using ArrayStreamView = BasicArrayStreamView<T, true>;
template <class T> using ArrayStreamViewThreadlocal = BasicArrayStreamView<T, false>;

namespace detail {

/// A growing ring of elements; not thread-safe.
template <class T> class Ring {
public:
    explicit Ring(int64_t capacity) : storage_(capacity) {}

    int64_t size() const { return size_; }

    void append(const T *elements, int64_t count) {
        if (size_ + count > storage_.size())
            grow(size_ + count);
        int64_t tail = first_ + size_;
        if (tail >= storage_.size())
            tail -= storage_.size();
        const int64_t beforeEnd = storage_.size() - tail < count ? storage_.size() - tail : count;
        copy(storage_ + tail, elements, beforeEnd);
        copy(storage_.data(), elements + beforeEnd, count - beforeEnd);
        size_ += count;
    }

    /// Moves the first `count` elements to `out`; there are as many.
    void take(T *out, int64_t count) {
        read(out, count);
        size_ -= count;
        first_ += count;
        if (first_ >= storage_.size())
            first_ -= storage_.size();
    }

private:
    void read(T *out, int64_t count) const {
        const int64_t beforeEnd = storage_.size() - first_ < count ? storage_.size() - first_ : count;
        copy(out, storage_ + first_, beforeEnd);
        copy(out + beforeEnd, storage_.data(), count - beforeEnd);
    }
    void grow(int64_t needed) {
        int64_t capacity = storage_.size() < 16 ? 16 : storage_.size();
        while (capacity < needed)
            capacity *= 2;
        Buffer<T> larger(capacity);
        read(larger, size_);
        storage_.swap(larger);
        first_ = 0;
    }
    static void copy(T *to, const T *from, int64_t count) {
        if (count > 0)
            __builtin_memcpy(static_cast<void *>(to), from, static_cast<std::size_t>(count) * sizeof(T));
    }

    Buffer<T> storage_;
    int64_t first_ = 0, size_ = 0;
};

} // namespace detail

template <class T> class Stream {
public:
    explicit Stream(int64_t capacity = 0) : ring_(capacity) {}
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;

    /// Appends in order; no other thread's elements come in between. Throws std::bad_alloc.
    void push(const T *elements, int64_t count) {
        if (count <= 0)
            return;
        const LockGuard guard(mutex_);
        ring_.append(elements, count);
        if (count == 1)
            changed_.notifyOne();
        else
            changed_.notifyAll();
    }
    void push(const T &element) { push(&element, 1); }
    template <bool shared> void push(const BasicArrayStreamView<T, shared> &view) { push(view.data(), view.size()); }
    template <int N> void push(const Vec<T, N> &element) { push(element.lane, N); }
    void push_if(const T &element, bool condition) {
        if (condition)
            push(element);
    }

    /// The next element; waits until there is one.
    T pop() {
        T element;
        pop(element);
        return element;
    }
    void pop(T &out) {
        const LockGuard guard(mutex_);
        while (ring_.size() == 0)
            changed_.wait(mutex_);
        ring_.take(&out, 1);
    }

    /// Up to `count` elements, as many as there are; returns their number.
    int64_t pop(T *out, int64_t count) {
        const LockGuard guard(mutex_);
        return takeSome(out, count);
    }

    /// The next element if there is one.
    bool pop_try(T &out) { return pop(&out, 1) == 1; }

    int64_t size() const {
        const LockGuard guard(mutex_);
        return ring_.size();
    }
    bool empty() const { return size() == 0; }

private:
    template <class U, class Halt> friend class Consumer;

    /// The caller holds the mutex.
    int64_t takeSome(T *out, int64_t count) {
        const int64_t taken = ring_.size() < count ? ring_.size() : count;
        if (taken <= 0)
            return 0;
        ring_.take(out, taken);
        return taken;
    }

    mutable Mutex mutex_;
    Condition changed_; // an element came, or a consume scope ended
    detail::Ring<T> ring_;
};

/// An array of streams whose length is known at run time only (a stream container whose shape has symbols).
template <class T> class StreamArray {
public:
    explicit StreamArray(int64_t count, int64_t capacity = 0) : size_(count > 0 ? count : 0), streams_(new Stream<T> *[size_]()) {
        try {
            for (int64_t i = 0; i < size_; ++i)
                streams_[i] = new Stream<T>(capacity);
        } catch (...) {
            destroy();
            throw;
        }
    }
    StreamArray(const StreamArray &) = delete;
    StreamArray &operator=(const StreamArray &) = delete;
    ~StreamArray() { destroy(); }

    Stream<T> &operator[](int64_t index) { return *streams_[index]; }
    int64_t size() const { return size_; }

private:
    void destroy() noexcept {
        for (int64_t i = 0; i < size_; ++i)
            delete streams_[i];
        delete[] streams_;
    }

    int64_t size_;
    Stream<T> **streams_;
};

} // namespace sdfgc::rt

namespace dace {
using sdfgc::rt::ArrayStreamView;
using sdfgc::rt::ArrayStreamViewThreadlocal;
using sdfgc::rt::Stream;
} // namespace dace
