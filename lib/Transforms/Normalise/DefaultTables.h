// The meaning of `Default` for schedules and storages: the tables of format reference 4.5 to 4.7.
#pragma once

#include "sdfgc/IR/Enums.h"

#include <optional>

namespace sdfgc::transforms {

/// Storage of a container used in a scope with this schedule (4.5); nothing for schedules that the table does not list
/// (then the next outer scope decides).
std::optional<ir::Storage> storageInside(ir::Schedule scope);
/// Schedule of a scope or library node in a scope with this schedule (4.6).
std::optional<ir::Schedule> scheduleInside(ir::Schedule scope);
/// Schedule implied by a neighbouring container with this storage (4.7).
std::optional<ir::Schedule> impliedSchedule(ir::Storage storage);

} // namespace sdfgc::transforms
