// What the body of a loop with products may contain for a device besides states: see ProductBody.h.
//
// Symbols that are elements of arrays become reads of the tasklets that use them.
//
// A branch without `else` becomes part of the maps in it: each tasklet keeps the old value unless the condition holds. Legal when
//   1. the condition consists of symbols and functions of numbers;
//   2. tasklets assign one floating-point value, without divisions of integers, and access elements that exist in any case.
//
// A loop moves into the maps in it, which become one map. Legal when
//   1. the maps have the same ranges, which do not depend on the loop (MapsTogether.h);
//   2. the other steps compute scalars from values that no map writes, before each use: every iteration of the map computes
//      them for itself.
#include "Transforms/Optimize/MapsTogether.h"
#include "Transforms/Optimize/ProductBody.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::Use;
using nest::UseKind;

namespace {

/// The Python tasklet of a step that only reads and writes single elements, and writes one.
const Tasklet *simpleTasklet(const Step &s) {
    const auto *t = s.nodes.size() == 1 ? dyn_cast<Tasklet>(s.nodes.front()) : nullptr;
    if (!t || !t->code.isPython() || s.effects || !s.renamed.empty() ||
        std::count_if(s.uses.begin(), s.uses.end(), [](const Use &u) { return u.writes(); }) != 1)
        return nullptr;
    const bool isSimple = std::all_of(s.uses.begin(), s.uses.end(), [](const Use &u) {
        return u.access && !u.memlet.dynamic && u.memlet.data == u.data && u.subset && u.subset->isOneElement();
    });
    return isSimple ? t : nullptr;
}

const Use &writtenBy(const Step &s) {
    return *std::find_if(s.uses.begin(), s.uses.end(), [](const Use &u) { return u.writes(); });
}

/// The same step with other code and further reads.
std::unique_ptr<Step> changed(const Step &s, std::string code, std::vector<Use> more, const SDFG &g) {
    std::vector<Use> reads;
    for (const Use &u : s.uses)
        if (!u.writes())
            reads.push_back(u);
    std::move(more.begin(), more.end(), std::back_inserter(reads));
    Use written = writtenBy(s);
    for (Use &u : reads)
        u.node = 0;
    written.node = 0;
    Item i = nest::taskletStep(s.nodes.front()->label, std::move(code), std::move(reads), std::move(written), g);
    i.step->ends = s.ends;
    return std::move(i.step);
}

bool hasAssignment(const Region &r) {
    return std::any_of(r.edges().begin(), r.edges().end(), [](const auto &e) { return !e->assignments.empty(); });
}

/// Functions that conditions may call.
bool isFunctionOfNumbers(Name n) {
    return n == Name("abs") || n == Name("min") || n == Name("max") || n.str().starts_with("math.");
}

} // namespace

Reason ProductBody::readStates(Region &r, std::vector<Item> &out) {
    const Reason other{Why::ControlFlow, "its body contains more control flow than a loop or branch of states"};
    const std::vector<Block *> blocks = analysis::sequenceOf(r);
    if (blocks.empty() || hasAssignment(r))
        return other;
    for (Block *b : blocks) {
        const auto *s = dyn_cast<State>(b);
        if (!s || !nest::isReadable(*s))
            return other;
        states_.push_back(s);
        for (Item &i : nest::readState(*s, memories_, loops_.shared())) {
            readValues(i);
            out.push_back(std::move(i));
        }
    }
    return {};
}

void ProductBody::readValues(Item &i, std::vector<Name> params) const {
    if (i.map) {
        params.insert(params.end(), i.map->params.begin(), i.map->params.end());
        for (Item &inner : i.map->body)
            readValues(inner, params);
        return;
    }
    const Tasklet *t = simpleTasklet(*i.step);
    if (!t)
        return;
    std::vector<Use> more;
    const py::BlockNames names = py::blockNames(t->code.blockOrRaw());
    for (const auto &[name, index] : indices_) {
        const Type *type = g_.symbols.find(name);
        const bool isConnector =
            std::any_of(i.step->uses.begin(), i.step->uses.end(), [n = name](const Use &u) { return u.connector == n; });
        const sym::Subset element = sym::Subset::point(index.at);
        if (!names.read.count(name) || nest::mentions(element, params) || names.written.count(name) || isConnector || !type ||
            !(*type == g_.desc(index.data)->dtype))
            continue;
        Use u;
        u.access = index.access;
        u.moveTo(index.data, memories_.of(g_, index.data));
        more.push_back(nest::ofElement(u, element, name));
    }
    if (more.empty())
        return;
    i.step = changed(*i.step, t->code.text(), std::move(more), g_);
    for (const auto &n : nodes_)
        i.step->ends.push_back(n);
}

