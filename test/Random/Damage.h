// Planted faults, like those that incorrect passes cause in graphs. They show that the comparison detects such passes; the product
// is unaware of them.
#pragma once

#include "../RandomNumbers.h"

#include "sdfgc/IR/Sdfg.h"

#include <span>
#include <string_view>

namespace sdfgc::random {

struct Damage {
    std::string_view name, what;
    /// Damages the graph in one place; returns false if it has no suitable place.
    bool (*apply)(ir::SDFG &graph, test::RandomNumbers &random);
};

std::span<const Damage> damages();

// The faults, by the damaged objects: memlets and edges (DamageMemlets.cpp), scopes, code and containers (DamageNodes.cpp), control
// flow (DamageFlow.cpp).
bool shiftSubset(ir::SDFG &, test::RandomNumbers &);
bool exchangeSubscripts(ir::SDFG &, test::RandomNumbers &);
bool dropOrder(ir::SDFG &, test::RandomNumbers &);
bool readTooEarly(ir::SDFG &, test::RandomNumbers &);
bool loseConflict(ir::SDFG &, test::RandomNumbers &);
bool exchangeConflict(ir::SDFG &, test::RandomNumbers &);
bool exchangeCopySides(ir::SDFG &, test::RandomNumbers &);
bool exchangeOperands(ir::SDFG &, test::RandomNumbers &);
bool moveView(ir::SDFG &, test::RandomNumbers &);

bool loseLastIteration(ir::SDFG &, test::RandomNumbers &);
bool addIteration(ir::SDFG &, test::RandomNumbers &);
bool doubleStep(ir::SDFG &, test::RandomNumbers &);
bool loseInitialisation(ir::SDFG &, test::RandomNumbers &);
bool changeNumber(ir::SDFG &, test::RandomNumbers &);
bool changeMapping(ir::SDFG &, test::RandomNumbers &);
bool narrowType(ir::SDFG &, test::RandomNumbers &);
bool shareMemory(ir::SDFG &, test::RandomNumbers &);
bool loseNode(ir::SDFG &, test::RandomNumbers &);

bool loseState(ir::SDFG &, test::RandomNumbers &);
bool exchangeBranches(ir::SDFG &, test::RandomNumbers &);
bool loopOnceMore(ir::SDFG &, test::RandomNumbers &);
bool loopFromOne(ir::SDFG &, test::RandomNumbers &);
bool loseAssignment(ir::SDFG &, test::RandomNumbers &);
bool negateEdge(ir::SDFG &, test::RandomNumbers &);
bool exchangeStates(ir::SDFG &, test::RandomNumbers &);

/// A random one of the places; null if there is none.
template <class T> T *onePlace(const std::vector<T *> &places, test::RandomNumbers &random) {
    return places.empty() ? nullptr : places[random.below(places.size())];
}

} // namespace sdfgc::random
