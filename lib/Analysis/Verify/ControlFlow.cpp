// Rules of regions, blocks and inter-state edges.
//
// Symbols are followed along the edges in depth-first order from the start, as in DaCe's validation: an assignment defines its
// target for everything visited later, except for blocks that only other edges out of the same block lead to. So a symbol counts as
// undefined if no visited path has assigned it, whatever the order of the edges, as long as they are not part of a cycle.
#include "Analysis/Flow/Adjacency.h"
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;
using diag::Id;

class Verifier::OtherWays {
public:
    explicit OtherWays(Frame &f) : f_(f) {}
    /// Restores everything that was hidden.
    ~OtherWays() {
        for (Name n : hidden_)
            f_.define(n);
    }
    OtherWays(const OtherWays &) = delete;
    OtherWays &operator=(const OtherWays &) = delete;

    /// The number of definitions so far, which marks the start of those that a path adds.
    std::size_t mark() const { return f_.found.size(); }
    bool hasAdded(std::size_t mark) const { return f_.loops == 0 && f_.found.size() > mark; }
    /// Hides definitions made after the mark. Inside a loop nothing is hidden, because the next iteration may use it.
    void hide(std::size_t mark) {
        if (!hasAdded(mark))
            return;
        for (std::size_t i = mark; i < f_.found.size(); ++i) {
            f_.defined.erase(f_.found[i]);
            hidden_.push_back(f_.found[i]);
        }
        f_.found.resize(mark);
    }

private:
    Frame &f_;
    std::vector<Name> hidden_;
};

namespace {

bool leadsTo(const Block *from, const Block *to, const Adjacency &out, std::size_t blocks) {
    std::vector<bool> seen(blocks, false);
    std::vector<const Block *> open{from};
    seen[from->id()] = true;
    while (!open.empty()) {
        const Block *b = open.back();
        open.pop_back();
        if (b == to)
            return true;
        for (const InterstateEdge *e : out.edgesFrom(b))
            if (!seen[e->dst->id()]) {
                seen[e->dst->id()] = true;
                open.push_back(e->dst);
            }
    }
    return false;
}

} // namespace

void Verifier::regionShape(const Region &r) {
    if (r.blocks().size() > 1 && !r.start()) {
        std::vector<bool> entered(r.blocks().size(), false);
        for (const auto &e : r.edges())
            entered[e->dst->id()] = true;
        auto sources = std::count(entered.begin(), entered.end(), false);
        report(Id::AmbiguousStart, r, sources ? sources : r.blocks().size());
    }
    std::vector<std::string> labels;
    for (const auto &b : r.blocks())
        labels.push_back(b->label);
    std::sort(labels.begin(), labels.end());
    for (auto it = labels.begin(); it != labels.end();) {
        auto next = std::upper_bound(it, labels.end(), *it);
        if (next - it > 1)
            report(Id::DuplicateBlockLabel, r, next - it, *it);
        it = next;
    }
}

void Verifier::structure(const Region &r) {
    if (!atLeast(Level::Structured) || r.kind() == BlockKind::Unstructured)
        return;
    Adjacency out(r);
    for (const auto &b : r.blocks())
        if (out.edgesFrom(b.get()).size() > 1)
            report(Id::SeveralOutEdges, *b, out.edgesFrom(b.get()).size());
    // A cycle: there is a block that always has unprocessed in-edges.
    std::vector<std::size_t> waiting(r.blocks().size(), 0);
    for (const auto &e : r.edges())
        ++waiting[e->dst->id()];
    std::vector<const Block *> ready;
    for (const auto &b : r.blocks())
        if (waiting[b->id()] == 0)
            ready.push_back(b.get());
    for (std::size_t i = 0; i < ready.size(); ++i)
        for (const InterstateEdge *e : out.edgesFrom(ready[i]))
            if (--waiting[e->dst->id()] == 0)
                ready.push_back(e->dst);
    if (ready.size() != r.blocks().size())
        report(Id::ControlFlowCycle, r);
}

