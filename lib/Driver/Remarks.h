// What passes did and could not do, for people and for programs.
#pragma once

#include "sdfgc/Diag/MachineForms.h"
#include "sdfgc/IR/ViewModel.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::driver {

/// Remarks for a file: as YAML documents for `.yaml` and `.yml`, as a SARIF log for `.sarif`, as one JSON object a line for `.json` and
/// `.jsonl`, else as text by element. Elements have their places in the user's program, as far as the graph knows them.
std::string remarkText(const std::vector<pass::Remark> &remarks, const std::string &file);
/// For --explain-missed: what was not done, by element and once each, what costs most first, then what can be done about it.
std::string missedText(const std::vector<pass::Remark> &remarks);
/// The same for --diagnostics json: one object a line with the keys that diagnostics have, and `bytes` as in remarkText().
std::string missedJson(const std::vector<pass::Remark> &remarks);
/// The same for --diagnostics sarif: what was not done, once each, in that order.
std::vector<pass::Remark> missedOnce(const std::vector<pass::Remark> &remarks);
/// Adds a result for each remark, as in a file `.sarif`.
void addResults(const std::vector<pass::Remark> &remarks, diag::SarifLog &log);
/// `fuse-nests: main: state s, map m[i] (prog.py:7:5): `two` joins `one``
std::string oneLine(const pass::Remark &remark);
/// Remarks for a graph that is drawn.
ir::ElementNotes remarkNotes(const std::vector<pass::Remark> &remarks);

} // namespace sdfgc::driver
