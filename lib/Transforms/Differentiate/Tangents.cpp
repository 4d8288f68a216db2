#include "Transforms/Differentiate/Tangents.h"

#include "Transforms/Differentiate/UserRules.h"

#include "Transforms/Differentiate/Devices.h"
#include "Transforms/Differentiate/Signatures.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Step;
using nest::Use;
using nest::UseKind;

// ---- an SDFG

namespace {

bool isAmong(const std::vector<Name> &list, Name n) { return std::find(list.begin(), list.end(), n) != list.end(); }

/// Sets to zero the tangents of arguments that the caller does not pass.
void addBeginning(const Request &r, const std::vector<Name> &declared, Gradients &tangents, Maker &maker) {
    SDFG &g = maker.sdfg();
    nest::Run run;
    for (const auto &[data, tangent] : tangents.all())
        if (!g.desc(data)->transient && !isAmong(r.wrt, data) && !(r.isNested && isAmong(declared, data)))
            run.items.push_back(maker.fill(tangent, g.desc(tangent)->fullSubset(), "0", !g.isRoot()));
    if (run.items.empty() || !g.start())
        return;
    run.region = &g;
    run.memories = &maker.memories();
    run.states = {g.addStateBefore(g.start(), g.freshLabel("begin_tangents"))};
    runOnDevice(run, maker);
    nest::write(run);
}

} // namespace

bool addTangents(SDFG &g, const Request &request, pass::Context &context) {
    const std::vector<Name> declared = request.arguments();
    analysis::Memories memories(g);
    PrimalProgram program(g, memories);
    const std::set<analysis::Memory> given = program.memoriesOf(declared);
    const Activity activity(program, given, program.memoriesOf(request.wrt));
    Maker maker(g, memories);
    Gradients tangents(maker, request.prefix);
    if (!tangents.declare(declared, context))
        return false;
    TangentWriter writer(program, maker, activity, given, tangents, request, context);
    if (!writer.run())
        return false;
    for (nest::Run &run : program.runs())
        if (run.changed)
            runOnDevice(run, maker);
    nest::writeChanged(program.runs());
    addBeginning(request, declared, tangents, maker);
    return !context.diags.hasErrors();
}

// ---- items

bool TangentWriter::run() {
    if (!checkStates() || !checkSymbols())
        return false;
    for (nest::Run &run : program_.runs()) {
        const auto writesTangent = [this](const Item &i) {
            const std::vector<nest::PlacedUse> uses = nest::usesOf(i);
            return std::any_of(uses.begin(), uses.end(),
                               [this](const nest::PlacedUse &u) { return u.use->writes() && hasTangent(u.use->memory); });
        };
        if (!std::any_of(run.items.begin(), run.items.end(), writesTangent))
            continue;
        run.items = with(std::move(run.items), nullptr);
        run.changed = true;
    }
    return !failed_;
}

/// States that cannot be read must not write containers with a tangent.
bool TangentWriter::checkStates() {
    for (const HiddenState &h : program_.hidden())
        if (std::any_of(h.to.begin(), h.to.end(), [this](analysis::Memory m) { return hasTangent(m); })) {
            diag::Location place = analysis::placeOf(*h.state);
            place.file = context_.options.file;
            context_.diags.report(obstacleOfState(*h.state), place);
            failed_ = true;
        }
    return !failed_;
}

/// Symbols have no tangents, so none may be assigned a floating-point number that has one.
bool TangentWriter::checkSymbols() {
    SDFG &g = maker_.sdfg();
    const analysis::SymbolTypes &types = program_.symbolTypes();
    const auto isCarried = [&](Name n) { return g.desc(n) && isReal(g.desc(n)->dtype) && hasTangent(maker_.memories().of(g, n)); };
    const auto check = [&](Name symbol, const Code &value, diag::Location place) {
        for (const Name n : isReal(types.of(symbol)) ? analysis::namesInCode(value, g) : std::set<Name>())
            if (isCarried(n)) {
                place.file = context_.options.file;
                context_.diags.report({diag::Id::GradientOfContainer, symbol.str(),
                                       "a symbol whose value comes from `" + n.str() + "`", "let tasklets read the container"},
                                      place);
                failed_ = true;
            }
    };
    for (const Region *r : allRegions(g)) {
        for (const auto &e : r->edges())
            for (const auto &[symbol, value] : e->assignments)
                check(symbol, {value, Language::Python}, analysis::placeOf(*e, *r));
        const auto *l = dyn_cast<LoopRegion>(r);
        for (const std::optional<Code> *value : l ? std::vector{&l->init, &l->update} : std::vector<const std::optional<Code> *>())
            if (*value)
                check(l->variable, **value, analysis::placeOf(*l));
    }
    return !failed_;
}

