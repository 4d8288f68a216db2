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
#include "sdfgc/Nest/LoopItems.h"
#include "sdfgc/Nest/Site.h"

namespace sdfgc::nest {

/// Control flow around an access: an arm of a conditional block, or (arm 0) a loop that may not run, or not to its end.
struct Guard {
    int block = 0, arm = 0;
    friend auto operator<=>(const Guard &, const Guard &) = default;
};

/// A conditional block with an `else`: one of its arms always runs.
struct Alternatives {
    int arms = 0;
    std::size_t loops = 0; // around it, as in BodyUse::loops
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
    Site site;
};

/// What the body of a loop does.
struct LoopBody {
    std::vector<BodyUse> uses;                // in program order
    std::map<int, Alternatives> alternatives; // by Guard::block
    std::set<Name> assigned;                  // symbols that the body assigns, all of them private to an iteration
    std::set<Name> varying;                   // names of values that differ between iterations, in `uses`
    std::vector<std::string> calls;           // labels of library nodes
    Name variable;                            // of the loop, in `uses`
};

/// What is known about the symbols of one SDFG. Stays valid while loops become maps.
struct BodySymbols {
    explicit BodySymbols(const ir::SDFG &g);
    analysis::SymbolLiveness liveness;
    std::map<Name, std::vector<Name>> sized; // by symbol: containers whose sizes depend on it
};

/// Reads the body of a loop with a header that has an end of integers. Returns why it cannot be read, or cannot be run
/// in any order whatever it accesses: effects, jumps out of the loop, symbols that carry values. `shared`: of the SDFG of
/// the loop (analysis::sharedContainers).
diag::Reason readBody(ir::LoopRegion &l, const analysis::LoopHeader &header, analysis::Memories &memories,
                      const std::set<Name> &shared, BodySymbols &symbols, LoopBody &out);

/// Returns why the iterations depend on each other. `locals` receives containers that must become private to each
/// iteration: those for which `mayBePrivate` holds, and which an iteration reads only where it wrote them before.
/// `whyShared` returns why it does not hold, for the text of the reason.
diag::Reason dependenceOf(const LoopBody &body, const ir::SDFG &g, const Conflicts &items, const analysis::Memories &memories,
                          const std::function<bool(Name)> &mayBePrivate, std::set<Name> &locals,
                          const std::function<std::string(Name)> &whyShared = {});

} // namespace sdfgc::nest
