// Messages between ranks: the nodes of mpi that send, receive, wait, and call all ranks together (docs/mpi.md).
//
//   Send, Isend      _buffer, _dest, _tag -> [_request]     Bcast               _inbuffer, _root -> _outbuffer
//   Recv, Irecv      _src, _tag -> _buffer [, _request]     Scatter, Gather     _inbuffer, _root -> _outbuffer
//   Sendrecv         the operands of Send, `_recvbuffer`    Reduce              _inbuffer, _root -> _outbuffer
//   Wait, Waitall    _request -> [_stat_tag, _stat_source]  Allreduce, Allgather, Alltoall      _inbuffer -> _outbuffer
//   BlockScatter, BlockGather, Redistribute                 _inp_buffer -> _out_buffer
//
// Each becomes one call of sdfgc/rt/mpi.h. A buffer goes as a block, with the extents and strides of its memlet: whether it has gaps is
// known to the runtime, which has the numbers. The property `grid` (resolve-process-grids) names the ranks that take part, else all of the program's world do. What a node
// writes is dynamic: a rank that is not the root, or not in the grid, keeps what it had. A call has effects that memlets do not say,
// so no pass removes it or changes the order of two of them.
#include "Expanders.h"
#include "MpiCall.h"

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

bool expandMpiCollective(State &s, LibraryNode &n, pass::Context &c) {
    MpiCall call(s, n, c);
    const std::string name = n.className();
    const bool reduces = name == "Reduce" || name == "Allreduce", hasRoot = n.inEdge("_root") != nullptr;
    if (reduces)
        call.operation();
    if (name != "Barrier") {
        call.buffer("_inbuffer", MpiCall::In);
        call.buffer("_outbuffer", MpiCall::Out);
        if (hasRoot)
            call.number("_root");
        else if (name == "Bcast" || name == "Scatter" || name == "Gather" || name == "Reduce")
            call.refuse("it has no `_root`");
        call.sameTypes();
    }
    call.ranks();
    std::string function = name;
    function[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(function[0])));
    return call.finish(function);
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

} // namespace sdfgc::libnodes
