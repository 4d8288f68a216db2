// Names of the functions of a program: kernels, and nested SDFGs that become functions.
//
// They are in the global scope, so no variable of any function may have the same name, which would shadow the function, nor may a
// C++ keyword or a C function.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <set>
#include <string>

namespace sdfgc::tree::lowering {

/// A label as an identifier: other characters become `_`; adds `prefix` if the result would not be an identifier otherwise.
std::string identifierOf(std::string_view label, const char *prefix);

/// The names that functions of a program have so far.
class FunctionNames {
public:
    /// No names yet. `root`: its containers and symbols must not be shadowed; they are read at the first take().
    explicit FunctionNames(const ir::SDFG &root) : root_(root) {}

    /// A name that no function, container or symbol has, and which is reserved from then on: `wanted` if it is free; with `suffix`
    /// if it is a C++ keyword, a container or a symbol; with a number if it is a function.
    Name take(std::string wanted, const char *suffix);

private:
    /// Containers and symbols of all SDFGs, once.
    void readVariables();

    const ir::SDFG &root_;
    std::set<std::string> taken_;
    std::set<std::string> variables_;   // containers and symbols of all SDFGs: variables that would shadow a function
    std::map<std::string, int> copies_; // number of requests for each name that was taken
};

} // namespace sdfgc::tree::lowering
