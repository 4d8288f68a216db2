#include "Transforms/Differentiate/Counting.h"

#include "Transforms/Edits/Outline.h"
#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/LabelName.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;

// ---- loops to count

std::optional<sym::Expr> Counting::most(const analysis::CountedLoop &l) {
    whyNot_.clear();
    if (const auto known = symbols_.find(l.region); known != symbols_.end())
        return sym::Expr::symbol(known->second);
    Block *block = analysis::outermost(*l.region);
    const std::string label = identifierOf(l.region->label.empty() ? "loop" : l.region->label, "loop_");
    SDFG &g = maker_.sdfg();
    const Name counted = g.addTransient(label + "_counted", DataDesc::scalar(ScalarKind::Int64, true));
    auto items = computed(l, counted);
    const std::string why = items ? "" : whyOnce(*block);
    if (!why.empty()) {
        g.arrays.erase(counted);
        whyNot_ = "a surrounding loop would have to run twice to be counted, but " + why;
        return std::nullopt;
    }
    const Name symbol = g.freshName(label + "_iterations");
    g.symbols[symbol] = ScalarKind::Int64;
    symbols_.emplace(l.region, symbol);
    if (items) {
        context_.done(*l.region, "its maximum number of iterations is computed in advance: `" + symbol.str() + "`");
        formulas_.push_back({block, std::move(*items), symbol, counted});
        return sym::Expr::symbol(symbol);
    }
    auto part = std::find_if(parts_.begin(), parts_.end(), [block](const Part &p) { return p.block == block; });
    if (part == parts_.end()) {
        parts_.emplace_back().block = block;
        part = std::prev(parts_.end());
    }
    part->loops.push_back({l, symbol, counted});
    return sym::Expr::symbol(symbol);
}

/// Why a block must not run twice, in words; empty if it may.
std::string Counting::whyOnce(Block &b) const {
    std::map<const State *, const nest::Run *> runs;
    for (const nest::Run &run : program_.runs())
        for (const State *s : run.states)
            runs.emplace(s, &run);
    if (const Name called = analysis::callbackIn(b); !called.empty())
        return "it calls `" + called.str() + "`, a callback";
    for (Block *inner : blocksOf(b)) {
        const auto *s = dyn_cast<State>(inner);
        if (!s)
            continue;
        const auto run = runs.find(s);
        if (run == runs.end() && s->nodes().empty() && nest::isReadable(*s)) // records of symbols, which are not written yet
            continue;
        if (run == runs.end())
            return "`" + s->label + "` is not a sequence of maps and tasklets";
        if (std::any_of(run->second->items.begin(), run->second->items.end(),
                        [](const nest::Item &i) { return nest::hasEffects(i); }))
            return "`" + s->label + "` has side effects";
        for (const AccessNode *a : nodesOf<AccessNode>(*s))
            if (const DataDesc *d = s->sdfg()->desc(a->data); d && !analysis::isPlain(d) && !d->isView())
                return "`" + a->data.str() + "` is not an array";
    }
    return {};
}

// ---- code that runs beforehand

namespace {

/// Assigns a symbol on the edge to a block.
void assignAt(Block &b, Name symbol, const std::string &value) {
    Region &r = *b.parent();
    if (b.inEdges().empty())
        r.addStateBefore(&b, r.sdfg()->freshLabel("before_" + b.label));
    b.inEdges().front()->assignments.emplace_back(symbol, value);
}

/// Counts the iterations of a loop: the maximum over all its executions. Returns the symbol that holds it at the end of
/// the SDFG.
Name count(LoopRegion &l) {
    SDFG &g = *l.sdfg();
    const Name now = g.freshName("count");
    g.symbols[now] = ScalarKind::Int64;
    assignAt(*l.start(), now, now.str() + " + 1");
    assignAt(l, now, "0");
    if (isa<SDFG>(l.parent()))
        return now;
    const Name most = g.freshName("most");
    g.symbols[most] = ScalarKind::Int64;
    State *after = l.parent()->addStateAfter(&l, g.freshLabel("counted"));
    after->inEdges().front()->assignments.emplace_back(most, "max(" + most.str() + ", " + now.str() + ")");
    assignAt(*g.start(), most, "0");
    return most;
}

/// Copies the arguments of the nested SDFG to its private containers.
void copyIn(SDFG &inner, const std::map<Name, Name> &before) {
    if (before.empty())
        return;
    State *s = inner.addStateBefore(inner.start(), inner.freshLabel("begin"));
    for (const auto &[to, from] : before)
        s->copyAll(from, to);
}

/// Passes the containers that a nested SDFG reads; containers that it writes become private to it. `outside`:
/// containers that other code uses. Returns the container of each argument.
std::map<Name, Name> passContainers(NestedSDFGNode &node, const std::set<Name> &outside) {
    SDFG &inner = *node.sdfg;
    const analysis::Mentions mentions(inner);
    const std::set<Name> written = writtenIn(inner);
    std::map<Name, Name> before, out;
    std::vector<Name> names;
    for (const auto &[name, d] : inner.arrays)
        names.push_back(name);
    for (const Name name : names) {
        DataDesc &d = *inner.desc(name);
        if (!mentions.contain(name)) {
            inner.arrays.erase(name);
            continue;
        }
        if (d.isView() || (d.transient && !outside.count(name)))
            continue;
        const Type type = Type::pointer(d.dtype);
        Name argument = name;
        if (written.count(name)) {
            DataDesc own = d;
            argument = inner.addTransient(name.str() + "_before", std::move(own));
            before.emplace(name, argument);
        }
        DataDesc &here = *inner.desc(name), &handed = *inner.desc(argument);
        here.transient = argument != name;
        here.lifetime = handed.lifetime = Lifetime::Scope;
        handed.transient = false;
        node.addIn(argument, type);
        out.emplace(argument, name);
    }
    copyIn(inner, before);
    return out;
}

} // namespace

