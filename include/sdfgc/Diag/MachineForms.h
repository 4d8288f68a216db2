// Parts of the machine-readable forms, JSON and SARIF 2.1.0, shared by diagnostics and remarks.
#pragma once

#include "sdfgc/Diag/Diag.h"

namespace sdfgc::diag {

/// Returns `{"file": ..., "line": ..., "column": ..., "endLine": ..., "endColumn": ...}`; columns count from 1. Ends
/// are omitted if unknown.
json::Value sourceJson(const SourceLoc &s);
/// Returns a SARIF `physicalLocation`: file and region.
json::Value sarifPhysical(const SourceLoc &s);
/// Returns an object with a single member.
json::Value single(const char *key, json::Value v);
/// Returns a SARIF log with the results of one run of sdfgc; results refer to `rules` by index.
std::string sarifLog(json::Value rules, json::Value results);

} // namespace sdfgc::diag
