// The difference between two executions on the same input.
#pragma once

#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Validate/Execution.h"

#include <set>

namespace sdfgc::validate {

/// The first difference: an element of a container, or a fault that occurs only in the second execution.
struct Difference {
    Name container;             // empty for a fault, and for a run that does not end
    std::vector<int64_t> index; // of the element; empty for a scalar, and outside the shape
    int64_t offset = 0;         // of the element in memory
    std::string before, after;  // its values
    bool isReal = false;        // floating-point or complex numbers
    std::optional<interpret::Report> fault;
    /// Returns `B[2, 0] is 4, and was 3`, or the text of the fault.
    std::string text() const;
};

/// Compares two executions, in the order of arguments and elements, including padding. A NaN equals every NaN; other
/// values must be bitwise equal, except that a class above F0 allows floating-point numbers to differ as `near`
/// defines. The values of an incomplete execution (timedOut) are not compared. Faults of a kind in `excused` are
/// ignored.
std::optional<Difference> compare(const run::Arguments &input, const Execution &before, const Execution &after,
                                  pass::FloatClass allowed, const std::set<interpret::FaultKind> &excused = {});

/// Are all floating-point numbers of the input and of the execution's results finite?
bool isFinite(const run::Arguments &input, const Execution &execution);

/// Are two numbers of a type equal up to the order in which they were computed? They may differ by 2^12 units in the
/// last place of the largest of both and `scale`, the magnitude of the operands; an overflow to infinity equals a
/// number close to the largest one. If `scale` is so large that sums and products overflow in some orders, infinities
/// and NaN equal everything. Zeros are equal whatever their signs.
bool near(Type type, double a, double b, double scale);

} // namespace sdfgc::validate
