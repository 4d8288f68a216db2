#include "Transforms/GpuGraphs/GraphWishes.h"

#include "sdfgc/Analysis/Verify.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

bool isMarked(SDFG &root) {
    for (SDFG *g : allSDFGs(root))
        for (const Region *r : allRegions(*g))
            if (r->graph == GraphMark::Auto || r->graph == GraphMark::Require)
                return true;
    return false;
}

GraphMark markOf(pass::GpuGraphMode mode) {
    switch (mode) {
    case pass::GpuGraphMode::Off:
        return GraphMark::Off;
    case pass::GpuGraphMode::Auto:
        return GraphMark::Auto;
    case pass::GpuGraphMode::Require:
        return GraphMark::Require;
    }
    return GraphMark::Off;
}

} // namespace

std::optional<GraphWishes> GraphWishes::of(SDFG &root, std::optional<pass::GpuGraphMode> option, const pass::Context &context) {
    const std::optional<pass::GpuGraphMode> mode = option ? option : context.options.gpuGraph;
    const std::optional<GraphMark> asked = mode ? std::optional(markOf(*mode)) : std::nullopt;
    const bool measured = context.options.gpu() && context.options.vendor() == platform::Device::Cuda;
    const GraphMark unasked = measured ? GraphMark::Auto : GraphMark::Off;
    const bool nothingToDo = unasked == GraphMark::Off || !mentionsGpu(root); // the program stays on the host
    if (!asked && nothingToDo && !isMarked(root))
        return std::nullopt;
    GraphWishes out;
    out.general_ = {asked.value_or(unasked), "--gpu-graph " + std::string(name(asked.value_or(unasked)))};
    out.forced_ = asked.has_value();
    return out;
}

GraphWish GraphWishes::inside(const Region &r, const GraphWish &around, pass::Context *report) const {
    if (r.graph == GraphMark::Off)
        return {GraphMark::Off, elementName(r)};
    if (r.graph == GraphMark::Unmarked || r.graph == GraphMark::Formed)
        return around;
    if (forced_ && general_.isOff()) {
        if (r.graph == GraphMark::Require && report)
            report->diags.report(diag::Id::GraphRefused, analysis::placeOf(r));
        return around;
    }
    return forced_ ? around : GraphWish{r.graph, elementName(r)};
}

bool GraphWishes::saysOff(const Block &b) {
    if (const auto *s = dyn_cast<State>(&b))
        return std::any_of(s->nodes().begin(), s->nodes().end(), [](const auto &n) {
            const auto *nested = dyn_cast<NestedSDFGNode>(n.get());
            return nested && nested->sdfg && saysOff(*nested->sdfg);
        });
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        return std::any_of(c->branches().begin(), c->branches().end(), [](const auto &branch) { return saysOff(*branch.region); });
    const auto *r = dyn_cast<Region>(&b);
    return r && (r->graph == GraphMark::Off ||
                 std::any_of(r->blocks().begin(), r->blocks().end(), [](const auto &inner) { return saysOff(*inner); }));
}

} // namespace sdfgc::transforms
