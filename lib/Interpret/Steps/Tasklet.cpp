// Tasklets: what connectors are (format reference 6.11, 6.12), and the code between the reads and the writes.
#include "../Plan.h"

#include "sdfgc/Tasklet/Types.h"

#include "../Values.h"

#include <cstring>

namespace sdfgc::interpret {

namespace {

/// A pop from a queue, or a push to it.
struct QueueAccess {
    Container *container;
    const Access *index;
    int64_t bytes;
};

const Instruction *popElement(const Instruction *i, Machine &m) {
    const auto &q = *static_cast<const QueueAccess *>(i->extra);
    std::memset(i->to, 0, static_cast<std::size_t>(q.bytes));
    const std::size_t at = q.container->queueAt(*q.index);
    if (!q.container->queues || at >= q.container->queues->size() || (*q.container->queues)[at].elements.empty()) {
        m.report(FaultKind::EmptyStream, q.index->site,
                 "an element is popped from `" + q.container->name.str() + "`, which is empty");
        return i + 1;
    }
    auto &elements = (*q.container->queues)[at].elements;
    std::memcpy(i->to, elements.front().data(), static_cast<std::size_t>(q.bytes));
    elements.pop_front();
    return i + 1;
}

const Instruction *pushElement(const Instruction *i, Machine &m) {
    const auto &q = *static_cast<const QueueAccess *>(i->extra);
    const std::size_t at = q.container->queueAt(*q.index);
    if (!q.container->queues || at >= q.container->queues->size())
        m.report(FaultKind::Outside, q.index->site, "there is no such queue of `" + q.container->name.str() + "`");
    else
        (*q.container->queues)[at].elements.emplace_back(i->a, i->a + q.bytes);
    return i + 1;
}

const Instruction *setReferenceTo(const Instruction *i, Machine &m) {
    auto &c = *static_cast<Container *>(const_cast<void *>(i->extra));
    const Pointer p = as<Pointer>(i->a);
    c.measure(m);
    c.buffer = p.buffer ? p.buffer->shared_from_this() : nullptr;
    c.start = p.offset;
    return i + 1;
}

struct Connection {
    Name name;
    Container *container = nullptr; // null: a value from or for another node
    const ir::Memlet *memlet = nullptr;
    std::optional<sym::Subset> subset;
    Type type;            // of the value, or of what a pointer points to
    bool pointer = false; // code may count its elements
    bool dynamic = false;
    bool stream = false;
    const Access *first = nullptr; // the first element of the subset
    Operand value;                 // read before the code; of an output: what the code has assigned
    py::ExprRef update;            // the function of a conflict resolution
    const QueueAccess *queue = nullptr;
    Operand old;                    // what the last update found
    Container *reference = nullptr; // an output that a reference is set to
};

class TaskletStep final : public Step {
public:
    explicit TaskletStep(Code code) : code_(std::move(code)) {}
    void run(Machine &m) override {
        m.order.task();
        code_.run(m);
    }

private:
    Code code_;
};

class TaskletNames final : public Names {
public:
    TaskletNames(Planner &p, Scope &scope, const ir::Tasklet &t)
        : p_(p), scope_(scope), t_(t), changed_(analysis::changedSymbols(t)) {}

    Code code() {
        Builder b = p_.builder(*this, p_.pythonDivision(), p_.site(t_));
        for (const ir::Edge *e : t_.inEdges())
            if (!e->memlet.isEmpty() || e->dstConn)
                input(b, *e);
        for (const ir::Edge *e : t_.outEdges())
            if (!e->memlet.isEmpty() || e->srcConn)
                output(b, *e);
        const auto parsed = py::parseBlock(t_.code.text);
        if (t_.code.language != ir::Language::Python || !parsed.value) {
            b.refuse("code that is not Python: `" + t_.code.text.substr(0, 60) + "`");
        } else {
            py::Env env;
            env.typeOf = [this](Name n) { return typeOf(n); };
            env.structByName = [this](Name n) { return scope_.structure(n); };
            b.block(py::resolveModules(*parsed.value, env));
        }
        for (const ir::Edge *e : t_.outEdges())
            if (e->srcConn)
                writeBack(b, *e);
        return p_.finish(b, ir::elementName(t_));
    }

