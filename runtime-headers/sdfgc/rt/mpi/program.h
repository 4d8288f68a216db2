// State shared by all calls of a program: its world, its grids, its types, and the origin of the current call.
//
// Rules: a Core is made closed; open() starts MPI unless it already runs, and creates the program's world, collectively. A Scope
// records a call's element of the graph and its communicator; it is false on a rank outside of the communicator, which then skips
// the call. One thread at a time may use a program.
#pragma once

#include "sdfgc/rt/mpi/communicator.h"
#include "sdfgc/rt/mpi/layout.h"

#include <algorithm>
#include <initializer_list>

namespace sdfgc::mpi {

class Core {
public:
    Core() noexcept = default;
    /// Starts MPI unless it already runs, and creates the program's world. All ranks that load the program must call this.
    void open() {
        start();
        const Caller caller{"initialisation", 0};
        MPI_Comm handle = MPI_COMM_NULL;
        const MPI_Comm base = givenWorld() == MPI_COMM_NULL ? MPI_COMM_WORLD : givenWorld();
        check(caller, MPI_Comm_dup(base, &handle), "MPI_Comm_dup");
        check(caller, MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
        world_ = Communicator::of(caller, handle);
    }
    Core(const Core &) = delete;
    Core &operator=(const Core &) = delete;
    ~Core() {
        if (!isRunning())
            return;
        types_.free();
        for (ProcessGrid &g : grids_)
            g.free();
        for (auto &[node, made] : splits_)
            for (MPI_Comm &handle : made)
                MPI_Comm_free(&handle);
        if (world_.isMember())
            MPI_Comm_free(&world_.handle);
    }

    int64_t rank() const { return world_.rank; }
    int64_t size() const { return world_.size; }
    const Communicator &communicator() const { return world_; }
    /// Records the origin of a call, which reports name as the place where a rank waits.
    Caller caller(const char *element) const {
        enterElement(element);
        return {element, world_.rank};
    }
    /// In a grid of all ranks with n dimensions that is as square as it can be: the rank's place in dimension d, and the
    /// dimension's size.
    int64_t place(int64_t d, int64_t n) const { return coordinatesOf(squareGrid(size(), n), rank())[static_cast<std::size_t>(d)]; }
    int64_t parts(int64_t d, int64_t n) const { return squareGrid(size(), n)[static_cast<std::size_t>(d)]; }

    // Grids. They are made at the first call and kept while their shape does not change.

    void make_grid(const char *element, int64_t number, const Dims &shape) {
        ProcessGrid &g = at(number);
        if (g.shape == shape && !shape.empty())
            return;
        g.free();
        g = cartesian(caller(element), world_, shape);
    }
    /// `exact` < 0: all parts take part.
    void make_part(const char *element, int64_t number, int64_t parent, const Dims &kept, int64_t exact) {
        ProcessGrid &g = at(number); // before taking a reference to the parent: this may move grids
        const ProcessGrid &p = grids_[static_cast<std::size_t>(parent)];
        if (g.communicator.isMember() && g.shape == keptOf(p.shape, kept))
            return;
        g.free();
        g = part(caller(element), p, kept, exact);
    }
    /// The communicator of a grid for code of the user; null on a rank that takes no part.
    MPI_Comm grid_comm(int64_t number) const {
        const ProcessGrid &g = grid_of(number);
        return g.takesPart ? g.communicator.handle : MPI_COMM_NULL;
    }
    const ProcessGrid &grid_of(int64_t number) const { return grids_[static_cast<std::size_t>(number)]; }

    /// The ranks of `on` with the same color, in the order of their keys; a rank with a negative color gets none. It belongs to the
    /// program. A node that runs again with the same ranks in the same order reuses its communicator.
    template <class On = World>
    void comm_split(const char *element, int64_t node, int64_t color, int64_t key, MPI_Comm *made, On on = {}) {
        *made = MPI_COMM_NULL;
        const Scope s(*this, element, on);
        if (!s)
            return;
        check(s, MPI_Comm_split(s.handle(), color < 0 ? MPI_UNDEFINED : int(color), int(key), made), "MPI_Comm_split");
        if (*made == MPI_COMM_NULL)
            return;
        for (const MPI_Comm known : splits_[node]) {
            int same = MPI_UNEQUAL;
            check(s, MPI_Comm_compare(known, *made, &same), "MPI_Comm_compare");
            if (same == MPI_CONGRUENT) {
                check(s, MPI_Comm_free(made), "MPI_Comm_free");
                *made = known;
                return;
            }
        }
        check(s, MPI_Comm_set_errhandler(*made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
        splits_[node].push_back(*made);
    }

    /// Fails on all ranks if one of the values differs between ranks. For sizes that must agree.
    void agree(std::initializer_list<std::pair<const char *, int64_t>> values) {
        const Scope s(*this, "initialisation", World());
        std::vector<int64_t> least; // of each value, and of its complement, whose least is the complement of the largest
        for (const auto &[name, value] : values) {
            least.push_back(value);
            least.push_back(~value);
        }
        check(s, MPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(least.size()), MPI_INT64_T, MPI_MIN, s.handle()),
              "MPI_Allreduce");
        const int64_t *at = least.data();
        for (const auto &[name, value] : values) {
            const int64_t from = *at++, to = ~*at++;
            if (from != to)
                fail(s, "`" + std::string(name) + "` must be the same on all ranks, and is from " + std::to_string(from) + " to " +
                            std::to_string(to) + "; it is " + std::to_string(value) + " here");
        }
    }

protected:
    /// The origin of a call, and its ranks.
    struct Scope : Caller {
        template <class On> Scope(Core &p, const char *element, On on) : Caller(p.caller(element)), to_(p.on(*this, on)) {
            rank = to_.rank;
        }
        explicit operator bool() const { return to_.isMember(); }
        MPI_Comm handle() const { return to_.handle; }
        int size() const { return to_.size; }

    private:
        Communicator to_;
    };

    Communicator on(const Caller &, World) const { return world_; }
    Communicator on(const Caller &, GridNumber g) const {
        const ProcessGrid &grid = grids_[static_cast<std::size_t>(g.number)];
        return grid.takesPart ? grid.communicator : Communicator();
    }
    Communicator on(const Caller &c, FortranHandle f) const { return Communicator::of(c, MPI_Comm_f2c(f.handle)); }
    Communicator on(const Caller &c, Handle h) const { return Communicator::of(c, h.handle); }

    template <class A, class B> static void copy(const Scope &s, const Block<A> &in, const Block<B> &out) {
        if (in.count() != out.count())
            fail(s, "what is sent and what is received differ in size");
        const Packed<A> from(in, true);
        const Packed<B> to(out, false);
        std::copy_n(from.data(), in.count(), to.data());
        to.unpack();
    }

    /// A buffer that only the root has: it must exist there, and is empty on other ranks.
    template <class T> static Block<T> atRoot(const Scope &s, int64_t root, const Block<T> &b) {
        if (s.rank != root)
            return Block<T>();
        if (!b.data && b.count() > 0)
            fail(s, "this rank is the root, and has no array of the " + std::to_string(b.count()) + " elements");
        return b;
    }
    /// The number of elements in one rank's part of `all`, which must match `room`.
    static int64_t share(const Scope &s, int64_t all, int64_t room) {
        const std::string ranks = std::to_string(s.size()) + " ranks", elements = std::to_string(all) + " elements";
        if (all % s.size() != 0)
            fail(s, elements + " are no multiple of the " + ranks);
        if (all / s.size() != room)
            fail(s, "each of " + ranks + " has " + std::to_string(all / s.size()) + " of the " + elements + ", and here are " +
                        std::to_string(room));
        return all / s.size();
    }
    /// The number of elements of a buffer that MPI has to count at once.
    template <class T> static int counted(const Scope &s, const Block<T> &b) {
        if (b.count() > INT_MAX)
            fail(s, "MPI counts up to 2147483647 elements at once, and here are " + std::to_string(b.count()));
        return static_cast<int>(b.count());
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

    Types types_;

private:
    ProcessGrid &at(int64_t number) {
        if (grids_.size() <= static_cast<std::size_t>(number))
            grids_.resize(static_cast<std::size_t>(number) + 1);
        return grids_[static_cast<std::size_t>(number)];
    }

    Communicator world_;
    std::vector<ProcessGrid> grids_;
    std::map<int64_t, std::vector<MPI_Comm>> splits_; // communicators made by each CommSplit node
};

} // namespace sdfgc::mpi