bool ProductBody::mentionsIndex(const Tasklet &t) const {
    std::set<Name> names = py::blockNames(t.code.blockOrRaw()).read;
    for (const Connector &c : t.inConnectors)
        names.erase(c.name);
    return mentionsIndex(names);
}

// ---- branches

Reason ProductBody::readBranch(ConditionalBlock &c, const CopyAsMap &copyAsMap) {
    const Reason other{Why::ControlFlow, "its body contains more than one branch without `else`"};
    if (c.branches().size() != 1 || !c.branches().front().condition)
        return other;
    const auto &branch = c.branches().front();
    if (Reason why = whyNoCondition(*branch.condition))
        return why;
    std::vector<Item> items;
    if (Reason why = readStates(*branch.region, items))
        return why;
    for (Item &i : items) {
        if (nest::hasEffects(i))
            return {Why::Effects, "a branch in it has effects that its memlets do not describe"};
        if (i.step && i.step->isCopy())
            if (Reason why = copyAsMap(i))
                return why;
        if (Reason why = guard(i, branch.condition->text(), *branch.region, {level_}))
            return why;
        readValues(i); // of the condition
        items_.push_back(std::move(i));
    }
    return {};
}

Reason ProductBody::whyNoCondition(const Code &condition) const {
    const Reason other{Why::ControlFlow, "the condition `" + condition.text() + "` in it needs more than symbols"};
    if (!condition.isPython() || condition.text().find_first_of("/%[") != std::string::npos)
        return other;
    const auto parsed = py::parseBlock("_ = " + condition.text());
    if (!parsed.value)
        return other;
    const py::BlockNames names = py::blockNames(*parsed.value);
    const auto isSymbol = [this](Name n) {
        return !g_.desc(n) && g_.symbols.contains(n) &&
               (!mentionsIndex({n}) || *g_.symbols.find(n) == g_.desc(indices_.at(n).data)->dtype);
    };
    return std::all_of(names.called.begin(), names.called.end(), isFunctionOfNumbers) &&
                   std::all_of(names.read.begin(), names.read.end(), isSymbol)
               ? Reason()
               : other;
}

/// Lets the tasklets of an item keep the old values unless the condition holds. A container that only the branch uses may get new
/// ones in any case.
Reason ProductBody::guard(Item &i, const std::string &condition, const Region &branch, std::vector<analysis::LoopLevel> loops) {
    if (i.map) {
        analysis::addLoops(loops, *i.map);
        for (Item &inner : i.map->body)
            if (Reason why = guard(inner, condition, branch, loops))
                return why;
        return {};
    }
    const Reason other{Why::ControlFlow, "a branch in it contains more than assignments of floating-point values"};
    const Tasklet *t = simpleTasklet(*i.step);
    const Code::Block *code = t ? t->code.block() : nullptr;
    if (!code || code->size() != 1 || code->front()->kind != py::StmtKind::Assign || code->front()->targets.size() != 1 ||
        t->code.text().find("//") != std::string::npos || t->code.text().find('%') != std::string::npos)
        return other;
    const std::set<Name> named = py::freeNames(**py::parseExpr(condition).value);
    if (std::any_of(loops.begin() + 1, loops.end(), [&](const analysis::LoopLevel &l) { return named.count(l.variable) != 0; }) ||
        std::any_of(i.step->uses.begin(), i.step->uses.end(), [&](const Use &u) { return named.count(u.connector) != 0; }))
        return {Why::Names, "names of its condition `" + condition + "` have another meaning in the branch"};
    const Use &written = writtenBy(*i.step);
    const DataDesc &d = *g_.desc(written.data);
    const py::ExprRef target = code->front()->targets.front();
    if (written.kind != UseKind::Write || !(d.dtype.isFloat() || d.dtype.isComplex()) || target->kind != py::ExprKind::Name ||
        target->name != written.connector)
        return other;
    for (const Use &u : i.step->uses)
        if (!analysis::isPlain(g_.desc(u.data)) ||
            !analysis::isCovered({*u.subset, loops}, {g_.desc(u.data)->fullSubset(), loops}, 0, conflicts_.facts()))
            return {Why::OutOfBounds, "a branch in it prevents accesses outside of `" + u.data.str() + "`"};
    if (nest::isScratch(d) && loops_.isOnlyInside(written.data, branch)) {
        unguarded_.insert(written.data);
        return {};
    }
    Use old = nest::ofElement(written, *written.subset, Name("__old"));
    old.kind = UseKind::Read;
    old.certain = false;
    auto choice = std::make_shared<py::Expr>();
    choice->kind = py::ExprKind::IfExp;
    choice->args = {*py::parseExpr(condition).value, code->front()->value, py::name(Name("__old"))};
    i.step = changed(*i.step, py::print({py::assign(target, std::move(choice))}), {std::move(old)}, g_);
    return {};
}