std::vector<Item> TangentWriter::with(std::vector<Item> items, nest::Map *map) {
    std::vector<Item> out;
    for (Item &i : items) {
        if (i.map) {
            i.map->body = with(std::move(i.map->body), i.map.get());
            for (const auto &[data, tangent] : tangents_.all())
                if (i.map->locals.count(data))
                    i.map->locals.insert(tangent);
            out.push_back(std::move(i));
            continue;
        }
        TangentSite site{*i.step, map, {}, {}};
        const auto takesPart = [this](const Use &u) { return hasTangent(u.memory); };
        const auto &uses = i.step->uses;
        if (std::any_of(uses.begin(), uses.end(), [&](const Use &u) { return u.writes() && takesPart(u); })) {
            if (const auto obstacle = obstacleOfContainers(*i.step, maker_.sdfg(), takesPart))
                fail(obstacle->message, *obstacle->at);
            else
                step(site);
        }
        for (Item &b : site.before)
            out.push_back(std::move(b));
        out.push_back(std::move(i));
        for (Item &a : site.after)
            out.push_back(std::move(a));
    }
    return out;
}

void TangentWriter::step(TangentSite &site) {
    const Step &s = site.step;
    if (s.isCopy())
        return copy(site);
    const Node &n = *s.nodes.front();
    if (s.nodes.size() > 1)
        return fail(obstacleOfScope(n), n);
    if (const std::string rule = userRuleOf(n); !rule.empty())
        return fail({diag::Id::GradientOfNode,
                     "`" + n.label + "`: its rule `" + rule + "` is for gradients and does not define tangents",
                     "remove the property `gradient`, or use reverse mode"},
                    n);
    if (const auto *t = dyn_cast<Tasklet>(&n))
        return tasklet(site, *t);
    if (const auto *inner = dyn_cast<NestedSDFGNode>(&n))
        return nested(site, *inner);
    addTangentOfNode(*this, site, *cast<LibraryNode>(&n));
}

void TangentWriter::copy(TangentSite &site) {
    const Use &from = site.step.uses.front(), &to = site.step.uses.back();
    if (const auto why = obstacleOfCopy(site.step))
        return fail(*why, *to.access);
    if (!isActive(from))
        return clear(site);
    if (to.kind == UseKind::Update && !isSum(to.memlet.wcr))
        return fail({diag::Id::GradientOfUpdate, to.data.str(), "`" + to.memlet.wcr + "` is not a sum"}, *to.access);
    site.before.push_back(maker_.copy(tangent(from, {}), tangent(to, {})));
}

/// Adding a value without a tangent changes nothing.
void TangentWriter::clear(TangentSite &site) {
    for (const Use &u : site.step.uses) {
        if (!u.writes() || !isActive(u))
            continue;
        const auto subset = subsetOf(u);
        if (u.kind == UseKind::Update && isSum(u.memlet.wcr))
            continue;
        if (u.kind == UseKind::Update)
            return fail({diag::Id::GradientOfUpdate, u.data.str(), "`" + u.memlet.wcr + "` is not a sum"}, *u.access);
        if (!subset || u.memlet.dynamic)
            return fail({diag::Id::GradientOfContainer, u.data.str(), "written without a subset", ""}, *u.access);
        const Use t = tangent(u, {});
        site.before.push_back(maker_.fill(t.data, *subset, "0", site.inScope()));
    }
}

