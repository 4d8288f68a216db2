#include "sdfgc/Nest/CallElements.h"

#include "Nest/Values.h"

#include "sdfgc/Analysis/Memory/Access.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

constexpr std::size_t mostBlocks = 64;   // of a nested SDFG: larger ones are parts of programs, and are read often
constexpr std::size_t mostAccesses = 16; // of an argument

/// Values that only the nested SDFG knows (`k#3`), other than variables of its loops.
bool isUnknown(const sym::Range &r, const std::set<Name> &loops) {
    for (const sym::Expr e : {r.begin, r.end, r.step})
        for (const Name n : e.freeSymbols())
            if (isValue(n) && !loops.count(n))
                return true;
    return false;
}

/// The access without values that only the nested SDFG knows: indices that depend on them may be any.
analysis::AccessInstance widened(const analysis::AccessInstance &a, const DataDesc &d) {
    analysis::AccessInstance out;
    std::set<Name> loops;
    for (const analysis::LoopLevel &l : a.loops)
        if (!isUnknown(l.range, loops)) {
            out.loops.push_back(l);
            loops.insert(l.variable);
        }
    out.subset = *a.subset;
    const sym::Subset whole = d.fullSubset();
    for (std::size_t k = 0; k < whole.rank(); ++k)
        if (isUnknown(out.subset->dims[k], loops))
            out.subset->dims[k] = whole.dims[k];
    return out;
}

/// Accesses of a body that is read, as far as they belong to a call.
struct Content {
    const LoopBody &body;
    std::optional<Stretch> part; // of the body of a loop
    Name variable;               // of that loop

    /// In terms of the surroundings of the call.
    analysis::AccessInstance instanceOf(const BodyUse &u) const {
        if (!part)
            return u.instance;
        analysis::AccessInstance out = u.instance.substituted({{body.variable, sym::Expr::symbol(variable)}});
        out.loops.erase(out.loops.begin());
        return out;
    }
};

/// The accesses that a use stands for; empty if they are not known.
std::vector<analysis::AccessInstance> elementsOf(const Use &u, const Content &content, const DataDesc &d) {
    std::vector<analysis::AccessInstance> out;
    for (const BodyUse &b : content.body.uses) {
        if (content.part && !content.part->contains(b.position))
            continue;
        if (b.place.memory != u.memory || (u.kind == UseKind::Read ? b.kind == UseKind::Write : b.kind == UseKind::Read))
            continue;
        if (b.data != u.data || !b.instance.subset || b.instance.subset->rank() != d.rank())
            return {};
        analysis::AccessInstance a = widened(content.instanceOf(b), d);
        const auto isSame = [&a](const auto &other) { return *other.subset == *a.subset && other.loops == a.loops; };
        if (std::none_of(out.begin(), out.end(), isSame))
            out.push_back(std::move(a));
        if (out.size() > mostAccesses)
            return {};
    }
    return out;
}

/// Is it an argument of several elements?
bool hasParts(const Use &u, const SDFG &g) {
    const DataDesc *d = g.desc(u.data);
    return u.kind != UseKind::Update && u.subset && analysis::isPlain(d) && d->rank() > 0 && !u.subset->isOneElement();
}

std::vector<std::vector<analysis::AccessInstance>> elementsOf(const std::vector<Use> &uses, const Content &content, const SDFG &g) {
    std::vector<std::vector<analysis::AccessInstance>> out;
    for (const Use &u : uses)
        out.push_back(hasParts(u, g) ? elementsOf(u, content, *g.desc(u.data)) : std::vector<analysis::AccessInstance>());
    return out;
}

} // namespace

CallElements::CallElements(std::vector<Use> uses, const NestedSDFGNode &node, SDFG &g, analysis::Memories &memories)
    : unread_(Unread{std::move(uses), &node, &g, &memories}) {}

CallElements::CallElements(const std::vector<Use> &uses, Name variable, const Stretch &part, const LoopBody &body, const SDFG &g)
    : found_(elementsOf(uses, {body, part, variable}, g)) {}

const std::vector<analysis::AccessInstance> &CallElements::of(std::size_t use) {
    if (unread_)
        find();
    return found_[use];
}

void CallElements::find() {
    const Unread from = std::move(*unread_);
    unread_.reset();
    found_.resize(from.uses.size());
    const bool isAsked = std::any_of(from.uses.begin(), from.uses.end(), [&](const Use &u) { return hasParts(u, *from.g); });
    if (!isAsked || allBlocks(std::as_const(*from.node->sdfg)).size() > mostBlocks)
        return;
    Step call;
    call.nodes = {from.node};
    call.uses = from.uses;
    LoopBody body;
    if (!readCall(call, *from.g, *from.memories, body))
        found_ = elementsOf(from.uses, {body, {}, {}}, *from.g);
}

void describeCall(Step &call, std::shared_ptr<CallElements> elements) {
    for (std::size_t k = 0; k < call.uses.size(); ++k) {
        call.uses[k].call = elements;
        call.uses[k].argument = k;
    }
}

std::vector<analysis::AccessInstance> accessesOf(const Use &u, const Step &s) {
    if (!u.call || u.call->of(u.argument).empty())
        return {{u.subset, {}}};
    std::vector<analysis::AccessInstance> out;
    for (const analysis::AccessInstance &a : u.call->of(u.argument))
        out.push_back(a.substituted(s.renamed));
    return out;
}

std::vector<analysis::AccessInstance> accessesOf(const PlacedUse &u) {
    if (!u.use->call || u.use->call->of(u.use->argument).empty())
        return {u.instance};
    std::vector<analysis::AccessInstance> out;
    for (const analysis::AccessInstance &inside : accessesOf(*u.use, *u.step)) {
        out.push_back(inside.substituted(u.meaning));
        out.back().loops.insert(out.back().loops.begin(), u.instance.loops.begin(), u.instance.loops.end());
    }
    return out;
}

} // namespace sdfgc::nest
