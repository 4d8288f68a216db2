// Parses pkg-config files as text, without running a program.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sdfgc::build {

struct PkgConfig {
    std::vector<std::string> compileFlags, linkFlags; // the words of `Cflags` and `Libs`, with variables replaced
};

/// The words in the text of a file in `folder`; `${name}` is replaced with the value of `name=`, and `${pcfiledir}` with the
/// folder. Required packages are not followed.
PkgConfig parsePkgConfig(const std::string &content, const std::string &folder);

/// The first of `names` (without `.pc`) that exists in one of the folders, each name searched in all of them; nothing if there is
/// none.
std::optional<PkgConfig> readPkgConfig(const std::vector<std::string> &names, const std::vector<std::string> &folders);

} // namespace sdfgc::build
