// Tasklets: the meaning of connectors (format reference 6.11, 6.12), and the code between reads and writes.
#include "../Native/Call.h"
#include "../Plan.h"
#include "../Values.h"
#include "Connectors.h"
#include "Subscripts.h"

#include "sdfgc/Analysis/Device/Location.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Support/CppWords.h"
#include "sdfgc/Tasklet/Mlir.h"

namespace sdfgc::interpret {

namespace {

struct Connection {
    Name name;
    Container *container = nullptr; // null: a value from or to another node
    const ir::Memlet *memlet = nullptr;
    std::optional<sym::Subset> subset;
    Type type;            // of the value, or of the pointer's target
    bool pointer = false; // code may index its elements
    bool dynamic = false;
    bool stream = false;
    bool sets = false;       // an output that sets a reference
    Access *first = nullptr; // the first element of the subset
    Operand value;           // read before the code; for an output: the value the code has assigned
    Operand assigned;        // is it assigned? None if it is always assigned before a read
    py::ExprRef update;      // the function of a conflict resolution
    Operand old;             // the value that the last update found
};

/// An element named by the code: one of the container's, or one at an address.
struct AccessedElement {
    const Access *element = nullptr;
    Operand address;
    explicit operator bool() const { return element || address; }
    Operand load(Builder &b, Type t, bool update = false) const {
        return element ? b.load(element, t, update) : b.loadAt(address, t, update);
    }
    void store(Builder &b, Operand value, bool update = false) const {
        if (element)
            b.store(element, value, update);
        else
            b.storeAt(address, value, update);
    }
};

class TaskletStep final : public NodeStep {
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
        t_.code.language() == ir::Language::CPP ? native(b) : python(b);
        for (const ir::Edge *e : t_.outEdges())
            if (e->srcConn)
                writeBack(b, *e);
        return p_.finish(b, ir::elementName(t_));
    }

    std::vector<Name> outputNames() const {
        std::vector<Name> out;
        for (const ir::Connector &c : t_.outConnectors)
            out.push_back(c.name);
        return out;
    }

    void python(Builder &b) {
        std::string text = t_.code.text();
        if (t_.code.language() == ir::Language::MLIR) {
            const Result<mlir::Translation> code = mlir::translate(text, outputNames());
            if (!code) {
                b.refuse("code in MLIR: " + code.error());
                return;
            }
            text = code->python;
        }
        const auto parsed = py::parseBlock(text);
        if ((!t_.code.isPython() && t_.code.language() != ir::Language::MLIR) || !parsed.value) {
            b.refuse("code that is not Python: `" + t_.code.text().substr(0, 60) + "`");
            return;
        }
        py::Env env = scope_.env();
        env.typeOf = [this](Name n) { return typeOf(n); };
        const std::vector<py::StmtRef> block = py::resolveModules(*parsed.value, env);
        watchOutputs(b, block);
        b.block(block);
    }

    /// An output is initially a variable without a value. If code may read it, or end, before assigning it, a flag tracks the
    /// assignment.
    void watchOutputs(Builder &b, const std::vector<py::StmtRef> &block) {
        const py::BlockNames names = py::blockNames(block);
        for (Connection &c : outputs_) {
            if (!c.value || !c.first || (names.always.contains(c.name) && !names.read.contains(c.name)))
                continue;
            static const Type truth = ScalarKind::Bool;
            c.assigned = b.reserve(truth);
            b.emit({fillUnwritten, c.value.at, nullptr, nullptr, sizeOf(c.type), c.type.isBool() ? &truth : &c.container->type});
            b.copy(c.assigned, b.constant(ScalarKind::Bool, false));
        }
    }

    static void checkUse(Builder &b, const Connection &c) {
        if (c.assigned)
            b.emit({checkAssigned, nullptr, c.assigned.at, nullptr, 1, c.first});
    }

    /// C++ code becomes a function of its connectors and of the symbols and constants that it mentions.
    void native(Builder &b) {
        const std::string why = p_.machine.options.native ? p_.native.refusal(t_) : "C++ code, which is not compiled (--no-native)";
        if (!why.empty()) {
            b.refuse(why);
            return;
        }
        NativeCall &call = p_.native.call(p_.site(t_));
        for (Connection &c : inputs_)
            call.add(parameter(b, c, true));
        for (Connection &c : outputs_)
            call.add(parameter(b, c, false));
        std::set<Name> done;
        for (const CppWord &w : cppWords(t_.code.text())) {
            const Name name(w.text);
            if (w.where == CppWord::Code && !w.member && done.insert(name).second && !find(inputs_, name) && !find(outputs_, name))
                if (std::optional<NativeParameter> p = parameter(b, name))
                    call.add(std::move(*p));
        }
        p_.native.define(call, t_);
        b.emit({callNative, nullptr, nullptr, nullptr, 1, &call});
    }

