// Loop headers: the values that a loop's variable takes, and the trip count.
//
//     i = first; i REL bound; i = i + step        iteration number k = 0 ... n-1 has i = first + k*step
//
// `end` is the last value that passes the test: bound - 1 for <, bound for <= and >=, bound + 1 for >. An iteration need
// not reach it. The trip count follows from it:
//
//     step > 0         n = max(0, ceil((end - first + 1) / step))
//     step < 0         n = max(0, ceil((first - end + 1) / -step))
//     !=               n = (bound - first) / step, if that is known to be a non-negative integer
//     inverted         max(1, n) if the update comes before the condition, else n + 1
//     C1 and C2        the minimum n of the tests that can be counted; a bound if there are others
//     break, return    a bound
//     not (C)          the opposite of C
//     while i < n      as if the body's only i = i + step were the update; first is i
//
// Three readers fill one LoopHeader, each for another question:
//
//     headerOf         What does the text of the header say? `end` is set for the usual form only.
//     tripCountOf      How often does the loop run? Also inspects the body, for `count`, which is valid at the entry.
//     countedLoop      Do the same values and trip count hold in all of its iterations? Only then can it be reversed.
#pragma once

#include "sdfgc/Analysis/Dependences/Dependences.h"
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Tasklet/Ast.h"

#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace sdfgc::analysis {

/// A part of a loop's condition: `variable relation bound`.
struct LoopTest {
    sym::SymbolicKind relation; // Lt, Le, Gt, Ge, Ne
    sym::Expr bound;            // does not depend on the variable

    /// Does the test end a loop that counts in a direction?
    bool bounds(bool down) const;
    /// The last value that passes such a test.
    sym::Expr end() const;
};

/// Reads `left OP right` as a test of a variable: `2*i < N` is `i < ceil(N/2)`. Nothing if it has no such form.
std::optional<LoopTest> testOf(py::Op op, sym::Expr left, sym::Expr right, Name variable);

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

struct LoopHeader {
    /// Of headerOf: No, NoVariable, OtherLanguage, First or Step; members below that could not be read are unset. Of
    /// tripCountOf: any reason why `count` is undefined.
    Uncounted why = Uncounted::No;
    Name variable;
    sym::Expr first, step;       // neither depends on the variable
    bool down = false;           // the step is negative; if its sign is not known, there is no `end`
    std::vector<LoopTest> tests; // tests of the variable, if the condition is a conjunction of them
    bool whole = true;           // the condition contains nothing else
    sym::Expr end = sym::Expr::undefined();
    sym::Expr count = sym::Expr::undefined(); // the trip count, if another formula than that of `end`; never negative
    bool exact = true;                        // otherwise `end` and `count` are bounds: the loop may stop earlier
    /// Names in `first` that the body assigns or writes: `first` refers to their values at the entry.
    std::vector<Name> changing;

    bool hasEnd() const { return !end.isUndefined(); }
    bool counted() const { return !count.isUndefined(); }

    /// The number of iterations, or its upper bound; a negative number means none. Requires an end.
    sym::Expr trips() const { return counted() ? count : tripsTo(end); }
    /// The same for another end.
    sym::Expr tripsTo(sym::Expr last) const;
    /// The same, or a constant that bounds it for all values of symbols: for the last segment of a loop.
    sym::Expr room() const;
    /// The number of an iteration, from 0, in terms of the variable.
    sym::Expr number() const;
    /// The value of the variable in an iteration.
    sym::Expr valueIn(sym::Expr iteration) const { return first + step * iteration; }
    /// The value in the last iteration, if there is one.
    sym::Expr last() const;
    /// The value after the loop.
    sym::Expr after() const;
    /// The values in the order in which the loop runs: the step may be negative, the end undefined.
    sym::Range walk() const;
    /// The values from lowest to highest.
    sym::Range range() const;
    LoopLevel level() const { return {variable, walk()}; }

    /// The variable, and the symbols and containers that determine its values.
    std::set<Name> names() const;
    /// Do the values depend only on integer symbols, and not on the contents of containers?
    bool isOfIntegers(const ir::SDFG &g) const;

private:
    bool isUnit() const { return step.isConstant(down ? -1 : 1); }
};

/// Reads the header of a loop, ignoring its body. Unrounded quotients (`N / 2`) are not supported, because they have
/// another meaning in code. There is an end if the loop tests it before each
/// iteration, tests nothing else, has a constant step, and all values are integers.
LoopHeader headerOf(const ir::LoopRegion &l);
/// The same for `while it < n` whose body assigns `it = it + step` exactly once per iteration, on an edge that all
/// paths cross. `first` is the symbol itself, with its value at the entry; there is no end. Sorted by name.
std::vector<LoopHeader> headersInside(const ir::LoopRegion &l);
/// Is the header of a loop `i = first; i REL end`, both evaluated whenever the loop is reached?
bool hasPlainHeader(const ir::LoopRegion &l);

/// `facts`: about the symbols at the loop (factsOf); they determine signs of steps and the order of bounds. A loop that
/// cannot end (`i = 0; i != -1; i = i + 1`) has no count. Formulas use the values of symbols, and of integer containers
/// (`K[0]`), at the entry of the loop.
LoopHeader tripCountOf(const ir::LoopRegion &l, const sym::Assumptions &facts = {});

/// A loop with integers as first value, step and end, which it does not change. Or a loop without such an end: only its
/// condition ends it.
struct CountedLoop : LoopHeader {
    ir::LoopRegion *region = nullptr;
};
/// Returns nothing if the loop has another form.
std::optional<CountedLoop> countedLoop(ir::LoopRegion &l);
/// Returns all loops around a region, including itself, outermost first; nothing if one of them has another form.
std::optional<std::vector<CountedLoop>> countedLoopsAround(ir::Region &r);
/// Returns the loops around a region, including the region itself, outermost first. Omits loops without an end of
/// integers (headerOf), and loops whose body changes their variable or bounds.
std::vector<LoopLevel> loopsAround(const ir::Region &r);

/// Is a value an integer, given the types of symbols and containers? Without a graph, they are taken to be integers:
/// `sqrt(N)` and `0.5 * N` are not, and a loop up to them has one more iteration than to the integer below.
bool isInteger(sym::Expr e, const ir::SDFG *g = nullptr);

} // namespace sdfgc::analysis
