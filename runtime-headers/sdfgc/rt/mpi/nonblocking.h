// Calls of all ranks together that begin now and end at a wait.
//
// Rules: the buffers belong to MPI until the wait, so nothing can be packed: buffers that the blocking call would copy are
// rejected. The request is null for a rank that is not in the communicator.
#pragma once

#include "sdfgc/rt/mpi/vector_collectives.h"

namespace sdfgc::mpi {

class Nonblocking : public VectorCollectives {
public:
    template <class On = World> void ibarrier(const char *element, MPI_Request *request, On on = {}) {
        if (const Scope s = begin(element, request, on); s)
            check(s, MPI_Ibarrier(s.handle(), request), "MPI_Ibarrier");
    }
    /// `out` of every rank = `in` of the root, which may be the same memory; the root's copy is made at once.
    template <class A, class B, class On = World>
    void ibcast(const char *element, const Block<A> &in, const Block<B> &out, int64_t root, MPI_Request *request, On on = {}) {
        const Scope s = begin(element, request, on);
        if (!s)
            return;
        if (s.rank == root && static_cast<const void *>(in.data) != out.data)
            copy(s, in, out);
        const Message m = types_.message(s, out);
        check(s, MPI_Ibcast(m.data, m.count, m.type, int(root), s.handle(), request), "MPI_Ibcast");
    }
    template <class A, class B, class On = World>
    void iscatter(const char *element, const Block<A> &in, const Block<B> &out, int64_t root, MPI_Request *request, On on = {}) {
        const Scope s = begin(element, request, on);
        if (!s)
            return;
        const MPI_Datatype type = types_.template run<B>(s, share(s, in.count(), out.count()));
        check(s, MPI_Iscatter(whole(s, atRoot(s, root, in)), 1, type, whole(s, out), 1, type, int(root), s.handle(), request),
              "MPI_Iscatter");
    }
    template <class A, class B, class On = World>
    void igather(const char *element, const Block<A> &in, const Block<B> &out, int64_t root, MPI_Request *request, On on = {}) {
        const Scope s = begin(element, request, on);
        if (!s)
            return;
        const MPI_Datatype type = types_.template run<B>(s, share(s, out.count(), in.count()));
        check(s, MPI_Igather(whole(s, in), 1, type, whole(s, atRoot(s, root, out)), 1, type, int(root), s.handle(), request),
              "MPI_Igather");
    }
    template <class A, class B, class On = World>
    void iallgather(const char *element, const Block<A> &in, const Block<B> &out, MPI_Request *request, On on = {}) {
        const Scope s = begin(element, request, on);
        if (!s)
            return;
        const MPI_Datatype type = types_.template run<B>(s, share(s, out.count(), in.count()));
        check(s, MPI_Iallgather(whole(s, in), 1, type, whole(s, out), 1, type, s.handle(), request), "MPI_Iallgather");
    }
    template <class A, class B, class On = World>
    void ialltoall(const char *element, const Block<A> &in, const Block<B> &out, MPI_Request *request, On on = {}) {
        const Scope s = begin(element, request, on);
        if (!s)
            return;
        if (in.count() != out.count())
            fail(s, "what is sent and what is received differ in size");
        const MPI_Datatype type = types_.template run<B>(s, share(s, in.count(), in.count() / s.size()));
        check(s, MPI_Ialltoall(whole(s, in), 1, type, whole(s, out), 1, type, s.handle(), request), "MPI_Ialltoall");
    }
    template <class A, class B, class On = World>
    void ireduce(const char *element, Op op, const Block<A> &in, const Block<B> &out, int64_t root, MPI_Request *request,
                 On on = {}) {
        const Scope s = begin(element, request, on);
        if (!s)
            return;
        const bool isRoot = s.rank == root, isInPlace = isRoot && static_cast<const void *>(in.data) == out.data;
        check(s,
              MPI_Ireduce(isInPlace ? MPI_IN_PLACE : whole(s, in), whole(s, atRoot(s, root, out)), counted(s, in),
                          types_.template element<B>(s), types_.template op<B>(s, op), int(root), s.handle(), request),
              "MPI_Ireduce");
    }
    template <class A, class B, class On = World>
    void iallreduce(const char *element, Op op, const Block<A> &in, const Block<B> &out, MPI_Request *request, On on = {}) {
        const Scope s = begin(element, request, on);
        if (!s)
            return;
        const bool isInPlace = static_cast<const void *>(in.data) == out.data;
        check(s,
              MPI_Iallreduce(isInPlace ? MPI_IN_PLACE : whole(s, in), whole(s, out), counted(s, in), types_.template element<B>(s),
                             types_.template op<B>(s, op), s.handle(), request),
              "MPI_Iallreduce");
    }

private:
    template <class On> Scope begin(const char *element, MPI_Request *request, On on) {
        *request = MPI_REQUEST_NULL;
        return Scope(*this, element, on);
    }
    /// A buffer as it is.
    template <class T> static std::remove_const_t<T> *whole(const Scope &s, const Block<T> &b) {
        if (!b.isPacked())
            fail(s, "a call that ends at a wait takes buffers without gaps; copy the elements, or take the call that waits itself");
        return const_cast<std::remove_const_t<T> *>(b.data);
    }
};

} // namespace sdfgc::mpi
