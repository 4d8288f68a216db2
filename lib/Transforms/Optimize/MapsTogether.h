// Maps with the same ranges in a loop, as one map that the loop moves into.
//
//     for b {                                     map[i = 0:N] {
//         map[i = 0:N] { T[i] = X[b, i] }             for b {
//         map[j = 0:N] { S[j] = S[j] + T[j] }  ->         T[i] = X[b, i]
//     }                                                   S[i] = S[i] + T[i]
//                                                     }
//                                                 }
//
// Legal when any two conflicting accesses, in the same or in different iterations of the loop, are in the same iteration of the
// maps.
#pragma once

#include "sdfgc/Diag/Reason.h"
#include "sdfgc/Nest/Conflicts.h"

namespace sdfgc::transforms {

class MapsTogether {
public:
    /// `apart`: containers that each iteration of the maps will have for itself.
    MapsTogether(const ir::SDFG &g, const nest::Conflicts &items, analysis::LoopLevel loop, std::set<Name> apart)
        : g_(g), items_(items), loop_(std::move(loop)), apart_(std::move(apart)) {}

    /// Why the maps among the items cannot become one; empty if they can.
    diag::Reason read(const std::vector<nest::Item> &items);
    /// The map of all items, without the loop: steps that are not in maps run in each of its iterations.
    std::unique_ptr<nest::Map> join(std::vector<nest::Item> items) const;

private:
    diag::Reason readRanges(const std::vector<nest::Item> &items);
    bool mentionsParameters(const nest::Step &s) const;
    std::map<Name, sym::Expr> meaningOf(const nest::Map &m) const;

    const ir::SDFG &g_;
    const nest::Conflicts &items_;
    const analysis::LoopLevel loop_;
    const std::set<Name> apart_;
    std::shared_ptr<const ir::MapEntry> made_; // the entry of the first map
    const ir::MapEntry *entry_ = nullptr;
    std::vector<Name> params_;
    std::vector<sym::Range> ranges_;
};

} // namespace sdfgc::transforms
