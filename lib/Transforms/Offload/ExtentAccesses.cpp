#include "Transforms/Offload/ExtentAccesses.h"

#include "Transforms/Edits/NamedElement.h"
#include "Transforms/Offload/AccessedExtent.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

class Finder {
public:
    Finder(SDFG &g, Name array, std::size_t dimension, const std::set<Name> &members, const ReduceNested &reduce)
        : g_(g), array_(array), dimension_(dimension), members_(members), reduce_(reduce) {}

    ExtentAccesses find() {
        keep(g_);
        const std::set<const Block *> leadToAccesses = out_.kept;
        for (const Block *b : allBlocks(g_)) {
            if (leadToAccesses.count(b))
                needBlock(*b);
            else if (!g_.isRoot() && readsInCondition(*b))
                fail("a condition or the header of a loop reads it");
        }
        for (const Region *r : allRegions(g_))
            for (const auto &e : r->edges())
                if (const auto found = out_.ofEdges.find(e.get()); found != out_.ofEdges.end())
                    for (const sym::Expr extent : found->second)
                        need(Code{extent.str()});
        while (out_.obstacle.empty() && (needEdges() || keepAssignments(g_))) {
        }
        if (out_.obstacle.empty())
            checkNeeded();
        return std::move(out_);
    }

private:
    void fail(std::string why) {
        if (out_.obstacle.empty())
            out_.obstacle = std::move(why);
    }

    /// Finds the accesses of a region, and the blocks that lead to them. Are there any?
    bool keep(Region &r) {
        bool found = !g_.isRoot() && keepEdges(r);
        for (const auto &b : r.blocks())
            if (keep(*b)) {
                out_.kept.insert(b.get());
                found = true;
            }
        return found;
    }

    /// Notes the elements that edges read: in a kernel, they are those of the device's copy. Are there any?
    bool keepEdges(const Region &r) {
        bool found = false;
        for (const auto &e : r.edges())
            for (const auto &[symbol, text] : e->assignments) {
                const auto times = std::ranges::count(analysis::containersRead(Code{text}, g_), array_);
                const std::vector<sym::Expr> indices = times == 0 ? std::vector<sym::Expr>() : indicesIn(text);
                if (indices.size() != static_cast<std::size_t>(times))
                    fail("an edge reads it in another form than `symbol = " + array_.str() + "[..]`");
                for (const sym::Expr index : indices) {
                    if (std::any_of(e->assignments.begin(), e->assignments.end(),
                                    [&](const auto &a) { return index.dependsOn(a.first); }))
                        fail("an edge assigns what an index on it needs");
                    out_.ofEdges[e.get()].push_back(index + 1);
                    found = true;
                }
            }
        return found;
    }

    /// The indices, in the dimension, of the elements that an expression reads.
    std::vector<sym::Expr> indicesIn(const std::string &text) const {
        std::vector<sym::Expr> out;
        for (const sym::Expr element : elementsRead(text, array_, g_))
            if (dimension_ < element.operands().size())
                out.push_back(element.operands()[dimension_]);
        return out;
    }

    bool keep(Block &b) {
        if (isJump(b.kind())) {
            fail("control flow jumps");
            return false;
        }
        if (auto *r = dyn_cast<Region>(&b))
            return keep(*r);
        bool found = false;
        if (auto *c = dyn_cast<ConditionalBlock>(&b))
            for (auto &branch : c->branches())
                found |= keep(*branch.region);
        if (auto *s = dyn_cast<State>(&b)) {
            std::vector<ExtentAccess> accesses = accessesOf(*s);
            found = !accesses.empty();
            out_.of[s] = std::move(accesses);
        }
        return found;
    }

