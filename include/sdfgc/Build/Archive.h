// A build folder as one file, for other machines: `sdfgc package`.
//
// The file is a zip archive (Support/Zip.h) with the files that sdfgc wrote to the folder, the library, texts of
// licences, and `package.json`: a description, with the size and the SHA-256 of every other file. What depends on the
// folder or on the machine is left out: objects, the list of commands, and the record of the build.
#pragma once

#include "sdfgc/Build/Finished.h"

namespace sdfgc::build {

/// Returns the archive of a build folder. `licences`: texts by file name. Takes the lock of the folder. Reports an
/// error and returns nothing if the folder has no library that belongs to its sources. Warns of a library that only
/// processors like this machine's can run.
std::optional<std::string> packBuild(const std::string &path, const package::Files &licences, diag::Engine &diags);

struct UnpackedBuild {
    std::string name, signature; // as in FolderOptions
    Entry entry;                 // for placeBuild
};
/// Reads and verifies an archive.
Result<UnpackedBuild> unpackBuild(std::string_view archive);

} // namespace sdfgc::build
