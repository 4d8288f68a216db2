// Sequential loops as items of the nest form.
#pragma once

#include "Transforms/Optimize/Loops.h"
#include "Transforms/Optimize/NestItems.h"

#include "sdfgc/Pass/Pass.h"

#include <functional>

namespace sdfgc::transforms {

/// Reads regions of one SDFG that have loops in them, and puts items in the place of loops. What it knows of the SDFG stays true as long as
/// nobody else changes that.
class LoopItems {
public:
    LoopItems(ir::SDFG &g, analysis::Memories &memories);

    /// What a region does, if its blocks are states that can be read (nest::isReadable) and loops, each after the one before, whatever
    /// holds. A loop becomes an ordered map (ir::MapEntry::ordered) over the items of its body. It has to count by a constant to an end
    /// that is known (nest::headerOf), and nothing outside of it may read its variable. Nothing where a block is something else.
    std::optional<std::vector<nest::Item>> contentOf(ir::Region &r);

    /// What a loop does whose body is a chain of states (nest::readRegion), without loops in it.
    std::optional<nest::Run> runOf(ir::LoopRegion &l);
    /// Does something outside of a loop read its variable?
    bool isReadOutside(const ir::LoopRegion &l) const { return reads_.isReadOutside(l); }

    /// Puts a state with items in the place of the loop whose content was read last. Its variable has its last value afterwards if
    /// somebody outside reads it.
    void replace(ir::LoopRegion &l, std::vector<nest::Item> items, const LoopHeader &header);

    /// Something else took the place of a loop, in which only what follows that loop, or another one over the same values, reads its
    /// variable: users of containers are looked for again.
    void changed() { locate(); }

    /// Can each iteration of a loop have a container for itself? It must be a small transient whose first use there is `first`, in the
    /// loop and in no other one, and writes all of it for certain, and nothing outside of the loop may use it.
    bool canBeLocal(const nest::Use &first, const ir::Region &loop) const;
    /// Is a container used in states of the region only?
    bool isOnlyInside(Name container, const ir::Region &r) const;

private:
    void locate();
    void moveUsers(const ir::LoopRegion &l, const ir::Region &to);
    std::optional<std::vector<nest::Item>> read(ir::Region &r);
    bool haveMovingViews(const std::vector<nest::Item> &items) const;
    bool isMovingView(const ir::AccessNode &view) const;
    std::unique_ptr<nest::Map> mapOf(ir::LoopRegion &l);
    std::set<Name> localsOf(const nest::Map &m, const ir::LoopRegion &l) const;

    ir::SDFG &g_;
    analysis::Memories &memories_;
    const VariableReads reads_;
    // Who uses which containers: true of loops that are not in `stale_`.
    std::set<Name> shared_;                              // by several states, or scopes of one
    std::map<Name, std::set<const ir::Region *>> users_; // regions with states that use a container
    std::set<Name> elsewhere_;                           // containers that control flow reads
    std::set<const ir::Region *> stale_;                 // regions around loops that are gone
    std::vector<Name> around_;                           // variables of the loops that are being read
    std::set<Name> variables_, locals_; // of the loops in the region that was read last; what their iterations have for themselves
};

/// What a pass over loops knows of the SDFG of a loop.
struct LoopsOf {
    ir::SDFG &g;
    analysis::Memories &memories;
    const NestItems &items;
    LoopItems &loops;
};
/// Goes over the loops of a program, inner ones first, but for those in scopes, in SDFGs with kernels, and in what the graph keeps
/// (nest::isKept); a loop that is kept itself comes, so that a remark can say so. `change` says whether it put something in the loop's place
/// (LoopItems::replace, LoopItems::changed). Returns whether any was changed. Nothing is done for a GPU: offload-to-gpu decides there what a
/// kernel is.
bool changeLoops(ir::SDFG &root, const pass::Context &context,
                 const std::function<bool(ir::LoopRegion &, const LoopsOf &)> &change);

/// Does a map in place of a loop surely use elements that are not there? A map that does is an error; a loop may never run.
/// `facts`: what is known of symbols (analysis::factsOf).
bool leavesContainers(const nest::Map &m, const ir::SDFG &g, const sym::Assumptions &facts);

/// The entry of an ordered map in place of a loop.
std::shared_ptr<ir::MapEntry> entryFor(const ir::LoopRegion &l);

} // namespace sdfgc::transforms
