#include "Expansion.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/PassSymbols.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Support/Text.h"

#include <algorithm>

namespace sdfgc::libnodes {

using namespace ir;

Expansion::Expansion(State &s, LibraryNode &n, pass::Context &c)
    : state_(s), node_(n), context_(c), where_(c.options.gpu() ? whereIs(n) : Where::Host),
      inner_(std::make_unique<SDFG>(Name(n.label.empty() ? n.className() : n.label))) {
    std::string name = inner_->name.str();
    for (char &ch : name)
        if (!std::isalnum(static_cast<unsigned char>(ch)))
            ch = '_';
    const bool isWord = name == "True" || name == "False" || name == "None";
    if (name.empty() || isWord || std::isdigit(static_cast<unsigned char>(name[0])))
        name = "_" + name;
    inner_->name = Name(name);
    inner_->label = name;
    inner_->usesExplicitControlFlow = true;
}

Operand Expansion::operand(Edge *e, bool input) {
    Operand o;
    o.edge = e;
    auto *end = e ? dyn_cast<AccessNode>(input ? analysis::pathSource(e) : analysis::pathDestination(e)) : nullptr;
    if (!end)
        return o;
    const SDFG &g = *state_.sdfg();
    const DataDesc *d = g.desc(e->memlet.data ? e->memlet.data : end->data);
    if (!d)
        d = g.desc(end->data);
    if (!d)
        return o;
    auto subset = input ? analysis::sourceSubset(e) : analysis::destinationSubset(e);
    o.desc = d;
    o.type = d->dtype;
    o.subset = subset && subset->rank() == d->rank() ? *subset : d->fullSubset();
    for (std::size_t i = 0; i < o.subset.rank(); ++i) {
        sym::Range &r = o.subset.dims[i];
        r = {inside(r.begin), inside(r.end), inside(r.step), inside(r.tile)};
        o.allStrides.push_back(inside(d->strides[i]) * r.step);
        sym::Expr size = r.size();
        if (size.isOne())
            continue;
        o.dims.push_back(i);
        o.shape.push_back(size);
        o.strides.push_back(o.allStrides[i]);
    }
    return o;
}

Operand Expansion::input(Name connector) { return operand(node_.inEdge(connector), true); }
Operand Expansion::output(Name connector) { return operand(node_.outEdge(connector), false); }

analysis::Indexed Expansion::indexing() {
    std::vector<analysis::IndexedOperand> operands = analysis::operandsOf(node_);
    for (analysis::IndexedOperand &o : operands)
        o.subset = (o.written ? output(o.connector) : input(o.connector)).subset;
    return analysis::indexingOf(node_, std::move(operands));
}

/// May a node run again after itself in a call of its SDFG? Iterations of parallel maps do not count: they write different
/// elements.
static bool repeats(const Node &n) {
    for (const Block *b = n.state(); b->parent(); b = b->parent())
        if (b->parent()->kind() == BlockKind::Loop || b->parent()->kind() == BlockKind::Unstructured)
            return true;
    const std::vector<Node *> around = analysis::ScopeTree(*n.state()).enclosing(&n);
    return std::any_of(around.begin(), around.end(), [](const Node *entry) {
        const auto *map = dyn_cast<MapEntry>(entry);
        return !map || map->schedule == Schedule::Sequential;
    });
}

bool Expansion::writesFirst(const Operand &out) const {
    const AccessNode *target = analysis::nodeBehindViews(analysis::pathDestination(out.edge));
    SDFG &g = *state_.sdfg();
    const DataDesc *d = target ? g.desc(target->data) : nullptr;
    const bool kept =
        d && (d->lifetime == Lifetime::Persistent || d->lifetime == Lifetime::External || d->lifetime == Lifetime::Global);
    if (!d || !d->transient || d->alias != AliasKind::None || kept || repeats(node_))
        return false;
    auto isTarget = [&](const AccessNode *memory) { return memory && memory->data == target->data; };
    std::size_t writes = 0;
    for (const State *s : allStates(g))
        for (const auto &n : s->nodes()) {
            const AccessNode *memory = analysis::nodeBehindViews(n.get());
            if (!isa<AccessNode>(n.get()) || (memory && !isTarget(memory))) // the target of an unbound view is unknown
                continue;
            writes += static_cast<std::size_t>(std::count_if(n->inEdges().begin(), n->inEdges().end(), [&](const Edge *e) {
                return !isTarget(analysis::nodeBehindViews(e->src)); // otherwise the edge binds a view
            }));
        }
    return writes == 1;
}

void Expansion::bind(Name name, const Operand &o) {
    if (inner_->arrays.contains(name))
        return;
    DataDesc d;
    if (o.rank() == 0) {
        // One element: a scalar when the container is one, else an array of one element, so that it can be written through.
        d = o.desc->isScalar() ? DataDesc::scalar(o.type) : DataDesc::array(o.type, {1});
    } else {
        d = DataDesc::array(o.type, o.shape);
        d.strides = o.strides;
        sym::Expr extent = 1;
        for (std::size_t i = 0; i < o.rank(); ++i)
            extent += (o.shape[i] - 1) * o.strides[i];
        d.totalSize = extent;
    }
    d.storage = o.desc->storage;
    inner_->arrays.set(name, std::move(d));
}

void Expansion::bindFull(Name name, const Operand &o) {
    if (inner_->arrays.contains(name))
        return;
    DataDesc d = DataDesc::array(o.type, o.subset.sizes());
    if (o.desc->isScalar())
        d = DataDesc::scalar(o.type);
    sym::Expr extent = 1;
    for (std::size_t i = 0; i < d.rank(); ++i) {
        d.strides[i] = o.allStrides[i];
        extent += (d.shape[i] - 1) * d.strides[i];
    }
    d.totalSize = extent;
    d.storage = o.desc->storage;
    inner_->arrays.set(name, std::move(d));
}

Name Expansion::temporary(std::string_view name, Type t, std::vector<sym::Expr> shape, Storage storage) {
    DataDesc d = shape.empty() ? DataDesc::scalar(t, true) : DataDesc::array(t, std::move(shape), true);
    d.storage = storage;
    return inner_->addTransient(name, std::move(d));
}

std::vector<sym::Expr> Expansion::elementAt(const Params &params) {
    std::vector<sym::Expr> index;
    for (const auto &[name, size] : params)
        index.push_back(sym::Expr::symbol(name));
    return index.empty() ? std::vector<sym::Expr>{0} : index;
}

std::string Expansion::freshLabel(std::string_view label) {
    std::string fresh(label);
    if (int earlier = labels_[fresh]++; earlier > 0)
        fresh += "_" + std::to_string(earlier);
    return fresh;
}

void Expansion::append(Block &b) {
    if (last_)
        inner_->connect(last_, &b);
    last_ = &b;
}

State &Expansion::addState(std::string_view label) {
    auto *s = inner_->add<State>();
    s->label = freshLabel(label);
    append(*s);
    return *s;
}

State &Expansion::addStateIf(std::string_view label, std::string condition) {
    auto *c = inner_->add<ConditionalBlock>();
    c->label = freshLabel(std::string(label) + "_if");
    auto branch = std::make_unique<Region>();
    branch->label = freshLabel(std::string(label) + "_branch");
    auto *s = branch->add<State>();
    s->label = freshLabel(label);
    c->addBranch(Code{std::move(condition), Language::Python}, std::move(branch));
    append(*c);
    inner_->usesExplicitControlFlow = true;
    return *s;
}

Name Expansion::reachable(Name n) {
    const DataDesc &d = *inner_->desc(n);
    const bool host = d.storage == Storage::Register || d.storage == Storage::CPU_Heap || d.storage == Storage::CPU_ThreadLocal ||
                      (d.storage == Storage::Default && d.isScalar()); // which will be a register
    if (where_ != Where::Device || !host)
        return n;
    Name &twin = twins_[n];
    if (!twin) {
        DataDesc copy = d.isScalar() ? DataDesc::array(d.dtype, {1}) : d;
        copy.transient = true;
        copy.storage = Storage::GPU_Global;
        twin = inner_->addTransient("_device" + n.str(), std::move(copy));
    }
    return twin;
}

std::string LibraryCall::text() const {
    std::string out, margin;
    for (const auto &[variable, count] : loops) {
        out += margin + "for " + variable + " in range(" + count + "):\n";
        margin += "    ";
    }
    out += margin + (result ? "_out" + result.str() + " = " : "") + function + "(";
    return out + text::joined(arguments) + ")";
}

Tasklet *Expansion::code(State &s, std::string_view label, const std::vector<Name> &inputs, const std::vector<Name> &outputs,
                         std::string text) {
    return onContainers(s, label, inputs, outputs, {std::move(text), Language::CPP}, [&](Name n) {
        const DataDesc *d = inner_->desc(n);
        const bool value = d->numElements().isOne() && where_ != Where::Device;
        return value ? d->dtype : Type::pointer(d->dtype);
    });
}

Tasklet *Expansion::call(State &s, std::string_view label, const std::vector<Name> &inputs, const std::vector<Name> &outputs,
                         const LibraryCall &c) {
    auto type = [&](Name n) {
        const Type element = inner_->desc(n)->dtype;
        if (n == c.result || c.byValue.contains(n))
            return element;
        const bool single = element == Type(ScalarKind::Complex64);
        if (c.ownComplex && (single || element == Type(ScalarKind::Complex128)))
            return Type::pointer(Type::opaque(Name(single ? "lapack_complex_float" : "lapack_complex_double")));
        return Type::pointer(element);
    };
    Tasklet *t = onContainers(s, label, inputs, outputs, {c.text(), Language::Library}, type);
    t->environments = {Name(c.environment)};
    return t;
}

Tasklet *Expansion::onContainers(State &s, std::string_view label, const std::vector<Name> &inputs,
                                 const std::vector<Name> &outputs, Code text, const std::function<Type(Name)> &type) {
    auto *t = s.add<Tasklet>();
    t->label = std::string(label);
    t->code = std::move(text);
    t->debugInfo = node_.debugInfo;
    auto all = [&](Name n) { return Memlet::simple(n, inner_->desc(n)->fullSubset()); };
    for (Name n : inputs) {
        const Name connector("_in" + n.str()), used = reachable(n);
        auto *access = s.add<AccessNode>(used);
        if (used != n)
            s.copyAll(s.add<AccessNode>(n), access);
        s.connect(access, {}, t, connector, all(used));
        t->inConnector(connector)->type = type(n);
    }
    for (Name n : outputs) {
        const Name connector("_out" + n.str()), used = reachable(n);
        auto *access = s.add<AccessNode>(used);
        s.connect(t, connector, access, {}, all(used));
        if (used != n)
            s.copyAll(access, s.add<AccessNode>(n));
        t->outConnector(connector)->type = type(n);
    }
    s.renumber();
    return t;
}

void Expansion::copied(State &s, Name from, Name to) {
    s.copyAll(from, to);
    s.renumber();
}

sym::Expr Expansion::inside(sym::Expr e) {
    for (Name n : e.freeSymbols()) {
        const std::string &text = n.str();
        bool parameter = text.size() > 1 && text[0] == '_' && std::isalpha(static_cast<unsigned char>(text[1]));
        bool connector = text == "i" || text == "o";
        if ((parameter || connector) && !renamed_.contains(n))
            renamed_[n] = sym::Expr::symbol(Name((parameter ? "_outer" : "_outer_") + text));
    }
    return renamed_.empty() ? e : sym::substitute(e, renamed_);
}

std::string Expansion::word(std::string_view hint, sym::Expr e) {
    if (e.isInteger() || e.isSymbol())
        return e.str();
    for (const auto &[name, value] : words_)
        if (value == e)
            return name.str();
    words_.emplace_back(Name("_" + std::string(hint) + std::to_string(words_.size())), e);
    return words_.back().first.str();
}

bool Expansion::parallel() const { return node_.schedule != Schedule::Sequential && !analysis::ScopeTree(state_).scopeOf(&node_); }

void Expansion::renameInput(Name from, Name to) {
    Edge *e = node_.inEdge(from);
    if (!e)
        return;
    state_.setDestination(e, &node_, to);
    node_.removeIn(from);
    node_.addIn(to);
}

void Expansion::renameOutput(Name from, Name to) {
    Edge *e = node_.outEdge(from);
    if (!e)
        return;
    state_.setSource(e, &node_, to);
    node_.removeOut(from);
    node_.addOut(to);
}

void Expansion::finish(Name inputName, Name outputName) {
    auto *nested = state_.add<NestedSDFGNode>();
    nested->label = inner_->name.str();
    nested->debugInfo = node_.debugInfo;
    nested->instrument = node_.instrument;
    std::vector<Edge *> in = node_.inEdges(), out = node_.outEdges();
    for (const Edge *e : out)
        if (const Name n = e->srcConn ? e->srcConn : outputName; !e->memlet.isEmpty() && !inner_->arrays.contains(n))
            refuse("it has no output `" + n.str() + "`");
    for (Edge *e : in)
        state_.setDestination(e, nested, e->dstConn ? e->dstConn : e->memlet.isEmpty() ? Name() : inputName);
    for (Edge *e : out)
        state_.setSource(e, nested, e->srcConn ? e->srcConn : e->memlet.isEmpty() ? Name() : outputName);
    // The expansion may use fewer operands than the node had.
    for (Edge *e : std::vector<Edge *>(nested->inEdges()))
        if (e->dstConn && !inner_->arrays.contains(e->dstConn)) {
            nested->removeIn(e->dstConn);
            state_.setDestination(e, nested, {});
            e->memlet = Memlet::empty();
        }
    // WCR of the output is applied by the writes inside (format reference 6.4).
    for (Edge *e : nested->outEdges())
        e->memlet.wcr.clear();
    SDFG &outer = *state_.sdfg();
    for (State *s : allStates(*inner_))
        s->renumber();
    inner_->parentNode = nested;
    nested->sdfg = std::move(inner_);
    std::map<Name, sym::Expr> outerNames; // of the symbols that have other names inside
    for (const auto &[name, renamed] : renamed_)
        outerNames[renamed.name()] = sym::Expr::symbol(name);
    nested->symbolMapping.clear();
    for (const auto &[name, value] : words_)
        analysis::passSymbol(*nested, name, sym::substitute(value, outerNames), ScalarKind::Int64);
    const std::set<Name> required = analysis::requiredSymbols(*nested->sdfg);
    for (const auto &[name, value] : outerNames)
        if (required.contains(name) && !nested->mapped(name))
            analysis::passSymbol(*nested, name, value, analysis::symbolType(outer, value.name()));
    analysis::passRequiredSymbols(*nested, [&outer](Name n) { return analysis::symbolType(outer, n); });
    state_.removeNode(&node_);
}

int64_t Expansion::integer(const char *name, int64_t otherwise) const {
    const json::Value *v = node_.properties.find(name);
    auto i = v ? v->asInt() : std::nullopt;
    return i ? *i : otherwise;
}

bool Expansion::boolean(const char *name, bool otherwise) const {
    const json::Value *v = node_.properties.find(name);
    return v ? v->asBool(otherwise) : otherwise;
}

std::string Expansion::text(const char *name, std::string otherwise) const {
    const json::Value *v = node_.properties.find(name);
    return v && !v->isNull() && !v->text().empty() ? v->text() : otherwise;
}

bool Expansion::refuse(std::string why, std::string hint) {
    diag::Location place = analysis::placeOf(node_);
    place.file = context_.options.file;
    context_.diags.report(diag::Id::LibraryNodeNotExpanded, place, node_.classPath, std::move(why), std::move(hint));
    return false;
}

void Expansion::took(std::string_view implementation, std::string why) {
    context_.done(node_, "implementation " + std::string(implementation) + ": " + std::move(why));
}

void Expansion::missed(const std::string &what, const diag::Reason &why) { context_.missed(node_, what, why); }

std::string typedLiteral(Type t, const std::string &value) {
    if (t.isScalar() && !t.isVoid())
        return "dace." + std::string(scalarTypeName(t.scalar())) + "(" + value + ")";
    return value;
}

char blasLetter(Type t) {
    switch (t.scalar()) {
    case ScalarKind::Float32:
        return 's';
    case ScalarKind::Float64:
        return 'd';
    case ScalarKind::Complex64:
        return 'c';
    case ScalarKind::Complex128:
        return 'z';
    default:
        return 0;
    }
}

} // namespace sdfgc::libnodes
