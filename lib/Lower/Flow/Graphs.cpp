// Regions launched as one GPU graph.
//
// An edge connects two operations that use the same memory, if one of them writes it; edges implied by a path of others are left
// out. Memory is identified as for streams (sdfgc/Analysis/Streams/Streams.h), by the container behind views; but operations whose
// subsets are disjoint get no edge. Library calls run one after another, since they also share a workspace
// (runtime-headers/sdfgc/rt/gpu/graph_calls.h).
#include "Graphs.h"

#include "ControlFlow.h"

#include "sdfgc/Analysis/Device/GraphRegions.h"
#include "sdfgc/Analysis/Memory/Apart.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Tree/Effects.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sdfgc::tree::lowering {

using analysis::Memory;
using analysis::MemoryUse;

namespace {

/// The contents of a region, or of one of its loops.
struct Content {
    struct Operation {
        Node *statement; // with its node
        GraphNode *node;
        std::unique_ptr<Content> inside; // contents of a loop
    };
    std::vector<Operation> operations; // in host order
    std::vector<NodePtr> memory;       // statements that the host must run, taken out
    bool isGraph = true;               // besides operations, there are only declarations and flag reads
};

class OperationCollector {
public:
    OperationCollector(const Function &f, Block &region) : f_(f), table_(f) { conditionsIn(region); }

    Content run(Block &b) {
        Content out;
        block(b, out);
        return out;
    }

private:
    void conditionsIn(Block &b) {
        for (NodePtr &n : b.body) {
            if (auto *branch = dyn_cast<If>(n.get()); branch && branch->branches.size() == 1)
                n = asLoop(*branch);
            if (auto *l = dyn_cast<Loop>(n.get()))
                for (Name name : table_.own(*l).names)
                    conditions_[name] = l;
            forEachBlock(*n, [this](Block &inner) { conditionsIn(inner); });
        }
    }
    /// A branch of a graph becomes a loop that runs once.
    static NodePtr asLoop(If &branch) {
        auto loop = std::make_unique<Loop>();
        loop->form = Loop::Once;
        loop->origin = branch.origin;
        loop->condition = branch.branches[0].condition;
        loop->body.body = std::move(branch.branches[0].body->body);
        return loop;
    }
    void block(Block &b, Content &out) {
        for (NodePtr &n : b.body)
            statement(n, out);
        std::erase_if(b.body, [](const NodePtr &n) { return !n; });
    }
    void statement(NodePtr &n, Content &out) {
        switch (n->kind) {
        case TreeKind::Block:
            return block(static_cast<Block &>(*n), out);
        case TreeKind::Comment:
            return;
        case TreeKind::Declare:
            declared_.insert(table_.own(*n).declared.begin(), table_.own(*n).declared.end());
            return;
        case TreeKind::Launch:
            return operation(static_cast<Launch &>(*n), out);
        case TreeKind::DeviceCopy:
            if (auto &copy = static_cast<DeviceCopy &>(*n); !isLook(copy))
                operation(copy, out);
            return;
        case TreeKind::DeviceFill:
            return operation(static_cast<DeviceFill &>(*n), out);
        case TreeKind::LibraryCall:
            return operation(static_cast<LibraryCall &>(*n), out);
        case TreeKind::Synchronise: // after a flag read
            out.isGraph = out.isGraph && !conditions_.empty();
            return;
        case TreeKind::Loop: {
            operation(static_cast<Loop &>(*n), out);
            auto inside = std::make_unique<Content>(run(static_cast<Loop &>(*n).body));
            out.isGraph = out.isGraph && inside->isGraph && inside->memory.empty();
            out.operations.back().inside = std::move(inside);
            return;
        }
        case TreeKind::Allocate:
            if (static_cast<Allocate &>(*n).reserve && !usesDeclared(*n)) {
                out.memory.push_back(std::move(n));
                return;
            }
            [[fallthrough]];
        default:
            out.isGraph = false;
        }
    }
    template <class T> static void operation(T &n, Content &out) { out.operations.push_back({&n, &n, nullptr}); }
    /// Does the copy transfer a flag to the condition of a loop? It is then recorded in the loop.
    bool isLook(const DeviceCopy &c) {
        const auto loop = c.direction == DeviceCopy::DeviceToHost
                              ? conditions_.find(f_.vars[rootOf(f_, f_.refs[c.target].var)].name)
                              : conditions_.end();
        if (loop == conditions_.end())
            return false;
        loop->second->flag = c.source;
        return true;
    }
    bool usesDeclared(const Node &n) {
        const Effects &e = table_.of(n);
        return std::any_of(declared_.begin(), declared_.end(), [&e](Name d) { return e.has(d); });
    }

    const Function &f_;
    EffectTable table_;
    std::map<Name, Loop *> conditions_; // host variables that flags are copied to
    std::set<Name> declared_;
};

/// The workspace of library calls, which is not a container.
constexpr Memory workspace = -2;

bool callsLibrary(const analysis::GraphOperation &o) {
    return o.loop ? std::any_of(o.inside.begin(), o.inside.end(), callsLibrary) : o.node && isa<ir::Tasklet>(o.node);
}
std::vector<MemoryUse> usesOf(const analysis::GraphOperation &o) {
    std::vector<MemoryUse> uses = o.uses;
    if (callsLibrary(o))
        uses.push_back({workspace, true});
    return uses;
}

/// Builds the edges of a graph, one node at a time.
class Edges {
public:
    explicit Edges(analysis::ApartElements &apart) : apart_(apart) {}

