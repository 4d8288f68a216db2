// Files installed with sdfgc: pipelines and runtime headers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sdfgc {

/// Returns the full path of `kind`/`name` (`pipelines`, `cpu.yaml`; an empty name gives the folder of the kind), or
/// nothing if it does not exist. Searches, in this order:
///   1. $SDFGC_HOME; if set, no other place is searched;
///   2. ../share/sdfgc next to the folder of the running executable: the installed layout;
///   3. the source tree, if the executable is in the folder where CMake built it;
///   4. the same two for the shared library that contains this code, if any.
std::optional<std::string> findResource(std::string_view kind, std::string_view name);

/// Returns the folders that findResource searches, in order; for messages.
std::string resourceFolders();

/// Returns the path of the running executable, or an empty string if unknown.
std::string executablePath();

} // namespace sdfgc
