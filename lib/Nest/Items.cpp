// Queries on items, and substitution of symbols.
#include "sdfgc/Analysis/Flow/EdgeValues.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Nest/Rename.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

void addUses(const Item &item, std::vector<analysis::LoopLevel> &loops, std::vector<PlacedUse> &out) {
    if (item.step) {
        for (const Use &u : item.step->uses)
            out.push_back({&u, item.step.get(), {u.subset, loops}, u.shown ? std::optional(u.shown->subset) : std::nullopt});
        return;
    }
    analysis::addLoops(loops, *item.map);
    for (const Item &inner : item.map->body)
        addUses(inner, loops, out);
    loops.resize(loops.size() - item.map->params.size());
}

std::set<Name> symbolsOf(const std::map<Name, sym::Expr> &meaning) {
    std::set<Name> out;
    for (const auto &[name, value] : meaning)
        out.insert(value.freeSymbols().begin(), value.freeSymbols().end());
    return out;
}

bool mentions(const std::set<Name> &names, const std::map<Name, sym::Expr> &meaning) {
    return std::any_of(names.begin(), names.end(), [&](Name n) { return meaning.contains(n); });
}

/// Does a tasklet use one of the names for something other than the symbol?
bool captures(const Tasklet &t, const std::set<Name> &symbols) {
    const py::BlockNames names = py::blockNames(t.code.blockOrRaw());
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](Name n) { return t.inConnector(n) || t.outConnector(n) || names.written.count(n); });
}

void rename(Step &s, const std::map<Name, sym::Expr> &meaning) {
    for (auto &[name, value] : s.renamed)
        value = sym::substitute(value, meaning);
    for (const auto &[name, value] : meaning)
        s.renamed.emplace(name, value);
    for (Use &u : s.uses) {
        if (u.subset)
            u.subset = u.subset->substituted(meaning);
        if (u.shown)
            u.shown->subset = u.shown->subset.substituted(meaning);
        renameSymbols(u.memlet, meaning);
    }
}

/// Code in Python with symbols replaced.
std::string renamedCode(const std::string &text, const std::map<Name, sym::Expr> &meaning) {
    std::map<Name, py::ExprRef> values;
    for (const auto &[name, value] : meaning)
        if (auto parsed = py::parseExpr(value.str()); parsed.value)
            values.emplace(name, *parsed.value);
    return py::print(py::substitute(py::parseBlockOrRaw(text), values));
}

} // namespace

bool canRename(const Node &n, const std::map<Name, sym::Expr> &meaning) {
    if (n.isExit() || n.kind() == NodeKind::Access || !n.state()) // not in a state: created by a pass, without symbols in its text
        return true;
    const std::set<Name> symbols = symbolsOf(meaning);
    if (const auto *t = dyn_cast<Tasklet>(&n)) {
        if (!t->code.isPython()) {
            const std::vector<Name> words = analysis::identifiers(t->code.text());
            return !mentions({words.begin(), words.end()}, meaning);
        }
        const std::set<Name> names = analysis::namesInTasklet(t->code, *t->state()->sdfg());
        const bool exact = std::none_of(meaning.begin(), meaning.end(), [&names](const auto &m) {
            return names.count(m.first) && analysis::hasQuotient(m.second.str());
        });
        return !mentions(names, meaning) || (exact && !captures(*t, symbols));
    }
    if (const auto *m = dyn_cast<MapEntry>(&n))
        return std::none_of(m->params.begin(), m->params.end(), [&](Name p) { return meaning.contains(p) || symbols.count(p); });
    if (isa<NestedSDFGNode>(&n))
        return true;
    return !mentions(analysis::freeSymbols(n), meaning);
}

void renameSymbols(Memlet &m, const std::map<Name, sym::Expr> &meaning) {
    if (m.subset)
        m.subset = m.subset->substituted(meaning);
    if (m.otherSubset)
        m.otherSubset = m.otherSubset->substituted(meaning);
    m.volume = sym::substitute(m.volume, meaning);
}

void renameSymbols(Node &n, const SDFG &scope, const std::map<Name, sym::Expr> &meaning) {
    if (auto *t = dyn_cast<Tasklet>(&n)) {
        if (mentions(analysis::namesInTasklet(t->code, scope), meaning))
            t->code = {renamedCode(t->code.text(), meaning), t->code.language()};
    } else if (auto *m = dyn_cast<MapEntry>(&n)) {
        for (sym::Range &r : m->ranges)
            r = r.substituted(meaning);
        if (m->gpuBlockSize)
            for (sym::Expr &threads : *m->gpuBlockSize)
                threads = sym::substitute(threads, meaning);
        m->ompNumThreads = sym::substitute(m->ompNumThreads, meaning);
        m->ompIf = sym::substitute(m->ompIf, meaning);
    } else if (auto *nested = dyn_cast<NestedSDFGNode>(&n)) {
        for (auto &[name, value] : nested->symbolMapping)
            value = sym::substitute(value, meaning);
    }
}

std::vector<PlacedUse> usesOf(const Item &item) {
    std::vector<PlacedUse> out;
    std::vector<analysis::LoopLevel> loops;
    addUses(item, loops, out);
    return out;
}

std::set<Name> localsOf(const Map &map) {
    std::set<Name> out = map.locals;
    for (const Item &inner : map.body)
        out.merge(localsOf(inner));
    return out;
}

std::set<Name> localsOf(const Item &item) { return item.map ? localsOf(*item.map) : std::set<Name>(); }

bool hasEffects(const Item &item) {
    return item.step ? item.step->effects
                     : std::any_of(item.map->body.begin(), item.map->body.end(), [](const Item &i) { return hasEffects(i); });
}

bool canRename(const Item &item, const std::map<Name, sym::Expr> &meaning) {
    if (item.step)
        return std::all_of(item.step->nodes.begin(), item.step->nodes.end(), [&](const Node *n) { return canRename(*n, meaning); });
    const std::set<Name> symbols = symbolsOf(meaning);
    return std::none_of(item.map->params.begin(), item.map->params.end(),
                        [&](Name p) { return meaning.contains(p) || symbols.count(p); }) &&
           std::all_of(item.map->body.begin(), item.map->body.end(), [&](const Item &i) { return canRename(i, meaning); });
}

void rename(Item &item, const std::map<Name, sym::Expr> &meaning) {
    if (item.step)
        return rename(*item.step, meaning);
    for (sym::Range &r : item.map->ranges)
        r = r.substituted(meaning);
    for (Item &inner : item.map->body)
        rename(inner, meaning);
}

} // namespace sdfgc::nest
