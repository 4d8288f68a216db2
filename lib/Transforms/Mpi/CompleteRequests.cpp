// complete-requests: add to each MPI Wait the buffers that its request transfers.
//
//   before   Irecv -> B, req         req -> Wait          B -> map                      (three states)
//   after    Irecv -> B, req         req, B -> Wait -> B  B -> map
//
// An Isend reads its buffer, and an Irecv writes its buffer, until the matching Wait. The same holds for nonblocking
// collective calls (Ibcast, Iallreduce and others). The graph records this only at the node that starts the transfer.
// After this pass, a Wait reads the send buffers, and reads and writes the receive buffers. Every dataflow analysis
// then knows that readers come after the Wait, that the memory must exist until then, and that nothing may be written
// earlier.
//
// For each SDFG:
//   1. collect the nodes that start a transfer, by the container of their request;
//   2. walk over the control flow with the set of open requests, and report uses of their buffers (SD2170), requests
//      still open at the end (SD2171), and waits without a started request (SD2172);
//   3. add to each Wait the buffers of all nodes with its request container, as entire containers: the subsets may
//      depend on symbols that have changed by then.
//
// A request copied by tasklets or edges is identified with its original: a Wait for one completes the transfers that
// either has started. A view is identified with its container.
//
// A nested SDFG that receives requests counts as a node that starts the requests started inside, or waits for those waited for
// inside. Buffers of transfers that its callers have started become its arguments, so that the Wait inside can refer to them.
//
// Not handled: nested SDFGs in maps; buffers that are local to a nested SDFG and no longer exist when its caller waits.
#include "sdfgc/Analysis/Communication.h"
#include "sdfgc/Analysis/Flow/FlowWalk.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/PassSymbols.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// The container behind an access node.
Name memoryOf(const Node *n) {
    const AccessNode *behind = analysis::nodeBehindViews(n);
    const auto *access = dyn_cast<AccessNode>(n);
    return behind ? behind->data : access ? access->data : Name();
}

/// The request containers of an SDFG. Containers between which requests are copied share one name.
class Requests {
public:
    explicit Requests(const SDFG &g) : g_(g) {
        for (const State *s : allStates(g))
            for (const auto &n : s->nodes()) {
                if (isa<Tasklet>(n.get()))
                    together(*n);
                for (const Edge *e : n->inEdges())
                    if (isa<AccessNode>(n.get()) && isa<AccessNode>(e->src))
                        join(memoryOf(e->src), memoryOf(n.get()));
            }
    }
    Name operator()(Name container) const {
        for (auto at = same_.find(container); at != same_.end(); at = same_.find(container))
            container = at->second;
        return container;
    }
    /// The arguments of the SDFG that hold such requests.
    std::vector<Name> argumentsLike(Name container) const {
        std::vector<Name> out;
        for (const auto &[name, d] : g_.arrays)
            if (!d.transient && isRequest(name) && (*this)(name) == (*this)(container))
                out.push_back(name);
        return out;
    }
    /// Are all containers of such a request used only in this SDFG?
    bool areOwn(Name container) const {
        const auto isTransient = [this](Name n) {
            const DataDesc *d = g_.desc(n);
            return d && d->transient;
        };
        return isTransient(container) && std::all_of(same_.begin(), same_.end(), [&](const auto &pair) {
                   return (*this)(pair.first) != (*this)(container) || (isTransient(pair.first) && isTransient(pair.second));
               });
    }

private:
    void together(const Node &code) {
        Name first;
        std::vector<const Node *> ends;
        for (const Edge *e : code.inEdges())
            ends.push_back(analysis::pathSource(e));
        for (const Edge *e : code.outEdges())
            ends.push_back(analysis::pathDestination(e));
        for (const Node *n : ends)
            if (const Name here = memoryOf(n); isRequest(here)) {
                if (first)
                    join(first, here);
                first = here;
            }
    }
    bool isRequest(Name n) const {
        const DataDesc *d = n ? g_.desc(n) : nullptr;
        return d && d->dtype == Type::opaque("MPI_Request");
    }
    void join(Name a, Name b) {
        if (isRequest(a) && isRequest(b) && (*this)(a) != (*this)(b))
            same_[(*this)(a)] = (*this)(b);
    }

