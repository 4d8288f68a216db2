// A matrix product by pdgemm, in blocks of 64 x 64 that are distributed by rows: gemm N REPEAT
#include "byhand.h"

extern "C" {
int Csys2blacs_handle(MPI_Comm);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
int numroc_(const int *n, const int *block, const int *at, const int *first, const int *places);
void descinit_(int *d, const int *m, const int *n, const int *mb, const int *nb, const int *row, const int *column,
               const int *context, const int *leading, int *info);
void pdgemm_(const char *, const char *, const int *m, const int *n, const int *k, const double *alpha, const double *a,
             const int *, const int *, const int *da, const double *b, const int *, const int *, const int *db, const double *beta,
             double *c, const int *, const int *, const int *dc);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int n = std::atoi(argv[1]), block = 64, zero = 0, one = 1;
    int context = Csys2blacs_handle(MPI_COMM_WORLD), info = 0, d[9];
    Cblacs_gridinit(&context, "R", ranks, 1);
    const int rows = numroc_(&n, &block, &rank, &zero, &ranks), leading = std::max(rows, 1);
    descinit_(d, &n, &n, &block, &block, &zero, &zero, &context, &leading, &info);
    std::vector<double> a(size_t(rows) * n), b(a.size()), c(a.size());
    const double alpha = 1, beta = 0;
    timed(
        std::atoi(argv[2]),
        [&] {
            for (int i = 0; i < rows; ++i) {
                const long row = (long(i) / block * ranks + rank) * block + i % block; // of the entire matrix
                for (long j = 0; j < n; ++j) {
                    a[j * rows + i] = double((row * 3 + j) % 17);
                    b[j * rows + i] = double((row + j * 5) % 13);
                }
            }
        },
        [&] {
            pdgemm_("N", "N", &n, &n, &n, &alpha, a.data(), &one, &one, d, b.data(), &one, &one, d, &beta, c.data(), &one, &one, d);
        },
        [&] {
            double out = 0;
            for (const double x : c)
                out += x;
            return out;
        });
    MPI_Finalize();
}