    NativeParameter parameter(Builder &b, Connection &c, bool isInput) {
        NativeParameter p;
        p.name = c.name;
        p.type = c.type;
        p.isInput = isInput;
        p.isOutput = !isInput;
        p.isDynamic = c.dynamic;
        if (c.stream || c.sets || c.type.isVoid() || c.type.isPointer() || (c.update && (c.pointer || c.dynamic)))
            b.refuse("the connector `" + c.name.str() + "` of code in C++: " +
                     (c.stream   ? "a stream"
                      : c.sets   ? "a reference"
                      : c.update ? "elements with conflict resolution"
                                 : "its type"));
        else if (!c.container || (!c.pointer && !c.dynamic))
            p.value = (c.value ? c.value : c.value = b.reserve(c.type)).at;
        else if (!(heldType(c) == c.type))
            b.refuse("the dynamic connector `" + c.name.str() + "` of code in C++, whose type is not the container's");
        else
            elements(b, p, *c.container, c.first->site, c.subset);
        p.isPointer = !p.value && c.pointer;
        p.side.allowOutside = c.memlet && c.memlet->allowOob;
        return p;
    }

    static void elements(Builder &b, NativeParameter &p, Container &c, const Site *site, const std::optional<sym::Subset> &subset) {
        p.side.container = &c;
        p.side.site = site;
        p.side.define(b, subset);
    }

    /// A symbol or a constant; nothing for other words.
    std::optional<NativeParameter> parameter(Builder &b, Name name) {
        const std::optional<Type> type = scope_.typeOf(name);
        if (!type || type->isPointer() || type->isOpaque())
            return std::nullopt;
        NativeParameter p;
        p.name = name;
        p.type = *type;
        p.isInput = true;
        Container *c = scope_.parameters.count(name) || scope_.graph.symbols.count(name) ? nullptr : scope_.graph.container(name);
        p.isPointer = c && !c->desc->isScalar();
        if (c)
            elements(b, p, *c, p_.site(t_), std::nullopt);
        else
            p.value = scope_.read(b, name).at;
        return p;
    }

