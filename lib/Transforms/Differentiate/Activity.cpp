#include "Transforms/Differentiate/Activity.h"
#include "Transforms/Differentiate/Maker.h"

#include "sdfgc/Analysis/Memory/Access.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using analysis::Memory;
using nest::Item;
using nest::Step;
using nest::Use;

namespace {

/// The real-valued memories that one step reads and writes: those that have gradients, and those that must be rejected.
struct Flow {
    std::set<Memory> from, to;
};

std::vector<Flow> flowsOf(const PrimalProgram &program) {
    std::map<const Step *, Flow> flows;
    SDFG &g = const_cast<PrimalProgram &>(program).sdfg();
    const auto carries = [&g](const Use &u) {
        const DataDesc *d = g.desc(u.data);
        return d && (d->dtype.isFloat() || d->dtype.isComplex() || !d->dtype.isScalar() || !analysis::isPlain(d)) &&
               !d->dtype.isInteger() && !d->dtype.isBool();
    };
    const auto add = [&](const Item &item, auto &self) -> void {
        if (item.map) {
            for (const Item &inner : item.map->body)
                self(inner, self);
            return;
        }
        for (const Use &u : item.step->uses)
            if (carries(u))
                (u.writes() ? flows[item.step.get()].to : flows[item.step.get()].from).insert(u.memory);
        for (const Name symbol : program.realSymbolsIn(*item.step))
            flows[item.step.get()].from.insert(program.realSymbols().at(symbol));
    };
    for (const nest::Run &run : const_cast<PrimalProgram &>(program).runs())
        for (const Item &item : run.items)
            add(item, add);
    std::vector<Flow> out;
    for (auto &[step, flow] : flows)
        out.push_back(std::move(flow));
    for (const HiddenState &h : program.hidden())
        out.push_back({h.from, h.to});
    if (!program.realSymbols().empty())
        for (const InterstateEdge *e : allInterstateEdges(g))
            for (const auto &[symbol, value] : e->assignments)
                if (const auto known = program.realSymbols().find(symbol); known != program.realSymbols().end())
                    out.push_back({program.readBy(value), {known->second}});
    return out;
}

/// Adds everything reachable along the flow, or against it.
void spread(std::set<Memory> &reached, const std::vector<Flow> &flows, std::set<Memory> Flow::*begin, std::set<Memory> Flow::*end) {
    std::map<Memory, std::vector<const Flow *>> beginning;
    for (const Flow &f : flows)
        for (const Memory m : f.*begin)
            beginning[m].push_back(&f);
    std::vector<Memory> open(reached.begin(), reached.end());
    while (!open.empty()) {
        const std::vector<const Flow *> onwards = std::move(beginning[open.back()]); // once is enough
        open.pop_back();
        for (const Flow *f : onwards)
            for (const Memory m : f->*end)
                if (reached.insert(m).second)
                    open.push_back(m);
    }
}

} // namespace

Activity::Activity(const PrimalProgram &program, const std::set<Memory> &of, const std::set<Memory> &wrt)
    : varied_(wrt), useful_(of) {
    const std::vector<Flow> flows = flowsOf(program);
    spread(varied_, flows, &Flow::from, &Flow::to);
    spread(useful_, flows, &Flow::to, &Flow::from);
    for (const HiddenState &h : program.hidden())
        if (isActive(h))
            addRegions(h.state->parent());
    for (const nest::Run &run : const_cast<PrimalProgram &>(program).runs())
        if (std::any_of(run.items.begin(), run.items.end(), [this](const Item &i) { return isActive(i); }))
            addRegions(run.region);
}

bool Activity::depend(const PrimalProgram &program, const std::set<Memory> &of, Memory wrt) {
    std::set<Memory> varied{wrt};
    spread(varied, flowsOf(program), &Flow::from, &Flow::to);
    return std::any_of(of.begin(), of.end(), [&varied](Memory m) { return varied.count(m) != 0; });
}

bool Activity::isActive(const Step &s) const {
    return std::any_of(s.uses.begin(), s.uses.end(), [this](const Use &u) { return u.writes() && isActive(u.memory); });
}

bool Activity::isActive(const HiddenState &h) const {
    return std::any_of(h.to.begin(), h.to.end(), [this](Memory m) { return isActive(m); });
}

bool Activity::isActive(const Item &item) const {
    return item.step ? isActive(*item.step)
                     : std::any_of(item.map->body.begin(), item.map->body.end(), [this](const Item &i) { return isActive(i); });
}

void Activity::addRegions(const Region *r) {
    while (r && regions_.insert(r).second)
        r = r->parent();
}

} // namespace sdfgc::transforms::gradient
