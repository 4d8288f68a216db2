// Counted loops: reads their headers and derives what is known about their trip counts.
#include "Transforms/Differentiate/Program.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Flow/TripCount.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;

sym::Expr CountedLoop::number() const {
    const sym::Expr distance = sym::Expr::symbol(region->variable) - walk.begin;
    return walk.step.isOne() ? distance : walk.step.isConstant(-1) ? -distance : sym::floorDiv(distance, walk.step);
}

sym::Expr CountedLoop::trips() const { return count ? *count : sym::floorDiv(walk.end - walk.begin, walk.step) + 1; }

namespace {

/// A constant that an expression does not exceed, as it stands: min(T, 10*s + 10) - 10*s is 10 at most.
std::optional<int64_t> constantBound(sym::Expr e) {
    const auto least = [](std::span<const sym::Expr> of, sym::Expr more) {
        std::optional<int64_t> out;
        for (const sym::Expr each : of)
            if (const auto bound = constantBound(each + more); bound && (!out || *bound < *out))
                out = bound;
        return out;
    };
    if (const auto value = e.asInt())
        return value;
    const std::span<const sym::Expr> operands = e.operands();
    if (e.kind() == sym::Kind::Min)
        return least(operands, 0);
    if (e.kind() == sym::Kind::FloorDiv) {
        const auto above = constantBound(operands[0]), below = operands[1].asInt();
        return above && below && *below > 0 ? sym::floorDiv(*above, *below).asInt() : std::nullopt;
    }
    if (e.kind() != sym::Kind::Add)
        return std::nullopt;
    for (const sym::Expr term : operands) {
        if (term.kind() == sym::Kind::Min)
            return least(term.operands(), e - term);
        if (term.kind() == sym::Kind::FloorDiv)
            if (const auto below = term.operands()[1].asInt(); below && *below > 0)
                if (const auto above = constantBound(term.operands()[0] + (e - term) * *below))
                    return sym::floorDiv(*above, *below).asInt();
    }
    return std::nullopt;
}

} // namespace

sym::Expr CountedLoop::room() const {
    const auto bound = constantBound(trips());
    return bound && *bound >= 0 ? sym::Expr(*bound) : trips();
}

sym::Expr CountedLoop::last() const {
    return count || walk.step.isOne() || walk.step.isConstant(-1) ? walk.end : walk.begin + walk.step * (trips() - 1);
}

namespace {

/// Are expressions of integers, and nothing in the loop gives their symbols, or its variable, other values?
bool areFixed(std::initializer_list<sym::Expr> expressions, LoopRegion &l) {
    std::set<Name> fixed{l.variable};
    for (const sym::Expr e : expressions) {
        if (!analysis::isOfIntegers({0, e, 1, 1}, *l.sdfg()))
            return false;
        fixed.insert(e.freeSymbols().begin(), e.freeSymbols().end());
    }
    for (const Region *inside : allRegions(l)) {
        for (const auto &e : inside->edges())
            for (const auto &[symbol, value] : e->assignments)
                if (fixed.count(symbol))
                    return false;
        if (const auto *inner = dyn_cast<LoopRegion>(inside); inner && inner != &l && fixed.count(inner->variable))
            return false;
    }
    return true;
}

/// Handles loops that the header alone does not describe: inverted loops, `!=`, symbolic steps, and conditions with
/// more than a bound of the variable.
std::optional<CountedLoop> countedByFormula(LoopRegion &l, const sym::Assumptions &facts) {
    const analysis::TripCount t = analysis::tripCountOf(l, facts);
    if (!t.counted() || !t.changing.empty() || t.variable != l.variable)
        return std::nullopt;
    return CountedLoop{&l, {t.first, t.first + t.step * (t.count - 1), t.step, 1}, t.count, !t.exact};
}

/// A loop whose variable counts, though to no end that is known.
std::optional<CountedLoop> openLoop(LoopRegion &l, const sym::Assumptions &facts) {
    const analysis::Progression p = analysis::progressionOf(l);
    if (p.why != analysis::Uncounted::No || !areFixed({p.first, p.step}, l) ||
        (sym::isPositive(p.step, facts) != sym::Truth::True && sym::isPositive(-p.step, facts) != sym::Truth::True))
        return std::nullopt;
    return CountedLoop{&l, {p.first, sym::Expr::undefined(), p.step, 1}, std::nullopt, true, true};
}

} // namespace