    // ---- names in the code
    Operand read(Builder &b, Name name) override {
        if (Connection *c = find(inputs_, name))
            return valueOf(b, *c);
        if (Connection *c = find(outputs_, name)) {
            if (c->old) // for an update that may happen repeatedly: the previous value
                return c->old;
            checkUse(b, *c);
            if (c->value)
                return c->value;
            if (c->container && !c->stream)
                return c->pointer && !isOne(*c) ? b.addressOf(c->first, c->type) : load(b, *c, {c->first, {}});
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
        return load(b, *c, elementOf(b, *c, e));
    }
    bool store(Builder &b, const py::Expr &target, Operand value) override {
        const bool subscript = target.kind == py::ExprKind::Subscript && target.args[0]->kind == py::ExprKind::Name;
        const Name name = subscript ? target.args[0]->name : target.kind == py::ExprKind::Name ? target.name : Name();
        Connection *c = find(outputs_, name);
        if (!c)
            return storeSymbol(b, target, value);
        if (c->stream) {
            const Operand element = b.convert(b.convert(value, c->type), heldType(*c));
            b.emit({pushElement, nullptr, element.at, nullptr, 1, c->first});
            return true;
        }
        if (!c->container)
            return false;
        if (!subscript && c->pointer && !isOne(*c) && value.type.isPointer())
            return true; // another address: no element is stored
        if (!subscript) {
            if (c->assigned)
                b.copy(c->assigned, b.constant(ScalarKind::Bool, true));
            if (c->value)
                b.copy(c->value, b.convert(value, c->type));
            else
                c->old = put(b, *c, {c->first, {}}, value);
            return true;
        }
        if (c->type.isVector() && !c->pointer)
            return false;
        lastOld_ = put(b, *c, elementOf(b, *c, target), value);
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
            return c->container != nullptr; // for another node: a local, whose type follows from the code
        return changed_.count(name) != 0;
    }
    std::optional<Type> structure(Name name) const override { return scope_.structure(name); }

private:
    static Connection *find(std::vector<Connection> &list, Name name) {
        const auto it = std::find_if(list.begin(), list.end(), [&](const Connection &c) { return c.name == name; });
        return name && it != list.end() ? &*it : nullptr;
    }
    /// The type in the container of values that have the type `c.type` in the code: values are converted between the two, and lanes
    /// of a vector are elements of the container.
    static Type heldType(const Connection &c) {
        return !c.pointer && c.type.isNumeric() && c.container->type.isNumeric() ? c.container->type : c.type;
    }
    static Operand load(Builder &b, const Connection &c, const AccessedElement &element) {
        return b.convert(element.load(b, heldType(c)), c.type);
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
        c.first = p_.access(b, *c.container, c.subset, p_.site(t_, &e.memlet));
        c.first->allowOutside = e.memlet.allowOob;
        if (!declared)
            c.pointer = in ? !isOne(c) : !isOne(c) || (c.dynamic && e.memlet.wcr.empty());
        else
            c.pointer = declared.isPointer() && !(c.container->type.isPointer());
        c.type = !declared ? c.container->type : c.pointer ? declared.element() : declared;
        if (c.type.isVoid() || (c.pointer && !sizeOf(c.type)))
            c.type = c.container->type;
        if (c.container->desc->isStructure() || c.container->type.isPointer() || c.type.isOpaque())
            b.refuse("the connector `" + c.name.str() + "` of type " + c.type.str());
        if (c.stream && !(c.type.isNumeric() && c.container->type.isNumeric()))
            c.type = c.container->type;
    }

    void input(Builder &b, const ir::Edge &e) {
        Connection c;
        c.name = e.dstConn;
        const ir::Connector *declared = t_.inConnector(e.dstConn);
        if (const auto element = p_.values.find({e.src, e.srcConn}); e.src->isEntry() && element != p_.values.end()) {
            c.value = element->second; // popped by a consume scope
            if (declared && declared->type.isNumeric() && c.value.type.isNumeric())
                c.value = b.convert(c.value, declared->type);
            c.type = c.value.type;
            inputs_.push_back(std::move(c));
            return;
        }
        describe(b, c, e, declared ? declared->type.ofLane() : Type(), true);
        if (!c.container) {
            const auto path = ir::memletPath(&e);
            const auto value = p_.values.find({path.front()->src, path.front()->srcConn});
            if (value == p_.values.end())
                b.refuse("the connector `" + c.name.str() + "`, which is not connected");
            else
                c.value = c.type && !c.type.isPointer() ? b.convert(value->second, c.type) : value->second;
            c.type = c.value.type;
        } else if (c.stream) {
            if (!c.dynamic && e.memlet.volume.isOne())
                c.value = pop(b, c);
        } else if (!c.pointer && !c.dynamic) {
            c.value = load(b, c, {c.first, {}});
        }
        inputs_.push_back(std::move(c));
    }

    void output(Builder &b, const ir::Edge &e) {
        Connection c;
        c.name = e.srcConn;
        const ir::Connector *declared = t_.outConnector(e.srcConn);
        describe(b, c, e, declared ? declared->type.ofLane() : Type(), false);
        if (c.container && c.container->desc->isReference() && ir::setsReference(&e)) {
            c.sets = true;
            c.container = nullptr;
            c.type = Type();
        }
        if (!e.memlet.wcr.empty())
            c.update = scope_.parse(b, {e.memlet.wcr, ir::Language::Python});
        if (c.container && !c.stream && !c.pointer && !c.dynamic)
            c.value = b.reserve(c.type);
        else if (!c.container && declared && declared->type && !declared->type.isPointer())
            c.type = declared->type.ofLane();
        outputs_.push_back(std::move(c));
    }

    Operand pop(Builder &b, const Connection &c) {
        const Operand out = b.reserve(heldType(c));
        b.emit({popElement, out.at, nullptr, nullptr, 1, c.first});
        return b.convert(out, c.type);
    }

    Operand valueOf(Builder &b, Connection &c) {
        if (c.value)
            return c.value;
        if (c.stream)
            return pop(b, c);
        if (c.pointer && !isOne(c))
            return b.addressOf(c.first, c.type);
        return load(b, c, {c.first, {}});
    }

    /// Writes a value to an element; with conflict resolution, returns the previous value. Lanes of a vector that update a single
    /// element are combined first.
    Operand put(Builder &b, const Connection &c, const AccessedElement &element, Operand value) {
        Type t = heldType(c);
        Operand given = b.convert(b.convert(value, c.type), t);
        if (!c.update) {
            element.store(b, given);
            return {};
        }
        if (element.element && t.isVector() && t.element() == c.container->type && isOne(c)) {
            t = t.element();
            Operand sum{t, given.at};
            for (int64_t k = 1; k < c.type.lanes(); ++k)
                sum = b.convert(b.apply(*c.update, {sum, Operand{t, given.at + k * sizeOf(t)}}), t);
            given = sum;
        }
        const Operand old = element.load(b, t, true);
        element.store(b, b.convert(b.apply(*c.update, {old, given}), t), true);
        return b.convert(old, t == heldType(c) ? c.type : t);
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

    /// The element that a subscript of a connector names. A single index that does not refer to a dimension of the subset counts
    /// elements from the first one on.
    AccessedElement elementOf(Builder &b, const Connection &c, const py::Expr &e) {
        const std::vector<py::ExprRef> indices = indicesOf(e);
        if (const Access *x = elementAt(b, c, indices))
            return {x, {}};
        if (indices.size() != 1)
            return {nullptr, b.refuse("a subscript of `" + c.name.str() + "` with " + std::to_string(indices.size()) + " indices")};
        return {nullptr, b.advance(b.addressOf(c.first, c.type), b.expression(*indices[0]))};
    }

    /// The element at indices along dimensions of the subset. Null if they do not match these, or if the connector's elements
    /// differ from those of the container.
    const Access *elementAt(Builder &b, const Connection &c, const std::vector<py::ExprRef> &indices) {
        if (!(c.type == c.container->type) || !c.subset || c.container->desc->isScalar())
            return nullptr;
        const std::vector<Counted> dims = countedBy(indices.size(), *c.subset);
        if (dims.empty())
            return nullptr;
        Access *x = p_.machine.access(*c.container, c.first->site);
        x->index = c.first->index;
        x->allowOutside = c.first->allowOutside;
        for (std::size_t k = 0; k < dims.size(); ++k) {
            Operand i = Builder::integerAt(b.integer(*indices[k]));
            if (!dims[k].step.isOne())
                i = b.binary(py::Op::Mul, i, Builder::integerAt(b.integer(dims[k].step)));
            const int64_t *&index = x->index[dims[k].dim];
            index = &as<int64_t>(b.binary(py::Op::Add, Builder::integerAt(index), i).at);
        }
        return x;
    }

    void writeBack(Builder &b, const ir::Edge &e) {
        Connection *c = find(outputs_, e.srcConn);
        if (!c)
            return;
        if (c->sets) {
            const Operand address = b.local(c->name);
            if (address && address.type.isPointer())
                b.emit({setReferenceTo, nullptr, address.at, nullptr, 1, c->first});
            else
                b.refuse("a reference that is set to something other than an address");
        } else if (!c->container) {
            Operand value = c->value ? c->value : b.local(c->name);
            if (value && c->type && !c->type.isPointer())
                value = b.convert(value, c->type);
            if (!value)
                b.refuse("the output `" + c->name.str() + "`, which is never assigned");
            else
                p_.values[{&t_, c->name}] = value;
        } else if (c->value) {
            checkUse(b, *c);
            put(b, *c, {c->first, {}}, c->value);
        }
    }

    Planner &p_;
    Scope &scope_;
    const ir::Tasklet &t_;
    const std::set<Name> changed_;
    std::vector<Connection> inputs_, outputs_;
    Operand lastOld_;
};

} // namespace

std::unique_ptr<NodeStep> Planner::tasklet(Scope &scope, const ir::Tasklet &t) {
    if (t.code.empty())
        return nullptr;
    if (!analysis::threadGuardsOf(t).guards.empty() && analysis::isInKernel(t))
        refuse(ir::elementName(t), "guards by thread, warp or block, which the pass resolve-thread-guards resolves");
    TaskletNames names(*this, scope, t);
    return std::make_unique<TaskletStep>(names.code());
}

} // namespace sdfgc::interpret
