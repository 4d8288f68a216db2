// The cache folder of sdfgc, and removal of files that sdfgc has created.
//
// The cache contains compiler descriptions (`compiler-*.json`), objects shared by programs (`objects`), finished
// builds if `--cache` names this folder (`builds`), build folders of `sdfgc run` (`run`), and tasklets for the
// interpreter (`tasklets`). All of it can be recreated. Build folders are
// removed under their lock, and the lock file last: a run that waits for the lock notices (file::Lock) and recreates
// the folder.
#pragma once

#include "sdfgc/Diag/Diag.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::build {

/// Returns `$XDG_CACHE_HOME/sdfgc` or `~/.cache/sdfgc`; empty if neither variable names a folder.
std::string userCacheFolder();

constexpr std::uint64_t kCacheBytes = std::uint64_t{2} << 30; // unless SDFGC_CACHE_SIZE specifies another size
/// Parses `500M`: bytes, with K, M, G or T for powers of 1024. Returns nothing for other text.
std::optional<std::uint64_t> parseBytes(std::string_view text);
/// Returns the maximum size of the cache: SDFGC_CACHE_SIZE, where 0 means no limit, or kCacheBytes. Reports a value
/// that is not a size and returns nothing.
std::optional<std::uint64_t> cacheLimit(diag::Engine &diags);

/// Removes the least recently used files until at most `limit` bytes are left (0: does nothing). Keeps files that
/// another run is using, and those used in the last ten minutes. Ignores files that cannot be removed.
void boundCache(const std::string &folder, std::uint64_t limit);
/// The same, unless it was done less than ten minutes ago, since scanning a large cache takes time.
void boundCacheAtTimes(const std::string &folder, std::uint64_t limit);

/// Removes everything that sdfgc keeps in the cache, and the folder if nothing else is in it. Returns the build folders
/// that stay because another run is using them.
std::vector<std::string> emptyCache(const std::string &folder);

/// Removes a build folder with the files that sdfgc wrote to it. Reports an error, removes nothing and returns false if
/// it is not a build folder, if another run is using it, or if it contains files that sdfgc did not write. The current
/// folder is emptied but kept.
bool removeBuildFolder(const std::string &path, diag::Engine &diags);

} // namespace sdfgc::build
