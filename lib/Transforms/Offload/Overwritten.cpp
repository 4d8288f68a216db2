// Asks the summary of the whole SDFG (Nest/Liveness.h): elements that it may read before it writes them, and elements
// that it certainly writes.
#include "Transforms/Offload/Overwritten.h"

#include "sdfgc/Nest/Liveness.h"

namespace sdfgc::transforms {

std::set<Name> overwrittenContainers(ir::SDFG &g) {
    analysis::Memories memories(*g.root());
    const std::vector<nest::Run> runs = nest::readRuns(g, memories);
    nest::Summaries summaries(g, memories, runs, true);
    const nest::Summary whole = summaries.ofContent(g);
    std::set<Name> found;
    for (const auto &[name, d] : g.arrays) {
        if (d.isView())
            continue;
        const analysis::Memory m = summaries.memoryOf(name);
        const auto written = whole.written.find(m);
        if (!summaries.isTracked(m) || whole.exposed.count(m) != 0 || written == whole.written.end())
            continue;
        std::vector<analysis::SharedAccess> covers;
        for (const analysis::AccessInstance &w : written->second)
            covers.push_back({w, 0});
        if (analysis::isCoveredTogether({d.fullSubset(), {}}, covers, nullptr, summaries.factsOf(m)))
            found.insert(name);
    }
    return found;
}

} // namespace sdfgc::transforms
