#include "Transforms/Differentiate/Items.h"

#include "Transforms/Differentiate/FirstTerms.h"
#include "Transforms/Differentiate/LibraryRules.h"
#include "Transforms/Differentiate/SharedGradients.h"
#include "Transforms/Differentiate/Signatures.h"
#include "Transforms/Differentiate/UserRules.h"
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::Use;
using nest::UseKind;

ItemReverser::ItemReverser(PrimalProgram &program, Maker &maker, const Activity &activity, Gradients &gradients, Values &values,
                           const Request &request, pass::Context &context)
    : program_(program), maker_(maker), activity_(activity), gradients_(gradients), values_(values), request_(request),
      context_(context), private_(program, maker, request.strategy) {}

bool ItemReverser::reverse(const nest::Run &run, std::vector<Item> &out) {
    Body b;
    b.items = &run.items;
    b.own.ofProgram = b.recomputed.locals = private_.ownOf(run);
    std::erase_if(b.recomputed.locals, [&run, this](Name n) {
        return request_.strategy.of(n) == Keep::Store || !std::all_of(run.items.begin(), run.items.end(), [n](const Item &i) {
                   return !writesAny(i, {n}) || isPlainWork(i);
               });
    });
    b.recomputed.again = private_.againOf(run);
    b.cleared.of = freshOf(run, b.own.ofProgram, gradients_, maker_.sdfg());
    out = body(run.items, b);
    rename(out, b.recomputed.needed);
    return !failed_;
}

std::vector<Item> ItemReverser::body(const std::vector<Item> &items, Body &b) {
    std::vector<Item> out;
    for (auto i = items.rbegin(); i != items.rend(); ++i)
        if (activity_.isActive(*i))
            item(*i, b, b.reversed);
    recompute(*this, b, out);
    for (const Name local : b.cleared.gradients)
        out.push_back(maker_.fill(local, maker_.sdfg().desc(local)->fullSubset(), "0", b.inScope()));
    for (Item &i : b.reversed)
        out.push_back(std::move(i));
    return out;
}

void ItemReverser::item(const Item &i, Body &b, std::vector<Item> &out) {
    if (i.step)
        return step(*i.step, b, out);
    if (b.inScope())
        return map(*i.map, b, out);
    const std::vector<std::set<const Use *>> groups = groupsOf(i);
    if (groups.size() > 1)
        context_.done(elementOfItem(*i.map, maker_.sdfg()),
                      "is reversed by " + std::to_string(groups.size()) + " maps, because its iterations read the same elements");
    for (std::size_t k = 0; k < groups.size(); ++k) {
        part_.elsewhere.clear();
        for (std::size_t other = 0; other < groups.size(); ++other)
            if (other != k)
                part_.elsewhere.insert(groups[other].begin(), groups[other].end());
        part_.another = k + 1 < groups.size();
        map(*i.map, b, out);
    }
    part_.elsewhere.clear();
    part_.another = false;
}

void ItemReverser::step(const Step &s, Body &b, std::vector<Item> &out) {
    if (!canHaveGradients(s) || !writesOnce(s, b))
        return;
    if (s.isCopy())
        return reverseCopy(*this, s, b, out);
    const Node &n = *s.nodes.front();
    if (s.nodes.size() > 1)
        return fail(obstacleOfScope(n), n);
    if (!userRuleOf(n).empty())
        return reverseByUserRule(*this, s, n, b, out, context_);
    if (const auto *t = dyn_cast<Tasklet>(&n))
        return reverseTasklet(*this, s, *t, b, out);
    if (const auto *inner = dyn_cast<NestedSDFGNode>(&n))
        return reverseNested(*this, s, *inner, b, out);
    reverseLibraryNode(*this, s, *cast<LibraryNode>(&n), b, out);
}

// ---- used by rules

bool ItemReverser::isActive(const Use &u) const {
    return !part_.elsewhere.count(&u) && activity_.isActive(u.memory) && isReal(maker_.sdfg().desc(u.data)->dtype);
}

std::optional<Use> ItemReverser::value(const Use &read, Name connector, Body &body) {
    for (Body *b = &body; b; b = b->outer)
        if (isComputedAgain(read, *b)) {
            const bool changes = program_.isOverwrittenInIteration(read, b->map);
            // If an item writes, reads and overwrites a value, the value does not exist before the item.
            const Item &item = (*b->items)[positionOf(*b->items, read)];
            const bool insideOf = changes && item.map && program_.isRewrittenIn(item, read);
            if (b->map && (insideOf || request_.strategy.of(read.data) == Keep::Store)) {
                auto stored = values_.ofLocal(read, connector, *b->map);
                failed_ |= !stored;
                return stored;
            }
            if (insideOf)
                break;
            Use out = read;
            out.connector = connector;
            out.node = 0;
            b->recomputed.needed.insert(read.data);
            if (changes)
                out = maker_.read(saved(read, *b), *subsetOf(read), connector);
            return out;
        }
    const auto out = values_.of(read, connector);
    failed_ |= !out;
    return out;
}

