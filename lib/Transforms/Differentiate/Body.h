// A map that is being reversed, or the run that holds all: what is known of its iterations.
#pragma once

#include "sdfgc/Nest/Nest.h"

#include <set>
#include <vector>

namespace sdfgc::transforms::gradient {

struct Body {
    Body *outer = nullptr;
    const nest::Map *map = nullptr; // null: a run
    const std::vector<nest::Item> *items = nullptr;
    std::vector<nest::Item> reversed; // so far

    /// Containers that an iteration has for itself.
    struct Private {
        std::set<Name> ofProgram;
        std::set<Name> made; // by reversed iterations: gradients, and others
    } own;

    /// Values that the reversed iteration computes again, in front of what needs them.
    struct Recomputed {
        std::set<Name> locals; // private containers that can be computed again
        std::set<Name> again;  // of a run: others that can be, from what is there at its end
        std::set<Name> needed; // those of both that are
        struct Save {
            std::size_t position; // of the item in front of which it is made
            Name local, saved;
        };
        std::vector<Save> saves; // of locals that are overwritten in the same iteration
    } recomputed;

    /// Gradients of private containers, which begin with zero in each reversed iteration.
    struct Cleared {
        std::set<Name> of;        // these containers
        std::set<Name> gradients; // those that the iteration sets to zero
        std::set<Name> stored;    // those whose first term is stored instead
    } cleared;

    bool inScope() const { return map != nullptr; }
    /// The body whose iterations have a container for themselves, this one or one around it; null if none has.
    Body *ownerOf(Name data);
    const Body *ownerOf(Name data) const { return const_cast<Body *>(this)->ownerOf(data); }
};

/// Does an item write one of the containers?
bool writesAny(const nest::Item &i, const std::set<Name> &names);
/// Is it made of maps, copies and tasklets only, so that doing it again takes less than storing what it makes?
bool isPlainWork(const nest::Item &i);

} // namespace sdfgc::transforms::gradient
