// One call of the MPI runtime (sdfgc/rt/mpi.h) in the making: operands in the order of its parameters.
#pragma once

#include "Expansion.h"

namespace sdfgc::libnodes {

class MpiCall {
public:
    enum Side : std::uint8_t { In, Out };

    /// The first argument names the node and its state. Rejects nodes that some rank might not reach exactly once: those in
    /// parallel maps or kernels.
    MpiCall(ir::State &s, ir::LibraryNode &n, pass::Context &c);

    /// A buffer at a connector, as `block(pointer, extent, stride, ...)`. Rejects types that MPI cannot send, and conflict
    /// resolution.
    void buffer(const char *connector, Side side);
    /// An integer at a connector: a rank or tag. A property of that name without the underscore serves as well.
    void number(const char *connector);
    /// The parts of a buffer per rank: `block(...)` of the counts at a connector, and of the places where parts begin, or
    /// `consecutive()` without places.
    void parts(const char *counts, const char *places);
    /// The requests at `_request`, as a pointer.
    void request(Side side);
    /// The number of requests.
    void requestCount();
    /// An optional field of a status: a pointer to int32, or null.
    void status(const char *connector);
    /// The property `op`: MPI's name of an operator, or a lambda of two operands.
    void operation();
    /// Both buffers must have the same element type.
    void sameTypes();
    /// The ranks that take part: `grid(number)` of the grid at `_grid`, the communicator at `_comm` or in the variable that the
    /// property `fcomm` names, or `world()`.
    void ranks();
    /// The communicator that a call makes, at `_comm`, as a pointer.
    void communicator();
    /// The number that resolve-process-grids has given to the node.
    void ownNumber();

    /// A grid whose number is in a property (resolve-process-grids).
    void grid(const char *property, bool isOptional);
    /// `subarray(...)` from a property (resolve-process-grids).
    void subArray(const char *property);
    /// The property `dimension`: the dimension along which an array is distributed, counted among those of the buffer at
    /// `connector`.
    void dimension(const char *connector);
    /// A property that is a size.
    void size(const char *property);
    /// The buffers that a request moves (complete-requests): the runtime does not need them, but analyses of the call do.
    void moved();

    /// Keeps the first reason and drops later ones.
    void refuse(std::string why, std::string hint = "");
    /// Replaces the node by the call of a function of an environment's object; false if something was rejected.
    bool finish(const std::string &function, const std::string &object = "mpi", const char *environment = "MPI");

protected:
    /// The operand at a connector, which must exist.
    Operand operand(const char *connector, Side side);
    std::string blockOf(const std::string &pointer, const Operand &o);
    void integers(const char *connector);
    void handle(const char *connector, const char *type, Side side);
    /// Adds the operand to the call and returns its pointer in the call.
    std::string pointer(const char *connector, Side side, const Operand &o);
    Expansion x_;
    std::vector<std::string> arguments_;
    std::vector<Name> inputs_, outputs_;
    std::set<Name> byValue_;
    std::vector<Type> types_; // of the buffers
    bool refused_ = false;
};

} // namespace sdfgc::libnodes