    const SDFG &g_;
    std::map<Name, Name> same_; // leads to the common name
};

/// One buffer of a node that starts a transfer; an Ibarrier has no buffer.
struct Operation {
    const Node *node;
    Name buffer, request;
    bool receives;
};

const LibraryNode *asNodeOfRanks(const Node &n) {
    const auto *l = dyn_cast<LibraryNode>(&n);
    return l && analysis::communicationOf(*l) ? l : nullptr;
}

/// The operations that a node starts; empty if it completes them itself. Its expansion reports missing operands.
std::vector<Operation> operationsOf(const Node &n, const Requests &requests) {
    const LibraryNode *l = asNodeOfRanks(n);
    const Edge *request = l ? l->outEdge("_request") : nullptr;
    std::vector<Operation> out;
    if (!request)
        return out;
    const Name held = requests(memoryOf(analysis::pathDestination(request)));
    const auto add = [&](const Edge *e, bool receives) {
        if (e)
            out.push_back({l, memoryOf(receives ? analysis::pathDestination(e) : analysis::pathSource(e)), held, receives});
    };
    add(l->inEdge("_buffer"), false);
    add(l->inEdge("_inbuffer"), false);
    add(l->outEdge("_buffer"), true);
    add(l->outEdge("_outbuffer"), true);
    if (out.empty())
        out.push_back({l, Name(), held, false});
    return out;
}

/// The container of the requests that a node completes; empty for other nodes.
Name waitedFor(const Node &n, const Requests &requests) {
    const LibraryNode *l = asNodeOfRanks(n);
    const Edge *e = l ? l->inEdge("_request") : nullptr;
    return e ? requests(memoryOf(analysis::pathSource(e))) : Name();
}

/// All uses of requests in an SDFG.
struct Uses {
    std::vector<Operation> operations;
    std::map<const Node *, std::set<Name>> waits; // containers of requests
};

/// The outer container of a nested SDFG's argument; empty if it has no edge.
Name outside(const NestedSDFGNode &n, Name argument) {
    if (const Edge *e = n.inEdge(argument))
        return memoryOf(analysis::pathSource(e));
    const Edge *e = n.outEdge(argument);
    return e ? memoryOf(analysis::pathDestination(e)) : Name();
}

Uses usesOf(SDFG &g, const Requests &requests);

/// Adds the uses of the caller's requests in a nested SDFG, under the caller's names.
void addNested(const NestedSDFGNode &n, const Requests &outer, Uses &out) {
    const Requests inner(*n.sdfg);
    const Uses in = usesOf(*n.sdfg, inner);
    std::set<Name> waited;
    for (const auto &[wait, containers] : in.waits)
        waited.insert(containers.begin(), containers.end());
    const auto held = [&](Name container) {
        std::set<Name> names;
        for (const Name a : inner.argumentsLike(container))
            if (const Name there = outside(n, a))
                names.insert(outer(there));
        return names;
    };
    for (const Name container : waited)
        for (const Name there : held(container))
            out.waits[&n].insert(there);
    for (const Operation &o : in.operations)
        if (!waited.contains(o.request)) // otherwise it ends inside the nested SDFG
            for (const Name there : held(o.request))
                out.operations.push_back({&n, outside(n, o.buffer), there, o.receives});
}

Uses usesOf(SDFG &g, const Requests &requests) {
    Uses out;
    for (State *s : allStates(g)) {
        const analysis::ScopeTree scopes(*s);
        for (const auto &n : s->nodes()) {
            for (const Operation &o : operationsOf(*n, requests))
                out.operations.push_back(o);
            if (const Name container = waitedFor(*n, requests))
                out.waits[n.get()].insert(container);
            if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && nested->sdfg && !scopes.scopeOf(nested))
                addNested(*nested, requests, out);
        }
    }
    return out;
}

/// The operations that may be open at a point, by index.
struct Open {
    std::set<std::size_t> operations;
    void join(const Open &other) { operations.insert(other.operations.begin(), other.operations.end()); }
    bool sameAs(const Open &other) const { return operations == other.operations; }
};

