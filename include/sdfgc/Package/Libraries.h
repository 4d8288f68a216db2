// Libraries that programs ask for by what they do, and what these are on each device.
#pragma once

#include <string>
#include <vector>

namespace sdfgc::package {

enum class Device { Emulated, Cuda, Hip };

/// The libraries behind a name that means others on each device (`gpublas`, `gpusolver`; docs/build.md), in the order in which they
/// are linked; empty where none is needed. Any other name stands for itself.
std::vector<std::string> librariesBehind(const std::string &name, Device device);
/// Is there nothing to link of a library: cub, rocprim?
bool isHeadersOnly(const std::string &library);

} // namespace sdfgc::package
