// Messages from one rank to another in the emulation.
//
// A send is matched with a receive of the same communicator and tag in the order in which both were posted. Its elements are copied
// when it is posted; a non-blocking receive gets them at the wait.
#pragma once

#include "sdfgc/rt/mpi/emulated/communicator.h"

#include <list>
#include <memory>

namespace sdfgc::mpi::emulated {

struct Ongoing;

struct Request {
    std::shared_ptr<Ongoing>
        collective; // a call of all ranks that has begun (nonblocking.h); then only the element and its owner count
    bool isSend = false;
    Comm *comm = nullptr;
    int peer = 0, tag = 0, owner = 0; // ranks: the peer's in the communicator, the owner's in the job
    const char *element = "";
    void *data = nullptr;
    std::int64_t count = 0;
    Type type;               // a copy: the program may free its own while the message is under way
    std::vector<char> bytes; // the data of a send, or the received data
    Signature signature;
    bool isDone = false;
    std::string wrong;
    int source = MPI_PROC_NULL, sourceTag = MPI_ANY_TAG;
};

inline std::list<Request *> &posted() {
    static std::list<Request *> all;
    return all;
}

constexpr char poison = static_cast<char>(0xFF); // floating-point numbers with these bytes are NaN

inline bool fits(const Request &send, const Request &receive) {
    return send.comm == receive.comm && send.comm->members[std::size_t(send.peer)] == receive.owner &&
           (receive.peer == MPI_ANY_SOURCE || send.comm->members[std::size_t(receive.peer)] == send.owner) &&
           (receive.tag == MPI_ANY_TAG || receive.tag == send.tag);
}

inline std::string describe(const Request &r) {
    const std::string peer = r.peer == MPI_ANY_SOURCE ? "any rank" : "rank " + std::to_string(r.peer);
    return std::string(r.isSend ? "a message to " : "a message from ") + peer +
           (r.tag == MPI_ANY_TAG ? "" : " with tag " + std::to_string(r.tag));
}

inline void match(Request &send, Request &receive) {
    receive.source = send.comm->rankOf(send.owner);
    receive.sourceTag = send.tag;
    std::size_t room = 0;
    for (const auto &[basic, n] : receive.signature)
        room += n * sizeOf(basic);
    Signature begin = receive.signature; // a receive may have more space than the message needs
    if (!send.signature.empty() && begin.size() >= send.signature.size()) {
        begin.resize(send.signature.size());
        begin.back().second = std::min(begin.back().second, send.signature.back().second);
    }
    if (send.bytes.size() > room || (!send.bytes.empty() && begin != send.signature)) {
        const std::string why = std::string(send.element) + " of rank " + std::to_string(send.owner) + " sends " +
                                text(send.signature) + ", and " + receive.element + " of rank " + std::to_string(receive.owner) +
                                " takes " + text(receive.signature);
        send.wrong = receive.wrong = why;
    } else {
        receive.bytes = send.bytes;
    }
    send.isDone = receive.isDone = true;
    job().happened(&send);
    job().happened(&receive);
}

/// The earliest posted partner. If several ranks have a matching send, the seed chooses one rank, and its earliest send is taken.
inline Request *partnerOf(const Request &mine) {
    std::vector<Request *> candidates;
    for (Request *other : posted()) {
        if (other->collective || other->isSend == mine.isSend || other->isDone ||
            !(mine.isSend ? fits(mine, *other) : fits(*other, mine)))
            continue;
        const bool isKnown =
            std::any_of(candidates.begin(), candidates.end(), [&](Request *c) { return c->owner == other->owner; });
        if (!isKnown)
            candidates.push_back(other);
    }
    if (candidates.empty())
        return nullptr;
    return candidates[mine.isSend ? 0 : job().choose(me(), candidates.size())];
}

/// Posts a message; null on failure, with the result of the call in `code`. Nothing is posted for MPI_PROC_NULL.
inline Request *post(bool isSend, const void *data, std::int64_t count, Type *type, int peer, int tag, Comm *comm, int &code) {
    Job &j = job();
    Rank &r = me();
    j.delay(r);
    const std::lock_guard held(j.lock);
    code = MPI_SUCCESS;
    if (!j.broken.empty())
        code = interrupted();
    else if (!comm || comm->mine() < 0)
        code = fail("this rank is not in the communicator");
    else if (peer >= comm->size() || (peer < 0 && peer != MPI_PROC_NULL && (isSend || peer != MPI_ANY_SOURCE)))
        code = fail("there is no rank " + std::to_string(peer) + " among " + std::to_string(comm->size()));
    else if (tag < 0 && (isSend || tag != MPI_ANY_TAG))
        code = fail("the tag " + std::to_string(tag) + " is negative");
    else if (count < 0)
        code = fail("a negative number of elements");
    else if (!type || !type->isCommitted)
        code = fail("the type has not been committed");
    if (code != MPI_SUCCESS || peer == MPI_PROC_NULL)
        return nullptr;
    auto *q = new Request();
    q->isSend = isSend;
    q->comm = comm;
    q->peer = peer;
    q->tag = tag;
    q->owner = myRank;
    q->element = r.element;
    q->data = const_cast<void *>(data);
    q->count = count;
    q->type = *type;
    q->signature = signatureOf(*type, count);
    if (isSend) {
        q->bytes = packed(data, count, *type);
        j.count(r.element, myRank, 1, q->bytes.size());
    }
    if (Request *other = partnerOf(*q))
        isSend ? match(*q, *other) : match(*other, *q);
    posted().push_back(q);
    return q;
}

/// The contents that a buffer must keep while its request is open.
inline bool isUntouched(const Request &q) {
    std::size_t at = 0;
    bool same = true;
    forEachPiece(q.data, q.count, q.type, [&](const char *now, std::size_t n) {
        if (q.isSend)
            same = same && std::memcmp(now, q.bytes.data() + at, n) == 0;
        else
            same = same && std::all_of(now, now + n, [](char c) { return c == poison; });
        at += n;
    });
    return same;
}

inline void poisonBuffer(const Request &q) {
    forEachPiece(q.data, q.count, q.type, [](char *at, std::size_t n) { std::memset(at, poison, n); });
}

/// Waits for a message and removes it. `wasOpen`: the program continued in between, so its buffer is checked.
inline int complete(Request *q, bool wasOpen, MPI_Status *status) {
    Job &j = job();
    Rank &r = me();
    j.delay(r);
    std::unique_lock held(j.lock);
    if (!q->isDone && !j.wait(held, r, q, "for " + describe(*q)))
        return interrupted();
    posted().remove(q);
    std::string wrong = q->wrong;
    if (wrong.empty() && wasOpen && !isUntouched(*q))
        wrong = std::string("the buffer of ") + q->element + " was written before the wait for it";
    if (wrong.empty() && !q->isSend)
        unpack(q->bytes, q->data, q->count, q->type);
    if (status)
        *status = {q->source, q->sourceTag, wrong.empty() ? MPI_SUCCESS : failed};
    delete q;
    return wrong.empty() ? MPI_SUCCESS : fail(wrong);
}

} // namespace sdfgc::mpi::emulated