    // ---- names in the code
    Operand read(Builder &b, Name name) override {
        if (Connection *c = find(inputs_, name))
            return valueOf(b, *c);
        if (Connection *c = find(outputs_, name)) {
            if (c->old) // of an update that may happen often: what was there before
                return c->old;
            if (c->value)
                return c->value;
            if (c->container && !c->stream)
                return c->pointer && !isOne(*c) ? b.addressOf(c->first, c->type) : b.load(c->first, c->type);
            return b.local(name);
        }
        return scope_.read(b, name);
    }
    Operand element(Builder &b, const py::Expr &e) override {
        if (e.kind != py::ExprKind::Subscript)
            return {};
        const Name name = e.args[0]->kind == py::ExprKind::Name ? e.args[0]->name : Name();
        Connection *c = find(inputs_, name);
        if (!c)
            c = find(outputs_, name);
        if (!c)
            return name && scope_.graph.sdfg.constant(name) ? scope_.element(b, e) : Operand();
        if (!c->container || c->stream || (c->type.isVector() && !c->pointer))
            return {};
        const Access *x = at(b, *c, e);
        if (x)
            return b.load(x, c->type);
        const Operand address = addressAt(b, *c, e);
        return address ? b.loadAt(address, c->type) : Operand();
    }
    bool store(Builder &b, const py::Expr &target, Operand value) override {
        const bool subscript = target.kind == py::ExprKind::Subscript && target.args[0]->kind == py::ExprKind::Name;
        const Name name = subscript ? target.args[0]->name : target.kind == py::ExprKind::Name ? target.name : Name();
        Connection *c = find(outputs_, name);
        if (!c)
            return storeSymbol(b, target, value);
        if (c->stream) {
            const Operand element = b.convert(value, c->type);
            b.emit({pushElement, nullptr, element.at, nullptr, 1, c->queue});
            return true;
        }
        if (!c->container)
            return false;
        if (!subscript && c->pointer && !isOne(*c) && value.type.isPointer())
            return true; // another address: no element is stored
        if (!subscript) {
            if (c->value)
                b.copy(c->value, b.convert(value, c->type));
            else
                c->old = put(b, *c, c->first, value);
            return true;
        }
        if (c->type.isVector() && !c->pointer)
            return false;
        if (const Access *x = at(b, *c, target)) {
            lastOld_ = put(b, *c, x, value);
            return true;
        }
        const Operand address = addressAt(b, *c, target);
        if (!address)
            return false;
        if (c->update) {
            const Operand old = lastOld_ = b.loadAt(address, c->type, true);
            b.storeAt(address, b.convert(b.apply(*c->update, {old, b.convert(value, c->type)}), c->type), true);
        } else {
            b.storeAt(address, b.convert(value, c->type));
        }
        return true;
    }
    bool isUpdate(const py::Expr &target) override {
        const bool subscript = target.kind == py::ExprKind::Subscript && target.args[0]->kind == py::ExprKind::Name;
        Connection *c = find(outputs_, subscript ? target.args[0]->name : target.kind == py::ExprKind::Name ? target.name : Name());
        return c && c->update && (subscript || !c->value);
    }
    Operand updated(const py::Expr &target) override {
        return target.kind == py::ExprKind::Name ? find(outputs_, target.name)->old : lastOld_;
    }
    bool knows(Name name) const override {
        const auto is = [&](const Connection &c) { return c.name == name; };
        if (std::any_of(inputs_.begin(), inputs_.end(), is))
            return true;
        if (const auto c = std::find_if(outputs_.begin(), outputs_.end(), is); c != outputs_.end())
            return c->container != nullptr; // for another node: a local, whose type the code tells
        return changed_.count(name) != 0;
    }
    std::optional<Type> structure(Name name) const override { return scope_.structure(name); }

private:
    static Connection *find(std::vector<Connection> &list, Name name) {
        const auto it = std::find_if(list.begin(), list.end(), [&](const Connection &c) { return c.name == name; });
        return name && it != list.end() ? &*it : nullptr;
    }
    static bool isOne(const Connection &c) { return !c.subset || c.subset->isOneElement() || c.container->desc->isScalar(); }

    std::optional<Type> typeOf(Name n) {
        Connection *c = find(inputs_, n);
        if (!c)
            c = find(outputs_, n);
        if (c)
            return c->type && c->pointer ? Type::pointer(c->type) : c->type;
        return scope_.typeOf(n);
    }

