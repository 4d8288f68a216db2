#include "Ignored.h"

#include "sdfgc/Analysis/Device/Location.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Pass/Ignored.h"

#include <utility>

namespace sdfgc::targets {
namespace {

using namespace ir;

std::string quoted(std::string_view kind, std::string_view name) { return std::string(kind) + " `" + std::string(name) + "`"; }

std::string nameOf(const Node &n) {
    switch (n.kind()) {
    case NodeKind::Access:
        return quoted("access node", static_cast<const AccessNode &>(n).data.view());
    case NodeKind::Tasklet:
        return quoted("tasklet", n.label);
    case NodeKind::NestedSDFG:
        return quoted("nested SDFG", n.label);
    case NodeKind::MapEntry:
    case NodeKind::MapExit:
        return quoted("map", n.label);
    case NodeKind::ConsumeEntry:
    case NodeKind::ConsumeExit:
        return quoted("consume scope", n.label);
    case NodeKind::Library:
        return quoted("library node", n.label);
    }
    __builtin_unreachable();
}

class Survey {
public:
    explicit Survey(const pass::CompileOptions &compile) : compile_(compile) {}

    void graph(const SDFG &g) {
        for (const auto &[name, d] : g.arrays)
            if (const json::Value *location = d.extra.find("location"); location && !location->members().empty())
                found_.location(location->members().front().first, quoted("container", name.view()), analysis::placeOf(g, d, name),
                                "the storage determines where containers are", "set the storage");
        for (const State *s : allStates(g))
            state(*s);
    }

    void report(diag::Engine &diags) { found_.report(diags, compile_.file); }

private:
    void state(const State &s) {
        if (s.symbolInstrument != DataInstrumentation::No_Instrumentation)
            found_.instrumentation(std::string(name(s.symbolInstrument)) + " of symbols", quoted("state", s.label),
                                   analysis::placeOf(s), "sdfgc saves and restores containers, not symbols", "remove it");
        for (const auto &n : s.nodes())
            node(*n);
    }

    void node(const Node &n) {
        for (const std::string &key : analysis::locationWithoutMeaning(n))
            found_.location(key, nameOf(n), analysis::placeOf(n), "it has no effect",
                            "`gpu_thread`, `gpu_warp` and `gpu_block` of a tasklet determine which threads run it");
        if (!compile_.gpu())
            for (const analysis::ThreadGuard &guard : analysis::threadGuardsOf(n).guards)
                found_.location(guard.text, nameOf(n), analysis::placeOf(n),
                                "there are no threads of a device, so every iteration runs it",
                                "compile it for a GPU, or write the condition into the tasklet");
    }

    const pass::CompileOptions &compile_;
    pass::IgnoredRequests found_;
};

} // namespace

void reportIgnored(SDFG &graph, const pass::CompileOptions &compile, diag::Engine &diags) {
    Survey survey(compile);
    for (const SDFG *g : allSDFGs(graph))
        survey.graph(*g);
    survey.report(diags);
}

} // namespace sdfgc::targets
