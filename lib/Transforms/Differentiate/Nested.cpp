// Reverses nested SDFGs: the reversed nested SDFG first recomputes the original's values for itself, then their
// gradient.
//
//     nested f: x -> y   { y = g(x) }        nested f_reversed: x, gradient_y -> gradient_x, gradient_y
//                                               { y = g(x); gradient_x += ...; gradient_y = 0 }      y is its own
#include "Transforms/Differentiate/Arguments.h"
#include "Transforms/Differentiate/Devices.h"
#include "Transforms/Differentiate/Differentiate.h"
#include "Transforms/Differentiate/Items.h"
#include "Transforms/Differentiate/Signatures.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Memory/Bounds.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Liveness.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Step;
using nest::Use;
using nest::UseKind;

namespace {

/// The union of two subsets that start with the same element; nothing if this is not certain.
std::optional<sym::Subset> together(const std::optional<sym::Subset> &a, const std::optional<sym::Subset> &b) {
    if (!a || !b || a->rank() != b->rank())
        return std::nullopt;
    sym::Subset out = *a;
    for (std::size_t k = 0; k < out.rank(); ++k) {
        const sym::Range &x = a->dims[k], &y = b->dims[k];
        const auto more = (y.end - x.end).asInt();
        if (!(x.begin == y.begin) || !(x.step == y.step) || !(x.tile == y.tile) || !more)
            return std::nullopt;
        out.dims[k].end = *more > 0 ? y.end : x.end;
    }
    return out;
}

/// Ensures that no argument has more elements than it is passed.
void narrowArguments(const Step &s, const SDFG &around, NestedSDFGNode &n) {
    std::map<Name, std::optional<sym::Subset>> given; // by connector
    for (const Use &u : s.uses) {
        const auto [at, isNew] = given.try_emplace(u.connector, subsetOf(u));
        if (!isNew)
            at->second = together(at->second, subsetOf(u));
    }
    for (const Use &u : s.uses)
        if (const auto &subset = given[u.connector])
            narrowArgument(n, u.connector, {*around.desc(u.data), *subset});
}

/// Makes results of the SDFG private to it. Another argument provides the previous contents; returns the names of these
/// arguments by container.
std::map<Name, Name> keepResults(NestedSDFGNode &n) {
    SDFG &g = *n.sdfg;
    std::map<Name, Name> before;
    for (const Connector &c : n.outConnectors) {
        if (n.inConnector(c.name)) {
            DataDesc d = *g.desc(c.name);
            d.transient = true; // only to find a free name
            const Name initial = g.addTransient(c.name.str() + "_before", std::move(d));
            g.desc(initial)->transient = false;
            before.emplace(c.name, initial);
        }
        DataDesc &d = *g.desc(c.name);
        d.transient = true;
        d.lifetime = Lifetime::Scope;
        holdAll(d);
    }
    return before;
}

/// Initialises the containers that became private, at the start of the SDFG. Must run after differentiation: as a part
/// of the program it would end the gradient of the previous contents.
void fillFrom(const std::map<Name, Name> &before, SDFG &g) {
    if (before.empty())
        return;
    State *s = g.addStateBefore(g.start(), g.freshLabel("begin"));
    for (const auto &[to, from] : before)
        s->copyAll(from, to);
    s->renumber();
}

/// Containers that the SDFG updates, but whose old value it was not passed, start at zero. Their results are never read.
void beginWithZero(const Step &s, const std::map<Name, Name> &before, SDFG &g) {
    std::set<Name> updated;
    for (const Use &u : s.uses)
        if (u.writes() && !before.count(u.connector) && isUpdatedIn(g, u.connector))
            updated.insert(u.connector);
    if (updated.empty())
        return;
    analysis::Memories memories(g);
    Maker maker(g, memories);
    nest::Run run{&g, &memories, {g.addStateBefore(g.start(), g.freshLabel("begin"))}, {}, true};
    for (const Name n : updated)
        run.items.push_back(maker.fill(n, g.desc(n)->fullSubset(), "0", true));
    runOnDevice(run, maker);
    nest::write(run);
    run.states.front()->renumber();
}

} // namespace

namespace {

/// A transient of an SDFG that may be read with its value from an earlier run; nothing if there is none.
Name keptIn(SDFG &g) {
    std::vector<Name> lasting;
    for (const auto &[name, d] : g.arrays)
        if (d.transient &&
            (d.lifetime == Lifetime::Persistent || d.lifetime == Lifetime::Global || d.lifetime == Lifetime::External))
            lasting.push_back(name);
    if (lasting.empty())
        return {};
    analysis::Memories memories(g);
    const std::vector<nest::Run> runs = nest::readRuns(g, memories);
    nest::Summaries summaries(g, memories, runs);
    const nest::Summary content = summaries.ofContent(g);
    for (const Name name : lasting)
        if (const analysis::Memory m = summaries.memoryOf(name); !summaries.isTracked(m) || content.exposed.count(m) != 0)
            return name;
    return {};
}

} // namespace

