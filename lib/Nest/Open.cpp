// Turns nested SDFGs into items of the surrounding scope.
#include "Nest/Window.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Nest/Rename.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;
using diag::Reason;
using diag::Why;

namespace {

/// An argument: the use at its connector, and the position of its elements in the outer container.
struct Argument {
    const Use *use = nullptr;
    Window window;
};

/// A nested SDFG that is being opened.
class Opening {
public:
    Opening(const Step &step, SDFG &around, const std::vector<Name> &loops, std::set<Name> &connectors)
        : step_(step), around_(around), loops_(loops), connectors_(connectors), node_(*cast<NestedSDFGNode>(step.nodes.front())),
          inner_(*node_.sdfg) {
        for (const auto &[name, value] : node_.symbolMapping)
            if (!value.isSymbol(name))
                meaning_.emplace(name, value);
        taken_.insert(loops.begin(), loops.end());
        for (const auto &[name, value] : meaning_)
            taken_.insert(value.freeSymbols().begin(), value.freeSymbols().end());
        for (const Use &u : step.uses)
            if (u.memlet.subset)
                taken_.merge(u.memlet.subset->freeSymbols());
    }

    Opened open(analysis::Memories &memories, const std::function<bool()> &mayOpen) {
        Opened out;
        if ((out.why = obstacle()))
            return out;
        std::optional<Run> run = readRegion(inner_, memories, analysis::sharedContainers(inner_));
        out.why = run ? obstacleIn(run->items, !loops_.empty())
                      : Reason{Why::ControlFlow, "it has control flow, or states that cannot be split"};
        if (!out.why && !renameParameters(run->items))
            out.why = {Why::Names, "names in it clash with names around it"};
        if (!out.why && !mayOpen())
            out.why = {Why::PassLimit, ""};
        if (out.why)
            return out;
        connectors_.merge(connectorsOf(inner_));
        nameTransients(out.locals);
        for (Item &i : run->items) {
            rename(i, meaning_);
            retarget(i);
            out.items.push_back(std::move(i));
        }
        return out;
    }

private:
    // ---- obstacles

    Reason obstacle() {
        if (node_.noInline)
            return {Why::Kept, "the graph requires it"};
        if (!inner_.constants.empty() || hasCode(inner_.globalCode) || hasCode(inner_.initCode) || hasCode(inner_.exitCode))
            return {Why::Opaque, "it has constants or code of its own"};
        if (step_.effects)
            return {Why::Effects, "it has effects that its memlets do not describe"};
        for (const auto &[name, d] : inner_.arrays) {
            if (!analysis::isPlain(&d))
                return {Why::Container, "its container `" + name.str() + "` is not a plain array"};
            if (d.transient && d.lifetime != Lifetime::Scope)
                return {Why::LiveOut, "its container `" + name.str() + "` outlives it"};
            if (d.transient && dependsOnLoops(d))
                return {Why::Container, "its container `" + name.str() + "` has a size that depends on the surrounding iterations"};
        }
        for (const auto &[name, value] : node_.symbolMapping)
            if (!sameMeaning(name, value))
                return {Why::Layout, "its symbol `" + name.str() + "` has a different type than its value"};
        for (const Use &u : step_.uses)
            if (Reason why = place(u))
                return why;
        return {};
    }

    bool dependsOnLoops(const DataDesc &d) const {
        const auto depends = [this](Name n) {
            const sym::Expr value = sym::substitute(sym::Expr::symbol(n), meaning_);
            return std::any_of(loops_.begin(), loops_.end(), [value](Name p) { return value.dependsOn(p); });
        };
        const std::set<Name> names = d.freeSymbols();
        return std::any_of(names.begin(), names.end(), depends);
    }

    static bool hasCode(const std::vector<TargetCode> &code) {
        return std::any_of(code.begin(), code.end(),
                           [](const TargetCode &c) { return c.code.text().find_first_not_of(" \t\r\n") != std::string::npos; });
    }

