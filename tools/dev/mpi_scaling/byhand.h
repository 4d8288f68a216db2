// Shared by the hand-written programs: timing and output.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// The part of `whole` positions that a rank owns: blocks of ceil(whole / ranks).
struct Part {
    long begin, end;
    static Part of(long whole, int rank, int ranks) {
        const long each = (whole + ranks - 1) / ranks, begin = std::min(rank * each, whole);
        return {begin, std::min(begin + each, whole)};
    }
    long size() const { return end - begin; }
};

/// Calls run() `repeat` times after a warm-up call, on all ranks together, and prints the median in milliseconds and a number for
/// comparison.
template <class Fill, class Run, class Sum> void timed(int repeat, const Fill &fill, const Run &run, const Sum &sum) {
    std::vector<double> times;
    for (int i = 0; i <= repeat; ++i) {
        fill();
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        run();
        if (i > 0)
            times.push_back((MPI_Wtime() - start) * 1e3);
    }
    double mine = sum(), all = 0;
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    std::sort(times.begin(), times.end());
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        std::printf("%.6f %.17g\n", times[times.size() / 2], all);
}
