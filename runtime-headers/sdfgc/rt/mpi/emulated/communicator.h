// Communicators of the emulation, and calls that all of their ranks make.
//
// A collective call is a meeting: each rank contributes its arguments, and the last one checks that all made the same call and does
// the work for all.
#pragma once

#include "sdfgc/rt/mpi/emulated/job.h"

#include <algorithm>
#include <functional>

namespace sdfgc::mpi::emulated {

/// One side of a rank's part in a meeting: `counts` and `places` (in items) for each rank, or one count for all.
struct Side {
    const void *data = nullptr;
    Type *type = nullptr;
    std::int64_t count = 0;
    const int *counts = nullptr, *places = nullptr;

    std::int64_t countOf(int rank) const { return counts ? counts[rank] : count; }
    /// The begin of a rank's items; with `whole`, all ranks share the same items.
    void *at(int rank, bool whole) const {
        const std::int64_t item = whole ? 0 : places ? places[rank] : rank * count;
        return static_cast<char *>(const_cast<void *>(data)) + item * type->extent;
    }
};

/// Elements on their way to a rank, which gets them when its call ends.
struct Delivery {
    void *to;
    std::int64_t count;
    Type type; // a copy: the program may free its own while the call is under way
    std::vector<char> bytes;
};

struct Entry {
    const char *element = "";
    std::string kind; // MPI's name of the call
    int root = -1;
    Operator *op = nullptr;
    Side send, receive;
    bool keepsOwn = false; // the rank's own piece is already in place
    int color = 0, key = 0;
    Comm **made = nullptr; // receives a communicator
    std::vector<Delivery> deliveries;
};

struct Meeting {
    std::vector<Entry> entries;
    std::size_t arrived = 0, left = 0;
    bool isDone = false;
    std::string wrong; // why it failed
};

struct Comm {
    std::vector<int> members;         // ranks of the job
    std::vector<int> shape;           // of a Cartesian grid
    std::vector<std::uint64_t> calls; // of each member: collective ones
    std::map<std::uint64_t, Meeting> meetings;
    int handles = 0;

