// differentiate: extend a program to compute gradients (reverse mode) or tangents (forward mode).
//
//     state {                                    state {
//       map i { B[i] = sin(A[i]) }                 map i { B[i] = sin(A[i]) }
//       map i { loss += B[i] }         ->          map i { loss += B[i] }
//     }                                          }
//                                                state { gradient_B = 0 }
//                                                state {
//                                                  map i { gradient_B[i] += gradient_loss }
//                                                  map i { gradient_A[i] += cos(A[i]) * gradient_B[i] }
//                                                }
//
// The program itself stays the same. After it, its operations run again in reverse order. Each one propagates the
// gradient of its outputs to the gradients of its inputs. That is the whole idea of reverse mode; the details are in:
//
//     which containers have gradients                         Activity.h
//     values that are overwritten before they are needed      PrimalProgram.h, Values.h
//     loops without a formula for their trip count            Counting.h
//     the order of blocks, loops and branches                 Flow.h
//     maps, tasklets, copies, nested SDFGs                    Items.h
//     library nodes                                           LibraryRules.h
//     tasklets                                                sdfgc/Tasklet/Derivatives.h
//
// Tangents.h implements forward mode.
//
// Passes before it in pipelines/differentiate.yaml bring the program to the form that this pass requires. It works on the nest form
// (sdfgc/Nest/Nest.h) and runs before the optimiser, so gradients are optimised, scheduled and lowered like any other program.
// Names and seeds are DaCe's (dace/autodiff/autodiff.py): the caller sets `gradient_A` to zero and `gradient_loss` to one.
// docs/user/differentiation.md is the guide for users.
#include "Transforms/Differentiate/Differentiate.h"

#include "Transforms/Differentiate/Flow.h"
#include "Transforms/Differentiate/Separate.h"
#include "Transforms/Differentiate/Tangents.h"
#include "Transforms/Edits/NamedElement.h"

#include "sdfgc/Analysis/Costs/Footprint.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/Nest/Liveness.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace gradient {

using namespace ir;
using nest::Item;

namespace {

bool contains(const std::vector<Name> &list, Name n) { return std::find(list.begin(), list.end(), n) != list.end(); }

/// Gradients that start at zero: those of private containers, and those of arguments if requested.
std::set<Name> zeroed(const Request &r, const Gradients &gradients, const std::set<Name> &ofItems, const SDFG &g) {
    std::set<Name> out;
    for (const auto &[data, gradient] : gradients.all())
        if (!ofItems.count(gradient) && (g.desc(gradient)->transient || (r.zeroInit && !contains(r.of, data))))
            out.insert(gradient);
    return out;
}

std::vector<Item> beginnings(const Request &r, const Gradients &gradients, const std::set<Name> &zeros, Maker &maker) {
    std::vector<Item> out;
    for (const auto &[data, gradient] : gradients.all()) {
        if (gradients.isShared(data))
            continue;
        const bool seeded = r.seedOne && contains(r.of, data);
        if (seeded || zeros.count(gradient))
            out.push_back(
                maker.fill(gradient, maker.sdfg().desc(gradient)->fullSubset(), seeded ? "1" : "0", !maker.sdfg().isRoot()));
    }
    return out;
}

bool isWritten(const PrimalProgram &program, analysis::Memory m) {
    return program.writersOf(m).count != 0 ||
           std::any_of(program.hidden().begin(), program.hidden().end(), [m](const HiddenState &h) { return h.to.count(m) != 0; });
}

/// May it combine the written value with the old one?
bool isUpdate(const Site &s) {
    if (s.use->kind == nest::UseKind::Update || !s.item)
        return s.use->kind == nest::UseKind::Update;
    for (const nest::PlacedUse &u : nest::usesOf(*s.item)) {
        const bool isWrite = u.use == s.use && u.use->writes() && !u.step->nodes.empty();
        if (const auto *n = isWrite ? dyn_cast<NestedSDFGNode>(u.step->nodes.front()) : nullptr)
            return n->sdfg && isUpdatedIn(*n->sdfg, s.use->connector);
    }
    return false;
}

/// Does the program overwrite an argument before reading it? False if unknown.
bool isOverwrittenFirst(const PrimalProgram &program, nest::Summaries &summaries, analysis::Memory m, SDFG &g) {
    return summaries.isTracked(m) && isWritten(program, m) && !summaries.ofContent(g).exposed.contains(m) &&
           std::none_of(program.sites().begin(), program.sites().end(),
                        [m](const Site &s) { return s.use->memory == m && isUpdate(s); });
}

/// Does a write that always runs assign all elements?
bool isGivenAll(const PrimalProgram &program, analysis::Memory m, const SDFG &g) {
    return std::any_of(program.sites().begin(), program.sites().end(), [&](const Site &s) {
        return s.use->memory == m && s.use->kind == nest::UseKind::Write && s.use->certain && s.run && s.run->region == &g &&
               analysis::isCovered({g.desc(s.use->data)->fullSubset(), {}}, s.instance, 0, program.facts());
    });
}

/// Warns of arguments that affect no result.
void warnOfZeros(const Request &r, PrimalProgram &program, SDFG &g, analysis::Memories &memories, pass::Context &context) {
    const std::set<analysis::Memory> of = program.memoriesOf(r.of);
    nest::Summaries summaries(g, memories, program.runs());
    std::string results;
    for (const Name n : r.of)
        results += (results.empty() ? "" : "`, `") + n.str();
    for (const Name n : r.wrt) {
        const analysis::Memory m = memories.of(g, n);
        const bool isLost = isOverwrittenFirst(program, summaries, m, g) && (of.count(m) == 0 || isGivenAll(program, m, g));
        if (Activity::depend(program, of, m) && !isLost)
            continue;
        diag::Location place = analysis::placeOf(g, *g.desc(n), n);
        place.file = context.options.file;
        context.diags.report(diag::Id::GradientIsZero, place, results, n.str());
    }
}

} // namespace

