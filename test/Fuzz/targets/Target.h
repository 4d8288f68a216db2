// What a fuzz target is: a reader of sdfgc, and what must hold of it for any bytes whatsoever.
//
// Every file beside this one is one target. It is linked to one of two mains: that of libFuzzer (LibFuzzer.cpp), which finds inputs
// by itself, and the one of Standalone.cpp, which runs the corpus and some damaged copies of it, with any compiler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sdfgc::fuzz {

/// Runs one input. Calls broken() where a promise is not kept.
void runInput(std::string_view input);

/// A damaged copy of an input, in a way that leaves much for the target to read; what is put in has `most` bytes at most. The same
/// seed damages in the same way.
std::string damaged(const std::string &input, uint64_t seed, std::size_t most);

/// Says which promise is not kept, with what shows it, and ends the process as a failed assertion does.
[[noreturn]] void broken(std::string_view promise, std::string_view detail);

inline void require(bool kept, std::string_view promise, std::string_view detail) {
    if (!kept)
        broken(promise, detail);
}

} // namespace sdfgc::fuzz
