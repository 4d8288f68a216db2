// Functions of a program's C interface, and the codes that they return. It includes nothing.
#pragma once

// A function of the C interface. All other symbols of a library are hidden, and so are these functions where a dispatcher (level.h)
// exports functions of the same names.
#ifdef SDFGC_LEVEL
#define SDFGC_EXPORT extern "C" __attribute__((visibility("hidden")))
#else
#define SDFGC_EXPORT extern "C" __attribute__((visibility("default")))
#endif

// Makes a declared function another name of `function`, which may be a macro.
#define SDFGC_ALIAS(function) SDFGC_ALIAS_OF(function)
#define SDFGC_ALIAS_OF(function) __attribute__((alias(#function)))

namespace sdfgc::rt {

/// What an exported function returns and ErrorState::code holds.
enum ErrorCode : int {
    NoError = 0,
    OutOfMemory = 1,          // std::bad_alloc
    ProgramError = 2,         // any other exception; the message is its what()
    DeviceError = 3,          // a GPU runtime or library call failed
    InvalidArgument = 4,      // the caller passed an invalid argument
    UnsupportedProcessor = 5, // the library has no code for this processor
};

} // namespace sdfgc::rt
