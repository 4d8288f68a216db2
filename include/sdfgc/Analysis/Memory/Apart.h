// Do two device operations that share a container access different elements of it?
//
// Streams order operations by container (sdfgc/Analysis/Streams/Streams.h): an unnecessary ordering costs an event at most. In
// a GPU graph it prevents two kernels from running concurrently, which is the purpose of graphs. So for graphs the
// subsets matter: those of the memlets at the leaves of a kernel's maps, of copies, of fills, and of library calls.
#pragma once

#include "sdfgc/Analysis/Dependences/Dependences.h"
#include "sdfgc/Analysis/Streams/Streams.h"

#include <map>
#include <utility>

namespace sdfgc::analysis {

/// The elements that operations of one formed region access. Valid until the program changes; `steps`, the program's
/// steps, must live as long.
class ApartElements {
public:
    explicit ApartElements(StreamSteps &steps) : steps_(steps) {}

    /// Is it proved that no element of `m` is accessed by both `a` and `b`, where one or both write it? Both must be
    /// operations of the same formed region, in the same iteration of the surrounding loops that the device controls,
    /// so each symbol has one value. Conservative: false if a subset is unknown, as behind views, in nested SDFGs and
    /// for map ranges read from containers.
    bool of(const StreamStep &a, const StreamStep &b, Memory m);

private:
    class ElementCollector;
    /// The elements of a memory that an operation reads and writes, in terms of its SDFG's symbols.
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
