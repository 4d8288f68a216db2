// Parts of the forms for machines, JSON and SARIF 2.1.0, that diagnostics and remarks share.
#pragma once

#include "sdfgc/Diag/Diag.h"

namespace sdfgc::diag {

/// `{"file": ..., "line": ..., "column": ..., "endLine": ..., "endColumn": ...}`; columns count from 1. Ends only where they are known.
json::Value sourceJson(const SourceLoc &s);
/// A SARIF `physicalLocation`: file and region.
json::Value sarifPhysical(const SourceLoc &s);
/// An object with one member.
json::Value single(const char *key, json::Value v);
/// A SARIF log with the results of one run of sdfgc; `rules` are those that they name by index.
std::string sarifLog(json::Value rules, json::Value results);

} // namespace sdfgc::diag
