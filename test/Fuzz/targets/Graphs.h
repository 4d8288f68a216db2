// What holds of the readers of graphs, in JSON and in the text form alike.
#pragma once

#include <string>

namespace sdfgc::fuzz {

/// What cannot be read has an error. A graph that was read from JSON is the same graph when it was written as JSON and read again;
/// one that the verifier accepts is the same graph in either form.
void requireRoundTrips(const std::string &text);

} // namespace sdfgc::fuzz
