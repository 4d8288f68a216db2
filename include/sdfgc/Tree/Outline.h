// Outlines a block of statements into a function whose parameters are the outer variables that the block uses.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <functional>

namespace sdfgc::tree {

struct Outlined {
    std::unique_ptr<Function> function;
    std::vector<Call::Argument> arguments; // for the parameters of the function, in terms of the caller
};

/// Why a variable cannot be passed to the new function.
enum class Obstacle : uint8_t {
    Written, // a value of the caller is changed inside the block
    Kind,    // a structure, stream or callback
};

/// How values and the program's state are passed.
enum class Handover : uint8_t {
    ByValue,     // everything by value; values that are changed inside are refused
    ByReference, // values that are changed inside are passed by reference; the new function may receive the state
};

/// Moves `body` out of `from`, whose variables and references it uses; `from` may get new references for the arguments.
/// Arrays are passed as pointers, values by value; both are const if the body does not change them. `typeOf` returns
/// the type of a caller's variable that is known only by name, or void for names visible everywhere. `refuse` is called
/// for each variable that cannot be passed.
Outlined outline(Function &from, Block body, Name name, const std::function<Type(Name)> &typeOf,
                 const std::function<void(const Variable &, Obstacle)> &refuse, Handover handover = Handover::ByValue);

} // namespace sdfgc::tree
