// Which containers have gradients.
//
// A memory is active if it can depend on what the gradient is with respect to, and the result can depend on it. Both are found for memories as a
// whole, whatever the order of operations: more may be found than there is, which costs gradients that stay zero, and never less.
#pragma once

#include "Transforms/Differentiate/Program.h"

namespace sdfgc::transforms::gradient {

class Activity {
public:
    /// `of`, `wrt`: memories of results and of arguments. Only memories of real numbers take part.
    Activity(const Program &program, const std::set<analysis::Memory> &of, const std::set<analysis::Memory> &wrt);

    /// Can one of the results depend on an argument?
    static bool depend(const Program &program, const std::set<analysis::Memory> &of, analysis::Memory wrt);

    bool isActive(analysis::Memory m) const { return varied_.count(m) && useful_.count(m); }
    /// Can it depend on what the gradient is with respect to?
    bool isVaried(analysis::Memory m) const { return varied_.count(m) != 0; }
    /// Does the step hand a gradient on: has it an output that is active?
    bool isActive(const nest::Step &s) const;
    bool isActive(const nest::Item &item) const;
    bool isActive(const HiddenState &h) const;
    /// Does anything in a region?
    bool isActive(const ir::Region &r) const { return regions_.count(&r) != 0; }

private:
    void addRegions(const ir::Region *r);
    std::set<analysis::Memory> varied_, useful_;
    std::set<const ir::Region *> regions_; // in which something is active
};

} // namespace sdfgc::transforms::gradient
