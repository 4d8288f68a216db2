// Nodes that passes add for streams and memory (sdfgc/Analysis/Device/Async.h). The interpreter does one thing at a time, in an
// order given by the edges of the graph, so waiting has no effect; and containers have memory of their current size wherever they
// are used. All that remains is that memory from a pool has no values at first, and loses them when it is freed.
#include "Nodes.h"

#include "sdfgc/Analysis/Device/Async.h"

namespace sdfgc::interpret {

namespace {

class Nothing final : public NodeStep {
    void run(Machine &) override {}
};

class Forget final : public NodeStep {
public:
    explicit Forget(Container &c) : container_(c) {}
    void run(Machine &) override {
        if (container_.buffer)
            container_.buffer->forget();
    }

private:
    Container &container_;
};

} // namespace

std::unique_ptr<NodeStep> makeAsync(NodeReader &r) {
    const std::optional<analysis::AsyncOp> op = analysis::asyncOp(r.node);
    Container *c = op->usesPool() ? r.scope.graph.container(op->data) : nullptr;
    if (c)
        return std::make_unique<Forget>(*c);
    return std::make_unique<Nothing>();
}

} // namespace sdfgc::interpret
