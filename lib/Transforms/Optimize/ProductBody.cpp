#include "Transforms/Optimize/ProductBody.h"

#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"

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

ConditionalBlock *conditionAround(LoopRegion &l) {
    auto *c = l.blocks().size() == 1 ? dyn_cast<ConditionalBlock>(l.blocks().front().get()) : nullptr;
    if (!c || c->branches().size() != 1 || !c->branches().front().condition || analysis::hasJump(l))
        return nullptr;
    const Code &code = *c->branches().front().condition;
    if (!code.isPython() || code.text().find_first_of("/%[.") != std::string::npos || analysis::callsFunctions(code.text()))
        return nullptr;
    const SDFG &g = *l.sdfg();
    const std::set<Name> assigned = analysis::assignedInside(l), names = analysis::namesInCode(code, g);
    const bool isSame = std::all_of(names.begin(), names.end(), [&](Name n) {
        return n != l.variable && !assigned.count(n) && !g.desc(n) && g.symbols.contains(n);
    });
    return isSame && analysis::changedSymbols(g).empty() ? c : nullptr;
}

void moveIntoCondition(LoopRegion &l, ConditionalBlock &c) {
    Region &around = *l.parent(), &branch = *c.branches().front().region;
    const Block *const start = around.start();
    const Block *const first = branch.start();
    Region::Content content = branch.release();
    std::unique_ptr<Block> conditional = l.detach(&c);
    l.adopt(std::move(content));
    l.setStart(const_cast<Block *>(first));
    Block &test = *around.adopt(std::move(conditional));
    takePlace(around, start, l, l, test, test);
    std::unique_ptr<Block> loop = around.detach(&l);
    branch.setStart(branch.adopt(std::move(loop)));
}

Reason ProductBody::read(LoopRegion &l, const CopyAsMap &copyAsMap) {
    level_ = {l.variable, analysis::headerOf(l).range()};
    const std::vector<Block *> blocks = analysis::sequenceOf(l);
    if (blocks.empty())
        return {Why::ControlFlow, "its body is not just a chain of states"};
    if (Reason why = readAssignments(l))
        return why;
    for (Block *b : blocks)
        if (Reason why = readBlock(*b, copyAsMap))
            return why;
    for (const auto &[name, index] : indices_) {
        const analysis::Place place = memories_.placeOf(g_, index.data);
        for (const Item &i : items_)
            for (const nest::PlacedUse &u : nest::usesOf(i))
                if (u.use->writes() && !memories_.apart(u.use->place(), place))
                    return {Why::Dependence, "its body writes index array `" + index.data.str() + "`"};
    }
    return {};
}

Reason ProductBody::readAssignments(LoopRegion &l) {
    for (const auto &e : l.edges())
        for (const auto &[name, text] : e->assignments) {
            const sym::ParseResult value = sym::parse(text, nullptr, [this](Name n) { return g_.desc(n) != nullptr; });
            const DataDesc *d =
                value.expr && value.expr->kind() == sym::SymbolicKind::Subscript ? g_.desc(value.expr->name()) : nullptr;
            const bool isIndex = d && (d->dtype.isInteger() || (onDevice_ && (d->dtype.isFloat() || d->dtype.isComplex())));
            if (!isIndex || !analysis::isPlain(d) || !d->isArray() || d->rank() != value.expr->operands().size() ||
                std::any_of(d->offset.begin(), d->offset.end(), [](sym::Expr o) { return !o.isZero(); }))
                return {Why::Symbol, "its body assigns `" + name.str() + "`, which is not an element of an index array"};
            const auto operands = value.expr->operands();
            nodes_.push_back(std::make_shared<AccessNode>(value.expr->name()));
            if (!indices_.emplace(name, Index{value.expr->name(), {operands.begin(), operands.end()}, nodes_.back().get()}).second)
                return {Why::Symbol, "its body assigns `" + name.str() + "` several times"};
        }
    for (const auto &[name, index] : indices_)
        for (const sym::Expr at : index.at)
            if (mentionsIndex({at.freeSymbols().begin(), at.freeSymbols().end()}))
                return {Why::Symbol, "the index of `" + index.data.str() + "` is an element itself"};
    return {};
}

Reason ProductBody::readBlock(Block &b, const CopyAsMap &copyAsMap) {
    if (auto *l = dyn_cast<LoopRegion>(&b); l && onDevice_)
        return readLoop(*l);
    if (auto *c = dyn_cast<ConditionalBlock>(&b); c && onDevice_)
        return readBranch(*c, copyAsMap);
    const auto *s = dyn_cast<State>(&b);
    if (!s || !nest::isReadable(*s))
        return {Why::ControlFlow, "its body is not just a chain of states"};
    states_.push_back(s);
    for (Item &i : nest::readState(*s, memories_, loops_.shared())) {
        if (onDevice_)
            readValues(i);
        items_.push_back(std::move(i));
    }
    return {};
}

Name ProductBody::make(std::string_view base, DataDesc d) {
    d.storage = Storage::CPU_Heap;
    const Name name = g_.freshName(base);
    g_.arrays.set(name, std::move(d));
    made_.insert(name);
    return name;
}

