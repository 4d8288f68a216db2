// Invariants of the graph readers, for JSON and for the text form.
#pragma once

#include <string>

namespace sdfgc::fuzz {

/// Input that cannot be read gives an error. A graph read from JSON is unchanged after it is written as JSON and read again; one
/// that the verifier accepts is unchanged in either form.
void requireRoundTrips(const std::string &text);

} // namespace sdfgc::fuzz
