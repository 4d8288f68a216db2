// The forms of MPI's collective calls: five ways to distribute, and reductions, each blocking or non-blocking.
#pragma once

#include "sdfgc/rt/mpi/emulated/nonblocking.h"

namespace sdfgc::mpi::emulated {

inline Entry entry(const char *kind, int root = -1) {
    Entry e;
    e.kind = kind;
    e.root = root;
    return e;
}
/// How a call distributes: pieces for each rank, or one for all.
struct Form {
    Pattern pattern;
    bool wholeSend, wholeReceive;

    std::string operator()(Comm &c, std::vector<Entry> &all) const { return move(c, all, pattern, wholeSend, wholeReceive); }
};
inline constexpr Form broadcast{Pattern::FromRoot, true, true}, scattering{Pattern::FromRoot, false, true},
    gathering{Pattern::ToRoot, true, false}, gatheringAll{Pattern::ToAll, true, false}, exchange{Pattern::Exchange, false, false};

/// With a request the call only begins; without one it completes.
inline int moved(MPI_Comm comm, Entry e, const Form &form, MPI_Request *request = nullptr) {
    if (e.send.data == MPI_IN_PLACE || e.receive.data == MPI_IN_PLACE)
        return fail(e.kind + " in place is not emulated");
    e.keepsOwn = e.send.data == e.receive.data && form.wholeSend == form.wholeReceive; // the root of a broadcast
    if (!request)
        return meet(comm, e, form);
    auto o = std::make_shared<Ongoing>();
    o->comm = comm;
    if (comm)
        sidesOf(*o, e, form.pattern, form.wholeSend, form.wholeReceive);
    return begin(std::move(o), std::move(e), form, request);
}
inline int reduced(const char *kind, const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                   MPI_Request *request = nullptr) {
    Entry e = entry(kind, root);
    e.op = op;
    e.send = {from == MPI_IN_PLACE ? to : from, type, count};
    e.receive = {to, type, count};
    if (!request)
        return meet(comm, e, reduceAll);
    auto o = std::make_shared<Ongoing>();
    o->comm = comm;
    o->sendPieces = 1;
    o->receivePieces = comm && (root < 0 || root == comm->mine());
    o->isInPlace = from == MPI_IN_PLACE;
    return begin(std::move(o), std::move(e), reduceAll, request);
}
inline Entry broadcasting(const char *kind, void *data, int count, MPI_Datatype type, int root) {
    Entry e = entry(kind, root);
    e.send = e.receive = {data, type, count};
    return e;
}
inline Entry dealing(const char *kind, const void *from, int sent, MPI_Datatype sendType, void *to, int taken, MPI_Datatype type,
                     int root = -1) {
    Entry e = entry(kind, root);
    e.send = {from, sendType, sent};
    e.receive = {to, type, taken};
    return e;
}

} // namespace sdfgc::mpi::emulated
