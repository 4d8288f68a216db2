#include "Transforms/Differentiate/Updates.h"

#include "Transforms/Differentiate/Signatures.h"
#include "Transforms/Differentiate/UserRules.h"
#include "Transforms/Differentiate/Values.h"

#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::Use;
using nest::UseKind;

namespace {

py::Reduction kindOf(const std::string &wcr) { return py::parseWcr(wcr).value.value_or(py::Wcr()).kind; }

/// The neutral value of an update, as text; nothing if there is none.
std::optional<std::string> neutral(py::Reduction kind, Type t) {
    const auto e = py::reductionIdentity(kind, t);
    return e ? std::optional(py::print(**e)) : std::nullopt;
}

/// `out = f(old, new)` for the lambda of an update, as code.
std::string applied(const std::string &wcr, Name out, Name old, Name value) {
    const py::Wcr w = *py::parseWcr(wcr).value;
    return py::print(py::substitute({py::assign(py::name(out), w.lambda->args[0])},
                                    {{w.lambda->params[0], py::name(old)}, {w.lambda->params[1], py::name(value)}}));
}

template <class N> std::shared_ptr<N> copyOf(const N &n) { return std::shared_ptr<N>(cast<N>(ir::clone(n).release())); }

/// Replaces the node of a step.
void setNode(Step &s, std::shared_ptr<Node> node) {
    s.nodes = {node.get()};
    s.made = std::move(node);
}

} // namespace

Name Updates::temporary(const Use &like, std::vector<sym::Expr> shape, Map *map) {
    const Name out = maker_.transient(like.data.str() + "_part", *maker_.sdfg().desc(like.data), std::move(shape));
    if (map)
        map->locals.insert(out);
    return out;
}

bool Updates::canBeReduced(py::Reduction kind) const {
    return (kind == py::Reduction::Product && mayReorder_) || kind == py::Reduction::Max || kind == py::Reduction::Min;
}

/// The map whose iterations own a container, or null.
Map *Updates::ownerOf(Name data) const {
    for (auto m = around_.rbegin(); m != around_.rend(); ++m)
        if ((*m)->locals.count(data))
            return *m;
    return nullptr;
}

/// The outermost map inside `owner`, or the outermost of all if that is null, among the maps around an update.
std::vector<Map *>::iterator Updates::firstInside(const Map *owner) {
    return owner ? std::find(around_.begin(), around_.end(), owner) + 1 : around_.begin();
}

/// Is this the only write to the container, so that it has no earlier value?
bool Updates::isTheOnlyWrite(const Use &u) const {
    const PrimalProgram::Writers writers = program_.writersOf(u.memory);
    const DataDesc *d = maker_.sdfg().desc(u.data);
    return writers.count == 1 && !writers.inLoop && d->transient && analysis::isPlain(d) && d->lifetime != Lifetime::Persistent;
}

void Updates::leave(std::vector<Item> &out) {
    const auto after = after_.find(around_.back());
    around_.pop_back();
    if (after == after_.end())
        return;
    for (Item &i : after->second)
        out.push_back(std::move(i));
    after_.erase(after);
}

void Updates::step(Item i, Map *map, std::vector<Item> &out) {
    Step &s = *i.step;
    if (s.isCopy()) {
        const Use &from = s.uses.front(), &to = s.uses.back();
        if (to.kind != UseKind::Update || isSum(to.memlet.wcr) || !takesPart_(to) || !subsetOf(from) || !subsetOf(to) ||
            !haveSameShape(*subsetOf(from), *subsetOf(to)) || program_.isShared(to, ownerOf(to.data)))
            return out.push_back(std::move(i));
        const Name value = temporary(to, subsetOf(to)->sizes(), map);
        out.push_back(maker_.copy(from, maker_.whole(UseKind::Write, value)));
        return combine(to, value, to.memlet.wcr, map, out);
    }
    if (s.nodes.size() == 1 && isa<Tasklet>(s.nodes.front()) && userRuleOf(*s.nodes.front()).empty())
        return tasklet(std::move(i), out);
    if (const auto *n = s.nodes.size() == 1 ? dyn_cast<LibraryNode>(s.nodes.front()) : nullptr)
        return node(std::move(i), *n, map, out);
    out.push_back(std::move(i));
}

