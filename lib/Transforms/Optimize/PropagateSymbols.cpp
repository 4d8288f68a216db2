// propagate-symbols: replace symbols with their values and remove their assignments.
//
//     k = i + 1
//     state { B[k] = A[k] }               ->      state { B[i + 1] = A[i + 1] }
//     n = length                                  n = length
//     state { ... }                               state { ... }
//     n = length                                  state { ... }     one run of states with the one before
//     state { ... }
//
// An assignment on an edge ends a run of states (sdfgc/Nest/Nest.h) and hides what an index depends on. The pass walks
// forward over the control flow of each SDFG. At every point it knows which symbols are equal to an expression over the
// current values of other symbols:
//
//   - An assignment of symbols and constants adds such a fact and invalidates all facts that mention its symbol.
//   - After a conditional, the facts that hold at the end of all branches hold. In a loop and after it, the facts hold
//     that mention no symbol that the loop assigns. The same goes for regions that are not a sequence.
//
// Legal when:
//   1. each read of the symbol can be replaced with its value at that point: an expression with few terms, over symbols
//      of the same type, none of which is shadowed by a surrounding map. If a single read cannot be replaced, the
//      symbol stays, since replacing only some reads gains nothing. Sizes of containers, and code that is not Python,
//      cannot be rewritten;
//   2. an assignment to a loop variable (analysis::headerOf) outside the loop can be removed if the variable's reads
//      outside its loops can be replaced in this way. Reads inside the loops stay. After that only its loops need the
//      variable;
//   3. an assignment is redundant if the symbol already has the assigned value. (GVN does the same for registers.)
//
// Not handled: symbols passed by callers or changed by tasklets; symbols that are read by elements that the graph asks
// to keep.
#include "sdfgc/Analysis/Flow/FlowFacts.h"
#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"

#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Rename.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

constexpr int fewTerms = 6; // nodes of an expression that may replace a symbol

int termsOf(sym::Expr e) {
    int n = 1;
    for (const sym::Expr o : e.operands())
        n += termsOf(o);
    return n;
}

/// Finds the symbols that can be removed and then, in `rewrites` mode, removes them.
class Propagation : public analysis::FactWalk {
public:
    Propagation(SDFG &g, std::set<Name> &candidates) : analysis::FactWalk(g), candidates_(candidates) {}

    std::set<Name> read; // candidates that are read

    /// From now on, candidates are replaced by their values.
    void rewrite(pass::Context &context) {
        context_ = &context;
        walk();
    }
    bool changed = false;

private:
    /// A value that can replace a symbol; null if none is known.
    const sym::Expr *standIn(Name symbol, const analysis::FlowFacts &facts) const {
        const sym::Expr *value = facts.of(symbol);
        const Type *type = g_.symbols.find(symbol);
        if (!value || !type || !type->isInteger() || termsOf(*value) > fewTerms)
            return nullptr;
        const auto &names = value->freeSymbols();
        const bool sameType = std::all_of(names.begin(), names.end(), [&](Name n) { return *g_.symbols.find(n) == *type; });
        const auto constant = value->asInt();
        const bool fits = !names.empty() || (constant && *constant >= -(int64_t{1} << 31) && *constant < (int64_t{1} << 31) &&
                                             type->isSigned() && type->bytes().value_or(0) >= 4);
        return sameType && fits && isSum(*value) ? value : nullptr;
    }

    /// Sums and products have the same value in any context; quotients are printed depending on the surrounding expression.
    static bool isSum(sym::Expr e) {
        switch (e.kind()) {
        case sym::SymbolicKind::Integer:
        case sym::SymbolicKind::Symbol:
            return true;
        case sym::SymbolicKind::Add:
        case sym::SymbolicKind::Mul:
            return std::all_of(e.operands().begin(), e.operands().end(), isSum);
        default:
            return false;
        }
    }

    template <class Names> std::map<Name, sym::Expr> meaningOf(const Names &names, const analysis::FlowFacts &facts) {
        std::map<Name, sym::Expr> out;
        for (const Name n : names)
            if (candidates_.count(n) && !isOfLoopAround(n)) {
                read.insert(n);
                if (const sym::Expr *value = standIn(n, facts))
                    out.emplace(n, *value);
                else
                    block(n);
            }
        return out;
    }

    bool isOfLoopAround(Name n) const { return std::find(around_.begin(), around_.end(), n) != around_.end(); }

    void block(Name n) {
        candidates_.erase(n);
        changed = true;
    }
    void block(const std::map<Name, sym::Expr> &meaning) {
        for (const auto &[n, value] : meaning)
            block(n);
    }

    sym::Expr resolved(sym::Expr value, const analysis::FlowFacts &facts) const override {
        std::map<Name, sym::Expr> meaning;
        for (const Name n : value.freeSymbols())
            if (const sym::Expr *known = candidates_.count(n) ? standIn(n, facts) : nullptr)
                meaning.emplace(n, *known);
        return meaning.empty() ? value : sym::substitute(value, meaning);
    }

    // ---- code

