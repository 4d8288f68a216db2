#include "Transforms/Optimize/BodyReductions.h"

#include "sdfgc/Analysis/Dependences/WcrReductions.h"
#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Conflicts.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::BodyUse;
using nest::UseKind;

BodyReductions::BodyReductions(LoopRegion &l, SDFG &g, analysis::Memories &memories, const UpdateOrder &order)
    : BodyTests(l, g), memories_(memories), order_(order) {}

bool BodyReductions::take(Reduction r) {
    if (r.isSymbol)
        symbols_.insert(r.name);
    all_.push_back(std::move(r));
    return true;
}

/// Notes the function of an update. Returns whether it is that of the others.
bool BodyReductions::agree(Reduction &r, const std::string &wcr) {
    if (r.wcr.empty())
        r.wcr = wcr;
    return kindOfUpdate(r.wcr) == kindOfUpdate(wcr);
}

// ---------------------------------------------------------------------------------------------------- symbols

bool BodyReductions::addSymbol(Name symbol) {
    const Type *type = g_.symbols.find(symbol);
    if (!type || !isUpdatable(*type) || symbol == loop_.variable || symbols_.count(symbol))
        return false;
    Reduction r;
    r.name = symbol;
    r.isSymbol = true;
    r.type = *type;
    r.assignments = assignmentsOf(symbol);
    if (r.assignments.empty())
        return false;
    for (const auto read : {&BodyReductions::setsSymbol, &BodyReductions::combinesSymbol, &BodyReductions::testsSymbol}) {
        Reduction form = r;
        if ((this->*read)(form) && !isReadOtherwise(form))
            return take(std::move(form));
    }
    return false;
}

std::vector<BodyReductions::Assignment> BodyReductions::assignmentsOf(Name symbol) const {
    std::vector<Assignment> out;
    for (Region *r : allRegions(loop_))
        for (const auto &e : r->edges())
            for (const auto &[name, text] : e->assignments)
                if (name == symbol)
                    out.push_back({r, e.get(), py::parseExprOrRaw(text)});
    return out;
}

bool BodyReductions::setsSymbol(Reduction &r) const {
    r.form = Form::Sets;
    r.constant = r.assignments.front().value;
    return isLiteral(*r.constant) && std::all_of(r.assignments.begin(), r.assignments.end(),
                                                 [&r](const Assignment &a) { return py::equal(*a.value, *r.constant); });
}

bool BodyReductions::combinesSymbol(Reduction &r) const {
    r.form = Form::Combines;
    for (Assignment &a : r.assignments) {
        if (collectsSymbol(a, r))
            continue;
        const auto f = updateFunctionOf(
            a.value, r.name, r.type, [this](const py::ExprRef &e) { return typeOf(e, nullptr); }, order_);
        if (!f || !agree(r, f->wcr))
            return false;
        a.value = f->other;
    }
    return std::none_of(r.assignments.begin(), r.assignments.end(), [&](const Assignment &a) {
        return a.begins && std::any_of(r.assignments.begin(), r.assignments.end(),
                                       [&](const Assignment &other) { return &other != &a && isBetween(other, a); });
    });
}

namespace {

/// The block of a region that contains another one.
const Block *blockIn(const Block *b, const Region &r) {
    while (b && b->parent() != &r)
        b = b->parent();
    const auto *arm = b && isa<Region>(b) ? cast<Region>(b)->conditional() : nullptr;
    return arm ? arm : b;
}

/// The position in a sequence of the block that contains another one; that of its end if there is none.
std::ptrdiff_t placeIn(const std::vector<Block *> &sequence, const Block *b, const Region &r) {
    return std::find(sequence.begin(), sequence.end(), blockIn(b, r)) - sequence.begin();
}

} // namespace

/// Does an assignment come between the beginning of another one, which collects values, and its end?
bool BodyReductions::isBetween(const Assignment &other, const Assignment &a) {
    const std::vector<Block *> blocks = analysis::sequenceOf(*a.region);
    const auto at = placeIn(blocks, other.edge->src, *a.region);
    return at >= placeIn(blocks, a.begins, *a.region) && at < placeIn(blocks, a.edge->src, *a.region);
}

