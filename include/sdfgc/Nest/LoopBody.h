// The body of a loop, whatever its control flow, as a list of accesses. It answers one question: do iterations depend on
// each other? Bodies that are only states and loops are items as well (LoopItems.h), and can be transformed; a body of
// this form can only become that of a map, as it is.
//
//     for i {                                         accesses of one iteration
//         k = idx[i] - lower                              read idx[i]
//         if (mask[i] > 0) {                              read mask[i]
//             for j = 0:k { A[i, j] = B[k] }              write A[i, j#1], read B[k#2], guarded by the arm
//         }                                               (k#2: a value of this iteration; j#1 = 0:k#2)
//     }
//
// Every symbol that the body assigns has a value at each point: an expression of loop variables and unchanging symbols,
// or a new name for a value that is not known (an element, a value after arms that differ). Such a name differs from
// iteration to iteration. A symbol whose value may be that of an earlier iteration is an obstacle, and so is one that
// is read after the loop.
//
// Guards are the arms of conditional blocks, and loops that may not run, around an access. They only remove instances
// of an access, so the test for conflicts ignores them. But a write covers a read only if its guards hold for the read.
#pragma once

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Flow/SymbolLiveness.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/Site.h"

namespace sdfgc::nest {

/// Control flow around an access: an arm of a conditional block, or (arm 0) a loop that may not run, or not to its end,
/// or what a `continue` may skip.
struct Guard {
    int block = 0, arm = 0;
    std::size_t loops = 0; // around it, as in BodyUse::loops
    friend auto operator<=>(const Guard &, const Guard &) = default;
};

/// An access in the body of a loop.
struct BodyUse {
    UseKind kind = UseKind::Read;
    analysis::Place place;
    Name data; // the container, or member of a structure, whose dimensions the subset has, as the SDFG of the loop names it
    analysis::AccessInstance instance; // in terms of the loop, which comes first, and of the loops inside it
    std::vector<int> loops;            // numbers that identify them
    std::vector<Guard> guards;         // outermost first
    bool certain = false;              // a write of every element of the subset, unless a guard prevents it
    std::string wcr;                   // the function of an update; empty if it must not be shared with other iterations
    std::size_t position = 0;          // block number k of the body is at 2k, the edge after it at 2k + 1
    Site site;
};

/// An element of a container that the loop does not write: the same value for the same index.
struct BodyElement {
    Name data; // as the SDFG of the loop names it
    std::vector<sym::Expr> at;
};

/// What the body of a loop does.
struct LoopBody {
    std::vector<BodyUse> uses;            // in program order
    std::map<int, int> arms;              // of conditional blocks with an `else`, one of whose arms always runs, by Guard::block
    std::set<int> sequential;             // loops, as in BodyUse::loops, whose iterations run in order
    std::set<Name> assigned;              // symbols that the body assigns, all of them private to an iteration
    std::set<Name> varying;               // names of values that differ between iterations, in `uses`
    std::map<Name, BodyElement> elements; // by the name of the value, in `uses`
    std::vector<std::string> calls;       // labels of library nodes
    Name variable;                        // of the loop, in `uses`
    Name carried;                         // the symbol that prevents reading the body: it carries a value over
};

/// What is known about the symbols of one SDFG. Stays valid while loops become maps.
struct BodySymbols {
    explicit BodySymbols(const ir::SDFG &g);
    analysis::SymbolLiveness liveness;
    std::map<Name, std::vector<Name>> sized; // by symbol: containers whose sizes depend on it
};

/// Reads the body of a loop with a header that has an end of integers. Returns why it cannot be read, or cannot be run
/// in any order whatever it accesses: effects, jumps out of the loop, symbols that carry values. `shared`: of the SDFG of
/// the loop (analysis::sharedContainers). Symbols in `reduced` may carry values: the caller turns their assignments into
/// updates. With `mayBreak`, branches may end with a break, which ends the iteration: iterations after it count as well.
/// `outlive` receives symbols that each iteration assigns and that are read after the loop, where they have the values of the last
/// iteration (LastValues.h). Without it, they are obstacles.
diag::Reason readBody(ir::LoopRegion &l, const analysis::LoopHeader &header, analysis::Memories &memories,
                      const std::set<Name> &shared, BodySymbols &symbols, LoopBody &out, const std::set<Name> &reduced = {},
                      bool mayBreak = false, std::set<Name> *outlive = nullptr);

/// Reads the blocks of a nested SDFG, the only node of a step of an SDFG, in terms of that SDFG. Returns why it cannot be
/// read.
diag::Reason readCall(const Step &call, ir::SDFG &g, analysis::Memories &memories, LoopBody &out);

/// What a container holds before and after a loop.
enum class Outside : uint8_t {
    Needed,  // a value may enter the loop or leave it
    Dead,    // nothing reads the loop's values after it
    Nothing, // the same, and nothing else writes it, so that elements have no values when the loop begins
};

/// A condition on an index array: the elements that the loop reads differ from each other. It uses them as indices
/// `index[k] + shift`, or times a factor; `shift` is in terms of symbols in front of the loop.
struct DistinctIndex {
    Name index;
    sym::Expr shift;
};

/// Returns why the iterations depend on each other. `locals` receives containers that must become private to each
/// iteration: those that are not needed outside, and which an iteration reads only where it wrote them before.
/// `mayReduce`: do iterations only update the container, so that their order is free? It is asked about the others.
/// `whyNeeded` returns why values of a container are needed outside, for the text of the reason. `distinct` receives conditions
/// without which the iterations would depend on each other; without it, there are none.
diag::Reason dependenceOf(const LoopBody &body, const ir::SDFG &g, const Conflicts &items, const analysis::Memories &memories,
                          const std::function<Outside(Name)> &outside, std::set<Name> &locals,
                          const std::function<bool(Name)> &mayReduce = {}, const std::function<std::string(Name)> &whyNeeded = {},
                          std::vector<DistinctIndex> *distinct = nullptr);

/// Returns the containers that may become private to each iteration: `outside` says that they are not needed there, and an iteration
/// reads them only where it wrote them before.
std::set<Name> privateContainers(const LoopBody &body, const ir::SDFG &g, const Conflicts &items,
                                 const analysis::Memories &memories, const std::function<Outside(Name)> &outside);

/// Returns why iterations of the first `common` loops of the body (the loop itself, and loops inside it that contain all accesses)
/// cannot run in another order: a conflict with a direction vector that `keeps` does not accept. `privates`: containers that do not
/// count.
diag::Reason orderOf(const LoopBody &body, const ir::SDFG &g, const Conflicts &items, const analysis::Memories &memories,
                     std::size_t common, const std::set<Name> &privates,
                     const std::function<bool(const std::vector<analysis::Directions> &)> &keeps);

} // namespace sdfgc::nest
