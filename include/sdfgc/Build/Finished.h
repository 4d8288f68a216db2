// Finished builds as entries of a Store: what a build folder holds after `sdfgc build`, for folders elsewhere.
//
// An entry has every file that sdfgc writes, the library and its caller; objects are left out. A folder that is filled
// from an entry is one that a build would have left: `clean`, CMake and later builds work in it. Libraries do not
// contain the name of their folder, except for debugging information (nameFolder).
#pragma once

#include "sdfgc/Build/Build.h"
#include "sdfgc/Build/Store.h"
#include "sdfgc/Package/Package.h"

namespace sdfgc::build {

/// Returns the store of finished builds in a cache folder, with the limit of Cache.h.
Store buildStore(const std::string &cacheFolder, std::uint64_t bytes);

/// Describes a build that has just succeeded in `folder`, whose lock is held. `generated`: the files that the package
/// consists of. The inputs are the files outside the folder that the compilers read. Fails if the library depends on
/// something that only this folder has.
Result<Entry> takeBuild(const Folder &folder, const package::Files &generated);

struct PlacedBuild {
    std::string library, caller; // as in BuildResult
    bool isNew = false;          // otherwise the folder had all of it
};
/// Fills `folder`, whose lock is held, from an entry. Unchanged files are not touched, but the library gets the current
/// time if it is older than one of `madeFrom`, as in Request. Reports errors and returns nothing on failure.
std::optional<PlacedBuild> placeBuild(const Folder &folder, const Entry &entry, const std::string &key,
                                      const std::vector<std::string> &madeFrom, diag::Engine &diags);

/// Describes the compilers, their environment, and the processor if a flag names `native`: equal texts, equal results.
/// `onDevice`: also the compilers for GPUs.
std::string toolchainIdentity(const Toolchain &toolchain, const std::vector<std::string> &flags, bool onDevice);
/// Describes the libraries, by link name, with the flags that the toolchain has for them now.
std::string libraryIdentity(const Toolchain &toolchain, const std::vector<std::string> &libraries);

/// Does a flag put the name of the build folder into the library (`-g`)?
bool nameFolder(const std::vector<std::string> &flags);
/// Does a flag read or write files in the build folder that an entry lacks: named relative to it (`-I../include`),
/// profiles, coverage, dumps?
bool needFolder(const std::vector<std::string> &flags);

} // namespace sdfgc::build