    std::vector<ExtentAccess> accessesOf(State &s) {
        std::vector<ExtentAccess> out;
        const analysis::ScopeTree scopes(s);
        for (const auto &e : s.edges()) {
            const bool isOuter = e->src->isExit() || (isa<MapEntry>(e->dst) && isScopeInput(e->dstConn));
            if (isOuter || e->memlet.isEmpty())
                continue;
            for (const bool atSource : {true, false}) {
                const Node *end = atSource ? analysis::pathSource(e.get()) : analysis::pathDestination(e.get());
                const auto *a = dyn_cast<AccessNode>(end);
                if (!a || a->data != array_)
                    continue;
                const Node *inside =
                    isa<AccessNode>(e->dst) && !isa<AccessNode>(e->src) && !isa<MapEntry>(e->src) ? e->src : e->dst;
                std::vector<const MapEntry *> around;
                for (const Node *entry : scopes.enclosing(inside)) {
                    const auto *m = dyn_cast<MapEntry>(entry);
                    if (!m)
                        fail("a consume scope accesses it");
                    else
                        around.insert(around.begin(), m);
                }
                for (ExtentAccess &access : describe(*e, atSource)) {
                    access.around = around;
                    out.push_back(std::move(access));
                }
            }
        }
        return out;
    }

    std::vector<ExtentAccess> describe(const Edge &e, bool atSource) {
        const std::optional<sym::Subset> subset = atSource ? analysis::sourceSubset(&e) : analysis::destinationSubset(&e);
        if (!subset || dimension_ >= subset->rank()) {
            fail("a memlet does not say which elements it accesses");
            return {};
        }
        const sym::Range &range = subset->dims[dimension_];
        const bool isAll = *subset == g_.desc(array_)->fullSubset();
        const bool startsWithIt =
            std::all_of(subset->dims.begin(), subset->dims.end(), [](const auto &r) { return r.begin.isZero(); });
        if (auto *nested = dyn_cast<NestedSDFGNode>(atSource ? e.dst : e.src); nested && nested->sdfg && startsWithIt)
            return {{{}, sym::Expr::undefined(), nested}};
        if (e.memlet.dynamic)
            fail("a memlet with dynamic volume accesses it");
        else if (sym::isPositive(range.step) != sym::Truth::True)
            fail("a memlet steps through it backwards");
        else if (const auto *t = dyn_cast<Tasklet>(e.dst); t && isAll && subset->rank() == 1)
            if (std::vector<ExtentAccess> elements = elementsOf(*t, e.dstConn); !elements.empty())
                return elements;
        return {{{}, range.end + range.tile, nullptr}};
    }

    /// The elements of a connector that a tasklet reads: `x[at]`, where another connector is an element of a container. Empty if
    /// they are not known.
    std::vector<ExtentAccess> elementsOf(const Tasklet &t, Name connector) {
        const Code::Block *code = t.code.isPython() ? t.code.block() : nullptr;
        std::vector<ExtentAccess> out;
        if (!code)
            return out;
        std::map<Name, py::ExprRef> values; // of connectors
        for (const Edge *e : t.inEdges())
            if (e->dstConn != connector && e->memlet.subset && e->memlet.subset->isOneElement() && !e->memlet.dynamic)
                values[e->dstConn] = py::parseExprOrRaw(elementOf(*e, g_));
        bool isKnown = true;
        const std::function<void(const py::ExprRef &)> visit = [&](const py::ExprRef &x) {
            if (!x)
                return;
            if (x->kind == py::ExprKind::IfExp || x->kind == py::ExprKind::BoolOp ||
                (x->kind == py::ExprKind::Name && x->name == connector))
                isKnown = false;
            const bool isElement = x->kind == py::ExprKind::Subscript && x->args[0]->kind == py::ExprKind::Name &&
                                   x->args[0]->name == connector && x->args.size() == 2;
            if (!isElement) {
                std::for_each(x->args.begin(), x->args.end(), std::ref(visit));
                return;
            }
            const auto isContainer = [this](Name n) { return g_.desc(n) != nullptr; };
            const sym::ParseResult index = sym::parse(py::print(*py::substitute(x->args[1], values)), nullptr, isContainer);
            if (!index.expr)
                isKnown = false;
            else
                out.push_back({{}, *index.expr + 1, nullptr});
        };
        for (const py::StmtRef &statement : *code)
            if (statement->kind == py::StmtKind::Assign)
                visit(statement->value);
            else
                isKnown = false;
        for (const ExtentAccess &a : out)
            for (const Name n : a.extent.freeSymbols())
                if (t.inConnector(n) || !(g_.desc(n) || g_.symbols.find(n) || isParameter(t, n)))
                    isKnown = false;
        return isKnown ? out : std::vector<ExtentAccess>();
    }

