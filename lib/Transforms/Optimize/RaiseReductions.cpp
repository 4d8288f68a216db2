#include "Transforms/Optimize/RaiseReductions.h"

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

/// The operand combined with the old value, and the function.
struct Combination {
    std::string wcr;
    py::ExprRef other;
};

/// The value that a tasklet assigns to an output, if that is all it does.
py::ExprRef valueOf(const Tasklet &t, Name output) {
    if (t.code.language != Language::Python)
        return nullptr;
    const auto block = py::parseBlockOrRaw(t.code.text);
    if (block.size() != 1 || block[0]->kind != py::StmtKind::Assign || block[0]->targets.size() != 1 ||
        block[0]->targets[0]->kind != py::ExprKind::Name || block[0]->targets[0]->name != output)
        return nullptr;
    return block[0]->value;
}

/// The operands of a chain of one operator.
void operandsOf(const py::ExprRef &e, py::Op op, std::vector<py::ExprRef> &out) {
    if (e->kind == py::ExprKind::Binary && e->op == op) {
        operandsOf(e->args[0], op, out);
        operandsOf(e->args[1], op, out);
    } else {
        out.push_back(e);
    }
}

/// The function of the old value that a chain, or `min(a, b)`, computes, with the other operands.
std::optional<std::pair<std::string, std::vector<py::ExprRef>>> chainOf(const py::ExprRef &e) {
    std::vector<py::ExprRef> operands;
    if (e->kind == py::ExprKind::Call && e->args.size() == 3 && e->keywords.empty() && e->args[0]->kind == py::ExprKind::Name &&
        (e->args[0]->name == Name("min") || e->args[0]->name == Name("max")))
        return std::pair{"lambda a, b: " + e->args[0]->name.str() + "(a, b)", std::vector{e->args[1], e->args[2]}};
    if (e->kind != py::ExprKind::Binary)
        return std::nullopt;
    static const std::map<py::Op, std::string> functions{{py::Op::Add, "a + b"},
                                                         {py::Op::Mul, "a * b"},
                                                         {py::Op::BitAnd, "a & b"},
                                                         {py::Op::BitOr, "a | b"},
                                                         {py::Op::BitXor, "a ^ b"}};
    const auto function = functions.find(e->op);
    if (function == functions.end())
        return std::nullopt;
    operandsOf(e, e->op, operands);
    return std::pair{"lambda a, b: " + function->second, std::move(operands)};
}

/// Does `value` combine `old`, of type `type`, with an integer expression? Combining must keep the type of the
/// computation: each of several operands must have the element's type.
std::optional<Combination> combinationOf(const py::ExprRef &value, Name old, Type type, const Tasklet &t, const SDFG &g) {
    const auto chain = chainOf(value);
    if (!chain)
        return std::nullopt;
    py::Env env;
    env.typeOf = [&](Name n) -> std::optional<Type> {
        if (const Connector *c = t.inConnector(n))
            return c->type;
        const Type *s = g.symbols.find(n);
        return s ? std::optional(*s) : Type(ScalarKind::Int64); // a parameter of a map or loop
    };
    const auto isOld = [old](const py::ExprRef &e) { return e->kind == py::ExprKind::Name && e->name == old; };
    const bool exact = chain->second.size() > 2 || value->kind == py::ExprKind::Call;
    py::ExprRef other;
    int olds = 0;
    for (const py::ExprRef &e : chain->second) {
        if (isOld(e)) {
            ++olds;
            continue;
        }
        const Type own = py::inferTypes(py::resolveModules(e, env), env)->type;
        if (py::freeNames(*e).count(old) || !own.isInteger() || (exact && !(own == type)))
            return std::nullopt;
        other = other ? py::binary(value->op, other, e) : e;
    }
    return olds == 1 && other ? std::optional(Combination{chain->first, other}) : std::nullopt;
}

/// A tasklet at the top of a loop's body.
const Tasklet *taskletOf(const Item &i) {
    return i.step && i.step->nodes.size() == 1 ? dyn_cast<Tasklet>(i.step->nodes.front()) : nullptr;
}

/// Do the connectors of a tasklet have the element type of the container?
bool seeType(const Tasklet &t, Name input, Name output, Type type) {
    const Connector *in = t.inConnector(input), *out = t.outConnector(output);
    return in && out && (!in->type || in->type == type) && (!out->type || out->type == type);
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
    if (update.kind != UseKind::Update || !d || !d->dtype.isInteger())
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
    const std::optional<Combination> combination =
        value && seeType(*t, old, out, d->dtype) ? combinationOf(value, old, d->dtype, *t, g) : std::nullopt;
    if (!combination)
        return false;

    auto update = std::shared_ptr<Tasklet>(cast<Tasklet>(ir::clone(*t).release()));
    update->code.text = out.str() + " = " + py::print(*combination->other);
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
