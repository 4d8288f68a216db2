// SD2165: a device graph is a list of operations on one stream, and of loops of such operations, numbered in order, with
// declarations of their arguments. Of two that use the same memory, where at least one writes it, edges order one before the other.
// From outside, a loop is a single operation with all uses inside it and that of its flag. Library calls also share their
// workspace. In addition, there are the copies of flags to the host.
//
// The claim that two nodes use different elements (`apart`) is trusted: it follows from subsets, which a tree does not have. The
// emulation checks the elements themselves (docs/user/emulation.md).
//
// The uses of an operation are found in the tree itself: the variables of its arguments, and the accesses of kernels to their
// parameters. Lowering finds its edges in the graph instead (lib/Lower/Flow/Graphs.cpp).
#include "Rules.h"

#include <map>
#include <set>
#include <utility>

namespace sdfgc::tree::rules {
namespace {

class Graphs {
public:
    explicit Graphs(Report &r) : r_(r) { targets(r.f.body); }

    void run() {
        if (r_.f.graph)
            graph(r_.f.body, r_.f.name, r_.f.graph->stream);
        else
            outside(r_.f.body);
    }

private:
    /// The targets of variables that are declared as addresses.
    void targets(const Block &b) {
        for (const NodePtr &n : b.body) {
            if (const auto *d = dyn_cast<Declare>(n.get()); d && d->target)
                targets_[d->var] = r_.f.refs[d->target].var;
            forEachBlock(std::as_const(*n), [this](const Block &inner) { targets(inner); });
        }
    }
    VarId memoryOf(RefId r) const {
        VarId v = rootOf(r_.f, r_.f.refs[r].var);
        for (auto at = targets_.find(v); at != targets_.end() && at->second != v; at = targets_.find(v))
            v = rootOf(r_.f, at->second);
        return v;
    }

    void outside(const Block &b) {
        for (const NodePtr &n : b.body) {
            if (const GraphNode *g = nodeOf(*n); g && (g->node >= 0 || !g->after.empty() || !g->apart.empty()))
                fault(*n, "", "an operation outside of all graphs has a number");
            if (const auto *region = dyn_cast<GraphRegion>(n.get()))
                graph(region->body, region->name, region->stream);
            else
                forEachBlock(std::as_const(*n), [this](const Block &inner) { outside(inner); });
        }
    }
    static const GraphNode *nodeOf(const Node &n) {
        if (const auto *l = dyn_cast<Launch>(&n))
            return l;
        if (const auto *c = dyn_cast<DeviceCopy>(&n))
            return c;
        if (const auto *loop = dyn_cast<Loop>(&n))
            return loop;
        if (const auto *call = dyn_cast<LibraryCall>(&n); call && call->stream != LibraryCall::host)
            return call;
        return dyn_cast<DeviceFill>(&n);
    }
    static int streamOf(const Node &n) {
        if (const auto *l = dyn_cast<Launch>(&n))
            return l->stream;
        if (const auto *c = dyn_cast<DeviceCopy>(&n))
            return c->stream;
        if (const auto *call = dyn_cast<LibraryCall>(&n))
            return call->stream;
        return static_cast<const DeviceFill &>(n).stream;
    }
    void fault(const Node &n, Name graph, const std::string &what) { r_.fault(diag::Id::TreeGraph, n, graph.str(), what); }

    struct Use {
        VarId memory;
        bool write;
    };
    static constexpr VarId workspace = {}; // of library calls

    void graph(const Block &b, Name name, int stream) {
        flags_.clear();
        hasApart_ = false;
        look(b);
        level(b, name, stream);
    }
    void look(const Block &b) {
        for (const NodePtr &n : b.body) {
            if (const GraphNode *g = nodeOf(*n))
                hasApart_ = hasApart_ || !g->apart.empty();
            if (const auto *l = dyn_cast<Loop>(n.get()); l && l->flag)
                flags_.insert(memoryOf(l->flag));
            forEachBlock(std::as_const(*n), [this](const Block &inner) { look(inner); });
        }
    }
    /// Checks the nodes of the graph or of one of its loops, and returns their uses.
    std::vector<Use> level(const Block &b, Name name, int stream) {
        Level outer = std::exchange(level_, Level());
        statements(b, name, stream);
        std::vector<Use> all = std::move(level_.uses);
        level_ = std::move(outer);
        return all;
    }
    void statements(const Block &b, Name name, int stream) {
        for (const NodePtr &n : b.body) {
            if (n->kind == TreeKind::Block)
                statements(static_cast<const Block &>(*n), name, stream);
            else if (isLook(*n))
                continue;
            else if (const auto *l = dyn_cast<Loop>(n.get()); l && !l->flag)
                fault(*n, name, "a loop in it has a number of iterations that is determined on the host");
            else if (const GraphNode *g = nodeOf(*n))
                operation(*n, *g, name, stream);
            else if (n->kind != TreeKind::Declare && n->kind != TreeKind::Comment)
                fault(*n, name, "`" + std::string(keyword(n->kind)) + "` is not a device operation");
        }
    }
    /// Does the host path copy a flag to the host here, or wait for one?
    bool isLook(const Node &n) const {
        if (n.kind == TreeKind::Synchronise)
            return !flags_.empty();
        const auto *c = dyn_cast<DeviceCopy>(&n);
        return c && c->node < 0 && c->direction == DeviceCopy::DeviceToHost && flags_.count(memoryOf(c->source)) != 0;
    }

