// Finds the pushes to a queue in kernels, and turns each into a write to an array at a position from an atomic counter.
#pragma once

#include "sdfgc/Diag/Reason.h"
#include "sdfgc/IR/Sdfg.h"

#include <vector>

namespace sdfgc::transforms {

/// The replacement of a queue: elements begin .. end of a one-dimensional array, in the order of the counter, which
/// starts at zero.
struct QueueArray {
    Name elements, counter;
    sym::Expr begin, end;
};

/// The pushes to one stream of an SDFG.
class QueuePushes {
public:
    QueuePushes(ir::SDFG &g, Name stream) : g_(g), stream_(stream) {}

    /// The access nodes of the stream.
    std::vector<ir::AccessNode *> nodes() const;
    /// Returns the innermost edges of all pushes that arrive at an access node of the stream.
    std::vector<ir::Edge *> at(const ir::AccessNode &queue) const;
    /// Does a kernel push, here or in a nested SDFG that receives the stream?
    bool areOnDevice(const ir::AccessNode &queue) const;
    /// Returns why a push to the node cannot be lowered; empty if all can. Supported are Python tasklets, copies of one
    /// element, and nested SDFGs that use the stream only for pushes.
    diag::Reason obstacle(const ir::AccessNode &queue) const;
    /// Redirects the pushes to `elements` and counts in `total`; both are nodes of the same state, for the containers
    /// of `to`. `zero`, if not null, comes before them. Nested SDFGs receive the array and the counter instead of the
    /// stream.
    void lower(ir::AccessNode &queue, const QueueArray &to, ir::AccessNode &elements, ir::AccessNode &total, ir::Node *zero) const;

private:
    diag::Reason obstacle(const ir::Edge &push) const;
    diag::Reason nestedObstacle(const ir::NestedSDFGNode &n, Name stream) const;
    Name enter(ir::NestedSDFGNode &n, Name stream, const QueueArray &to) const;
    void lead(ir::Edge &push, Name count, bool counts, const QueueArray &to, ir::AccessNode &elements, ir::AccessNode &total) const;

    ir::SDFG &g_;
    Name stream_;
};

} // namespace sdfgc::transforms
