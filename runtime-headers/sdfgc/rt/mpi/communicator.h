// Groups of ranks that a program communicates with: its world, Cartesian grids, and communicators from the host.
//
// Rules: MPI is started with MPI_THREAD_FUNNELED unless it already runs. The code that started it finalises it when the process
// ends, never a program's finaliser, because MPI cannot be started twice. The world of a program is a duplicate of MPI's, or of the
// host's communicator, so that messages do not mix; the initialiser creates it, collectively. A grid consists of the first ranks of
// the world, in row-major order, without reordering; ranks outside have no communicator, and skip the grid's calls. Parts of a grid
// keep some of its dimensions.
#pragma once

#include "sdfgc/rt/mpi/error.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace sdfgc::mpi {

/// A communicator with its rank and size; null for a rank that is not in it.
struct Communicator {
    MPI_Comm handle = MPI_COMM_NULL;
    int rank = -1, size = 0;

    bool isMember() const { return handle != MPI_COMM_NULL; }
    static Communicator of(const Caller &c, MPI_Comm handle) {
        Communicator out;
        out.handle = handle;
        if (handle != MPI_COMM_NULL) {
            check(c, MPI_Comm_rank(handle, &out.rank), "MPI_Comm_rank");
            check(c, MPI_Comm_size(handle, &out.size), "MPI_Comm_size");
        }
        return out;
    }
};

/// Sizes, coordinates or flags of the dimensions of a grid or array.
using Dims = std::vector<int64_t>;
template <class... Sizes> Dims dims(Sizes... sizes) { return {static_cast<int64_t>(sizes)...}; }

/// Coordinates of a rank in a grid, in row-major order.
inline Dims coordinatesOf(const Dims &shape, int64_t rank) {
    Dims at(shape.size());
    for (std::size_t d = shape.size(); d-- > 0;) {
        at[d] = rank % shape[d];
        rank /= shape[d];
    }
    return at;
}
/// The shape of a grid of all ranks that is as square as it can be, largest dimension first: 12 ranks in two dimensions are 4 x 3.
inline Dims squareGrid(int64_t ranks, int64_t dimensions) {
    Dims shape(static_cast<std::size_t>(dimensions), 1), factors;
    for (int64_t f = 2; ranks > 1; ++f)
        for (; ranks % f == 0; ranks /= f)
            factors.push_back(f);
    for (std::size_t k = factors.size(); k-- > 0;) // largest first, each to the currently smallest dimension
        *std::min_element(shape.begin(), shape.end()) *= factors[k];
    std::sort(shape.rbegin(), shape.rend());
    return shape;
}
/// The entries of the dimensions that are kept.
inline Dims keptOf(const Dims &all, const Dims &kept) {
    Dims out;
    for (std::size_t d = 0; d < kept.size(); ++d)
        if (kept[d])
            out.push_back(all[d]);
    return out;
}

inline std::string text(const Dims &d) {
    std::string out;
    for (const int64_t n : d)
        out += (out.empty() ? "" : " x ") + std::to_string(n);
    return out;
}

// How a call names its communicator.
struct World {};
struct GridNumber {
    int number;
};
struct FortranHandle {
    MPI_Fint handle;
};
struct Handle {
    MPI_Comm handle;
};
inline World world() { return {}; }
inline GridNumber grid(int64_t number) { return {static_cast<int>(number)}; }
inline Handle comm(const MPI_Comm *handle) { return {*handle}; }
template <class T> FortranHandle fortran(T handle) { return {static_cast<MPI_Fint>(handle)}; }

/// The communicator that later initialisers use, set by `<name>_set_communicator` of the C interface.
inline MPI_Comm &givenWorld() {
#ifdef SDFGC_MPI_EMULATE
    static thread_local MPI_Comm given = MPI_COMM_NULL;
#else
    static MPI_Comm given = MPI_COMM_NULL;
#endif
    return given;
}
/// A Fortran handle (MPI_Comm_c2f) of the ranks that later initialisers make their world of.
inline void giveWorld(int handle) { givenWorld() = MPI_Comm_f2c(static_cast<MPI_Fint>(handle)); }

