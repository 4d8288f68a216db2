// SD2165: a graph of the device is a list of operations on one stream, numbered in their order, with declarations of what they are given;
// and of two that use the same memory, one of them writing, one comes before the other by way of edges.
//
// What an operation uses is found here in the tree itself: the variables of its arguments, and what kernels do to their parameters.
// Lowering finds its edges in the graph instead (lib/Lower/Flow/Graphs.cpp).
#include "Rules.h"

#include <map>

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
    /// What variables that are declared as addresses stand for.
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
            if (const GraphNode *g = nodeOf(*n); g && (g->node >= 0 || !g->after.empty()))
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
        return dyn_cast<DeviceFill>(&n);
    }
    static int streamOf(const Node &n) {
        if (const auto *l = dyn_cast<Launch>(&n))
            return l->stream;
        if (const auto *c = dyn_cast<DeviceCopy>(&n))
            return c->stream;
        return static_cast<const DeviceFill &>(n).stream;
    }
    void fault(const Node &n, Name graph, const std::string &what) { r_.fault(diag::Id::TreeGraph, n, graph.str(), what); }

    void graph(const Block &b, Name name, int stream) {
        ancestors_.clear();
        last_.clear();
        statements(b, name, stream);
    }
    void statements(const Block &b, Name name, int stream) {
        for (const NodePtr &n : b.body) {
            if (n->kind == Kind::Block)
                statements(static_cast<const Block &>(*n), name, stream);
            else if (const GraphNode *g = nodeOf(*n))
                operation(*n, *g, name, stream);
            else if (n->kind != Kind::Declare && n->kind != Kind::Comment)
                fault(*n, name, "`" + std::string(keyword(n->kind)) + "` is no operation of the device");
        }
    }

    struct Use {
        VarId memory;
        bool write;
    };
    std::vector<Use> usesOf(const Node &n) const {
        std::vector<Use> uses;
        if (const auto *c = dyn_cast<DeviceCopy>(&n))
            return {{memoryOf(c->source), false}, {memoryOf(c->target), true}};
        if (const auto *f = dyn_cast<DeviceFill>(&n))
            return {{memoryOf(f->target), true}};
        const auto &l = static_cast<const Launch &>(n);
        const Function &kernel = *r_.m.functions[l.function];
        for (std::size_t i = 0; i < l.arguments.size() && i < kernel.params.size(); ++i)
            if (const Variable &p = kernel.vars[kernel.params[i]]; l.arguments[i].ref && p.kind == VarKind::Pointer)
                uses.push_back({memoryOf(l.arguments[i].ref), !p.isConst});
        return uses;
    }

    void operation(const Node &n, const GraphNode &g, Name name, int stream) {
        const int now = static_cast<int>(ancestors_.size());
        if (g.node != now)
            fault(n, name, "the operation has the number " + std::to_string(g.node) + ", not " + std::to_string(now));
        if (streamOf(n) != stream)
            fault(n, name, "an operation is on another stream");
        std::vector<bool> before(ancestors_.size(), false);
        for (sym::Expr e : g.after) {
            const int64_t at = e.asInt().value_or(-1);
            if (at < 0 || at >= now) {
                fault(n, name, "node " + std::to_string(now) + " comes after `" + e.str() + "`, which is no node before it");
                continue;
            }
            const std::vector<bool> &further = ancestors_[static_cast<std::size_t>(at)];
            for (std::size_t i = 0; i < further.size(); ++i)
                before[i] = before[i] || further[i];
            before[static_cast<std::size_t>(at)] = true;
        }
        ancestors_.push_back(before);
        for (const Use &u : usesOf(n)) {
            Last &last = last_[u.memory];
            check(n, name, u, last.writer, before);
            for (int reader : last.readers)
                if (u.write)
                    check(n, name, u, reader, before);
            if (u.write)
                last = {now, {}};
            else if (last.writer != now)
                last.readers.push_back(now);
        }
    }
    void check(const Node &n, Name name, const Use &u, int earlier, const std::vector<bool> &before) {
        const int now = static_cast<int>(ancestors_.size()) - 1;
        if (earlier >= 0 && earlier != now && !before[static_cast<std::size_t>(earlier)])
            fault(n, name,
                  "nothing says whether node " + std::to_string(earlier) + " or node " + std::to_string(now) +
                      " comes first; both use `" + r_.var(u.memory).name.str() + "`");
    }

    struct Last {
        int writer = -1;
        std::vector<int> readers = {}; // since then
    };
    Report &r_;
    std::map<VarId, VarId> targets_;
    std::vector<std::vector<bool>> ancestors_; // of the nodes of the graph
    std::map<VarId, Last> last_;
};

} // namespace

void graphs(Report &r) { Graphs(r).run(); }

} // namespace sdfgc::tree::rules
