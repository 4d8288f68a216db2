// Operations on GPU streams as graph elements: the stream that an element is queued on, and nodes that order streams
// and the host.
//
// A kernel's stream is MapEntry::stream, a copy's is Memlet::stream. The nodes are library nodes of sdfgc's own
// classes. Every pass keeps them, and they are written to files and read back:
//
//     sdfgc.async.Synchronise  stream          the host waits for a stream
//     sdfgc.async.Record       event, stream   marks everything queued on a stream so far
//     sdfgc.async.Wait         event, stream   a stream waits for an event; stream -1: the host waits
//     sdfgc.async.Barrier                      in a kernel: the threads of a block wait for each other
//     sdfgc.async.GridBarrier                  in a persistent kernel: the threads of all blocks wait for each other
//     sdfgc.async.Allocate     data, stream    a container gets memory from the device's pool, for later operations of the stream
//     sdfgc.async.Free         data, stream    and returns it after all earlier operations of the stream; both are operations of
//                                              the stream that write the container, and have no stream before assign-streams
//     sdfgc.async.Reserve      data            the host ensures that a container has memory for its current size. Memory that is
//                                              large enough is kept with its contents. If a device may be using memory that is
//                                              too small, the host waits
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <optional>
#include <set>

namespace sdfgc::analysis {

/// Streams are numbered from 0; a program has at most this many.
inline constexpr int maxStreams = 32;

struct AsyncOp {
    enum Kind : uint8_t { Synchronise, Record, Wait, Barrier, GridBarrier, Allocate, Free, Reserve } kind = Synchronise;
    bool ofThreads() const { return kind == Barrier || kind == GridBarrier; } // rather than of streams
    int stream = 0;
    int event = -1;
    Name data = {};
    /// Does it allocate or release memory, rather than order other operations?
    bool usesPool() const { return kind == Allocate || kind == Free; }
};

/// Returns the operation of a node, or nothing for other nodes.
std::optional<AsyncOp> asyncOp(const ir::LibraryNode &n);
/// Returns the containers of one SDFG, excluding nested ones, whose memory nodes of the graph allocate or release.
std::set<Name> pooledContainers(const ir::SDFG &g);
/// Returns the stream of a kernel, or of a library node that the device runs (copies, fills, calls of device
/// libraries); 0 if none was assigned.
int streamOf(const ir::Node &n);
void setStream(ir::Node &n, int stream);
/// Adds a new operation node without edges to a state.
ir::LibraryNode *addAsyncOp(ir::State &s, const AsyncOp &op);
} // namespace sdfgc::analysis
