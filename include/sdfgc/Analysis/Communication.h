// How the ranks of a distributed program communicate at a library node (docs/user/mpi.md). LibraryNodes.def states it for
// each class, so that passes need not know the classes.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <cstdint>
#include <string_view>

namespace sdfgc::analysis {

/// The messages of one call.
enum class Messages : uint8_t {
    None,         // the node receives, waits, or creates a communicator
    OneEach,      // each rank sends its buffer to one other rank
    FromRoot,     // the root sends to all other ranks
    ToRoot,       // all other ranks send to the root
    ThereAndBack, // rank 0 gathers from all ranks and sends to all
    ToAll,        // each rank sends its buffer to all other ranks
    Exchange,     // each rank sends a part of its buffer to each other rank
    Neighbours,   // each rank sends to the owners of the elements next to its own
    Uncounted     // a library decides
};

/// What determines the sizes of the messages.
enum class Parts : uint8_t {
    None,
    Equal,   // the buffers, of one size on all ranks
    Counted, // operands that hold the sizes
    Blocks,  // blocks of an array over a process grid
    Ranges   // ranges of one dimension of an array, distributed over all ranks
};

struct Communication {
    Messages messages = Messages::None;
    Parts parts = Parts::None;
    std::string_view root; // connectors of operands that only the root accesses, separated by blanks

    bool isForRoot(Name connector) const;
};
/// Null if the ranks do not communicate at a node.
const Communication *communicationOf(const ir::LibraryNode &n);

/// Does a node only declare fields of the program's state?
bool isDeclaration(const ir::LibraryNode &n);

} // namespace sdfgc::analysis
