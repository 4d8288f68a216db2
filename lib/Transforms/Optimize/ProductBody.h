// The body of a loop with products, as steps.
//
//     for b = 0; b < NB; b = b + 1 {                   if E >= w {
//         if E >= w {                                      for b = 0; b < NB; b = b + 1 {
//             f = idx[b]                          ->           gather: map[x = 0:M] { G'[x] = G[idx[b], x] }
//             T[0:M] = B[b, 0:M, 0:M] @ G[f, 0:M]              T[0:M] = B[b, 0:M, 0:M] @ G'[0:M]
//         }                                                }
//     }                                                }
//
// A condition around the body that the loop does not change is tested once, before the loop. The index of a factor may be a
// symbol that the body reads from an index array. A map then gathers the elements that the iterations read.
//
// For a device, the body may contain more, which becomes part of maps (ProductBodyForms.cpp):
//
//     z = pts[b]                                       map[i = 0:M, j = 0:M] {
//     for n = 0; n < S; n = n + 1 {                        for n = 0:S {
//         w = f(z, n)                                          w = f(pts[b], n)
//         map[i = 0:M, j = 0:M] { T[i, j] += w }   ->          T[i, j] += w
//     }                                                    }
//     if abs(z) < 1 {                                  }
//         map[i = 0:M] { X[i] = -X[i] }                map[i = 0:M] { X[i] = -X[i] if abs(pts[b]) < 1 else X[i] }
//     }
#pragma once

#include "sdfgc/Diag/Reason.h"
#include "sdfgc/Nest/LoopItems.h"

namespace sdfgc::transforms {

/// The only block of a loop, if it is a conditional without `else` whose condition consists of symbols that the loop does not change.
ir::ConditionalBlock *conditionAround(ir::LoopRegion &l);
/// Swaps a loop with the conditional that is its only block.
void moveIntoCondition(ir::LoopRegion &l, ir::ConditionalBlock &c);

class ProductBody {
public:
    /// `onDevice`: take inner loops, branches, and symbols that are elements of arrays of any type.
    ProductBody(ir::SDFG &g, analysis::Memories &memories, const nest::Conflicts &items, const nest::LoopItems &loops,
                bool onDevice)
        : g_(g), memories_(memories), conflicts_(items), loops_(loops), onDevice_(onDevice) {}

    /// Turns a copy into a map over its elements, or returns why it has no such form.
    using CopyAsMap = std::function<diag::Reason(nest::Item &)>;
    /// Reads the body of a loop, a chain of states. Returns why it has no such form.
    diag::Reason read(ir::LoopRegion &l, const CopyAsMap &copyAsMap);

    std::vector<nest::Item> &items() { return items_; }
    const std::vector<const ir::State *> &states() const { return states_; }

    /// Replaces factors of a product that have gathered symbols as indices with new containers, to which the returned maps copy
    /// them; those are like `like`, which has no parameters. `parameter` returns names for parameters.
    diag::Reason gather(nest::Step &product, const nest::Map &like, const std::function<Name(std::size_t)> &parameter,
                        std::vector<nest::Item> &before);
    /// Are there gathered symbols in a step, apart from those that `gather` replaces?
    diag::Reason whySymbols(const nest::Item &i) const;
    /// The containers that `gather` made: remove them if the loop stays.
    const std::set<Name> &made() const { return made_; }
    /// Adds a container for values of one iteration to those.
    Name make(std::string_view base, ir::DataDesc d);
    /// Containers that are private to iterations of inner loops now, and the variables of these.
    const std::set<Name> &inner() const { return inner_; }
    const std::set<Name> &innerVariables() const { return innerVariables_; }
    /// Containers that branches write although their conditions do not hold: they must be private to an iteration.
    const std::set<Name> &unguarded() const { return unguarded_; }

private:
    /// An element of an index array.
    struct Index {
        Name data;
        std::vector<sym::Expr> at;
        const ir::AccessNode *access = nullptr; // a node to copy
    };
    diag::Reason readAssignments(ir::LoopRegion &l);
    diag::Reason readBlock(ir::Block &b, const CopyAsMap &copyAsMap);
    diag::Reason readStates(ir::Region &r, std::vector<nest::Item> &out);
    void readValues(nest::Item &i, std::vector<Name> params = {}) const;
    bool mentionsIndex(const ir::Tasklet &t) const;
    diag::Reason readBranch(ir::ConditionalBlock &c, const CopyAsMap &copyAsMap);
    diag::Reason whyNoCondition(const ir::Code &condition) const;
    diag::Reason guard(nest::Item &i, const std::string &condition, const ir::Region &branch,
                       std::vector<analysis::LoopLevel> loops);
    diag::Reason readLoop(ir::LoopRegion &l);
    diag::Reason readScalars(const std::vector<nest::Item> &items, const ir::LoopRegion &l, std::set<Name> &scalars) const;
    std::optional<std::size_t> gatheredDim(const sym::Subset &s) const;
    bool mentionsIndex(const std::set<Name> &names) const;
    nest::Item copyOf(const nest::Use &from, std::size_t dim, const nest::Use &to, const nest::Map &like,
                      const std::function<Name(std::size_t)> &parameter) const;

    ir::SDFG &g_;
    analysis::Memories &memories_;
    const nest::Conflicts &conflicts_;
    const nest::LoopItems &loops_;
    const bool onDevice_;
    analysis::LoopLevel level_; // of the loop
    std::vector<nest::Item> items_;
    std::vector<const ir::State *> states_;
    std::map<Name, Index> indices_; // by symbol
    std::set<Name> made_, inner_, innerVariables_, unguarded_;
    std::vector<std::shared_ptr<ir::AccessNode>> nodes_;
};

} // namespace sdfgc::transforms
