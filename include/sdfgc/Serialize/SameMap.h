// Compares maps attribute by attribute, so that attributes added to the format are included automatically.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::serialize {

/// Are all attributes of two maps that files store equal, except those with these keys (`range`, `schedule`)?
bool sameBut(const ir::MapEntry &a, const ir::MapEntry &b, const std::vector<std::string_view> &keys);

} // namespace sdfgc::serialize