// ---- loops

Reason ProductBody::readLoop(LoopRegion &l) {
    const analysis::LoopHeader header = analysis::headerOf(l);
    if (!l.optimize || !header.hasEnd() || !header.isOfIntegers(g_) || l.variable == level_.variable || loops_.isReadOutside(l) ||
        mentionsIndex(sym::Subset{{header.range()}}.freeSymbols()))
        return {Why::LoopForm, "a loop in it does not count to a known end"};
    std::vector<Item> items;
    if (Reason why = readStates(l, items))
        return why;
    std::set<Name> scalars;
    if (Reason why = readScalars(items, l, scalars))
        return why;
    MapsTogether maps(g_, conflicts_, {l.variable, header.range()}, scalars);
    if (Reason why = maps.read(items))
        return why;
    auto inner = std::make_unique<Map>();
    inner->made = nest::entryFor(l);
    inner->entry = inner->made.get();
    inner->params = {l.variable};
    inner->ranges = {header.walk()};
    std::unique_ptr<Map> all = maps.join(std::move(items));
    std::swap(inner->body, all->body);
    inner->locals = std::move(all->locals);
    inner->locals.insert(scalars.begin(), scalars.end());
    all->locals.clear();
    all->body.push_back({std::move(inner), nullptr});
    items_.push_back({std::move(all), nullptr});
    inner_.insert(scalars.begin(), scalars.end());
    innerVariables_.insert(l.variable);
    return {};
}

/// The scalars that the steps between the maps of a loop compute; or why not every iteration of the maps can compute them.
Reason ProductBody::readScalars(const std::vector<Item> &items, const LoopRegion &l, std::set<Name> &scalars) const {
    std::set<Name> used;
    for (const Item &i : items) {
        if (i.step) {
            const Tasklet *t = simpleTasklet(*i.step);
            const Reason other{Why::Shape, "a loop in it contains more than maps and tasklets that compute scalars"};
            if (!t)
                return other;
            const Use &written = writtenBy(*i.step);
            const DataDesc &d = *g_.desc(written.data);
            if (!nest::isScratch(d) || !d.totalSize.isOne() || !loops_.isOnlyInside(written.data, l) || !written.certain ||
                used.count(written.data) || !scalars.insert(written.data).second)
                return other;
        }
        for (const nest::PlacedUse &u : nest::usesOf(i))
            used.insert(u.use->data);
    }
    for (const Item &i : items)
        for (const nest::PlacedUse &u : nest::usesOf(i)) {
            if (i.map && u.use->writes() && scalars.count(u.use->data))
                return {Why::Shape, "a map in it writes `" + u.use->data.str() + "`"};
            if (!i.step || u.use->writes() || scalars.count(u.use->data))
                continue;
            for (const Item &other : items)
                for (const nest::PlacedUse &w : nest::usesOf(other))
                    if (w.use->writes() && !memories_.apart(w.use->place(), u.use->place()))
                        return {Why::Dependence, "a scalar in it is computed from `" + u.use->data.str() + "`, which changes"};
        }
    return {};
}

} // namespace sdfgc::transforms