    /// A value in code, with the symbol's type: a plain number would have 32 bits.
    py::ExprRef inCode(Name symbol, sym::Expr value) const {
        const py::ExprRef e = *py::parseExpr(value.str()).value;
        const Type type = *g_.symbols.find(symbol);
        return value.isInteger() && type != Type(ScalarKind::Int32) ? py::castTo(type, e) : e;
    }

    std::string inCode(const std::string &text, const std::map<Name, sym::Expr> &meaning) const {
        std::map<Name, py::ExprRef> values;
        for (const auto &[symbol, value] : meaning)
            values.emplace(symbol, inCode(symbol, value));
        const auto plain = [this](const py::ExprRef &e) { return withoutCasts(e); };
        std::string out = py::print(py::rewrite(py::substitute(py::parseBlockOrRaw(text), values), plain));
        while (!out.empty() && out.back() == '\n')
            out.pop_back();
        return out;
    }

    /// A number needs no explicit type next to an operand with that type: headers of loops are read as symbolic expressions.
    py::ExprRef withoutCasts(const py::ExprRef &e) const {
        if ((e->kind != py::ExprKind::Binary && e->kind != py::ExprKind::Compare) || e->args.size() != 2 || e->op == py::Op::Pow)
            return e;
        auto out = std::make_shared<py::Expr>(*e);
        for (std::size_t k : {0, 1})
            if (const py::Expr &a = *e->args[k];
                a.kind == py::ExprKind::Cast && a.args[0]->kind == py::ExprKind::Int && isOfType(*e->args[1 - k], a.type))
                out->args[k] = a.args[0];
        return out;
    }

    bool isOfType(const py::Expr &e, Type type) const {
        if (e.kind == py::ExprKind::Name) {
            const Type *t = g_.symbols.find(e.name);
            return t && *t == type;
        }
        return e.kind == py::ExprKind::Binary && e.op != py::Op::Shl && e.op != py::Op::Shr && e.op != py::Op::Pow &&
               (isOfType(*e.args[0], type) || isOfType(*e.args[1], type));
    }

    void readIn(Code &c, const analysis::FlowFacts &facts, const Region &where, const std::set<Name> &hidden) override {
        const std::map<Name, sym::Expr> meaning = meaningOf(analysis::namesInCode(c, g_), facts);
        if (meaning.empty())
            return;
        if (!context_) {
            const bool stays = !c.isPython() || nest::isKept(where);
            for (const auto &[n, value] : meaning)
                if (stays || std::any_of(hidden.begin(), hidden.end(), [&v = value](Name other) { return v.dependsOn(other); }))
                    block(n);
            return;
        }
        c = {inCode(c.text(), meaning), c.language()};
    }

    // ---- states

    void readIn(State &s, const analysis::FlowFacts &facts) override {
        const ScopeTree scopes(s);
        const bool kept = nest::isKept(*s.parent()) || std::any_of(s.nodes().begin(), s.nodes().end(), [](const auto &n) {
                              const auto *m = dyn_cast<MapEntry>(n.get());
                              return m && !m->optimize;
                          });
        for (const auto &n : s.nodes())
            readIn(*n, scopes, facts, kept);
        for (const auto &e : s.edges())
            readIn(*e, scopes, facts, kept);
    }

    static std::set<Name> namesIn(const Node &n) {
        std::set<Name> out = analysis::freeSymbols(n); // without connectors
        if (const auto *nested = dyn_cast<NestedSDFGNode>(&n))
            for (const auto &[inner, value] : nested->symbolMapping)
                out.insert(value.freeSymbols().begin(), value.freeSymbols().end());
        return out;
    }

    void readIn(Node &n, const ScopeTree &scopes, const analysis::FlowFacts &facts, bool kept) {
        if (isa<AccessNode>(&n) || n.isExit())
            return;
        const std::map<Name, sym::Expr> meaning = meaningOf(namesIn(n), facts);
        if (meaning.empty())
            return;
        if (context_) {
            if (auto *t = dyn_cast<Tasklet>(&n))
                t->code = {inCode(t->code.text(), meaning), t->code.language()};
            else
                nest::renameSymbols(n, g_, meaning);
        } else if (kept || !nest::canRename(n, meaning) || isCaptured(meaning, scopes.enclosing(&n))) {
            block(meaning);
        }
    }

    void readIn(Edge &e, const ScopeTree &scopes, const analysis::FlowFacts &facts, bool kept) {
        std::set<Name> names;
        for (const auto *subset : {&e.memlet.subset, &e.memlet.otherSubset})
            if (*subset)
                names.merge((*subset)->freeSymbols());
        names.insert(e.memlet.volume.freeSymbols().begin(), e.memlet.volume.freeSymbols().end());
        const std::map<Name, sym::Expr> meaning = meaningOf(names, facts);
        if (meaning.empty())
            return;
        if (context_) {
            nest::renameSymbols(e.memlet, meaning);
            return;
        }
        std::vector<Node *> around = scopes.enclosing(e.src);
        if (e.src->isEntry())
            around.push_back(e.src);
        if (kept || isCaptured(meaning, around))
            block(meaning);
    }

