// The border between a generated library and its host: exported symbols and errors.
//
// A library never exits, aborts or throws into its host. Every exported function runs its body in guard(), which turns an exception
// into a code and a message in the program's own ErrorState; nothing is global, so programs do not see each other's errors.
#pragma once

#include "sdfgc/rt/export.h"

#include <exception>
#include <new>

namespace sdfgc::rt {

/// The first error of a program since clear(). Any thread may set it; read it after the threads have joined.
struct ErrorState {
    static constexpr int messageSize = 512;

    int code = NoError;
    char message[messageSize] = ""; // cut to fit, always terminated

    /// Keeps the error if it is the first one. Safe from several threads at once.
    void set(int newCode, const char *text) noexcept {
        if (newCode == NoError || __atomic_exchange_n(&taken, 1, __ATOMIC_ACQ_REL) != 0)
            return;
        int length = 0;
        for (; text && text[length] && length < messageSize - 1; ++length)
            message[length] = text[length];
        message[length] = '\0';
        __atomic_store_n(&code, newCode, __ATOMIC_RELEASE);
    }

    void clear() noexcept {
        code = NoError;
        message[0] = '\0';
        taken = 0;
    }

    bool failed() const noexcept { return __atomic_load_n(&code, __ATOMIC_ACQUIRE) != NoError; }

private:
    int taken = 0;
};

/// Why the last initialiser on this thread failed to create a handle.
inline thread_local ErrorState initialisationError;

/// The code of a program's error; without a program, of the error that prevented its creation.
inline int errorCode(const ErrorState *state) noexcept {
    return state ? state->code : initialisationError.failed() ? initialisationError.code : static_cast<int>(OutOfMemory);
}
/// The text of a program's error; without a program, of the error that prevented its creation.
inline const char *errorMessage(const ErrorState *state) noexcept {
    return state ? state->message : initialisationError.failed() ? initialisationError.message : "there is not enough memory";
}

/// An error that carries its own code, for generated code and expansions: `throw Error(DeviceError, text)`. Its text is a copy, cut
/// to fit.
class Error : public std::exception {
public:
    Error(int code, const char *text) noexcept : code_(code) {
        int length = 0;
        for (; text && text[length] && length < ErrorState::messageSize - 1; ++length)
            text_[length] = text[length];
        text_[length] = '\0';
    }
    int code() const noexcept { return code_; }
    const char *what() const noexcept override { return text_; }

private:
    int code_;
    char text_[ErrorState::messageSize];
};

/// Runs `body` and records an exception that leaves it. Returns the code of `state`, so errors that were set earlier or without an
/// exception also make the call fail.
template <class Body> int guard(ErrorState &state, Body &&body) noexcept {
    try {
        body();
    } catch (const Error &error) {
        state.set(error.code(), error.what());
    } catch (const std::bad_alloc &) {
        state.set(OutOfMemory, "out of memory");
    } catch (const std::exception &error) {
        state.set(ProgramError, error.what());
    } catch (...) {
        state.set(ProgramError, "unknown exception");
    }
    return state.failed() ? state.code : static_cast<int>(NoError);
}

} // namespace sdfgc::rt
