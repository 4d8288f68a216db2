// differentiate: a program computes gradients, too (reverse mode), or tangents.
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
// The program runs as it did. After it come its operations once more, the last one first, each as one that hands the gradient of what it wrote
// to the gradients of what it read. That is all there is to reverse mode; what takes care is
//
//   which containers have gradients                         Activity.h
//   values that are overwritten before they are needed      Program.h, Values.h
//   loops that no formula counts                            Counting.h
//   the order of blocks, loops and branches                 Flow.h
//   maps, tasklets, copies, nested SDFGs                    Items.h
//   library nodes                                           LibraryRules.h
//   tasklets                                                sdfgc/Tasklet/Derivatives.h
//   what is written in another way first                    Simplify.h
//
// Forward mode, tangents in place of gradients, is in Tangents.h.
//
// The pass works on the nest form (sdfgc/Nest/Nest.h), in front of the optimiser: gradients are optimised, scheduled and lowered like any other
// program. Names and seeds are DaCe's (dace/autodiff/autodiff.py): `gradient_A`, which the caller sets to zero, and `gradient_loss`, which the
// caller sets to one. docs/differentiation.md explains it to users.
#include "Transforms/Differentiate/Differentiate.h"

#include "Transforms/Differentiate/Flow.h"
#include "Transforms/Differentiate/Simplify.h"
#include "Transforms/Differentiate/Tangents.h"

#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace gradient {

using namespace ir;
using nest::Item;

namespace {

bool contains(const std::vector<Name> &list, Name n) { return std::find(list.begin(), list.end(), n) != list.end(); }

/// Gradients that begin with zero, of what the SDFG has for itself, and of arguments if they do.
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

/// Warns of arguments that no result depends on.
void warnOfZeros(const Request &r, const Program &program, SDFG &g, analysis::Memories &memories, pass::Context &context) {
    const std::set<analysis::Memory> of = program.memoriesOf(r.of);
    std::string results;
    for (const Name n : r.of)
        results += (results.empty() ? "" : "`, `") + n.str();
    for (const Name n : r.wrt)
        if (!Activity::depend(program, of, memories.of(g, n))) {
            diag::Location place = analysis::placeOf(g, *g.desc(n), n);
            place.file = context.options.file;
            context.diags.report(diag::Id::GradientIsZero, place, results, n.str());
        }
}

} // namespace

bool differentiate(SDFG &g, const Request &request, pass::Context &context) {
    countInHeaders(g);
    const std::vector<LoopRegion *> numbered = numberLoops(g);
    nameBounds(g);
    std::map<Name, NamedElement> elements = nameElements(g);
    nameRanges(g);
    nameSubsets(g);
    nameValues(g);
    joinArguments(g);
    if (!simplify(g, request.of, request.wrt, {}, context))
        return false;
    analysis::Memories memories(g);
    Program program(g, memories);
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
    Counting counting(program, maker, std::move(elements), context);
    Values values(program, maker, counting, context);
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
        g.inEdges(f.block).front()->assignments.emplace_back(f.symbol, f.counted.str());
    }
    std::vector<Item> first = beginnings(request, gradients, zeros, maker);
    if (!first.empty())
        flow.prepend(g, flow.first() ? flow.first() : g.start(), "begin_gradients", std::move(first));
    for (auto &[loop, store] : values.storeAll()) {
        std::vector<Item> stores;
        stores.push_back(std::move(store));
        flow.prepend(*loop->parent(), loop, "store", std::move(stores));
    }
    for (const Values::Tape &t : values.tapes())
        context.done(analysis::placeOf(*t.access).element, "`" + t.data.str() + "` is stored in `" + t.name.str() + "`, " +
                                                               maker.sdfg().desc(t.name)->numElements().str() + " elements");
    flow.write();
    counting.place();
    return true;
}

} // namespace gradient

namespace {

using namespace ir;

/// Names with commas, blanks or `+` between them: lists of pass options have commas themselves.
std::vector<Name> namesOf(std::string list) {
    for (char &c : list)
        if (c == ',' || c == '+')
            c = ' ';
    std::vector<Name> out;
    for (const std::string &n : text::words(list))
        out.emplace_back(n);
    return out;
}

class Differentiate : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        gradient::Request request;
        request.of = namesOf(option<std::string>("of"));
        request.wrt = namesOf(option<std::string>("wrt"));
        const bool reverse = choice("mode", "reverse", "forward", context);
        request.seedOne = choice("seed", "one", "argument", context) && reverse;
        request.zeroInit = choice("init", "zero", "accumulate", context);
        request.ties = choice("ties", "first", "split", context) ? py::Ties::First : py::Ties::Split;
        request.prefix = option<std::string>("prefix");
        if (request.prefix.empty())
            request.prefix = reverse ? "gradient_" : "tangent_";
        if (!isIdentifier(request.prefix))
            context.diags.report(diag::Id::PassOptionType, diag::Location{context.options.file}, "prefix", "differentiate",
                                 "the beginning of a name", request.prefix);
        if (context.diags.hasErrors() || !check(root, request, context))
            return false;
        const bool done = reverse ? gradient::differentiate(root, request, context) : gradient::addTangents(root, request, context);
        root.renumber();
        return done;
    }

private:
    /// Is the option the first of two words? An error if it is neither.
    bool choice(const std::string &name, const std::string &first, const std::string &second, pass::Context &context) {
        const auto &value = option<std::string>(name);
        if (value != first && value != second)
            context.diags.report(diag::Id::PassOptionType, diag::Location{context.options.file}, name, "differentiate",
                                 "`" + first + "` or `" + second + "`", value);
        return value == first;
    }

    static bool check(SDFG &root, const gradient::Request &r, pass::Context &context) {
        const diag::Location place{context.options.file};
        if (r.of.empty())
            context.diags.report(diag::Id::GradientOf, place, "", "the option `of` is empty", "name the result");
        if (r.wrt.empty())
            context.diags.report(diag::Id::GradientWithRespectTo, place, "", "the option `wrt` is empty", "name an argument");
        for (const Name n : r.of) {
            if (const std::string why = whyNot(root, n); !why.empty())
                context.diags.report(diag::Id::GradientOf, place, n.str(), why, hint(root, n));
            else if (r.seedOne && !root.desc(n)->numElements().isOne())
                context.diags.report(diag::Id::GradientSeed, place, n.str(), root.desc(n)->numElements().str());
        }
        for (const Name n : r.wrt)
            if (const std::string why = whyNot(root, n); !why.empty())
                context.diags.report(diag::Id::GradientWithRespectTo, place, n.str(), why, hint(root, n));
        return !context.diags.hasErrors();
    }

    static std::string whyNot(const SDFG &g, Name n) {
        const DataDesc *d = g.arrays.find(n);
        if (!d)
            return g.symbols.contains(n) ? "it is a symbol" : "there is no such container";
        if (d->transient)
            return "it is no argument";
        if (!nest::isPlain(d))
            return "it is no array";
        return gradient::isReal(d->dtype) ? "" : "it holds no real numbers, but " + d->dtype.str();
    }

    static std::string hint(const SDFG &g, Name n) {
        std::vector<std::string> known;
        for (const auto &[name, d] : g.arrays)
            if (whyNot(g, name).empty())
                known.push_back(name.str());
        const std::string near = diag::nearest(n.view(), known);
        return near.empty() || near == n.str() ? "" : "did you mean `" + near + "`?";
    }
};

} // namespace

std::unique_ptr<pass::Pass> createDifferentiate() { return std::make_unique<Differentiate>(); }

} // namespace sdfgc::transforms
