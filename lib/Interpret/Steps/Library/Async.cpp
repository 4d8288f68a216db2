// Nodes that passes add for streams and memory (sdfgc/Analysis/Device/Async.h). One thing is done at a time here, in an order that
// the edges of the graph give, so that waiting is nothing; containers have memory of their present size wherever they are used.
// What is left is that memory from a pool has no values at first, and that nothing is left of it when it is given back.
#include "Nodes.h"

#include "sdfgc/Analysis/Device/Async.h"

namespace sdfgc::interpret {

namespace {

class Nothing final : public Step {
    void run(Machine &) override {}
};

class Forget final : public Step {
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

std::unique_ptr<Step> makeAsync(NodeReader &r) {
    const std::optional<analysis::AsyncOp> op = analysis::asyncOp(r.node);
    Container *c = op->usesPool() ? r.scope.graph.container(op->data) : nullptr;
    if (c)
        return std::make_unique<Forget>(*c);
    return std::make_unique<Nothing>();
}

} // namespace sdfgc::interpret