    std::vector<Use> usesOf(const Node &n, Name name, int stream) {
        std::vector<Use> uses;
        if (const auto *l = dyn_cast<Loop>(&n)) {
            uses = level(l->body, name, stream);
            uses.push_back({memoryOf(l->flag), false});
            return uses;
        }
        if (const auto *c = dyn_cast<DeviceCopy>(&n))
            return {{memoryOf(c->source), false}, {memoryOf(c->target), true}};
        if (const auto *f = dyn_cast<DeviceFill>(&n))
            return {{memoryOf(f->target), true}};
        if (const auto *call = dyn_cast<LibraryCall>(&n)) {
            uses.push_back({workspace, true});
            for (const LibraryCall::Argument &a : call->arguments)
                if (a.ref)
                    uses.push_back({memoryOf(a.ref), !a.isConst});
            return uses;
        }
        const auto &l = static_cast<const Launch &>(n);
        const Function &kernel = *r_.m.functions[l.function];
        for (std::size_t i = 0; i < l.arguments.size() && i < kernel.params.size(); ++i)
            if (const Variable &p = kernel.vars[kernel.params[i]]; l.arguments[i].ref && p.kind == VarKind::Pointer)
                uses.push_back({memoryOf(l.arguments[i].ref), !p.isConst});
        return uses;
    }

    void operation(const Node &n, const GraphNode &g, Name name, int stream) {
        const std::vector<Use> uses = usesOf(n, name, stream);
        std::vector<std::vector<bool>> &ancestors = level_.ancestors;
        const int now = static_cast<int>(ancestors.size());
        if (g.node != now)
            fault(n, name, "the operation has the number " + std::to_string(g.node) + ", not " + std::to_string(now));
        if (n.kind != TreeKind::Loop && streamOf(n) != stream)
            fault(n, name, "an operation is on another stream");
        std::vector<bool> before(ancestors.size(), false);
        for (sym::Expr e : g.after) {
            const int64_t at = e.asInt().value_or(-1);
            if (at < 0 || at >= now) {
                fault(n, name, "node " + std::to_string(now) + " comes after `" + e.str() + "`, which is not an earlier node");
                continue;
            }
            const std::vector<bool> &further = ancestors[static_cast<std::size_t>(at)];
            for (std::size_t i = 0; i < further.size(); ++i)
                before[i] = before[i] || further[i];
            before[static_cast<std::size_t>(at)] = true;
        }
        ancestors.push_back(before);
        level_.uses.insert(level_.uses.end(), uses.begin(), uses.end());
        std::set<int> apart = numbers(g.apart);
        for (const Use &u : uses) {
            std::vector<Earlier> &users = level_.users[u.memory];
            for (const Earlier &e : users)
                if ((e.write || u.write) && !apart.count(e.node))
                    check(n, name, u, e.node, before);
            if (u.write && !hasApart_) // later users follow this one, and so all of these
                users.clear();
            users.push_back({now, u.write});
        }
    }
    static std::set<int> numbers(const std::vector<sym::Expr> &of) {
        std::set<int> out;
        for (sym::Expr e : of)
            out.insert(static_cast<int>(e.asInt().value_or(-1)));
        return out;
    }
    void check(const Node &n, Name name, const Use &u, int earlier, const std::vector<bool> &before) {
        const int now = static_cast<int>(level_.ancestors.size()) - 1;
        if (earlier != now && !before[static_cast<std::size_t>(earlier)])
            fault(n, name,
                  "it is undefined whether node " + std::to_string(earlier) + " or node " + std::to_string(now) +
                      " comes first; both use " +
                      (u.memory ? "`" + r_.var(u.memory).name.str() + "`" : "the workspace of libraries"));
    }

    struct Earlier {
        int node;
        bool write;
    };
    /// The nodes of a graph, or of a loop in it.
    struct Level {
        std::vector<std::vector<bool>> ancestors; // of each node
        std::map<VarId, std::vector<Earlier>> users;
        std::vector<Use> uses; // of all
    };
    Report &r_;
    std::map<VarId, VarId> targets_;
    std::set<VarId> flags_; // of the loops of the graph
    bool hasApart_ = false; // some nodes of the graph are unordered because they use different elements
    Level level_;
};

} // namespace

void graphs(Report &r) { Graphs(r).run(); }

} // namespace sdfgc::tree::rules