    static bool isParameter(const Tasklet &t, Name n) {
        const analysis::ScopeTree scopes(*t.state());
        for (const Node *entry : scopes.enclosing(&t))
            if (const auto *m = dyn_cast<MapEntry>(entry); m && std::find(m->params.begin(), m->params.end(), n) != m->params.end())
                return true;
        return false;
    }

    /// Notes the symbols and containers that code reads.
    void need(const Code &c) {
        if (!c.isPython())
            return fail("control flow is not Python");
        for (const Name n : analysis::namesInCode(c, g_)) {
            if (analysis::isCallback(g_, n))
                fail("control flow calls `" + n.str() + "`");
            if (!g_.desc(n))
                out_.needed.insert(n);
        }
        for (const Name n : analysis::containersRead(c, g_))
            needContainer(n);
    }

    void needContainer(Name n) {
        if (computed_.count(n) || (!members_.count(n) && needComputed(n)))
            return;
        if (members_.count(n))
            g_.desc(n)->transient = false;
        if (const DataDesc *d = g_.desc(n); !d || d->transient || d->isView() || d->isReference())
            fail("it depends on `" + n.str() + "`, which the program computes");
        else
            out_.read.insert(n.str().substr(0, n.str().find('.')));
    }

    /// Is it computed by tasklets outside of scopes? Then these are kept, too.
    bool needComputed(Name n) {
        const DataDesc *d = g_.desc(n);
        if (!d || !d->transient || !(d->isScalar() || d->isArray()) || d->isView() || d->isReference())
            return false;
        std::vector<const Tasklet *> writers;
        for (const State *s : allStates(g_)) {
            const analysis::ScopeTree scopes(*s);
            for (const AccessNode *a : nodesOf<AccessNode>(*s))
                if (a->data == n)
                    for (const Edge *e : a->inEdges()) {
                        const auto *t = dyn_cast<Tasklet>(e->src);
                        if (!t || !t->code.isPython() || !e->memlet.wcr.empty() || !scopes.enclosing(t).empty())
                            return false;
                        writers.push_back(t);
                    }
        }
        computed_.insert(n);
        out_.read.insert(n);
        for (const Tasklet *t : writers)
            needTasklet(*t);
        return true;
    }

    void needTasklet(const Tasklet &t) {
        if (!out_.tasklets.insert(&t).second)
            return;
        for (const Name n : analysis::freeSymbols(static_cast<const Node &>(t)))
            out_.needed.insert(n);
        for (const auto *edges : {&t.inEdges(), &t.outEdges()})
            for (const Edge *e : *edges) {
                if (e->memlet.isEmpty())
                    continue;
                const Node *end = edges == &t.inEdges() ? e->src : e->dst;
                if (const auto *a = dyn_cast<AccessNode>(end); !a || a->data != e->memlet.data)
                    return fail("it depends on code that is not kept");
                needContainer(e->memlet.data);
                for (const Name n : e->memlet.subset ? e->memlet.subset->freeSymbols() : std::set<Name>())
                    need(Code{n.str()});
            }
        for (Block *b = t.state(); b != &g_; b = b->conditional() ? static_cast<Block *>(b->conditional()) : b->parent())
            if (out_.kept.insert(b).second)
                needBlock(*b);
    }

