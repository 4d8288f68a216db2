// Deep copies. Order, ids and the pairing of scope entries and exits are preserved.
//
// The properties of an element are copied by its copy constructor, so that none can be forgotten here; its parts are copied one by
// one.
#include "sdfgc/IR/Sdfg.h"

#include <unordered_map>

namespace sdfgc::ir {

class Cloner {
public:
    static std::unique_ptr<SDFG> sdfg(const SDFG &g) {
        std::unique_ptr<SDFG> out = region<SDFG>(g);
        out->parentNode = nullptr;
        return out;
    }

    static std::unique_ptr<Node> node(const Node &s) {
        switch (s.kind()) {
        case NodeKind::Access:
            return copy<AccessNode>(s);
        case NodeKind::Tasklet:
            return copy<Tasklet>(s);
        case NodeKind::NestedSDFG:
            return copy<NestedSDFGNode>(s);
        case NodeKind::MapEntry:
            return copy<MapEntry>(s);
        case NodeKind::MapExit:
            return copy<MapExit>(s);
        case NodeKind::ConsumeEntry:
            return copy<ConsumeEntry>(s);
        case NodeKind::ConsumeExit:
            return copy<ConsumeExit>(s);
        case NodeKind::Library:
            break;
        }
        return copy<LibraryNode>(s);
    }

    static std::unique_ptr<Block> anyBlock(const Block &b) { return block(b); }

private:
    using Map = std::unordered_map<const Node *, Node *>;

    template <class T> static std::unique_ptr<T> copy(const auto &of) {
        return std::unique_ptr<T>(new T(static_cast<const T &>(of)));
    }

    template <class T> static std::unique_ptr<T> region(const Region &s) {
        std::unique_ptr<T> out = copy<T>(s);
        std::vector<Block *> map;
        for (const auto &b : s.blocks())
            map.push_back(out->adopt(block(*b)));
        for (const auto &e : s.edges()) {
            InterstateEdge *c = out->connect(map[e->src->id()], map[e->dst->id()], e->condition, e->assignments);
            c->debugInfo = e->debugInfo;
            c->extra = e->extra;
        }
        if (s.storedStart())
            out->setStart(map[s.storedStart()->id()]);
        return out;
    }

    static std::unique_ptr<Block> block(const Block &s) {
        switch (s.kind()) {
        case BlockKind::State:
            return state(static_cast<const State &>(s));
        case BlockKind::Loop:
            return region<LoopRegion>(static_cast<const LoopRegion &>(s));
        case BlockKind::Conditional:
            return conditional(static_cast<const ConditionalBlock &>(s));
        case BlockKind::Break:
            return copy<BreakBlock>(s);
        case BlockKind::Continue:
            return copy<ContinueBlock>(s);
        case BlockKind::Return:
            return copy<ReturnBlock>(s);
        case BlockKind::SDFG:
            return sdfg(static_cast<const SDFG &>(s));
        case BlockKind::Region:
        case BlockKind::Unstructured:
        case BlockKind::Named:
        case BlockKind::FunctionCall:
            break;
        }
        return region<Region>(static_cast<const Region &>(s));
    }

    static std::unique_ptr<Block> conditional(const ConditionalBlock &s) {
        std::unique_ptr<ConditionalBlock> c = copy<ConditionalBlock>(s);
        for (const auto &b : s.branches())
            c->addBranch(b.condition, region<Region>(*b.region));
        return c;
    }

    static std::unique_ptr<Block> state(const State &s) {
        std::unique_ptr<State> out = copy<State>(s);
        Map map;
        for (const auto &n : s.nodes())
            map[n.get()] = out->adopt(node(*n));
        for (const auto &e : s.edges())
            out->connect(map.at(e->src), e->srcConn, map.at(e->dst), e->dstConn, e->memlet);
        for (const auto &n : out->nodes())
            pair(*n, map);
        return out;
    }

    /// The other end of a copied scope is the copy of the original one.
    static void pair(Node &n, const Map &map) {
        auto find = [&map](auto *&partner) {
            auto it = map.find(partner);
            partner = it == map.end() ? nullptr : static_cast<std::remove_reference_t<decltype(partner)>>(it->second);
        };
        if (auto *m = dyn_cast<MapEntry>(&n))
            find(m->exit);
        else if (auto *x = dyn_cast<MapExit>(&n))
            find(x->entry);
        else if (auto *c = dyn_cast<ConsumeEntry>(&n))
            find(c->exit);
        else if (auto *y = dyn_cast<ConsumeExit>(&n))
            find(y->entry);
    }
};

std::unique_ptr<SDFG> clone(const SDFG &g) { return Cloner::sdfg(g); }
std::unique_ptr<Block> clone(const Block &b) { return Cloner::anyBlock(b); }
std::unique_ptr<Node> clone(const Node &n) { return Cloner::node(n); }

} // namespace sdfgc::ir
