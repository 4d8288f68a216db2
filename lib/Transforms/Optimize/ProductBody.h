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
#pragma once

#include "sdfgc/Diag/Reason.h"
#include "sdfgc/Nest/Nest.h"

namespace sdfgc::transforms {

/// The only block of a loop, if it is a conditional without `else` whose condition consists of symbols that the loop does not change.
ir::ConditionalBlock *conditionAround(ir::LoopRegion &l);
/// Swaps a loop with the conditional that is its only block.
void moveIntoCondition(ir::LoopRegion &l, ir::ConditionalBlock &c);

class ProductBody {
public:
    ProductBody(ir::SDFG &g, analysis::Memories &memories) : g_(g), memories_(memories) {}

    /// Reads the body of a loop, a chain of states. Returns why it has no such form.
    diag::Reason read(ir::LoopRegion &l, const std::set<Name> &shared);

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

private:
    /// An element of an index array.
    struct Index {
        Name data;
        std::vector<sym::Expr> at;
        const ir::AccessNode *access = nullptr; // a node to copy
    };
    std::optional<std::size_t> gatheredDim(const sym::Subset &s) const;
    bool mentionsIndex(const std::set<Name> &names) const;
    nest::Item copyOf(const nest::Use &from, std::size_t dim, const nest::Use &to, const nest::Map &like,
                      const std::function<Name(std::size_t)> &parameter) const;

    ir::SDFG &g_;
    analysis::Memories &memories_;
    std::vector<nest::Item> items_;
    std::vector<const ir::State *> states_;
    std::map<Name, Index> indices_; // by symbol
    std::set<Name> made_;
    std::vector<std::shared_ptr<ir::AccessNode>> nodes_;
};

} // namespace sdfgc::transforms
