// The elements that targets accept, by family: the table Accepted.def.
#pragma once

#include "sdfgc/IR/Enums.h"
#include "sdfgc/Pass/Target.h"

#include <string_view>

namespace sdfgc::pass {

/// A result of the table Accepted.def.
struct Acceptance {
    enum Kind : uint8_t { Allowed, Lowered, Other, Nobody };
    Kind kind = Allowed;
    std::string_view pass = {};   // Lowered: the pass that removes it
    Family family = Family::Host; // Other: the family that accepts it
    /// Can a program that contains it be compiled?
    bool isFine() const { return kind == Allowed || kind == Lowered; }
    /// May it occur when the program is lowered?
    bool isAllowed() const { return kind == Allowed; }
};
Acceptance accepted(ir::Schedule s, Family f);
Acceptance accepted(ir::Storage s, Family f);
Acceptance accepted(ir::Language l, Family f);

/// Returns an alternative to something that no target accepts, for hints.
std::string_view insteadOf(ir::Schedule s);
std::string_view insteadOf(ir::Storage s);
std::string_view insteadOf(ir::Language l);

} // namespace sdfgc::pass
