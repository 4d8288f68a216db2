// The names of a function's variables in text. A variable is printed by its name wherever that is unambiguous. If it is used where
// it is not visible, or where another variable of that name is (in trees that verify rejects, and for members of fields), it gets a
// number: `x'2`.
#pragma once

#include "Scope.h"

#include <string>

namespace sdfgc::tree::text {

struct Survey {
    std::vector<VarId> undeclared;                // used, but no statement declares them: fields, constants, members
    std::unordered_map<VarId, std::string> names; // of variables whose name alone is ambiguous

    explicit Survey(const Function &f);
};

/// Are two undeclared variables interchangeable?
bool sameVariable(const Variable &a, const Variable &b);

} // namespace sdfgc::tree::text
