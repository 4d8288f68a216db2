// Operations on GPU streams as graph elements: which stream an element is queued on, and nodes that order streams and the host.
//
// A kernel's stream is MapEntry::stream, a copy's is Memlet::stream. The nodes are library nodes of sdfgc's own classes; they are
// kept by every pass, written to files and read back:
//
//     sdfgc.async.Synchronise  stream          the host waits for a stream
//     sdfgc.async.Record       event, stream   marks what a stream has been given so far
//     sdfgc.async.Wait         event, stream   a stream waits for an event; stream -1: the host does
//     sdfgc.async.Barrier                      inside of a kernel: the threads of a block wait for each other
//     sdfgc.async.GridBarrier                  inside of a persistent kernel: the threads of all blocks wait for each other
//     sdfgc.async.Allocate     data, stream    a container gets memory from the device's pool, for what comes after it in the stream
//     sdfgc.async.Free         data, stream    and gives it back after what the stream has been given; both are operations of the
//                                              stream that write the container, and have no stream before assign-streams
//     sdfgc.async.Reserve      data            the host sees to it that a container has memory for its present size. Memory that is
//                                              large enough is kept with its contents; where a device may use what is too small, the
//                                              host waits
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
    /// Does it do something to memory, rather than order what others do?
    bool usesPool() const { return kind == Allocate || kind == Free; }
};

/// What an operation node does; nothing if the node is something else.
std::optional<AsyncOp> asyncOp(const ir::LibraryNode &n);
/// Containers of one SDFG, nested ones excluded, whose memory nodes of the graph allocate or give back.
std::set<Name> pooledContainers(const ir::SDFG &g);
/// The stream of a kernel, or of a library node that the device runs (copies, fills, calls of device libraries); 0 when none was
/// given.
int streamOf(const ir::Node &n);
void setStream(ir::Node &n, int stream);
/// A new operation node in a state, without edges.
ir::LibraryNode *addAsyncOp(ir::State &s, const AsyncOp &op);
} // namespace sdfgc::analysis
