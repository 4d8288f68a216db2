// How often loops run: one reader of what their headers say, and formulas for the number of iterations.
//
//     i = first; i REL bound; i = i + step        iteration number k = 0 ... n-1 has i = first + k*step
//
//     <,  step > 0     n = max(0, ceil((bound - first) / step))
//     <=, step > 0     n = max(0, floor((bound - first) / step) + 1)
//     >,  step < 0     n = max(0, ceil((first - bound) / -step))
//     >=, step < 0     n = max(0, floor((first - bound) / -step) + 1)
//     !=               n = (bound - first) / step, where it is known to be a whole number that is not negative
//     inverted         max(1, n) where the update comes before the condition, else n + 1
//     C1 and C2        the least n of the tests that can be counted; a bound if there is any other
//     break, return    a bound
//     not (C)          as the opposite of C
//     while i < n      as if the body's only i = i + step were the update; first is i
//
// Formulas hold at the entry of the loop: they read symbols, and containers of integers (`K[0]`), as they are there.
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
/// The reason as a clause of a sentence: `the sign of its step is not known`.
std::string_view text(Uncounted why);

/// What a loop says of its variable. `why` is No, NoVariable, OtherLanguage, First or Step; parts that come later are then unset.
struct Progression {
    Uncounted why = Uncounted::No;
    Name variable;
    sym::Expr first, step;       // neither depends on the variable
    std::vector<LoopTest> tests; // of the variable, as far as the condition is a conjunction of them
    bool whole = true;           // the condition says nothing else
};
/// Reads the header of a loop; what is in the loop does not count. `2*i < N` is a test as well: `i < ceil(N/2)`. Quotients that are not
/// rounded (`N / 2`) are not read, as they mean something else in code.
Progression progressionOf(const ir::LoopRegion &l);
/// The same for `while it < n` whose body assigns `it = it + step` once in each iteration, on one edge that all ways lead over. `first` is
/// the symbol itself: its value at the entry. In order of their names.
std::vector<Progression> progressionsInside(const ir::LoopRegion &l);

/// The iterations of a loop. Where `why` is not No there is nothing else.
struct TripCount {
    Uncounted why = Uncounted::No;
    Name variable;
    sym::Expr first, step; // of the variable
    sym::Expr count;       // never negative
    bool exact = true;     // the loop runs so often; else: at most so often
    /// Names in `first` that the body assigns or writes: `first` is what it was at the entry.
    std::vector<Name> changing;

    bool counted() const { return why == Uncounted::No; }
};
/// `facts`: of the symbols where the loop stands (factsOf); signs of steps and the order of ends follow from them. Looks at all that is in
/// the loop. A loop that cannot end (`i = 0; i != -1; i = i + 1`) has no count.
TripCount tripCountOf(const ir::LoopRegion &l, const sym::Assumptions &facts = {});

} // namespace sdfgc::analysis
