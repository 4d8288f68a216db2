#include "sdfgc/Analysis/DeviceLoops.h"

#include "sdfgc/Analysis/Async.h"
#include "sdfgc/Analysis/FlowWalk.h"
#include "sdfgc/Analysis/Symbols.h"

#include <algorithm>
#include <set>

namespace sdfgc::analysis {

using namespace ir;

namespace {

bool isFlag(const DataDesc *d) {
    return d && (d->isScalar() || d->isArray()) && d->dtype == Type(ScalarKind::Bool) && d->totalSize.isOne();
}

/// Who reads and writes the containers of one SDFG that may be copies of flags.
class Copies {
public:
    explicit Copies(SDFG &g) : g_(g) {
        for (State *s : allStates(g))
            state(*s);
        const auto reads = [this](const std::vector<Name> &names) {
            for (Name n : std::set<Name>(names.begin(), names.end()))
                ++readers_[n];
        };
        for (const Region *r : allRegions(g)) {
            for (const auto &e : r->edges())
                reads(containersRead(*e, g));
            if (const auto *l = dyn_cast<LoopRegion>(r))
                reads(containersRead(*l, g));
        }
        for (const Block *b : allBlocks(g))
            if (const auto *c = dyn_cast<ConditionalBlock>(b))
                reads(containersRead(*c, g));
    }

    /// The states that copy a flag to `copy`, all the same flag; none where it is used in another way.
    std::vector<State *> looksOf(Name copy, Name &flag) const {
        const auto found = from_.find(copy);
        if (spoilt_.count(copy) || found == from_.end() || found->second.size() != 1 || readers_.at(copy) != 1)
            return {};
        flag = *found->second.begin();
        return states_.at(copy);
    }

private:
    /// A state that only copies one flag to the host, or is in the way of all copies that it touches.
    void state(State &s) {
        const AccessNode *from = nullptr, *to = nullptr;
        bool plain = true;
        for (const auto &n : s.nodes()) {
            const auto *a = dyn_cast<AccessNode>(n.get());
            const auto *l = dyn_cast<LibraryNode>(n.get());
            if (!a)
                plain = plain && l && asyncOp(*l);
            else if (std::none_of(a->inEdges().begin(), a->inEdges().end(), carries))
                plain = plain && !std::exchange(from, a);
            else
                plain = plain && !std::exchange(to, a);
        }
        plain = plain && from && to &&
                std::count_if(s.edges().begin(), s.edges().end(), [](const auto &e) { return carries(e.get()); }) == 1 &&
                isLook(*from, *to);
        if (plain) {
            from_[to->data].insert(from->data);
            states_[to->data].push_back(&s);
            return;
        }
        for (const auto &n : s.nodes())
            if (const auto *a = dyn_cast<AccessNode>(n.get()))
                spoilt_.insert(a->data);
    }
    static bool carries(const Edge *e) { return !e->memlet.isEmpty(); }
    bool isLook(const AccessNode &from, const AccessNode &to) const {
        const DataDesc *flag = g_.desc(from.data), *copy = g_.desc(to.data);
        return isFlag(flag) && isFlag(copy) && flag->storage == Storage::GPU_Global && !flag->isView() && copy->transient &&
               copy->storage != Storage::GPU_Global && !copy->isView();
    }

    SDFG &g_;
    std::map<Name, std::set<Name>> from_;
    std::map<Name, std::vector<State *>> states_;
    std::map<Name, int> readers_;
    std::set<Name> spoilt_;
};

/// `go` or `go[0]`: the container that a condition is; none for other conditions.
Name conditionOf(const LoopRegion &l, const SDFG &g) {
    if (!l.condition || l.condition->language != Language::Python || (l.init && !l.init->empty()) ||
        (l.update && !l.update->empty()))
        return {};
    std::string text = l.condition->text;
    while (text.size() > 1 && text.front() == '(' && text.back() == ')')
        text = text.substr(1, text.size() - 2);
    if (text.ends_with("[0]"))
        text.resize(text.size() - 3);
    const Name name(text);
    return g.arrays.contains(name) ? name : Name();
}

/// Do the states stand where the condition is about to be tested: one in front of the loop, and one at each end of its body?
bool standRight(const LoopRegion &l, const std::vector<State *> &looks) {
    const Region &around = *l.parent();
    std::set<const Block *> left(looks.begin(), looks.end());
    for (const auto &b : l.blocks()) {
        if (b->kind() == BlockKind::Break || b->kind() == BlockKind::Continue || b->kind() == BlockKind::Return)
            return false;
        if (l.outEdges(b.get()).empty() && left.erase(b.get()) == 0)
            return false;
    }
    if (l.inverted && left.empty())
        return true;
    const std::vector<InterstateEdge *> in = around.inEdges(&l);
    return in.size() == 1 && in[0]->isUnconditional() && in[0]->assignments.empty() && around.outEdges(in[0]->src).size() == 1 &&
           left.erase(in[0]->src) == 1 && left.empty();
}

} // namespace

DeviceLoops::DeviceLoops(SDFG &root) {
    for (SDFG *g : allSDFGs(root))
        collect(*g);
}

void DeviceLoops::collect(SDFG &g) {
    std::optional<Copies> copies;
    for (Region *r : allRegions(g)) {
        auto *l = dyn_cast<LoopRegion>(r);
        const Name copy = l ? conditionOf(*l, g) : Name();
        if (copy.empty() || !l->parent())
            continue;
        if (!copies)
            copies.emplace(g);
        DeviceLoop found{l, {}, copy};
        const std::vector<State *> looks = copies->looksOf(copy, found.flag);
        if (looks.empty() || !standRight(*l, looks))
            continue;
        const DeviceLoop *kept = &loops_.emplace(l, found).first->second;
        for (const State *s : looks)
            looks_[s] = kept;
    }
}

const DeviceLoop *DeviceLoops::of(const LoopRegion &l) const {
    const auto at = loops_.find(&l);
    return at == loops_.end() ? nullptr : &at->second;
}

const DeviceLoop *DeviceLoops::lookedAtBy(const State &s) const {
    const auto at = looks_.find(&s);
    return at == looks_.end() ? nullptr : at->second;
}

} // namespace sdfgc::analysis
