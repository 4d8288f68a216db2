// Names of the connectors of scopes: data passes an entry or exit from `IN_x` to `OUT_x` (format reference 6.9).
#pragma once

#include "sdfgc/Support/Name.h"

namespace sdfgc::ir {

inline constexpr std::string_view scopeInputPrefix = "IN_", scopeOutputPrefix = "OUT_";

/// `IN_x` and `OUT_x`.
inline Name scopeInput(Name x) { return std::string(scopeInputPrefix) + x.str(); }
inline Name scopeOutput(Name x) { return std::string(scopeOutputPrefix) + x.str(); }

inline bool isScopeInput(Name connector) { return connector.view().starts_with(scopeInputPrefix); }
inline bool isScopeOutput(Name connector) { return connector.view().starts_with(scopeOutputPrefix); }

} // namespace sdfgc::ir
