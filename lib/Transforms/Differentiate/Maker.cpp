#include "Transforms/Differentiate/Maker.h"

#include "sdfgc/Nest/Build.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Use;
using nest::UseKind;

bool isReal(Type t) { return t.isScalar() && t.isFloat(); }

Maker::Maker(SDFG &g, analysis::Memories &memories)
    : g_(g), memories_(memories),
      hasDeviceMemory_(std::any_of(g.arrays.begin(), g.arrays.end(), [](const auto &e) { return isGpuStorage(e.second.storage); })),
      storedStart_(g.storedStart()) {
    g.setStart(g.start()); // must not depend on the added state
    scratch_ = g.add<State>();
    scratch_->label = g.freshLabel("scratch");
}

Maker::~Maker() {
    g_.removeBlock(scratch_);
    if (!storedStart_ && g_.start())
        g_.setStart(nullptr);
}

// ---- containers

/// Like addTransient. There may be thousands of tapes with the same name: numbers that were used are not tried again.
Name Maker::add(std::string_view name, DataDesc d) {
    const auto numbered = [name](int n) { return n < 0 ? std::string(name) : std::string(name) + "_" + std::to_string(n); };
    int &next = numbers_.try_emplace(std::string(name), -1).first->second;
    while (g_.freshName(numbered(next)) != Name(numbered(next)))
        ++next;
    return g_.addTransient(numbered(next++), std::move(d));
}

Name Maker::transientLike(std::string_view name, const DataDesc &like) {
    DataDesc d = like;
    d.transient = true;
    d.optional.reset();
    d.extra = Extra();
    return add(name, std::move(d));
}

Name Maker::transient(std::string_view name, const DataDesc &like, std::vector<sym::Expr> shape) {
    DataDesc d = shape.empty() ? DataDesc::scalar(like.dtype, true) : DataDesc::array(like.dtype, std::move(shape), true);
    d.storage = like.storage;
    d.debugInfo = like.debugInfo;
    return add(name, std::move(d));
}

// ---- views

namespace {

/// The access node of a view that has been set up, or null.
AccessNode *viewNode(const State &s, Name view) {
    for (const auto &n : s.nodes())
        if (auto *a = dyn_cast<AccessNode>(n.get()); a && a->data == view && a->inEdge(Name("views")))
            return a;
    return nullptr;
}

} // namespace

void Maker::setView(Name view, Name viewed, sym::Subset part) {
    AccessNode *from = viewNode(*scratch_, viewed); // which itself views something
    if (!from)
        from = scratch_->add<AccessNode>(viewed);
    auto *to = scratch_->add<AccessNode>(view);
    scratch_->connect(from, {}, to, Name("views"), Memlet::simple(viewed, std::move(part)));
}

// ---- uses

Use Maker::use(UseKind kind, Name data, sym::Subset subset, Name connector) {
    AccessNode *access = g_.desc(data)->isView() ? viewNode(*scratch_, data) : nullptr;
    if (!access)
        access = scratch_->add<AccessNode>(data);
    Use u;
    u.kind = kind;
    u.data = data;
    u.memory = memories_.of(*access);
    u.access = access;
    u.connector = connector;
    u.memlet = Memlet::simple(data, subset);
    u.memlet.volume = subset.numElements();
    if (kind == UseKind::Update)
        u.memlet.wcr = "lambda a, b: (a + b)";
    u.certain = kind == UseKind::Write && subset.isOneElement();
    u.subset = std::move(subset);
    return u;
}

Use Maker::part(const Use &of, UseKind kind, sym::Subset s, Name connector) {
    Use u = use(kind, of.data, std::move(s), connector);
    u.access = of.access; // which distinguishes views of the same name
    u.memory = of.memory;
    return u;
}

Use Maker::whole(UseKind kind, Name data, Name connector) { return use(kind, data, g_.desc(data)->fullSubset(), connector); }

// ---- items

Item Maker::step(std::shared_ptr<Node> node, std::vector<Use> uses) {
    auto step = std::make_unique<nest::Step>();
    step->nodes.push_back(node.get());
    step->uses = std::move(uses);
    step->made = std::move(node);
    return {nullptr, std::move(step)};
}

