// Maps compared attribute by attribute, so that an attribute that is added to the format counts by itself.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::serialize {

/// Are all attributes that files keep of a map equal in two maps, but for those with these keys (`range`, `schedule`)?
bool sameBut(const ir::MapEntry &a, const ir::MapEntry &b, const std::vector<std::string_view> &keys);

} // namespace sdfgc::serialize
