// assign-streams: assign each device operation to a stream.
//
//   before:  A -> map GPU_Device -> B -> C             after:  A -> map GPU_Device (stream 0) -> B -> (stream 0) C
//            D -> map GPU_Device -> E                          D -> map GPU_Device (stream 1) -> E
//
// Operations are kernels, copies and fills that access device memory, and calls that receive device memory. The pass
// schedules the entire program as a list, in the order in which the host queues the operations (nested SDFGs inline,
// loops once):
//
//   1. An operation that depends on the last one of a stream continues that stream: it needs no event and delays
//      nothing else. If there are several such streams, it continues the one that was used last.
//   2. A copy without dependences goes to the stream of the operation that first needs its result, so copies do not
//      overlap each other.
//   3. Otherwise the operation goes to the stream that has been idle longest.
//
// All operations of a region that is one GPU graph share the stream of the first one, or stream 0 if one of them is a
// call, since calls know no other stream.
//
// Pool memory is allocated in the stream of the operation that uses it first and released in the stream of the one that
// uses it last. Two operations depend on each other if they access the same memory and at least one of them writes it.
//
// Option `streams`: the maximum number of streams; 0 means the command line's --gpu-streams.
//
// Operations that already have a stream keep it. order-streams adds the events and waits that the assignment requires.
#include "sdfgc/Analysis/Device/GraphRegions.h"
#include "sdfgc/Analysis/Streams/Streams.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using analysis::AsyncOp;
using analysis::Memory;
using analysis::MemoryUse;
using analysis::StreamStep;

struct Operation {
    StreamStep step;
    std::vector<int> before; // operations that it depends on, ascending
    int firstUser = -1;      // the first operation that needs its results
    int stream = -1;
    Region *graph = nullptr; // the region that contains it
};

class Streams {
public:
    Streams(SDFG &root, int limit) : steps_(root), limit_(limit) { collect(root); }

    bool run() {
        dependences();
        for (std::size_t i = 0; i < operations_.size(); ++i)
            choose(static_cast<int>(i));
        for (Operation &o : operations_)
            o.stream = std::max(o.stream, 0); // unused memory
        for (Operation &o : operations_)
            apply(o);
        return !operations_.empty();
    }

private:
    void collect(SDFG &g);
    void add(Operation o);
    void dependences();
    void choose(int i);
    static std::optional<int> given(const StreamStep &s);
    static std::optional<AsyncOp::Kind> poolOperation(const StreamStep &s);
    static void apply(Operation &o);

    analysis::StreamSteps steps_;
    int limit_;
    std::vector<Operation> operations_;
    std::vector<int> last_;                // last queued operation, by stream
    std::map<const Region *, int> graphs_; // streams of formed regions, one each
    std::map<int, int> reserved_;          // stream for an operation, because one that it depends on got it
};

void Streams::collect(SDFG &g) {
    for (State *s : analysis::statesInOrder(g))
        for (StreamStep &step : steps_.of(*s)) {
            if (step.kind == StreamStep::Nested)
                collect(*static_cast<NestedSDFGNode *>(step.node)->sdfg);
            else if (step.kind == StreamStep::Operation)
                add({std::move(step), {}, -1, -1, analysis::graphAround(*s)});
        }
}

void Streams::add(Operation o) {
    if (o.graph && !o.step.edge && isa<Tasklet>(o.step.node))
        graphs_[o.graph] = 0;
    operations_.push_back(std::move(o));
}

