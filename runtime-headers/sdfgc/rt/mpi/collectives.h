// Calls of all ranks of a communicator together.
//
// Rules: a buffer may be null on ranks that do not use it: `in` of a scatter on all ranks but the root, `out` of a gather or reduce
// likewise. `in` and `out` may be the same memory where MPI supports MPI_IN_PLACE. A buffer that is distributed over ranks is
// packed if it has gaps.
#pragma once

#include "sdfgc/rt/mpi/messages.h"

namespace sdfgc::mpi {

class Collectives : public Messages {
public:
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
    /// The root scatters `in` in equal parts, in rank order.
    template <class A, class B, class On = World>
    void scatter(const char *element, const Block<A> &in, const Block<B> &out, int64_t root, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const int64_t each = share(s, in.count(), out.count());
        const bool isRoot = s.rank == root;
        const Packed<A> from(atRoot(s, root, in), true);
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
        const Packed<B> to(atRoot(s, root, out), true);
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
    /// Rank i gets the i-th part of every rank's `in`, in rank order.
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
        const Packed<B> to(atRoot(s, root, out), isInPlace);
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
};

} // namespace sdfgc::mpi
