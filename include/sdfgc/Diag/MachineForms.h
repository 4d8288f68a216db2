// Parts of the machine-readable forms, JSON and SARIF 2.1.0, shared by diagnostics and remarks.
#pragma once

#include "sdfgc/Diag/Diag.h"

#include <functional>
#include <map>

namespace sdfgc::diag {

/// Returns `{"file": ..., "line": ..., "column": ..., "endLine": ..., "endColumn": ...}`; columns count from 1. Ends
/// are omitted if unknown.
json::Value sourceJson(const SourceLoc &s);
/// Returns a SARIF `physicalLocation`: file and region.
json::Value sarifPhysical(const SourceLoc &s);
/// Returns an object with a single member.
json::Value single(const char *key, json::Value v);

/// A SARIF log with the results of one run of sdfgc.
class SarifLog {
public:
    /// A result that names a rule, to be completed and passed to add(). `rule` makes what the log says about a rule that is new to it.
    json::Value result(const std::string &ruleId, const std::function<json::Value()> &rule);
    void add(json::Value result) { results_.push(std::move(result)); }
    void add(const std::vector<Diagnostic> &ds);
    /// Ends the log.
    std::string text() &&;

private:
    json::Value rules_ = json::Value::array(), results_ = json::Value::array();
    std::map<std::string, int> indexOf_; // of the rules
};

} // namespace sdfgc::diag
