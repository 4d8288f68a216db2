// Long explanations of diagnostics and of the reasons in remarks, for `sdfgc explain` and docs/user/diagnostics.
// lib/Diag/explanations has one for every row of Diagnostics.def; Reasons.def has those of reasons.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Diag/Reason.h"

#include <optional>

namespace sdfgc::diag {

struct Explanation {
    std::string_view cause, example, remedy;
};
/// Returns empty texts if the table has no row (a test rejects that).
const Explanation &explanation(Id id);

/// Finds a kind by its code (`SD2045`, `sd2045`, `2045`) or name (`UnknownContainer`).
std::optional<Id> findKind(std::string_view text);

/// Lists all kinds by code, one per line: `SD2045 error   UnknownContainer: container ... does not exist`.
std::string kindList();
/// Returns the explanation for a terminal, with lines of at most 100 columns.
std::string explanationText(Id id);
/// Returns the page in docs/user/diagnostics.
std::string explanationPage(Id id);
/// Returns docs/user/diagnostics/README.md: all kinds by code, with links to their pages.
std::string explanationIndex();

/// Lists all reasons, one per line: `dependence Iterations or steps use ...`.
std::string reasonList();
/// Explains a reason and what to do about it, for a terminal.
std::string explanationText(Why why);
/// Returns docs/user/diagnostics/remarks.md: all reasons in list order.
std::string reasonPage();

} // namespace sdfgc::diag