    /// Records in `node`, the next one, which earlier nodes it must follow, and which ones share memory with it but need no
    /// ordering.
    void next(const analysis::GraphOperation &operation, GraphNode &node) {
        const int now = static_cast<int>(ancestors_.size());
        std::map<Memory, bool> writes;
        for (const MemoryUse &u : usesOf(operation))
            writes[u.memory] |= u.write;
        std::set<int> before, apart;
        for (const auto &[memory, write] : writes)
            order(memory, {now, write, &operation}, before, apart);
        node.node = now;
        node.after = reduced(before);
        for (int a : apart)
            if (!ancestors_.back()[static_cast<std::size_t>(a)])
                node.apart.emplace_back(a);
    }

private:
    /// A node that uses some memory.
    struct User {
        int node;
        bool write;
        const analysis::StreamStep *step; // null: uses all elements
    };
    /// If one memory has more users than this, elements are not compared.
    static constexpr std::size_t most = 64;

    /// Nodes that are already ordered need no comparison of elements: in a chain, there is one comparison per node.
    void order(Memory memory, User now, std::set<int> &before, std::set<int> &apart) {
        std::vector<User> &users = users_[memory];
        if (memory == workspace || users.size() >= most)
            now.step = nullptr;
        for (auto u = users.rbegin(); u != users.rend(); ++u) {
            if ((!u->write && !now.write) || isOrdered(u->node, before))
                continue;
            const bool isApart = u->step && now.step && apart_.of(*u->step, *now.step, memory);
            (isApart ? apart : before).insert(u->node);
        }
        if (now.write && !now.step)
            users.clear(); // later users follow this one, and so all of these
        users.push_back(now);
    }
    bool isOrdered(int node, const std::set<int> &before) const {
        return std::any_of(before.begin(), before.end(), [&](int b) {
            return b == node || (b > node && ancestors_[static_cast<std::size_t>(b)][static_cast<std::size_t>(node)]);
        });
    }
    std::vector<sym::Expr> reduced(const std::set<int> &before) {
        std::vector<bool> all(ancestors_.size(), false);
        std::vector<sym::Expr> out;
        for (auto b = before.rbegin(); b != before.rend(); ++b) { // later ones imply earlier ones
            const auto at = static_cast<std::size_t>(*b);
            if (all[at])
                continue;
            out.emplace_back(*b);
            all[at] = true;
            for (std::size_t i = 0; i < ancestors_[at].size(); ++i)
                all[i] = all[i] || ancestors_[at][i];
        }
        std::reverse(out.begin(), out.end());
        ancestors_.push_back(std::move(all));
        return out;
    }

    analysis::ApartElements &apart_;
    std::map<Memory, std::vector<User>> users_;
    std::vector<std::vector<bool>> ancestors_; // of each node, by index
};

/// Numbers the statements and gives them edges; false if they do not match the operations of the graph.
bool number(Content &content, const std::vector<analysis::GraphOperation> &operations, analysis::ApartElements &apart) {
    if (!content.isGraph || content.operations.size() != operations.size())
        return false;
    Edges edges(apart);
    for (std::size_t i = 0; i < operations.size(); ++i) {
        Content::Operation &is = content.operations[i];
        const bool isLoop = operations[i].loop != nullptr;
        const auto *loop = dyn_cast<Loop>(is.statement);
        if (isLoop != (loop && loop->flag) || (isLoop && !number(*is.inside, operations[i].inside, apart)))
            return false;
        edges.next(operations[i], *is.node);
        if (auto *call = dyn_cast<LibraryCall>(is.statement))
            call->element = elementName(*operations[i].node);
    }
    return true;
}

/// Removes the numbers again.
void unnumber(Content &content) {
    for (Content::Operation &is : content.operations) {
        *is.node = GraphNode();
        if (auto *loop = dyn_cast<Loop>(is.statement))
            loop->flag = RefId();
        if (auto *call = dyn_cast<LibraryCall>(is.statement))
            call->element.clear();
        if (is.inside)
            unnumber(*is.inside);
    }
}

} // namespace

void lowerGraph(Instance &in, ir::Region &formed, tree::Block &out) {
    auto region = std::make_unique<GraphRegion>();
    in.fn->names.open();
    const bool outer = std::exchange(in.fn->isInGraph, true);
    lowerRegion(in, formed, region->body);
    in.fn->isInGraph = outer;
    in.fn->names.close();
    const analysis::GraphOperations operations(formed, in.program().steps(), in.program().deviceLoops());
    Content content = OperationCollector(in.function(), region->body).run(region->body);
    for (NodePtr &n : content.memory)
        out.body.push_back(std::move(n));
    analysis::ApartElements apart(in.program().steps());
    if (!number(content, operations.all(), apart)) {
        unnumber(content);
        const std::string why = "the host must act between its operations";
        pass::Context &context = in.program().context;
        context.missed(formed, "no GPU graph", {diag::Why::Allocation, why});
        if (context.options.gpuGraph == pass::GpuGraphMode::Require) // it was changed after form-gpu-graphs
            context.diags.report(diag::Id::GraphRequired, analysis::placeOf(formed), "--gpu-graph require", why,
                                 "remove the mark `formed`, so that form-gpu-graphs creates the graph");
        region->body.braces = true;
        out.body.push_back(std::make_unique<tree::Block>(std::move(region->body)));
        return;
    }
    if (!operations.all().empty())
        region->stream = operations.all().back().stream;
    region->name = in.program().functionNames.take(identifierOf(formed.label, "graph_"), "_graph");
    region->comment = "graph " + formed.label;
    region->entries = std::max<int64_t>(1, formed.graphEntries);
    out.body.push_back(std::move(region));
}

} // namespace sdfgc::tree::lowering
