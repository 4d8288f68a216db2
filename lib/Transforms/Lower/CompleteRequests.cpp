// complete-requests: a Wait takes the buffers that its request moves.
//
// An Isend reads its buffer, and an Irecv writes its own, up to the Wait; the graph says so of the node that starts, and nothing of the one
// that waits. After this pass a Wait reads what is being sent, and reads and writes what is being received. So each analysis of
// dataflow knows that a reader comes after the Wait, that memory must be there until then, and that nothing may be written before.
//
//   before   Irecv -> B, req         req -> Wait          B -> map                      (three states)
//   after    Irecv -> B, req         req, B -> Wait -> B  B -> map
//
// Steps, for each SDFG: (1) collect the nodes that start, by the container of their request; (2) walk over control flow with the set of
// those that are open, and report uses of their buffers (SD2160), requests that are open at the end (SD2161), and waits for what nobody
// has started (SD2162); (3) add to each Wait the buffers of all nodes with its container, as a whole: which elements are moved may be
// said in symbols that have other values by now.
//
// Left alone: requests that are arguments of a nested SDFG, beyond what stands in it; buffers under another name (views).
#include "sdfgc/Analysis/FlowWalk.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// An Isend or Irecv.
struct Operation {
    const LibraryNode *node;
    Name buffer, request;
    bool receives;
};

const LibraryNode *mpiNode(const Node &n) {
    const auto *l = dyn_cast<LibraryNode>(&n);
    return l && l->libraryName() == "mpi" ? l : nullptr;
}

std::optional<Operation> operationOf(const Node &n) {
    const LibraryNode *l = mpiNode(n);
    if (!l || (l->className() != "Isend" && l->className() != "Irecv"))
        return std::nullopt;
    const bool receives = l->className() == "Irecv";
    const Edge *buffer = receives ? l->outEdge("_buffer") : l->inEdge("_buffer"), *request = l->outEdge("_request");
    if (!buffer || !request)
        return std::nullopt; // its expansion says so
    return Operation{l, buffer->memlet.data, request->memlet.data, receives};
}

/// The container of the requests that a node waits for; empty for other nodes.
Name waitedFor(const Node &n) {
    const LibraryNode *l = mpiNode(n);
    const Edge *e = l && (l->className() == "Wait" || l->className() == "Waitall") ? l->inEdge("_request") : nullptr;
    return e ? e->memlet.data : Name();
}

/// The operations that may be open at a point.
struct Open {
    std::set<const LibraryNode *> nodes;
    void join(const Open &other) { nodes.insert(other.nodes.begin(), other.nodes.end()); }
    bool sameAs(const Open &other) const { return nodes == other.nodes; }
};

class RequestWalk : private analysis::FlowWalk<Open> {
public:
    RequestWalk(SDFG &g, const std::map<const LibraryNode *, Operation> &operations, pass::Context &context)
        : g_(g), operations_(operations), context_(context) {}

    void run() {
        Open end = whole(g_, {});
        end.join(atReturns_);
        for (const auto &[node, o] : operations_)
            if (const DataDesc *d = g_.desc(o.request); end.nodes.contains(node) && d && d->transient)
                report<diag::Id::RequestForgotten>(*node, o.request.str(), elementName(*node));
        for (const auto &[wait, found] : waits_)
            if (const DataDesc *d = g_.desc(waitedFor(*wait)); !found && d && d->transient)
                report<diag::Id::RequestUnknown>(*wait, elementName(*wait), waitedFor(*wait).str());
    }

private:
    Open state(State &s, const Open &in) override {
        Open now = in;
        for (Node *n : analysis::ScopeTree(s).order()) {
            if (const Name request = waitedFor(*n)) {
                const auto closed =
                    std::erase_if(now.nodes, [&](const LibraryNode *o) { return operations_.at(o).request == request; });
                waits_[n] |= closed > 0;
                continue;
            }
            for (const Edge *e : n->inEdges())
                uses(*n, *e, now);
            if (const auto at = operations_.find(dyn_cast<LibraryNode>(n)); at != operations_.end())
                now.nodes.insert(at->first);
        }
        return now;
    }
    void atReturn(Block &, const Open &in) override { atReturns_.join(in); }

