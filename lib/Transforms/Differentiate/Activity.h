// Decides which containers have gradients.
//
// A memory is active if it can depend on the arguments of the gradient, and the result can depend on it. Both are
// determined for entire memories, independent of the order of operations. This over-approximates: it may cost gradients
// that stay zero, but never misses one.
#pragma once

#include "Transforms/Differentiate/PrimalProgram.h"

namespace sdfgc::transforms::gradient {

class Activity {
public:
    /// `of`, `wrt`: memories of results and of arguments. Only memories of floating-point numbers are considered.
    Activity(const PrimalProgram &program, const std::set<analysis::Memory> &of, const std::set<analysis::Memory> &wrt);

    /// Can one of the results depend on an argument?
    static bool depend(const PrimalProgram &program, const std::set<analysis::Memory> &of, analysis::Memory wrt);

    bool isActive(analysis::Memory m) const { return varied_.count(m) && useful_.count(m); }
    /// Does the step propagate a gradient: is one of its outputs active?
    bool isActive(const nest::Step &s) const;
    bool isActive(const nest::Item &item) const;
    bool isActive(const HiddenState &h) const;
    /// Is anything in a region active?
    bool isActive(const ir::Region &r) const { return regions_.count(&r) != 0; }

private:
    void addRegions(const ir::Region *r);
    std::set<analysis::Memory> varied_, useful_;
    std::set<const ir::Region *> regions_; // that contain something active
};

} // namespace sdfgc::transforms::gradient
