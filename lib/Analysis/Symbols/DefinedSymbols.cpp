// Types of symbols: declared, assigned on inter-state edges, loop variables, map parameters (format reference 1.9 rule
// 5, 5.2, 5.4).
//
// A symbol assigned several times has the join of all assigned types (in DaCe: the first one, which may be too narrow). Assignments
// may use each other's symbols, so types are found by iteration to a fixed point: only users of a changed symbol are visited again.
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Types.h"

#include <algorithm>
#include <deque>

namespace sdfgc::analysis {

using namespace ir;

namespace {

struct Definition {
    Name symbol;
    Type type;
    bool declared = false;
    int changes = 0;
    std::vector<py::ExprRef> values; // each one contributes to the type
    std::vector<py::ExprRef> bounds; // compared with a loop variable: may widen its integer type, not make it a fraction
};

class Definitions {
public:
    Definitions(const SDFG &g, py::Semantics meaning) : g_(g), meaning_(meaning) {
        collect();
        resolve();
    }
    std::vector<Definition> take() { return std::move(defs_); }

private:
    Definition &define(Name n) {
        auto [it, fresh] = index_.try_emplace(n, defs_.size());
        if (fresh) {
            const Type *declared = g_.symbols.find(n);
            defs_.push_back({n, declared ? *declared : Type(), declared != nullptr, 0, {}, {}});
        }
        return defs_[it->second];
    }
    void addValue(Name target, py::ExprRef e) { define(target).values.push_back(std::move(e)); }

    void addStatement(const std::optional<Code> &code) {
        const Code::Block *block = code ? code->block() : nullptr;
        if (!block)
            return;
        for (const py::StmtRef &s : *block)
            if ((s->kind == py::StmtKind::Assign || s->kind == py::StmtKind::AugAssign) && s->value)
                for (const py::ExprRef &t : s->targets)
                    if (t->kind == py::ExprKind::Name)
                        addValue(t->name, s->value);
    }

    /// Adds the values that the loop variable is compared with: `i < N and ...`.
    void addBounds(Name variable, const py::ExprRef &condition) {
        std::vector<py::ExprRef> pending{condition};
        while (!pending.empty()) {
            py::ExprRef e = pending.back();
            pending.pop_back();
            if (e->kind == py::ExprKind::BoolOp || (e->kind == py::ExprKind::Unary && e->op == py::Op::Not))
                pending.insert(pending.end(), e->args.begin(), e->args.end());
            if (e->kind != py::ExprKind::Compare)
                continue;
            auto isVariable = [&](const py::ExprRef &a) { return a->kind == py::ExprKind::Name && a->name == variable; };
            for (std::size_t i = 0; i + 1 < e->args.size(); ++i) {
                if (isVariable(e->args[i]))
                    define(variable).bounds.push_back(e->args[i + 1]);
                else if (isVariable(e->args[i + 1]))
                    define(variable).bounds.push_back(e->args[i]);
            }
        }
    }

    void addLoop(const LoopRegion &l) {
        if (l.variable)
            define(l.variable);
        addStatement(l.init);
        addStatement(l.update);
        if (!l.variable || !l.condition)
            return;
        if (const py::ExprRef e = l.condition->expression())
            addBounds(l.variable, e);
    }

    void collect() {
        for (const Region *r : allRegions(g_)) {
            if (auto *l = dyn_cast<LoopRegion>(static_cast<const Block *>(r)))
                addLoop(*l);
            for (const auto &e : r->edges())
                for (const auto &[target, text] : e->assignments) {
                    define(target);
                    if (auto value = py::parseExpr(text); value.value)
                        addValue(target, *value.value);
                }
        }
    }

    std::optional<Type> typeOf(Name n) const {
        if (auto it = index_.find(n); it != index_.end())
            return defs_[it->second].type ? std::optional(defs_[it->second].type) : std::nullopt;
        if (const DataDesc *d = g_.desc(n))
            return d->isScalar() || d->isStructure() ? d->dtype : Type::pointer(d->dtype);
        if (const Type *t = g_.symbols.find(n))
            return *t;
        if (const Constant *c = g_.constant(n))
            return c->desc.isScalar() ? c->desc.dtype : Type::pointer(c->desc.dtype);
        if (auto hint = g_.symbolHints.find(n); hint != g_.symbolHints.end() && hint->second.type)
            return hint->second.type;
        return std::nullopt;
    }

    void resolve() {
        py::Env env{[this](Name n) { return typeOf(n); }};
        std::unordered_map<Name, std::vector<std::size_t>> users;
        std::deque<std::size_t> pending;
        std::vector<bool> queued(defs_.size(), true);
        for (std::size_t i = 0; i < defs_.size(); ++i) {
            pending.push_back(i);
            for (auto *list : {&defs_[i].values, &defs_[i].bounds})
                for (py::ExprRef &value : *list) {
                    value = py::resolveModules(value, env);
                    for (Name used : py::freeNames(*value))
                        users[used].push_back(i);
                }
        }
        while (!pending.empty()) {
            std::size_t i = pending.front();
            pending.pop_front();
            queued[i] = false;
            if (!widen(defs_[i], env))
                continue;
            for (std::size_t user : users[defs_[i].symbol])
                if (!queued[user]) {
                    queued[user] = true;
                    pending.push_back(user);
                }
        }
    }