std::optional<CountedLoop> countedLoop(LoopRegion &l) {
    if (l.variable.empty())
        return std::nullopt;
    std::optional<CountedLoop> out;
    if (const std::optional<analysis::LoopHeader> header = analysis::headerOf(l))
        out = CountedLoop{&l, header->walk(), std::nullopt, false};
    const sym::Assumptions facts = out ? sym::Assumptions() : analysis::factsOf(*l.sdfg());
    if (!out)
        out = countedByFormula(l, facts);
    if (out && areFixed({out->walk.begin, out->walk.end, out->walk.step}, l))
        return out;
    return openLoop(l, facts);
}

std::optional<std::vector<CountedLoop>> countedLoopsAround(Region &r) {
    std::vector<CountedLoop> out;
    for (Region *at = &r; at && !isa<SDFG>(at); at = at->parent())
        if (auto *l = dyn_cast<LoopRegion>(at)) {
            const std::optional<CountedLoop> counted = countedLoop(*l);
            if (!counted)
                return std::nullopt;
            out.push_back(*counted);
        }
    std::reverse(out.begin(), out.end());
    return out;
}

Block *outermost(Region &r) {
    Block *b = &r;
    while (true) {
        if (ConditionalBlock *c = b->conditional())
            b = c;
        if (isa<SDFG>(b->parent()))
            return b;
        b = b->parent();
    }
}

// ---- while loops

namespace {

using Assignment = std::pair<Name, std::string>;

Assignment *assignmentOf(InterstateEdge &e, Name symbol) {
    const auto it = std::find_if(e.assignments.begin(), e.assignments.end(), [symbol](const auto &a) { return a.first == symbol; });
    return it == e.assignments.end() ? nullptr : &*it;
}

bool reads(const std::string &code, Name symbol, const SDFG &g) {
    return analysis::namesInCode({code, Language::Python}, g).count(symbol) != 0;
}

/// The edge in a body that gives the symbol its next value, if nothing else in the iteration sees that.
InterstateEdge *updateAtEnd(LoopRegion &l, Name symbol) {
    const std::vector<Block *> chain = analysis::sequenceOf(l);
    for (std::size_t k = chain.size(); k-- > 0;) {
        for (InterstateEdge *e : chain[k]->inEdges()) {
            if (isa<ConditionalBlock>(chain[k]) || analysis::readIn(*chain[k]).count(symbol))
                return nullptr;
            if (!assignmentOf(*e, symbol))
                continue;
            const bool seen = std::any_of(e->assignments.begin(), e->assignments.end(),
                                          [&](const auto &a) { return a.first != symbol && reads(a.second, symbol, *l.sdfg()); });
            return seen ? nullptr : e;
        }
    }
    return nullptr;
}

/// What the only edge to a loop gives the symbol, if it is the same whenever the loop is reached.
Assignment *valueAtEntry(LoopRegion &l, Name symbol, const std::set<Name> &assigned) {
    const std::vector<InterstateEdge *> &edges = l.inEdges();
    Assignment *a = edges.size() == 1 ? assignmentOf(*edges[0], symbol) : nullptr;
    if (!a)
        return nullptr;
    for (const Name n : analysis::namesInCode({a->second, Language::Python}, *l.sdfg()))
        if (assigned.count(n) || l.sdfg()->desc(n))
            return nullptr;
    const bool seen = std::any_of(edges[0]->assignments.begin(), edges[0]->assignments.end(), [&](const auto &other) {
        return other.first != symbol && reads(other.second, symbol, *l.sdfg());
    });
    return seen ? nullptr : a;
}

void countInHeader(LoopRegion &l, const std::set<Name> &assigned) {
    const analysis::TripCount t = analysis::tripCountOf(l, analysis::factsOf(*l.sdfg()));
    if (!t.counted() || t.changing != std::vector<Name>{t.variable} || t.first != sym::Expr::symbol(t.variable))
        return;
    InterstateEdge *update = updateAtEnd(l, t.variable);
    Assignment *entry = valueAtEntry(l, t.variable, assigned);
    if (!update || !entry)
        return;
    const std::string i = t.variable.str();
    l.variable = t.variable;
    l.init = Code{i + " = " + entry->second, Language::Python};
    l.update = Code{i + " = " + assignmentOf(*update, t.variable)->second, Language::Python};
    const auto drop = [&t](InterstateEdge &e) {
        std::erase_if(e.assignments, [&t](const auto &a) { return a.first == t.variable; });
    };
    drop(*update);
    drop(*l.inEdges().front());
}

} // namespace

