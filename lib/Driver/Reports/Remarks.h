// Reports of the changes that passes made or could not make, for people and for programs.
#pragma once

#include "sdfgc/Diag/MachineForms.h"
#include "sdfgc/IR/ViewModel.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::driver {

/// Remarks for a file: as YAML documents for `.yaml` and `.yml`, as a SARIF log for `.sarif`, as one JSON object per line for
/// `.json` and `.jsonl`, otherwise as text by element. Elements have their locations in the user's program, as far as the graph
/// knows them.
std::string remarkText(const std::vector<pass::Remark> &remarks, const std::string &file);
/// For --explain-missed: missed optimisations by element without duplicates, the most expensive ones first, followed by advice and
/// a summary of the loops.
std::string missedText(const std::vector<pass::Remark> &remarks, const pass::LoopCounts &loops);
/// The same for --diagnostics json: one object per line with the keys of diagnostics, and `bytes` as in remarkText().
std::string missedJson(const std::vector<pass::Remark> &remarks, const pass::LoopCounts &loops);
/// The same for --diagnostics sarif: missed optimisations without duplicates, in the same order.
std::vector<pass::Remark> missedOnce(const std::vector<pass::Remark> &remarks);
/// Adds a result for each remark, as in a `.sarif` file.
void addResults(const std::vector<pass::Remark> &remarks, diag::SarifLog &log);
/// `fuse-nests: main: state s, map m[i] (prog.py:7:5): `two` joins `one``
std::string oneLine(const pass::Remark &remark);
/// Remarks for a drawing of the graph.
ir::ElementNotes remarkNotes(const std::vector<pass::Remark> &remarks);

} // namespace sdfgc::driver
