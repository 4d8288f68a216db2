// A block of statements becomes a function of its own: what it uses from around becomes parameters.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <functional>

namespace sdfgc::tree {

struct Outlined {
    std::unique_ptr<Function> function;
    std::vector<Call::Argument> arguments; // for the function's parameters, in the caller's terms
};

/// Why a variable cannot be handed to the new function.
enum class Obstacle : uint8_t {
    Written, // a value of the caller is changed inside
    Kind,    // a structure, stream or callback
};

/// What becomes of values and of what lives in the program's state.
enum class Handover : uint8_t {
    ByValue,     // everything by value; a value that is changed inside is refused
    ByReference, // values that are changed inside by reference; the new function may take the state
};

/// Moves `body` out of `from` (whose variables and references it names; `from` may get new references for the arguments). Arrays
/// are passed as pointers, values by value; both are const where the body does not change them. `typeOf` says the type of a
/// variable of the caller that is only known by name, void for what is visible everywhere. `refuse` is called for each variable
/// that cannot be passed.
Outlined outline(Function &from, Block body, Name name, const std::function<Type(Name)> &typeOf,
                 const std::function<void(const Variable &, Obstacle)> &refuse, Handover handover = Handover::ByValue);

} // namespace sdfgc::tree