    /// May the value replace the symbol wherever code mentions it? Integers may be wider.
    bool sameMeaning(Name symbol, sym::Expr value) const {
        const Type *type = inner_.symbols.find(symbol);
        const std::vector<Name> names = value.freeSymbols();
        return std::all_of(names.begin(), names.end(), [&](Name n) {
            const Type *around = around_.symbols.find(n); // parameters of maps are not declared
            const bool integers = (!type || type->isInteger()) && (!around || around->isInteger());
            return !around_.desc(n) && (integers || (value.isSymbol(n) && type && around && *type == *around));
        });
    }

    /// Locates an argument in the outer container.
    Reason place(const Use &u) {
        const DataDesc *inside = inner_.desc(u.connector), *outside = around_.desc(u.data);
        const std::string what = "its argument `" + u.connector.str() + "` ";
        if (!inside || !outside || !u.memlet.subset || u.memlet.data != u.data || u.memlet.subset->rank() != outside->rank())
            return {Why::Opaque, what + "is none"};
        if (u.kind == UseKind::Update)
            return {Why::Update, what + "is updated with conflict resolution"};
        const std::optional<Window> window = windowOf(*inside, meaning_, *outside, *u.memlet.subset);
        if (!window)
            return {Why::Layout, what + "has a different type or strides inside"};
        const auto [known, isNew] = arguments_.emplace(u.connector, Argument{&u, *window});
        if (!isNew && (known->second.use->data != u.data || !(*known->second.use->memlet.subset == *u.memlet.subset)))
            return {Why::Container, what + "is a different container where it is written"};
        return {};
    }

    Reason obstacleIn(const std::vector<Item> &items, bool inMap) const {
        for (const Item &i : items)
            if (Reason why = i.map ? obstacleIn(i.map->body, true) : obstacleOf(*i.step, inMap))
                return why;
        return {};
    }

    /// Steps access containers only through memlets, so the containers may get other names and more dimensions.
    Reason obstacleOf(const Step &s, bool inMap) const {
        if (s.nodes.size() > 1)
            return {Why::Opaque, "a scope in it cannot be split"};
        for (const Node *n : s.nodes)
            for (const auto *list : {&n->inConnectors, &n->outConnectors})
                for (const Connector &c : *list)
                    if (around_.desc(c.name))
                        return {Why::Names, "its connector `" + c.name.str() + "` has the name of a container around it"};
        for (const Use &u : s.uses) {
            const auto a = arguments_.find(u.data);
            if (a == arguments_.end() && !inner_.desc(u.data)->transient)
                return {Why::Opaque, "its argument `" + u.data.str() + "` is not connected"};
            if (!u.subset || (!s.isCopy() && (u.memlet.data != u.data || !u.memlet.subset)))
                return {Why::Opaque, "a use of `" + u.data.str() + "` is unknown"};
            if (a != arguments_.end() && !a->second.window.keepsRank() && !s.isCopy() && !u.subset->isOneElement())
                return {Why::Layout, "a part of `" + u.data.str() + "` would have more dimensions"};
        }
        if (s.isCopy() && outerName(s.uses.front().data) == outerName(s.uses.back().data))
            return {Why::Opaque, "it copies a container onto itself"};
        if (s.isCopy() && inMap && isReachedFromOutside(outerName(s.uses.back().data)))
            return {Why::Container, "it copies to `" + s.uses.back().data.str() + "`, which would need a node inside of the map"};
        return {};
    }

    std::pair<bool, Name> outerName(Name data) const {
        const auto a = arguments_.find(data);
        return a == arguments_.end() ? std::pair(false, data) : std::pair(true, a->second.use->data);
    }

    /// Does a map use the container only through its connectors? A node of a view inside of it would show what is copied to it.
    bool isReachedFromOutside(const std::pair<bool, Name> &container) const {
        const DataDesc *d = container.first ? around_.desc(container.second) : nullptr;
        return d && (d->isView() || d->isStructure());
    }

    // ---- new names

