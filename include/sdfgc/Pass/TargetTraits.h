// What kind of target a name of --target means, and what such targets take: questions that would otherwise compare names.
#pragma once

#include "sdfgc/IR/Enums.h"
#include "sdfgc/Platform/Dialects.h"

#include <optional>
#include <string>
#include <string_view>

namespace sdfgc::pass {

enum class Family : uint8_t {
    Host, // processors alone
    Gpu,  // a device beside them
};

/// Of a target, by its name. The name of a GPU target is that of its dialect (Platform/Dialects.def); every other one is for the host.
struct TargetTraits {
    Family family = Family::Host;
    const platform::Dialect *dialect = nullptr; // of the sources for a device; null for the family Host
};
TargetTraits traitsOf(std::string_view target);

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
