// NVIDIA's libraries that C++ tasklets call, which an expansion of DaCe wrote into the graph.
#pragma once

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

/// The libraries that one of `texts` mentions, in the order of their names.
std::vector<DeviceLibrary> mentionedLibraries(const std::vector<std::vector<std::string>> &texts);

} // namespace sdfgc::targets
