// What targets take, by their family: the table Accepted.def.
#pragma once

#include "sdfgc/IR/Enums.h"
#include "sdfgc/Pass/Target.h"

#include <string_view>

namespace sdfgc::pass {

/// The answer of the table Accepted.def.
struct Acceptance {
    enum Kind : uint8_t { Allowed, Lowered, Other, Nobody };
    Kind kind = Allowed;
    std::string_view pass = {};   // Lowered: that takes it away
    Family family = Family::Host; // Other: that takes it
    /// Can a program with it be compiled?
    bool isFine() const { return kind == Allowed || kind == Lowered; }
    /// May the lowering meet it?
    bool isAllowed() const { return kind == Allowed; }
};
Acceptance accepted(ir::Schedule s, Family f);
Acceptance accepted(ir::Storage s, Family f);
Acceptance accepted(ir::Language l, Family f);

/// What to take instead of what no target takes: for hints.
std::string_view insteadOf(ir::Schedule s);
std::string_view insteadOf(ir::Storage s);
std::string_view insteadOf(ir::Language l);

} // namespace sdfgc::pass
