// How updates are spelled: `s += x`, `atomic_add(&s, x)`, `atomicSum(&s, x)`.
#pragma once

#include "sdfgc/Tasklet/Types.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace sdfgc::codegen {

struct UpdateSpelling {
    py::Reduction reduction;
    std::string_view op;       // in C++ and OpenMP
    std::string_view function; // the end of a function's name in sdfgc/rt/atomic.h
    std::string_view onDevice; // and in gpu_atomic.h and gpu_reduce.h
    /// Does C++ have a compound assignment for it: `+=`?
    bool assigns() const { return op.size() == 1; }
};

/// The spelling of a reduction; that of a custom one if it is not in the table.
inline const UpdateSpelling &spellingOf(py::Reduction r) {
    using py::Reduction;
    static constexpr UpdateSpelling table[] = {
        {Reduction::Sum, "+", "add", "Sum"},
        {Reduction::Sub, "-", "sub", "Difference"},
        {Reduction::Product, "*", "mul", "Product"},
        {Reduction::Div, "/", "div", "Quotient"},
        {Reduction::BitAnd, "&", "and", "And"},
        {Reduction::BitOr, "|", "or", "Or"},
        {Reduction::BitXor, "^", "xor", "Xor"},
        {Reduction::LogicalAnd, "&&", "logical_and", "LogicalAnd"},
        {Reduction::LogicalOr, "||", "logical_or", "LogicalOr"},
        {Reduction::LogicalXor, "", "logical_xor", "LogicalXor"},
        {Reduction::Min, "min", "min", "Min"},
        {Reduction::Max, "max", "max", "Max"},
        {Reduction::Exchange, "", "exchange", "Exchange"},
        {Reduction::Custom, "", "update", "Update"},
    };
    return *std::find_if(std::begin(table), std::end(table) - 1, [r](const UpdateSpelling &s) { return s.reduction == r; });
}

} // namespace sdfgc::codegen
