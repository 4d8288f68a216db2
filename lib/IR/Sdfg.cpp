#include "sdfgc/IR/Sdfg.h"

#include <algorithm>
#include <type_traits>
#include <unordered_set>
#include <utility>

namespace sdfgc::ir {

bool TargetCode::isForAll() const {
    return (target == Name("frame") || target == Name("openmp") || target == Name("null") || target == Name("None") ||
            target.empty()) &&
           code.text().find_first_not_of(" \t\r\n") != std::string::npos;
}

Block::~Block() = default;
Region::~Region() = default;
ConditionalBlock::~ConditionalBlock() = default;

SDFG *Block::sdfg() {
    Block *b = this;
    while (b && b->kind() != BlockKind::SDFG)
        b = b->parent();
    return static_cast<SDFG *>(b);
}

Block *Region::start() const {
    if (blocks_.empty())
        return nullptr;
    Block *source = nullptr;
    std::size_t sources = 0;
    for (const auto &b : blocks_)
        if (b->in_.empty()) {
            ++sources;
            source = b.get();
        }
    return sources == 1 ? source : storedStart_;
}

Block *Region::adopt(std::unique_ptr<Block> b) {
    b->parent_ = this;
    b->id_ = static_cast<uint32_t>(blocks_.size());
    if (auto *c = dyn_cast<ConditionalBlock>(b.get()))
        for (auto &branch : c->branches())
            branch.region->parent_ = this;
    blocks_.push_back(std::move(b));
    return blocks_.back().get();
}

std::unique_ptr<Block> Region::detach(Block *b) {
    auto it = std::find_if(blocks_.begin(), blocks_.end(), [&](const auto &p) { return p.get() == b; });
    if (it == blocks_.end())
        return nullptr;
    std::unique_ptr<Block> out = std::move(*it);
    blocks_.erase(it);
    if (storedStart_ == b)
        storedStart_ = nullptr;
    out->parent_ = nullptr;
    renumberBlocks();
    return out;
}

InterstateEdge *Region::connect(Block *src, Block *dst, Code condition, std::vector<std::pair<Name, std::string>> assignments) {
    auto e = std::make_unique<InterstateEdge>();
    e->src = src;
    e->dst = dst;
    e->condition = std::move(condition);
    e->assignments = std::move(assignments);
    return adopt(std::move(e));
}

InterstateEdge *Region::adopt(std::unique_ptr<InterstateEdge> e) {
    e->rank_ = nextRank_++;
    e->src->out_.push_back(e.get());
    e->dst->in_.push_back(e.get());
    edges_.push_back(std::move(e));
    return edges_.back().get();
}

/// Removes an edge from the lists of its ends, which may be long: every block may have a jump to the same one.
void Region::forget(InterstateEdge &e) {
    for (std::vector<InterstateEdge *> *edges : {&e.src->out_, &e.dst->in_}) {
        const auto isBefore = [](const InterstateEdge *a, uint64_t rank) { return a->rank_ < rank; };
        edges->erase(std::lower_bound(edges->begin(), edges->end(), e.rank_, isBefore));
    }
}

/// Inserts an edge into the list of one end, in the order of the region's list.
void Region::insert(std::vector<InterstateEdge *> &edges, InterstateEdge *e) {
    const auto isBefore = [](const InterstateEdge *a, const InterstateEdge *b) { return a->rank_ < b->rank_; };
    edges.insert(std::upper_bound(edges.begin(), edges.end(), e, isBefore), e);
}

std::unique_ptr<InterstateEdge> Region::detachEdge(InterstateEdge *e) {
    const auto it =
        std::lower_bound(edges_.begin(), edges_.end(), e->rank_, [](const auto &p, uint64_t r) { return p->rank_ < r; });
    if (it == edges_.end() || it->get() != e)
        return nullptr;
    forget(*e);
    std::unique_ptr<InterstateEdge> out = std::move(*it);
    edges_.erase(it);
    return out;
}

void Region::setSource(InterstateEdge *e, Block *src) {
    std::erase(e->src->out_, e);
    e->src = src;
    insert(src->out_, e);
}

void Region::setDestination(InterstateEdge *e, Block *dst) {
    std::erase(e->dst->in_, e);
    e->dst = dst;
    insert(dst->in_, e);
}

void Region::moveInEdges(Block *from, Block *to) {
    for (InterstateEdge *e : std::exchange(from->in_, {})) {
        e->dst = to;
        insert(to->in_, e);
    }
}

void Region::moveOutEdges(Block *from, Block *to) {
    for (InterstateEdge *e : std::exchange(from->out_, {})) {
        e->src = to;
        insert(to->out_, e);
    }
}

void Region::removeEdge(InterstateEdge *e) { detachEdge(e); }

State *Region::addStateBefore(Block *b, std::string label) {
    const bool first = start() == b || storedStart_ == b;
    State *s = add<State>();
    s->label = std::move(label);
    moveInEdges(b, s);
    connect(s, b);
    if (first)
        setStart(s);
    return s;
}

State *Region::addStateAfter(Block *b, std::string label) {
    State *s = add<State>();
    s->label = std::move(label);
    moveOutEdges(b, s);
    connect(b, s);
    return s;
}

void Region::removeBlock(Block *b) { removeBlocks({b}); }

void Region::removeBlocks(const std::vector<Block *> &dead) {
    const std::unordered_set<const Block *> gone(dead.begin(), dead.end());
    const auto goes = [&gone](const auto &e) { return gone.count(e->src) || gone.count(e->dst); };
    std::unordered_set<Block *> left; // by edges that are removed
    for (const Block *b : dead) {
        for (const InterstateEdge *e : b->in_)
            left.insert(e->src);
        for (const InterstateEdge *e : b->out_)
            left.insert(e->dst);
    }
    for (Block *b : left) {
        std::erase_if(b->in_, goes);
        std::erase_if(b->out_, goes);
    }
    std::erase_if(edges_, goes);
    std::erase_if(blocks_, [&](const auto &b) { return gone.count(b.get()) != 0; });
    if (gone.count(storedStart_))
        storedStart_ = nullptr;
    renumberBlocks();
}

Region::Content Region::release() {
    Content out{std::move(blocks_), std::move(edges_)};
    blocks_.clear();
    edges_.clear();
    storedStart_ = nullptr;
    for (auto &b : out.blocks) {
        b->parent_ = nullptr;
        b->in_.clear();
        b->out_.clear();
    }
    return out;
}

void Region::adopt(Content content) {
    for (auto &b : content.blocks)
        adopt(std::move(b));
    for (auto &e : content.edges)
        adopt(std::move(e));
}

void Region::renumberBlocks() {
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        blocks_[i]->id_ = static_cast<uint32_t>(i);
}

Region *ConditionalBlock::addBranch(std::optional<Code> condition, std::unique_ptr<Region> region) {
    region->parent_ = parent();
    region->conditional_ = this;
    branches_.push_back({std::move(condition), std::move(region)});
    return branches_.back().region.get();
}

SDFG *SDFG::parentSDFG() const { return parentNode && parentNode->state() ? parentNode->state()->sdfg() : nullptr; }

SDFG *SDFG::root() {
    SDFG *g = this;
    while (SDFG *up = g->parentSDFG())
        g = up;
    return g;
}

const DataDesc *SDFG::desc(Name data) const {
    if (const DataDesc *d = arrays.find(data))
        return d;
    const std::string &text = data.str();
    auto dot = text.find('.');
    if (dot == std::string::npos)
        return nullptr;
    const DataDesc *d = arrays.find(Name(text.substr(0, dot)));
    while (d && dot != std::string::npos) {
        auto next = text.find('.', dot + 1);
        d = d->member(Name(std::string_view(text).substr(dot + 1, next == std::string::npos ? next : next - dot - 1)));
        dot = next;
    }
    return d;
}

DataDesc *SDFG::desc(Name data) { return const_cast<DataDesc *>(static_cast<const SDFG *>(this)->desc(data)); }

const Constant *SDFG::constant(Name n) const {
    for (const SDFG *g = this; g; g = g->parentSDFG())
        if (const Constant *c = g->constants.find(n))
            return c;
    return nullptr;
}

Name SDFG::freshName(std::string_view prefix) const {
    auto taken = [&](Name n) { return arrays.contains(n) || symbols.contains(n) || constant(n); };
    if (Name plain(prefix); !taken(plain))
        return plain;
    for (int i = 0;; ++i)
        if (Name n(std::string(prefix) + "_" + std::to_string(i)); !taken(n))
            return n;
}

std::string SDFG::freshLabel(const std::string &prefix) const {
    std::unordered_set<std::string_view> taken;
    for (const Block *b : allBlocks(*this))
        if (b->label.starts_with(prefix))
            taken.insert(b->label);
    std::string label = prefix;
    for (int i = 0; taken.contains(label); ++i)
        label = prefix + "_" + std::to_string(i);
    return label;
}

Name SDFG::addTransient(std::string_view base, DataDesc d) {
    d.transient = true;
    Name n = freshName(base);
    arrays.set(n, std::move(d));
    return n;
}

namespace {

void renumberRegion(Region &r, int &next) {
    r.cfgId = next++;
    r.renumberBlocks();
    for (const auto &b : r.blocks()) {
        if (auto *inner = dyn_cast<Region>(b.get())) {
            renumberRegion(*inner, next);
        } else if (auto *c = dyn_cast<ConditionalBlock>(b.get())) {
            c->cfgId = next++;
            for (auto &branch : c->branches())
                renumberRegion(*branch.region, next);
        } else if (auto *s = dyn_cast<State>(b.get())) {
            s->renumber();
            for (const auto &n : s->nodes())
                if (auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && nested->sdfg)
                    renumberRegion(*nested->sdfg, next);
        }
    }
}

// The walks for mutable and for constant graphs: `As<G, T>` is a T that is const if G is.
template <class G, class T> using As = std::conditional_t<std::is_const_v<G>, const T, T>;

/// Blocks of class T in a region, pre-order, appended to `out`.
template <class T, class R> void collectBlocks(R &region, std::vector<As<R, T> *> &out) {
    auto visit = [&](As<R, Block> &b) {
        if constexpr (std::is_same_v<T, Block>)
            out.push_back(&b);
        else if (auto *t = dyn_cast<T>(&b))
            out.push_back(t);
    };
    for (const auto &b : region.blocks()) {
        visit(*b);
        if (auto *inner = dyn_cast<Region>(b.get())) {
            collectBlocks<T>(static_cast<As<R, Region> &>(*inner), out);
        } else if (auto *c = dyn_cast<ConditionalBlock>(b.get())) {
            for (auto &branch : c->branches()) {
                visit(*branch.region);
                collectBlocks<T>(static_cast<As<R, Region> &>(*branch.region), out);
            }
        }
    }
}

template <class T, class R> std::vector<As<R, T> *> blocksOf(R &region) {
    std::vector<As<R, T> *> out;
    if constexpr (std::is_same_v<T, Region>)
        out.push_back(&region);
    collectBlocks<T>(region, out);
    return out;
}

template <class G> void collectSDFGs(G &g, std::vector<G *> &out) {
    out.push_back(&g);
    for (auto *s : allStates(g))
        for (const auto &n : s->nodes())
            if (auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && nested->sdfg)
                collectSDFGs<G>(*nested->sdfg, out);
}

template <class G> std::vector<As<G, InterstateEdge> *> interstateEdgesOf(G &g) {
    std::vector<As<G, InterstateEdge> *> out;
    for (auto *r : allRegions(g))
        for (const auto &e : r->edges())
            out.push_back(e.get());
    return out;
}

} // namespace

void SDFG::renumber() {
    int next = 0;
    renumberRegion(*root(), next);
}

std::vector<Region *> allRegions(Region &r) { return blocksOf<Region>(r); }
std::vector<const Region *> allRegions(const Region &r) { return blocksOf<Region>(r); }
std::vector<Block *> allBlocks(Region &r) { return blocksOf<Block>(r); }
std::vector<const Block *> allBlocks(const Region &r) { return blocksOf<Block>(r); }
std::vector<State *> allStates(Region &r) { return blocksOf<State>(r); }
std::vector<const State *> allStates(const Region &r) { return blocksOf<State>(r); }

std::vector<SDFG *> allSDFGs(SDFG &root) {
    std::vector<SDFG *> out;
    collectSDFGs(root, out);
    return out;
}
std::vector<const SDFG *> allSDFGs(const SDFG &root) {
    std::vector<const SDFG *> out;
    collectSDFGs(root, out);
    return out;
}

bool mentionsGpu(const SDFG &root) {
    for (const SDFG *g : allSDFGs(root)) {
        for (const auto &[name, d] : g->arrays)
            if (isGpuStorage(d.storage))
                return true;
        for (const State *s : allStates(*g))
            for (const MapEntry *m : nodesOf<MapEntry>(*s))
                if (isGpuSchedule(m->schedule))
                    return true;
    }
    return false;
}

std::vector<InterstateEdge *> allInterstateEdges(Region &r) { return interstateEdgesOf(r); }
std::vector<const InterstateEdge *> allInterstateEdges(const Region &r) { return interstateEdgesOf(r); }

} // namespace sdfgc::ir
