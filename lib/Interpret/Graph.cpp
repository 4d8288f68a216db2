// An SDFG: its symbols, its containers and their scopes, its constants.
#include "Plan.h"
#include "Values.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"

namespace sdfgc::interpret {

Graph::Graph(Planner &planner, const ir::SDFG &sdfg, Graph *outer) : sdfg(sdfg), outer(outer) {
    planner.graphs.push_back(this);
    defineSymbols(planner.machine);
    defineConstants(planner);
    defineContainers(planner);
    flow_ = planner.flow(*this, sdfg);
}

Graph::~Graph() = default;

// ---------------------------------------------------------------------------------------------------- symbols

/// Creates a register for each name that is assigned, declared, used, or mapped by the nested SDFG node; constants take precedence.
void Graph::defineSymbols(Machine &m) {
    std::set<Name> names = analysis::requiredSymbols(sdfg);
    for (const auto &[symbol, type] : analysis::definedSymbols(sdfg))
        names.insert(symbol);
    for (const auto &[symbol, type] : sdfg.symbols)
        names.insert(symbol);
    if (sdfg.parentNode)
        for (const auto &[symbol, value] : sdfg.parentNode->symbolMapping)
            names.insert(symbol);
    const analysis::SymbolTypes types(sdfg);
    for (const Name symbol : names) {
        if (sdfg.constants.contains(symbol))
            continue;
        const Type *declared = sdfg.symbols.find(symbol);
        Type t = declared && *declared ? *declared : types.of(symbol);
        if (t.isVoid() || (t.isInteger() && t.scalar() != ScalarKind::UInt64))
            t = ScalarKind::Int64; // arithmetic on symbols uses 64 bits
        symbols[symbol] = {t, m.allocate(std::max<int64_t>(sizeOf(t), 16))};
    }
}

// ---------------------------------------------------------------------------------------------------- containers

Container *Graph::make(Name name, const ir::DataDesc &d) {
    auto &c = containers_[name];
    c = std::make_unique<Container>(name, d);
    for (const auto &[member, desc] : d.members)
        make(Name(name.str() + "." + member.str()), *desc);
    return c.get();
}

namespace {

bool ownsMemory(const Container &c) { return c.desc->transient && c.desc->alias == ir::AliasKind::None; }

} // namespace

void Graph::defineContainers(Planner &p) {
    for (const auto &[name, d] : sdfg.arrays) {
        if (sdfg.constants.contains(name))
            continue;
        if (d.kind == ir::DataKind::ProcessGrid || d.kind == ir::DataKind::SubArray || d.kind == ir::DataKind::RedistrArray)
            p.refuse(ir::elementName(sdfg), "the container `" + name.str() + "`, a distributed descriptor");
        make(name, d);
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
        if (changing_.count(c.get()) || ownsMemory(*c))
            prepared_.insert(c.get());
        if (d->isReference())
            continue;
        const bool kept =
            d->lifetime == ir::Lifetime::Persistent || d->lifetime == ir::Lifetime::Global || d->lifetime == ir::Lifetime::External;
        (!d->transient ? arguments_ : kept ? kept_ : ownEachTime_).push_back(c.get());
    }
}

namespace {

/// The innermost entry that contains both nodes; null: the state.
const ir::Node *commonScope(const analysis::ScopeTree &scopes, const ir::Node *a, const ir::Node *b) {
    while (a && !(a == b || scopes.encloses(a, b)))
        a = scopes.scopeOf(a);
    return a;
}

} // namespace

/// Transients of a single state live in the innermost scope around all their nodes and are created anew each time; those used by
/// several states or read by control flow live as long as the graph runs.
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
        auto &living = homes_[{home.state, d->lifetime == ir::Lifetime::State ? nullptr : home.entry}];
        const std::vector<Container *> members = family(name);
        living.insert(living.end(), members.begin(), members.end());
    }
}

std::vector<Container *> Graph::family(Name owner) {
    std::vector<Container *> out;
    if (const auto c = containers_.find(owner); c != containers_.end())
        out.push_back(c->second.get());
    for (std::size_t k = 0; k < out.size(); ++k)
        for (const auto &[member, desc] : out[k]->desc->members)
            out.push_back(containers_.at(Name(out[k]->name.str() + "." + member.str())).get());
    return out;
}

std::vector<Container *> Graph::livingIn(const ir::State &s, const ir::Node *entry) const {
    const auto found = homes_.find({&s, entry});
    return found != homes_.end() ? found->second : std::vector<Container *>();
}

void Graph::prepare(Machine &m, Container &c) {
    const bool exists = c.buffer || c.queues;
    if (!exists && ownsMemory(c)) {
        c.allocate(m);
    } else if (changing_.count(&c)) {
        const int64_t before = c.total;
        c.measure(m);
        if (c.total != before && ownsMemory(c))
            c.allocate(m);
    }
}

void Graph::give(Machine &m, Container &c, std::byte *bytes, Memory memory) {
    const bool several = c.desc->isArray() || c.desc->isContainerArray();
    const int64_t elements = several ? c.total : std::max<int64_t>(c.total, 1), unit = std::max<int64_t>(c.unit, 1);
    c.start = 0;
    if (memory == Memory::Pointed)
        c.buffer = m.behind(bytes, c.name, elements * unit, unit);
    else if (bytes && memory == Memory::Open)
        c.buffer = std::make_shared<Buffer>(c.name, bytes, unit);
    else
        c.buffer = bytes ? std::make_shared<Buffer>(c.name, bytes, elements, unit) : nullptr;
    for (const auto &[name, desc] : c.desc->members) {
        Container *member = container(Name(c.name.str() + "." + name.str()));
        const auto at = offsetOf(c.type, name);
        if (!member || !at)
            continue;
        const bool pointer = c.type.field(name)->isPointer();
        give(m, *member, !bytes ? nullptr : pointer ? as<std::byte *>(bytes + *at) : bytes + *at, memory);
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
    if (!view)
        view = std::make_unique<Container>(c->name, *c->desc);
    return view.get();
}

void Graph::enter(Machine &m) {
    for (Container *c : arguments_)
        c->measure(m, !outer);          // a part of an empty subset may have a negative size: 2:N with N = 1
    for (Container *c : ownEachTime_) { // those of still unknown size get memory at their first use
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

void Graph::forget() {
    const auto forgets = [](Container &c) {
        c.buffer = nullptr;
        c.queues = nullptr;
        c.start = 0;
        c.firstQueue = 0;
    };
    for (const auto &[name, c] : containers_)
        if (!sdfg.constants.contains(name))
            forgets(*c);
    for (const auto &[node, view] : views_)
        forgets(*view);
}

// ---------------------------------------------------------------------------------------------------- constants

namespace {

/// The values of nested lists in row-major order, or a single value.
void flatten(const json::Value &v, std::vector<const json::Value *> &out) {
    if (!v.isArray()) {
        out.push_back(&v);
        return;
    }
    for (const json::Value &item : v.items())
        flatten(item, out);
}

/// A value in Python syntax: a number, `true`, or the text of either.
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
        Container *c = make(name, constant.desc);
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
        c->buffer->cells.assign(c->buffer->cells.size(), Cell{{beforeTheCall}, {}});
    }
}

} // namespace sdfgc::interpret
