// Long explanations of diagnostics and of the reasons in remarks, for `sdfgc explain` and docs/user/diagnostics. Every row of Diagnostics.def
// has one in lib/Diag/explanations; those of reasons are in Reasons.def.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Diag/Reason.h"

#include <optional>

namespace sdfgc::diag {

struct Explanation {
    std::string_view cause, example, remedy;
};
/// Empty texts where the table has no row (a test refuses that).
const Explanation &explanation(Id id);

/// A kind by its code (`SD2045`, `sd2045`, `2045`) or name (`UnknownContainer`).
std::optional<Id> findKind(std::string_view text);

/// All kinds by code, one line each: `SD2045 error   UnknownContainer: container ... does not exist`.
std::string kindList();
/// The explanation for a terminal, in lines of at most 100 columns.
std::string explanationText(Id id);
/// The page of docs/user/diagnostics.
std::string explanationPage(Id id);
/// docs/user/diagnostics/README.md: all kinds by code, with links to their pages.
std::string explanationIndex();

/// All reasons, one line each: `dependence Iterations or steps use ...`.
std::string reasonList();
/// What a reason means and what to do, for a terminal.
std::string explanationText(Why why);
/// docs/user/diagnostics/remarks.md: all reasons in the order of their list.
std::string reasonPage();

} // namespace sdfgc::diag