/// `result = f(result, with)` for each element.
void Updates::combine(const Use &result, Name with, const std::string &wcr, Map *map, std::vector<Item> &out) {
    const Maker::Walk walk = maker_.walkOver(*subsetOf(result));
    const sym::Subset element = walk.elementOf(*subsetOf(result));
    const sym::Subset part = walk.elementOf(maker_.sdfg().desc(with)->fullSubset());
    const Name value = maker_.connector("__value"), old = maker_.connector("__old"), to = maker_.connector("__out");
    std::vector<Use> uses{maker_.read(with, part, value)};
    std::string code = to.str() + " = " + value.str();
    if (isSum(wcr)) {
        uses.push_back(maker_.part(result, UseKind::Update, element, to));
    } else {
        uses.push_back(maker_.part(result, UseKind::Read, element, old));
        uses.push_back(maker_.part(result, UseKind::Write, element, to));
        code = applied(wcr, to, old, value);
    }
    const std::string label = "combine_" + result.data.str();
    out.push_back(maker_.over(walk, label, maker_.tasklet(label, code, std::move(uses)), map));
}

// ---- tasklets

void Updates::tasklet(Item i, std::vector<Item> &out) {
    Step &s = *i.step;
    const auto *t = cast<Tasklet>(s.nodes.front());
    struct Found {
        std::size_t use;
        bool isShared;
    };
    std::vector<Found> found; // all queries about the program's uses come before the first change
    for (std::size_t k = 0; k < s.uses.size(); ++k) {
        const Use &u = s.uses[k];
        const Connector *c = u.writes() ? t->outConnector(u.connector) : nullptr;
        if (u.kind != UseKind::Update || isSum(u.memlet.wcr) || !takesPart_(u) || !t->code.isPython() || !c ||
            c->type.isPointer() || u.memlet.dynamic || !subsetOf(u) || !subsetOf(u)->isOneElement() ||
            usesAt(s, u.connector, true).size() != 1)
            continue;
        Map *owner = ownerOf(u.data);
        const bool isShared = program_.isShared(u, owner);
        if (!isShared || !program_.isUsedOtherwise(u, *firstInside(owner)))
            found.push_back({k, isShared});
    }
    bool changed = false;
    std::sort(found.begin(), found.end(),
              [](const Found &a, const Found &b) { return a.use > b.use; }); // so that positions stay valid
    for (const Found &f : found)
        changed |= f.isShared ? collect(s, f.use) : readBefore(s, f.use);
    out.push_back(changed ? Item{nullptr, std::make_unique<Step>(std::move(s))} : std::move(i));
}

/// `y *= f` becomes `y = old * f`, where `old` is the value of y.
bool Updates::readBefore(Step &s, std::size_t use) {
    const Use u = s.uses[use];
    auto t = copyOf(*cast<Tasklet>(s.nodes.front()));
    const Name old = maker_.connector("__old"), to = maker_.connector("__new");
    const Type type = t->outConnector(u.connector)->type;
    const std::string &before = t->code.text();
    t->code = before + (before.empty() || before.back() == '\n' ? "" : "\n") + applied(u.memlet.wcr, to, old, u.connector);
    std::erase_if(t->outConnectors, [&](const Connector &c) { return c.name == u.connector; });
    t->addIn(old, type);
    t->addOut(to, type);
    s.uses[use] = maker_.part(u, UseKind::Write, *subsetOf(u), to);
    s.uses.insert(s.uses.begin(), maker_.part(u, UseKind::Read, *subsetOf(u), old)); // before it is written
    setNode(s, std::move(t));
    return true;
}

namespace {

/// Stores what iterations of maps would combine with elements: an array with a dimension for each parameter, starting
/// with those that select the element.
class Parts {
public:
    /// The maps around the update, outermost first.
    Parts(std::vector<const Map *> maps, const sym::Assumptions &facts) : maps_(std::move(maps)), facts_(facts) {}

    sym::Subset result; // elements that are updated
    sym::Subset place;  // position of an iteration's value in the array
    std::vector<sym::Expr> shape;
    std::size_t kept = 0; // dimensions that are kept; the others are reduced

    /// False if the array is not a box, or if an element's dimensions are not given by one parameter each.
    bool describe(const sym::Subset &element) {
        result = element;
        std::set<Name> seen;
        for (sym::Range &d : result.dims) {
            const std::vector<Name> own = paramsIn(d);
            if (own.empty())
                continue;
            const sym::Expr shift = d.begin - sym::Expr::symbol(own.front());
            if (own.size() != 1 || shift.dependsOn(own.front()) || !seen.insert(own.front()).second || !add(own.front()))
                return false;
            const sym::Range &r = *rangeOf(own.front());
            d = {r.begin + shift, r.end + shift, 1, 1};
        }
        kept = shape.size();
        for (const Map *m : maps_)
            for (const Name p : m->params)
                if (!seen.count(p) && !add(p))
                    return false;
        return true;
    }

private:
    const sym::Range *rangeOf(Name p) const {
        for (const Map *m : maps_)
            if (const auto at = std::find(m->params.begin(), m->params.end(), p); at != m->params.end())
                return &m->ranges[static_cast<std::size_t>(at - m->params.begin())];
        return nullptr;
    }
    std::vector<Name> paramsIn(const sym::Range &r) const {
        std::vector<Name> out;
        for (const Name n : sym::Subset{{r}}.freeSymbols())
            if (rangeOf(n))
                out.push_back(n);
        return out;
    }
    bool add(Name p) {
        const sym::Range &r = *rangeOf(p);
        if (!r.step.isOne() || !r.tile.isOne() || !paramsIn(r).empty())
            return false;
        const sym::Expr at = sym::Expr::symbol(p) - r.begin;
        place.dims.push_back({at, at, 1, 1});
        const sym::Expr size = r.end - r.begin + 1; // negative for some maps without iterations
        shape.push_back(sym::isNonNegative(size, facts_) == sym::Truth::True ? size : sym::max({size, 0}));
        return true;
    }

