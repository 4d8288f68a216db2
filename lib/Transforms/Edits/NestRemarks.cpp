#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/IR/StateGraph.h"

namespace sdfgc::transforms {

using namespace ir;

pass::Element elementOfItem(const nest::Map &m, const SDFG &g) {
    pass::Element out(*m.entry);
    if (!m.entry->state())
        out.name = elementName(g) + ": " + out.name;
    if (!out.source.known())
        out.source = pass::Element(g).source;
    return out;
}

pass::Element elementOfItem(const nest::Item &i, const SDFG &g) {
    if (i.map)
        return elementOfItem(*i.map, g);
    if (i.step->isCopy())
        return *i.step->uses.back().access;
    if (i.step->made)
        return g;
    return *i.step->nodes.front();
}

NodeLabels::NodeLabels(const SDFG &root) {
    for (const SDFG *g : allSDFGs(root))
        for (const State *s : allStates(*g))
            for (const auto &n : s->nodes())
                if (!n->isExit())
                    ++counts_[n->label];
}

std::string NodeLabels::of(const Node &n) const {
    const auto count = counts_.find(n.label);
    const bool repeats = count != counts_.end() && count->second > 1 && n.state();
    return "`" + n.label + "`" + (repeats ? " in state " + n.state()->label : "");
}

void remarkKept(const SDFG &g, pass::Context &context) {
    const diag::Reason why{diag::Why::Kept, "the graph requires it"};
    for (const Region *r : allRegions(g))
        if (const auto *l = dyn_cast<LoopRegion>(r); l && !l->optimize)
            context.missed(*l, "is not changed", why);
    for (const State *s : allStates(g))
        for (const MapEntry *m : nodesOf<MapEntry>(*s))
            if (!m->optimize)
                context.missed(*m, "is not changed", why);
}

bool rewriteRuns(SDFG &root, pass::Context &context,
                 const std::function<void(SDFG &, analysis::Memories &, std::vector<nest::Run> &)> &change) {
    return nest::rewriteRuns(root, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
        remarkKept(g, context);
        change(g, memories, runs);
    });
}

} // namespace sdfgc::transforms