/// Fails if a launcher has started several ranks but each is alone according to the program's MPI. This happens if the launcher
/// belongs to another MPI implementation.
inline void verifyLauncher(const Caller &c) {
    int ranks = 0;
    check(c, MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
    for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
        if (const char *started = std::getenv(name); started && ranks == 1 && std::atoi(started) > 1)
            fail(c, "the launcher has started " + std::string(started) + " ranks (" + name +
                        "), and this program's MPI knows of one: it is another MPI than the launcher's");
}

/// Starts MPI unless it already runs.
inline void start() {
    const Caller caller{"initialisation", 0};
    int isRunning = 0, isOver = 0;
    check(caller, MPI_Finalized(&isOver), "MPI_Finalized");
    if (isOver)
        fail(caller, "MPI has been finalised, and cannot be started again");
    check(caller, MPI_Initialized(&isRunning), "MPI_Initialized");
    if (isRunning)
        return;
    int provided = 0;
    check(caller, MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    std::atexit([] {
        int over = 0;
        if (MPI_Finalized(&over) == MPI_SUCCESS && !over)
            MPI_Finalize();
    });
    if (provided < MPI_THREAD_FUNNELED)
        fail(caller, "this MPI does not allow programs with threads");
    verifyLauncher(caller);
}

/// May MPI still be called?
inline bool isRunning() noexcept {
    int started = 0, over = 1;
    return MPI_Initialized(&started) == MPI_SUCCESS && MPI_Finalized(&over) == MPI_SUCCESS && started && !over;
}

/// One process grid of a program.
struct ProcessGrid {
    Communicator communicator;
    Dims shape, coordinates;
    /// For each rank of the grid, the program's ranks at that place; several if parts of a grid hold the same data. Known to all
    /// ranks.
    std::vector<std::vector<int>> holders;
    bool takesPart = false; // in collective calls: a member, in the requested one of several parts

    /// The rank in the grid of one of the program's ranks; -1 if it is outside.
    int64_t rankOf(int ofProgram) const noexcept {
        for (std::size_t r = 0; r < holders.size(); ++r)
            for (const int rank : holders[r])
                if (rank == ofProgram)
                    return static_cast<int64_t>(r);
        return -1;
    }
    void free() noexcept {
        if (communicator.isMember())
            MPI_Comm_free(&communicator.handle);
        *this = ProcessGrid();
    }
};

/// Makes a grid of the first ranks of `world`. All ranks of `world` must call it.
inline ProcessGrid cartesian(const Caller &c, const Communicator &world, const Dims &shape) {
    ProcessGrid out;
    out.shape = shape;
    int64_t ranks = 1;
    std::vector<int> sizes, periodic(shape.size(), 0);
    for (const int64_t n : shape) {
        ranks *= n;
        sizes.push_back(static_cast<int>(n));
        if (n < 1 || ranks > world.size)
            fail(c, "a grid of " + text(shape) + " ranks, and there are " + std::to_string(world.size) + ": start more of them");
    }
    for (int r = 0; r < static_cast<int>(ranks); ++r)
        out.holders.push_back({r});
    MPI_Comm handle = MPI_COMM_NULL;
    check(c, MPI_Cart_create(world.handle, static_cast<int>(sizes.size()), sizes.data(), periodic.data(), 0, &handle),
          "MPI_Cart_create");
    out.communicator = Communicator::of(c, handle);
    out.takesPart = out.communicator.isMember();
    if (!out.takesPart)
        return out;
    check(c, MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    std::vector<int> at(shape.size(), 0);
    check(c, MPI_Cart_coords(handle, out.communicator.rank, static_cast<int>(at.size()), at.data()), "MPI_Cart_coords");
    out.coordinates.assign(at.begin(), at.end());
    return out;
}

/// The places of ranks in the parts of `parent`, or in the part that contains its rank `exact`.
inline std::vector<std::vector<int>> holdersOf(const ProcessGrid &parent, const Dims &kept, int64_t exact) {
    int64_t ranks = 1;
    for (const int64_t n : keptOf(parent.shape, kept))
        ranks *= n;
    std::vector<std::vector<int>> out(static_cast<std::size_t>(ranks));
    const Dims wanted = coordinatesOf(parent.shape, exact < 0 ? 0 : exact);
    for (std::size_t r = 0; r < parent.holders.size(); ++r) {
        const Dims at = coordinatesOf(parent.shape, static_cast<int64_t>(r));
        int64_t place = 0;
        bool isIn = true;
        for (std::size_t d = 0; d < kept.size(); ++d) {
            if (kept[d])
                place = place * parent.shape[d] + at[d];
            else
                isIn = isIn && (exact < 0 || at[d] == wanted[d]);
        }
        std::vector<int> &there = out[static_cast<std::size_t>(place)];
        if (isIn)
            there.insert(there.end(), parent.holders[r].begin(), parent.holders[r].end());
    }
    return out;
}

/// The part of `parent` that holds this rank, along the dimensions with `kept[d]`. With `exact`, a rank of the parent, only the
/// part that contains it takes part in the grid's calls.
inline ProcessGrid part(const Caller &c, const ProcessGrid &parent, const Dims &kept, int64_t exact) {
    ProcessGrid out;
    out.shape = keptOf(parent.shape, kept);
    out.holders = holdersOf(parent, kept, exact);
    if (!parent.communicator.isMember())
        return out;
    const std::vector<int> keep(kept.begin(), kept.end());
    MPI_Comm handle = MPI_COMM_NULL;
    check(c, MPI_Cart_sub(parent.communicator.handle, keep.data(), &handle), "MPI_Cart_sub");
    check(c, MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    out.communicator = Communicator::of(c, handle);
    out.coordinates = keptOf(parent.coordinates, kept);
    out.takesPart = true;
    if (exact < 0)
        return out;
    // The part with `exact` has its coordinates where they are dropped.
    const Dims other = coordinatesOf(parent.shape, exact);
    for (std::size_t d = 0; d < kept.size(); ++d)
        if (!kept[d] && other[d] != parent.coordinates[d])
            out.takesPart = false;
    return out;
}

} // namespace sdfgc::mpi