bool ProductBody::mentionsIndex(const std::set<Name> &names) const {
    return std::any_of(names.begin(), names.end(), [this](Name n) { return indices_.count(n) != 0; });
}

Reason ProductBody::whySymbols(const Item &i) const {
    if (indices_.empty())
        return {};
    const Reason why{Why::Symbol, "an element of an index array is more than the index of a factor of a product"};
    for (const nest::PlacedUse &u : nest::usesOf(i)) {
        for (const Node *n : u.step->nodes) {
            const auto *t = dyn_cast<Tasklet>(n); // in no state, if it was made
            if (mentionsIndex(analysis::freeSymbols(*n)) || (t && mentionsIndex(*t)))
                return why;
        }
        for (const auto *s : {&u.use->subset, &u.use->memlet.subset, &u.use->memlet.otherSubset})
            if (*s && mentionsIndex((*s)->freeSymbols()))
                return why;
        for (const analysis::LoopLevel &l : u.instance.loops)
            if (mentionsIndex(sym::Subset{{l.range}}.freeSymbols()))
                return why;
    }
    return {};
}

/// The dimension whose index is a gathered symbol, if no other one mentions any.
std::optional<std::size_t> ProductBody::gatheredDim(const sym::Subset &s) const {
    std::optional<std::size_t> out;
    for (std::size_t d = 0; d < s.rank(); ++d) {
        if (!mentionsIndex(sym::Subset{{s.dims[d]}}.freeSymbols()))
            continue;
        if (out || !s.dims[d].isPoint() || !s.dims[d].begin.isSymbol())
            return std::nullopt;
        out = d;
    }
    return out;
}

Reason ProductBody::gather(Step &product, const Map &like, const std::function<Name(std::size_t)> &parameter,
                           std::vector<Item> &before) {
    for (Use &u : product.uses) {
        const Use from = nest::throughView(u, g_);
        if (u.writes() || !from.subset || !mentionsIndex(from.subset->freeSymbols()))
            continue;
        const std::optional<std::size_t> dim = gatheredDim(*from.subset);
        const std::optional<sym::Subset> &own = u.memlet.subset;
        if (!dim || !own || own->nonUnitDims().size() != from.subset->nonUnitDims().size() ||
            !analysis::isPlain(g_.desc(from.data)) || !g_.desc(from.data)->isArray())
            return {Why::NotAffine, "`" + from.data.str() + "` has an index that is not just an element of an index array"};
        DataDesc d = DataDesc::array(g_.desc(from.data)->dtype, own->sizes(), true);
        const sym::Subset all = d.fullSubset();
        const Name name = make(from.data.str() + "_gathered", std::move(d));
        Use to = from;
        to.moveTo(name, memories_.of(g_, name));
        to.memlet = Memlet::simple(name, all);
        to.memlet.debugInfo = from.memlet.debugInfo;
        to.subset = all;
        to.connector = u.connector;
        to.node = u.node;
        before.push_back(copyOf(from, *dim, to, like, parameter));
        u = std::move(to);
    }
    return {};
}

/// A map that copies the elements of a factor that an index array selects: its tasklet reads the index, and the element at that
/// position of the entire dimension.
Item ProductBody::copyOf(const Use &from, std::size_t dim, const Use &to, const Map &like,
                         const std::function<Name(std::size_t)> &parameter) const {
    const Index &index = indices_.at(from.subset->dims[dim].begin.name());
    auto map = std::make_unique<Map>(nest::mapLike(*like.entry, "gather_" + from.data.str(), {}, {}));
    std::vector<sym::Expr> at;
    for (const std::size_t d : from.subset->nonUnitDims()) {
        map->params.push_back(parameter(map->params.size()));
        map->ranges.push_back({0, from.subset->dims[d].size() - 1, 1, 1});
        at.push_back(sym::Expr::symbol(map->params.back()));
    }
    sym::Subset every = nest::elementOf(*from.subset, at);
    every.dims[dim] = g_.desc(from.data)->fullSubset().dims[dim];
    Use whole = nest::ofElement(from, every, Name("__all")), where = from;
    whole.memlet.volume = 1;
    where.access = index.access;
    where.moveTo(index.data, memories_.of(g_, index.data));
    Use written = nest::ofElement(to, nest::elementOf(*to.subset, at), Name("__out"));
    written.kind = UseKind::Write;
    written.certain = true;
    for (Use *u : {&whole, &where, &written})
        u->node = 0;
    Item step = nest::taskletStep("gather", "__out = __all[__at]",
                                  {std::move(whole), nest::ofElement(where, sym::Subset::point(index.at), Name("__at"))},
                                  std::move(written), g_);
    std::shared_ptr<Tasklet> node(cast<Tasklet>(ir::clone(*step.step->nodes.front()).release()));
    node->inConnectors.front().type = Type::pointer(g_.desc(from.data)->dtype);
    step.step->nodes = {node.get()};
    step.step->made = std::move(node);
    for (const auto &n : nodes_)
        step.step->ends.push_back(n);
    if (map->params.empty())
        return step;
    map->body.push_back(std::move(step));
    return {std::move(map), nullptr};
}

} // namespace sdfgc::transforms