namespace {

/// Connectors must not have the names of containers, symbols or constants.
void renameTaken(std::vector<Use> &uses, std::string &code, const SDFG &g) {
    std::map<Name, py::ExprRef> names;
    for (Use &u : uses)
        if (const Name free = g.freshName(u.connector.view()); free != u.connector) {
            names.emplace(u.connector, py::name(free));
            u.connector = free;
        }
    if (!names.empty())
        code = py::print(py::substitute(py::parseBlockOrRaw(code), names));
}

} // namespace

Item Maker::tasklet(std::string label, std::string code, std::vector<Use> uses) const {
    renameTaken(uses, code, g_);
    auto node = std::make_shared<Tasklet>();
    node->label = std::move(label);
    node->code = {std::move(code), Language::Python};
    for (const Use &u : uses) {
        const Type element = g_.desc(u.data)->dtype;
        const Type t = u.subset && u.subset->isOneElement() ? element : Type::pointer(element);
        if (u.writes())
            node->addOut(u.connector, t);
        else
            node->addIn(u.connector, t);
    }
    return step(std::move(node), std::move(uses));
}

Item Maker::copy(Use from, Use to) const {
    auto step = std::make_unique<nest::Step>();
    Memlet m = Memlet::simple(from.data, *from.subset);
    m.otherSubset = to.subset;
    m.wcr = to.memlet.wcr;
    m.volume = from.subset->numElements();
    m.isDataSrc = true;
    from.memlet = to.memlet = m;
    from.connector = to.connector = {};
    to.certain = to.kind == UseKind::Write;
    step->uses.push_back(std::move(from));
    step->uses.push_back(std::move(to));
    return {nullptr, std::move(step)};
}

Item Maker::map(std::string label, std::vector<Name> params, std::vector<sym::Range> ranges, std::vector<Item> body,
                bool inScope) const {
    MapEntry like;
    like.schedule = inScope ? Schedule::Sequential : Schedule::CPU_Multicore;
    auto out = std::make_unique<nest::Map>(nest::mapLike(like, std::move(label), std::move(params), std::move(ranges)));
    out->body = std::move(body);
    return {std::move(out), nullptr};
}

Item Maker::reduction(std::string_view label, std::string_view wcr, const json::Value *axes, std::string_view identity, Use in,
                      Use out, bool inScope) {
    auto node = std::make_shared<LibraryNode>();
    node->classPath = "dace.libraries.standard.nodes.reduce.Reduce";
    node->name = node->label = std::string(label);
    node->schedule = inScope ? Schedule::Sequential : Schedule::CPU_Multicore;
    node->properties.set("wcr", json::Value(wcr));
    node->properties.set("axes", axes ? *axes : json::Value());
    node->properties.set("identity", json::Value(identity));
    in.connector = out.connector = {};
    return step(std::move(node), {std::move(in), std::move(out)});
}

Maker::Walk Maker::walkOver(const sym::Subset &s) const {
    Walk out;
    for (const std::size_t d : s.nonUnitDims()) {
        const Name p = connector("__g" + std::to_string(out.params.size()));
        out.params.push_back(p);
        out.ranges.push_back({0, s.dims[d].steps() - 1, 1, 1});
        out.positions.push_back(sym::Expr::symbol(p));
    }
    return out;
}

sym::Subset Maker::Walk::elementOf(const sym::Subset &s) const { return nest::elementOf(s, positions); }

sym::Expr Maker::Walk::number() const {
    sym::Expr out = 0;
    for (std::size_t k = 0; k < positions.size(); ++k)
        out = out * ranges[k].size() + positions[k];
    return out;
}

Item Maker::fill(Name data, const sym::Subset &s, std::string_view number, bool inScope) {
    const Walk walk = walkOver(s);
    const Name out = connector("__out");
    Item set = tasklet("fill_" + data.str(), out.str() + " = " + std::string(number), {write(data, walk.elementOf(s), out)});
    return over(walk, "fill_" + data.str(), std::move(set), inScope);
}

Item Maker::over(const Walk &walk, std::string label, Item item, bool inScope) const {
    if (walk.params.empty())
        return item;
    std::vector<Item> body;
    body.push_back(std::move(item));
    return map(std::move(label), walk.params, walk.ranges, std::move(body), inScope);
}

} // namespace sdfgc::transforms::gradient