bool differentiate(SDFG &g, const Request &request, pass::Context &context, Ledger &ledger) {
    printHeaders(g);
    const std::vector<LoopRegion *> numbered = numberLoops(g);
    analysis::Memories memories(g);
    PrimalProgram program(g, memories);
    const Activity activity(program, program.memoriesOf(request.of), program.memoriesOf(request.wrt));
    for (LoopRegion *l : numbered)
        if (!activity.isActive(*l))
            forgetNumbers(*l);
    if (!request.isNested)
        warnOfZeros(request, program, g, memories, context);
    Maker maker(g, memories);
    Gradients gradients(maker, request.prefix);
    if (!gradients.declare(request.arguments(), context))
        return false;
    Counting counting(program, maker, namedElements(g), request.filled, context);
    Values values(program, maker, counting, request.strategy, context);
    ItemReverser items(program, maker, activity, gradients, values, request, context);
    FlowReverser flow(program, maker, activity, items, values, context);
    flow.reverse(g, g);
    if (flow.failed() || context.diags.hasErrors())
        return false;
    counting.copy();
    std::set<Name> zeros = zeroed(request, gradients, items.localGradients(), g);
    for (const Name n : flow.storeFirstTerms(zeros))
        zeros.erase(n);
    for (const Name n : flow.clearInLoops(zeros))
        zeros.erase(n);
    for (Counting::Formula &f : counting.formulas()) {
        flow.prepend(g, f.block, "count_iterations", std::move(f.items));
        f.block->inEdges().front()->assignments.emplace_back(f.symbol, f.counted.str());
    }
    std::vector<Item> first = beginnings(request, gradients, zeros, maker);
    const std::optional<Seam> seam =
        request.part != Part::Both ? std::optional(placeSeam(flow.first(), g, maker.scratch())) : std::nullopt;
    if (!first.empty())
        flow.prepend(g,
                     seam           ? seam->begin->outEdges().front()->dst
                     : flow.first() ? flow.first()
                                    : g.start(),
                     "begin_gradients", std::move(first));
    for (auto &[loop, store] : values.storeAll()) {
        std::vector<Item> stores;
        stores.push_back(std::move(store));
        flow.prepend(*loop->parent(), loop, "store", std::move(stores));
    }
    for (const Values::Tape &t : values.tapes())
        context.done(*t.access, "`" + t.data.str() + "` is stored in `" + t.name.str() + "`, " +
                                    maker.sdfg().desc(t.name)->numElements().str() + " elements");
    ledger = values.ledger();
    ledger.insert(ledger.end(), items.ledger().begin(), items.ledger().end());
    flow.write();
    if (context.diags.hasErrors())
        return false;
    counting.place();
    return true;
}

} // namespace gradient