    void describe(Builder &b, Connection &c, const ir::Edge &e, Type declared, bool in) {
        c.memlet = &e.memlet;
        c.dynamic = e.memlet.dynamic;
        c.container = in ? Planner::containerAtSource(scope_, e) : Planner::containerAtDestination(scope_, e);
        if (!c.container) {
            c.type = declared;
            return;
        }
        c.subset = in ? Planner::subsetAtSource(e) : Planner::subsetAtDestination(e);
        c.stream = c.container->desc->isStream();
        c.first = p_.access(b, *c.container, c.subset ? &*c.subset : nullptr, p_.site(t_, &e.memlet));
        const_cast<Access *>(c.first)->allowOutside = e.memlet.allowOob;
        if (!declared)
            c.pointer = in ? !isOne(c) : !isOne(c) || (c.dynamic && e.memlet.wcr.empty());
        else
            c.pointer = declared.isPointer() && !(c.container->type.isPointer());
        c.type = !declared ? c.container->type : c.pointer ? declared.element() : declared;
        if (c.type.isVoid() || (c.pointer && !sizeOf(c.type)))
            c.type = c.container->type;
        if (c.container->desc->isStructure() || c.type.isOpaque())
            b.refuse("the connector `" + c.name.str() + "` of type " + c.type.str());
        if (c.stream) {
            queues_->push_back({c.container, c.first, sizeOf(c.container->type)});
            c.queue = &queues_->back();
            c.type = c.container->type;
        }
    }

    void input(Builder &b, const ir::Edge &e) {
        Connection c;
        c.name = e.dstConn;
        const ir::Connector *declared = t_.inConnector(e.dstConn);
        if (const auto element = p_.values.find({e.src, e.srcConn}); e.src->isEntry() && element != p_.values.end()) {
            c.value = element->second; // what a consume scope has popped
            c.type = c.value.type;
            inputs_.push_back(std::move(c));
            return;
        }
        describe(b, c, e, declared ? declared->type : Type(), true);
        if (!c.container) {
            const auto path = ir::memletPath(&e);
            const auto value = p_.values.find({path.front()->src, path.front()->srcConn});
            if (value == p_.values.end())
                b.refuse("the connector `" + c.name.str() + "`, which gets nothing");
            else
                c.value = c.type && !c.type.isPointer() ? b.convert(value->second, c.type) : value->second;
            c.type = c.value.type;
        } else if (c.stream) {
            if (!c.dynamic && e.memlet.volume.isOne())
                c.value = pop(b, c);
        } else if (!c.pointer && !c.dynamic) {
            c.value = b.load(c.first, c.type);
        }
        inputs_.push_back(std::move(c));
    }

    void output(Builder &b, const ir::Edge &e) {
        Connection c;
        c.name = e.srcConn;
        const ir::Connector *declared = t_.outConnector(e.srcConn);
        describe(b, c, e, declared ? declared->type : Type(), false);
        if (c.container && c.container->desc->isReference() && ir::memletPath(&e).back()->dstConn.view() == "set") {
            c.reference = std::exchange(c.container, nullptr);
            c.type = Type();
        }
        if (!e.memlet.wcr.empty()) {
            const auto lambda = py::parseExpr(e.memlet.wcr);
            py::Env env;
            env.typeOf = [](Name) { return std::optional<Type>(); };
            env.structByName = [this](Name n) { return scope_.structure(n); };
            if (lambda.value)
                c.update = py::resolveModules(*lambda.value, env);
            else
                b.refuse("the conflict resolution `" + e.memlet.wcr + "`");
        }
        if (c.container && !c.stream && !c.pointer && !c.dynamic)
            c.value = b.reserve(c.type);
        else if (!c.container && declared && declared->type && !declared->type.isPointer())
            c.type = declared->type;
        outputs_.push_back(std::move(c));
    }

    Operand pop(Builder &b, const Connection &c) {
        const Operand out = b.reserve(c.type);
        b.emit({popElement, out.at, nullptr, nullptr, 1, c.queue});
        return out;
    }

    Operand valueOf(Builder &b, Connection &c) {
        if (c.value)
            return c.value;
        if (c.stream)
            return pop(b, c);
        if (c.pointer && !isOne(c))
            return b.addressOf(c.first, c.type);
        return b.load(c.first, c.type);
    }

    /// Writes a value to an element, with the conflict resolution if there is one: then it returns what was there before. The lanes of
    /// a vector are combined before they update one element.
    Operand put(Builder &b, const Connection &c, const Access *x, Operand value) {
        Operand given = b.convert(value, c.type);
        if (!c.update) {
            b.store(x, given);
            return {};
        }
        Type t = c.type;
        if (t.isVector() && t.element() == c.container->type && isOne(c)) {
            t = t.element();
            Operand sum{t, given.at};
            for (int64_t k = 1; k < c.type.lanes(); ++k)
                sum = b.convert(b.apply(*c.update, {sum, Operand{t, given.at + k * sizeOf(t)}}), t);
            given = sum;
        }
        const Operand old = b.load(x, t, true);
        b.store(x, b.convert(b.apply(*c.update, {old, given}), t), true);
        return old;
    }

