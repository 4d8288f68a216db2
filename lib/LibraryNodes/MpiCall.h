// One call of the MPI runtime (sdfgc/rt/mpi.h) in the making: operands in the order of its parameters.
#pragma once

#include "Expansion.h"

namespace sdfgc::libnodes {

class MpiCall {
public:
    enum Side : std::uint8_t { In, Out };

    /// The first argument names the node and its state. Refuses nodes that not every rank reaches once: inside of parallel maps, in
    /// kernels.
    MpiCall(ir::State &s, ir::LibraryNode &n, pass::Context &c);

    /// A buffer at a connector, as `block(pointer, extent, stride, ...)`. Refuses types that MPI cannot send, and conflict resolution.
    void buffer(const char *connector, Side side);
    /// An integer at a connector: a rank or tag. A property of that name without the underscore serves as well.
    void number(const char *connector);
    /// What each rank has of a buffer: `block(...)` of the integers at a connector, and of the places where parts begin, or
    /// `consecutive()` where there are none.
    void parts(const char *counts, const char *places);
    /// The requests at `_request`, as a pointer.
    void request(Side side);
    /// How many requests there are.
    void requestCount();
    /// A part of a status that may be wanted: a pointer to int32, or null.
    void status(const char *connector);
    /// The property `op`: MPI's name of an operator, or a lambda of two operands.
    void operation();
    /// Both buffers must hold elements of one type.
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
    /// The property `dimension`: along which one an array is dealt out, counted among those that the buffer at `connector` has.
    void dimension(const char *connector);
    /// A property that is a size.
    void size(const char *property);
    /// The buffers that a request moves (complete-requests): the runtime does not need them, whoever looks at the call does.
    void moved();

    /// Keeps the first reason; later ones are not said.
    void refuse(std::string why, std::string hint = "");
    /// Replaces the node by the call of a function of an environment's object; false where something was refused.
    bool finish(const std::string &function, const std::string &object = "mpi", const char *environment = "MPI");

protected:
    /// The operand at a connector, which must be there.
    Operand operand(const char *connector, Side side);
    std::string blockOf(const std::string &pointer, const Operand &o);
    void integers(const char *connector);
    void handle(const char *connector, const char *type, Side side);
    /// Makes the operand one of the call; its pointer there is the result.
    std::string pointer(const char *connector, Side side, const Operand &o);
    Expansion x_;
    std::vector<std::string> arguments_;
    std::vector<Name> inputs_, outputs_;
    std::set<Name> byValue_;
    std::vector<Type> types_; // of the buffers
    bool refused_ = false;
};

} // namespace sdfgc::libnodes
