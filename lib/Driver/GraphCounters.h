// What a program tells of its GPU graphs after a run.
#pragma once

#include "sdfgc/Run/Call.h"
#include "sdfgc/Support/Json.h"

namespace sdfgc::driver {

/// A table with a row for each graph, or a line that says that there is none.
std::string graphTable(const std::vector<run::GraphCounters> &graphs);
/// An object for each graph.
json::Value graphsJson(const std::vector<run::GraphCounters> &graphs);

} // namespace sdfgc::driver