/// Is it the end of `t = s; updates of t; s = t`, of which nothing but the updates may be left out?
bool BodyReductions::collectsSymbol(Assignment &a, const Reduction &r) const {
    const DataDesc *d = a.value->kind == py::ExprKind::Name ? g_.desc(a.value->name) : nullptr;
    auto *end = dyn_cast<State>(a.edge->src);
    if (!d || !end || !nest::isScratch(*d) || !d->isScalar() || !(d->dtype == r.type))
        return false;
    const Name scalar = a.value->name;
    State *begins = nullptr;
    for (State *s : allStates(loop_))
        for (const AccessNode *n : nodesOf<AccessNode>(*s)) {
            const auto *t = n->data == scalar && n->inEdges().size() == 1 ? dyn_cast<Tasklet>(n->inEdges().front()->src) : nullptr;
            if (!t || !n->inEdges().front()->memlet.wcr.empty())
                continue;
            const py::ExprRef value = valueOf(*t, n->inEdges().front()->srcConn);
            if (begins || !value || value->kind != py::ExprKind::Name || value->name != r.name || t->inConnector(r.name) ||
                s->nodes().size() != 2 || s->parent() != a.region)
                return false;
            begins = s;
        }
    if (!begins || !isUsedOnlyBetween(scalar, *begins, *end, *a.region))
        return false;
    a.begins = begins;
    a.collected = scalar;
    return true;
}

/// Are all uses of a scalar in the blocks of a sequence from one of its states to another one, and on the edge after that?
bool BodyReductions::isUsedOnlyBetween(Name scalar, const State &begins, const State &end, const Region &r) const {
    const std::vector<Block *> blocks = analysis::sequenceOf(const_cast<Region &>(r));
    const auto first = placeIn(blocks, &begins, r), last = placeIn(blocks, &end, r);
    if (blocks.empty() || first >= last)
        return false;
    for (const State *s : allStates(std::as_const(g_)))
        for (const AccessNode *n : nodesOf<AccessNode>(*s)) {
            const auto at = n->data == scalar ? placeIn(blocks, s, r) : last;
            if (at < first || at > last)
                return false;
        }
    std::size_t controlReads = 0;
    analysis::forEachControlRead(g_, [&](Name n, const Region &) { controlReads += n == scalar; });
    return controlReads == 1;
}

bool BodyReductions::isCollected(Name container) const {
    return std::any_of(all_.begin(), all_.end(), [container](const Reduction &r) {
        return std::any_of(r.assignments.begin(), r.assignments.end(),
                           [container](const Assignment &a) { return a.collected == container; });
    });
}

Name BodyReductions::incomplete() const {
    for (const Reduction &r : all_)
        for (const Assignment &a : r.assignments)
            if (!a.collected.empty() && !a.isCollectedOnly)
                return r.name;
    return {};
}

/// The scalar is assigned at the beginning, read at the end, and otherwise updated by one function.
bool BodyReductions::addCollected(Name scalar, const nest::LoopBody &body) {
    for (Reduction &r : all_)
        for (Assignment &a : r.assignments) {
            if (a.collected != scalar)
                continue;
            const analysis::Memory memory = memories_.of(g_, scalar);
            std::size_t written = 0, read = 0;
            for (const BodyUse &u : body.uses) {
                if (u.place.memory != memory)
                    continue;
                written += u.kind == UseKind::Write;
                read += u.kind == UseKind::Read;
                if (u.data != scalar || (u.kind == UseKind::Update && (u.wcr.empty() || !agree(r, u.wcr))))
                    return false;
            }
            a.isCollectedOnly = written == 1 && read == 1 && !r.wcr.empty() && analysis::hasClause(kindOfUpdate(r.wcr), r.type);
            return a.isCollectedOnly;
        }
    return false;
}

bool BodyReductions::testsSymbol(Reduction &r) const {
    r.form = Form::Tests;
    r.tests = testsOf(r.name);
    for (const Test &t : r.tests) {
        Region &arm = *t.block->branches()[t.arm].region;
        const State *s = onlyState(arm);
        if (!s || !s->nodes().empty() || assignmentsIn(arm) != 1 || !agree(r, functionOf(t)))
            return false;
        const auto a =
            std::find_if(r.assignments.begin(), r.assignments.end(), [&](const Assignment &x) { return x.region == &arm; });
        if (a == r.assignments.end() || !isSameValue(a->value, t.value) || !(typeOf(t.value, nullptr) == r.type))
            return false;
    }
    return !r.tests.empty() && r.tests.size() == r.assignments.size() && (!r.type.isFloat() || order_.extrema);
}

/// Does anything in the loop read the symbol, other than the updates themselves?
bool BodyReductions::isReadOtherwise(const Reduction &r) const {
    return readsSymbol(r.name, [&r](const Block &b) {
        return std::any_of(r.tests.begin(), r.tests.end(), [&b](const Test &t) { return t.block == &b; }) ||
               std::any_of(r.assignments.begin(), r.assignments.end(), [&b](const Assignment &a) { return a.begins == &b; });
    });
}

} // namespace sdfgc::transforms