namespace {

using namespace ir;

class Differentiate : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        gradient::Request request;
        request.of = gradient::namesOf(option<std::string>("of"));
        request.wrt = gradient::namesOf(option<std::string>("wrt"));
        const bool reverse = option<gradient::Mode>("mode") == gradient::Mode::Reverse;
        request.seedOne = option<gradient::Seed>("seed") == gradient::Seed::One && reverse;
        request.zeroInit = option<gradient::Init>("init") == gradient::Init::Zero;
        request.ties = option<py::Ties>("ties");
        request.part = option<gradient::Part>("part");
        if (!reverse && request.part != gradient::Part::Both)
            wrong("part", "`both` with `mode=forward`", context);
        request.prefix = option<std::string>("prefix");
        if (request.prefix.empty())
            request.prefix = reverse ? "gradient_" : "tangent_";
        if (!isIdentifier(request.prefix))
            wrong("prefix", "a prefix of names", context);
        readStrategy(request, root, context);
        auto limit = readLimit(context);
        if (context.diags.hasErrors() || !check(root, request, context) || (reverse && !gradient::canRunAgain(root, context)))
            return false;
        if (limit)
            analysis::addAssignedValues(root, limit->sizes);
        gradient::Ledger ledger;
        const bool done =
            reverse ? gradient::differentiate(root, request, context, ledger) : gradient::addTangents(root, request, context);
        if (done && !ledger.empty())
            context.done("tapes", gradient::totalOf(ledger).str() + " bytes in total");
        if (done && limit)
            gradient::checkLimit(*limit, ledger, context);
        // A separate program, whose library must not replace the original one. The pass separate names parts.
        if (done && request.part == gradient::Part::Both)
            root.name = Name(root.name.str() + (reverse ? "_grad" : "_tangent"));
        root.renumber();
        return done;
    }

private:
    void wrong(const std::string &name, const std::string &wanted, pass::Context &context) {
        context.diags.report(diag::Id::PassOptionType, diag::Location{context.options.file}, name, "differentiate", wanted,
                             option<std::string>(name));
    }

    void readStrategy(gradient::Request &r, const SDFG &root, pass::Context &context) {
        const auto strategy = gradient::parseStrategy(option<std::string>("strategy"));
        if (!strategy)
            return wrong("strategy", "`auto`, `store` or `recompute`, or names after `store=` or `recompute=`", context);
        r.strategy = *strategy;
        if (const Name unknown = gradient::unknownIn(r.strategy, root))
            wrong("strategy", "a list of containers, which `" + unknown.str() + "` is not", context);
    }

    /// Nothing if there is none, or after an error.
    std::optional<gradient::MemoryLimit> readLimit(pass::Context &context) {
        if (option<std::string>("memory").empty())
            return std::nullopt;
        const auto bytes = gradient::parseBytes(option<std::string>("memory"));
        if (!bytes)
            wrong("memory", "a number of bytes, optionally followed by K, M, G or T", context);
        const auto sizes = gradient::parseSizes(option<std::string>("sizes"));
        if (!sizes)
            wrong("sizes", "values of symbols, as in `N=100+T=10`", context);
        return bytes && sizes ? std::optional(gradient::MemoryLimit{*bytes, *sizes}) : std::nullopt;
    }

    static bool check(SDFG &root, const gradient::Request &r, pass::Context &context) {
        const diag::Location place{context.options.file};
        if (r.of.empty())
            context.diags.report(diag::Id::GradientOf, place, "", "the option `of` is empty", "name the result");
        if (r.wrt.empty())
            context.diags.report(diag::Id::GradientWithRespectTo, place, "", "the option `wrt` is empty", "name an argument");
        for (const Name n : r.of) {
            if (const std::string why = gradient::whyNoGradient(root, n); !why.empty())
                context.diags.report(diag::Id::GradientOf, place, n.str(), why, hint(root, n));
            else if (r.seedOne && !root.desc(n)->numElements().isOne())
                context.diags.report(diag::Id::GradientSeed, place, n.str(), root.desc(n)->numElements().str());
        }
        for (const Name n : r.wrt)
            if (const std::string why = gradient::whyNoGradient(root, n); !why.empty())
                context.diags.report(diag::Id::GradientWithRespectTo, place, n.str(), why, hint(root, n));
        return !context.diags.hasErrors();
    }

    static std::string hint(const SDFG &g, Name n) {
        std::vector<std::string> known;
        for (const auto &[name, d] : g.arrays)
            if (gradient::whyNoGradient(g, name).empty())
                known.push_back(name.str());
        const std::string near = diag::nearest(n.view(), known);
        return near.empty() || near == n.str() ? "" : "did you mean `" + near + "`?";
    }
};

} // namespace

std::unique_ptr<pass::Pass> createDifferentiate() { return std::make_unique<Differentiate>(); }

} // namespace sdfgc::transforms
