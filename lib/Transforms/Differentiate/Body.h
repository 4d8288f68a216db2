// A map being reversed, or the run that contains everything.
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

    /// Containers private to an iteration.
    struct Private {
        std::set<Name> ofProgram;
        std::set<Name> made; // containers of reversed iterations: gradients and others
    } own;

    /// Values that a reversed iteration recomputes before they are needed.
    struct Recomputed {
        std::set<Name> locals; // private containers whose values can be recomputed
        std::set<Name> again;  // of a run: others that can be recomputed, from what exists at its end
        std::set<Name> needed; // those of both that the reversed body needs
        struct Save {
            std::size_t position; // of the item before which it is made
            Name local, saved;
        };
        std::vector<Save> saves; // of locals that are overwritten in the same iteration
    } recomputed;

    /// Gradients of private containers that start at zero in each reversed iteration.
    struct Cleared {
        std::set<Name> of;        // these containers
        std::set<Name> gradients; // gradients that the iteration clears
        std::set<Name> stored;    // gradients whose first terms are stored instead
    } cleared;

    bool inScope() const { return map != nullptr; }
    /// The body whose iterations own a container, this one or a surrounding one; null if there is none.
    Body *ownerOf(Name data);
    const Body *ownerOf(Name data) const { return const_cast<Body *>(this)->ownerOf(data); }
};

/// Does an item write one of the containers?
bool writesAny(const nest::Item &i, const std::set<Name> &names);
/// Does it consist only of maps, copies and tasklets, so that recomputing it is cheaper than storing its results?
bool isPlainWork(const nest::Item &i);

} // namespace sdfgc::transforms::gradient