/// A tasklet with the original tasklet's connectors, and additional ones for tangents.
void TangentWriter::tasklet(TangentSite &site, const Tasklet &t) {
    const Step &s = site.step;
    if (leavesNoDerivative(s, t, [this](const Use &u) { return isActive(u); }))
        return clear(site);
    const auto made = signatureOf(
        s, t, maker_.sdfg(), program_.symbolTypes(), [this](const Use &u) { return hasTangent(u.memory); }, "d_", request_.ties);
    if (const auto *why = std::get_if<diag::Message>(&made))
        return fail(*why, t);
    const auto &signature = std::get<py::Signature>(made);
    const auto &parsed = t.code.asBlock();
    if (!parsed.value)
        return fail({diag::Id::GradientOfCode, parsed.error.message, ""}, t);
    const py::DerivativeOr derived = py::tangentOf(*parsed.value, signature);
    if (const auto *error = std::get_if<py::DerivativeError>(&derived))
        return fail(messageOf(*error), t);
    const auto &d = std::get<py::Derivative>(derived);
    auto node = std::make_shared<Tasklet>();
    node->label = t.label + "_tangent";
    node->code = {py::print(d.block), Language::Python};
    node->debugInfo = t.debugInfo;
    const py::BlockNames names = py::blockNames(d.block);
    std::vector<Use> uses;
    for (const Use &u : s.uses) {
        const Connector *c = u.writes() ? t.outConnector(u.connector) : t.inConnector(u.connector);
        if (!u.writes() && names.read.count(u.connector)) {
            if (desc(u).isStream())
                return fail(
                    {diag::Id::GradientStore, u.data.str(), "reading a stream removes its elements", "read it into an array first"},
                    t);
            uses.push_back(u);
            node->addIn(u.connector, c->type);
        }
        if (!isActive(u))
            continue;
        const Name name = signature.gradient(u.connector);
        if (u.writes() ? !d.results.count(u.connector) : !names.read.count(name))
            continue;
        uses.push_back(tangent(u, name));
        u.writes() ? node->addOut(name, c->type) : node->addIn(name, c->type);
    }
    if (std::any_of(uses.begin(), uses.end(), [](const Use &u) { return u.writes(); }))
        site.before.push_back(Maker::step(std::move(node), std::move(uses)));
}

/// The nested SDFG computes the tangents, too.
void TangentWriter::nested(TangentSite &site, const NestedSDFGNode &n) {
    if (const auto why = obstacleOfArguments(
            site.step, [this](const Use &u) { return isActive(u); }, program_.facts()))
        return fail(*why, n);
    if (!n.sdfg)
        return fail({diag::Id::GradientOfFlow, "a nested SDFG that is in another file", ""}, n);
    Step &s = site.step;
    const auto r = requestOfNested(
        s, [this](const Use &u) { return isActive(u); }, request_, Mode::Forward);
    if (const auto *why = std::get_if<diag::Message>(&r))
        return fail(*why, n);
    // Adopted by a state of this SDFG while it gets tangents, because nested code may refer to its surroundings.
    auto *inner = cast<NestedSDFGNode>(maker_.scratch().adopt(ir::clone(n)));
    if (!addTangents(*inner->sdfg, std::get<Request>(r), context_)) {
        failed_ = true;
        return;
    }
    std::shared_ptr<NestedSDFGNode> node(cast<NestedSDFGNode>(maker_.scratch().detachNode(inner).release()));
    const std::vector<Use> uses = s.uses;
    for (const Use &u : uses) {
        if (!isActive(u))
            continue;
        const Name name(request_.prefix + u.connector.str());
        s.uses.push_back(tangent(u, name));
        const Type type = Type::pointer(desc(u).dtype);
        u.writes() ? node->addOut(name, type) : node->addIn(name, type);
    }
    s.nodes = {node.get()};
    s.made = std::move(node);
}

// ---- used by rules

bool TangentWriter::isActive(const Use &u) const { return hasTangent(u.memory) && isReal(maker_.sdfg().desc(u.data)->dtype); }

Use TangentWriter::tangent(const Use &of, Name connector) {
    Use u = tangents_.use(of, of.kind, connector);
    u.memlet.dynamic = of.memlet.dynamic;
    u.memlet.volume = of.memlet.volume;
    u.memlet.wcr = of.memlet.wcr;
    u.certain = of.certain;
    return u;
}

Name TangentWriter::temporary(std::string_view name, const DataDesc &like, std::vector<sym::Expr> shape, TangentSite &site) {
    const Name out = maker_.transient(name, like, std::move(shape));
    if (site.map)
        site.map->locals.insert(out);
    return out;
}

void TangentWriter::fail(diag::Message message, const Node &at) {
    diag::Location place = analysis::placeOf(at);
    place.file = context_.options.file;
    context_.diags.report(std::move(message), place);
    failed_ = true;
}

} // namespace sdfgc::transforms::gradient