void Verifier::region(const Region &r, Frame &f) {
    std::size_t foreign = diags_.errorCount();
    for (const auto &e : r.edges())
        if (e->src->parent() != &r || e->dst->parent() != &r)
            report(Id::ForeignBlockEdge, placeOf(*e, r));
    if (diags_.errorCount() != foreign)
        return; // ids of the ends are meaningless here
    regionShape(r);
    structure(r);

    Adjacency out(r);
    std::vector<bool> seen(r.blocks().size(), false), entered(r.blocks().size(), false);
    for (const auto &e : r.edges())
        entered[e->dst->id()] = true;
    auto visit = [&](const Block *b) {
        seen[b->id()] = true;
        if (r.blocks().size() > 1 && isa<State>(b) && !entered[b->id()] && out.edgesFrom(b).empty())
            report(Id::IsolatedBlock, *b);
        block(*b, f);
    };
    struct Visit {
        const Block *block;
        std::size_t next = 0; // of its edges
        std::size_t mark = 0; // before the last one
    };
    std::vector<Visit> stack;
    auto walkFrom = [&](const Block *start) {
        OtherWays ways(f);
        visit(start);
        stack.push_back({start});
        while (!stack.empty()) {
            Visit &v = stack.back();
            const auto &edges = out.edgesFrom(v.block);
            if (v.next == edges.size()) {
                stack.pop_back();
                continue;
            }
            if (v.next > 0 && ways.hasAdded(v.mark) && !leadsTo(edges[v.next - 1]->dst, v.block, out, r.blocks().size()))
                ways.hide(v.mark);
            v.mark = ways.mark();
            const InterstateEdge *e = edges[v.next++];
            interstateEdge(*e, r, f);
            if (!seen[e->dst->id()]) {
                visit(e->dst);
                stack.push_back({e->dst});
            }
        }
    };
    if (const Block *start = r.start())
        walkFrom(start);
    for (const auto &b : r.blocks()) // unreachable blocks, or all if the start is unknown
        if (!seen[b->id()])
            walkFrom(b.get());
}

template <class Element> void Verifier::expectDefined(Name n, const Element &at, const Frame &f) {
    if (f.defined.count(n) || f.g.constant(n))
        return;
    std::vector<std::string> known;
    for (const auto &[name, type] : f.g.symbols)
        known.push_back(name.str());
    report(Id::SymbolNotDefined, at, n.str(), suggestion(n, known));
}

template <class Element> void Verifier::codeSymbols(const Code &code, const Element &at, Frame &f) {
    for (Name n : namesInCode(code, f.g))
        expectDefined(n, at, f);
    for (Name n : undeclaredIn(code, f.g))
        undeclared(at, n);
}

void Verifier::block(const Block &b, Frame &f) {
    switch (b.kind()) {
    case BlockKind::State:
        return state(static_cast<const State &>(b), f);
    case BlockKind::Loop:
        return loop(static_cast<const LoopRegion &>(b), f);
    case BlockKind::Conditional:
        return conditional(static_cast<const ConditionalBlock &>(b), f);
    case BlockKind::Break:
    case BlockKind::Continue:
        if (f.loops == 0)
            report(Id::JumpOutsideLoop, b, b.kind() == BlockKind::Break ? "break" : "continue");
        return;
    case BlockKind::Return:
        return;
    default:
        return region(static_cast<const Region &>(b), f);
    }
}

std::set<Name> Verifier::writtenBy(const std::optional<Code> &statement) {
    const Code::Block *block = statement ? statement->block() : nullptr;
    return block ? py::blockNames(*block).written : std::set<Name>();
}

