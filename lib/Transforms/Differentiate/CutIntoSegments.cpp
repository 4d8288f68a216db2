// cut-into-segments: cut loops into segments that are recomputed for their gradient, which stores less and computes more.
//
//                                              for s = 0; s < int_ceil(T, 10); s = s + 1 {
//     for t = 0; t < T; t = t + 1 {              nested segment: u, s, T -> u  {
//       u = f(u)                      ->           for t = 10*s; t < min(T, 10*s + 10); t = t + 1 {
//     }                                              u = f(u)
//                                              } } }
//
// The gradient of a nested SDFG first recomputes its values for itself, then its gradient (Nested.cpp). So data that a
// segment reads and overwrites are stored once per segment, as a checkpoint, and values that iterations need are stored
// for one segment at a time. For T iterations that need B bytes each, and S bytes passed between iterations, tapes take
// S*T/10 + 10*B bytes instead of T*B, and each iteration runs one more time. Segments can be nested: then the
// checkpoints of all levels exist at once, and each level runs every iteration one more time.
//
// Binomial checkpointing (Griewank and Walther's revolve) stores slightly less for the same number of repeated
// iterations, but needs the trip count when the schedule is made. Here sizes remain formulas over symbols, and each
// tape is an ordinary array.
//
// Legal when:
//   1. The loop counts to an end that is known before it starts, and no jump leaves it.
//   2. No iteration passes a symbol to the next one, and nothing after the loop reads a symbol that the loop assigns. So an
//      iteration that runs again finds the same symbols.
//   3. It calls no function of the caller, which must not run again.
//   4. Containers used outside the loop keep their sizes in it.
//
// Not handled: loops of nested SDFGs. A loop in `checkpoints` that cannot be cut is an error (SD4722). Tangents store nothing,
// so `mode=forward` takes no checkpoints.
#include "Transforms/Differentiate/Segments.h"
#include "Transforms/Edits/FlowEdits.h"
#include "Transforms/Edits/Nodes.h"
#include "Transforms/Edits/Outline.h"
#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"

#include "sdfgc/Analysis/Costs/Footprint.h"
#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/LabelName.h"
#include "sdfgc/Nest/Liveness.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <span>

