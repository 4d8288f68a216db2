// Recomputes, in reversed bodies, values that are private to an iteration.
#pragma once

#include "Transforms/Differentiate/Body.h"
#include "Transforms/Differentiate/Maker.h"
#include "Transforms/Differentiate/PrimalProgram.h"
#include "Transforms/Differentiate/Storage.h"

#include <memory>

namespace sdfgc::transforms::gradient {

class ItemReverser;

/// Containers of a run whose values can be recomputed.
class PrivateContainers {
public:
    PrivateContainers(PrimalProgram &program, Maker &maker, const Strategy &strategy)
        : program_(program), maker_(maker), strategy_(strategy) {}
    /// Returns the transients private to an iteration of the loops around a run: those that nothing else uses, and that are
    /// written before they are read.
    std::set<Name> ownOf(const nest::Run &run);
    /// Returns the containers that the strategy recomputes, and that the run makes from its inputs. Others may overwrite them
    /// afterwards.
    std::set<Name> againOf(const nest::Run &run);

private:
    struct Usage;
    const Usage &usage();

    PrimalProgram &program_;
    Maker &maker_;
    const Strategy &strategy_;
    std::shared_ptr<const Usage> usage_; // once a loop asks
};

/// Adds items that compute what a body needs, in order.
void recompute(ItemReverser &r, Body &b, std::vector<nest::Item> &out);

} // namespace sdfgc::transforms::gradient
