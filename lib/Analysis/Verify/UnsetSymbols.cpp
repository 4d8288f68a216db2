// Symbols read where no path from the start has assigned them.
//
// A symbol that the SDFG assigns itself, on an edge or as a loop variable, is not an argument: the caller does not pass it, and a
// read before the first assignment finds an arbitrary value. DaCe does not report this. Only certain cases are reported: no path to
// the read assigns the symbol. A later iteration of a loop may read values of earlier ones, so only the loop's header, which is
// evaluated before all of them, is checked against the facts before the loop.
#include "Analysis/Symbols/ScopeNames.h"
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Analysis/Flow/FlowWalk.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

namespace {

std::set<Name> writtenBy(const LoopRegion &l) {
    std::set<Name> out = Verifier::writtenBy(l.init);
    out.merge(Verifier::writtenBy(l.update));
    if (l.variable && l.init)
        out.insert(l.variable);
    return out;
}

/// The symbols that an SDFG assigns but does not receive.
std::vector<Name> ownSymbols(const SDFG &g, SymbolUse &required) {
    std::set<Name> out;
    for (const Region *r : allRegions(g)) {
        if (const auto *l = dyn_cast<LoopRegion>(r))
            out.merge(writtenBy(*l));
        for (const auto &e : r->edges())
            for (const auto &[target, value] : e->assignments)
                out.insert(target);
    }
    if (out.empty())
        return {};
    const std::unordered_set<Name> &given = required.of(g);
    std::erase_if(out, [&](Name n) {
        const auto isMapped = [n](const auto &m) { return m.first == n; };
        return given.count(n) || g.desc(n) || g.constant(n) ||
               (g.parentNode && std::any_of(g.parentNode->symbolMapping.begin(), g.parentNode->symbolMapping.end(), isMapped));
    });
    return {out.begin(), out.end()};
}

/// Which of these symbols may have a value, by index.
struct MaySet {
    std::vector<bool> symbols;
    void join(const MaySet &other) {
        for (std::size_t k = 0; k < other.symbols.size(); ++k)
            symbols[k] = symbols[k] || other.symbols[k];
    }
    bool sameAs(const MaySet &other) const { return symbols == other.symbols; }
};

class SetWalk : private FlowWalk<MaySet> {
public:
    explicit SetWalk(const std::vector<Name> &symbols) : symbols_(symbols) {}

    void run(SDFG &g) {
        MaySet in{std::vector<bool>(symbols_.size())};
        for (const Name n : changedSymbols(g)) // by tasklets, in the middle of a state
            set(n, in);
        whole(g, std::move(in));
    }
    /// The symbols without a value before a block or an edge; empty if it is unreachable.
    std::set<Name> unsetAt(const void *element) const {
        std::set<Name> out;
        if (const auto known = before_.find(element); known != before_.end())
            for (std::size_t k = 0; k < symbols_.size(); ++k)
                if (!known->second.symbols[k])
                    out.insert(symbols_[k]);
        return out;
    }

private:
    MaySet state(State &, MaySet in) override { return in; }
    void entering(Block &b, MaySet &now) override {
        before_[&b] = now; // the last visit knows the most
        if (const auto *l = dyn_cast<LoopRegion>(&b))
            for (const Name n : writtenBy(*l))
                set(n, now);
    }
    void along(const InterstateEdge &e, MaySet &now) override {
        before_[&e] = now;
        for (const auto &[target, value] : e.assignments)
            set(target, now);
    }
    void set(Name n, MaySet &now) const {
        const auto at = std::lower_bound(symbols_.begin(), symbols_.end(), n);
        if (at != symbols_.end() && *at == n)
            now.symbols[static_cast<std::size_t>(at - symbols_.begin())] = true;
    }

    const std::vector<Name> &symbols_;
    std::unordered_map<const void *, MaySet> before_;
};

} // namespace

/// Finds reads in program order and reports each symbol once.
class Verifier::UnsetReads {
public:
    UnsetReads(Verifier &verifier, const SDFG &g, const SetWalk &walk) : verifier_(verifier), g_(g), walk_(walk) {}

    void region(const Region &r) {
        for (const auto &b : r.blocks())
            block(*b);
        for (const auto &e : r.edges())
            if (const std::set<Name> unset = walk_.unsetAt(e.get()); !unset.empty()) {
                code(e->condition, unset, placeOf(*e, r));
                for (const auto &[target, value] : e->assignments)
                    code({value, Language::Python}, unset, placeOf(*e, r));
            }
    }

private:
    void block(const Block &b) {
        std::set<Name> unset = walk_.unsetAt(&b);
        if (const auto *s = dyn_cast<State>(&b); s && !unset.empty())
            state(*s, unset);
        if (const auto *l = dyn_cast<LoopRegion>(&b)) {
            if (l->init)
                code(*l->init, unset, placeOf(b));
            for (const Name n : writtenBy(l->init))
                unset.erase(n);
            unset.erase(l->init ? l->variable : Name());
            if (l->condition && !l->inverted)
                code(*l->condition, unset, placeOf(b));
        }
        if (const auto *c = dyn_cast<ConditionalBlock>(&b)) {
            if (!c->branches().empty() && c->branches()[0].condition)
                code(*c->branches()[0].condition, unset, placeOf(b));
            for (const auto &branch : c->branches())
                region(*branch.region);
        } else if (const auto *inner = dyn_cast<Region>(&b)) {
            region(*inner);
        }
    }

    void state(const State &s, const std::set<Name> &unset) {
        const ScopeTree scopes(s);
        std::unordered_set<Name> used;
        const auto check = [&](const auto &at, const Node *scope) {
            std::set<Name> read; // sorted for stable output
            for (const Name n : used)
                if (unset.count(n) && !definedByScope(scopes, scope, n))
                    read.insert(n);
            for (const Name n : read)
                tell(n, placeOf(at));
            used.clear();
        };
        for (const auto &n : s.nodes()) {
            verifier_.needed_.add(*n, used);
            check(*n, scopes.scopeOf(n.get()));
        }
        for (const auto &e : s.edges()) {
            verifier_.needed_.add(*e, used);
            check(*e, scopeOfEdge(scopes, *e));
        }
    }

    void code(const Code &c, const std::set<Name> &unset, const diag::Location &place) {
        if (unset.empty() || c.text().empty())
            return;
        for (const Name n : namesInCode(c, g_))
            if (unset.count(n))
                tell(n, place);
    }

    void tell(Name n, const diag::Location &place) {
        if (told_.insert(n).second)
            verifier_.report({diag::Id::SymbolUnset, n.str()}, place);
    }

    Verifier &verifier_;
    const SDFG &g_;
    const SetWalk &walk_;
    std::set<Name> told_;
};

void Verifier::unsetSymbols(const SDFG &g) {
    const std::vector<Name> symbols = ownSymbols(g, required_);
    if (symbols.empty())
        return;
    SetWalk walk(symbols);
    walk.run(unchanged(g));
    UnsetReads(*this, g, walk).region(g);
}

} // namespace sdfgc::analysis
