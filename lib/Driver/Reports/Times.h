// Times of several calls, and how they are printed.
#pragma once

#include <string>
#include <vector>

namespace sdfgc::driver {

struct Spread {
    double median = 0, lowest = 0, highest = 0, quartiles = 0; // quartiles: width of the middle half
};
/// Returns zeros for no values. Quantiles are interpolated linearly between neighbours.
Spread spreadOf(std::vector<double> values);

/// `1.200 ms`; below a millisecond `0.12345 ms`.
std::string milliseconds(double seconds);
/// `2.0 %`; 0 if there is no whole.
std::string percent(double part, double whole);

} // namespace sdfgc::driver