namespace sdfgc::transforms {

namespace gradient {

using namespace ir;

// ---- which loops can be cut

namespace {

using Names = std::set<Name>;

void addNames(const std::optional<Code> &c, const SDFG &g, Names &out) {
    if (c)
        out.merge(analysis::namesInCode(*c, g));
}

/// Names that an edge reads.
Names readsOf(const InterstateEdge &e) {
    const SDFG &g = *e.src->sdfg();
    Names out = analysis::namesInCode(e.condition, g);
    for (const auto &[symbol, value] : e.assignments)
        addNames(Code{value, Language::Python}, g, out);
    return out;
}

/// Names that a block itself reads, without nested blocks.
void addOwnReads(const Block &b, Names &out) {
    const SDFG &g = *b.sdfg();
    if (isa<State>(&b))
        out.merge(analysis::readIn(b));
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        for (const auto &branch : c->branches()) {
            addNames(branch.condition, g, out);
            for (const auto &e : branch.region->edges())
                out.merge(readsOf(*e));
        }
    if (const auto *l = dyn_cast<LoopRegion>(&b))
        for (const std::optional<Code> *c : {&l->init, &l->condition, &l->update})
            addNames(*c, g, out);
    if (const auto *r = dyn_cast<Region>(&b))
        for (const auto &e : r->edges())
            out.merge(readsOf(*e));
}

/// Names that a block reads, including nested blocks.
Names readsOf(Block &b) {
    Names out;
    for (const Block *inner : blocksOf(b))
        addOwnReads(*inner, out);
    return out;
}

bool sets(const InterstateEdge &e, Name symbol) {
    return std::any_of(e.assignments.begin(), e.assignments.end(), [symbol](const auto &a) { return a.first == symbol; });
}

/// In each run of a region's blocks, which form a sequence, is a symbol assigned before it is read?
bool setsFirst(Region &r, Name symbol) {
    const std::vector<Block *> chain = analysis::sequenceOf(r);
    std::vector<Block *> inside; // blocks in which it is assigned
    bool isSet = false;
    for (Block *b : chain) {
        for (const InterstateEdge *e : b->inEdges()) {
            if (!isSet && readsOf(*e).count(symbol))
                return false;
            isSet |= sets(*e, symbol);
        }
        if (isSet)
            continue;
        if (analysis::assignedIn(*b).count(symbol))
            inside.push_back(b);
        else if (readsOf(*b).count(symbol))
            return false;
    }
    if (isSet && inside.empty())
        return true;
    const auto setsInside = [symbol](Block *b) {
        auto *l = dyn_cast<LoopRegion>(b);
        return l && (l->variable == symbol || setsFirst(*l, symbol));
    };
    return !chain.empty() && std::all_of(inside.begin(), inside.end(), setsInside);
}

/// Symbols that edges in a loop assign.
Names setByEdges(LoopRegion &l) {
    Names out;
    for (Region *r : allRegions(l))
        for (const auto &e : r->edges())
            for (const auto &[symbol, value] : e->assignments)
                out.insert(symbol);
    return out;
}

/// Names read outside of a loop.
Names readOutside(LoopRegion &l) {
    const std::vector<Block *> all = blocksOf(l);
    const std::set<const Block *> inside(all.begin(), all.end());
    Names out;
    for (const Block *b : blocksOf(*l.sdfg()))
        if (!inside.count(b))
            addOwnReads(*b, out);
    return out;
}

bool isSizedBy(const Names &symbols, const DataDesc &d) {
    const Names own = d.freeSymbols();
    return std::any_of(own.begin(), own.end(), [&symbols](Name n) { return symbols.count(n) != 0; });
}

/// Why a loop cannot be cut, and what the user can do; the reason is empty if it can.
std::pair<std::string, std::string> whyWhole(LoopRegion &l) {
    SDFG &g = *l.sdfg();
    const std::optional<analysis::CountedLoop> counted = analysis::countedLoop(l);
    if (!counted) {
        const analysis::Uncounted why = analysis::tripCountOf(l, analysis::factsOf(g)).why;
        if (why == analysis::Uncounted::No)
            return {"its start or end is read from a container", "read it into a symbol before the loop"};
        return {std::string(analysis::text(why)), "count by a constant"};
    }
    if (!counted->exact)
        return {"its condition tests more than the end of its variable", "cut a surrounding or inner loop instead"};
    if (nest::isKept(l))
        return {"it must not be changed (`optimize`)", ""};
    if (const Name called = analysis::callbackIn(l); !called.empty())
        return {"it calls `" + called.str() + "`, a callback, which must not run again", "call it before the loop"};
    if (analysis::hasJump(l))
        return {"a break, continue or return leaves it", "structure-exits converts most of these to branches"};
    const analysis::VariableReads variables(g);
    for (const Region *r : allRegions(l))
        if (const auto *loop = dyn_cast<LoopRegion>(r); loop && variables.isReadOutside(*loop))
            return {"`" + loop->variable.str() + "` is read after the loop that counts it", "do not use the variable there"};
    const Names outside = readOutside(l);
    for (const Name n : setByEdges(l)) {
        if (!setsFirst(l, n))
            return {"an iteration passes the symbol `" + n.str() + "` on to the next one", "keep it in a scalar"};
        if (outside.count(n))
            return {"the symbol `" + n.str() + "` is also used outside of it", "keep it in a scalar"};
    }
    const Names assigned = analysis::assignedIn(l), used = usedOutside(g, l);
    for (const auto &[name, d] : g.arrays)
        if (isSizedBy(assigned, d) && (!d.transient || used.count(name)))
            return {"it changes the size of `" + name.str() + "`, which is also used outside of it",
                    "give the container a constant size"};
    return {};
}

// ---- cutting

/// Containers whose elements an iteration may read before it writes them.
class HandedOn {
public:
    explicit HandedOn(LoopRegion &l)
        : memories_(*l.sdfg()), runs_(nest::readRuns(*l.sdfg(), memories_)), summaries_(*l.sdfg(), memories_, runs_),
          iteration_(summaries_.ofContent(l)) {}
    bool contain(Name n) const {
        const analysis::Memory m = summaries_.memoryOf(n);
        return !summaries_.isTracked(m) || iteration_.exposed.count(m) != 0;
    }

private:
    analysis::Memories memories_;
    std::vector<nest::Run> runs_;
    nest::Summaries summaries_;
    nest::Summary iteration_;
};

std::string labelOf(const LoopRegion &l) { return l.label.empty() ? "loop" : l.label; }

/// Restricts a loop to one segment of itself. Returns the number of segments.
sym::Expr walkSegment(LoopRegion &l, Name segment, int64_t length) {
    const analysis::CountedLoop counted = *analysis::countedLoop(l);
    const sym::Expr first = counted.valueIn(sym::Expr(length) * sym::Expr::symbol(segment));
    const sym::Expr full = first + counted.step * sym::Expr(length - 1), end = counted.walk().end;
    const sym::Expr beyond = counted.down ? sym::max({end, full}) - 1 : sym::min({end, full}) + 1;
    const std::string i = l.variable.str();
    l.init = Code{i + " = " + first.str(), Language::Python};
    l.condition = Code{i + (counted.down ? " > " : " < ") + beyond.str(), Language::Python};
    l.update = Code{i + " = " + (sym::Expr::symbol(l.variable) + counted.step).str(), Language::Python};
    l.inverted = false;
    return sym::floorDiv(counted.trips() + sym::Expr(length - 1), sym::Expr(length));
}

/// Makes the containers that a node's SDFG uses its arguments, except those private to an iteration, which include all containers
/// whose size changes between iterations. Returns the private ones.
Names passContainers(NestedSDFGNode &node, const Names &outside, const Names &assigned, const HandedOn &handedOn) {
    SDFG &inner = *node.sdfg;
    const analysis::Mentions mentions(inner);
    const Names written = writtenIn(inner);
    std::vector<Name> names;
    for (const auto &[name, d] : inner.arrays)
        names.push_back(name);
    Names own;
    for (const Name name : names) {
        DataDesc &d = *inner.desc(name);
        if (!mentions.contain(name)) {
            inner.arrays.erase(name);
            continue;
        }
        const bool isHandedOn = handedOn.contain(name) && !isSizedBy(assigned, d);
        if (!outside.count(name) && (d.isView() || (d.transient && !isHandedOn)))
            own.insert(name);
        if (d.isView() || own.count(name))
            continue;
        d.transient = false;
        d.lifetime = Lifetime::Scope;
        const Type type = Type::pointer(d.dtype);
        if (isHandedOn || !written.count(name) || isUpdatedIn(inner, name, true))
            node.addIn(name, type);
        if (written.count(name))
            node.addOut(name, type);
    }
    return own;
}

/// An empty loop over the segments of another one.
std::unique_ptr<LoopRegion> loopOver(const LoopRegion &l, Name segment, sym::Expr count) {
    auto out = std::make_unique<LoopRegion>();
    out->label = l.sdfg()->freshLabel(labelOf(l) + "_segments");
    out->debugInfo = l.debugInfo;
    out->variable = segment;
    const std::string s = segment.str();
    out->init = Code{s + " = 0", Language::Python};
    out->condition = Code{s + " < " + count.str(), Language::Python};
    out->update = Code{s + " = " + s + " + 1", Language::Python};
    return out;
}

/// Adds the only state of a loop, with a node that gets entire containers.
void place(std::unique_ptr<NestedSDFGNode> node, LoopRegion &into) {
    SDFG &g = *into.sdfg();
    auto *s = into.add<State>();
    s->label = g.freshLabel(into.label + "_state");
    into.setStart(s);
    auto *n = cast<NestedSDFGNode>(s->adopt(std::move(node)));
    const auto whole = [&g](Name data) { return Memlet::simple(data, g.desc(data)->fullSubset()); };
    for (const Connector &c : n->inConnectors)
        s->connect(s->add<AccessNode>(c.name), {}, n, c.name, whole(c.name));
    for (const Connector &c : n->outConnectors)
        s->connect(n, c.name, s->add<AccessNode>(c.name), {}, whole(c.name));
    s->renumber();
}

/// Cuts a loop, and then its segments. Returns false, after an error, if it cannot be cut.
bool cut(LoopRegion &l, std::span<const int64_t> lengths, pass::Context &context) {
    SDFG &g = *l.sdfg();
    if (const auto [why, hint] = whyWhole(l); !why.empty()) {
        diag::Location place = analysis::placeOf(l);
        place.file = context.options.file;
        context.diags.report(diag::Id::GradientSegments, place, labelOf(l), why, hint);
        return false;
    }
    const Names assigned = analysis::assignedIn(l);
    const Name segment = g.freshName(l.variable.str() + "_segment");
    g.symbols[segment] = ScalarKind::Int64;
    const analysis::SymbolTypes types(g);
    std::unique_ptr<NestedSDFGNode> node = outlined(l, identifierOf(labelOf(l), "loop_") + "_segment", types);
    node->sdfg->symbolHints[segment].nonnegative = true;
    auto &part = *cast<LoopRegion>(node->sdfg->start());
    const sym::Expr count = walkSegment(part, segment, lengths.front());
    const Names own = passContainers(*node, usedOutside(g, l), assigned, HandedOn(l));
    passSymbols(*node, {}, types);
    Region &r = *l.parent();
    const Block *const start = r.start();
    auto *outer = cast<LoopRegion>(r.adopt(loopOver(l, segment, count)));
    takePlace(r, start, l, l, *outer, *outer);
    context.done(l, "runs in segments of " + std::to_string(lengths.front()) +
                        " iterations, each of which is recomputed for its gradient");
    r.removeBlock(&l);
    place(std::move(node), *outer);
    for (const Name n : own)
        g.arrays.erase(n);
    const Names left = analysis::assignedIn(g);
    for (const Name n : assigned)
        if (!left.count(n))
            g.symbols.erase(n);
    return lengths.size() == 1 || cut(part, lengths.subspan(1), context);
}

/// Loops of an SDFG with a name, which is their label or their variable.
std::vector<LoopRegion *> loopsCalled(Name name, SDFG &g) {
    std::vector<LoopRegion *> out;
    for (Region *r : allRegions(g))
        if (auto *l = dyn_cast<LoopRegion>(r); l && (l->variable == name || l->label == name.view()))
            out.push_back(l);
    return out;
}

/// Does a nested SDFG contain a loop with this name?
bool isNested(Name name, SDFG &g) {
    const std::vector<State *> states = allStates(g);
    return std::any_of(states.begin(), states.end(), [name](const State *s) {
        const auto nested = nodesOf<NestedSDFGNode>(*s);
        return std::any_of(nested.begin(), nested.end(), [name](const NestedSDFGNode *n) {
            return n->sdfg && (!loopsCalled(name, *n->sdfg).empty() || isNested(name, *n->sdfg));
        });
    });
}

/// Is a loop inside another one in the list?
bool isInside(const LoopRegion &l, const std::vector<LoopRegion *> &loops) {
    for (const Region *r = l.parent(); r; r = r->parent())
        if (std::find(loops.begin(), loops.end(), r) != loops.end())
            return true;
    return false;
}

} // namespace

std::vector<LoopRegion *> loopsToCut(SDFG &g) {
    std::vector<LoopRegion *> loops;
    for (Region *r : allRegions(g))
        if (auto *l = dyn_cast<LoopRegion>(r); l && whyWhole(*l).first.empty())
            loops.push_back(l);
    const std::vector<LoopRegion *> all = loops;
    std::erase_if(loops, [&all](const LoopRegion *l) { return isInside(*l, all); });
    return loops;
}

namespace {

int depthOf(const Region *r) { return r ? 1 + depthOf(r->parent()) : 0; }

} // namespace

bool cutIntoSegments(SDFG &g, const Segments &segments, pass::Context &context) {
    if (segments.empty())
        return true;
    std::vector<std::pair<LoopRegion *, const std::vector<int64_t> *>> loops;
    for (const auto &[name, lengths] : segments) {
        const std::vector<LoopRegion *> called = name == allLoops ? loopsToCut(g) : loopsCalled(name, g);
        if (called.empty() && name != allLoops) {
            const bool isDeeper = isNested(name, g);
            context.diags.report(diag::Id::GradientSegments, diag::Location{context.options.file}, name.str(),
                                 isDeeper ? "it is in a nested SDFG" : "there is no such loop",
                                 isDeeper ? "name a loop that surrounds the nested SDFG"
                                          : "name a loop by its variable or its label");
            return false;
        }
        for (LoopRegion *l : called)
            if (!isInside(*l, called))
                loops.emplace_back(l, &lengths);
    }
    // Inner ones first, while they are still in this SDFG.
    std::stable_sort(loops.begin(), loops.end(), [](const auto &a, const auto &b) { return depthOf(a.first) > depthOf(b.first); });
    return std::all_of(loops.begin(), loops.end(), [&context](const auto &l) { return cut(*l.first, *l.second, context); });
}

// ---- the pass

namespace {

class CutIntoSegments : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        const auto &text = option<std::string>("checkpoints"), &memory = option<std::string>("memory");
        const bool isAutomatic = text == "auto";
        const auto segments = parseSegments(isAutomatic ? "" : text);
        if (!segments)
            wrong("loops and numbers of iterations, as in `t=100` or `t=1000/50`, or `auto`", context);
        else if (isAutomatic && memory.empty())
            wrong("a list of loops without `memory`, which `auto` is for", context);
        else if (!text.empty() && option<Mode>("mode") == Mode::Forward)
            wrong("empty with `mode=forward`, which stores nothing", context);
        else if (!text.empty())
            return cut(root, isAutomatic ? fitting(root, context) : *segments, context);
        return false;
    }

private:
    void wrong(const std::string &wanted, pass::Context &context) const {
        context.diags.report(diag::Id::PassOptionType, diag::Location{context.options.file}, "checkpoints", "cut-into-segments",
                             wanted, option<std::string>("checkpoints"));
    }

    static bool cut(SDFG &root, const Segments &segments, pass::Context &context) {
        if (segments.empty() || !cutIntoSegments(root, segments, context))
            return false;
        root.renumber();
        return true;
    }

    /// Segments for the limit; none if the options are invalid, which differentiate reports.
    Segments fitting(const SDFG &root, const pass::Context &context) const {
        std::optional<Request> request = requestOf(options, root);
        const auto strategy = parseStrategy(option<std::string>("strategy"));
        const auto bytes = parseBytes(option<std::string>("memory"));
        auto sizes = parseSizes(option<std::string>("sizes"));
        if (!request || !strategy || !bytes || !sizes)
            return {};
        request->strategy = *strategy;
        analysis::addAssignedValues(root, *sizes);
        return segmentsFor({*bytes, *sizes}, root, *request, context);
    }
};

} // namespace

} // namespace gradient

std::unique_ptr<pass::Pass> createCutIntoSegments() { return std::make_unique<gradient::CutIntoSegments>(); }

} // namespace sdfgc::transforms
