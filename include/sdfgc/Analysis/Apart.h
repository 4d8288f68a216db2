// Do two operations of the device that share a container touch different elements of it?
//
// Streams go by containers (sdfgc/Analysis/Streams.h): there an order that is not needed costs an event at most. In a GPU graph it costs
// that two kernels do not run at once, which is what graphs are for. So for a graph the subsets count: those of the memlets at the
// leaves of a kernel's maps, of copies, of fills, and of calls of libraries.
#pragma once

#include "sdfgc/Analysis/Dependences.h"
#include "sdfgc/Analysis/Streams.h"

#include <map>
#include <utility>

namespace sdfgc::analysis {

/// What operations of one formed region touch. Valid until the program changes; `steps`, its steps, live as long.
class ApartElements {
public:
    explicit ApartElements(StreamSteps &steps) : steps_(steps) {}

    /// Is it proved that no element of `m` is touched by both `a` and `b`, of which one or both write it? Two operations of one formed
    /// region, in one iteration of the loops that the device decides around them: symbols have one value for both. Conservative: false
    /// where a subset is not known, as behind views, in nested SDFGs and where the range of a map is read from a container.
    bool of(const StreamStep &a, const StreamStep &b, Memory m);

private:
    class Collector;
    /// The elements of a memory that an operation reads, and those that it writes; in terms of its SDFG's symbols.
    struct Elements {
        std::vector<AccessInstance> reads, writes;
        bool known = true;
    };
    const Elements &elements(const StreamStep &step, Memory m);

    StreamSteps &steps_;
    std::map<std::pair<const void *, Memory>, Elements> known_; // by edge or node
    std::map<const ir::SDFG *, sym::Assumptions> facts_;
};

} // namespace sdfgc::analysis
