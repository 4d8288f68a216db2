// A value, or the reason why there is none. For functions that deal with the outside world (files, processes,
// compressed data), in which failure is normal and the caller turns the reason into a diagnostic with a location.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace sdfgc {

/// Why something failed: one line, lower case, no full stop, with the relevant names and values.
struct Failure {
    std::string message;
};

template <class T> class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Result(Failure failure) : content_(std::in_place_index<1>, std::move(failure)) {}

    explicit operator bool() const { return content_.index() == 0; }
    /// Returns the value; there must be one. A temporary's value is moved out, so that `for (x : *f())` iterates over a
    /// live object.
    T &operator*() & { return value(); }
    const T &operator*() const & { return const_cast<Result *>(this)->value(); }
    T operator*() && { return std::move(value()); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &**this; }
    /// Returns the reason; there must be no value.
    const std::string &error() const {
        assert(content_.index() == 1);
        return std::get_if<1>(&content_)->message;
    }

private:
    T &value() {
        assert(content_.index() == 0);
        return *std::get_if<0>(&content_);
    }
    std::variant<T, Failure> content_;
};

/// Success, or the reason of the failure.
template <> class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Failure failure) : failure_(std::move(failure)) {}
    explicit operator bool() const { return !failure_; }
    const std::string &error() const {
        assert(failure_);
        return failure_->message;
    }

private:
    std::optional<Failure> failure_;
};

} // namespace sdfgc
