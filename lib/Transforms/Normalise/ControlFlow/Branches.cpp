// Writes acyclic control flow as a chain of blocks with nested conditional blocks.
//
// The dominator tree defines the nesting (Ramsey, Beyond Relooper, adapted to a language without labelled breaks).
// After a node come, in topological order, the nodes that it dominates immediately and that several jumps reach.
// Everything else that it dominates is placed in the branch that jumps to it. Each jump then either starts such an
// inner node, goes to where its branch ends anyway, or finishes the region (`continue` in a loop body, `return` in an
// SDFG). Any other jump would need a goto: that part is wrapped in an unstructured region, and the plan is recomputed.
#include "Transforms/Normalise/ControlFlow/Structure.h"

#include <algorithm>
#include <iterator>

namespace sdfgc::transforms::flow {
namespace {

using namespace ir;

constexpr int nestingLimit = 40; // nesting of branches; beyond it, following code is moved after them

// ---- the plan: the output, decided before anything is moved

struct Item;
using Sequence = std::vector<Item>;
struct Branch {
    const Jump *jump;
    Sequence body;
};
struct Item {
    enum class Kind { Block, Assignments, Conditional, Leave } kind;
    int node = 0;               // Block
    const Jump *jump = nullptr; // Assignments
    std::vector<Branch> branches;
};

/// A jump that the plan cannot express: from `node`; `target` cannot be reached from there without a goto.
struct Misfit {
    int node, target;
};

class Planner {
public:
    Planner(const Graph &g, const Order &order) : graph_(g), order_(order), merges_(g.nodes.size()), open_(g.nodes.size(), false) {
        for (int n : order.nodes())
            if (order.predecessors(n).size() > 1)
                merges_[order.idom(n)].push_back(n);
        markOpenSubtrees();
    }

    /// The code from `n` up to `next`, to which control falls through. Nothing after a misfit.
    std::optional<Sequence> plan(int n, int next, int depth);

    std::optional<Misfit> misfit;
    int height = 0; // deepest planned level of branches

private:
    void markOpenSubtrees();
    bool isMerge(int n) const { return order_.predecessors(n).size() > 1; }
    bool leaves(int n) const { return graph_.nodes[n].jumps.empty(); }
    int followOf(int n, int fall, int depth) const;
    bool isElseIf(const Jump &j, int fall) const;
    bool planConditional(Sequence &out, int n, int fall, int depth);
    bool planJump(Sequence &out, int from, const Jump &j, int fall, int depth);

    const Graph &graph_;
    const Order &order_;
    std::vector<std::vector<int>> merges_; // by dominator, in topological order
    std::vector<bool> open_;               // does a jump leave the node's dominator subtree other than by finishing the region?
};

void Planner::markOpenSubtrees() {
    for (int n : order_.nodes())
        for (const Jump &j : graph_.nodes[n].jumps)
            if (j.target != exitNode)
                for (int a = n; a != order_.idom(j.target) && !open_[a]; a = order_.idom(a))
                    open_[a] = true;
}

/// If the branches do not meet at a node, the code of one branch may still follow the conditional, provided that the others never
/// return to it: `if c: return` ... instead of an else branch around all following code. exitNode: none.
int Planner::followOf(int n, int fall, int depth) const {
    const auto &jumps = graph_.nodes[n].jumps;
    std::vector<int> inner, opening;
    bool leaver = false;
    for (const Jump &j : jumps) {
        if (j.target == fall && fall != exitNode)
            return exitNode;
        if (j.target == exitNode || leaves(j.target)) {
            leaver |= !j.implicit;
            continue;
        }
        if (isMerge(j.target))
            return exitNode;
        inner.push_back(j.target);
        if (open_[j.target])
            opening.push_back(j.target);
    }
    if (opening.size() == 1)
        return opening.front();
    if (!graph_.canLeaveAnywhere() || !opening.empty() || inner.empty())
        return exitNode;
    return (leaver && inner.size() == 1) || depth > nestingLimit ? inner.back() : exitNode;
}

/// Appends the effects of a jump. False after a misfit.
bool Planner::planJump(Sequence &out, int from, const Jump &j, int fall, int depth) {
    if (!j.assignments.empty())
        out.push_back({Item::Kind::Assignments, 0, &j, {}});
    if (j.target == fall)
        return true;
    if (j.target == exitNode) {
        if (graph_.canLeaveAnywhere()) {
            out.push_back({Item::Kind::Leave, 0, nullptr, {}});
            return true;
        }
    } else if (!isMerge(j.target) && depth < 2 * nestingLimit) {
        auto inner = plan(j.target, fall, depth + 1);
        if (inner)
            std::move(inner->begin(), inner->end(), std::back_inserter(out));
        return inner.has_value();
    }
    misfit = {from, j.target};
    return false;
}

/// Does the last branch only contain another test, whose branches can be added to the same conditional block?
bool Planner::isElseIf(const Jump &j, int fall) const {
    if (j.conditional || !j.assignments.empty() || j.target == exitNode || j.target == fall || isMerge(j.target))
        return false;
    const Node &n = graph_.nodes[j.target];
    return n.jumps.size() > 1 && merges_[j.target].empty() && isEmptyState(*n.block);
}

bool Planner::planConditional(Sequence &out, int n, int fall, int depth) {
    Item conditional{Item::Kind::Conditional, n, nullptr, {}};
    while (n != exitNode) {
        int furtherTest = exitNode;
        for (const Jump &j : graph_.nodes[n].jumps) {
            if (isElseIf(j, fall)) {
                furtherTest = j.target;
                break;
            }
            conditional.branches.push_back({&j, {}});
            if (!planJump(conditional.branches.back().body, n, j, fall, depth))
                return false;
        }
        n = furtherTest;
    }
    out.push_back(std::move(conditional));
    return true;
}

std::optional<Sequence> Planner::plan(int n, int next, int depth) {
    Sequence out;
    height = std::max(height, depth);
    std::vector<int> pending; // the following nodes, with the next one last
    while (true) {
        out.push_back({Item::Kind::Block, n, nullptr, {}});
        pending.insert(pending.end(), merges_[n].rbegin(), merges_[n].rend());
        auto fall = [&] { return pending.empty() ? next : pending.back(); };
        const auto &jumps = graph_.nodes[n].jumps;
        if (jumps.size() == 1 && jumps[0].target != exitNode && jumps[0].target != fall() && !isMerge(jumps[0].target)) {
            // A chain is handled without recursion, whatever its length.
            if (!jumps[0].assignments.empty())
                out.push_back({Item::Kind::Assignments, 0, &jumps[0], {}});
            n = jumps[0].target;
            continue;
        }
        if (jumps.size() == 1) {
            if (!planJump(out, n, jumps[0], fall(), depth))
                return std::nullopt;
        } else if (jumps.size() > 1) {
            if (merges_[n].empty())
                if (int follow = followOf(n, fall(), depth); follow != exitNode)
                    pending.push_back(follow);
            if (!planConditional(out, n, fall(), depth))
                return std::nullopt;
        }
        if (pending.empty())
            return out;
        n = pending.back();
        pending.pop_back();
    }
}

// ---- output

class Writer {
public:
    Writer(Graph &g, Raising &r) : graph_(g), raising_(r) {}

