// Control flow: regions to statement lists, loops, branches; unstructured regions to labels and jumps.
#include "Lowering.h"

#include <algorithm>

namespace sdfgc::tree {

using namespace ir;

namespace {

std::vector<int> originOf(const ir::Block &b) {
    const Region *r = b.parent();
    return r ? std::vector<int>{r->cfgId, static_cast<int>(b.id())} : std::vector<int>{};
}

/// Can a region be written as a sequence: does every block have at most one out-edge, unconditional, and no cycle?
bool isSequence(const Region &r) {
    if (r.kind() == BlockKind::Unstructured)
        return false;
    std::vector<const ir::Block *> next(r.blocks().size(), nullptr);
    std::vector<bool> has(r.blocks().size(), false);
    for (const auto &e : r.edges()) {
        if (has[e->src->id()] || !e->isUnconditional())
            return false;
        has[e->src->id()] = true;
        next[e->src->id()] = e->dst;
    }
    const ir::Block *at = r.start();
    for (std::size_t steps = 0; at; at = next[at->id()])
        if (++steps > r.blocks().size())
            return false;
    return true;
}

bool containsContinue(const Region &r) {
    for (const auto &b : r.blocks()) {
        if (b->kind() == BlockKind::Continue)
            return true;
        if (const auto *inner = dyn_cast<Region>(b.get()); inner && inner->kind() != BlockKind::Loop && containsContinue(*inner))
            return true;
        if (const auto *c = dyn_cast<ConditionalBlock>(b.get()))
            for (const auto &branch : c->branches())
                if (containsContinue(*branch.region))
                    return true;
    }
    return false;
}

} // namespace

// ---------------------------------------------------------------------------------------------------- sequences

void Lowering::region(Instance &in, Region &r, tree::Block &out) {
    if (r.blocks().empty())
        return;
    ir::Block *at = r.start();
    if (!at) {
        error(diag::Id::LowerUnsupported, analysis::placeOf(r), "a region without a start block", "give `start_block`");
        return;
    }
    if (!isSequence(r))
        return unstructured(in, r, out);
    std::vector<InterstateEdge *> next(r.blocks().size(), nullptr);
    for (const auto &e : r.edges())
        next[e->src->id()] = e.get();
    while (at) {
        block(in, *at, out);
        InterstateEdge *e = next[at->id()];
        if (!e)
            break;
        assignments(in, *e, r, out);
        at = e->dst;
    }
}

void Lowering::block(Instance &in, ir::Block &b, tree::Block &out) {
    switch (b.kind()) {
    case BlockKind::State:
        return state(in, static_cast<State &>(b), out);
    case BlockKind::Loop:
        return loop(in, static_cast<LoopRegion &>(b), out);
    case BlockKind::Conditional:
        return conditional(in, static_cast<ConditionalBlock &>(b), out);
    case BlockKind::Break:
        out.add<Break>();
        return;
    case BlockKind::Continue:
        if (loops_ && loops_->loop->continueLabel)
            out.add<Goto>(loops_->loop->continueLabel);
        else
            out.add<Continue>();
        return;
    case BlockKind::Return:
        out.add<Return>();
        return;
    default:
        return region(in, static_cast<Region &>(b), out);
    }
}

void Lowering::assignments(Instance &in, const InterstateEdge &e, const Region &r, tree::Block &out) {
    diag::Location where = analysis::placeOf(*e.src);
    where.element = elementName(e, r);
    for (const auto &[symbol, text] : e.assignments)
        if (py::ExprRef value = expression(in, text, Language::Python, where))
            assignSymbol(in, symbol, value, out);
}

/// Symbols that the SDFG assigns itself are variables of the function; the loop variables of regions among them.
void Lowering::declareSymbols(Instance &in, tree::Block &out) {
    for (const auto &[symbol, inferred] : analysis::definedSymbols(*in.g)) {
        const Type *declared = in.g->symbols.find(symbol);
        Type t = symbolVariableType(declared && *declared ? *declared : inferred);
        auto mapped = in.symbols.find(symbol);
        VarId v = declareValue(in, symbol, t);
        auto *d = out.add<Declare>(v);
        if (mapped != in.symbols.end())
            d->init = toPy(in, mapped->second); // an argument or mapped symbol that is assigned again inside
        in.symbols[symbol] = sym::Expr::symbol(varName(in, v));
        in.symbolTypes[symbol] = t;
    }
}

// ---------------------------------------------------------------------------------------------------- loops and branches

void Lowering::loop(Instance &in, LoopRegion &l, tree::Block &out) {
    diag::Location where = analysis::placeOf(l);
    auto *node = out.add<Loop>();
    node->comment = l.label.empty() ? "" : "loop " + l.label;
    node->origin = originOf(l);
    node->unroll = l.unroll;
    node->unrollFactor = l.unrollFactor;
    if (l.inverted)
        node->form = l.updateBeforeCondition ? Loop::DoWhile : Loop::TestLast;
    auto statement = [&](const std::optional<ir::Code> &code) -> py::StmtRef {
        if (!code || code->empty())
            return nullptr;
        auto parsed = py::parseBlock(code->text);
        if (!parsed.value || parsed.value->size() != 1 || (*parsed.value)[0]->kind != py::StmtKind::Assign ||
            (*parsed.value)[0]->targets.size() != 1 || (*parsed.value)[0]->targets[0]->kind != py::ExprKind::Name) {
            error(diag::Id::BadCode, where, "a loop statement must be one assignment: `" + code->text + "`");
            return nullptr;
        }
        const py::Stmt &s = *(*parsed.value)[0];
        auto it = in.symbols.find(s.targets[0]->name);
        py::ExprRef value = expression(in, py::print(*s.value), Language::Python, where);
        if (it == in.symbols.end() || !value)
            return nullptr;
        return py::assign(py::name(it->second.name(), in.symbolTypes[s.targets[0]->name]), value);
    };
    node->init = statement(l.init);
    if (l.condition && !l.condition->empty())
        node->condition = expression(in, l.condition->text, l.condition->language, where);
    node->update = statement(l.update);
    if (l.inverted && node->update && containsContinue(l))
        node->continueLabel = Name("next_" + std::to_string(in.fn->labels++));
    LoopContext context{node, loops_};
    loops_ = &context;
    in.fn->names.open();
    region(in, l, node->body);
    in.fn->names.close();
    loops_ = context.outer;
    if (node->continueLabel)
        node->body.add<Label>(node->continueLabel);
}

void Lowering::conditional(Instance &in, ConditionalBlock &c, tree::Block &out) {
    diag::Location where = analysis::placeOf(c);
    auto *node = out.add<If>();
    node->origin = originOf(c);
    for (const auto &branch : c.branches()) {
        If::Branch b;
        if (branch.condition)
            b.condition = expression(in, branch.condition->text, branch.condition->language, where);
        b.body = std::make_unique<tree::Block>();
        in.fn->names.open();
        region(in, *branch.region, *b.body);
        in.fn->names.close();
        node->branches.push_back(std::move(b));
    }
}

// ---------------------------------------------------------------------------------------------------- labels and jumps

/// Every block gets a label and is its own C++ scope, so that no jump passes a declaration. Conditions are tested in edge order, an
/// unconditional edge last; where none holds the region is left (format reference 5.5).
void Lowering::unstructured(Instance &in, Region &r, tree::Block &out) {
    int id = in.fn->labels++;
    auto labelOf = [&](const ir::Block *b) { return Name("block_" + std::to_string(id) + "_" + std::to_string(b->id())); };
    Name end("end_" + std::to_string(id));
    std::vector<ir::Block *> order{r.start()};
    for (const auto &b : r.blocks())
        if (b.get() != r.start())
            order.push_back(b.get());
    std::vector<std::vector<InterstateEdge *>> edges(r.blocks().size());
    for (const auto &e : r.edges())
        edges[e->src->id()].push_back(e.get());

    for (std::size_t i = 0; i < order.size(); ++i) {
        ir::Block *b = order[i];
        out.add<Label>(labelOf(b));
        auto *body = out.add<tree::Block>();
        body->braces = true;
        in.fn->names.open();
        block(in, *b, *body);
        auto &list = edges[b->id()];
        std::stable_partition(list.begin(), list.end(), [](const InterstateEdge *e) { return !e->isUnconditional(); });
        bool left = false;
        for (InterstateEdge *e : list) {
            tree::Block *target = body;
            if (!e->isUnconditional()) {
                diag::Location where = analysis::placeOf(*b);
                where.element = elementName(*e, r);
                auto *branch = body->add<If>();
                branch->branches.push_back(
                    {expression(in, e->condition.text, e->condition.language, where), std::make_unique<tree::Block>()});
                target = branch->branches.back().body.get();
            } else {
                left = true;
            }
            assignments(in, *e, r, *target);
            target->add<Goto>(labelOf(e->dst));
            if (left)
                break;
        }
        if (!left && i + 1 < order.size())
            body->add<Goto>(end);
        in.fn->names.close();
    }
    out.add<Label>(end);
}

} // namespace sdfgc::tree
