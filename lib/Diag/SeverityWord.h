// The words for severities, which are the same in text, JSON, SARIF and the documentation.
#pragma once

#include "sdfgc/Diag/Diag.h"

#include <string_view>

namespace sdfgc::diag {

/// `error`, `warning`, `note`, `remark`.
inline std::string_view severityWord(Severity s) {
    switch (s) {
    case Severity::Error:
        return "error";
    case Severity::Warning:
        return "warning";
    case Severity::Note:
        return "note";
    case Severity::Remark:
        break;
    }
    return "remark";
}

} // namespace sdfgc::diag