void Counting::copy() {
    for (Part &p : parts_)
        copy(p);
}

void Counting::copy(Part &p) {
    SDFG &g = maker_.sdfg();
    p.node = outlined(*p.block, "count_iterations", program_.symbolTypes());
    SDFG &inner = *p.node->sdfg;
    Block *copied = inner.start();
    const std::vector<Block *> from = blocksOf(*p.block), to = blocksOf(*copied);
    std::vector<Name> counts;
    for (const Part::Loop &l : p.loops) {
        const auto at = std::find(from.begin(), from.end(), l.loop.region) - from.begin();
        counts.push_back(count(*cast<LoopRegion>(to[static_cast<std::size_t>(at)])));
    }
    std::set<Name> outside = usedOutside(g, *p.block);
    outside.insert(filled_.begin(), filled_.end());
    p.handed = passContainers(*p.node, outside);
    State *end = inner.addStateAfter(copied, inner.freshLabel("end"));
    for (std::size_t k = 0; k < counts.size(); ++k) {
        const Name out = p.loops[k].counted, value = inner.freshName("__out");
        inner.arrays.set(out, DataDesc::scalar(ScalarKind::Int64, false));
        p.node->addOut(out, Type::pointer(ScalarKind::Int64));
        Tasklet *t = end->addTasklet(out.str(), {value.str() + " = " + counts[k].str()});
        t->addOut(value, ScalarKind::Int64);
        end->connect(t, value, end->add<AccessNode>(out), {}, Memlet::simple(out, inner.desc(out)->fullSubset()));
    }
    passSymbols(*p.node, knownAt(g, *p.block), program_.symbolTypes());
}

namespace {

/// Limits the trip count of a loop, whatever its condition: floating-point sums of threads may differ in the last bits
/// between runs, and the tape has no room for more iterations.
void bound(const analysis::CountedLoop &c, Name most) {
    LoopRegion &l = *c.region;
    sym::Expr tested = sym::Expr::symbol(l.variable);
    if (l.inverted && !l.updateBeforeCondition)
        tested = tested + c.step;
    const sym::Expr end = c.valueIn(sym::Expr::symbol(most));
    l.condition =
        Code{tested.str() + (c.down ? " > " : " < ") + end.str() + " and (" + l.condition->text() + ")", Language::Python};
}

} // namespace

void Counting::place() {
    for (Part &p : parts_)
        place(p);
}

void Counting::place(Part &p) {
    SDFG &g = maker_.sdfg();
    State *s = p.block->parent()->addStateBefore(p.block, g.freshLabel("count_iterations"));
    auto *node = cast<NestedSDFGNode>(s->adopt(std::move(p.node)));
    const auto whole = [&g](Name n) { return Memlet::simple(n, g.desc(n)->fullSubset()); };
    for (const auto &[argument, from] : p.handed)
        s->connectListed(s->add<AccessNode>(from), {}, node, argument, whole(from));
    for (const Part::Loop &l : p.loops) {
        if (!l.loop.hasEnd())
            bound(l.loop, l.symbol);
        s->connectListed(node, l.counted, s->add<AccessNode>(l.counted), {}, whole(l.counted));
        s->outEdges().front()->assignments.emplace_back(l.symbol, l.counted.str());
        context_.done(*l.loop.region, "runs once before, to count its iterations: `" + l.symbol.str() + "`");
    }
    s->renumber();
}

} // namespace sdfgc::transforms::gradient
