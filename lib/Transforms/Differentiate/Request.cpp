#include "Transforms/Differentiate/Request.h"

#include "Transforms/Differentiate/Activity.h"
#include "Transforms/Differentiate/Maker.h"
#include "Transforms/Differentiate/Signatures.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Step;
using nest::Use;
using nest::UseKind;

// ---- requests for programs

std::vector<Name> namesOf(const std::string &list) {
    std::vector<Name> out;
    for (const std::string &n : wordsOf(list))
        if (std::find(out.begin(), out.end(), Name(n)) == out.end())
            out.emplace_back(n);
    return out;
}

std::string whyNoGradient(const SDFG &g, Name n) {
    const DataDesc *d = g.arrays.find(n);
    if (!d)
        return g.symbols.contains(n) ? "it is a symbol" : "there is no such argument";
    if (d->transient)
        return "it is not an argument";
    if (!analysis::isPlain(d))
        return "it is not an array";
    return isReal(d->dtype) ? "" : "it does not contain floating-point numbers, but " + d->dtype.str();
}

std::optional<Request> requestOf(const pass::OptionValues &options, const SDFG &root) {
    Request r;
    r.of = namesOf(std::get<std::string>(options.at("of")));
    r.wrt = namesOf(std::get<std::string>(options.at("wrt")));
    const auto canHaveGradient = [&root](Name n) { return whyNoGradient(root, n).empty(); };
    const bool isUsable = !r.of.empty() && !r.wrt.empty() && std::all_of(r.of.begin(), r.of.end(), canHaveGradient) &&
                          std::all_of(r.wrt.begin(), r.wrt.end(), canHaveGradient);
    return isUsable ? std::optional(r) : std::nullopt;
}

void normalise(SDFG &g, pass::Context &context) {
    pass::Program program(g, nullptr);
    for (const auto create :
         {createCountLoops, createNameSizes, createNameElements, createWhileLoops, createNameAccesses, createJoinArguments})
        create()->run(program, context);
}

// ---- requests for nested SDFGs

namespace {

/// Does an SDFG only add to a container?
bool onlyAddsTo(SDFG &g, Name container) {
    const auto adds = [](const Edge *e) { return e->memlet.isEmpty() || (e->memlet.data && isSum(e->memlet.wcr)); };
    for (State *s : allStates(g))
        for (const AccessNode *a : nodesOf<AccessNode>(*s))
            if (a->data == container &&
                !(std::all_of(a->inEdges().begin(), a->inEdges().end(), adds) &&
                  std::all_of(a->outEdges().begin(), a->outEdges().end(), [](const Edge *e) { return e->memlet.isEmpty(); })))
                return false;
    return analysis::containersReadByControlFlow(g).count(container) == 0;
}

} // namespace

bool isUpdatedIn(SDFG &g, Name container, bool byMoreThanSums) {
    const auto updates = [byMoreThanSums](const Edge *e) {
        const Edge *first = memletPath(e).front();
        const auto *n = dyn_cast<NestedSDFGNode>(first->src);
        return (!e->memlet.wcr.empty() && !(byMoreThanSums && isSum(e->memlet.wcr))) ||
               (n && n->sdfg && isUpdatedIn(*n->sdfg, first->srcConn, byMoreThanSums));
    };
    for (State *s : allStates(g))
        for (const AccessNode *a : nodesOf<AccessNode>(*s))
            if (a->data == container && std::any_of(a->inEdges().begin(), a->inEdges().end(), updates))
                return true;
    return false;
}

std::vector<Name> Request::arguments() const {
    std::vector<Name> out = of;
    for (const Name n : wrt)
        if (std::find(out.begin(), out.end(), n) == out.end())
            out.push_back(n);
    return out;
}

std::variant<Request, diag::Message> requestOfNested(const Step &s, const std::function<bool(const Use &)> &isActive,
                                                     const Request &around, Mode mode) {
    Request r;
    r.isNested = true;
    r.ties = around.ties;
    r.prefix = around.prefix;
    r.strategy = around.strategy;
    for (const Use &u : s.uses) {
        if (!isActive(u))
            continue;
        if (u.kind == UseKind::Update && !onlyAddsTo(*cast<NestedSDFGNode>(s.nodes.front())->sdfg, u.connector))
            return diag::Message{diag::Id::GradientOfUpdate, u.data.str(), "a nested SDFG computes it, and not only by sums"};
        (u.writes() ? r.of : r.wrt).push_back(u.connector);
    }
    // If it writes nothing, the gradient of the old value passes through; past sums it does so anyway.
    for (const Use &u : mode == Mode::Reverse ? s.uses : std::vector<Use>())
        if (isActive(u) && u.kind == UseKind::Write && std::find(r.wrt.begin(), r.wrt.end(), u.connector) == r.wrt.end())
            r.wrt.push_back(u.connector);
    return r;
}

namespace {

/// Adds the nested SDFGs that propagate gradients, with their requests. Those without a request are rejected when they are
/// differentiated.
void addParts(const std::vector<Item> &items, const std::function<bool(const Use &)> &isActive, const Request &around, Mode mode,
              std::vector<std::pair<SDFG *, Request>> &out) {
    for (const Item &i : items) {
        if (i.map) {
            addParts(i.map->body, isActive, around, mode, out);
            continue;
        }
        const Step &s = *i.step;
        const auto *n = s.nodes.size() == 1 ? dyn_cast<NestedSDFGNode>(s.nodes.front()) : nullptr;
        if (!n || !n->sdfg || std::none_of(s.uses.begin(), s.uses.end(), [&](const Use &u) { return u.writes() && isActive(u); }))
            continue;
        auto request = requestOfNested(s, isActive, around, mode);
        if (auto *r = std::get_if<Request>(&request))
            out.emplace_back(n->sdfg.get(), std::move(*r));
    }
}

std::vector<std::pair<SDFG *, Request>> partsOf(SDFG &g, const Request &r, Mode mode) {
    std::vector<std::pair<SDFG *, Request>> out;
    const std::vector<State *> states = allStates(g);
    if (std::all_of(states.begin(), states.end(), [](const State *s) { return nodesOf<NestedSDFGNode>(*s).empty(); }))
        return out;
    analysis::Memories memories(g);
    PrimalProgram program(g, memories);
    const bool isForward = mode == Mode::Forward;
    const std::set<analysis::Memory> of = program.memoriesOf(isForward ? r.arguments() : r.of);
    const Activity activity(program, of, program.memoriesOf(r.wrt));
    const auto isActive = [&](const Use &u) {
        return ((isForward && of.count(u.memory)) || activity.isActive(u.memory)) && isReal(g.desc(u.data)->dtype);
    };
    for (const nest::Run &run : program.runs())
        addParts(run.items, isActive, r, mode, out);
    return out;
}

} // namespace

bool changeParts(SDFG &g, const Request &r, Mode mode, const std::function<bool(SDFG &, const Request &)> &change) {
    if (!change(g, r))
        return false;
    const std::vector<std::pair<SDFG *, Request>> parts = partsOf(g, r, mode);
    return std::all_of(parts.begin(), parts.end(),
                       [&](const auto &part) { return changeParts(*part.first, part.second, mode, change); });
}

} // namespace sdfgc::transforms::gradient
