// The items that replace a loop with products.
#include "Transforms/Optimize/RaisedLoop.h"

#include "Transforms/Optimize/MapsTogether.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/CallBlocks.h"
#include "sdfgc/Nest/MakeMaps.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::Use;
using nest::UseKind;

void RaisedLoop::raise(const std::set<Name> &connectors) {
    std::set<Name> unused = onlyInside();
    for (auto &[data, e] : private_)
        add(data.str(), e, g_.desc(data)->dtype, connectors);
    std::vector<Item> out;
    for (const Name n : body_.made())
        if (private_.count(n))
            unused.insert(n);
    for (LoopPart &p : parts_)
        if (p.isHoisted) {
            if (p.product) // it may need the views
                std::erase_if(unused, [this](Name n) { return g_.desc(n)->isView(); });
            out.push_back(std::move(p.item));
        }
    for (LoopPart &p : parts_)
        if (!p.isHoisted)
            addPart(p, connectors, out);
    after_.symbols().liveness.forget(loop_);
    after_.containers().forget(loop_);
    loops_.replace(loop_, std::move(out), header_);
    for (const Name n : unused)
        g_.arrays.erase(n);
    for (const Name n : body_.inner())
        g_.desc(n)->storage = Storage::Register;
    for (const Name n : body_.innerVariables())
        analysis::forgetVariable(g_, n);
    nest::forgetSymbols(g_, assigned_);
}

void RaisedLoop::joinOrdered() {
    std::size_t first = parts_.size();
    const auto isMap = [](const LoopPart &p) { return p.item.map && !p.product && !p.isSolution && !p.isHoisted; };
    while (first > 0 && isMap(parts_[first - 1]))
        --first;
    if (!context_.options.gpu() || parts_.size() < first + 2 ||
        std::none_of(parts_.begin() + static_cast<std::ptrdiff_t>(first), parts_.end(),
                     [this](const LoopPart &p) { return isCarried(p); }))
        return;
    std::vector<Item> maps;
    for (std::size_t k = first; k < parts_.size(); ++k)
        maps.push_back(std::move(parts_[k].item));
    MapsTogether together(g_, items_, {loop_.variable, header_.walk()}, {});
    if (together.read(maps)) {
        for (std::size_t k = first; k < parts_.size(); ++k)
            parts_[k].item = std::move(maps[k - first]);
        return;
    }
    parts_.resize(first + 1);
    parts_[first].item = {together.join(std::move(maps)), nullptr};
}

sym::Expr RaisedLoop::iteration() const { return sym::Expr::symbol(loop_.variable) - level_.range.begin; }

void RaisedLoop::moveTo(Use &u, const PerIteration &e) {
    const sym::Subset old = *u.subset;
    std::vector<sym::Expr> at{iteration()};
    for (std::size_t k = 0; k < e.dims.size(); ++k)
        at.push_back(old.dims[e.dims[k]].begin + e.shifts[k]);
    u.moveTo(e.made, e.memory);
    u.subset = sym::Subset::point(at);
    u.memlet.data = e.made;
    u.memlet.subset = u.subset;
    u.memlet.otherSubset.reset();
}

void RaisedLoop::moveUses(Item &i) {
    if (i.map) {
        for (Item &inner : i.map->body)
            moveUses(inner);
        return;
    }
    for (Use &u : i.step->uses)
        if (const auto e = private_.find(u.data); e != private_.end())
            moveTo(u, e->second);
}

void RaisedLoop::alignEnds(Map &m) const {
    for (std::size_t d = 0; d < m.params.size(); ++d) {
        const sym::Range r = m.ranges[d];
        if (slopeOf(r.begin, loop_.variable) != 0 || slopeOf(r.end, loop_.variable) != -1 || !r.step.isOne() || !r.tile.isOne())
            continue;
        const std::map<Name, sym::Expr> meaning{{m.params[d], sym::Expr::symbol(m.params[d]) - iteration()}};
        const bool isUsed = std::any_of(m.ranges.begin(), m.ranges.end(), [&](const sym::Range &o) {
            return sym::Subset{{o}}.freeSymbols().count(m.params[d]) != 0;
        });
        if (isUsed || !std::all_of(m.body.begin(), m.body.end(), [&](const Item &i) { return nest::canRename(i, meaning); }))
            continue;
        for (Item &i : m.body)
            nest::rename(i, meaning);
        m.ranges[d] = {r.begin + iteration(), r.end + iteration(), 1, 1};
    }
}

Item RaisedLoop::spread(Item i) const {
    if (i.map)
        alignEnds(*i.map);
    if (i.map && !i.map->entry->ordered && i.map->entry->schedule == Schedule::CPU_Multicore) {
        i.map->params.insert(i.map->params.begin(), loop_.variable);
        i.map->ranges.insert(i.map->ranges.begin(), level_.range);
        return i;
    }
    Map m = emptyMap(i.map ? i.map->entry->label : i.step->nodes.front()->label);
    m.params = {loop_.variable};
    m.ranges = {level_.range};
    m.body.push_back(std::move(i));
    return {std::make_unique<Map>(std::move(m)), nullptr};
}

void RaisedLoop::runInside(Map &m) const {
    auto inner = std::make_unique<Map>();
    inner->made = nest::entryFor(loop_);
    inner->entry = inner->made.get();
    inner->params = {loop_.variable};
    inner->ranges = {header_.walk()};
    std::swap(inner->body, m.body);
    std::swap(inner->locals, m.locals);
    m.body.push_back({std::move(inner), nullptr});
}

void RaisedLoop::addPart(LoopPart &p, const std::set<Name> &connectors, std::vector<Item> &out) {
    if (p.isSolution) {
        out.push_back(ofAll(std::move(p.item)));
        return;
    }
    if (!p.product) {
        moveUses(p.item);
        if (p.isOrdered)
            runInside(*p.item.map);
        out.push_back(p.isOrdered ? std::move(p.item) : spread(std::move(p.item)));
        return;
    }
    const BatchedProduct &b = *p.product;
    if (p.redirection) {
        add(b.result().data.str() + "_all", *p.redirection, g_.desc(b.result().data)->dtype, connectors);
        out.push_back(b.into(*p.redirection, private_));
        out.push_back(spread(copyOf(b, *p.redirection)));
    } else {
        const auto e = private_.find(b.result().data);
        out.push_back(e == private_.end() ? b.inPlace(private_) : b.into(e->second, private_));
    }
}

Item RaisedLoop::copyOf(const BatchedProduct &b, const PerIteration &from) {
    const Use &to = b.result();
    Map m = emptyMap("copy_" + to.data.str());
    std::vector<sym::Expr> source{iteration()}, target;
    for (std::size_t k = 0; k < b.dims().size(); ++k) {
        m.params.push_back(parameter(k));
        m.ranges.push_back({0, to.subset->dims[b.dims()[k].dim].size() - 1, 1, 1});
        target.push_back(sym::Expr::symbol(m.params.back()));
        source.push_back(target.back() + from.shifts[k]);
    }
    Use read = to;
    read.kind = UseKind::Read;
    read.certain = false;
    read.moveTo(from.made, from.memory);
    Use written = nest::ofElement(to, nest::elementOf(*to.subset, target), Name("__out"));
    written.certain = true;
    Item step = nest::taskletStep(m.entry->label, "__out = __inp",
                                  {nest::ofElement(read, sym::Subset::point(source), Name("__inp"))}, std::move(written), g_);
    moveUses(step);
    if (m.params.empty())
        return step;
    m.body.push_back(std::move(step));
    return {std::make_unique<Map>(std::move(m)), nullptr};
}

} // namespace sdfgc::transforms
