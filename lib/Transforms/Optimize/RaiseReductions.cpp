#include "Transforms/Optimize/RaiseReductions.h"

#include "Transforms/Optimize/UpdateFunctions.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Tasklet/Types.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::Item;
using nest::Step;
using nest::Use;
using nest::UseKind;

namespace {

/// Does `value` combine `old`, of type `type`, with an integer expression?
std::optional<UpdateFunction> combinationOf(const py::ExprRef &value, Name old, Type type, const Tasklet &t, const SDFG &g) {
    py::Env env;
    env.typeOf = [&](Name n) -> std::optional<Type> {
        if (const Connector *c = t.inConnector(n))
            return c->type;
        const Type *s = g.symbols.find(n);
        return s ? std::optional(*s) : Type(ScalarKind::Int64); // a parameter of a map or loop
    };
    return updateFunctionOf(value, old, type,
                            [&env](const py::ExprRef &e) { return py::inferTypes(py::resolveModules(e, env), env)->type; }, {});
}

/// A tasklet at the top of a loop's body.
const Tasklet *taskletOf(const Item &i) {
    return i.step && i.step->nodes.size() == 1 ? dyn_cast<Tasklet>(i.step->nodes.front()) : nullptr;
}

/// The steps at the top of a body that read and write a container; they may be the same.
struct Places {
    std::size_t read = 0, write = 0;
};

/// Nothing if the body has other uses of the container, or of memory that may alias it.
std::optional<Places> placesOf(const std::vector<Item> &body, Name container, const nest::Conflicts &items) {
    Places out;
    std::vector<const Use *> reads, writes, others;
    for (std::size_t k = 0; k < body.size(); ++k)
        for (const nest::PlacedUse &u : nest::usesOf(body[k])) {
            if (u.use->data != container) {
                others.push_back(u.use);
                continue;
            }
            if (body[k].map || u.use->kind == UseKind::Update || u.use->memlet.dynamic)
                return std::nullopt;
            (u.use->writes() ? writes : reads).push_back(u.use);
            (u.use->writes() ? out.write : out.read) = k;
        }
    if (reads.size() != 1 || writes.size() != 1 || out.read > out.write ||
        std::any_of(others.begin(), others.end(), [&](const Use *u) { return items.meet(*u, *writes.front()); }))
        return std::nullopt;
    return out;
}

Use &useOf(Step &s, Name data, bool writes) {
    return *std::find_if(s.uses.begin(), s.uses.end(), [&](const Use &u) { return u.data == data && u.writes() == writes; });
}

/// The scalar that a step copies an element to without conversion; empty if it does anything else.
Name copiedTo(const Item &i, Name container, const SDFG &g) {
    if (!i.step || i.step->uses.size() != 2 || !i.step->uses.back().writes())
        return {};
    const Name to = i.step->uses.back().data;
    const DataDesc *d = g.desc(to), *from = g.desc(container);
    if (!d || !from || !d->transient || !analysis::isPlain(d) || !d->totalSize.isOne() || !(d->dtype == from->dtype) ||
        to == container)
        return {};
    if (i.step->isCopy())
        return to;
    const Tasklet *t = taskletOf(i);
    const py::ExprRef value = t ? valueOf(*t, i.step->uses.back().connector) : nullptr;
    const Name in = i.step->uses.front().connector;
    const bool copies = value && value->kind == py::ExprKind::Name && value->name == in;
    return copies && seeType(*t, in, i.step->uses.back().connector, d->dtype) ? to : Name();
}

/// The scalar through which the old value is passed, if it has no other uses; empty otherwise.
Name scalarBetween(const std::vector<Item> &body, const Places &at, Name container, const SDFG &g,
                   const std::function<bool(Name)> &isPrivate) {
    const Name scalar = copiedTo(body[at.read], container, g);
    if (!scalar || !isPrivate(scalar))
        return {};
    std::size_t uses = 0;
    for (const Item &i : body)
        for (const nest::PlacedUse &u : nest::usesOf(i))
            uses += u.use->data == scalar;
    const std::vector<Use> &taken = body[at.write].step->uses;
    const bool isTaken =
        std::any_of(taken.begin(), taken.end(), [scalar](const Use &u) { return u.data == scalar && !u.writes(); });
    return uses == 2 && isTaken ? scalar : Name();
}

} // namespace

bool isFreeOfOrder(const Use &update, const SDFG &g) {
    const DataDesc *d = g.desc(update.data);
    if (update.kind != UseKind::Update || !d || !d->dtype.isInteger() || update.memlet.wcrNonatomic)
        return false;
    const auto wcr = py::parseWcr(update.memlet.wcr);
    if (!wcr.value)
        return false;
    switch (wcr.value->kind) {
    case py::Reduction::Min:
    case py::Reduction::Max:
    case py::Reduction::Sum:
    case py::Reduction::Product:
    case py::Reduction::BitAnd:
    case py::Reduction::BitOr:
    case py::Reduction::BitXor:
        return true;
    default:
        return false;
    }
}

bool isSumOfNumbers(const Use &update, const SDFG &g) {
    const DataDesc *d = g.desc(update.data);
    const auto wcr = py::parseWcr(update.memlet.wcr);
    return d && d->dtype.isNumeric() && wcr.value && wcr.value->kind == py::Reduction::Sum;
}

bool raiseReduction(std::vector<Item> &body, Name container, Name loopVariable, const nest::Conflicts &items, const SDFG &g,
                    const std::function<bool(Name)> &isPrivate) {
    const DataDesc *d = g.desc(container);
    const std::optional<Places> at = placesOf(body, container, items);
    if (!at || !analysis::isPlain(d) || d->mayAlias || !d->dtype.isInteger())
        return false;
    Item &writer = body[at->write], &reader = body[at->read];
    const Tasklet *t = taskletOf(writer);
    const Use &written = useOf(*writer.step, container, true), &read = useOf(*reader.step, container, false);
    if (!t || !written.certain || !written.subset || !read.subset || !(*written.subset == *read.subset) ||
        !written.subset->isOneElement() || written.subset->freeSymbols().count(loopVariable))
        return false;
    const Name from = at->read == at->write ? container : scalarBetween(body, *at, container, g, isPrivate);
    if (!from)
        return false;
    const Name old = useOf(*writer.step, from, false).connector, out = written.connector;
    const py::ExprRef value = valueOf(*t, out);
    const std::optional<UpdateFunction> combination =
        value && seeType(*t, old, out, d->dtype) ? combinationOf(value, old, d->dtype, *t, g) : std::nullopt;
    if (!combination)
        return false;

    auto update = std::shared_ptr<Tasklet>(cast<Tasklet>(ir::clone(*t).release()));
    update->code = out.str() + " = " + py::print(*combination->other);
    update->removeIn(old);
    Step &s = *writer.step;
    std::erase_if(s.uses, [&](const Use &u) { return u.connector == old && !u.writes(); });
    Use &updated = useOf(s, container, true);
    updated.kind = UseKind::Update;
    updated.certain = false;
    updated.memlet.wcr = combination->wcr;
    s.nodes = {update.get()};
    s.made = std::move(update);
    if (at->read != at->write)
        body.erase(body.begin() + static_cast<std::ptrdiff_t>(at->read));
    return true;
}

} // namespace sdfgc::transforms