void Streams::dependences() {
    struct Uses {
        int writer = -1;
        std::vector<int> readers; // since that operation
    };
    std::map<Memory, Uses> uses;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
        Operation &o = operations_[i];
        for (MemoryUse u : o.step.uses) {
            Uses &m = uses[u.memory];
            if (m.writer >= 0) {
                o.before.push_back(m.writer);
                if (int &user = operations_[static_cast<std::size_t>(m.writer)].firstUser; user < 0)
                    user = static_cast<int>(i);
            }
            if (u.write)
                o.before.insert(o.before.end(), m.readers.begin(), m.readers.end());
        }
        for (MemoryUse u : o.step.uses) {
            Uses &m = uses[u.memory];
            if (u.write)
                m = {static_cast<int>(i), {}};
            else
                m.readers.push_back(static_cast<int>(i));
        }
        std::sort(o.before.begin(), o.before.end());
        o.before.erase(std::unique(o.before.begin(), o.before.end()), o.before.end());
        std::erase(o.before, static_cast<int>(i));
    }
}

/// The stream that the graph already specifies, or that the operation requires.
std::optional<int> Streams::given(const StreamStep &s) {
    if (s.edge)
        return s.edge->memlet.stream;
    if (const auto *m = dyn_cast<MapEntry>(s.node))
        return isGpuSchedule(m->schedule) ? m->stream : std::optional<int>(0);
    if (const auto *l = dyn_cast<LibraryNode>(s.node))
        return l->properties.find("stream") ? std::optional<int>(analysis::streamOf(*l)) : std::nullopt;
    return 0; // host code only knows this stream
}

std::optional<AsyncOp::Kind> Streams::poolOperation(const StreamStep &s) {
    if (const auto *l = dyn_cast<LibraryNode>(s.node))
        if (const auto op = analysis::asyncOp(*l); op && op->usesPool())
            return op->kind;
    return std::nullopt;
}

void Streams::choose(int i) {
    Operation &o = operations_[static_cast<std::size_t>(i)];
    std::optional<int> stream = given(o.step);
    if (const auto first = graphs_.find(o.graph); o.graph && first != graphs_.end())
        stream = first->second;
    const auto pool = stream ? std::nullopt : poolOperation(o.step);
    if (pool == AsyncOp::Allocate && o.firstUser >= 0)
        return; // its first user decides
    if (pool == AsyncOp::Free && !o.before.empty()) {
        o.stream = std::max(operations_[static_cast<std::size_t>(o.before.back())].stream, 0);
        return; // it does not make any operation continue its stream
    }
    for (auto it = o.before.rbegin(); it != o.before.rend() && !stream; ++it)
        if (int s = operations_[static_cast<std::size_t>(*it)].stream; s >= 0 && last_[static_cast<std::size_t>(s)] == *it)
            stream = s;
    if (auto r = reserved_.find(o.firstUser); !stream && o.step.edge && o.before.empty() && r != reserved_.end())
        stream = r->second;
    if (!stream) {
        if (static_cast<int>(last_.size()) < limit_)
            stream = static_cast<int>(last_.size());
        else
            stream = static_cast<int>(std::min_element(last_.begin(), last_.end()) - last_.begin());
    }
    while (static_cast<int>(last_.size()) <= *stream)
        last_.push_back(-1);
    last_[static_cast<std::size_t>(*stream)] = i;
    o.stream = *stream;
    if (o.graph)
        graphs_.try_emplace(o.graph, *stream);
    for (int b : o.before)
        if (Operation &allocation = operations_[static_cast<std::size_t>(b)]; allocation.stream < 0)
            allocation.stream = *stream;
    if (o.firstUser >= 0)
        reserved_.try_emplace(o.firstUser, *stream);
}

void Streams::apply(Operation &o) {
    if (o.step.edge)
        o.step.edge->memlet.stream = o.stream;
    else if (const auto *m = dyn_cast<MapEntry>(o.step.node); !m || isGpuSchedule(m->schedule))
        analysis::setStream(*o.step.node, o.stream);
}

class AssignStreams : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        int64_t limit = option<int64_t>("streams");
        if (limit == 0)
            limit = context.options.gpuStreams;
        return Streams(root, static_cast<int>(std::clamp<int64_t>(limit, 1, analysis::maxStreams))).run();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createAssignStreams() { return std::make_unique<AssignStreams>(); }

} // namespace sdfgc::transforms
