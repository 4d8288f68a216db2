#include "Transforms/Edits/LaneParameters.h"

#include "Transforms/Edits/BlockRows.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::Item;
using nest::Map;

namespace {

/// One lane loop that all inner maps have in common.
class LaneParameter {
public:
    LaneParameter(Map &rows, const RowSharing &plan, const SDFG &g) : rows_(rows), plan_(plan) {
        range_ = plan.sharedLane();
        if (!range_)
            return;
        std::set<Name> taken(rows.params.begin(), rows.params.end());
        collect(rows.body, taken);
        const Name original = plan.firstLanes()->params[plan.lanes().at(plan.firstLanes())];
        name_ = original;
        for (int k = 0; taken.count(name_); ++k)
            name_ = g.freshName(original.str() + "_" + std::to_string(k));
        possible_ = std::all_of(plan.lanes().begin(), plan.lanes().end(), [&](const auto &l) {
            return std::all_of(l.first->body.begin(), l.first->body.end(),
                               [&](const Item &i) { return nest::canRename(i, meaningIn(*l.first, l.second)); });
        });
    }
    bool isPossible() const { return possible_; }
    void add() {
        rows_.body = open(rows_.body);
        rows_.params.push_back(name_);
        rows_.ranges.push_back(*range_);
    }

private:
    /// The variables of the row's other loops.
    void collect(const std::vector<Item> &list, std::set<Name> &names) const {
        for (const Item &i : list) {
            if (!i.map)
                continue;
            const auto lanes = plan_.lanes().find(i.map.get());
            for (std::size_t d = 0; d < i.map->params.size(); ++d)
                if (lanes == plan_.lanes().end() || d != lanes->second)
                    names.insert(i.map->params[d]);
            collect(i.map->body, names);
        }
    }
    std::map<Name, sym::Expr> meaningIn(const Map &m, std::size_t lane) const {
        return m.params[lane] == name_ ? std::map<Name, sym::Expr>()
                                       : std::map<Name, sym::Expr>{{m.params[lane], sym::Expr::symbol(name_)}};
    }

    std::vector<Item> open(std::vector<Item> &list) {
        std::vector<Item> out;
        for (Item &i : list) {
            const auto lanes = i.map ? plan_.lanes().find(i.map.get()) : plan_.lanes().end();
            if (lanes == plan_.lanes().end()) {
                if (i.map)
                    i.map->body = open(i.map->body);
                out.push_back(std::move(i));
                continue;
            }
            Map &m = *i.map;
            for (Item &inner : m.body)
                nest::rename(inner, meaningIn(m, lanes->second));
            const auto at = static_cast<std::ptrdiff_t>(lanes->second);
            m.params.erase(m.params.begin() + at);
            m.ranges.erase(m.ranges.begin() + at);
            if (!m.params.empty()) {
                out.push_back(std::move(i));
                continue;
            }
            rows_.locals.merge(m.locals);
            std::move(m.body.begin(), m.body.end(), std::back_inserter(out));
        }
        return out;
    }

    Map &rows_;
    const RowSharing &plan_;
    std::optional<sym::Range> range_;
    Name name_;
    bool possible_ = false;
};

} // namespace

bool spreadLanes(Map &rows, const nest::Conflicts &items, const SDFG &g, bool anyOrder) {
    for (bool changed = false;; changed = true) {
        const RowSharing plan(rows, items, g, anyOrder);
        LaneParameter lane(rows, plan, g);
        if (plan.why() || !lane.isPossible())
            return changed;
        lane.add();
    }
}

} // namespace sdfgc::transforms
