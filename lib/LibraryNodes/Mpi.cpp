// Messages between ranks: the nodes of mpi that send, receive, wait, and call all ranks together (docs/user/mpi.md).
//
//   Send, Isend      _buffer, _dest, _tag -> [_request]     Bcast               _inbuffer, _root -> _outbuffer
//   Recv, Irecv      _src, _tag -> _buffer [, _request]     Scatter, Gather     _inbuffer, _root -> _outbuffer
//   Sendrecv         the operands of Send, `_recvbuffer`    Reduce              _inbuffer, _root -> _outbuffer
//   Wait, Waitall    _request -> [_stat_tag, _stat_source]  Allreduce, Allgather, Alltoall      _inbuffer -> _outbuffer
//   Scatterv            _inbuffer, _sendcounts [, _displs], _root -> _outbuffer
//   Gatherv             _inbuffer, _recvcounts [, _displs], _root -> _outbuffer
//   Allgatherv          _inbuffer, _recvcounts [, _displs] -> _outbuffer
//   Alltoallv           _inbuffer, _sendcounts [, _sdispls], _recvcounts [, _rdispls] -> _outbuffer
//   Ibcast, Iscatter, Igather, Ireduce, Iallreduce, Iallgather, Ialltoall, Ibarrier      as without the I -> _request besides
//   CommSplit           _color [, _key] -> _comm
//   BlockScatter, BlockGather, Redistribute                 _inp_buffer -> _out_buffer
//   Halo, AllgatherParts                                    _inbuffer -> _outbuffer
//
// Each becomes one call of sdfgc/rt/mpi.h. A buffer is passed as a block with the extents and strides of its memlet; the runtime
// decides whether it has gaps, since it has the numbers. The property `grid` (resolve-process-grids) names the participating ranks,
// or the operand `_comm` holds their communicator; otherwise all ranks of the program's world participate. Outputs are dynamic: a
// rank that is not the root, or not in the grid, keeps its old contents. Calls have side effects that memlets do not describe, so
// passes neither remove nor reorder them.
#include "Expanders.h"
#include "MpiCall.h"

#include <algorithm>

namespace sdfgc::libnodes {

using namespace ir;

bool expandMpiMessage(State &s, LibraryNode &n, pass::Context &c) {
    MpiCall call(s, n, c);
    const std::string name = n.className();
    const bool sends = name != "Recv" && name != "Irecv", receives = name != "Send" && name != "Isend";
    if (sends) {
        call.buffer("_buffer", MpiCall::In);
        call.number("_dest");
        call.number("_tag");
    }
    if (receives) {
        call.buffer(sends ? "_recvbuffer" : "_buffer", MpiCall::Out);
        call.number("_src");
        call.number(sends ? "_recvtag" : "_tag");
    }
    if (name == "Isend" || name == "Irecv")
        call.request(MpiCall::Out);
    call.ranks();
    return call.finish(name == "Isend"   ? "isend"
                       : name == "Irecv" ? "irecv"
                       : name == "Send"  ? "send"
                       : name == "Recv"  ? "recv"
                                         : "sendrecv");
}

bool expandMpiWait(State &s, LibraryNode &n, pass::Context &c) {
    MpiCall call(s, n, c);
    const bool isAll = n.className() == "Waitall";
    call.request(MpiCall::In);
    if (isAll) {
        call.requestCount();
    } else {
        call.status("_stat_tag");
        call.status("_stat_source");
    }
    call.moved();
    return call.finish(isAll ? "waitall" : "wait");
}

namespace {

/// A collective call: its function in the runtime, and its operands other than the two buffers.
struct Collective {
    std::string_view node, function;
    bool hasRoot = false, reduces = false;
    const char *inCounts = nullptr, *inPlaces = nullptr;   // of the parts of `_inbuffer`
    const char *outCounts = nullptr, *outPlaces = nullptr; // of those of `_outbuffer`
};
constexpr Collective collectives[] = {
    {"Bcast", "bcast", true},
    {"Scatter", "scatter", true},
    {"Gather", "gather", true},
    {"Reduce", "reduce", true, true},
    {"Allreduce", "allreduce", false, true},
    {"Allgather", "allgather"},
    {"Alltoall", "alltoall"},
    {"Scatterv", "scatterv", true, false, "_sendcounts", "_displs"},
    {"Gatherv", "gatherv", true, false, "_recvcounts", "_displs"},
    {"Allgatherv", "allgatherv", false, false, "_recvcounts", "_displs"},
    {"Alltoallv", "alltoallv", false, false, "_sendcounts", "_sdispls", "_recvcounts", "_rdispls"},
    {"Ibcast", "ibcast", true},
    {"Iscatter", "iscatter", true},
    {"Igather", "igather", true},
    {"Ireduce", "ireduce", true, true},
    {"Iallreduce", "iallreduce", false, true},
    {"Iallgather", "iallgather"},
    {"Ialltoall", "ialltoall"},
};

} // namespace

bool expandMpiCollective(State &s, LibraryNode &n, pass::Context &c) {
    MpiCall call(s, n, c);
    const std::string name = n.className();
    const auto *const at =
        std::find_if(std::begin(collectives), std::end(collectives), [&](const Collective &k) { return k.node == name; });
    const bool isBarrier = at == std::end(collectives); // blocking or non-blocking
    if (!isBarrier) {
        if (at->reduces)
            call.operation();
        call.buffer("_inbuffer", MpiCall::In);
        if (at->inCounts)
            call.parts(at->inCounts, at->inPlaces);
        call.buffer("_outbuffer", MpiCall::Out);
        if (at->outCounts)
            call.parts(at->outCounts, at->outPlaces);
        if (at->hasRoot)
            call.number("_root");
        call.sameTypes();
    }
    if (name.front() == 'I')
        call.request(MpiCall::Out);
    call.ranks();
    return call.finish(!isBarrier ? std::string(at->function) : name == "Barrier" ? "barrier" : "ibarrier");
}

bool expandMpiSplit(State &s, LibraryNode &n, pass::Context &c) {
    MpiCall call(s, n, c);
    call.ownNumber();
    call.number("_color");
    call.number("_key");
    call.communicator();
    call.ranks();
    return call.finish("comm_split");
}

bool expandMpiBlocks(State &s, LibraryNode &n, pass::Context &c) {
    MpiCall call(s, n, c);
    const std::string name = n.className();
    call.buffer("_inp_buffer", MpiCall::In);
    call.buffer("_out_buffer", MpiCall::Out);
    call.sameTypes();
    if (name == "Redistribute") {
        call.subArray("from");
        call.subArray("to");
        return call.finish("redistribute");
    }
    const bool scatters = name == "BlockScatter";
    call.subArray("subarray");
    call.grid(scatters ? "scatter_grid" : "gather_grid", false);
    call.grid(scatters ? "bcast_grid" : "reduce_grid", true);
    return call.finish(scatters ? "block_scatter" : "block_gather");
}

bool expandMpiParts(State &s, LibraryNode &n, pass::Context &c) {
    MpiCall call(s, n, c);
    const bool isHalo = n.className() == "Halo";
    call.buffer("_inbuffer", MpiCall::In);
    call.buffer("_outbuffer", MpiCall::Out);
    call.sameTypes();
    call.dimension("_outbuffer");
    for (const char *size : {"whole", isHalo ? "before" : "offset", "after"})
        if (isHalo || size != std::string_view("after"))
            call.size(size);
    return call.finish(isHalo ? "halo" : "allgather_parts");
}

} // namespace sdfgc::libnodes
