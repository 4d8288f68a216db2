// Trip counts: the reader of loop headers, and formulas for the number of iterations.
//
//     i = first; i REL bound; i = i + step        iteration number k = 0 ... n-1 has i = first + k*step
//
//     <,  step > 0     n = max(0, ceil((bound - first) / step))
//     <=, step > 0     n = max(0, floor((bound - first) / step) + 1)
//     >,  step < 0     n = max(0, ceil((first - bound) / -step))
//     >=, step < 0     n = max(0, floor((first - bound) / -step) + 1)
//     !=               n = (bound - first) / step, if that is known to be a non-negative integer
//     inverted         max(1, n) if the update comes before the condition, else n + 1
//     C1 and C2        the minimum n of the tests that can be counted; a bound if there are others
//     break, return    a bound
//     not (C)          the opposite of C
//     while i < n      as if the body's only i = i + step were the update; first is i
//
// Formulas are valid at the entry of the loop: they use the values of symbols, and of integer containers (`K[0]`), at
// that point.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <optional>
#include <string_view>
#include <vector>

namespace sdfgc::analysis {

/// A part of a loop's condition: `variable relation bound`.
struct LoopTest {
    sym::Kind relation; // Lt, Le, Gt, Ge, Ne
    sym::Expr bound;    // does not depend on the variable
};

/// Why the iterations of a loop cannot be counted.
enum class Uncounted : uint8_t {
    No, // they can
    NoVariable,
    OtherLanguage,
    First,
    Step,
    StepZero,
    StepSign,
    StepChanges,
    VariableChanges,
    NoTest,
    BoundChanges,
    Direction,
    MissesEnd,
    NoIntegers,
};
/// Returns the reason as a clause: `the sign of its step is not known`.
std::string_view text(Uncounted why);

/// The progression of a loop variable. `why` is No, NoVariable, OtherLanguage, First or Step; members that come after
/// the failing one are unset.
struct Progression {
    Uncounted why = Uncounted::No;
    Name variable;
    sym::Expr first, step;       // neither depends on the variable
    std::vector<LoopTest> tests; // tests of the variable, if the condition is a conjunction of them
    bool whole = true;           // the condition contains nothing else
};
/// Reads the header of a loop, ignoring its body. `2*i < N` also is a test: `i < ceil(N/2)`. Unrounded quotients (`N /
/// 2`) are not supported, because they have another meaning in code.
Progression progressionOf(const ir::LoopRegion &l);
/// The same for `while it < n` whose body assigns `it = it + step` exactly once per iteration, on an edge that all
/// paths cross. `first` is the symbol itself, with its value at the entry. Sorted by name.
std::vector<Progression> progressionsInside(const ir::LoopRegion &l);

/// The trip count of a loop. If `why` is not No, nothing else is set.
struct TripCount {
    Uncounted why = Uncounted::No;
    Name variable;
    sym::Expr first, step; // of the variable
    sym::Expr count;       // never negative
    bool exact = true;     // the exact trip count; otherwise an upper bound
    /// Names in `first` that the body assigns or writes: `first` refers to their values at the entry.
    std::vector<Name> changing;

    bool counted() const { return why == Uncounted::No; }
};
/// `facts`: about the symbols at the loop (factsOf); they determine signs of steps and the order of bounds. Inspects
/// the entire body. A loop that cannot end (`i = 0; i != -1; i = i + 1`) has no count.
TripCount tripCountOf(const ir::LoopRegion &l, const sym::Assumptions &facts = {});

} // namespace sdfgc::analysis
