// A program's counters about its GPU graphs after a run.
#pragma once

#include "sdfgc/Run/Call.h"
#include "sdfgc/Support/Json.h"

namespace sdfgc::driver {

/// A table with a row per graph, or a line that there are none.
std::string graphTable(const std::vector<run::GraphCounters> &graphs);
/// An object per graph.
json::Value graphsJson(const std::vector<run::GraphCounters> &graphs);

} // namespace sdfgc::driver
