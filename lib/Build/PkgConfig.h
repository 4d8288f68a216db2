// What files of pkg-config say of a library, read as text: no program is run to find out.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sdfgc::build {

struct PkgConfig {
    std::vector<std::string> compileFlags, linkFlags; // the words of `Cflags` and `Libs`, variables replaced
};

/// The words of a file's text that lies in `folder`; `${name}` stands for what `name=` says, `${pcfiledir}` for the folder. Other
/// packages that it requires are not followed.
PkgConfig parsePkgConfig(const std::string &content, const std::string &folder);

/// The first of `names` (without `.pc`) that is in one of the folders, each name looked for in all of them; nothing if none is.
std::optional<PkgConfig> readPkgConfig(const std::vector<std::string> &names, const std::vector<std::string> &folders);

} // namespace sdfgc::build
