// What two executions of one input differ in.
#pragma once

#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Validate/Execution.h"

#include <set>

namespace sdfgc::validate {

/// The first difference: an element of a container, or a fault that only the second execution has.
struct Difference {
    Name container;             // empty for a fault, and for a run that does not end
    std::vector<int64_t> index; // of the element; empty for a scalar, and outside of the shape
    int64_t offset = 0;         // of the element in memory
    std::string before, after;  // its values
    bool isReal = false;        // they are floating-point or complex numbers
    std::optional<interpret::Report> fault;
    /// `B[2, 0] is 4, and was 3`, or what the fault says.
    std::string text() const;
};

/// Compares two executions, in the order of the arguments and of their elements; padding counts, too. A NaN equals every NaN,
/// otherwise values are equal when their bits are; with a class above F0, floating-point numbers may differ as `near` says. An
/// execution that is not complete (timedOut) says nothing about values. Faults of a kind in `excused` are not differences.
std::optional<Difference> compare(const run::Arguments &input, const Execution &before, const Execution &after,
                                  pass::FloatClass allowed, const std::set<interpret::FaultKind> &excused = {});

/// Are all floating-point numbers of the input finite, and those that an execution left?
bool isFinite(const run::Arguments &input, const Execution &execution);

/// Are two numbers of a type equal but for the order in which they were computed? They are when they differ by no more than 2^12
/// units in the last place of the largest of both and `scale`, the magnitude of what they were computed from; an overflow to infinity
/// equals a number that is nearly the largest one. Where `scale` is so large that sums and products overflow in one order and not in
/// another, infinities and NaN equal everything. Zeros are equal whatever their signs.
bool near(Type type, double a, double b, double scale);

} // namespace sdfgc::validate
