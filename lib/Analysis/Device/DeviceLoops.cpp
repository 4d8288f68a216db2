#include "sdfgc/Analysis/Device/DeviceLoops.h"

#include "sdfgc/Analysis/Device/Async.h"
#include "sdfgc/Analysis/Flow/FlowWalk.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace sdfgc::analysis {

using namespace ir;

namespace {

bool isFlag(const DataDesc *d) {
    return d && (d->isScalar() || d->isArray()) && d->dtype == Type(ScalarKind::Bool) && d->totalSize.isOne();
}

/// The reads and writes of containers of one SDFG that may be copies of flags.
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

    /// The states that copy one and the same flag to `copy`; none if `copy` is used in any other way.
    std::vector<State *> looksOf(Name copy, Name &flag) const {
        const auto found = from_.find(copy);
        if (spoilt_.count(copy) || found == from_.end() || found->second.size() != 1 || readers_.at(copy) != 1)
            return {};
        flag = *found->second.begin();
        return states_.at(copy);
    }

private:
    /// Handles a state that only copies one flag to the host; any other state disqualifies the containers that it accesses.
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

/// The container that a condition consists of, written `go` or `go[0]`; none for other conditions.
Name containerIn(const std::optional<Code> &condition, const SDFG &g) {
    if (!condition || !condition->isPython())
        return {};
    std::string text = condition->text();
    while (text.size() > 1 && text.front() == '(' && text.back() == ')')
        text = text.substr(1, text.size() - 2);
    if (text.ends_with("[0]"))
        text.resize(text.size() - 3);
    const Name name(text);
    return g.arrays.contains(name) ? name : Name();
}
Name conditionOf(const Block &b, const SDFG &g) {
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        return c->branches().size() == 1 ? containerIn(c->branches()[0].condition, g) : Name();
    const auto *l = dyn_cast<LoopRegion>(&b);
    return !l || (l->init && !l->init->empty()) || (l->update && !l->update->empty()) ? Name() : containerIn(l->condition, g);
}

bool endsInJump(const Region &r) {
    return std::any_of(r.blocks().begin(), r.blocks().end(), [](const auto &b) { return isJump(b->kind()); });
}

/// Is the only predecessor of the block in `left`, with no other successor? Removes it from `left`.
bool takeFront(const Block &b, std::set<const Block *> &left) {
    const Block *front = b.inEdges().size() == 1 ? b.inEdges().front()->src : nullptr;
    return front && onlyNext(*front) && left.erase(front) == 1;
}

/// Are the states right before each test of the condition: one before the block, and for a loop also one at each end of its body?
bool standRight(const Block &b, const std::vector<State *> &looks) {
    std::set<const Block *> left(looks.begin(), looks.end());
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        return !endsInJump(*c->branches()[0].region) && takeFront(b, left) && left.empty();
    const auto &l = static_cast<const LoopRegion &>(b);
    if (endsInJump(l))
        return false;
    for (const auto &inside : l.blocks())
        if (inside->outEdges().empty() && left.erase(inside.get()) == 0)
            return false;
    return (l.inverted && left.empty()) || (takeFront(l, left) && left.empty());
}

} // namespace

DeviceLoops::DeviceLoops(SDFG &root) {
    for (SDFG *g : allSDFGs(root))
        collect(*g);
}

void DeviceLoops::collect(SDFG &g) {
    std::optional<Copies> copies;
    for (Block *b : allBlocks(g)) {
        const Name copy = conditionOf(*b, g);
        if (copy.empty() || !b->parent())
            continue;
        if (!copies)
            copies.emplace(g);
        DeviceLoop found{b, {}};
        const std::vector<State *> looks = copies->looksOf(copy, found.flag);
        if (looks.empty() || !standRight(*b, looks))
            continue;
        const DeviceLoop *kept = &loops_.emplace(b, found).first->second;
        for (const State *s : looks)
            looks_[s] = kept;
    }
}

const DeviceLoop *DeviceLoops::of(const Block &b) const {
    const auto at = loops_.find(&b);
    return at == loops_.end() ? nullptr : &at->second;
}

const DeviceLoop *DeviceLoops::lookedAtBy(const State &s) const {
    const auto at = looks_.find(&s);
    return at == looks_.end() ? nullptr : at->second;
}

} // namespace sdfgc::analysis
