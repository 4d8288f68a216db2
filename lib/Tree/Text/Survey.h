// How the variables of a function are called in text. A variable is called by its name wherever that means it; one that is used
// where it is not visible, or where another one of its name is (in trees that verify refuses, and members of fields), gets a
// number: `x'2`.
#pragma once

#include "Scope.h"

#include <string>

namespace sdfgc::tree::text {

struct Survey {
    std::vector<VarId> undeclared;                // used, but no statement declares them: fields, constants, members
    std::unordered_map<VarId, std::string> names; // of those that are not called by their name alone

    explicit Survey(const Function &f);
};

/// Can two variables that are declared nowhere stand for one another?
bool sameVariable(const Variable &a, const Variable &b);

} // namespace sdfgc::tree::text
