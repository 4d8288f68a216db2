// What an emulated device did in a call (`run --emulate --stats`).
#pragma once

#include "sdfgc/Run/Call.h"
#include "sdfgc/Support/Json.h"

namespace sdfgc::driver {

/// A line: `device: 3 kernels, 1 fill, 2 copies to the device (800 bytes), 1 wait`; counts that are zero are left out.
std::string deviceText(const run::DeviceCounts &c);
/// An object with the keys of member `device_work` of the manifest, and `allocations`.
json::Value deviceJson(const run::DeviceCounts &c);

} // namespace sdfgc::driver
