#include "Ignored.h"

#include "sdfgc/Analysis/Device/Location.h"
#include "sdfgc/Analysis/Verify.h"

#include <utility>

namespace sdfgc::targets {
namespace {

using namespace ir;

constexpr const char *kOnlyTimer = "sdfgc measures with `Timer` alone";
constexpr const char *kTimed = "the program, states, maps outside of kernels and tasklets are timed";
constexpr const char *kUseTimer = "use `Timer`, measure from outside, or remove the instrumentation";
constexpr const char *kRemove = "remove it";

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
    Survey(const pass::CompileOptions &compile, diag::Engine &diags) : compile_(compile), diags_(diags) {}

    void graph(const SDFG &g) {
        instrument(g.instrument, quoted(g.isRoot() ? "program" : "SDFG", g.name.view()), analysis::placeOf(g), g.isRoot());
        for (const auto &[name, d] : g.arrays)
            if (const json::Value *location = d.extra.find("location"); location && !location->members().empty())
                note(diag::Id::LocationIgnored, location->members().front().first, quoted("container", name.view()),
                     analysis::placeOf(g, d, name), "the storage determines where containers are", "set the storage");
        for (const State *s : allStates(g))
            state(*s);
    }

    void report() {
        for (const Found &f : found_) {
            const std::string others =
                f.others == 0 ? "" : " and " + std::to_string(f.others) + (f.others == 1 ? " other element" : " other elements");
            diag::Location place = f.place;
            place.file = compile_.file;
            if (f.id == diag::Id::LocationIgnored)
                diags_.report(diag::Id::LocationIgnored, place, f.element + others, f.what, f.why, f.hint);
            else
                diags_.report(diag::Id::InstrumentationIgnored, place, f.what, f.element + others, f.why, f.hint);
        }
    }

private:
    struct Found {
        diag::Id id;
        std::string what, element, why, hint;
        diag::Location place;
        std::size_t others = 0;
    };

    void state(const State &s) {
        instrument(s.instrument, quoted("state", s.label), analysis::placeOf(s), true);
        if (s.symbolInstrument != DataInstrumentation::No_Instrumentation)
            note(diag::Id::InstrumentationIgnored, std::string(name(s.symbolInstrument)) + " of symbols", quoted("state", s.label),
                 analysis::placeOf(s), "sdfgc saves and restores containers, not symbols", kRemove);
        for (const auto &n : s.nodes())
            node(*n);
    }

    void node(const Node &n) {
        const bool isTimed =
            isa<Tasklet>(&n) || (isa<MapEntry>(&n) && (n.instrument != Instrumentation::Timer || !analysis::isInKernel(n)));
        instrument(n.instrument, nameOf(n), analysis::placeOf(n), isTimed);
        for (const std::string &key : analysis::locationWithoutMeaning(n))
            note(diag::Id::LocationIgnored, key, nameOf(n), analysis::placeOf(n), "it has no effect",
                 "`gpu_thread`, `gpu_warp` and `gpu_block` of a tasklet determine which threads run it");
        if (!compile_.gpu())
            for (const analysis::ThreadGuard &guard : analysis::threadGuardsOf(n).guards)
                note(diag::Id::LocationIgnored, guard.text, nameOf(n), analysis::placeOf(n),
                     "there are no threads of a device, so every iteration runs it",
                     "compile it for a GPU, or write the condition into the tasklet");
    }

    /// `isTimed`: does `Timer` work for the element?
    void instrument(Instrumentation i, const std::string &element, const diag::Location &place, bool isTimed) {
        if (i == Instrumentation::No_Instrumentation || (i == Instrumentation::Timer && isTimed))
            return;
        const bool isTimer = i == Instrumentation::Timer;
        note(diag::Id::InstrumentationIgnored, quoted("", name(i)).substr(1), element, place, isTimer ? kTimed : kOnlyTimer,
             isTimer ? kRemove : kUseTimer);
    }

    void note(diag::Id id, std::string what, std::string element, diag::Location place, std::string why, std::string hint) {
        for (Found &f : found_)
            if (f.id == id && f.what == what && f.why == why) {
                ++f.others;
                return;
            }
        found_.push_back({id, std::move(what), std::move(element), std::move(why), std::move(hint), std::move(place)});
    }

    const pass::CompileOptions &compile_;
    diag::Engine &diags_;
    std::vector<Found> found_;
};

} // namespace

void reportIgnored(SDFG &graph, const pass::CompileOptions &compile, diag::Engine &diags) {
    Survey survey(compile, diags);
    for (const SDFG *g : allSDFGs(graph))
        survey.graph(*g);
    survey.report();
}

} // namespace sdfgc::targets