    bool storeSymbol(Builder &b, const py::Expr &target, Operand value) {
        if (target.kind != py::ExprKind::Name || !changed_.count(target.name))
            return false;
        const auto symbol = scope_.graph.symbols.find(target.name);
        if (symbol == scope_.graph.symbols.end())
            return false;
        b.copy(symbol->second, b.convert(value, symbol->second.type));
        return true;
    }

    static std::vector<py::ExprRef> indicesOf(const py::Expr &e) {
        std::vector<py::ExprRef> out(e.args.begin() + 1, e.args.end());
        if (out.size() == 1 && out[0]->kind == py::ExprKind::Tuple)
            out = std::vector<py::ExprRef>(out[0]->args);
        return out;
    }

    /// The element at a subscript: indices count along the dimensions of the subset that have more than one element, or along all of
    /// them. None where they do not, or where the elements of the connector are not those of the container.
    const Access *at(Builder &b, const Connection &c, const py::Expr &e) {
        const std::vector<py::ExprRef> indices = indicesOf(e);
        if (!(c.type == c.container->type) || !c.subset || c.container->desc->isScalar())
            return nullptr;
        std::vector<std::size_t> dims = c.subset->nonUnitDims();
        if (dims.size() != indices.size()) {
            dims.clear();
            for (std::size_t d = 0; d < c.subset->rank(); ++d)
                dims.push_back(d);
        }
        if (dims.size() != indices.size())
            return nullptr;
        Access *x = p_.access(*c.container, c.first->site);
        x->index = c.first->index;
        x->allowOutside = c.first->allowOutside;
        for (std::size_t k = 0; k < dims.size(); ++k) {
            const sym::Range &r = c.subset->dims[dims[k]];
            Operand i = b.convert(b.expression(*indices[k]), ScalarKind::Int64);
            if (!r.step.isOne())
                i = b.binary(
                    py::Op::Mul, i,
                    Operand{ScalarKind::Int64, const_cast<std::byte *>(reinterpret_cast<const std::byte *>(b.integer(r.step)))});
            const Operand start{ScalarKind::Int64,
                                const_cast<std::byte *>(reinterpret_cast<const std::byte *>(c.first->index[dims[k]]))};
            x->index[dims[k]] = &as<int64_t>(b.binary(py::Op::Add, start, i).at);
        }
        return x;
    }

    /// The address at a subscript with one index, counted in elements from the first one on.
    Operand addressAt(Builder &b, const Connection &c, const py::Expr &e) {
        const std::vector<py::ExprRef> indices = indicesOf(e);
        if (indices.size() != 1)
            return b.refuse("a subscript of `" + c.name.str() + "` with " + std::to_string(indices.size()) + " indices");
        return b.advance(b.addressOf(c.first, c.type), b.expression(*indices[0]));
    }

    void writeBack(Builder &b, const ir::Edge &e) {
        Connection *c = find(outputs_, e.srcConn);
        if (!c)
            return;
        if (c->reference) {
            const Operand address = b.local(c->name);
            if (address && address.type.isPointer())
                b.emit({setReferenceTo, nullptr, address.at, nullptr, 1, c->reference});
            else
                b.refuse("a reference that is set to no address");
        } else if (!c->container) {
            Operand value = b.local(c->name);
            if (value && c->type && !c->type.isPointer())
                value = b.convert(value, c->type);
            if (!value)
                b.refuse("the output `" + c->name.str() + "`, which nothing is assigned to");
            else
                p_.values[{&t_, c->name}] = value;
        } else if (c->value) {
            put(b, *c, c->first, c->value);
        }
    }

    Planner &p_;
    Scope &scope_;
    const ir::Tasklet &t_;
    const std::set<Name> changed_;
    std::vector<Connection> inputs_, outputs_;
    Operand lastOld_;
    std::shared_ptr<std::deque<QueueAccess>> queues_ = [this] {
        auto list = std::make_shared<std::deque<QueueAccess>>();
        p_.machine.queueAccesses.push_back(list);
        return list;
    }();
};

} // namespace

std::unique_ptr<Step> Planner::tasklet(Scope &scope, const ir::Tasklet &t) {
    if (t.code.empty())
        return nullptr;
    TaskletNames names(*this, scope, t);
    return std::make_unique<TaskletStep>(names.code());
}

} // namespace sdfgc::interpret