    void write(Sequence &sequence, Region &into) {
        Cursor c{into, nullptr, nullptr};
        for (Item &item : sequence)
            writeItem(item, c);
        if (c.pending || into.blocks().empty())
            append(c, emptyState(raising_.labels, "empty"));
        into.setStart(into.blocks().front().get());
    }

private:
    struct Cursor {
        Region &region;
        Block *last;
        const Jump *pending; // assignments for the edge to the next block
    };

    Block *append(Cursor &c, std::unique_ptr<Block> block) {
        if (c.pending && !c.last)
            c.last = c.region.adopt(emptyState(raising_.labels, "empty"));
        Block *b = c.region.adopt(std::move(block));
        if (c.last) {
            InterstateEdge *e = c.region.connect(c.last, b);
            if (c.pending) {
                e->assignments = c.pending->assignments;
                e->debugInfo = c.pending->debugInfo;
            }
        }
        c.pending = nullptr;
        return c.last = b;
    }

    void writeItem(Item &item, Cursor &c) {
        switch (item.kind) {
        case Item::Kind::Block:
            append(c, std::move(graph_.nodes[item.node].block));
            break;
        case Item::Kind::Assignments:
            if (c.pending) // two consecutive sets of assignments need a block between them
                append(c, emptyState(raising_.labels, "empty"));
            c.pending = item.jump;
            break;
        case Item::Kind::Conditional:
            writeConditional(item, c);
            break;
        case Item::Kind::Leave:
            append(c, leaveBlock());
            break;
        }
    }

    std::unique_ptr<Block> leaveBlock() {
        bool loop = graph_.kind == BlockKind::Loop;
        std::unique_ptr<Block> b;
        if (loop)
            b = std::make_unique<ContinueBlock>();
        else
            b = std::make_unique<ReturnBlock>();
        b->label = raising_.labels.fresh(loop ? "continue" : "return");
        return b;
    }

    void writeConditional(Item &item, Cursor &c) {
        // An empty trailing else branch is omitted, and so is a block whose branches are all empty.
        if (item.branches.back().body.empty())
            item.branches.pop_back();
        if (std::all_of(item.branches.begin(), item.branches.end(), [](const Branch &b) { return b.body.empty(); }))
            return;
        auto block = std::make_unique<ConditionalBlock>();
        block->label = raising_.labels.fresh("if_" + (c.last ? c.last->label : std::string("start")));
        block->debugInfo = item.branches.front().jump->debugInfo;
        ConditionalBlock *conditional = block.get();
        append(c, std::move(block));
        for (Branch &b : item.branches) {
            auto region = std::make_unique<Region>();
            region->label = raising_.labels.fresh("branch");
            write(b.body, *region);
            std::optional<Code> condition;
            if (b.jump->conditional)
                condition = b.jump->condition;
            conditional->addBranch(std::move(condition), std::move(region));
        }
    }

    Graph &graph_;
    Raising &raising_;
};

} // namespace

int writeStructured(Graph &g, Region &into, Raising &r) {
    while (true) {
        Order order(g);
        Planner planner(g, order);
        if (auto sequence = planner.plan(g.entry, exitNode, 0)) {
            int height = 0;
            for (int n : order.nodes())
                height = std::max(height, g.nodes[n].height);
            Writer(g, r).write(*sequence, into);
            return height + planner.height;
        }
        auto [from, target] = *planner.misfit;
        wrapUnstructured(g, order, {from}, target == exitNode || order.idom(target) == exitNode ? from : order.idom(target), r);
    }
}

} // namespace sdfgc::transforms::flow