    void needBlock(const Block &b) {
        if (!g_.isRoot() && readsInCondition(b))
            fail("a condition or the header of a loop reads it");
        if (const auto *l = dyn_cast<LoopRegion>(&b))
            for (const auto *code : {&l->init, &l->condition, &l->update})
                if (*code)
                    need(**code);
        if (const auto *c = dyn_cast<ConditionalBlock>(&b))
            for (const auto &branch : c->branches())
                if (branch.condition)
                    need(*branch.condition);
        if (const auto *s = dyn_cast<State>(&b))
            needAccesses(out_.of[s]);
    }

    bool readsInCondition(const Block &b) const {
        std::vector<Name> read;
        if (const auto *l = dyn_cast<LoopRegion>(&b))
            read = analysis::containersRead(*l, g_);
        if (const auto *c = dyn_cast<ConditionalBlock>(&b))
            read = analysis::containersRead(*c, g_);
        return std::find(read.begin(), read.end(), array_) != read.end();
    }

    void needAccesses(std::vector<ExtentAccess> &accesses) {
        std::vector<ExtentAccess> out;
        for (ExtentAccess &a : accesses) {
            needAccess(a);
            const auto plain = a.nested ? plain_.find(a.nested) : plain_.end();
            if (plain == plain_.end()) {
                out.push_back(std::move(a));
                continue;
            }
            for (const sym::Expr e : plain->second) {
                out.push_back({a.around, e, nullptr});
                need(Code{e.str()});
            }
        }
        accesses = std::move(out);
    }

    void needAccess(const ExtentAccess &a) {
        for (const MapEntry *m : a.around) {
            for (const sym::Range &r : m->ranges)
                for (const sym::Expr e : {r.begin, r.end, r.step})
                    need(Code{e.str()});
            for (const Edge *e : m->inEdges())
                if (analysis::isDynamicRange(e->dstConn)) {
                    const auto *from = dyn_cast<AccessNode>(analysis::pathSource(e));
                    if (!from || from->data != e->memlet.data || !e->memlet.subset || !e->memlet.subset->isOneElement())
                        return fail("a map's range is not an element of a container");
                    if (g_.desc(e->dstConn) && elementOf(*e, g_) != e->dstConn.str())
                        return fail("`" + e->dstConn.str() + "` is a container and a bound of a map");
                    need(Code{elementOf(*e, g_)});
                }
        }
        if (a.nested)
            needNested(*a.nested);
        else
            need(Code{a.extent.str()});
    }

    /// Reduces a nested SDFG, and notes what it needs.
    void needNested(NestedSDFGNode &n) {
        if (!reduced_.insert(&n).second)
            return;
        Name inside;
        for (const auto *edges : {&n.inEdges(), &n.outEdges()})
            for (const Edge *e : *edges)
                if (e->memlet.data == array_) {
                    const Name connector = edges == &n.inEdges() ? e->dstConn : e->srcConn;
                    if (inside && inside != connector)
                        return fail("a nested SDFG gets it twice");
                    inside = connector;
                }
        const DataDesc *outer = g_.desc(array_), *inner = inside ? n.sdfg->desc(inside) : nullptr;
        const std::map<Name, sym::Expr> mapping(n.symbolMapping.begin(), n.symbolMapping.end());
        if (!inner || inner->rank() != outer->rank() || inner->dtype != outer->dtype ||
            sym::substitute(inner->strides[dimension_], mapping) != outer->strides[dimension_])
            return fail("a nested SDFG gets it in another shape");
        std::vector<sym::Expr> extents;
        if (const std::string why = reduce_(*n.sdfg, inside, extents); !why.empty())
            return fail(why);
        for (const sym::Expr e : extents)
            plain_[&n].push_back(sym::substitute(e, mapping));
        if (!extents.empty())
            return;
        for (const Name s : analysis::requiredSymbols(*n.sdfg))
            if (const sym::Expr *value = n.mapped(s))
                need(Code{value->str()});
        for (const auto &[name, d] : n.sdfg->arrays)
            if (name != extentOutput() && !d.transient)
                needInput(n, name);
    }

