// The kind of target that a --target name means, and what such targets accept: replaces comparisons of names.
#pragma once

#include "sdfgc/IR/Enums.h"
#include "sdfgc/Platform/Dialects.h"

#include <optional>
#include <string>
#include <string_view>

namespace sdfgc::pass {

enum class Family : uint8_t {
    Host, // processors only
    Gpu,  // processors and a device
};

/// The traits of a target name. The name of a GPU target is that of its dialect (Platform/Dialects.def); all others are
/// host targets.
struct TargetTraits {
    Family family = Family::Host;
    const platform::Dialect *dialect = nullptr; // of the device sources; null for the family Host
};
TargetTraits traitsOf(std::string_view target);

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