class RequestWalk : private analysis::FlowWalk<Open> {
public:
    RequestWalk(SDFG &g, const Requests &requests, const Uses &uses, pass::Context &context)
        : g_(g), requests_(requests), operations_(uses.operations), waits_(uses.waits), context_(context) {}

    void run() {
        Open end = whole(g_, {});
        end.join(atReturns_);
        std::set<const Node *> said;
        for (const std::size_t i : end.operations)
            if (const Operation &o = operations_[i]; requests_.areOwn(o.request) && said.insert(o.node).second)
                report<diag::Id::RequestForgotten>(*o.node, o.request.str(), elementName(*o.node));
        for (const auto &[wait, containers] : waits_)
            if (const LibraryNode *l = asNodeOfRanks(*wait);
                l && !successful_.contains(wait) && requests_.areOwn(*containers.begin()))
                report<diag::Id::RequestUnknown>(*wait, elementName(*wait), l->inEdge("_request")->memlet.data.str());
    }

private:
    Open state(State &s, Open now) override {
        for (Node *n : analysis::ScopeTree(s).order()) {
            if (const auto at = waits_.find(n); at != waits_.end()) {
                if (std::erase_if(now.operations, [&](std::size_t i) { return at->second.contains(operations_[i].request); }) > 0)
                    successful_.insert(n);
            } else {
                for (const Edge *e : n->inEdges())
                    uses(*n, *e, now);
            }
            for (std::size_t i = 0; i < operations_.size(); ++i)
                if (operations_[i].node == n)
                    now.operations.insert(i);
        }
        return now;
    }
    void atReturn(Block &, const Open &in) override { atReturns_.join(in); }

    bool starts(const Node *n) const {
        return std::any_of(operations_.begin(), operations_.end(), [n](const Operation &o) { return o.node == n; });
    }

    /// Checks the reads of an edge into a node, and the writes of an edge into an access node.
    void uses(const Node &n, const Edge &e, const Open &now) {
        const auto *written = dyn_cast<AccessNode>(&n);
        const auto *read = dyn_cast<AccessNode>(analysis::pathSource(&e));
        if (read && !written && n.isCode())
            use(n, memoryOf(read), false, now);
        if (!written || e.memlet.isEmpty() || isView(e, read) || isView(e, written))
            return;
        if (read)
            use(n, memoryOf(read), false, now);
        if (!starts(e.src))
            use(*e.src, memoryOf(written), true, now);
    }
    /// Does an edge define a view?
    static bool isView(const Edge &e, const AccessNode *n) {
        const DataDesc *d = n ? n->state()->sdfg()->desc(n->data) : nullptr;
        return d && d->isView() && analysis::viewEdge(n) == &e;
    }
    void use(const Node &n, Name data, bool writes, const Open &now) {
        for (const std::size_t i : now.operations)
            if (const Operation &o = operations_[i]; o.buffer == data && (writes || o.receives) && said_.insert({&n, i}).second)
                report<diag::Id::RequestOpen>(n, elementName(n), writes ? "writes" : "reads", data.str(), elementName(*o.node),
                                              o.receives ? "write" : "read");
    }
    template <diag::Id id, class... Words> void report(const Node &n, const Words &...words) {
        diag::Location place = analysis::placeOf(n);
        place.file = context_.options.file;
        context_.diags.report(id, place, words...);
    }

    SDFG &g_;
    const Requests &requests_;
    const std::vector<Operation> &operations_;
    const std::map<const Node *, std::set<Name>> &waits_;
    pass::Context &context_;
    Open atReturns_;
    std::set<const Node *> successful_; // waits that complete an operation on some path
    std::set<std::pair<const Node *, std::size_t>> said_;
};

/// Request containers, and their buffers with a flag for received ones.
using Moved = std::map<Name, std::map<Name, bool>>;

class CompleteRequests : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override { return hasRequests(root) && complete(root, {}, context); }