    /// What an edge into a node reads, and what an edge into an access node writes.
    void uses(const Node &n, const Edge &e, const Open &now) {
        const auto *written = dyn_cast<AccessNode>(&n);
        const auto *read = dyn_cast<AccessNode>(analysis::pathSource(&e));
        if (read && !isa<AccessNode>(&n) && n.isCode())
            use(n, read->data, false, now);
        if (written && !e.memlet.isEmpty()) {
            if (read)
                use(n, read->data, false, now);
            if (!operations_.contains(dyn_cast<LibraryNode>(e.src)))
                use(*e.src, written->data, true, now);
        }
    }
    void use(const Node &n, Name data, bool writes, const Open &now) {
        for (const LibraryNode *open : now.nodes)
            if (const Operation &o = operations_.at(open);
                o.buffer == data && (writes || o.receives) && said_.insert({&n, open}).second)
                report<diag::Id::RequestOpen>(n, elementName(n), writes ? "writes" : "reads", data.str(), elementName(*open),
                                              o.receives ? "write" : "read");
    }
    template <diag::Id id, class... Words> void report(const Node &n, const Words &...words) {
        diag::Location place = analysis::placeOf(n);
        place.file = context_.options.file;
        context_.diags.report(id, place, words...);
    }

    SDFG &g_;
    const std::map<const LibraryNode *, Operation> &operations_;
    pass::Context &context_;
    Open atReturns_;
    std::map<const Node *, bool> waits_; // did it find something to wait for?
    std::set<std::pair<const Node *, const LibraryNode *>> said_;
};

class CompleteRequests : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        for (SDFG *g : allSDFGs(root))
            changed |= complete(*g, context);
        return changed;
    }

private:
    static bool complete(SDFG &g, pass::Context &context) {
        std::map<const LibraryNode *, Operation> operations;
        std::map<Name, std::map<Name, bool>> moved; // container of requests: buffers, and whether they are received into
        std::vector<Node *> waits;
        for (State *s : allStates(g))
            for (const auto &n : s->nodes()) {
                if (const std::optional<Operation> o = operationOf(*n)) {
                    operations.emplace(o->node, *o);
                    moved[o->request][o->buffer] |= o->receives;
                }
                if (waitedFor(*n))
                    waits.push_back(n.get());
            }
        if (operations.empty() && waits.empty())
            return false;
        RequestWalk(g, operations, context).run();
        bool changed = false;
        for (Node *wait : waits)
            for (const auto &[buffer, isReceived] : moved[waitedFor(*wait)])
                changed |= take(*wait, buffer, isReceived);
        for (State *s : allStates(g))
            s->renumber();
        return changed;
    }

    /// Gives a Wait a buffer, unless it has it.
    static bool take(Node &wait, Name buffer, bool isReceived) {
        State &s = *wait.state();
        const DataDesc *d = s.sdfg()->desc(buffer);
        int number = 0;
        for (const Edge *e : wait.inEdges()) {
            if (e->dstConn.view().starts_with("_buffer") && e->memlet.data == buffer)
                return false;
            number += e->dstConn.view().starts_with("_buffer");
        }
        const Name connector("_buffer" + std::to_string(number));
        auto typed = [&](Connector *c) { c->type = Type::pointer(d->dtype); };
        s.connect(s.add<AccessNode>(buffer), {}, &wait, connector, Memlet::simple(buffer, d->fullSubset()));
        typed(wait.inConnector(connector));
        if (isReceived) {
            s.connect(&wait, connector, s.add<AccessNode>(buffer), {}, Memlet::simple(buffer, d->fullSubset()))->memlet.dynamic =
                true;
            typed(wait.outConnector(connector));
        }
        return true;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createCompleteRequests() { return std::make_unique<CompleteRequests>(); }

} // namespace sdfgc::transforms
