// Names of the functions of a program: kernels and nested SDFGs that are functions of their own.
//
// They stand at global scope, so no variable of any function may have the name, or it would hide the function; and no word of C++
// or function of C may be spelled the same.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <set>
#include <string>

namespace sdfgc::tree::lowering {

/// A label as an identifier: other characters become `_`; `prefix` stands in front where it would be none otherwise.
std::string identifierOf(std::string_view label, const char *prefix);

/// The names that functions of a program have so far.
class FunctionNames {
public:
    /// No names yet. `root`: whose containers and symbols must not be hidden; read at the first take().
    explicit FunctionNames(const ir::SDFG &root) : root_(root) {}

    /// A name that no function, container or symbol has, and which is taken from then on: `wanted` if it is free; with `suffix`
    /// where a word of C++, a container or a symbol has it; with a number where a function has it.
    Name take(std::string wanted, const char *suffix);

private:
    /// Containers and symbols of all SDFGs, once.
    void readVariables();

    const ir::SDFG &root_;
    std::set<std::string> taken_;
    std::set<std::string> variables_;   // containers and symbols of all SDFGs: variables that would hide a function
    std::map<std::string, int> copies_; // how many have asked for a name that was taken
};

} // namespace sdfgc::tree::lowering
