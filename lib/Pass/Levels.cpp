#include "Pass/Levels.h"
#include "Pass/Options.h"

#include <algorithm>

namespace sdfgc::pass {
namespace {

/// `run `infer-types` before it`: the passes that bring a graph to the level, or a sentence that there are none.
std::string howToReach(const Registry &r, ir::Level level) {
    std::string list;
    for (const PassInfo &p : r.all())
        if (p.leaves == level)
            list += (list.empty() ? "`" : " or `") + p.name + "`";
    return list.empty() ? "no pass brings a graph to this level" : "run " + list + " before it";
}

} // namespace

void LevelTracker::pass(const PassInfo &p) {
    if (p.fallsTo && *p.fallsTo < level_) {
        ir::Level gives = std::max(level_, p.leaves);
        owed_ = Owed{p.needs, owed_ ? std::max(owed_->gives, gives) : gives};
        level_ = *p.fallsTo;
        return;
    }
    level_ = std::max(level_, p.leaves);
    if (owed_ && level_ >= owed_->at) {
        level_ = std::max(level_, owed_->gives);
        owed_.reset();
    }
}

std::optional<ir::Level> checkLevels(const Pipeline &p, const Registry &r, ir::Level level, diag::Engine &d) {
    std::size_t errorsBefore = d.errorCount();
    LevelTracker tracker(level);
    for (const Step &step : p.steps) {
        diag::Place place{step.file, step.line, step.column, {}, {}, {}};
        const PassInfo *info = findPass(r, step.pass, place, d);
        if (!info)
            continue;
        if (tracker.level() < info->needs)
            d.report(diag::Id::PassLevel, place,
                     {info->name, std::string(name(info->needs)), std::string(name(tracker.level())), howToReach(r, info->needs)});
        tracker.pass(*info);
    }
    if (d.errorCount() != errorsBefore)
        return std::nullopt;
    return tracker.level();
}

} // namespace sdfgc::pass
