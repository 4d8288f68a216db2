#include "Pass/Levels.h"
#include "Pass/Options.h"

#include <algorithm>

namespace sdfgc::pass {
namespace {

/// `run `infer-types` before it`: the passes that raise a graph to the level, or a sentence that there are none.
std::string howToReach(const Registry &r, ir::Level level) {
    std::string list;
    for (const PassInfo &p : r.all())
        if (p.establishes == level)
            list += (list.empty() ? "`" : " or `") + p.name + "`";
    return list.empty() ? "no pass brings a program to this level" : "run " + list + " before it";
}

} // namespace

ir::Level levelWith(Incomplete elements) {
    switch (elements) {
    case Incomplete::Untyped:
        return ir::Level::Structured;
    case Incomplete::Unallocated:
        return ir::Level::Expanded;
    case Incomplete::Unscheduled:
        return ir::Level::Allocated;
    }
    return ir::Level::Loaded;
}

std::string_view name(Incomplete elements) {
    switch (elements) {
    case Incomplete::Untyped:
        return "untyped elements";
    case Incomplete::Unallocated:
        return "unallocated containers";
    case Incomplete::Unscheduled:
        return "unscheduled operations";
    }
    return "";
}

ir::Level levelAfter(ir::Level level, const PassInfo &p) {
    return std::max(p.adds ? std::min(level, levelWith(*p.adds)) : level, p.establishes.value_or(ir::Level::Loaded));
}

namespace {

/// Walks the steps in the order in which the manager runs them, and reports each that gets a graph of a lower level than it needs.
class Checker {
public:
    Checker(const Pipeline &p, const Registry &r, ir::Level level, diag::Engine &d)
        : pipeline_(p), registry_(r), diags_(d), level_(level) {}

    ir::Level check() {
        std::size_t next = 0;
        for (const Group &g : pipeline_.groups) {
            steps(next, g.first);
            const std::size_t errorsBefore = diags_.errorCount();
            steps(g.first, g.last);
            if (diags_.errorCount() == errorsBefore)
                steps(g.first, g.last); // the second round starts at the level at which the first one ended
            next = g.last;
        }
        steps(next, pipeline_.steps.size());
        return level_;
    }

private:
    void steps(std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            step(pipeline_.steps[i]);
    }

    void step(const PipelineStep &step) {
        const diag::Location place{step.file, step.line, step.column, {}, {}, {}};
        const PassInfo *info = findPass(registry_, step.pass, place, diags_);
        if (!info)
            return;
        if (level_ == ir::Level::Lowered && !info->onTree())
            diags_.report(diag::Id::PassAfterLowering, place, info->name);
        else if (level_ < info->needs)
            diags_.report(diag::Id::PassLevel, place, info->name, name(info->needs), name(level_),
                          howToReach(registry_, info->needs));
        const ir::Level after = levelAfter(level_, *info);
        // A conditional step cannot be relied on to raise the level.
        if (step.conditions.empty() || after < level_)
            level_ = after;
    }

    const Pipeline &pipeline_;
    const Registry &registry_;
    diag::Engine &diags_;
    ir::Level level_;
};

} // namespace

std::optional<ir::Level> checkLevels(const Pipeline &p, const Registry &r, ir::Level level, diag::Engine &d) {
    const std::size_t errorsBefore = d.errorCount();
    const ir::Level end = Checker(p, r, level, d).check();
    return d.errorCount() == errorsBefore ? std::optional(end) : std::nullopt;
}

} // namespace sdfgc::pass
