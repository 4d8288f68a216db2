// One library for several kinds of processors: the source that callers enter, and the names of the functions behind it.
//
// All other sources are compiled once for each level, which is an instruction set named as for -march. The macro
// SDFGC_LEVEL is the level's name then, and becomes part of the names of the program's functions. The dispatcher is
// compiled for every processor of the family. It asks the processor once and forwards each call to one level. A library
// for a single kind of processor has a dispatcher, too: on other processors, initialise fails with an error message
// where the program's own code would stop at an illegal instruction.
//
// Without SDFGC_LEVEL and without the dispatcher, the sources are a complete program by themselves.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <string>
#include <utility>
#include <vector>

namespace sdfgc::codegen {

/// A function of the C interface.
struct EntryPoint {
    std::string result; // `void`, `const char *`
    std::string name;
    bool takesHandle = true;                                     // its first parameter
    std::vector<std::pair<std::string, std::string>> parameters; // with their names: {"int streamid", "streamid"}
    std::vector<std::string> body = {};                          // statements, for those that a target adds
    std::string alias = {};                                      // another name of the function; empty: there is none

    /// The parameters in parentheses, with `handle` as type of the first one: `(State *__state, int streamid)`.
    std::string parameterList(const std::string &handle) const;
    /// The arguments of a call that passes them on: `__state, streamid`.
    std::string arguments() const;
};

/// The functions that the program's own code defines, in the order of the header. A target adds others.
std::vector<EntryPoint> entryPoints(const tree::Module &m);

/// Returns NAME_level.h: new names for the entry points where SDFGC_LEVEL is set, and the structure that lists them.
std::string levelHeader(const tree::Module &m, const std::vector<EntryPoint> &entries);
/// Returns the lines at the end of the sources that fill in this structure.
std::string levelTable(const tree::Module &m, const std::vector<EntryPoint> &entries);
/// Returns NAME_dispatch.cpp.
std::string dispatcher(const tree::Module &m, const std::vector<EntryPoint> &entries);

} // namespace sdfgc::codegen