private:
    /// Most programs have no requests, and need no walk over their control flow.
    static bool hasRequests(SDFG &root) {
        for (SDFG *g : allSDFGs(root))
            for (const auto &[name, d] : g->arrays)
                if (d.dtype == Type::opaque("MPI_Request"))
                    return true;
        return false;
    }

    /// `outer`: operations that callers have started for requests that are arguments.
    static bool complete(SDFG &g, const Moved &outer, pass::Context &context) {
        const Requests requests(g);
        const Uses uses = usesOf(g, requests);
        Moved moved;
        for (const auto &[container, buffers] : outer)
            moved[requests(container)].insert(buffers.begin(), buffers.end());
        for (const Operation &o : uses.operations)
            if (o.buffer)
                moved[o.request][o.buffer] |= o.receives;
        if (!uses.operations.empty() || !uses.waits.empty())
            RequestWalk(g, requests, uses, context).run();
        bool changed = false;
        for (State *s : allStates(g)) {
            for (LibraryNode *n : nodesOf<LibraryNode>(*s))
                if (const Name container = waitedFor(*n, requests))
                    for (const auto &[buffer, isReceived] : moved[container])
                        changed |= take(*n, buffer, isReceived);
            for (NestedSDFGNode *n : nodesOf<NestedSDFGNode>(*s))
                if (n->sdfg)
                    changed |= complete(*n->sdfg, handOver(*n, requests, uses, moved), context);
            s->renumber();
        }
        return changed;
    }

    /// Makes the buffers that a nested SDFG waits for its arguments; returns the operations of its requests under its own names.
    static Moved handOver(NestedSDFGNode &n, const Requests &requests, const Uses &uses, const Moved &moved) {
        Moved out;
        if (!uses.waits.contains(&n))
            return out;
        std::vector<Name> arguments;
        for (const auto &[name, d] : n.sdfg->arrays)
            if (!d.transient && d.dtype == Type::opaque("MPI_Request"))
                arguments.push_back(name);
        for (const Name argument : arguments) {
            const Name there = outside(n, argument);
            const auto at = there ? moved.find(requests(there)) : moved.end();
            if (at == moved.end())
                continue;
            for (const auto &[buffer, isReceived] : at->second)
                if (const Name inside = passed(n, buffer, isReceived))
                    out[argument][inside] |= isReceived;
        }
        return out;
    }

    /// The name of a container in a nested SDFG, which becomes an argument if necessary; empty if this is impossible.
    static Name passed(NestedSDFGNode &n, Name buffer, bool isReceived) {
        State &s = *n.state();
        const DataDesc &d = *s.sdfg()->desc(buffer);
        Name inside;
        for (const Edge *e : n.inEdges())
            if (memoryOf(analysis::pathSource(e)) == buffer)
                inside = e->dstConn;
        for (const Edge *e : n.outEdges())
            if (memoryOf(analysis::pathDestination(e)) == buffer)
                inside = e->srcConn;
        if (!inside) {
            if (!declareSizes(n, d))
                return {};
            inside = n.sdfg->freshName(buffer.str());
            DataDesc copy = d;
            copy.transient = false;
            copy.lifetime = Lifetime::Scope;
            n.sdfg->arrays.set(inside, std::move(copy));
        }
        const Memlet whole = Memlet::simple(buffer, d.fullSubset());
        if (!n.inEdge(inside))
            s.connect(s.add<AccessNode>(buffer), {}, &n, inside, whole);
        if (isReceived && !n.outEdge(inside))
            s.connect(&n, inside, s.add<AccessNode>(buffer), {}, whole)->memlet.dynamic = true;
        for (Connector *c : {n.inConnector(inside), n.outConnector(inside)})
            if (c)
                c->type = Type::pointer(d.dtype);
        return inside;
    }

    /// Symbols in the sizes of a container must have the same meaning in the nested SDFG.
    static bool declareSizes(NestedSDFGNode &n, const DataDesc &d) {
        for (const Name symbol : analysis::freeSymbols(d)) {
            if (const sym::Expr *there = n.mapped(symbol)) {
                if (*there != sym::Expr::symbol(symbol))
                    return false;
                continue;
            }
            if (n.sdfg->desc(symbol) || n.sdfg->symbols.find(symbol))
                return false;
            analysis::passSymbol(n, symbol, sym::Expr::symbol(symbol), analysis::symbolType(*n.state()->sdfg(), symbol));
        }
        return true;
    }

    /// Adds a buffer to a Wait, unless it already has it.
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
