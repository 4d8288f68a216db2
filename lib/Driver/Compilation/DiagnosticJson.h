// Diagnostics in the cache of builds, which report them again. Their format is private, unlike that of --diagnostics json.
#pragma once

#include "sdfgc/Diag/Diag.h"

#include <optional>

namespace sdfgc::driver {

/// `input`: the path of the program, which may be another one when the diagnostic is read.
json::Value toJson(const diag::Diagnostic &d, const std::string &input);
/// Nothing if the value does not describe a diagnostic of this version.
std::optional<diag::Diagnostic> diagnosticFrom(const json::Value &v, const std::string &input);

} // namespace sdfgc::driver
