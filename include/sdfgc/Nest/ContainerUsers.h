// The users of each container of an SDFG, for passes that replace loops one by one.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <set>

namespace sdfgc::nest {

/// Which states, and which control flow of regions, use each container. Updates for a replaced loop cost as much as its blocks, not
/// as much as the SDFG.
class ContainerUsers {
public:
    explicit ContainerUsers(const ir::SDFG &g);

    /// Containers that are private to no iteration: those of analysis::sharedContainers.
    const std::set<Name> &shared() const { return shared_; }
    /// Is a container used only in the region, by its states and control flow?
    bool isOnlyInside(Name container, const ir::Region &r) const;

    void add(const ir::State &s);
    /// Control flow in a region reads a container.
    void addRead(Name container, const ir::Region &r);
    /// The containers that the states of a loop, and the control flow in it, use.
    std::set<Name> usedIn(const ir::LoopRegion &l) const;
    /// Forgets a loop, which must still contain its blocks.
    void remove(const ir::LoopRegion &l);

private:
    struct Users {
        std::map<const ir::State *, const ir::Node *> states; // with the outermost scope of all uses in a state, if there is one
        std::map<const ir::Region *, int> reads;              // number of reads by control flow, never zero
    };
    void removeRead(Name container, const ir::Region &r);
    void share(Name container);

    const ir::SDFG *g_;
    std::map<Name, Users> users_;
    std::set<Name> shared_;
};

} // namespace sdfgc::nest
