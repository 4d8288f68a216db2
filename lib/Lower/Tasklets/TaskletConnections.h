// Connectors of a tasklet and what they refer to: elements of containers, streams, references, values of other tasklets.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// One connector of a tasklet and what it refers to.
struct Connection {
    Name conn;
    Type type;            // element type seen by the code
    bool pointer = false; // the code sees an address
    bool single = false;  // the subset is one element
    bool dynamic = false;
    bool stream = false;
    bool setsReference = false;
    MemoryPlace place;
    sym::Expr start;                // offset of the first element
    sym::Subset subset;             // of the place's container, over variables; without dimensions if the container has no place
    std::vector<sym::Expr> strides; // of the dimensions that subscripts count (squeezed)
    std::vector<sym::Expr> allStrides;
    std::vector<sym::Expr>
        tileStrides; // of tiles, which subscripts may count as further dimensions (DaCe: Range.absolute_strides in subsets.py)
    // outputs with conflict resolution
    bool wcr = false, atomic = false;
    py::Reduction reduction = py::Reduction::Custom;
    py::ExprRef lambda;
    // plan
    VarId local;
    int reads = 0, writes = 0;
    bool augmented = false, inLoop = false;
    bool keepsOld = false; // a dynamic update whose connector is read back: it then holds the value before the update
    /// Is a store to it more than a plain assignment: an update, a push, a new target of a reference?
    bool isSpecial() const { return wcr || stream || setsReference; }
};

/// The connectors of one tasklet.
class TaskletConnections {
public:
    /// Initially empty. `in` and `t` must outlive this object.
    TaskletConnections(Instance &in, ir::Tasklet &t) : in_(in), t_(t) {}

    /// Resolves the connectors. Declares variables for values that go to other tasklets at the end of `out`. If one cannot be
    /// resolved, reports an error and returns false.
    bool connect(Block &out);

    /// The connection of a name; null if there is none.
    const Connection *input(Name n) const { return find(inputs, n); }
    const Connection *output(Name n) const { return find(outputs, n); }

    std::vector<Connection> inputs, outputs;

private:
    /// Adds the connector of one edge. If it cannot be resolved, reports an error and returns false.
    bool connectInput(ir::Edge &e);
    bool connectOutput(ir::Edge &e, Block &out);
    /// The value of an edge to another tasklet or to a scope entry, in a separate variable.
    void connectTasklet(ir::Edge &e, Type type, Block &out);
    /// A reference that the tasklet sets. In a kernel, it must belong to the kernel.
    bool connectReference(ir::Edge &e, const ir::AccessNode &target);
    /// The part of a container that a connector of the given type accesses. False if the container has no place.
    bool bindPlace(Connection &c, ir::Edge &e, ir::AccessNode &node, bool source, Type type);
    /// How an output is combined with the existing value; reports text that cannot be parsed.
    void bindWcr(Connection &c, ir::Edge &e, ir::AccessNode &target);
    /// Reports that an edge cannot be resolved. Returns false.
    bool fail(const ir::Edge &e) const;
    static const Connection *find(const std::vector<Connection> &list, Name n);

    Instance &in_;
    ir::Tasklet &t_;
};

/// The value of the element behind a connector, converted to the connector's type; for a stream, the popped value.
py::ExprRef readOf(const Instance &in, const Connection &c);

/// If the program is to have run-time checks, checks that the subsets of the connectors are within the containers. This precedes
/// verbatim code and calls. Connectors with dynamic memlets may access less than their subset.
void checkPointers(const Instance &in, const TaskletConnections &connections, Block &out);

/// A value that is stored through a connector, in the connector's type if that differs from the container's.
py::ExprRef converted(const Connection &c, py::ExprRef value);

} // namespace sdfgc::tree::lowering
