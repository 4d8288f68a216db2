// What reversed bodies compute again: values that an iteration has for itself.
#pragma once

#include "Transforms/Differentiate/Body.h"
#include "Transforms/Differentiate/Maker.h"
#include "Transforms/Differentiate/Program.h"
#include "Transforms/Differentiate/Storage.h"

#include <memory>

namespace sdfgc::transforms::gradient {

class ItemReverser;

/// Containers of a run whose values can be computed again.
class PrivateContainers {
public:
    PrivateContainers(Program &program, Maker &maker, const Strategy &strategy)
        : program_(program), maker_(maker), strategy_(strategy) {}
    /// What an iteration of the loops around a run has for itself: transients that nothing else uses, and that are written before they are
    /// read.
    std::set<Name> ownOf(const nest::Run &run);
    /// What the strategy wants to be computed again, and the run makes of what it is handed. Others may overwrite it afterwards.
    std::set<Name> againOf(const nest::Run &run);

private:
    struct Usage;
    const Usage &usage();

    Program &program_;
    Maker &maker_;
    const Strategy &strategy_;
    std::shared_ptr<const Usage> usage_; // once a loop asks
};

/// Adds items that compute what a body needs, in order.
void recompute(ItemReverser &r, Body &b, std::vector<nest::Item> &out);

} // namespace sdfgc::transforms::gradient