    /// Types normally only grow, in a few steps. The limit is for types without a join (such as a struct and a number), which would
    /// alternate.
    bool widen(Definition &d, const py::Env &env) const {
        if (d.declared || d.changes >= 20)
            return false;
        Type joined = d.type;
        for (const py::ExprRef &value : d.values) {
            Type t = py::inferTypes(value, env, meaning_)->type;
            joined = commonType(joined, t.isPointer() ? t.element() : t);
        }
        for (const py::ExprRef &bound : d.bounds) {
            Type t = py::inferTypes(bound, env, meaning_)->type;
            t = t.isPointer() ? t.element() : t;
            if (t.isInteger() || d.values.empty())
                joined = commonType(joined, t);
        }
        if (joined == d.type)
            return false;
        d.type = joined;
        ++d.changes;
        return true;
    }

    const SDFG &g_;
    py::Semantics meaning_;
    std::vector<Definition> defs_;
    std::unordered_map<Name, std::size_t> index_;
};

/// Type of a dynamic range connector: its own, or else that of the container it reads.
Type dynamicRangeType(const Node &entry, const Connector &c) {
    if (c.type)
        return c.type;
    const Edge *e = entry.inEdge(c.name);
    const DataDesc *d = e && e->memlet.data ? entry.state()->sdfg()->desc(e->memlet.data) : nullptr;
    return d ? d->dtype : Type();
}

} // namespace

std::vector<std::pair<Name, Type>> definedSymbols(const SDFG &g, py::Semantics meaning) {
    std::vector<std::pair<Name, Type>> out;
    for (const Definition &d : Definitions(g, meaning).take())
        out.emplace_back(d.symbol, d.type);
    return out;
}

std::set<Name> changedSymbols(const Tasklet &t) {
    const Code::Block *code = t.code.block();
    if (!code)
        return {};
    std::set<Name> changed;
    const py::BlockNames names = py::blockNames(*code);
    for (Name n : names.written)
        if (names.read.count(n) && !t.inConnector(n) && !t.outConnector(n))
            changed.insert(n);
    if (changed.empty())
        return {};
    std::set<Name> defined;
    for (const auto &[name, type] : definedSymbols(*t.state()->sdfg()))
        defined.insert(name);
    std::erase_if(changed, [&](Name n) { return !defined.count(n); });
    return changed;
}

std::set<Name> changedSymbols(const SDFG &g) {
    std::set<Name> out;
    for (const State *s : allStates(g))
        for (const Tasklet *t : nodesOf<Tasklet>(*s))
            out.merge(changedSymbols(*t));
    return out;
}

sym::Assumptions factsOf(const SDFG &g) {
    sym::Assumptions facts = g.symbolHints;
    for (const auto &[name, desc] : g.arrays)
        for (sym::Expr size : desc.shape)
            if (size.isSymbol())
                facts[size.name()].positive = true;
    return facts;
}

sym::Assumptions factsEverywhere(const SDFG &g) {
    sym::Assumptions facts = g.symbolHints;
    for (const auto &[name, desc] : g.arrays)
        for (sym::Expr size : desc.shape)
            if (size.isSymbol())
                facts[size.name()].nonnegative = true;
    return facts;
}

SymbolTypes::SymbolTypes(const SDFG &g) : g_(g) {
    for (const auto &[name, type] : definedSymbols(g))
        defined_.emplace(name, type);
}

Type SymbolTypes::of(Name symbol) const {
    if (const Type *declared = g_.symbols.find(symbol))
        return *declared;
    if (const Constant *c = g_.constant(symbol))
        return c->desc.dtype;
    if (auto it = defined_.find(symbol); it != defined_.end() && it->second)
        return it->second;
    auto hint = g_.symbolHints.find(symbol);
    return hint != g_.symbolHints.end() ? hint->second.type : Type();
}

Type symbolType(const SDFG &g, Name symbol) {
    if (const Type *declared = g.symbols.find(symbol))
        return *declared;
    return SymbolTypes(g).of(symbol);
}

Type symbolType(const Node &n, const ScopeTree &scopes, Name symbol) {
    const SDFG &g = *n.state()->sdfg();
    for (const Node *entry = scopes.scopeOf(&n); entry; entry = scopes.scopeOf(entry)) {
        if (const Connector *c = entry->inConnector(symbol); c && !pairedConnector(symbol))
            return dynamicRangeType(*entry, *c);
        auto *m = dyn_cast<MapEntry>(entry);
        auto *c = dyn_cast<ConsumeEntry>(entry);
        if ((m && std::find(m->params.begin(), m->params.end(), symbol) != m->params.end()) || (c && c->defines(symbol))) {
            const Type *declared = g.symbols.find(symbol);
            return declared ? *declared : Type(ScalarKind::Int64);
        }
    }
    return symbolType(g, symbol);
}

std::map<Name, Type> structTypes(const SDFG &g) {
    std::map<Name, Type> out;
    std::vector<Type> open;
    for (const auto &[name, desc] : g.arrays)
        open.push_back(desc.dtype);
    while (!open.empty()) {
        const Type t = open.back();
        open.pop_back();
        if (t.isPointer() || t.isVector())
            open.push_back(t.element());
        else if (t.isStruct() && out.emplace(t.name(), t).second)
            for (const auto &[field, type] : t.fields())
                open.push_back(type);
    }
    return out;
}

} // namespace sdfgc::analysis