bool canRunAgain(SDFG &g, pass::Context &context) {
    for (State *s : allStates(g))
        for (const NestedSDFGNode *n : nodesOf<NestedSDFGNode>(*s)) {
            if (!n->sdfg)
                continue;
            const Name kept = keptIn(*n->sdfg);
            if (kept.empty() && canRunAgain(*n->sdfg, context))
                continue;
            diag::Location place = analysis::placeOf(*n);
            place.file = context.options.file;
            if (!kept.empty())
                context.diags.report({diag::Id::GradientOfFlow,
                                      "a nested SDFG that keeps `" + kept.str() + "` from one call to the next",
                                      "make it an argument of the nested SDFG"},
                                     place);
            return false;
        }
    return true;
}

bool ItemReverser::moveTo(NestedSDFGNode &n, Name argument, const Use &had, const Use &has) {
    const std::optional<sym::Subset> from = subsetOf(had), to = subsetOf(has);
    if (had.data == has.data || !from || !to)
        return true;
    const std::string why = moveArgument(n, argument, {desc(had), *from}, {*maker_.sdfg().desc(has.data), *to});
    if (!why.empty())
        fail({diag::Id::GradientStore, had.data.str(), why, "give the nested SDFG a separate array"}, *had.access);
    return why.empty();
}

void reverseNested(ItemReverser &reverser, const Step &s, const NestedSDFGNode &n, Body &b, std::vector<nest::Item> &out) {
    Maker &maker = reverser.maker();
    const PrimalProgram &program = reverser.program();
    const auto isActive = [&reverser](const Use &u) { return reverser.isActive(u); };
    if (!n.sdfg)
        return reverser.fail({diag::Id::GradientOfFlow, "a nested SDFG that is in another file", ""}, n);
    if (const Name called = analysis::callbackIn(*n.sdfg); !called.empty())
        return reverser.fail({diag::Id::GradientOfFlow, "a nested SDFG that calls `" + called.str() + "`, a callback",
                              "call it where the program runs once"},
                             n);
    if (const auto why = obstacleOfArguments(s, isActive, program.facts()))
        return reverser.fail(*why, n);
    // Adopted by a state of this SDFG while it is differentiated, because nested code may refer to its surroundings.
    auto *inner = cast<NestedSDFGNode>(maker.scratch().adopt(ir::clone(n)));
    inner->label = n.label + "_reversed";
    inner->sdfg->name = Name(inner->sdfg->name.str() + "_reversed");
    auto made = requestOfNested(s, isActive, reverser.request(), Mode::Reverse);
    if (const auto *why = std::get_if<diag::Message>(&made))
        return reverser.fail(*why, n);
    auto &r = std::get<Request>(made);
    narrowArguments(s, maker.sdfg(), *inner);
    const std::map<Name, Name> before = keepResults(*inner);
    for (const Use &u : s.uses)
        if (const auto initial = before.find(u.connector); !u.writes() && initial != before.end() && subsetOf(u))
            narrowArgument(*inner, initial->second, {reverser.desc(u), *subsetOf(u)});
    for (const auto &[filled, from] : before)
        r.filled.insert(filled);
    Ledger ledger;
    if (!differentiate(*inner->sdfg, r, reverser.context(), ledger)) {
        reverser.setFailed();
        return;
    }
    const std::map<Name, sym::Expr> meaning(inner->symbolMapping.begin(), inner->symbolMapping.end());
    const std::vector<analysis::LoopLevel> &around = program.siteOf(s.uses.front()).instance.loops;
    for (Stored &stored : ledger) { // the maximum over the iterations of the surrounding loops
        stored.bytes = sym::substitute(stored.bytes, meaning);
        stored.bytes = analysis::largestOf(stored.bytes, around, program.facts()).value_or(stored.bytes);
        reverser.addStored(std::move(stored));
    }
    fillFrom(before, *inner->sdfg);
    beginWithZero(s, before, *inner->sdfg);
    std::vector<Use> uses;
    std::shared_ptr<NestedSDFGNode> node(cast<NestedSDFGNode>(maker.scratch().detachNode(inner).release()));
    node->inConnectors.clear();
    node->outConnectors.clear();
    for (const Use &u : s.uses)
        if (!u.writes()) {
            const auto initial = before.find(u.connector);
            const Name argument = initial == before.end() ? u.connector : initial->second;
            const std::optional<Use> v = reverser.value(u, argument, b);
            if (!v || !reverser.moveTo(*node, argument, u, *v))
                return;
            uses.push_back(*v);
            node->addIn(v->connector, Type::pointer(reverser.desc(u).dtype));
        }
    for (const UseKind kind : {UseKind::Read, UseKind::Write}) { // all reads first: they may share a container
        std::set<Name> done;
        for (const Use &u : s.uses)
            if (isActive(u) && (kind == UseKind::Read || u.kind != UseKind::Update) && done.insert(u.connector).second) {
                const Name name(reverser.request().prefix + u.connector.str());
                uses.push_back(reverser.gradient(u, kind, name, b));
                const Type type = Type::pointer(reverser.desc(u).dtype);
                kind == UseKind::Read ? node->addIn(name, type) : node->addOut(name, type);
                uses.back().certain = false;
            }
    }
    out.push_back(Maker::step(std::move(node), std::move(uses)));
}

} // namespace sdfgc::transforms::gradient
