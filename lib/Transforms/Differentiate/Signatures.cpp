#include "Transforms/Differentiate/Signatures.h"

#include "Transforms/Differentiate/Maker.h"
#include "Transforms/Differentiate/Values.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Step;
using nest::Use;
using nest::UseKind;

std::map<Name, Name> gradientConnectors(const Tasklet &t, const SDFG &g, const std::string &prefix) {
    const py::BlockNames names = py::blockNames(t.code.blockOrRaw());
    std::set<Name> taken = names.read;
    taken.insert(names.written.begin(), names.written.end());
    for (const auto *list : {&t.inConnectors, &t.outConnectors})
        for (const Connector &c : *list)
            taken.insert(c.name);
    std::map<Name, Name> out;
    for (const auto *list : {&t.inConnectors, &t.outConnectors})
        for (const Connector &c : *list) {
            std::string name = prefix + c.name.str();
            while (taken.count(Name(name)) || g.freshName(name) != Name(name))
                name += "_";
            taken.insert(Name(name));
            out.emplace(c.name, Name(name));
        }
    return out;
}

namespace {

/// Connectors that the code reads or writes with subscripts.
std::set<Name> subscripted(const std::vector<py::StmtRef> &block) {
    std::set<Name> out;
    py::rewrite(block, [&out](const py::ExprRef &e) {
        if (e->kind == py::ExprKind::Subscript && e->args[0]->kind == py::ExprKind::Name)
            out.insert(e->args[0]->name);
        return e;
    });
    return out;
}

/// Adds the information from a use about its connector. Returns why there is no derivative, if the use prevents one.
std::optional<diag::Message> addUse(py::Signature &signature, const Use &u, const Tasklet &t, const SDFG &g, bool isActive,
                                    bool isIndexed) {
    const Connector *c = u.writes() ? t.outConnector(u.connector) : t.inConnector(u.connector);
    const bool isPointer = c && c->type.isPointer();
    (u.writes() ? signature.outputs : signature.inputs)[u.connector] = isPointer && !isIndexed ? c->type.element()
                                                                       : c                     ? c->type
                                                                                               : Type();
    if (isPointer && isIndexed)
        signature.pointers.insert(u.connector);
    if (isPointer && isIndexed && u.kind == UseKind::Update)
        signature.sums.insert(u.connector);
    if (!isActive)
        return std::nullopt;
    const Type element = g.desc(u.data)->dtype;
    if (element.isComplex())
        return diag::Message{diag::Id::GradientOfComplex, u.data.str()};
    if (!isReal(element))
        return std::nullopt;
    if (u.writes() && isPointer && !isIndexed && (!u.subset || !u.subset->isOneElement()))
        return diag::Message{diag::Id::GradientOfCode, "it assigns to `" + u.connector.str() + "` as a whole, which has no effect",
                             "assign the elements one by one"};
    (u.writes() ? signature.activeOutputs : signature.activeInputs).insert(u.connector);
    if (u.kind == UseKind::Update && !isSum(u.memlet.wcr))
        return diag::Message{diag::Id::GradientOfUpdate, u.data.str(), "`" + u.memlet.wcr + "` is not a sum"};
    return std::nullopt;
}

} // namespace

std::variant<py::Signature, diag::Message> signatureOf(const Step &s, const Tasklet &t, const SDFG &g,
                                                       const analysis::SymbolTypes &types,
                                                       const std::function<bool(const Use &)> &isActive, const std::string &prefix,
                                                       py::Ties ties) {
    if (!t.code.isPython())
        return diag::Message{
            diag::Id::GradientOfCode, "it is not written in Python",
            "write it in Python, give it a rule (its property `gradient`), or differentiate before library nodes are expanded"};
    py::Signature out;
    const std::map<Name, Name> names = gradientConnectors(t, g, prefix);
    out.gradient = [names](Name n) { return names.at(n); };
    out.ties = ties;
    out.env.typeOf = [&types](Name n) -> std::optional<Type> {
        const Type known = types.of(n);
        return known.isVoid() ? std::optional<Type>(ScalarKind::Int64) : known; // a parameter of a surrounding map
    };
    const std::set<Name> indexed = subscripted(t.code.blockOrRaw());
    for (const Use &u : s.uses)
        if (auto why = addUse(out, u, t, g, isActive(u), indexed.count(u.connector) != 0))
            return std::move(*why);
    return out;
}

bool leavesNoDerivative(const Step &s, const Tasklet &t, const std::function<bool(const Use &)> &isActive) {
    if (t.code.isPython())
        return false;
    return std::all_of(s.uses.begin(), s.uses.end(), [&](const Use &u) {
        if (!isActive(u))
            return true;
        const Connector *c = u.writes() ? t.outConnector(u.connector) : nullptr;
        const bool isElement = c && !c->type.isPointer() && u.subset && u.subset->isOneElement() && !u.memlet.dynamic;
        return u.kind == UseKind::Write ? isElement : u.kind == UseKind::Update && isSum(u.memlet.wcr);
    });
}

