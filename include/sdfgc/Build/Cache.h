// The folder in which sdfgc keeps what need not be done again, and removing what sdfgc has made.
//
// The cache holds what compilers say about themselves (`compiler-*.json`), objects that programs share (`objects`), build folders of
// `sdfgc run` (`run`) and tasklets for the interpreter (`tasklets`). All of it can be made again. Build folders are removed under their
// lock, and its file goes last: a run that waits for the lock notices (file::Lock) and makes the folder anew.
#pragma once

#include "sdfgc/Diag/Diag.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::build {

/// `$XDG_CACHE_HOME/sdfgc`, else `~/.cache/sdfgc`; empty where neither variable names a folder.
std::string userCacheFolder();

constexpr std::uint64_t kCacheBytes = std::uint64_t{2} << 30; // unless SDFGC_CACHE_SIZE says something else
/// `500M`: bytes with K, M, G or T for powers of 1024. Nothing for other text.
std::optional<std::uint64_t> parseBytes(std::string_view text);
/// How large the cache may be: SDFGC_CACHE_SIZE, in which 0 means no limit, else kCacheBytes. Nothing, and reported, for a value that is no
/// size.
std::optional<std::uint64_t> cacheLimit(diag::Engine &diags);

/// Removes what was not used for longest until no more than `limit` bytes are left (0: nothing). What another run works in, or was used
/// in the last ten minutes, stays. What cannot be removed stays, too, without an error.
void boundCache(const std::string &folder, std::uint64_t limit);
/// The same, unless it was done less than ten minutes ago: looking at all files of a large cache takes time.
void boundCacheAtTimes(const std::string &folder, std::uint64_t limit);

/// Removes all that sdfgc keeps in the cache, and the folder if nothing else is in it. Returns the build folders that stay because another
/// run works in them.
std::vector<std::string> emptyCache(const std::string &folder);

/// Removes a build folder with the files that sdfgc wrote to it. Reports, returns false and removes nothing where it is no build folder,
/// another run works in it, or it holds files that sdfgc did not write. The current folder is emptied and stays.
bool removeBuildFolder(const std::string &path, diag::Engine &diags);

} // namespace sdfgc::build
