// Matrices in blocks that are dealt out in turn over a grid of ranks: who has which element.
//
// Rules: a matrix lies in rows. Its blocks of rows go to the rows of the grid in turn, its blocks of columns to the columns: block (I, J)
// is at the rank with coordinates (I mod Px, J mod Py). The last block is what is left. A rank keeps its elements as a smaller matrix
// in their order; the array that holds it may be larger, and then has it in its corner. A vector is a matrix of one row, so it
// lies on the ranks (0, j). One block as large as the matrix is the whole of it on rank 0.
#pragma once

#include "sdfgc/rt/mpi/communicator.h"
#include "sdfgc/rt/mpi/layout.h"

#include <algorithm>

namespace sdfgc::scalapack {

/// The shape of a grid and a rank's coordinates in it.
struct Position {
    int64_t px = 1, py = 1, pi = 0, pj = 0;
};

/// How many of `count` items, in blocks, the rank at coordinate `at` of `ranks` has.
inline int64_t held(int64_t count, int64_t block, int64_t at, int64_t ranks) {
    const int64_t blocks = count / block, more = blocks % ranks;
    return blocks / ranks * block + (at < more ? block : at == more ? count % block : 0);
}
/// Which of all items the `local`-th one of the rank at coordinate `at` is.
inline int64_t globalOf(int64_t local, int64_t block, int64_t at, int64_t ranks) {
    return (local / block * ranks + at) * block + local % block;
}

struct Layout {
    int64_t rows, cols, rowBlock, colBlock;

    /// Blocks that are larger than the matrix are cut, which changes nothing: ScaLAPACK keeps memory for a block.
    static Layout of(int64_t rows, int64_t cols, int64_t rowBlock, int64_t colBlock) {
        const auto cut = [](int64_t block, int64_t count) { return std::max<int64_t>(std::min(block, count), 1); };
        return {rows, cols, cut(rowBlock, rows), cut(colBlock, cols)};
    }
    static Layout whole(int64_t rows, int64_t cols) { return of(rows, cols, rows, cols); }
    static Layout vector(int64_t count, int64_t block) { return of(1, count, 1, block); }

    int64_t rowsAt(const Position &p) const { return held(rows, rowBlock, p.pi, p.px); }
    int64_t colsAt(const Position &p) const { return held(cols, colBlock, p.pj, p.py); }
};

/// What one rank has of a matrix: rows `stride` elements apart, whose elements are neighbours. A buffer that lies otherwise is copied.
template <class T> class Part {
    using Element = std::remove_const_t<T>;

public:
    Layout layout{};
    int64_t rows = 0, cols = 0, stride = 1;
    Element *data = nullptr;

    /// Takes a buffer of one or two dimensions; says in `wrong` why it cannot. With `filled`, a copy begins with the buffer's elements.
    Part(const mpi::Block<T> &buffer, const Layout &all, const Position &p, bool filled, const char *name, std::string &wrong)
        : layout(all), rows(all.rowsAt(p)), cols(all.colsAt(p)), stride(std::max<int64_t>(cols, 1)) {
        if (rows == 0 || cols == 0)
            return; // nobody looks at the buffer, which need not be there
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
    /// Sums of nothing, which ScaLAPACK does not write.
    void clear() {
        for (int64_t i = 0; i < rows; ++i)
            std::fill_n(data + i * stride, cols, Element(0));
    }
    /// Puts the elements of a copy back where they belong.
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