std::optional<Use> ItemReverser::resultValue(const Use &written, Name connector, Body &body) {
    for (Body *b = &body; b; b = b->outer)
        if (isComputedAgain(written, *b)) {
            if (b->map && request_.strategy.of(written.data) == Keep::Store) {
                auto stored = values_.ofLocal(written, connector, *b->map);
                failed_ |= !stored;
                return stored;
            }
            b->recomputed.needed.insert(written.data);
            if (!program_.isOverwrittenInIteration(written, b->map))
                return maker_.read(written.data, *subsetOf(written), connector);
            fail({diag::Id::GradientStore, written.data.str(), "it is overwritten in the same iteration", "use another container"},
                 *written.access);
            return std::nullopt;
        }
    const auto out = values_.ofResult(written, connector);
    failed_ |= !out;
    return out;
}

namespace {

bool isOfThreads(const nest::Map &m) {
    return m.entry->schedule == Schedule::GPU_ThreadBlock || m.entry->schedule == Schedule::GPU_ThreadBlock_Dynamic;
}

} // namespace

Use ItemReverser::gradient(const Use &of, UseKind kind, Name connector, Body &body) {
    Use u = gradients_.use(of, kind, connector);
    for (Body *b = &body; b; b = b->outer)
        if (b->cleared.of.count(of.data) && !gradients_.isShared(of.data)) {
            if (b->inScope())
                b->own.made.insert(u.data);
            if (!b->cleared.stored.count(u.data))
                b->cleared.gradients.insert(u.data);
            localGradients_.insert(u.data);
            // A container private to a thread in shared memory of the block: each thread clears all of it.
            if (DataDesc &d = *maker_.sdfg().desc(u.data); b->inScope() && d.storage == Storage::GPU_Shared && isOfThreads(*b->map))
                d.storage = Storage::Register;
        }
    return u;
}

bool ItemReverser::mustClear(const Use &write, Body &body) {
    if (write.kind != UseKind::Write)
        return false;
    const PrimalProgram::Writers writers = program_.writersOf(write.memory);
    if (part_.another) { // the last part clears; all parts need the gradients of private containers
        if (writers.count == 1 && isLocal(write.data, body))
            storesFirstTerm(write, body);
        return false;
    }
    const auto [known, isNew] = clears_.try_emplace(&write, true);
    if (!isNew)
        return known->second;
    const auto names = [&](const std::vector<Name> &list) {
        return std::any_of(list.begin(), list.end(),
                           [&](Name n) { return maker_.memories().of(maker_.sdfg(), n) == write.memory; });
    };
    const bool another = writers.count > 1 || writers.inLoop || names(request_.wrt) || (request_.isNested && names(request_.of));
    return known->second = another && !(writers.count == 1 && (storesFirstTerm(write, body) || beginsWithZero(write, body)));
}

Body *Body::ownerOf(Name data) {
    Body *b = this;
    while (b && !b->own.ofProgram.count(data))
        b = b->outer;
    return b;
}

bool ItemReverser::isLocal(Name data, const Body &body) {
    const Body *owner = body.ownerOf(data);
    return owner && owner->inScope();
}

bool ItemReverser::beginsWithZero(const Use &write, const Body &body) const {
    const Body *owner = body.ownerOf(write.data);
    return owner && gradients_.has(write.data) && owner->cleared.gradients.count(gradients_.of(write.data));
}

/// For a container private to an iteration: is the first term of its gradient a store, or can it become one?
bool ItemReverser::storesFirstTerm(const Use &write, Body &body) {
    Body *owner = body.ownerOf(write.data);
    if (!owner || maker_.sdfg().desc(write.data)->isView())
        return false;
    const Name gradient = gradients_.of(write.data);
    if (!maker_.sdfg().desc(gradient)->transient) // a result of a nested SDFG: its gradient starts with the caller's value
        return false;
    for (Item &i : owner->reversed)
        if (const FirstTerm found = storeFirstTerm(i, gradient, *maker_.sdfg().desc(gradient)); found != FirstTerm::None) {
            if (found == FirstTerm::Stored) {
                owner->cleared.stored.insert(gradient);
                owner->cleared.gradients.erase(gradient);
            }
            return found == FirstTerm::Stored;
        }
    return false;
}

Name ItemReverser::temporary(std::string_view name, const DataDesc &like, std::vector<sym::Expr> shape, Body &body) {
    const Name out = maker_.transient(name, like, std::move(shape));
    if (body.inScope())
        body.own.made.insert(out);
    return out;
}

void ItemReverser::clear(const Use &write, Body &body, std::vector<Item> &out) {
    if (!mustClear(write, body))
        return;
    const Use g = gradient(write, UseKind::Write, {}, body);
    out.push_back(maker_.fill(g.data, *g.subset, "0", body.inScope()));
}

void ItemReverser::fail(diag::Message message, const Node &at) {
    diag::Location place = analysis::placeOf(at);
    place.file = context_.options.file;
    context_.diags.report(std::move(message), place);
    failed_ = true;
}

} // namespace sdfgc::transforms::gradient
