// Files that are installed with sdfgc: pipelines and runtime headers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sdfgc {

/// The full path of `kind`/`name` (`pipelines`, `cpu.yaml`; an empty name gives the folder of the kind), or nothing when no place
/// has it. Searched are, in this order:
///   1. $SDFGC_HOME, when set; then no other place is;
///   2. ../share/sdfgc beside the folder of the running executable: the installed layout;
///   3. the source tree, when the executable runs from the folder in which CMake built it;
///   4. the same two for the shared library that this code is in, if it is in one.
std::optional<std::string> findResource(std::string_view kind, std::string_view name);

/// The folders that findResource searches, in order; for messages.
std::string resourceFolders();

/// Path of the running executable, or empty when the system does not say.
std::string executablePath();

} // namespace sdfgc
