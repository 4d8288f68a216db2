// Turns loops of a control-flow graph into LoopRegions.
//
// A loop is a header plus the nodes from which a jump back to it can be reached (the natural loop of its back edges).
// It becomes a single node. Its body is a separate graph, in which a jump to the header finishes the region (next
// iteration), and a jump to the node after the loop is a break. The first form that fits is used:
//     guard    the header is an empty state that chooses between body and exit:          for / while
//     latch    the only back edge comes from a node that chooses between it and exit:    do ... while
//     endless  everything else: `while True` with breaks (a header with dataflow runs before each test)
// Code that leaves the loop for good elsewhere (`if c: cleanup; break`, `return` in a loop) moves into the body with
// its branch.
#include "Transforms/Normalise/ControlFlow/Conditions.h"
#include "Transforms/Normalise/ControlFlow/Structure.h"

#include <algorithm>
#include <unordered_map>

namespace sdfgc::transforms::flow {
namespace {

using namespace ir;

enum class Form { Guard, Latch, Endless };

struct NaturalLoop {
    int header;
    std::vector<bool> contains;
    std::vector<int> nodes; // in reverse postorder
};

/// Where control continues after a loop, and how the loop decides.
struct Shape {
    Form form;
    int follow;             // exitNode: the region ends
    int decider = exitNode; // Guard: the header; Latch: the node that jumps back
    int exitJump = 0;       // index of its jump out; the other one stays in the loop
    Code condition{"True", Language::Python};
    std::vector<bool> members; // loop and absorbed tails, filled by absorb
};

NaturalLoop naturalLoop(const Graph &g, const Order &order, int header) {
    NaturalLoop l{header, std::vector<bool>(g.nodes.size(), false), {}};
    l.contains[header] = true;
    std::vector<int> open;
    for (int p : order.predecessors(header))
        if (order.dominates(header, p))
            open.push_back(p);
    while (!open.empty()) {
        int n = open.back();
        open.pop_back();
        if (l.contains[n])
            continue;
        l.contains[n] = true;
        open.insert(open.end(), order.predecessors(n).begin(), order.predecessors(n).end());
    }
    for (int n : order.nodes())
        if (l.contains[n])
            l.nodes.push_back(n);
    return l;
}

class LoopCollapser {
public:
    LoopCollapser(Graph &g, const Order &o, const NaturalLoop &l, Raising &r) : graph_(g), order_(o), loop_(l), raising_(r) {}

    /// False if no form fits; the graph is then unchanged.
    bool run() {
        // A form that is evident in the file comes first; otherwise, the follow node is the one that leaves the least code inside
        // the loop.
        std::optional<Shape> best;
        for (Shape &s : candidates()) {
            if (!absorb(s) || !isAllowed(s))
                continue;
            if (!best || memberCount(s) < memberCount(*best))
                best = std::move(s);
            if (best->form != Form::Endless)
                break;
        }
        if (best)
            collapse(*best);
        return best.has_value();
    }

private:
    static std::ptrdiff_t memberCount(const Shape &s) { return std::count(s.members.begin(), s.members.end(), true); }
    std::vector<Shape> candidates() const;
    void addDeciding(std::vector<Shape> &out, Form form, int node) const;
    bool absorb(Shape &s) const;
    bool isAllowed(const Shape &s) const;
    std::vector<Jump *> backJumps() const;
    void extractVariable(const Shape &s, LoopRegion &loop);
    Graph extractBody(Shape &s);
    int leaver(Graph &body, std::unique_ptr<Block> block, const std::string &label);
    void collapse(Shape &s);

