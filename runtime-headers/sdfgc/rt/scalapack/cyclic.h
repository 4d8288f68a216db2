// Matrices in block-cyclic distribution over a grid of ranks: the elements of each rank.
//
// Rules: matrices are row-major. Blocks of rows are distributed cyclically over the rows of the grid, blocks of columns over its
// columns: block (I, J) is at the rank with coordinates (I mod Px, J mod Py). The last block is the rest. A rank keeps its
// elements, in order, as a smaller matrix; the array that holds it may be larger, with the matrix in its corner. A vector is a
// matrix of one row, so it is on the ranks (0, j). With one block as large as the matrix, rank 0 has the entire matrix.
#pragma once

#include "sdfgc/rt/mpi/communicator.h"
#include "sdfgc/rt/mpi/layout.h"

#include <algorithm>

namespace sdfgc::scalapack {

/// The shape of a grid and a rank's coordinates in it.
struct Position {
    int64_t px = 1, py = 1, pi = 0, pj = 0;
};

/// The number of `count` items, in blocks, that the rank at coordinate `at` of `ranks` has.
inline int64_t held(int64_t count, int64_t block, int64_t at, int64_t ranks) {
    const int64_t blocks = count / block, more = blocks % ranks;
    return blocks / ranks * block + (at < more ? block : at == more ? count % block : 0);
}
/// The global index of the `local`-th item of the rank at coordinate `at`.
inline int64_t globalOf(int64_t local, int64_t block, int64_t at, int64_t ranks) {
    return (local / block * ranks + at) * block + local % block;
}

struct Layout {
    int64_t rows, cols, rowBlock, colBlock;

    /// Blocks larger than the matrix are cut to its size, because ScaLAPACK allocates memory for a block. The distribution is the
    /// same.
    static Layout of(int64_t rows, int64_t cols, int64_t rowBlock, int64_t colBlock) {
        const auto cut = [](int64_t block, int64_t count) { return std::max<int64_t>(std::min(block, count), 1); };
        return {rows, cols, cut(rowBlock, rows), cut(colBlock, cols)};
    }
    static Layout whole(int64_t rows, int64_t cols) { return of(rows, cols, rows, cols); }
    static Layout vector(int64_t count, int64_t block) { return of(1, count, 1, block); }

    int64_t rowsAt(const Position &p) const { return held(rows, rowBlock, p.pi, p.px); }
    int64_t colsAt(const Position &p) const { return held(cols, colBlock, p.pj, p.py); }
};

/// One rank's part of a matrix: contiguous rows, `stride` elements apart. A buffer with another layout is copied.
template <class T> class Part {
    using Element = std::remove_const_t<T>;

public:
    Layout layout{};
    int64_t rows = 0, cols = 0, stride = 1;
    Element *data = nullptr;

    /// Takes a buffer of one or two dimensions; sets `wrong` on failure. With `filled`, a copy is initialised with the buffer's
    /// elements.
    Part(const mpi::Block<T> &buffer, const Layout &all, const Position &p, bool filled, const char *name, std::string &wrong)
        : layout(all), rows(all.rowsAt(p)), cols(all.colsAt(p)), stride(std::max<int64_t>(cols, 1)) {
        if (rows == 0 || cols == 0)
            return; // the buffer is not accessed, and may be null
        const bool isVector = buffer.rank < 2;
        const int64_t extents[2] = {isVector ? 1 : buffer.extents[0], buffer.rank == 0 ? 1 : buffer.extents[isVector ? 0 : 1]};
        if (extents[0] < rows || extents[1] < cols) {
            wrong = "`" + std::string(name) + "` has " + mpi::text({extents[0], extents[1]}) + " elements, and of a matrix of " +
                    mpi::text({all.rows, all.cols}) + " in blocks of " + mpi::text({all.rowBlock, all.colBlock}) + " there are " +
                    mpi::text({rows, cols}) + " here";
            return;
        }
        steps_[0] = isVector ? 0 : buffer.strides[0];
        steps_[1] = buffer.rank == 0 ? 1 : buffer.strides[isVector ? 0 : 1];
        data = const_cast<Element *>(buffer.data);
        if ((cols == 1 || steps_[1] == 1) && (rows == 1 || steps_[0] >= cols) && steps_[0] <= INT_MAX) {
            stride = std::max(steps_[0], stride);
            return;
        }
        original_ = data;
        own_.resize(static_cast<std::size_t>(rows * cols));
        data = own_.data();
        if (filled)
            move([](Element &mine, const Element &theirs) { mine = theirs; });
    }
    Part(const Part &) = delete;
    Part &operator=(const Part &) = delete;

    Element &at(int64_t row, int64_t col) const { return data[row * stride + col]; }
    /// Writes empty sums, which ScaLAPACK does not.
    void clear() {
        for (int64_t i = 0; i < rows; ++i)
            std::fill_n(data + i * stride, cols, Element(0));
    }
    /// Writes the elements of a copy back to the buffer.
    void unpack() {
        if (original_)
            move([](const Element &mine, Element &theirs) { theirs = mine; });
    }

private:
    template <class Assign> void move(Assign assign) {
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < cols; ++j)
                assign(own_[static_cast<std::size_t>(i * cols + j)], original_[i * steps_[0] + j * steps_[1]]);
    }
    int64_t steps_[2] = {0, 1};
    Element *original_ = nullptr; // of a copy
    std::vector<Element> own_;
};

} // namespace sdfgc::scalapack
