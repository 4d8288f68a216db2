// Jacobi iteration in two dimensions, in blocks of rows with a neighbouring row on both sides: jacobi N T REPEAT
#include "byhand.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const long n = std::atol(argv[1]), steps = std::atol(argv[2]);
    const Part part = Part::of(n, rank, ranks);
    const long rows = part.size();
    std::vector<double> a((rows + 2) * n), b((rows + 2) * n);
    const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    const auto step = [&](std::vector<double> &from, std::vector<double> &to) {
        MPI_Sendrecv(&from[n], int(n), MPI_DOUBLE, up, 0, &from[(rows + 1) * n], int(n), MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&from[rows * n], int(n), MPI_DOUBLE, down, 0, &from[0], int(n), MPI_DOUBLE, up, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (long i = std::max(part.begin, 1L); i < std::min(part.end, n - 1); ++i) {
            const double *at = &from[(i - part.begin + 1) * n];
            double *out = &to[(i - part.begin + 1) * n];
            for (long j = 1; j < n - 1; ++j)
                out[j] = 0.2 * (at[j] + at[j - 1] + at[j + 1] + at[j + n] + at[j - n]);
        }
    };
    timed(
        std::atoi(argv[3]),
        [&] {
            for (long i = 0; i < rows; ++i)
                for (long j = 0; j < n; ++j)
                    a[(i + 1) * n + j] = b[(i + 1) * n + j] = double((i + part.begin) * n + j) / double(n * n);
        },
        [&] {
            for (long t = 0; t < steps; ++t) {
                step(a, b);
                step(b, a);
            }
        },
        [&] {
            double out = 0;
            for (long i = n; i < (rows + 1) * n; ++i)
                out += a[i];
            return out;
        });
    MPI_Finalize();
}
