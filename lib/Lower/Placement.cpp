#include "Placement.h"

#include "sdfgc/Analysis/Dominators.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace sdfgc::tree {
namespace {

using namespace ir;

Name baseName(Name data) {
    auto dot = data.str().find('.');
    return dot == std::string::npos ? data : Name(std::string_view(data.str()).substr(0, dot));
}

/// All places that mention a container: blocks for control flow, scopes for dataflow.
struct Uses {
    std::vector<const Block *> blocks; // in walking order
    const State *onlyState = nullptr;
    bool severalStates = false;
    bool inControlFlow = false;
    std::vector<const Node *> nodes; // access nodes
};

class Placer {
public:
    explicit Placer(SDFG &g) : g_(g) {}

    Placement run() {
        collect();
        for (const auto &[name, type] : analysis::definedSymbols(g_))
            assigned_.insert(name);
        for (const auto &[name, desc] : g_.arrays)
            place(name, desc);
        return std::move(result_);
    }

private:
    void collect() {
        for (State *s : allStates(g_))
            for (const auto &n : s->nodes())
                if (const auto *a = dyn_cast<AccessNode>(n.get()))
                    useInState(baseName(a->data), *s, *a);
        for (Region *r : allRegions(g_)) {
            for (const auto &e : r->edges()) {
                useInCode(e->condition, *e->dst);
                for (const auto &[symbol, text] : e->assignments)
                    useInCode({text, Language::Python}, *e->dst);
            }
            if (const auto *l = dyn_cast<LoopRegion>(r))
                for (const auto *code : {&l->init, &l->condition, &l->update})
                    if (*code)
                        useInCode(**code, *l);
        }
        for (Block *b : allBlocks(g_))
            if (const auto *c = dyn_cast<ConditionalBlock>(b))
                for (const auto &branch : c->branches())
                    if (branch.condition)
                        useInCode(*branch.condition, *c);
    }

    void useInState(Name data, const State &s, const AccessNode &n) {
        Uses &u = uses_[data];
        if (u.onlyState && u.onlyState != &s)
            u.severalStates = true;
        u.onlyState = &s;
        u.nodes.push_back(&n);
        if (u.blocks.empty() || u.blocks.back() != &s)
            u.blocks.push_back(&s);
    }

    void useInCode(const Code &code, const Block &at) {
        if (code.empty())
            return;
        for (Name n : analysis::namesInCode(code, g_)) {
            Name data = baseName(n);
            if (!g_.arrays.contains(data))
                continue;
            Uses &u = uses_[data];
            u.inControlFlow = true;
            u.blocks.push_back(&at);
        }
    }

    void place(Name name, const DataDesc &d) {
        if (!d.transient || g_.constant(name) || d.isView())
            return;
        auto it = uses_.find(name);
        if (it == uses_.end())
            return;
        const Uses &u = it->second;
        if (d.lifetime == Lifetime::Persistent || d.lifetime == Lifetime::External ||
            (d.lifetime == Lifetime::Global && !g_.isRoot())) {
            result_.fields.push_back(name);
            return;
        }
        bool single = !u.severalStates && !u.inControlFlow && u.onlyState;
        if (single && (d.lifetime == Lifetime::Scope || (d.lifetime == Lifetime::State))) {
            const Node *scope = d.lifetime == Lifetime::State ? nullptr : commonScope(u);
            result_.local[u.onlyState][scope].push_back(name);
            return;
        }
        if (!dependsOnAssigned(d)) {
            result_.top.push_back(name);
            return;
        }
        result_.late.push_back(name);
        if (const Block *b = nearestCommonDominator(u))
            result_.allocateBefore[b].push_back(name);
    }

    bool dependsOnAssigned(const DataDesc &d) const {
        std::set<Name> sizes(d.totalSize.freeSymbols().begin(), d.totalSize.freeSymbols().end());
        for (sym::Expr s : d.shape)
            sizes.insert(s.freeSymbols().begin(), s.freeSymbols().end());
        return std::any_of(sizes.begin(), sizes.end(), [&](Name s) { return assigned_.count(s) != 0; });
    }

    const Node *commonScope(const Uses &u) {
        auto &tree = scopes_[u.onlyState];
        if (!tree)
            tree = std::make_unique<analysis::ScopeTree>(*u.onlyState);
        std::vector<Node *> common; // outermost first
        bool first = true;
        for (const Node *n : u.nodes) {
            std::vector<Node *> chain = tree->enclosing(n);
            std::reverse(chain.begin(), chain.end());
            if (first)
                common = chain;
            std::size_t same = 0;
            while (same < common.size() && same < chain.size() && common[same] == chain[same])
                ++same;
            common.resize(same);
            first = false;
        }
        return common.empty() ? nullptr : common.back();
    }

    /// Blocks from the SDFG's top region down to `b`.
    static std::vector<const Block *> chain(const Block *b) {
        std::vector<const Block *> out;
        for (; b && b->kind() != BlockKind::SDFG; b = b->conditional() ? static_cast<const Block *>(b->conditional()) : b->parent())
            out.push_back(b);
        std::reverse(out.begin(), out.end());
        return out;
    }

    /// The nearest block that every path to a use goes through: in the innermost region that contains all uses, or around it. Null
    /// if no use can be reached.
    const Block *nearestCommonDominator(const Uses &u) {
        std::vector<std::vector<const Block *>> chains;
        for (const Block *b : u.blocks)
            chains.push_back(chain(b));
        std::size_t depth = 0;
        while (std::all_of(chains.begin(), chains.end(), [&](const auto &c) { return c.size() > depth + 1; }) &&
               std::all_of(chains.begin(), chains.end(), [&](const auto &c) { return c[depth] == chains[0][depth]; }))
            ++depth;
        // A conditional block's branches are alternatives: the point in front of the conditional serves all of them.
        while (depth > 0 && chains[0][depth - 1]->kind() == BlockKind::Conditional)
            --depth;
        const analysis::BlockDominators &dominators = dominatorsOf(*chains[0][depth]->parent());
        const Block *best = chains[0][depth];
        for (const auto &c : chains)
            best = best ? dominators.common(best, c[depth]) : nullptr;
        return best;
    }

    const analysis::BlockDominators &dominatorsOf(const Region &r) { return dominators_.try_emplace(&r, r).first->second; }

    SDFG &g_;
    Placement result_;
    std::unordered_map<Name, Uses> uses_;
    std::set<Name> assigned_;
    std::unordered_map<const State *, std::unique_ptr<analysis::ScopeTree>> scopes_;
    std::unordered_map<const Region *, analysis::BlockDominators> dominators_;
};

} // namespace

Placement placeContainers(SDFG &g) { return Placer(g).run(); }

} // namespace sdfgc::tree