    void needInput(const NestedSDFGNode &n, Name connector) {
        const Edge *e = n.inEdge(connector);
        const auto *from = e ? dyn_cast<AccessNode>(analysis::pathSource(e)) : nullptr;
        if (!from || from->data != e->memlet.data)
            return fail("it depends on `" + connector.str() + "`, which the program computes");
        needContainer(from->data);
        for (const Name s : e->memlet.subset ? e->memlet.subset->freeSymbols() : std::set<Name>())
            need(Code{s.str()});
    }

    /// Adds what symbols are computed of. Was there anything new?
    bool needEdges() {
        const std::size_t before = out_.needed.size();
        for (const Region *r : allRegions(g_))
            for (const auto &e : r->edges()) {
                if (!e->isUnconditional() && !isa<ConditionalBlock>(e->src))
                    fail("control flow is not structured");
                for (const auto &[symbol, text] : e->assignments)
                    if (out_.needed.count(symbol))
                        need(Code{text});
            }
        return out_.needed.size() > before;
    }

    /// Keeps blocks that assign what is needed. Were there others?
    bool keepAssignments(const Region &r) {
        bool added = false;
        for (const auto &b : r.blocks()) {
            const std::set<Name> assigned = analysis::assignedIn(*b);
            if (std::none_of(assigned.begin(), assigned.end(), [&](Name n) { return out_.needed.count(n) != 0; }))
                continue;
            if (out_.kept.insert(b.get()).second) {
                added = true;
                needBlock(*b);
            }
            if (const auto *inner = dyn_cast<Region>(b.get()))
                added |= keepAssignments(*inner);
            if (const auto *c = dyn_cast<ConditionalBlock>(b.get()))
                for (const auto &branch : c->branches())
                    added |= keepAssignments(*branch.region);
        }
        return added;
    }

    /// Parameters of maps become symbols.
    void checkNeeded() {
        std::set<Name> assigned;
        for (const Region *r : allRegions(g_)) {
            for (const auto &e : r->edges())
                for (const auto &[symbol, text] : e->assignments)
                    assigned.insert(symbol);
            if (const auto *l = dyn_cast<LoopRegion>(r))
                assigned.insert(l->variable);
        }
        const std::set<Name> passed = analysis::freeSymbols(g_);
        for (const auto &[state, accesses] : out_.of)
            for (const ExtentAccess &a : accesses)
                for (const MapEntry *m : a.around)
                    for (const Name p : m->params)
                        if (assigned.count(p) || passed.count(p))
                            fail("`" + p.str() + "` is a parameter of a map and a symbol");
    }

    SDFG &g_;
    const Name array_;
    const std::size_t dimension_;
    const std::set<Name> &members_;
    const ReduceNested &reduce_;
    ExtentAccesses out_;
    std::set<const NestedSDFGNode *> reduced_;
    std::map<const NestedSDFGNode *, std::vector<sym::Expr>> plain_; // their extents, if they are nothing else
    std::set<Name> computed_;                                        // containers that kept tasklets write
};

} // namespace

std::string elementOf(const Edge &e, const SDFG &g) {
    if (g.desc(e.memlet.data)->isScalar())
        return e.memlet.data.str();
    std::string index;
    for (const sym::Range &r : e.memlet.subset->dims)
        index += (index.empty() ? "" : ", ") + r.begin.str();
    return e.memlet.data.str() + "[" + index + "]";
}

ExtentAccesses findAccesses(SDFG &g, Name array, std::size_t dimension, const std::set<Name> &members, const ReduceNested &reduce) {
    return Finder(g, array, dimension, members, reduce).find();
}

} // namespace sdfgc::transforms