/// Each statement of a loop assigns one symbol.
void Verifier::loopStatement(const LoopRegion &l, const Code &code, const SDFG &g) {
    const Code::Block *block = code.block();
    const py::Stmt *s = block && block->size() == 1 ? block->front().get() : nullptr;
    const bool assigns = s && (s->kind == py::StmtKind::Assign || s->kind == py::StmtKind::AugAssign) && s->targets.size() == 1 &&
                         s->targets[0]->kind == py::ExprKind::Name;
    if (!assigns)
        return report(Id::BadCode, l, "a loop statement must be one assignment to a symbol: `" + code.text() + "`");
    const Name target = s->targets[0]->name;
    if (!isSymbolName(target.view()))
        report(Id::NotAnIdentifier, l, "symbol", target.str());
    else if (g.arrays.contains(target))
        report(Id::NameClash, l, target.str());
    else if (g.constants.contains(target))
        constantWritten(l, target);
}

void Verifier::loop(const LoopRegion &l, Frame &f) {
    for (const auto *code : {&l.init, &l.update})
        if (*code && !(*code)->empty())
            loopStatement(l, **code, f.g);
    if (l.init)
        codeSymbols(*l.init, l, f);
    if (l.variable) {
        if (!isSymbolName(l.variable.view()))
            report(Id::NotAnIdentifier, l, "loop variable", l.variable.str());
        f.define(l.variable);
    }
    if (!l.condition)
        report(Id::LoopWithoutCondition, l);
    ++f.loops;
    region(l, f);
    --f.loops;
    for (const auto *code : {&l.condition, &l.update}) // after the body, which may assign symbols that a do-while loop tests
        if (*code)
            codeSymbols(**code, l, f);
}

void Verifier::conditional(const ConditionalBlock &c, Frame &f) {
    const auto &branches = c.branches();
    if (branches.empty())
        report(Id::EmptyConditional, c);
    OtherWays ways(f);
    for (std::size_t i = 0; i < branches.size(); ++i) {
        const std::size_t mark = ways.mark();
        if (branches[i].condition)
            codeSymbols(*branches[i].condition, c, f);
        else if (i + 1 != branches.size() || i == 0)
            report(Id::MisplacedElse, c, i + 1, branches.size());
        region(*branches[i].region, f);
        ways.hide(mark);
    }
}

void Verifier::interstateEdge(const InterstateEdge &e, const Region &r, Frame &f) {
    auto at = [&] { return placeOf(e, r); };
    std::set<Name> read;
    if (!e.isUnconditional()) {
        read = namesInCode(e.condition, f.g);
        for (Name n : undeclaredIn(e.condition, f.g))
            undeclared(at(), n);
    }
    std::set<Name> targets;
    for (const auto &[target, value] : e.assignments)
        targets.insert(target);
    for (const auto &[target, value] : e.assignments) {
        if (!isSymbolName(target.view()))
            report(Id::NotAnIdentifier, at(), "symbol", target.str());
        if (f.g.arrays.contains(target))
            report(Id::AssignmentToContainer, at(), target.str());
        else if (f.g.constants.contains(target))
            constantWritten(at(), target);
        for (Name n : undeclaredIn({value, Language::Python}, f.g))
            undeclared(at(), n);
        std::set<Name> names = namesInCode({value, Language::Python}, f.g);
        for (Name n : names)
            if (!(n == target) && targets.count(n))
                report(Id::AssignmentRace, at(), target.str(), value, n.str());
            else
                read.insert(n);
    }
    for (Name n : read) {
        if (!f.defined.count(n) && !f.g.constant(n))
            report(Id::SymbolNotDefined, at(), n.str(), "");
        const DataDesc *d = f.g.arrays.find(n);
        const bool callers = d && f.g.isRoot() && !d->transient; // mirror-host-reads mirrors other containers
        if (d && isGpuStorage(d->storage) && !f.onDevice && !f.undecided && (callers || atLeast(Level::Scheduled)))
            report(Id::DeviceDataOnHost, at(), n.str(), ir::name(d->storage));
    }
    for (Name n : targets)
        f.define(n);
}

} // namespace sdfgc::analysis
