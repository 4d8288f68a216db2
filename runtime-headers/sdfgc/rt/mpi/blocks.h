// Arrays in blocks over a grid (mpi/subarray.h): scattered, gathered, and moved from one distribution to another.
#pragma once

#include "sdfgc/rt/mpi/nonblocking.h"
#include "sdfgc/rt/mpi/subarray.h"

namespace sdfgc::mpi {

class Blocks : public Nonblocking {
public:
    /// Rank 0 of `from` scatters `in` in blocks; then, with `copies`, rank 0 of `copies` broadcasts the block to its other ranks.
    template <class A, class B, class Copies = World>
    void block_scatter(const char *element, const Block<A> &in, const Block<B> &out, const SubArray &a, GridNumber from,
                       Copies copies = {}) {
        if (const Scope s(*this, element, from); s) {
            const Dims shape = grid_of(from.number).shape;
            a.verify(s, shape);
            const Pieces pieces(s, a, shape);
            std::vector<std::remove_const_t<A>> packed(s.rank == 0 ? static_cast<std::size_t>(pieces.shares.all) : 0);
            for (int r = 0; s.rank == 0 && r < s.size(); ++r)
                copyTo(partOf(s, in, a.shape, pieces.boxes[std::size_t(r)]), packed.data() + pieces.shares.places[std::size_t(r)]);
            std::vector<B> mine(static_cast<std::size_t>(pieces.shares.counts[std::size_t(s.rank)]));
            const MPI_Datatype type = types_.template element<B>(s);
            check(s,
                  MPI_Scatterv(packed.data(), pieces.shares.counts.data(), pieces.shares.places.data(), type, mine.data(),
                               pieces.shares.counts[std::size_t(s.rank)], type, 0, s.handle()),
                  "MPI_Scatterv");
            copyFrom(mine.data(), partOf(s, out, a.block, atOrigin(pieces.boxes[std::size_t(s.rank)])));
        }
        if constexpr (!std::is_same_v<Copies, World>)
            bcast(element, out, out, 0, copies);
    }
    /// The reverse: with `copies`, its ranks are summed first; then rank 0 of `to` gets all blocks.
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
        std::vector<T> own(static_cast<std::size_t>(pieces.shares.counts[std::size_t(s.rank)]));
        copyTo(partOf(s, mine, a.block, atOrigin(pieces.boxes[std::size_t(s.rank)])), own.data());
        std::vector<B> packed(s.rank == 0 ? static_cast<std::size_t>(pieces.shares.all) : 0);
        const MPI_Datatype type = types_.template element<B>(s);
        check(s,
              MPI_Gatherv(own.data(), pieces.shares.counts[std::size_t(s.rank)], type, packed.data(), pieces.shares.counts.data(),
                          pieces.shares.places.data(), type, 0, s.handle()),
              "MPI_Gatherv");
        for (int r = 0; s.rank == 0 && r < s.size(); ++r)
            copyFrom(packed.data() + pieces.shares.places[std::size_t(r)], partOf(s, out, a.shape, pieces.boxes[std::size_t(r)]));
    }
    /// Moves the blocks of one sub-array to those of another one of the same array. All ranks of the program call it, including
    /// those in neither grid. If several ranks have the same block, the first one sends it, and all receive it.
    template <class A, class B>
    void redistribute(const char *element, const Block<A> &in, const Block<B> &out, const SubArray &a, const SubArray &b) {
        const Scope s(*this, element, World());
        const ProcessGrid &from = grid_of(a.grid), &to = grid_of(b.grid);
        a.verify(s, from.shape);
        b.verify(s, to.shape);
        if (a.shape != b.shape)
            fail(s, "the sub-arrays are parts of arrays of " + text(a.shape) + " and of " + text(b.shape) + " elements");
        struct Transfer {
            int rank;
            Box box; // of the whole array
            std::vector<B> data;
        };
        const int64_t atA = from.rankOf(s.rank), atB = to.rankOf(s.rank);
        const Dims mineA = coordinatesOf(from.shape, atA), mineB = coordinatesOf(to.shape, atB);
        auto transfers = [&](const Box &own, const SubArray &other, const ProcessGrid &others, bool isSender) {
            std::vector<Transfer> all;
            for (std::size_t r = 0; r < others.holders.size(); ++r) {
                const Dims at = coordinatesOf(others.shape, static_cast<int64_t>(r));
                const Box box = own.cut(other.boxAt(at));
                for (const int rank : others.holders[r])
                    if (box.count() > 0 && (isSender || (other.isFirst(at) && rank == others.holders[r].front())))
                        all.push_back({rank, box, std::vector<B>(static_cast<std::size_t>(box.count()))});
            }
            return all;
        };
        std::vector<Transfer> sends, receives;
        if (atA >= 0 && a.isFirst(mineA) && from.holders[static_cast<std::size_t>(atA)].front() == s.rank)
            sends = transfers(a.boxAt(mineA), b, to, true);
        if (atB >= 0)
            receives = transfers(b.boxAt(mineB), a, from, false);
        std::vector<MPI_Request> requests(sends.size() + receives.size(), MPI_REQUEST_NULL);
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

protected:
    template <class T> static void copyTo(const Block<T> &from, std::remove_const_t<T> *to) {
        from.forEach([&](T *at) { *to++ = *at; });
    }
    template <class T> static void copyFrom(const T *from, const Block<T> &to) {
        to.forEach([&](T *at) { *at = *from++; });
    }

private:
    static constexpr int redistributionTag = 32000; // MPI grants tags up to 32767

    /// The part of an array that each rank of a grid has; consecutive for all ranks.
    struct Pieces {
        std::vector<Box> boxes;
        Shares shares;

        Pieces(const Caller &c, const SubArray &a, const Dims &grid)
            : boxes(boxesOf(a, grid)), shares(
                                           c, product(grid), [this](int64_t r) { return boxes[std::size_t(r)].count(); },
                                           "blocks of more than 2147483647 elements together cannot be dealt out at once") {}
        static std::vector<Box> boxesOf(const SubArray &a, const Dims &grid) {
            std::vector<Box> out;
            for (int64_t r = 0; r < product(grid); ++r)
                out.push_back(a.boxAt(coordinatesOf(grid, r)));
            return out;
        }
    };
    static int64_t product(const Dims &shape) {
        int64_t n = 1;
        for (const int64_t d : shape)
            n *= d;
        return n;
    }
    static Box atOrigin(const Box &box) { return box.relativeTo(box.begin); }
};

} // namespace sdfgc::mpi
