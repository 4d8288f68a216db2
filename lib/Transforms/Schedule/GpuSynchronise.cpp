// gpu-synchronise: puts every operation of the device on stream 0 and makes the host wait wherever it could see the result.
//
//   before:  gpu_B -> B -> tasklet              after:  gpu_B -> B -> [Synchronise 0] -> tasklet
//            map GPU_Device -> gpu_C                    map GPU_Device -> gpu_C -> [Synchronise 0]
//
// Device operations are kernels, copies and fills that touch device memory, and code that is given device memory. They are queued; the
// host goes on at once. With one stream they are done in the order in which they were queued, so only the host has to wait:
//   1. behind a host container that a device operation of the state writes, before everything that uses it there;
//   2. at the end of every state that queues something: what comes next may read the result, reuse the memory, or leave the program.
// Both are more than is needed; elision is another pass.
//
// Left alone: what is inside of kernels, and states that queue nothing.
#include "sdfgc/Analysis/Async.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

bool inDeviceMemory(const State &s, Name data) {
    const DataDesc *d = s.sdfg()->desc(data);
    return d && d->storage == Storage::GPU_Global;
}

bool isKernel(const Node &n) {
    const auto *m = dyn_cast<MapEntry>(&n);
    return m && isGpuSchedule(m->schedule);
}

class Synchroniser {
public:
    bool run(SDFG &g) {
        for (State *s : allStates(g))
            state(*s);
        return changed_;
    }

private:
    void state(State &s);
    bool isCopy(const Edge &e) const;
    bool isOperation(const Node &n) const;
    void waitBehind(AccessNode &host);
    void waitAtEnd(State &s, const analysis::ScopeTree &scopes);

    bool changed_ = false;
};

/// A copy between access nodes of which one is in device memory.
bool Synchroniser::isCopy(const Edge &e) const {
    auto *from = dyn_cast<AccessNode>(analysis::pathSource(const_cast<Edge *>(&e)));
    auto *to = dyn_cast<AccessNode>(analysis::pathDestination(const_cast<Edge *>(&e)));
    if (!from || !to || e.memlet.isEmpty())
        return false;
    return inDeviceMemory(*from->state(), from->data) || inDeviceMemory(*to->state(), to->data);
}

/// A kernel, or code of the host that is given device memory: a library call that queues.
bool Synchroniser::isOperation(const Node &n) const {
    if (isKernel(n))
        return true;
    if (!isa<Tasklet>(&n) && !isa<LibraryNode>(&n))
        return false;
    auto touches = [&](const Edge *e) { return !e->memlet.isEmpty() && e->memlet.data && inDeviceMemory(*n.state(), e->memlet.data); };
    auto in = n.inEdges(), out = n.outEdges();
    return std::any_of(in.begin(), in.end(), touches) || std::any_of(out.begin(), out.end(), touches);
}

void Synchroniser::waitBehind(AccessNode &host) {
    State &s = *host.state();
    std::vector<Node *> users;
    for (const Edge *e : host.outEdges())
        if (std::find(users.begin(), users.end(), e->dst) == users.end())
            users.push_back(e->dst);
    if (users.empty())
        return;
    LibraryNode *wait = analysis::addAsyncOp(s, {analysis::AsyncOp::Synchronise, 0, -1});
    s.connect(&host, {}, wait, {}, Memlet::empty());
    for (Node *user : users)
        s.connect(wait, {}, user, {}, Memlet::empty());
    changed_ = true;
}

void Synchroniser::waitAtEnd(State &s, const analysis::ScopeTree &scopes) {
    std::vector<Node *> sinks;
    for (Node *n : scopes.children(nullptr)) {
        Node *last = n;
        if (auto *m = dyn_cast<MapEntry>(n))
            last = m->exit;
        if (auto *c = dyn_cast<ConsumeEntry>(n))
            last = c->exit;
        if (last->outEdges().empty())
            sinks.push_back(last);
    }
    LibraryNode *wait = analysis::addAsyncOp(s, {analysis::AsyncOp::Synchronise, 0, -1});
    for (Node *n : sinks)
        s.connect(n, {}, wait, {}, Memlet::empty());
    changed_ = true;
}

void Synchroniser::state(State &s) {
    bool queues = false;
    std::vector<AccessNode *> written; // host containers that the device writes
    {
        analysis::ScopeTree scopes(s);
        std::vector<Node *> nodes = scopes.order();
        for (Node *n : nodes) {
            std::vector<Node *> around = scopes.enclosing(n);
            if (std::any_of(around.begin(), around.end(), [](const Node *scope) { return isKernel(*scope); }))
                continue;
            if (auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg) {
                run(*nested->sdfg);
                continue;
            }
            if (auto *m = dyn_cast<MapEntry>(n); m && isKernel(*m) && !m->stream)
                m->stream = 0;
            queues |= isOperation(*n);
            auto *a = dyn_cast<AccessNode>(n);
            if (!a)
                continue;
            bool byDevice = false;
            for (Edge *e : a->inEdges()) {
                const auto *exit = dyn_cast<MapExit>(e->src);
                const bool copy = isCopy(*e);
                if (copy && !e->memlet.stream)
                    e->memlet.stream = 0;
                queues |= copy;
                byDevice |= copy || isOperation(*e->src) || (exit && isKernel(*exit->entry));
            }
            if (byDevice && !inDeviceMemory(s, a->data))
                written.push_back(a);
        }
        if (queues)
            waitAtEnd(s, scopes);
    }
    for (AccessNode *a : written)
        waitBehind(*a);
}

class GpuSynchronise : public pass::Pass {
public:
    bool run(SDFG &root, pass::Context &) override { return Synchroniser().run(root); }
};

} // namespace

std::unique_ptr<pass::Pass> createGpuSynchronise() { return std::make_unique<GpuSynchronise>(); }

} // namespace sdfgc::transforms
