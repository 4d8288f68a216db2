// Libraries of the device: those that sdfgc's own expansions call, and NVIDIA's that C++ tasklets call which an expansion of DaCe
// wrote.
#pragma once

#include "sdfgc/Support/Name.h"

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::targets {

/// What a program needs whose code mentions a library.
struct DeviceLibrary {
    std::string_view mention; // in the user's code
    std::string_view include;
    std::string_view field; // of the program's state; empty: the code brings its own
    std::string_view library;
};

/// A runtime header, and an object of the program's state, that an environment of our expansions stands for.
struct DeviceService {
    std::string_view environment;
    std::string_view topic;   // of the runtime headers
    std::string_view field;   // empty: functions alone
    std::string_view library; // as docs/build.md has it; may be empty
};

/// Those that the environments of a program ask for, in the order of the state.
std::vector<DeviceService> neededServices(const std::vector<Name> &environments);

/// The libraries that one of `texts` mentions, in the order of their names.
std::vector<DeviceLibrary> mentionedLibraries(const std::vector<std::vector<std::string>> &texts);

} // namespace sdfgc::targets
