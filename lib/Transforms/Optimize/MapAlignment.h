// The loops that two maps have in common.
#pragma once

#include "sdfgc/Nest/Nest.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace sdfgc::transforms {

/// The first loops of two maps, aligned with each other.
struct Alignment {
    std::size_t depth = 0;                     // number of loops
    std::map<Name, sym::Expr> meaning;         // parameters of the later map in terms of those of the earlier one
    std::vector<const nest::Use *> saved = {}; // of the earlier map: reads that are moved before the fused one (SavedReads.h)
};

/// Aligns as many leading loops as have ranges of equal sizes and steps, at most `limit`. None if the schedules of the maps
/// differ, or if one is ordered.
Alignment alignment(const nest::Map &earlier, const nest::Map &later, std::size_t limit);

/// Returns a copy of a map with its parameters in the order of those parameters of another map that index the same dimensions of
/// a common container; the others come last. Null if the maps do not have more loops in common then, or if ranges depend on
/// parameters.
std::unique_ptr<nest::Map> reordered(const nest::Map &m, const nest::Map &like);

/// Returns a copy of a map in which those parameters that it does not have in common with another map have other names than that
/// map's. Null if they have already, or if one cannot be renamed.
std::unique_ptr<nest::Map> apartFrom(const nest::Map &m, const nest::Map &like, const ir::SDFG &g);

/// A map without loops, with the schedule of a Reduce node; nothing if the host has none like it.
std::optional<nest::Map> mapForReduction(const nest::Step &reduction);

} // namespace sdfgc::transforms