    explicit Comm(std::vector<int> ranks)
        : members(std::move(ranks)), calls(members.size(), 0), handles(static_cast<int>(members.size())) {}
    int size() const { return static_cast<int>(members.size()); }
    int rankOf(int jobRank) const {
        const auto at = std::find(members.begin(), members.end(), jobRank);
        return at == members.end() ? MPI_PROC_NULL : static_cast<int>(at - members.begin());
    }
    int mine() const { return rankOf(myRank); }
};

/// The work of the last rank at a meeting: moves data between the entries, and returns an error text.
using Work = std::function<std::string(Comm &, std::vector<Entry> &)>;

inline std::string describe(const Entry &e, int rank) {
    return e.kind + " of rank " + std::to_string(rank) + " in " + e.element +
           (e.root >= 0 ? " with root " + std::to_string(e.root) : "");
}

/// Why two entries cannot belong to one call; empty if they can.
inline std::string difference(const Entry &a, const Entry &b, int rank) {
    if (a.kind == b.kind && a.root == b.root && a.op == b.op)
        return "";
    return "ranks call different things: " + describe(a, 0) +
           (a.kind == b.kind && a.root == b.root ? " with another operator" : "") + ", " + describe(b, rank);
}

/// Joins the next meeting of a communicator; the last rank does the work for all. Null if the call is not possible; `code` is then
/// its result. The lock is held.
inline Meeting *arrive(Comm *comm, Entry mine, const Work &work, std::uint64_t &number, int &code) {
    Job &j = job();
    code = MPI_SUCCESS;
    const int rank = comm ? comm->mine() : MPI_PROC_NULL;
    if (!j.broken.empty())
        code = interrupted();
    else if (rank < 0)
        code = fail(mine.kind + " on a communicator that this rank is not in");
    else if (mine.root >= comm->size())
        code = fail(mine.kind + ": there is no rank " + std::to_string(mine.root) + " among " + std::to_string(comm->size()));
    if (code != MPI_SUCCESS)
        return nullptr;
    mine.element = me().element;
    number = comm->calls[static_cast<std::size_t>(rank)]++;
    Meeting &m = comm->meetings[number];
    m.entries.resize(comm->members.size());
    m.entries[static_cast<std::size_t>(rank)] = std::move(mine);
    if (++m.arrived < m.entries.size())
        return &m;
    for (std::size_t i = 1; i < m.entries.size() && m.wrong.empty(); ++i)
        m.wrong = difference(m.entries[0], m.entries[i], static_cast<int>(i));
    if (m.wrong.empty())
        m.wrong = work(*comm, m.entries);
    m.isDone = true;
    j.happened(&m);
    return &m;
}

/// Waits until all ranks have joined, takes this rank's results unless `wrong` is set, and leaves. The lock is held.
inline int leave(std::unique_lock<std::mutex> &held, Comm &comm, std::uint64_t number, std::string wrong = "") {
    Meeting &m = comm.meetings[number];
    Entry &mine = m.entries[static_cast<std::size_t>(comm.mine())];
    if (!m.isDone && !job().wait(held, me(), &m, "for all ranks in " + mine.kind))
        return interrupted();
    if (!m.wrong.empty())
        wrong = m.wrong;
    if (wrong.empty())
        for (const Delivery &d : mine.deliveries)
            unpack(d.bytes, d.to, d.count, d.type);
    if (++m.left == m.entries.size())
        comm.meetings.erase(number);
    return wrong.empty() ? MPI_SUCCESS : fail(wrong);
}

/// Takes part in the next meeting of a communicator, and waits until its work is done.
inline int meet(Comm *comm, Entry mine, const Work &work) {
    job().delay(me());
    std::unique_lock held(job().lock);
    std::uint64_t number = 0;
    int code = MPI_SUCCESS;
    return arrive(comm, std::move(mine), work, number, code) ? leave(held, *comm, number) : code;
}

/// Makes a communicator of the ranks with each color, in the order of keys; `shape(color)` is that of its grid.
inline std::string split(Comm &comm, std::vector<Entry> &entries, const std::function<std::vector<int>(int)> &shape) {
    std::map<int, std::vector<std::pair<int, int>>> groups; // color: key, rank
    for (int r = 0; r < comm.size(); ++r)
        if (const Entry &e = entries[static_cast<std::size_t>(r)]; e.color != MPI_UNDEFINED)
            groups[e.color].emplace_back(e.key, r);
    for (Entry &e : entries)
        *e.made = nullptr;
    for (auto &[color, group] : groups) {
        std::sort(group.begin(), group.end());
        std::vector<int> members;
        for (const auto &[key, r] : group)
            members.push_back(comm.members[static_cast<std::size_t>(r)]);
        Comm *made = new Comm(members);
        made->shape = shape(color);
        for (const auto &[key, r] : group) {
            *entries[static_cast<std::size_t>(r)].made = made;
            ++job().ranks[static_cast<std::size_t>(comm.members[static_cast<std::size_t>(r)])].open.communicators;
        }
    }
    return "";
}

inline int makeComm(const char *kind, Comm *comm, int color, int key, Comm **made, std::function<std::vector<int>(int)> shape) {
    Entry e;
    e.kind = kind;
    e.color = color;
    e.key = key;
    e.made = made;
    return meet(comm, e, [&shape](Comm &c, std::vector<Entry> &entries) { return split(c, entries, shape); });
}

/// Coordinates of a rank in row-major order.
inline std::vector<int> coordinatesOf(const std::vector<int> &shape, int rank) {
    std::vector<int> at(shape.size());
    for (std::size_t d = shape.size(); d-- > 0;) {
        at[d] = rank % shape[d];
        rank /= shape[d];
    }
    return at;
}

} // namespace sdfgc::mpi::emulated
