// `--cpu`: the processors that a library is for.
//
// Each is an instruction set, named as for the compiler's -march. A library holds the program once for each of them
// (CodeGen/Levels.h). They are in ascending order: the last one that the processor can run is used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::package {

/// The architecture in a compiler's name for its target: `x86_64` in `x86_64-linux-gnu`.
std::string architectureOf(std::string_view machine);

/// Returns the instruction sets for `--cpu`: `portable` is replaced by those for an architecture, and by nothing if
/// sdfgc knows none.
std::vector<std::string> levelsOf(const std::vector<std::string> &cpu, std::string_view architecture);

/// Returns the instruction set that all processors of an architecture have; empty if sdfgc does not know it, and then
/// there is no dispatcher that could check others.
std::string baseline(std::string_view architecture);

/// Why `--cpu` cannot have this value; empty if it can.
std::string faultOf(const std::vector<std::string> &cpu);

/// The name of a level in code: `x86_64_v3`.
std::string levelName(std::string_view march);

/// Is this one of the user's flags that the dispatcher needs, such as sanitizers and debug information? Flags that choose
/// instructions must not reach it.
bool reachesDispatcher(std::string_view flag);
/// Is this a flag that chooses instructions or a processor (-march, -mavx2)?
bool choosesInstructions(std::string_view flag);

} // namespace sdfgc::package
