// Sequential loops as items of the nest form.
#pragma once

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Nest/CallBlocks.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/ContainerUsers.h"

#include <functional>

namespace sdfgc::nest {

/// The body of a loop as items, some of which are calls of copies of its blocks.
struct BodyItems {
    std::vector<Item> items;
    std::set<Name> moved; // containers that belong to calls: remove them once the items have replaced the loop
    bool hasCalls = false;
};

/// Reads regions that contain loops, and replaces loops with items. Its information about the SDFG is valid as long as
/// nothing else changes the SDFG.
class LoopItems {
public:
    LoopItems(ir::SDFG &g, analysis::Memories &memories);

    /// Returns the items of a region, or nothing if it contains other blocks than readable states (nest::isReadable)
    /// and loops, in sequence and without conditions. A loop becomes an ordered map (ir::MapEntry::ordered) over the
    /// items of its body. It must count by a constant to a known bound (analysis::headerOf), and its variable must not be
    /// read outside. With `isTakenApart`, library nodes use the containers behind views, which may differ between iterations: replace
    /// the nodes with maps.
    std::optional<std::vector<Item>> contentOf(ir::Region &r, bool isTakenApart = false);

    /// The same for a loop whose body has been read (readBody), with calls (callOf) in place of what contentOf does not take:
    /// branches, symbols that edges assign, other loops. Nothing if all of it would be one call.
    std::optional<BodyItems> contentWithCalls(ir::LoopRegion &l, const LoopBody &body, const Conflicts &items);

    /// Returns the content of a loop whose body is a chain of states (nest::readRegion) without inner loops.
    std::optional<Run> runOf(ir::LoopRegion &l);
    /// Is the variable of a loop read outside it?
    bool isReadOutside(const ir::LoopRegion &l) const { return reads_.isReadOutside(l); }

    /// Replaces the loop whose content was read last with a state that contains the items. If its variable is read
    /// outside, it has its final value afterwards.
    void replace(ir::LoopRegion &l, std::vector<Item> items, const analysis::LoopHeader &header);

    /// Call this before moving the body of a loop elsewhere (moveBody). Returns the containers that only the body uses.
    std::set<Name> release(const ir::LoopRegion &l);
    /// The same as `replace` for a released loop, which is empty now: its body is in the item.
    void replaceEmpty(ir::LoopRegion &l, Item item, const analysis::LoopHeader &header);

    /// Call this after replacing a loop with something else in which only code that follows that loop, or another loop
    /// over the same values, reads its variable. Recomputes the users of containers.
    void changed() { users_ = ContainerUsers(g_); }

    /// Can a container be private to each iteration of a loop? It must be a small transient that is used only in this
    /// loop. `first` must be its first use there, and must write all of it unconditionally.
    bool canBeLocal(const Use &first, const ir::Region &loop) const;
    /// Is a container used only in the region, by its states and control flow?
    bool isOnlyInside(Name container, const ir::Region &r) const { return users_.isOnlyInside(container, r); }
    /// A block outside the region that uses a container; null if there is none.
    const ir::Block *userOutside(Name container, const ir::Region &r) const { return users_.userOutside(container, r); }
    /// Containers that are private to no iteration (analysis::sharedContainers).
    const std::set<Name> &shared() const { return users_.shared(); }

private:
    void put(ir::LoopRegion &l, std::vector<Item> items, const analysis::LoopHeader &header);
    std::optional<std::vector<Item>> read(ir::Region &r);
    std::optional<std::vector<Item>> read(ir::Block &b);
    bool haveFixedViews(const std::vector<Item> &items) const;
    bool isMemberView(const Use &u) const;
    bool isMovingView(const ir::AccessNode &view) const;
    std::unique_ptr<Map> mapOf(ir::LoopRegion &l);
    std::set<Name> localsOf(const Map &m, const ir::LoopRegion &l) const;

    ir::SDFG &g_;
    analysis::Memories &memories_;
    const analysis::VariableReads reads_;
    ContainerUsers users_;
    std::vector<Name> around_;          // variables of the loops being read
    bool isTakenApart_ = false;         // do library nodes use the containers behind views?
    std::set<Name> variables_, locals_; // of the region that was read last: its loop variables, and containers private to
                                        // iterations
};

/// May a container be private to an iteration, judging by its descriptor? It must be a transient of the host; a small
/// one can be in registers.
bool isScratch(const ir::DataDesc &d);
bool isSmallLocal(const ir::DataDesc &d);

/// Creates the entry of an ordered map that replaces a loop.
std::shared_ptr<ir::MapEntry> entryFor(const ir::LoopRegion &l);

} // namespace sdfgc::nest