    std::vector<const Map *> maps_;
    const sym::Assumptions &facts_;
};

} // namespace

/// If iterations of maps update the same element, each stores its factor in an array, which a Reduce node combines after the maps.
bool Updates::collect(Step &s, std::size_t use) {
    Use u = s.uses[use];
    const py::Reduction kind = kindOf(u.memlet.wcr);
    Map *owner = ownerOf(u.data);
    const auto first = firstInside(owner);
    const std::optional<std::string> identity = neutral(kind, maker_.sdfg().desc(u.data)->dtype);
    Parts parts({first, around_.end()}, program_.facts());
    if (first == around_.end() || !canBeReduced(kind) || !identity || !parts.describe(*subsetOf(u)))
        return false;
    const std::vector<sym::Expr> ofResult(parts.shape.begin(), parts.shape.begin() + static_cast<std::ptrdiff_t>(parts.kept));
    const Name factors = temporary(u, parts.shape, owner), value = temporary(u, ofResult, owner);
    s.uses[use] = maker_.write(factors, parts.place, u.connector);
    setNode(s, copyOf(*cast<Tasklet>(s.nodes.front())));
    std::vector<Item> &after = after_[*first];
    json::Value axes = json::Value::array();
    for (std::size_t k = parts.kept; k < parts.shape.size(); ++k)
        axes.push(static_cast<int64_t>(k));
    after.push_back(Maker::reduction("reduce_" + u.data.str(), u.memlet.wcr, &axes, *identity, maker_.whole(UseKind::Read, factors),
                                     maker_.whole(UseKind::Write, value), owner != nullptr));
    u.subset = parts.result;
    combine(u, value, u.memlet.wcr, owner, after);
    return true;
}

// ---- library nodes

/// If the result of a node is an update, or if the node is a Reduce node that combines with the old value and is not a sum, its own
/// contribution is computed first.
void Updates::node(Item i, const LibraryNode &n, Map *map, std::vector<Item> &out) {
    Step &s = *i.step;
    const auto at = std::find_if(s.uses.begin(), s.uses.end(), [](const Use &u) { return u.writes(); });
    const bool single = std::count_if(s.uses.begin(), s.uses.end(), [](const Use &u) { return u.writes(); }) == 1;
    if (!single || !takesPart_(*at) || !subsetOf(*at) || s.made)
        return out.push_back(std::move(i));
    const Use u = *at;
    const auto how = analysis::combinationOf(n);
    const bool isReduction = how && how->isReduction, isUpdate = u.kind == UseKind::Update, isOpen = isReduction && how->keepsOld();
    const std::string own = isReduction ? how->function : "";
    if (!isUpdate && !(isOpen && canBeReduced(kindOf(own))))
        return out.push_back(std::move(i));
    const std::optional<std::string> identity = isOpen ? neutral(kindOf(own), maker_.sdfg().desc(u.data)->dtype) : std::nullopt;
    const std::string wcr = isUpdate ? u.memlet.wcr : own;
    if ((isOpen && !identity) || (!isReduction && !libnodes::overwrites(n)) ||
        (!isSum(wcr) && program_.isShared(*at, ownerOf(u.data))))
        return out.push_back(std::move(i));
    auto node = copyOf(n);
    if (isOpen)
        node->properties.set("identity", json::Value(*identity));
    std::vector<Use> uses = s.uses;
    const bool isAll = !isUpdate && isTheOnlyWrite(u);
    const Name part = isAll ? Name() : temporary(u, u.subset ? u.subset->sizes() : subsetOf(u)->sizes(), map);
    if (!isAll)
        uses[static_cast<std::size_t>(at - s.uses.begin())] = maker_.whole(UseKind::Write, part, u.connector);
    out.push_back(Maker::step(std::move(node), std::move(uses)));
    if (!isAll)
        combine(u, part, wcr, map, out);
}

} // namespace sdfgc::transforms::gradient
