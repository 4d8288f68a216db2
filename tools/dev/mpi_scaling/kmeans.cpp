// k-means of points in a plane, in blocks of points: kmeans N K T REPEAT
#include "byhand.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const long n = std::atol(argv[1]), k = std::atol(argv[2]), steps = std::atol(argv[3]);
    const Part part = Part::of(n, rank, ranks);
    std::vector<double> points(2 * part.size()), centres(2 * k), sums(3 * k);
    timed(
        std::atoi(argv[4]),
        [&] {
            for (long i = 0; i < part.size(); ++i) {
                points[2 * i] = double(i + part.begin) / double(n);
                points[2 * i + 1] = double((i + part.begin) * 7919 % n) / double(n);
            }
            for (long c = 0; c < k; ++c) {
                centres[2 * c] = double(c) / double(k) + 0.00012345 * double(c * c);
                centres[2 * c + 1] = double(c * c % k) / double(k) + 0.0001357 * double(c);
            }
        },
        [&] {
            for (long t = 0; t < steps; ++t) {
                std::fill(sums.begin(), sums.end(), 0.0);
                for (long i = 0; i < part.size(); ++i) {
                    const double x = points[2 * i], y = points[2 * i + 1];
                    double least = 1e300;
                    long nearest = 0;
                    for (long c = 0; c < k; ++c) {
                        const double u = x - centres[2 * c], v = y - centres[2 * c + 1], d = u * u + v * v;
                        if (d < least) {
                            least = d;
                            nearest = c;
                        }
                    }
                    sums[3 * nearest] += x;
                    sums[3 * nearest + 1] += y;
                    sums[3 * nearest + 2] += 1;
                }
                MPI_Allreduce(MPI_IN_PLACE, sums.data(), int(3 * k), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                for (long c = 0; c < k; ++c)
                    for (long d = 0; d < 2; ++d)
                        centres[2 * c + d] = sums[3 * c + d] / std::max(sums[3 * c + 2], 1.0);
            }
        },
        [&] {
            double out = 0;
            for (const double c : centres)
                out += c / ranks;
            return out;
        });
    MPI_Finalize();
}
