// An operand of a library node as a matrix.
#pragma once

#include "Elements.h"

#include <optional>

namespace sdfgc::interpret {

/// Rows and columns of an operand: its two dimensions or, if it has more, the two relevant ones. A vector is one column.
struct Grid {
    int64_t rows = 1, columns = 1, rowStride = 1, columnStride = 1;
    int64_t begin = 0;    // of the matrix among the elements
    bool isMatrix = true; // false: it has more dimensions

    explicit Grid(const Elements &e) : Grid(e, std::nullopt) {}
    /// A matrix of a batch, along the first dimension.
    Grid(const Elements &e, std::optional<int64_t> ofBatch) {
        const std::vector<int64_t> strides = rowMajorStrides(e.shape);
        std::vector<std::size_t> dims = e.dimensions(ofBatch ? 3 : 2);
        if (ofBatch) {
            isMatrix = dims.size() >= 2 && *ofBatch < e.shape[dims[0]];
            if (!isMatrix)
                return;
            begin = *ofBatch * strides[dims[0]];
            dims.erase(dims.begin());
        }
        isMatrix = dims.size() <= 2;
        if (!isMatrix || dims.empty())
            return;
        rows = e.shape[dims[0]];
        rowStride = strides[dims[0]];
        if (dims.size() == 2) {
            columns = e.shape[dims[1]];
            columnStride = strides[dims[1]];
        }
    }
    void transpose() {
        std::swap(rows, columns);
        std::swap(rowStride, columnStride);
    }
    /// The index of an element; outside of the matrix -1, which is never valid.
    int64_t at(int64_t i, int64_t j) const {
        return i >= 0 && i < rows && j >= 0 && j < columns ? begin + i * rowStride + j * columnStride : -1;
    }
};

} // namespace sdfgc::interpret
