// Arrays partitioned over ranks along one dimension (mpi/parts.h). Distributed graphs call these functions.
#pragma once

#include "sdfgc/rt/mpi/blocks.h"
#include "sdfgc/rt/mpi/parts.h"

namespace sdfgc::mpi {

class Distributed : public Blocks {
public:
    /// The begin of this rank's part; fails unless it has `here` of the `whole` positions.
    int64_t begin_of_part(const char *element, int64_t whole, int64_t here) {
        const Scope s(*this, element, World());
        return beginOfPart(s, {whole, s.size()}, here);
    }
    /// Fetches the `before` and `after` elements next to a rank's part from the ranks that hold them. `in` and `out` are the same
    /// memory.
    template <class A, class B>
    void halo(const char *element, const Block<A> &, const Block<B> &out, int dimension, int64_t whole, int64_t before,
              int64_t after) {
        const Scope s(*this, element, World());
        const Parts parts{whole, s.size()};
        const Interval own = parts.of(s.rank);
        const int64_t widest = std::max(before, after);
        const auto exchange = [&](int64_t to, const Interval &sent, int64_t from, const Interval &wanted) {
            const auto messageOf = [&](const Interval &i) {
                return types_.message(s, sliceOf(out, dimension, i.begin - own.begin + before, i.size()));
            };
            const Message a = messageOf(sent), b = messageOf(wanted);
            check(s,
                  MPI_Sendrecv(a.data, a.count, a.type, sent.size() ? int(to) : MPI_PROC_NULL, haloTag, b.data, b.count, b.type,
                               wanted.size() ? int(from) : MPI_PROC_NULL, haloTag, s.handle(), MPI_STATUS_IGNORE),
                  "MPI_Sendrecv");
        };
        for (int64_t k = 1; k < s.size() && (k - 1) * parts.each() < widest; ++k) { // ranks within reach of the halo
            const int64_t down = s.rank - k, up = s.rank + k;
            exchange(down, parts.after(down, after).cut(own), up, parts.after(s.rank, after).cut(parts.of(up)));
            exchange(up, parts.before(up, before).cut(own), down, parts.before(s.rank, before).cut(parts.of(down)));
        }
    }
    /// All elements of an array at an offset, from the parts of the ranks.
    template <class A, class B>
    void allgather_parts(const char *element, const Block<A> &in, const Block<B> &out, int dimension, int64_t whole,
                         int64_t offset) {
        const Scope s(*this, element, World());
        const Parts parts{whole, s.size()};
        const Interval all{offset, offset + out.extents[std::size_t(dimension)]};
        const auto sliceAt = [&](int64_t rank) {
            const Interval part = parts.of(rank).cut(all);
            return sliceOf(out, dimension, part.size() ? part.begin - offset : 0, part.size());
        };
        const Shares shares(
            s, s.size(), [&](int64_t rank) { return sliceAt(rank).count(); },
            "parts of more than 2147483647 elements together cannot be gathered at once");
        const Interval own = parts.of(s.rank), mine = own.cut(all);
        const Packed<A> from(sliceOf(in, dimension, mine.size() ? mine.begin - own.begin : 0, mine.size()), true);
        const std::unique_ptr<B[]> packed(out.isPacked() && dimension == 0 ? nullptr : new B[std::size_t(shares.all)]);
        B *to = packed ? packed.get() : out.data;
        const MPI_Datatype type = types_.template element<B>(s);
        check(s,
              MPI_Allgatherv(from.data(), shares.counts[std::size_t(s.rank)], type, to, shares.counts.data(), shares.places.data(),
                             type, s.handle()),
              "MPI_Allgatherv");
        for (int r = 0; packed && r < s.size(); ++r)
            copyFrom(packed.get() + shares.places[std::size_t(r)], sliceAt(r));
    }

private:
    static constexpr int haloTag = 32001; // MPI grants tags up to 32767
};

} // namespace sdfgc::mpi
