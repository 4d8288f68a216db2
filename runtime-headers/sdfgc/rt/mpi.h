// Messages between the ranks of a job: what the MPI nodes of a graph call.
//
// Rules: every rank has a program of its own, with arguments of its own. A call names the element of the graph that it is for, its
// buffers as blocks (mpi/layout.h), and the ranks it goes to: the program's world, one of its grids (mpi/communicator.h), or a
// communicator of Fortran's that the host gave. A rank outside of a grid passes by. Sizes are 64-bit; what MPI's int cannot count
// goes as derived types or in parts. Every return code becomes an error of the program (mpi/error.h). A Program is a member of the
// program's state; one thread at a time may use it.
//
//   struct state_t { mpi::Program mpi; ... };
//   __state->mpi.send("Send of A", mpi::block(A, N, 1), 1, 0, mpi::world());
//   __state->mpi.allreduce("Allreduce of s", mpi::Op::Sum, mpi::block(s), mpi::block(s), mpi::grid(0));
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/mpi/communicator.h"
#include "sdfgc/rt/mpi/layout.h"
#include "sdfgc/rt/mpi/subarray.h"

#include <algorithm>

namespace sdfgc::mpi {

class Program {
public:
    Program() noexcept = default;
    /// Starts MPI if nobody has, and makes the program's world: all ranks that load the program call this.
    void open() {
        start();
        const Caller caller{"initialisation", 0};
        MPI_Comm handle = MPI_COMM_NULL;
        const MPI_Comm base = givenWorld() == MPI_COMM_NULL ? MPI_COMM_WORLD : givenWorld();
        check(caller, MPI_Comm_dup(base, &handle), "MPI_Comm_dup");
        check(caller, MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
        world_ = Communicator::of(caller, handle);
    }
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;
    ~Program() {
        if (!isRunning())
            return;
        types_.free();
        for (ProcessGrid &g : grids_)
            g.free();
        if (world_.isMember())
            MPI_Comm_free(&world_.handle);
    }

    int64_t rank() const { return world_.rank; }
    int64_t size() const { return world_.size; }

    // Grids. They are made at the first call and kept while their shape stays.

    void make_grid(const char *element, int64_t number, const Dims &shape) {
        ProcessGrid &g = at(number);
        if (g.shape == shape && !shape.empty())
            return;
        g.free();
        g = cartesian(caller(element), world_, shape);
    }
    /// `exact` < 0: all parts take part.
    void make_part(const char *element, int64_t number, int64_t parent, const Dims &kept, int64_t exact) {
        ProcessGrid &g = at(number); // before the parent is referred to: this may move them
        const ProcessGrid &p = grids_[static_cast<std::size_t>(parent)];
        if (g.communicator.isMember() && g.shape == keptOf(p.shape, kept))
            return;
        g.free();
        g = part(caller(element), p, kept, exact);
    }
    const ProcessGrid &grid_of(int64_t number) const { return grids_[static_cast<std::size_t>(number)]; }

    // From one rank to another.

    template <class T, class On = World> void send(const char *element, const Block<T> &b, int64_t to, int64_t tag, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const Message m = types_.message(s, b);
        check(s, MPI_Send(m.data, m.count, m.type, int(to), int(tag), s.handle()), "MPI_Send");
    }
    template <class T, class On = World> void recv(const char *element, const Block<T> &b, int64_t from, int64_t tag, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const Message m = types_.message(s, b);
        check(s, MPI_Recv(m.data, m.count, m.type, int(from), int(tag), s.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
    }
    template <class T, class On = World>
    void isend(const char *element, const Block<T> &b, int64_t to, int64_t tag, MPI_Request *request, On on = {}) {
        const Scope s(*this, element, on);
        *request = MPI_REQUEST_NULL;
        if (!s)
            return;
        const Message m = types_.message(s, b);
        check(s, MPI_Isend(m.data, m.count, m.type, int(to), int(tag), s.handle(), request), "MPI_Isend");
    }
    template <class T, class On = World>
    void irecv(const char *element, const Block<T> &b, int64_t from, int64_t tag, MPI_Request *request, On on = {}) {
        const Scope s(*this, element, on);
        *request = MPI_REQUEST_NULL;
        if (!s)
            return;
        const Message m = types_.message(s, b);
        check(s, MPI_Irecv(m.data, m.count, m.type, int(from), int(tag), s.handle(), request), "MPI_Irecv");
    }
    template <class A, class B, class On = World>
    void sendrecv(const char *element, const Block<A> &out, int64_t to, int64_t sendTag, const Block<B> &in, int64_t from,
                  int64_t receiveTag, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const Message a = types_.message(s, out), b = types_.message(s, in);
        check(s,
              MPI_Sendrecv(a.data, a.count, a.type, int(to), int(sendTag), b.data, b.count, b.type, int(from), int(receiveTag),
                           s.handle(), MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
    }
    /// The buffers that a wait names are what its requests move: nothing may happen to them before. Tag and source of what was received go to `tag` and `source`, which may be null.
    template <class... Moved> void wait(const char *element, MPI_Request *request, int *tag, int *source, Moved...) {
        const Scope s(*this, element, World());
        MPI_Status status{};
        check(s, MPI_Wait(request, &status), "MPI_Wait");
        if (tag)
            *tag = status.MPI_TAG;
        if (source)
            *source = status.MPI_SOURCE;
    }
    template <class... Moved> void waitall(const char *element, MPI_Request *requests, int64_t count, Moved...) {
        const Scope s(*this, element, World());
        std::vector<MPI_Status> statuses(static_cast<std::size_t>(count));
        const int code = MPI_Waitall(static_cast<int>(count), requests, statuses.data());
        if (code != MPI_SUCCESS)
            for (const MPI_Status &one : statuses) // says which one failed; MPI_Waitall itself only that one did
                check(s, one.MPI_ERROR, "MPI_Waitall");
        check(s, code, "MPI_Waitall");
    }

    // All ranks together.

    template <class On = World> void barrier(const char *element, On on = {}) {
        if (const Scope s(*this, element, on); s)
            check(s, MPI_Barrier(s.handle()), "MPI_Barrier");
    }
    /// `out` of every rank = `in` of the root, which may be the same memory.
    template <class A, class B, class On = World>
    void bcast(const char *element, const Block<A> &in, const Block<B> &out, int64_t root, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        if (s.rank == root && static_cast<const void *>(in.data) != out.data)
            copy(s, in, out);
        const Message m = types_.message(s, out);
        check(s, MPI_Bcast(m.data, m.count, m.type, int(root), s.handle()), "MPI_Bcast");
    }
    /// The root deals `in` out in equal parts, in the order of ranks.
    template <class A, class B, class On = World>
    void scatter(const char *element, const Block<A> &in, const Block<B> &out, int64_t root, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const int64_t each = share(s, in.count(), out.count());
        const bool isRoot = s.rank == root;
        const Packed<A> from(isRoot ? in : Block<A>(), true);
        const Packed<B> to(out, true);
        const MPI_Datatype type = types_.template run<B>(s, each);
        check(s, MPI_Scatter(isRoot ? from.data() : nullptr, 1, type, to.data(), 1, type, int(root), s.handle()), "MPI_Scatter");
        to.unpack();
    }
    /// The root gets the parts of all ranks, in their order.
    template <class A, class B, class On = World>
    void gather(const char *element, const Block<A> &in, const Block<B> &out, int64_t root, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const int64_t each = share(s, out.count(), in.count());
        const bool isRoot = s.rank == root;
        const Packed<A> from(in, true);
        const Packed<B> to(isRoot ? out : Block<B>(), true);
        const MPI_Datatype type = types_.template run<B>(s, each);
        check(s, MPI_Gather(from.data(), 1, type, isRoot ? to.data() : nullptr, 1, type, int(root), s.handle()), "MPI_Gather");
        if (isRoot)
            to.unpack();
    }
    template <class A, class B, class On = World>
    void allgather(const char *element, const Block<A> &in, const Block<B> &out, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const int64_t each = share(s, out.count(), in.count());
        const Packed<A> from(in, true);
        const Packed<B> to(out, true);
        const MPI_Datatype type = types_.template run<B>(s, each);
        check(s, MPI_Allgather(from.data(), 1, type, to.data(), 1, type, s.handle()), "MPI_Allgather");
        to.unpack();
    }
    /// Rank i gets the i-th part of every rank's `in`, in the order of those.
    template <class A, class B, class On = World>
    void alltoall(const char *element, const Block<A> &in, const Block<B> &out, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        if (in.count() != out.count())
            fail(s, "what is sent and what is received differ in size");
        const int64_t each = share(s, in.count(), in.count() / s.size());
        const Packed<A> from(in, true);
        const Packed<B> to(out, true);
        const MPI_Datatype type = types_.template run<B>(s, each);
        check(s, MPI_Alltoall(from.data(), 1, type, to.data(), 1, type, s.handle()), "MPI_Alltoall");
        to.unpack();
    }
    /// `out` of the root = op over all ranks of `in`, which may be the same memory.
    template <class A, class B, class On = World>
    void reduce(const char *element, Op op, const Block<A> &in, const Block<B> &out, int64_t root, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const bool isRoot = s.rank == root, isInPlace = isRoot && static_cast<const void *>(in.data) == out.data;
        const Packed<A> from(in, true);
        const Packed<B> to(isRoot ? out : Block<B>(), isInPlace);
        inParts(in.count(), [&](int64_t begin, int count) {
            const void *mine = isInPlace ? MPI_IN_PLACE : from.data() + begin;
            check(s,
                  MPI_Reduce(mine, isRoot ? to.data() + begin : nullptr, count, types_.template element<B>(s),
                             types_.template op<B>(s, op), int(root), s.handle()),
                  "MPI_Reduce");
        });
        if (isRoot)
            to.unpack();
    }
    template <class A, class B, class On = World>
    void allreduce(const char *element, Op op, const Block<A> &in, const Block<B> &out, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const bool isInPlace = static_cast<const void *>(in.data) == out.data;
        const Packed<A> from(in, true);
        const Packed<B> to(out, isInPlace);
        inParts(in.count(), [&](int64_t begin, int count) {
            const void *mine = isInPlace ? MPI_IN_PLACE : from.data() + begin;
            check(s,
                  MPI_Allreduce(mine, to.data() + begin, count, types_.template element<B>(s), types_.template op<B>(s, op),
                                s.handle()),
                  "MPI_Allreduce");
        });
        to.unpack();
    }

    // Arrays in blocks over a grid (mpi/subarray.h).

    /// Rank 0 of `from` deals `in` out in blocks; then, with `copies`, its rank 0 gives the block on to the others of it.
    template <class A, class B, class Copies = World>
    void block_scatter(const char *element, const Block<A> &in, const Block<B> &out, const SubArray &a, GridNumber from,
                       Copies copies = {}) {
        if (const Scope s(*this, element, from); s) {
            const Dims shape = grid_of(from.number).shape;
            a.verify(s, shape);
            const Pieces pieces(s, a, shape);
            std::vector<std::remove_const_t<A>> packed(s.rank == 0 ? static_cast<std::size_t>(pieces.all) : 0);
            for (int r = 0; s.rank == 0 && r < s.size(); ++r)
                copyTo(partOf(s, in, a.shape, pieces.boxes[std::size_t(r)]), packed.data() + pieces.places[std::size_t(r)]);
            std::vector<B> mine(static_cast<std::size_t>(pieces.counts[std::size_t(s.rank)]));
            const MPI_Datatype type = types_.template element<B>(s);
            check(s,
                  MPI_Scatterv(packed.data(), pieces.counts.data(), pieces.places.data(), type, mine.data(),
                               pieces.counts[std::size_t(s.rank)], type, 0, s.handle()),
                  "MPI_Scatterv");
            copyFrom(mine.data(), partOf(s, out, a.block, atOrigin(pieces.boxes[std::size_t(s.rank)])));
        }
        if constexpr (!std::is_same_v<Copies, World>)
            bcast(element, out, out, 0, copies);
    }
    /// The reverse: with `copies`, the sum over its ranks is taken first; then rank 0 of `to` gets all blocks.
    template <class A, class B, class Copies = World>
    void block_gather(const char *element, const Block<A> &in, const Block<B> &out, const SubArray &a, GridNumber to,
                      Copies copies = {}) {
        using T = std::remove_const_t<A>;
        std::vector<T> sum(static_cast<std::size_t>(in.count()));
        copyTo(in, sum.data());
        Block<T> mine = in.template of<T>(sum.data());
        if constexpr (!std::is_same_v<Copies, World>)
            reduce(element, Op::Sum, in, mine, 0, copies);
        const Scope s(*this, element, to);
        if (!s)
            return;
        const Dims shape = grid_of(to.number).shape;
        a.verify(s, shape);
        const Pieces pieces(s, a, shape);
        std::vector<T> own(static_cast<std::size_t>(pieces.counts[std::size_t(s.rank)]));
        copyTo(partOf(s, mine, a.block, atOrigin(pieces.boxes[std::size_t(s.rank)])), own.data());
        std::vector<B> packed(s.rank == 0 ? static_cast<std::size_t>(pieces.all) : 0);
        const MPI_Datatype type = types_.template element<B>(s);
        check(s,
              MPI_Gatherv(own.data(), pieces.counts[std::size_t(s.rank)], type, packed.data(), pieces.counts.data(),
                          pieces.places.data(), type, 0, s.handle()),
              "MPI_Gatherv");
        for (int r = 0; s.rank == 0 && r < s.size(); ++r)
            copyFrom(packed.data() + pieces.places[std::size_t(r)], partOf(s, out, a.shape, pieces.boxes[std::size_t(r)]));
    }
    /// From the blocks of one sub-array to those of another one of the same array. Both grids are of the program's world.
    template <class A, class B>
    void redistribute(const char *element, const Block<A> &in, const Block<B> &out, const SubArray &a, const SubArray &b) {
        const Scope s(*this, element, World());
        const Dims from = grid_of(a.grid).shape, to = grid_of(b.grid).shape;
        a.verify(s, from);
        b.verify(s, to);
        if (a.shape != b.shape)
            fail(s, "the sub-arrays are parts of arrays of " + text(a.shape) + " and of " + text(b.shape) + " elements");
        struct Transfer {
            int rank;
            Box box; // of the whole array
            std::vector<B> data;
        };
        auto transfers = [&](const SubArray &mine, const Dims &shape, const SubArray &other, const Dims &others, bool isSender) {
            std::vector<Transfer> all;
            const int64_t ranks = product(shape);
            if (s.rank >= ranks || (isSender && !mine.isFirst(coordinatesOf(shape, s.rank))))
                return all;
            const Box own = mine.boxAt(coordinatesOf(shape, s.rank));
            for (int64_t r = 0; r < product(others); ++r) {
                const Dims at = coordinatesOf(others, r);
                const Box box = own.cut(other.boxAt(at));
                if (box.count() > 0 && (isSender || other.isFirst(at)))
                    all.push_back({static_cast<int>(r), box, std::vector<B>(static_cast<std::size_t>(box.count()))});
            }
            return all;
        };
        std::vector<Transfer> sends = transfers(a, from, b, to, true), receives = transfers(b, to, a, from, false);
        std::vector<MPI_Request> requests(sends.size() + receives.size(), MPI_REQUEST_NULL);
        const Dims mineA = coordinatesOf(from, s.rank), mineB = coordinatesOf(to, s.rank);
        std::size_t next = 0;
        for (Transfer &t : receives) {
            const Message m = types_.message(s, block(t.data.data(), static_cast<int64_t>(t.data.size()), 1));
            check(s, MPI_Irecv(m.data, m.count, m.type, t.rank, redistributionTag, s.handle(), &requests[next++]), "MPI_Irecv");
        }
        for (Transfer &t : sends) {
            copyTo(partOf(s, in, a.block, t.box.relativeTo(a.boxAt(mineA).begin)), t.data.data());
            const Message m = types_.message(s, block(t.data.data(), static_cast<int64_t>(t.data.size()), 1));
            check(s, MPI_Isend(m.data, m.count, m.type, t.rank, redistributionTag, s.handle(), &requests[next++]), "MPI_Isend");
        }
        waitall(element, requests.data(), static_cast<int64_t>(requests.size()));
        for (Transfer &t : receives)
            copyFrom(t.data.data(), partOf(s, out, b.block, t.box.relativeTo(b.boxAt(mineB).begin)));
    }

private:
    /// Who calls, and the ranks it is for.
    struct Scope : Caller {
        template <class On> Scope(Program &p, const char *element, On on) : Caller(p.caller(element)), to_(p.on(*this, on)) {
            rank = to_.rank;
        }
        explicit operator bool() const { return to_.isMember(); }
        MPI_Comm handle() const { return to_.handle; }
        int size() const { return to_.size; }

    private:
        Communicator to_;
    };

    Caller caller(const char *element) const {
        enterElement(element);
        return {element, world_.rank};
    }
    Communicator on(const Caller &, World) const { return world_; }
    Communicator on(const Caller &, GridNumber g) const {
        const ProcessGrid &grid = grids_[static_cast<std::size_t>(g.number)];
        return grid.takesPart ? grid.communicator : Communicator();
    }
    Communicator on(const Caller &c, FortranHandle f) const { return Communicator::of(c, MPI_Comm_f2c(f.handle)); }

    static constexpr int redistributionTag = 32000; // MPI grants tags up to 32767

    /// Which part of an array each rank of a grid has; all of them one after the other.
    struct Pieces {
        std::vector<Box> boxes;
        std::vector<int> counts, places;
        int64_t all = 0;

        Pieces(const Caller &c, const SubArray &a, const Dims &grid) {
            for (int64_t r = 0; r < product(grid); ++r) {
                boxes.push_back(a.boxAt(coordinatesOf(grid, r)));
                counts.push_back(static_cast<int>(boxes.back().count()));
                places.push_back(static_cast<int>(all));
                all += boxes.back().count();
            }
            if (all > INT_MAX)
                fail(c, "blocks of more than 2147483647 elements together cannot be dealt out at once");
        }
    };
    static int64_t product(const Dims &shape) {
        int64_t n = 1;
        for (const int64_t d : shape)
            n *= d;
        return n;
    }
    static Box atOrigin(const Box &box) { return box.relativeTo(box.begin); }
    template <class T> static void copyTo(const Block<T> &from, std::remove_const_t<T> *to) {
        from.forEach([&](T *at) { *to++ = *at; });
    }
    template <class T> static void copyFrom(const T *from, const Block<T> &to) {
        to.forEach([&](T *at) { *at = *from++; });
    }

    ProcessGrid &at(int64_t number) {
        if (grids_.size() <= static_cast<std::size_t>(number))
            grids_.resize(static_cast<std::size_t>(number) + 1);
        return grids_[static_cast<std::size_t>(number)];
    }

    template <class A, class B> static void copy(const Scope &s, const Block<A> &in, const Block<B> &out) {
        if (in.count() != out.count())
            fail(s, "what is sent and what is received differ in size");
        const Packed<A> from(in, true);
        const Packed<B> to(out, false);
        std::copy_n(from.data(), in.count(), to.data());
        to.unpack();
    }

    /// Elements of one rank's part of `all`, for which it has `room`.
    static int64_t share(const Scope &s, int64_t all, int64_t room) {
        const std::string ranks = std::to_string(s.size()) + " ranks", elements = std::to_string(all) + " elements";
        if (all % s.size() != 0)
            fail(s, elements + " are no multiple of the " + ranks);
        if (all / s.size() != room)
            fail(s, "each of " + ranks + " has " + std::to_string(all / s.size()) + " of the " + elements + ", and here are " +
                        std::to_string(room));
        return all / s.size();
    }
    /// Calls part(begin, count) for parts that MPI can count.
    template <class Part> static void inParts(int64_t count, Part part) {
        constexpr int64_t most = int64_t(1) << 30;
        int64_t begin = 0;
        do {
            part(begin, static_cast<int>(std::min(most, count - begin)));
            begin += most;
        } while (begin < count);
    }

    Communicator world_;
    std::vector<ProcessGrid> grids_;
    Types types_;
};

} // namespace sdfgc::mpi
