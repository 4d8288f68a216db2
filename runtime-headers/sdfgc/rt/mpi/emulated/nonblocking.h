// Collective calls of the emulation that begin now and end at a wait.
//
// A rank's send buffer is copied at the call and compared at the wait: it must not change. Its receive buffer holds NaN bytes until
// the wait.
#pragma once

#include "sdfgc/rt/mpi/emulated/collective.h"
#include "sdfgc/rt/mpi/emulated/message.h"

namespace sdfgc::mpi::emulated {

/// A call that has begun, as one rank made it.
struct Ongoing {
    Comm *comm = nullptr;
    std::uint64_t number = 0; // of the meeting
    std::string kind;
    Side send, receive;                    // the program's buffers
    int sendPieces = 0, receivePieces = 0; // of `count` items each; 0: the rank has no such side
    std::vector<char> sent;                // a copy of the buffer, with its gaps
    bool isInPlace = false;

    static std::size_t bytesOf(const Side &s, int pieces) {
        return pieces ? static_cast<std::size_t>(pieces * s.count * s.type->extent) : 0;
    }
    bool isUntouched() const {
        bool same = true;
        if (sendPieces && !isInPlace)
            same =
                packed(send.data, sendPieces * send.count, *send.type) == packed(sent.data(), sendPieces * send.count, *send.type);
        if (receivePieces)
            forEachPiece(const_cast<void *>(receive.data), receivePieces * receive.count, *receive.type,
                         [&](const char *now, std::size_t n) {
                             same = same && std::all_of(now, now + n, [](char c) { return c == poison; });
                         });
        return same;
    }
};

/// The sides of a call that ranks have: pieces for each rank, or one for all.
inline void sidesOf(Ongoing &o, const Entry &e, Pattern p, bool wholeSend, bool wholeReceive) {
    const int rank = o.comm->mine(), n = o.comm->size();
    o.sendPieces = p == Pattern::FromRoot && rank != e.root ? 0 : wholeSend ? 1 : n;
    o.receivePieces = (p == Pattern::ToRoot && rank != e.root) || (e.keepsOwn && rank == e.root) ? 0 : wholeReceive ? 1 : n;
}

/// Begins a call and fills the request.
inline int begin(std::shared_ptr<Ongoing> o, Entry e, const Work &work, MPI_Request *request) {
    Job &j = job();
    j.delay(me());
    o->kind = e.kind;
    o->send = e.send;
    o->receive = e.receive;
    const auto *data = static_cast<const char *>(e.send.data);
    o->sent.assign(data, data + Ongoing::bytesOf(e.send, o->sendPieces));
    if (o->sendPieces)
        e.send.data = o->sent.data();
    if (o->receivePieces)
        forEachPiece(const_cast<void *>(e.receive.data), o->receivePieces * e.receive.count, *e.receive.type,
                     [](char *at, std::size_t n) { std::memset(at, poison, n); });
    const std::lock_guard held(j.lock);
    int code = MPI_SUCCESS;
    if (!arrive(o->comm, std::move(e), work, o->number, code))
        return code;
    auto *q = new Request();
    q->owner = myRank;
    q->element = me().element;
    q->collective = std::move(o);
    posted().push_back(q);
    *request = q;
    return MPI_SUCCESS;
}

/// Waits for such a call and removes it.
inline int end(Request *q) {
    job().delay(me());
    std::unique_lock held(job().lock);
    posted().remove(q);
    const std::unique_ptr<Request> gone(q);
    const Ongoing &o = *q->collective;
    return leave(held, *o.comm, o.number,
                 o.isUntouched() ? "" : std::string("the buffer of ") + q->element + " was written before the wait for it");
}

} // namespace sdfgc::mpi::emulated
