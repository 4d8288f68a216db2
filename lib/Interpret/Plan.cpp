#include "Plan.h"

#include "Values.h"

#include "sdfgc/Diag/Kinds.h"

#include <cstring>

namespace sdfgc::interpret {

void Container::measure(Machine &m) {
    if (!layout.total || (layout.isFixed && total > 0))
        return;
    layout.code.run(m);
    const auto values = [](const std::vector<const int64_t *> &from, std::vector<int64_t> &to) {
        to.resize(from.size());
        for (std::size_t d = 0; d < from.size(); ++d)
            to[d] = *from[d];
    };
    values(layout.shape, shape);
    values(layout.strides, strides);
    values(layout.offset, offset);
    total = *layout.total;
    if (total < 0) {
        if (desc->alias == ir::AliasKind::None) // else nothing is allocated
            m.report(FaultKind::NegativeSize, nullptr, "`" + name.str() + "` has a size of " + std::to_string(total));
        total = 0;
    }
}

void Container::allocate(Machine &m) {
    measure(m);
    if (desc->isStream()) {
        int64_t count = 1;
        for (const int64_t n : shape)
            count *= std::max<int64_t>(n, 0);
        queues = std::make_shared<std::vector<Queue>>(static_cast<std::size_t>(count));
        return;
    }
    const int64_t elements = std::max<int64_t>(total, 1);
    start = layout.start ? *layout.start * unit : 0;
    if (buffer && buffer.use_count() == 1 && buffer->unit == unit && buffer->bytes == elements * unit)
        buffer->forget();
    else
        buffer = std::make_shared<Buffer>(name, elements, std::max<int64_t>(unit, 1));
    if (zeroed) {
        std::fill_n(buffer->memory, buffer->bytes, std::byte(0));
        buffer->cells.assign(buffer->cells.size(), Cell{m.order.now, 0, never});
    }
    buffer->isShared = desc->storage != ir::Storage::CPU_ThreadLocal;
}

std::size_t Container::queueAt(const Access &x) const {
    int64_t at = 0;
    for (std::size_t d = 0; d < x.index.size() && d < strides.size(); ++d)
        at += (*x.index[d] + offset[d]) * strides[d];
    return firstQueue + static_cast<std::size_t>(std::max<int64_t>(at, 0));
}

void Body::run(Machine &m) {
    for (Container *c : fresh)
        c->allocate(m);
    if (precedence_.isChain()) {
        for (const auto &s : steps)
            s->run(m);
        return;
    }
    m.order.enterGraph(precedence_, starts_);
    for (std::size_t k = 0; k < steps.size(); ++k) {
        m.order.step(k);
        steps[k]->run(m);
    }
    m.order.leave();
}

// ---------------------------------------------------------------------------------------------------- names

Operand Scope::read(Builder &b, Name name) {
    if (const auto p = parameters.find(name); p != parameters.end())
        return p->second;
    if (outer_)
        return outer_->read(b, name);
    if (const auto s = graph.symbols.find(name); s != graph.symbols.end())
        return s->second;
    if (name.view().find('.') != std::string_view::npos || graph.container(name)) { // a scalar, or the only element
        py::Expr subscript;
        subscript.kind = py::ExprKind::Subscript;
        subscript.args.push_back(py::name(name));
        return element(b, subscript);
    }
    return {};
}

namespace {

/// `A.b.c` as one name; nothing for other expressions.
std::optional<std::string> dotted(const py::Expr &e) {
    if (e.kind == py::ExprKind::Name)
        return e.name.str();
    if (e.kind == py::ExprKind::Subscript && e.args.size() == 2 && e.args[1]->kind == py::ExprKind::Int && e.args[1]->text == "0")
        return dotted(*e.args[0]); // of the Fortran front end: `s[0].x`
    if (e.kind != py::ExprKind::Attribute)
        return std::nullopt;
    const auto base = dotted(*e.args[0]);
    return base ? std::optional(*base + "." + e.name.str()) : std::nullopt;
}

} // namespace

Operand Scope::element(Builder &b, const py::Expr &e) {
    const auto path = dotted(e.kind == py::ExprKind::Subscript ? *e.args[0] : e);
    Container *c = path ? graph.container(Name(*path)) : nullptr;
    if (!c)
        return {};
    std::vector<py::ExprRef> indices;
    if (e.kind == py::ExprKind::Subscript)
        indices.assign(e.args.begin() + 1, e.args.end());
    if (indices.size() == 1 && indices[0]->kind == py::ExprKind::Tuple)
        indices = std::vector<py::ExprRef>(indices[0]->args);
    const std::size_t rank = c->desc->isScalar() ? 0 : c->desc->rank();
    static const int64_t zero = 0;
    const auto x = std::make_shared<Access>();
    x->container = c;
    x->index.assign(c->desc->rank(), &zero);
    if (!indices.empty() && indices.size() != c->desc->rank())
        return b.refuse("a subscript of `" + *path + "` with " + std::to_string(indices.size()) + " indices for " +
                        std::to_string(rank) + " dimensions");
    for (std::size_t d = 0; d < indices.size(); ++d)
        x->index[d] = &as<int64_t>(b.convert(b.expression(*indices[d]), ScalarKind::Int64).at);
    x->site = b.site();
    b.keep(x);
    return b.load(x.get(), c->type);
}

bool Scope::knows(Name name) const {
    if (parameters.count(name))
        return true;
    return outer_ ? outer_->knows(name) : graph.symbols.count(name) || graph.container(name);
}

Operand Scope::address(Builder &b, Name name) {
    Container *c = parameters.count(name) ? nullptr : graph.container(name);
    if (!c)
        return {};
    static const int64_t zero = 0;
    const auto x = std::make_shared<Access>();
    x->container = c;
    x->index.assign(c->desc->rank(), &zero);
    b.keep(x);
    return b.addressOf(x.get(), c->type);
}

std::optional<Type> Scope::typeOf(Name name) const {
    if (const auto p = parameters.find(name); p != parameters.end())
        return p->second.type;
    if (outer_)
        return outer_->typeOf(name);
    if (const auto s = graph.symbols.find(name); s != graph.symbols.end())
        return s->second.type;
    const Container *c = graph.container(name);
    return c ? std::optional(c->type) : std::nullopt;
}

std::optional<Type> Scope::structure(Name name) const {
    const auto within = [&](Type t) { return t.isStruct() && t.name() == name; };
    for (const Graph *g = &graph; g; g = g->outer)
        for (const auto &[container, d] : g->sdfg.arrays) {
            const Type t = d.dtype.isPointer() ? d.dtype.element() : d.dtype;
            if (within(t))
                return t;
        }
    return std::nullopt;
}

// ---------------------------------------------------------------------------------------------------- graphs

Graph::Graph(Planner &planner, const ir::SDFG &sdfg, Graph *outer) : sdfg(sdfg), outer(outer) {
    for (const auto &[symbol, type] : analysis::definedSymbols(sdfg))
        symbols[symbol].type = type;
    for (const auto &[symbol, type] : sdfg.symbols)
        symbols[symbol].type = type;
    for (const Name symbol : analysis::requiredSymbols(sdfg))
        symbols[symbol];
    if (sdfg.parentNode)
        for (const auto &[symbol, value] : sdfg.parentNode->symbolMapping)
            symbols[symbol];
    for (const auto &[constant, value] : sdfg.constants) // the constant wins
        symbols.erase(constant);
    const analysis::SymbolTypes types(sdfg);
    for (auto &[symbol, value] : symbols) {
        const Type *declared = sdfg.symbols.find(symbol);
        Type t = declared && *declared ? *declared : types.of(symbol);
        if (t.isVoid() || (t.isInteger() && t.scalar() != ScalarKind::UInt64))
            t = ScalarKind::Int64; // arithmetic on symbols has 64 bits
        value = {t, planner.machine.allocate(std::max<int64_t>(sizeOf(t), 16))};
    }
    defineConstants(planner);
    defineContainers(planner);
    flow_ = planner.flow(*this, sdfg);
}

Graph::~Graph() = default;

Container *Graph::make(Planner &p, Name name, const ir::DataDesc &d, Scope &scope) {
    auto &c = containers_[name];
    c = std::make_unique<Container>();
    c->name = name;
    c->desc = &d;
    c->type = d.isStructure() && d.dtype.isPointer() ? d.dtype.element() : d.dtype;
    c->unit = sizeOf(c->type);
    for (const auto &[member, desc] : d.members)
        make(p, Name(name.str() + "." + member.str()), *desc, scope);
    return c.get();
}

void Graph::defineContainers(Planner &p) {
    for (const auto &[name, d] : sdfg.arrays) {
        if (sdfg.constants.contains(name))
            continue;
        if (d.isContainerArray() || d.kind == ir::DataKind::ProcessGrid || d.kind == ir::DataKind::SubArray ||
            d.kind == ir::DataKind::RedistrArray)
            p.refuse(ir::elementName(sdfg), "the container `" + name.str() + "`, a " +
                                                (d.isContainerArray() ? "container array" : "distributed descriptor"));
        make(p, name, d, top);
    }
    findHomes();
    std::set<Name> changing;
    for (const auto &[symbol, type] : analysis::definedSymbols(sdfg))
        changing.insert(symbol);
    for (const auto &[name, c] : containers_) {
        const ir::DataDesc *d = sdfg.arrays.find(ir::ownerOf(name));
        if (!d || sdfg.constants.contains(name) || d->isView() || homed_.count(ir::ownerOf(name)))
            continue;
        p.layOut(*c, top, ir::elementName(sdfg));
        const std::set<Name> mentioned = c->desc->freeSymbols();
        if (std::any_of(mentioned.begin(), mentioned.end(), [&](Name n) { return changing.count(n) != 0; }))
            changing_.insert(c.get());
        if (d->isReference())
            continue;
        const bool kept =
            d->lifetime == ir::Lifetime::Persistent || d->lifetime == ir::Lifetime::Global || d->lifetime == ir::Lifetime::External;
        (!d->transient ? arguments_ : kept ? kept_ : ownEachTime_).push_back(c.get());
    }
}

namespace {

/// The innermost entry around both nodes; null: the state.
const ir::Node *commonScope(const analysis::ScopeTree &scopes, const ir::Node *a, const ir::Node *b) {
    while (a && !(a == b || scopes.encloses(a, b)))
        a = scopes.scopeOf(a);
    return a;
}

} // namespace

/// Transients of one state live in the innermost scope around all their nodes, and are new each time; those of several states, and
/// those that control flow reads, live as long as the graph runs.
void Graph::findHomes() {
    struct Home {
        const ir::State *state;
        const ir::Node *entry;
        bool several = false;
    };
    std::map<Name, Home> homes;
    for (const ir::State *s : ir::allStates(sdfg)) {
        const analysis::ScopeTree scopes(*s);
        for (const auto &n : s->nodes()) {
            const auto *access = dyn_cast<ir::AccessNode>(n.get());
            if (!access)
                continue;
            const Name name = ir::ownerOf(access->data);
            if (access->setZero)
                if (Container *c = container(access->data))
                    c->zeroed = true;
            const auto [home, isNew] = homes.emplace(name, Home{s, scopes.scopeOf(access)});
            if (isNew)
                continue;
            home->second.several = home->second.several || home->second.state != s;
            if (!home->second.several)
                home->second.entry = commonScope(scopes, home->second.entry, access);
        }
    }
    const std::set<Name> read = analysis::containersReadByControlFlow(sdfg);
    for (const auto &[name, home] : homes) {
        const ir::DataDesc *d = sdfg.arrays.find(name);
        const bool scoped = d && (d->lifetime == ir::Lifetime::Scope || d->lifetime == ir::Lifetime::State);
        if (!scoped || !d->transient || d->alias != ir::AliasKind::None || home.several || read.count(name) ||
            sdfg.constants.contains(name))
            continue;
        homed_.insert(name);
        for (const auto &[member, c] : containers_)
            if (ir::ownerOf(member) == name)
                homes_[{home.state, d->lifetime == ir::Lifetime::State ? nullptr : home.entry}].push_back(c.get());
    }
}

std::vector<Container *> Graph::family(Name owner) const {
    std::vector<Container *> out;
    for (const auto &[name, c] : containers_)
        if (ir::ownerOf(name) == owner)
            out.push_back(c.get());
    return out;
}

std::vector<Container *> Graph::livingIn(const ir::State &s, const ir::Node *entry) const {
    const auto found = homes_.find({&s, entry});
    return found != homes_.end() ? found->second : std::vector<Container *>();
}

bool Graph::needsPreparation(Container &c) const {
    return !c.desc->isView() && !homed_.count(ir::ownerOf(c.name)) && containers_.count(c.name) &&
           !sdfg.constants.contains(ir::ownerOf(c.name)) &&
           (changing_.count(&c) || (c.desc->transient && c.desc->alias == ir::AliasKind::None));
}

void Graph::prepare(Machine &m, Container &c) {
    const bool exists = c.buffer || c.queues;
    if (!exists && c.desc->transient && c.desc->alias == ir::AliasKind::None) {
        c.allocate(m);
    } else if (changing_.count(&c)) {
        const int64_t before = c.total;
        c.measure(m);
        if (c.total != before && c.desc->transient && c.desc->alias == ir::AliasKind::None)
            c.allocate(m);
    }
}

Container *Graph::container(Name name) {
    if (const auto c = containers_.find(name); c != containers_.end())
        return c->second.get();
    if (outer && outer->sdfg.constant(name)) {
        for (Graph *g = outer; g; g = g->outer)
            if (g->sdfg.constants.contains(name))
                return g->container(name);
    }
    return nullptr;
}

Container *Graph::containerAt(const ir::AccessNode &n) {
    Container *c = container(n.data);
    if (!c || !c->desc->isView())
        return c;
    auto &view = views_[&n];
    if (!view) {
        view = std::make_unique<Container>();
        *view = {};
        view->name = c->name;
        view->desc = c->desc;
        view->type = c->type;
        view->unit = c->unit;
    }
    return view.get();
}

void Graph::enter(Machine &m) {
    for (Container *c : arguments_)
        c->measure(m);
    for (Container *c : ownEachTime_) { // those whose size is not known yet get their memory where they are used first
        if (changing_.count(c)) {
            c->buffer.reset();
            c->queues.reset();
        } else {
            c->allocate(m);
        }
    }
    for (Container *c : kept_)
        if (!c->buffer && !c->queues)
            c->allocate(m);
}

void Graph::run(Machine &m) { flow_->run(m); }

// ---------------------------------------------------------------------------------------------------- constants

namespace {

/// The values of nested lists in row-major order, or the one value.
void flatten(const json::Value &v, std::vector<const json::Value *> &out) {
    if (!v.isArray()) {
        out.push_back(&v);
        return;
    }
    for (const json::Value &item : v.items())
        flatten(item, out);
}

/// A value as Python has it: a number, `true`, or the text of either.
std::string pythonText(const json::Value &v) {
    const std::string &t = v.text();
    if (t == "true" || t == "false")
        return t == "true" ? "True" : "False";
    if (t == "NaN")
        return "nan";
    if (t == "Infinity" || t == "-Infinity")
        return t == "Infinity" ? "inf" : "-inf";
    return t;
}

} // namespace

void Graph::defineConstants(Planner &p) {
    for (const auto &[name, constant] : sdfg.constants) {
        Container *c = make(p, name, constant.desc, top);
        p.layOut(*c, top, ir::elementName(sdfg));
        c->allocate(p.machine);
        const json::Value *data = constant.value.isObject() ? constant.value.get("data") : &constant.value;
        std::vector<const json::Value *> values;
        if (data)
            flatten(*data, values);
        for (std::size_t k = 0; k < values.size() && k < c->buffer->cells.size(); ++k) {
            const auto parsed = py::parseExpr(pythonText(*values[k]));
            if (!parsed.value)
                continue;
            Builder b = p.builder(top, Division::Python, nullptr);
            const Operand v = b.convert(b.expression(**parsed.value), c->type);
            p.finish(b, ir::elementName(sdfg)).run(p.machine);
            std::copy_n(v.at, c->unit, c->buffer->memory + static_cast<int64_t>(k) * c->unit);
        }
        c->buffer->cells.assign(c->buffer->cells.size(), Cell{beforeTheCall, 0, never});
    }
}

// ---------------------------------------------------------------------------------------------------- the planner

void Planner::refuse(const std::string &element, const std::string &why) {
    diag::Location where;
    where.file = machine.options.file;
    where.element = element;
    diags.report(diag::Id::NotInterpreted, where, why);
}

Code Planner::finish(Builder &b, const std::string &element) {
    Code code = b.take();
    if (!b.refusal().empty())
        refuse(element, b.refusal());
    return code;
}

const Site *Planner::site(std::string element, std::string subset, const ir::DebugInfo &where) {
    sites_.push_back({std::move(element), std::move(subset), where});
    return &sites_.back();
}

const Site *Planner::site(const ir::Node &n, const ir::Memlet *m) {
    std::string subset;
    if (m && m->data)
        subset = m->data.str() + (m->subset ? "[" + m->subset->str() + "]" : "");
    return site(ir::elementName(n), subset, n.debugInfo);
}

Access *Planner::access(Container &c, const Site *site) {
    static const int64_t zero = 0;
    accesses_.push_back({&c, {}, site, false});
    Access &x = accesses_.back();
    x.index.assign(c.desc->rank(), &zero);
    return &x;
}

Access *Planner::access(Builder &b, Container &c, const sym::Subset *subset, const Site *site) {
    Access *x = access(c, site);
    if (subset && subset->rank() == x->index.size() && !c.desc->isScalar())
        for (std::size_t d = 0; d < subset->rank(); ++d)
            x->index[d] = b.integer(subset->dims[d].begin);
    return x;
}

namespace {

Container *containerAtEnd(Scope &scope, const ir::Edge &e, const ir::Node *end) {
    Container *c = nullptr;
    if (const auto *access = dyn_cast<ir::AccessNode>(end))
        c = scope.graph.containerAt(*access);
    else if ((end->isEntry() || end->isExit()) && e.memlet.data)
        return scope.graph.container(e.memlet.data);
    // A memlet may name a member of the structure that it is about.
    if (c && c->desc->isStructure() && e.memlet.data && e.memlet.data != c->name &&
        ir::ownerOf(e.memlet.data) == ir::ownerOf(c->name))
        if (Container *member = scope.graph.container(e.memlet.data))
            return member;
    return c;
}

} // namespace

Container *Planner::containerAtSource(Scope &scope, const ir::Edge &e) { return containerAtEnd(scope, e, ir::pathSource(&e)); }

Container *Planner::containerAtDestination(Scope &scope, const ir::Edge &e) {
    return containerAtEnd(scope, e, ir::pathDestination(&e));
}

std::optional<sym::Subset> Planner::subsetAtSource(const ir::Edge &e) {
    return isa<ir::AccessNode>(ir::pathSource(&e)) ? ir::sourceSubset(&e) : e.memlet.subset;
}

std::optional<sym::Subset> Planner::subsetAtDestination(const ir::Edge &e) {
    return isa<ir::AccessNode>(ir::pathDestination(&e)) ? ir::destinationSubset(&e) : e.memlet.subset;
}

void Planner::layOut(Container &c, Scope &scope, const std::string &element) {
    Builder b = builder(scope, symbolicDivision(), nullptr);
    const ir::DataDesc &d = *c.desc;
    static const int64_t one = 1, zero = 0;
    for (std::size_t k = 0; k < d.rank(); ++k) {
        c.layout.shape.push_back(b.integer(d.shape[k]));
        c.layout.strides.push_back(k < d.strides.size() ? b.integer(d.strides[k]) : &one);
        c.layout.offset.push_back(k < d.offset.size() ? b.integer(d.offset[k]) : &zero);
    }
    const bool one_ = d.isScalar() || d.isStructure();
    c.layout.total = one_ ? &one : d.isStream() ? b.integer(d.numElements()) : b.integer(d.totalSize);
    c.layout.start = d.transient && !one_ ? b.integer(d.startOffset) : nullptr;
    c.layout.code = finish(b, element);
    c.layout.isFixed = d.freeSymbols().empty(); // a symbol alone needs no code, but changes
}

} // namespace sdfgc::interpret