    Graph &graph_;
    const Order &order_;
    const NaturalLoop &loop_;
    Raising &raising_;
};

std::vector<Jump *> LoopCollapser::backJumps() const {
    std::vector<Jump *> out;
    for (int n : loop_.nodes)
        for (Jump &j : graph_.nodes[n].jumps)
            if (j.target == loop_.header)
                out.push_back(&j);
    return out;
}

/// A node with two jumps: one stays in the loop (for a latch: goes to the header), and the other leaves it.
void LoopCollapser::addDeciding(std::vector<Shape> &out, Form form, int node) const {
    const auto &jumps = graph_.nodes[node].jumps;
    if (jumps.size() != 2)
        return;
    auto stays = [&](const Jump &j) {
        return form == Form::Latch ? j.target == loop_.header : j.target != exitNode && loop_.contains[j.target];
    };
    auto goesOut = [&](const Jump &j) { return j.target == exitNode || !loop_.contains[j.target]; };
    for (int out_ = 0; out_ < 2; ++out_) {
        const Jump &exit = jumps[out_], &stay = jumps[1 - out_];
        if (!stays(stay) || !goesOut(exit))
            continue;
        // The condition to stay: as written if the file has it, otherwise the negation of the condition to leave.
        std::optional<Code> condition;
        if (stay.conditional || !isAlwaysTrue(stay.condition))
            condition = stay.condition;
        else
            condition = negated(exit.condition);
        if (condition)
            out.push_back({form, exit.target, node, out_, *condition, {}});
    }
}

std::vector<Shape> LoopCollapser::candidates() const {
    std::vector<Shape> out;
    if (isEmptyState(*graph_.nodes[loop_.header].block))
        addDeciding(out, Form::Guard, loop_.header);
    std::vector<int> latches;
    for (int p : order_.predecessors(loop_.header))
        if (loop_.contains[p])
            latches.push_back(p);
    if (latches.size() == 1)
        addDeciding(out, Form::Latch, latches.front());

    // Endless: candidates for the follow node are nodes that only the loop reaches, and all targets of jumps out.
    std::vector<int> targets;
    for (int n : order_.nodes())
        if (!loop_.contains[n] && order_.dominates(loop_.header, n))
            targets.push_back(n);
    for (int n : loop_.nodes)
        for (const Jump &j : graph_.nodes[n].jumps)
            if (j.target != exitNode && !loop_.contains[j.target] && !order_.dominates(loop_.header, j.target))
                targets.push_back(j.target);
    constexpr std::size_t triesLimit = 64; // hostile graphs have thousands; then only the region's end is tried
    if (targets.size() > triesLimit)
        targets.resize(triesLimit);
    for (int t : targets)
        out.push_back({Form::Endless, t, exitNode, 0, {"True", Language::Python}, {}});
    out.push_back({Form::Endless, exitNode, exitNode, 0, {"True", Language::Python}, {}});
    return out;
}

/// Adds code that only the loop reaches and that does not lead to the follow node, until all jumps out are breaks, returns or jumps
/// back.
bool LoopCollapser::absorb(Shape &s) const {
    s.members = loop_.contains;
    if (s.follow != exitNode && s.members[s.follow])
        return false;
    auto onlyFromInside = [&](int n) {
        const auto &preds = order_.predecessors(n);
        return order_.dominates(loop_.header, n) && std::all_of(preds.begin(), preds.end(), [&](int p) { return s.members[p]; });
    };
    for (bool progress = true; progress;) {
        progress = false;
        bool waiting = false;
        for (int n : order_.nodes()) {
            if (!s.members[n])
                continue;
            for (const Jump &j : graph_.nodes[n].jumps) {
                if (j.target == s.follow)
                    continue;
                if (j.target == exitNode) {
                    if (graph_.kind != BlockKind::SDFG)
                        return false;
                } else if (!s.members[j.target]) {
                    if (onlyFromInside(j.target)) {
                        s.members[j.target] = true;
                        progress = true;
                    } else {
                        waiting = true;
                    }
                }
            }
        }
        if (!progress && waiting)
            return false;
    }
    return true;
}

/// Rules that depend on the absorbed code.
bool LoopCollapser::isAllowed(const Shape &s) const {
    std::size_t exits = 0;
    const Jump *exit = s.decider == exitNode ? nullptr : &graph_.nodes[s.decider].jumps[s.exitJump];
    for (int n : order_.nodes()) {
        if (!s.members[n])
            continue;
        if (graph_.nodes[n].height >= maxHeight || hasFreeBreak(*graph_.nodes[n].block))
            return false;
        for (const Jump &j : graph_.nodes[n].jumps)
            exits += j.target == s.follow;
    }
    // Assignments on the way out are placed after the loop, where a break would run them, too.
    if (exit && !exit->assignments.empty() && exits > 1)
        return false;
    // A latch's assignments run after its test; the update of an inverted loop can hold one of them.
    return s.form != Form::Latch || graph_.nodes[s.decider].jumps[1 - s.exitJump].assignments.size() <= 1;
}

const std::string *assigned(const Assignments &a, Name n) {
    for (const auto &[name, text] : a)
        if (name == n)
            return &text;
    return nullptr;
}

/// Can `n = ...` run after the other assignments of the edge? They must not read `n`, and its value must not read them.
bool isSeparable(const Assignments &a, Name n) {
    for (const auto &[name, text] : a) {
        auto read = namesRead(text);
        if (!read)
            return false;
        for (const auto &[other, unused] : a)
            if (other != name && read->count(other) && (name == n || other == n))
                return false;
    }
    return true;
}

void erase(Assignments &a, Name n) {
    std::erase_if(a, [&](const auto &item) { return item.first == n; });
}

std::string statement(Name n, const std::string &value) { return n.str() + " = " + value; }

/// Finds the loop variable: the condition reads it, the only jump into the loop initialises it, and all jumps back update it in the
/// same way.
void LoopCollapser::extractVariable(const Shape &s, LoopRegion &loop) {
    std::vector<Jump *> entering, back = backJumps();
    for (int n : order_.nodes())
        if (!loop_.contains[n])
            for (Jump &j : graph_.nodes[n].jumps)
                if (j.target == loop_.header)
                    entering.push_back(&j);
    auto read = namesRead(s.condition.text());
    if (s.form == Form::Endless || entering.size() != 1 || loop_.header == graph_.entry || !read)
        return;
    for (const auto &[name, update] : back.front()->assignments) {
        const std::string *init = assigned(entering.front()->assignments, name);
        bool alike = std::all_of(back.begin(), back.end(), [&, n = name, &u = update](const Jump *j) {
            const std::string *other = assigned(j->assignments, n);
            return other && *other == u && isSeparable(j->assignments, n);
        });
        if (!init || !alike || !read->count(name) || !isSeparable(entering.front()->assignments, name))
            continue;
        Name variable = name;
        loop.variable = variable;
        loop.init = Code{statement(variable, *init), Language::Python};
        loop.update = Code{statement(variable, update), Language::Python};
        erase(entering.front()->assignments, variable);
        for (Jump *j : back)
            erase(j->assignments, variable);
        return;
    }
}

int LoopCollapser::leaver(Graph &body, std::unique_ptr<Block> block, const std::string &label) {
    block->label = raising_.labels.fresh(label);
    return body.add(std::move(block), {});
}

/// Moves the members to a separate graph. The deciding jumps are removed from it.
Graph LoopCollapser::extractBody(Shape &s) {
    Graph body;
    body.kind = BlockKind::Loop;
    std::unordered_map<int, int> newIndex;
    Jump entry = Jump::to(loop_.header);
    if (s.form == Form::Guard) {
        entry = std::move(graph_.nodes[loop_.header].jumps[1 - s.exitJump]);
        entry.conditional = false;
        graph_.nodes[loop_.header].block = nullptr;
        graph_.nodes[loop_.header].jumps.clear();
    } else if (s.form == Form::Latch) {
        graph_.nodes[s.decider].jumps = {Jump::to(loop_.header)};
    }
    for (int n : order_.nodes())
        if (s.members[n] && graph_.nodes[n].block) {
            newIndex[n] = static_cast<int>(body.nodes.size());
            body.nodes.push_back(std::move(graph_.nodes[n]));
            graph_.nodes[n].jumps.clear();
        }
    auto redirected = [&](int target) {
        if (target == loop_.header)
            return exitNode;
        if (target == s.follow)
            return leaver(body, std::make_unique<BreakBlock>(), "break");
        if (target == exitNode)
            return leaver(body, std::make_unique<ReturnBlock>(), "return");
        return newIndex.at(target);
    };
    std::size_t members = body.nodes.size();
    for (std::size_t n = 0; n < members; ++n)
        for (std::size_t j = 0; j < body.nodes[n].jumps.size(); ++j) {
            int target = redirected(body.nodes[n].jumps[j].target);
            body.nodes[n].jumps[j].target = target;
        }
    if (s.form != Form::Guard) {
        body.entry = newIndex.at(loop_.header);
    } else if (entry.assignments.empty() && entry.target != loop_.header) {
        body.entry = newIndex.at(entry.target);
    } else {
        entry.target = redirected(entry.target);
        body.entry = body.add(emptyState(raising_.labels, "body"), {std::move(entry)});
    }
    return body;
}

void LoopCollapser::collapse(Shape &s) {
    auto loop = std::make_unique<LoopRegion>();
    const Block &header = *graph_.nodes[loop_.header].block;
    loop->label = raising_.labels.fresh("loop_" + header.label);
    loop->debugInfo = header.debugInfo;
    loop->condition = s.condition;
    if (s.form == Form::Guard || s.form == Form::Latch)
        extractVariable(s, *loop);

    std::vector<Jump> out{Jump::to(s.follow)};
    if (s.decider != exitNode) {
        Jump &exit = graph_.nodes[s.decider].jumps[s.exitJump];
        out.front().assignments = std::move(exit.assignments);
        out.front().debugInfo = exit.debugInfo;
    }
    if (s.form == Form::Latch) {
        loop->inverted = true;
        loop->updateBeforeCondition = false;
        const Assignments &rest = graph_.nodes[s.decider].jumps[1 - s.exitJump].assignments;
        if (!rest.empty()) {
            loop->variable = rest.front().first;
            loop->update = Code{statement(rest.front().first, rest.front().second), Language::Python};
        }
        if (!loop->update)
            loop->updateBeforeCondition = true;
    }
    Graph body = extractBody(s);
    int height = writeStructured(body, *loop, raising_);

    int collapsed = graph_.add(std::move(loop), std::move(out), height + 1);
    for (Node &n : graph_.nodes)
        for (Jump &j : n.jumps)
            if (j.target == loop_.header)
                j.target = collapsed;
    if (graph_.entry == loop_.header)
        graph_.entry = collapsed;
}

/// A backward jump whose target does not dominate its source, i.e. into the middle of a cycle.
std::vector<std::pair<int, int>> irreducibleJumps(const Graph &g, const Order &order) {
    std::vector<std::pair<int, int>> out;
    for (int n : order.nodes())
        for (const Jump &j : g.nodes[n].jumps)
            if (j.target != exitNode && order.position(j.target) <= order.position(n) && !order.dominates(j.target, n))
                out.emplace_back(n, j.target);
    return out;
}

/// The innermost remaining header, or exitNode.
int lastHeader(const Order &order) {
    for (auto n = order.nodes().rbegin(); n != order.nodes().rend(); ++n)
        for (int p : order.predecessors(*n))
            if (order.dominates(*n, p))
                return *n;
    return exitNode;
}

int commonDominator(const Order &order, int a, int b) {
    while (!order.dominates(a, b))
        a = order.idom(a);
    return a;
}

} // namespace

void collapseLoops(Graph &g, Raising &r) {
    while (true) {
        Order order(g);
        auto irreducible = irreducibleJumps(g, order);
        int header = lastHeader(order);
        if (header == exitNode && irreducible.empty())
            return;
        std::optional<NaturalLoop> loop;
        if (header != exitNode)
            loop = naturalLoop(g, order, header);
        // Loops with a jump into their middle wait until that part is wrapped.
        auto inside = [&](const auto &jump) { return loop->contains[jump.first] && loop->contains[jump.second]; };
        auto bad = loop ? std::find_if(irreducible.begin(), irreducible.end(), inside) : irreducible.begin();
        if (bad != irreducible.end())
            wrapUnstructured(g, order, {bad->first, bad->second}, commonDominator(order, bad->first, bad->second), r);
        else if (!LoopCollapser(g, order, *loop, r).run())
            wrapUnstructured(g, order, loop->nodes, header, r);
    }
}

} // namespace sdfgc::transforms::flow