bool isSum(const std::string &wcr) { return py::parseWcr(wcr).value.value_or(py::Wcr()).kind == py::Reduction::Sum; }

std::vector<const Use *> usesAt(const Step &s, Name connector, bool written) {
    std::vector<const Use *> out;
    for (const Use &u : s.uses)
        if (u.connector == connector && u.writes() == written)
            out.push_back(&u);
    return out;
}

diag::Message messageOf(const py::DerivativeError &e) {
    switch (e.kind) {
    case py::DerivativeError::Kind::Function:
        return {diag::Id::GradientOfFunction, e.what};
    case py::DerivativeError::Kind::Complex:
        return {diag::Id::GradientOfComplex, e.what};
    case py::DerivativeError::Kind::Foreign:
        return {diag::Id::GradientOfCode, "it contains C++", "write it in Python"};
    case py::DerivativeError::Kind::Construct:
        return {diag::Id::GradientOfCode, e.what, "write it with assignments, branches and functions that have derivatives"};
    case py::DerivativeError::Kind::Typing:
        break;
    }
    return {diag::Id::GradientOfCode, e.what, ""};
}

std::optional<diag::Message> obstacleOfCopy(const Step &s) {
    const Use &from = s.uses.front(), &to = s.uses.back();
    if (!subsetOf(from) || !subsetOf(to))
        return diag::Message{diag::Id::GradientOfContainer, to.data.str(), "copied as a whole, and no subset says which elements",
                             ""};
    for (const Use *u : {&from, &to})
        if (const sym::Subset part = *subsetOf(*u);
            std::any_of(part.dims.begin(), part.dims.end(), [](const sym::Range &r) { return !r.tile.isOne(); }))
            return diag::Message{diag::Id::GradientOfContainer, u->data.str(), "copied in tiles", "use ranges without tiles"};
    return std::nullopt;
}

std::optional<diag::Message> obstacleOfArguments(const Step &s, const std::function<bool(const Use &)> &isActive,
                                                 const sym::Assumptions &facts) {
    for (const Use &w : s.uses)
        for (const Use &u : s.uses)
            if (w.writes() && isActive(w) && u.connector != w.connector && meet(u, w, facts))
                return diag::Message{diag::Id::GradientOfFlow,
                                     "a nested SDFG that has `" + w.data.str() + "` through two arguments, and writes it",
                                     "pass it as one argument"};
    return std::nullopt;
}

diag::Message obstacleOfScope(const Node &entry) {
    if (const auto *m = dyn_cast<MapEntry>(&entry); m && !m->optimize)
        return {diag::Id::GradientOfFlow, "a map that must not be changed (`optimize`)", ""};
    if (isa<ConsumeEntry>(&entry))
        return {diag::Id::GradientOfFlow, "a consume scope, whose iterations depend on a stream",
                "write it as a map over an array"};
    return {diag::Id::GradientOfFlow, "a scope that contains views or reads its ranges at run time",
            "read such ranges on an edge before the scope"};
}

namespace {

/// Names the part of a state that the nest form cannot read.
std::string whyHidden(const State &s) {
    const auto isMeasured = [](const auto &n) { return n->instrument != Instrumentation::No_Instrumentation; };
    const auto isWatched = [](const auto &n) {
        const auto *a = dyn_cast<AccessNode>(n.get());
        return a && a->dataInstrument != DataInstrumentation::No_Instrumentation;
    };
    if (s.instrument != Instrumentation::No_Instrumentation || std::any_of(s.nodes().begin(), s.nodes().end(), isMeasured))
        return "a state that is measured";
    if (s.symbolInstrument != DataInstrumentation::No_Instrumentation || std::any_of(s.nodes().begin(), s.nodes().end(), isWatched))
        return "a state whose values are saved or restored";
    if (std::any_of(s.edges().begin(), s.edges().end(), [](const auto &e) { return e->dstConn == Name("set"); }))
        return "a state that sets references";
    for (const auto &n : s.nodes())
        if (const auto *a = dyn_cast<AccessNode>(n.get()))
            if (const DataDesc *d = s.sdfg()->desc(a->data);
                d && (d->isStructure() || a->data.view().find('.') != std::string_view::npos))
                return "a state that uses a structure, `" + a->data.str() + "`";
    for (const AccessNode *a : nodesOf<AccessNode>(s))
        if (a->setZero)
            return "a state that clears `" + a->data.str() + "` where it is allocated (`setzero`)";
    if (nest::isReadable(s))
        return "a state that must not be changed (`optimize`)";
    return "a state whose memlets, code, sizes or symbols of nested SDFGs read containers, or whose values have no containers";
}

} // namespace

diag::Message obstacleOfState(const State &s) {
    return {diag::Id::GradientOfFlow, whyHidden(s), "exclude it from the differentiated part"};
}

} // namespace sdfgc::transforms::gradient