    void nameTransients(std::set<Name> &locals) {
        for (const auto &[name, d] : inner_.arrays) {
            if (!d.transient)
                continue;
            DataDesc own = d;
            for (sym::Expr &e : own.shape)
                e = sym::substitute(e, meaning_);
            for (sym::Expr &e : own.strides)
                e = sym::substitute(e, meaning_);
            own.totalSize = sym::substitute(own.totalSize, meaning_);
            transients_.emplace(name, addContainer(around_, name.view(), std::move(own), connectors_));
            locals.insert(transients_.at(name));
        }
    }

    bool renameParameters(std::vector<Item> &items) {
        return std::all_of(items.begin(), items.end(), [this](Item &i) { return renameParameters(i) && canRename(i, meaning_); });
    }

    /// Map parameters inside must not have names that mean something else outside. Returns whether the renaming succeeded.
    bool renameParameters(Item &item) {
        if (!item.map)
            return true;
        std::map<Name, sym::Expr> fresh;
        for (Name &p : item.map->params)
            if (const Name old = p; isTaken(p)) {
                for (int k = 0; isTaken(p) || around_.symbols.contains(p) || inner_.symbols.contains(p); ++k)
                    p = Name(old.str() + "_" + std::to_string(k));
                fresh.emplace(old, sym::Expr::symbol(p));
            }
        return std::all_of(item.map->body.begin(), item.map->body.end(), [&](Item &inner) {
            if (!fresh.empty() && !canRename(inner, fresh))
                return false;
            if (!fresh.empty())
                rename(inner, fresh);
            return renameParameters(inner);
        });
    }
    bool isTaken(Name p) const { return taken_.count(p) || around_.desc(p); }

    // ---- other containers

    void retarget(Item &item) {
        if (item.map) {
            std::set<Name> locals;
            for (const Name n : item.map->locals)
                locals.insert(transients_.at(n));
            item.map->locals = std::move(locals);
            for (Item &inner : item.map->body)
                retarget(inner);
            return;
        }
        if (item.step->isCopy())
            nest::retargetCopy(*item.step, [this](Use &u, sym::Subset &subset) { retarget(u, subset); });
        else
            for (Use &u : item.step->uses) {
                retarget(u, *u.memlet.subset);
                if (!u.subset)
                    u.shown = memberElements(u, around_);
            }
    }

    void retarget(Use &u, sym::Subset &subset) {
        if (const auto own = transients_.find(u.data); own != transients_.end()) {
            u.data = u.memlet.data = own->second;
            return;
        }
        const Argument &a = arguments_.at(u.data);
        u.data = u.memlet.data = a.use->data;
        u.access = a.use->access;
        subset = a.window.placed(subset);
        u.subset = a.use->subset ? std::optional(a.window.placed(*u.subset)) : std::nullopt;
    }

    const Step &step_;
    SDFG &around_;
    const std::vector<Name> &loops_; // parameters of the surrounding maps
    std::set<Name> &connectors_;     // of the surrounding scope
    const NestedSDFGNode &node_;
    SDFG &inner_;
    std::map<Name, sym::Expr> meaning_; // values of the inner symbols
    std::set<Name> taken_;              // names used by the values of symbols and arguments
    std::map<Name, Argument> arguments_;
    std::map<Name, Name> transients_; // inner name, outer name
};

} // namespace

Opened open(const Step &step, SDFG &around, analysis::Memories &memories, const std::vector<Name> &loops,
            std::set<Name> &connectors, const std::function<bool()> &mayOpen) {
    return Opening(step, around, loops, connectors).open(memories, mayOpen);
}

std::set<Name> connectorsOf(const SDFG &g) {
    std::set<Name> out;
    for (const State *s : allStates(g))
        for (const auto &n : s->nodes())
            for (const auto *list : {&n->inConnectors, &n->outConnectors})
                for (const Connector &c : *list)
                    out.insert(c.name);
    return out;
}

Name addContainer(SDFG &g, std::string_view base, DataDesc d, const std::set<Name> &connectors) {
    Name name = g.freshName(base);
    for (int k = 0; connectors.count(name); ++k)
        name = g.freshName(std::string(base) + "_c" + std::to_string(k));
    return g.addTransient(name.view(), std::move(d));
}

} // namespace sdfgc::nest
