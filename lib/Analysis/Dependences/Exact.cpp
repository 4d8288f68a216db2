#include "Analysis/Dependences/Exact.h"

#include <isl/ctx.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>

namespace sdfgc::analysis::dependences {
namespace {

/// About a millisecond. Subscripts that people write take a few hundred operations.
constexpr unsigned long mostOperations = 20000;
/// isl uses integers of arbitrary size, and large coefficients would produce huge ones.
constexpr int64_t largestCoefficient = std::numeric_limits<int>::max();

/// isl's state, one per thread. Errors, including reaching the limit on operations, are returned as results.
isl_ctx *contextOfThread() {
    static thread_local const std::unique_ptr<isl_ctx, void (*)(isl_ctx *)> context = [] {
        isl_ctx *made = isl_ctx_alloc();
        isl_options_set_on_error(made, ISL_ON_ERROR_CONTINUE);
        isl_ctx_set_max_operations(made, mostOperations);
        return std::unique_ptr<isl_ctx, void (*)(isl_ctx *)>(made, [](isl_ctx *c) { isl_ctx_free(c); });
    }();
    return context.get();
}

/// The columns of the unknowns that occur.
std::vector<Column> usedColumns(const Rows &rows) {
    std::vector<Column> used;
    for (Column c = 1; c < rows.width(); ++c)
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i][c] != 0) {
                used.push_back(c);
                break;
            }
    return used;
}

bool areSmall(const Rows &rows) {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (std::any_of(rows[i].begin(), rows[i].end(), [](int64_t v) { return std::abs(v) > largestCoefficient; }))
            return false;
    return true;
}

/// The set of all solutions, with one dimension per column.
isl_basic_set *asSet(isl_ctx *context, const Rows &rows, const std::vector<Column> &columns) {
    const auto dimensions = static_cast<unsigned>(columns.size());
    isl_mat *equalities = isl_mat_alloc(context, 0, dimensions + 1);
    isl_mat *inequalities = isl_mat_alloc(context, static_cast<unsigned>(rows.size()), dimensions + 1);
    for (unsigned i = 0; i < rows.size(); ++i) {
        for (unsigned d = 0; d < dimensions; ++d)
            inequalities = isl_mat_set_element_si(inequalities, static_cast<int>(i), static_cast<int>(d),
                                                  static_cast<int>(rows[i][columns[d]]));
        inequalities =
            isl_mat_set_element_si(inequalities, static_cast<int>(i), static_cast<int>(dimensions), static_cast<int>(rows[i][0]));
    }
    return isl_basic_set_from_constraint_matrices(isl_space_set_alloc(context, 0, dimensions), equalities, inequalities,
                                                  isl_dim_set, isl_dim_div, isl_dim_param, isl_dim_cst);
}

} // namespace

Feasibility solveExactly(const Rows &rows) {
    if (!areSmall(rows))
        return Feasibility::Unknown;
    isl_ctx *context = contextOfThread();
    isl_ctx_reset_operations(context);
    isl_basic_set *solutions = asSet(context, rows, usedColumns(rows));
    const isl_bool empty = isl_basic_set_is_empty(solutions);
    isl_basic_set_free(solutions);
    isl_ctx_reset_error(context);
    return empty == isl_bool_true ? Feasibility::No : empty == isl_bool_false ? Feasibility::Yes : Feasibility::Unknown;
}

} // namespace sdfgc::analysis::dependences
