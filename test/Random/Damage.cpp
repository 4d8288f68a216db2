#include "Damage.h"

namespace sdfgc::random {
namespace {

constexpr Damage table[] = {
    {"shift-subset", "a tasklet reads the element beside", shiftSubset},
    {"exchange-subscripts", "a tasklet reads [j, i] instead of [i, j]", exchangeSubscripts},
    {"drop-order", "an edge without data is lost", dropOrder},
    {"read-too-early", "a read does not wait for the write before it", readTooEarly},
    {"lose-conflict", "an update becomes a write", loseConflict},
    {"exchange-conflict", "an update combines by another function", exchangeConflict},
    {"exchange-copy-sides", "a copy reads where it should write", exchangeCopySides},
    {"exchange-operands", "two operands of a tasklet are exchanged", exchangeOperands},
    {"move-view", "a view begins one element later", moveView},
    {"lose-last-iteration", "a map ends one iteration too early", loseLastIteration},
    {"add-iteration", "a map ends one iteration too late", addIteration},
    {"double-step", "a map takes steps of two", doubleStep},
    {"lose-initialisation", "a tasklet that writes a constant is lost", loseInitialisation},
    {"change-number", "a number in the code of a tasklet is another one", changeNumber},
    {"change-mapping", "a symbol of a nested SDFG has another value", changeMapping},
    {"narrow-type", "a transient has elements of half the size", narrowType},
    {"share-memory", "two transients become one", shareMemory},
    {"lose-node", "a tasklet of a state is lost", loseNode},
    {"lose-state", "a state is empty", loseState},
    {"exchange-branches", "a conditional takes the wrong branch", exchangeBranches},
    {"loop-once-more", "a loop has an iteration too many", loopOnceMore},
    {"loop-from-one", "a loop starts one later", loopFromOne},
    {"lose-assignment", "an assignment of an edge is lost", loseAssignment},
    {"negate-edge", "a jump is made where it should not be", negateEdge},
    {"exchange-states", "two states are executed in the wrong order", exchangeStates},
};

} // namespace

std::span<const Damage> damages() { return table; }

} // namespace sdfgc::random