void countInHeaders(SDFG &g) {
    std::set<Name> assigned;
    for (const InterstateEdge *e : allInterstateEdges(g))
        for (const auto &[symbol, value] : e->assignments)
            assigned.insert(symbol);
    for (Region *r : allRegions(g))
        if (auto *l = dyn_cast<LoopRegion>(r); l && l->variable.empty() && !l->inverted)
            countInHeader(*l, assigned);
}

namespace {

/// `v = value` or `v += value`: what the variable is then; nothing where the code says anything else.
std::optional<std::string> valueGivenBy(const std::optional<Code> &c, Name v) {
    const auto block = c && c->language == Language::Python ? py::parseBlock(c->text).value : std::nullopt;
    if (!block || block->size() != 1)
        return std::nullopt;
    const py::Stmt &s = *block->front();
    if (s.targets.size() != 1 || !py::equal(*s.targets[0], *py::name(v)))
        return std::nullopt;
    if (s.kind == py::StmtKind::AugAssign)
        return py::print(*py::binary(s.op, s.targets[0], s.value));
    return s.kind == py::StmtKind::Assign ? std::optional(py::print(*s.value)) : std::nullopt;
}

/// Lets a loop whose variable does not count, as in `i = 2 * i`, be one without variable: edges give the symbol its values.
void takeOutOfHeader(LoopRegion &l) {
    SDFG &g = *l.sdfg();
    const std::vector<Block *> chain = analysis::sequenceOf(l);
    if (l.variable.empty() || chain.empty() || nest::isKept(l) || (l.inverted && !l.updateBeforeCondition) || countedLoop(l))
        return;
    const auto first = valueGivenBy(l.init, l.variable), next = valueGivenBy(l.update, l.variable);
    if (!first || !next)
        return;
    if (!g.symbols.contains(l.variable))
        g.symbols[l.variable] = ScalarKind::Int64;
    for (InterstateEdge *e : l.parent()->addStateBefore(&l, g.freshLabel("first"))->outEdges())
        e->assignments = {{l.variable, *first}};
    auto *end = l.add<State>();
    end->label = g.freshLabel("next");
    l.connect(chain.back(), end, {"1", Language::Python}, {{l.variable, *next}});
    l.variable = Name();
    l.init.reset();
    l.update.reset();
}

} // namespace

void takeOutOfHeaders(SDFG &g) {
    for (Region *r : allRegions(g))
        if (auto *l = dyn_cast<LoopRegion>(r))
            takeOutOfHeader(*l);
}

std::vector<LoopRegion *> numberLoops(SDFG &g) {
    std::vector<LoopRegion *> out;
    for (Region *r : allRegions(g)) {
        auto *l = dyn_cast<LoopRegion>(r);
        const auto says = [](const std::optional<Code> &c) { return c && !c->empty(); };
        if (!l || !l->variable.empty() || says(l->init) || says(l->update) || nest::isKept(*l))
            continue;
        l->variable = g.freshName("iteration");
        g.symbols[l->variable] = ScalarKind::Int64;
        const std::string i = l->variable.str();
        l->init = Code{i + " = 0", Language::Python};
        l->update = Code{i + " = " + i + " + 1", Language::Python};
        l->updateBeforeCondition = true;
        out.push_back(l);
    }
    return out;
}

void forgetNumbers(LoopRegion &l) {
    l.sdfg()->symbols.erase(l.variable);
    l.variable = Name();
    l.init.reset();
    l.update.reset();
}

} // namespace sdfgc::transforms::gradient
