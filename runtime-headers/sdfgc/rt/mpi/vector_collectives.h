// Collective calls in which the number of elements differs between ranks.
//
// Rules: counts and places are integers, one for each rank of the communicator, in elements of the buffer in row-major order;
// without places, the parts are consecutive. The root must know them, or every rank if there is no root; they are checked against
// the sizes of the buffers.
#pragma once

#include "sdfgc/rt/mpi/collectives.h"

namespace sdfgc::mpi {

/// Replaces places: the parts are consecutive.
struct Consecutive {};
inline Consecutive consecutive() { return {}; }

/// The parts of a buffer per rank, in MPI's form.
struct RankCounts {
    std::vector<int> counts, places;

    RankCounts() = default;
    /// The parts of a buffer with `room` elements, for `ranks` ranks.
    template <class N, class Places>
    RankCounts(const Caller &c, const Block<N> &count, const Places &place, int64_t ranks, int64_t room)
        : counts(numbers(c, count, ranks, "counts")), places(placed(c, place, ranks)) {
        for (std::size_t r = 0; r < counts.size(); ++r)
            if (counts[r] < 0 || places[r] < 0 || int64_t(places[r]) + counts[r] > room)
                fail(c, "rank " + std::to_string(r) + " has " + std::to_string(counts[r]) + " elements from " +
                            std::to_string(places[r]) + " of a buffer of " + std::to_string(room));
    }
    void verify(const Caller &c, int64_t here) const {
        if (const int64_t said = counts[static_cast<std::size_t>(c.rank)]; said != here)
            fail(c, "this rank has " + std::to_string(here) + " elements, and its count says " + std::to_string(said));
    }

private:
    template <class N> static std::vector<int> numbers(const Caller &c, const Block<N> &b, int64_t ranks, const char *what) {
        if (b.count() != ranks)
            fail(c, "there are " + std::to_string(b.count()) + " " + what + " for " + std::to_string(ranks) + " ranks");
        std::vector<int> out;
        b.forEach([&](N *at) {
            if (static_cast<int64_t>(*at) > INT_MAX)
                fail(c, "MPI counts up to 2147483647 elements of a rank, and here are " + std::to_string(*at));
            out.push_back(static_cast<int>(*at));
        });
        return out;
    }
    template <class N> std::vector<int> placed(const Caller &c, const Block<N> &b, int64_t ranks) const {
        return numbers(c, b, ranks, "places");
    }
    std::vector<int> placed(const Caller &c, Consecutive, int64_t) const {
        std::vector<int> out;
        int64_t next = 0;
        for (const int n : counts) {
            if (next > INT_MAX)
                fail(c, "MPI counts up to 2147483647 elements, and the parts are more");
            out.push_back(static_cast<int>(next));
            next += n;
        }
        return out;
    }
};

/// The number of elements of each rank, and their begins if consecutive; `tooMany` is the error if the total exceeds MPI's int.
struct Shares {
    std::vector<int> counts, places;
    int64_t all = 0;

    template <class CountOf> Shares(const Caller &c, int64_t ranks, CountOf countOf, const char *tooMany) {
        for (int64_t r = 0; r < ranks; ++r) {
            const int64_t n = countOf(r);
            counts.push_back(static_cast<int>(n));
            places.push_back(static_cast<int>(all));
            all += n;
        }
        if (all > INT_MAX)
            fail(c, tooMany);
    }
};

class VectorCollectives : public Collectives {
public:
    template <class A, class B, class N, class Places, class On = World>
    void scatterv(const char *element, const Block<A> &in, const Block<N> &counts, const Places &places, const Block<B> &out,
                  int64_t root, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const bool isRoot = s.rank == root;
        const RankCounts parts = isRoot ? RankCounts(s, counts, places, s.size(), in.count()) : RankCounts();
        if (isRoot)
            parts.verify(s, out.count());
        const Packed<A> from(atRoot(s, root, in), true);
        const Packed<B> to(out, true);
        const MPI_Datatype type = types_.template element<B>(s);
        check(s,
              MPI_Scatterv(isRoot ? from.data() : nullptr, parts.counts.data(), parts.places.data(), type, to.data(),
                           counted(s, out), type, int(root), s.handle()),
              "MPI_Scatterv");
        to.unpack();
    }
    /// Elements of `out` outside of all parts keep their values.
    template <class A, class B, class N, class Places, class On = World>
    void gatherv(const char *element, const Block<A> &in, const Block<N> &counts, const Places &places, const Block<B> &out,
                 int64_t root, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const bool isRoot = s.rank == root;
        const RankCounts parts = isRoot ? RankCounts(s, counts, places, s.size(), out.count()) : RankCounts();
        if (isRoot)
            parts.verify(s, in.count());
        const Packed<A> from(in, true);
        const Packed<B> to(atRoot(s, root, out), true);
        const MPI_Datatype type = types_.template element<B>(s);
        check(s,
              MPI_Gatherv(from.data(), counted(s, in), type, isRoot ? to.data() : nullptr, parts.counts.data(), parts.places.data(),
                          type, int(root), s.handle()),
              "MPI_Gatherv");
        if (isRoot)
            to.unpack();
    }
    template <class A, class B, class N, class Places, class On = World>
    void allgatherv(const char *element, const Block<A> &in, const Block<N> &counts, const Places &places, const Block<B> &out,
                    On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const RankCounts parts(s, counts, places, s.size(), out.count());
        parts.verify(s, in.count());
        const Packed<A> from(in, true);
        const Packed<B> to(out, true);
        const MPI_Datatype type = types_.template element<B>(s);
        check(s,
              MPI_Allgatherv(from.data(), counted(s, in), type, to.data(), parts.counts.data(), parts.places.data(), type,
                             s.handle()),
              "MPI_Allgatherv");
        to.unpack();
    }
    template <class A, class B, class N, class Places, class M, class OtherPlaces, class On = World>
    void alltoallv(const char *element, const Block<A> &in, const Block<N> &sendCounts, const Places &sendPlaces,
                   const Block<B> &out, const Block<M> &receiveCounts, const OtherPlaces &receivePlaces, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const RankCounts sent(s, sendCounts, sendPlaces, s.size(), in.count());
        const RankCounts received(s, receiveCounts, receivePlaces, s.size(), out.count());
        const Packed<A> from(in, true);
        const Packed<B> to(out, true);
        const MPI_Datatype type = types_.template element<B>(s);
        check(s,
              MPI_Alltoallv(from.data(), sent.counts.data(), sent.places.data(), type, to.data(), received.counts.data(),
                            received.places.data(), type, s.handle()),
              "MPI_Alltoallv");
        to.unpack();
    }
};

} // namespace sdfgc::mpi
