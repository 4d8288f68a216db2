// Arrays of which every rank has a part along one dimension (mpi/parts.h): what distributed graphs call.
#pragma once

#include "sdfgc/rt/mpi/blocks.h"
#include "sdfgc/rt/mpi/parts.h"

namespace sdfgc::mpi {

class Distributed : public Blocks {
public:
    /// Where the part of this rank begins; fails if it has other than `here` of the `whole` positions.
    int64_t begin_of_part(const char *element, int64_t whole, int64_t here) {
        const Scope s(*this, element, World());
        const Interval own = Parts{whole, s.size()}.of(s.rank);
        if (own.size() != here)
            fail(s, "of " + std::to_string(whole) + " elements on " + std::to_string(s.size()) + " ranks, this one has " +
                        std::to_string(own.size()) + " (" + std::to_string(own.begin) + " to " + std::to_string(own.end) +
                        "), not " + std::to_string(here));
        return own.begin;
    }
    /// The `before` and `after` elements next to a rank's part, from whoever has them. `in` and `out` are the same memory.
    template <class A, class B>
    void halo(const char *element, const Block<A> &, const Block<B> &out, int dimension, int64_t whole, int64_t before,
              int64_t after) {
        const Scope s(*this, element, World());
        const Parts parts{whole, s.size()};
        const Interval own = parts.of(s.rank);
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
        for (int64_t k = 1; k < s.size() && (k - 1) * parts.each() < std::max(before, after); ++k) {
            const int64_t down = s.rank - k, up = s.rank + k;
            const bool isDown = down >= 0, isUp = up < s.size();
            exchange(down, isDown ? parts.after(down, after).cut(own) : Interval{}, up,
                     isUp ? parts.after(s.rank, after).cut(parts.of(up)) : Interval{});
            exchange(up, isUp ? parts.before(up, before).cut(own) : Interval{}, down,
                     isDown ? parts.before(s.rank, before).cut(parts.of(down)) : Interval{});
        }
    }
    /// All elements of an array at an offset, from the parts of the ranks.
    template <class A, class B>
    void allgather_parts(const char *element, const Block<A> &in, const Block<B> &out, int dimension, int64_t whole,
                         int64_t offset) {
        const Scope s(*this, element, World());
        const Parts parts{whole, s.size()};
        const Interval all{offset, offset + out.extents[static_cast<std::size_t>(dimension)]};
        const auto sliceAt = [&](int64_t rank) {
            const Interval part = parts.of(rank).cut(all);
            return sliceOf(out, dimension, part.size() ? part.begin - offset : 0, part.size());
        };
        std::vector<int> counts, places;
        int64_t sum = 0;
        for (int r = 0; r < s.size(); ++r) {
            counts.push_back(static_cast<int>(sliceAt(r).count()));
            places.push_back(static_cast<int>(sum));
            sum += sliceAt(r).count();
        }
        if (sum > INT_MAX)
            fail(s, "parts of more than 2147483647 elements together cannot be gathered at once");
        const Interval own = parts.of(s.rank), mine = own.cut(all);
        const Packed<A> from(sliceOf(in, dimension, mine.size() ? mine.begin - own.begin : 0, mine.size()), true);
        std::vector<B> packed(out.isPacked() && dimension == 0 ? std::size_t(0) : static_cast<std::size_t>(sum));
        B *to = packed.empty() ? out.data : packed.data();
        const MPI_Datatype type = types_.template element<B>(s);
        check(s, MPI_Allgatherv(from.data(), counts[std::size_t(s.rank)], type, to, counts.data(), places.data(), type, s.handle()),
              "MPI_Allgatherv");
        for (int r = 0; r < s.size() && !packed.empty(); ++r)
            copyFrom(packed.data() + places[std::size_t(r)], sliceAt(r));
    }

private:
    static constexpr int haloTag = 32001; // MPI grants tags up to 32767
};

} // namespace sdfgc::mpi