    /// Does a scope redefine a symbol, or one in its value?
    static bool isCaptured(const std::map<Name, sym::Expr> &meaning, const std::vector<Node *> &scopes) {
        const auto hides = [&](Name n) {
            return std::any_of(meaning.begin(), meaning.end(),
                               [n](const auto &m) { return m.first == n || m.second.dependsOn(n); });
        };
        return std::any_of(scopes.begin(), scopes.end(), [&](const Node *scope) {
            const auto *m = dyn_cast<MapEntry>(scope);
            return !m || std::any_of(m->params.begin(), m->params.end(), hides) ||
                   std::any_of(m->inConnectors.begin(), m->inConnectors.end(), [&](const Connector &c) { return hides(c.name); });
        });
    }

    bool drops(const InterstateEdge &e, const Region &r, Name symbol, bool isKnown) override {
        if (candidates_.count(symbol) && (nest::isKept(r) || isOfLoopAround(symbol)))
            block(symbol);
        if (!context_)
            return false;
        if (candidates_.count(symbol))
            return changed = true;
        if (!isKnown || nest::isKept(r) ||
            !context_->mayChange({e, r}, "does not assign `" + symbol.str() + "`, which already has the value"))
            return false;
        return changed = true;
    }

    std::set<Name> &candidates_;
    pass::Context *context_ = nullptr; // while rewriting
};

class PropagateSymbols : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        analysis::KeptInterface interface(root);
        bool changed = false;
        for (SDFG *g : allSDFGs(root))
            changed |= propagate(*g, context);
        interface.keep();
        if (changed)
            root.renumber();
        return changed;
    }

    static bool propagate(SDFG &g, pass::Context &context) {
        const std::vector<const InterstateEdge *> edges = allInterstateEdges(std::as_const(g));
        if (std::all_of(edges.begin(), edges.end(), [](const InterstateEdge *e) { return e->assignments.empty(); }))
            return false;
        std::set<Name> candidates = candidatesOf(g), read;
        for (bool again = true; again;) { // symbols that stay are part of the values of others
            Propagation judge(g, candidates);
            judge.walk();
            again = judge.changed;
            read = std::move(judge.read);
        }
        const std::set<Name> ofLoops = variablesOf(g);
        std::erase_if(candidates, [&](Name n) { return !read.count(n) && !ofLoops.count(n); });
        if (!candidates.empty() && !context.mayChange(g, "replaces " + listOf(candidates) + " with their values"))
            candidates.clear();
        Propagation propagation(g, candidates);
        propagation.rewrite(context);
        for (const Name n : candidates)
            if (!ofLoops.count(n)) {
                g.symbols.erase(n);
                g.symbolHints.erase(n);
            }
        return propagation.changed;
    }

    static std::set<Name> variablesOf(const SDFG &g) {
        std::set<Name> out;
        for (const Region *r : allRegions(g))
            if (const auto *l = dyn_cast<LoopRegion>(r))
                out.insert(l->variable);
        return out;
    }

    static std::string listOf(const std::set<Name> &names) {
        std::string out;
        for (const Name n : names)
            out += (out.empty() ? "`" : ", `") + n.str() + "`";
        return out;
    }

    /// Returns integer symbols that only edges assign, and that can be replaced in all states and control flow that
    /// read them.
    static std::set<Name> candidatesOf(const SDFG &g) {
        std::set<Name> out, others = analysis::freeSymbols(g);
        for (const InterstateEdge *e : allInterstateEdges(g))
            for (const auto &[symbol, value] : e->assignments)
                out.insert(symbol);
        if (out.empty())
            return out;
        for (const Region *r : allRegions(g))
            if (const auto *l = dyn_cast<LoopRegion>(r); l && !analysis::headerOf(*l).hasEnd())
                others.insert(l->variable);
        for (const auto &[name, d] : g.arrays) {
            const std::set<Name> symbols = d.freeSymbols();
            others.insert(symbols.begin(), symbols.end());
            others.insert(name);
        }
        for (const auto *texts : {&g.globalCode, &g.initCode, &g.exitCode})
            for (const TargetCode &t : *texts)
                for (const Name n : analysis::identifiers(t.code.text()))
                    others.insert(n);
        others.merge(analysis::changedSymbols(g));
        bool readsAll = false;
        for (const State *s : allStates(g)) {
            readsAll |= s->symbolInstrument != DataInstrumentation::No_Instrumentation;
            for (const auto &e : s->edges())
                for (const Name n : analysis::identifiers(e->memlet.wcr))
                    others.insert(n);
        }
        std::erase_if(out, [&](Name n) {
            const Type *t = g.symbols.find(n);
            return readsAll || others.count(n) || !t || !t->isInteger() || g.constant(n) ||
                   (g.parentNode && g.parentNode->mapped(n));
        });
        return out;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createPropagateSymbols() { return std::make_unique<PropagateSymbols>(); }

} // namespace sdfgc::transforms
