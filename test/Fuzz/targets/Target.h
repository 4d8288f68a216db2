// A fuzz target: a reader of sdfgc, and the invariants that must hold for any sequence of bytes.
//
// Every file next to this one is one target. It is linked to one of two main functions: that of libFuzzer (LibFuzzer.cpp), which
// generates inputs itself, or that of Standalone.cpp, which runs the corpus and some damaged copies of it, with any compiler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sdfgc::fuzz {

/// Runs one input. Calls broken() if an invariant is violated.
void runInput(std::string_view input);

/// A damaged copy of an input, most of which the target can still read; inserted texts have at most `most` bytes. The same seed
/// gives the same damage.
std::string damaged(const std::string &input, uint64_t seed, std::size_t most);

/// Prints the violated invariant with the details, and ends the process like a failed assertion.
[[noreturn]] void broken(std::string_view promise, std::string_view detail);

inline void require(bool kept, std::string_view promise, std::string_view detail) {
    if (!kept)
        broken(promise, detail);
}

} // namespace sdfgc::fuzz
