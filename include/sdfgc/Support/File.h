// Files: whole reads, writes that are complete or absent, locks between processes.
//
// A failure names the file and what the system said: "cannot write /a/b.cpp: No space left on device". Paths are taken as they are,
// relative to the current folder. Nothing here throws.
#pragma once

#include "sdfgc/Support/Result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::file {

/// The whole content of a regular file or pipe. A folder, or more than `maxBytes`, is a failure.
Result<std::string> read(const std::string &path, std::uint64_t maxBytes = UINT64_MAX);

/// The same of regular files, and links to them, alone: for paths that no person has typed, but a file or a folder that may be somebody
/// else's. A pipe could let the reader wait for ever, and a device has no end.
Result<std::string> readRegular(const std::string &path, std::uint64_t maxBytes = UINT64_MAX);

/// Writes `content` under a temporary name in the same folder and renames it, so that `path` holds the old content or the new one
/// and never a part. Not flushed to disk: a power cut may lose the file, a killed process may not. Keeps the mode of a file that
/// was there. On failure the temporary file is removed. A path that a person names may be a link, which stays: its target is
/// replaced, and devices and pipes are written to. In folders that are sdfgc's own, a link leads to what is not: it is replaced.
enum class Links : bool { Follow, Replace };
Result<void> writeAtomic(const std::string &path, std::string_view content, Links links = Links::Follow);

/// As writeAtomic, but leaves a file that already holds `content` untouched, with its time stamp. Returns whether it wrote.
Result<bool> writeIfChanged(const std::string &path, std::string_view content, Links links = Links::Follow);

/// A name beside `path` for a file that will be renamed to it: `.NAME.tmp-PID-COUNT`.
std::string temporaryName(const std::string &path);
/// Removes what killed runs left behind under temporary names, in this folder only. Call it while holding the folder's lock, or in a
/// folder that has none with an age in seconds that no file of a living run has.
void removeTemporaries(const std::string &folder, double olderThan = 0);
/// Puts `from` in the place of `to`, in one step.
Result<void> rename(const std::string &from, const std::string &to);

/// Gives a file the present time as its time stamp.
Result<void> touch(const std::string &path);

/// Creates the folder and those above it; fine when it is there.
Result<void> makeFolder(const std::string &path);
/// The same for `root/below`. A link among the parts of `below` is a failure: what is written there would lie elsewhere.
Result<void> makeFolderInside(const std::string &root, const std::string &below);
/// Removes a file or a folder with all it holds, without following links; fine when it is not there. Refuses the root, the current
/// folder and an empty path.
Result<void> removeTree(const std::string &path);
/// Names in a folder, sorted by byte.
Result<std::vector<std::string>> list(const std::string &folder);

/// What tells one version of a file from another without reading it.
struct Stamp {
    std::uint64_t size = 0;
    std::int64_t modifiedNs = 0;
    std::uint64_t inode = 0;
    bool isFolder = false;
    friend bool operator==(const Stamp &, const Stamp &) = default;
};
/// Nothing when there is no such file or it cannot be reached.
std::optional<Stamp> stamp(const std::string &path);
bool exists(const std::string &path);
bool isFolder(const std::string &path);
/// Is the path itself a link, wherever it leads?
bool isLink(const std::string &path);
bool isExecutable(const std::string &path);

/// `folder/name`, or `name` alone when the folder is empty or `name` is absolute.
std::string join(std::string_view folder, std::string_view name);
/// The part before the last `/`: "" when there is none, "/" for a file in the root.
std::string folderOf(std::string_view path);
/// The part after the last `/`.
std::string nameOf(std::string_view path);
/// The path from the root, without `.` and `..`; links are kept.
std::string absolute(const std::string &path);

/// An exclusive lock that several processes respect (flock), held until destroyed. The lock file stays: removing it would let two
/// runs lock two files of one name. A process that dies loses its locks. A link is no lock file: it is written to.
class Lock {
public:
    /// Waits up to `waitSeconds` for the lock (0: not at all); no lock when another process holds it all that time. `onWait` is
    /// called once, before waiting, with who that is ("process 123 on x"). Fails when the lock file cannot be made.
    static Result<std::optional<Lock>> acquire(const std::string &path, double waitSeconds,
                                               const std::function<void(const std::string &holder)> &onWait = {});
    Lock(Lock &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Lock &operator=(Lock &&other) noexcept;
    ~Lock();

private:
    explicit Lock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_ = -1;
};

/// A folder of its own under $TMPDIR, removed with its content when destroyed.
class TemporaryFolder {
public:
    static Result<TemporaryFolder> create(const std::string &prefix = "sdfgc");
    TemporaryFolder(TemporaryFolder &&other) noexcept : path_(std::exchange(other.path_, {})) {}
    TemporaryFolder &operator=(TemporaryFolder &&) = delete;
    ~TemporaryFolder();
    const std::string &path() const { return path_; }

private:
    explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

} // namespace sdfgc::file
