// Files: complete reads, atomic writes, locks between processes.
//
// A failure names the file and the system's message: "cannot write /a/b.cpp: No space left on device". Paths are used
// unchanged, relative to the current folder. Nothing here throws.
#pragma once

#include "sdfgc/Support/Result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::file {

/// Reads a regular file or a pipe entirely. Fails for a folder and for more than `maxBytes`.
Result<std::string> read(const std::string &path, std::uint64_t maxBytes = UINT64_MAX);

/// The same for regular files and links to them only: for paths that do not come from a user, but from a file or a
/// folder that may belong to someone else. A pipe could block the reader forever, and a device has no end.
Result<std::string> readRegular(const std::string &path, std::uint64_t maxBytes = UINT64_MAX);

/// Writes `content` under a temporary name in the same folder and renames it, so `path` always has either the old or
/// the new content. Not flushed to disk: a power failure may lose the file, a killed process does not. Keeps the mode
/// of an existing file. Removes the temporary file on failure. A path from a user may be a link: the link stays and its
/// target is replaced; devices and pipes are written directly. In folders owned by sdfgc, a link leads to foreign
/// files, so the link itself is replaced.
enum class Links : bool { Follow, Replace };
Result<void> writeAtomic(const std::string &path, std::string_view content, Links links = Links::Follow);

/// Like writeAtomic, but does not touch a file that already has this content. Returns whether it wrote.
Result<bool> writeIfChanged(const std::string &path, std::string_view content, Links links = Links::Follow);

/// Returns a name in the folder of `path` for a file that will be renamed to it: `.NAME.tmp-PID-COUNT`.
std::string temporaryName(const std::string &path);
/// Removes temporary files that killed runs left in this folder. Call it while holding the folder's lock or, for a
/// folder without a lock, with an age in seconds that excludes files of live runs.
void removeTemporaries(const std::string &folder, double olderThan = 0);
/// Atomically replaces `to` with `from`.
Result<void> rename(const std::string &from, const std::string &to);

/// Sets the time stamp of a file to the current time.
Result<void> touch(const std::string &path);

/// Creates a folder and its parents; succeeds if it exists.
Result<void> makeFolder(const std::string &path);
/// The same for `root/below`. Fails if a component of `below` is a link, which would lead elsewhere.
Result<void> makeFolderInside(const std::string &root, const std::string &below);
/// Removes a file, or a folder with its contents, without following links; succeeds if it does not exist. Rejects the
/// root, the current folder and an empty path.
Result<void> removeTree(const std::string &path);
/// Lists the names in a folder, sorted by byte.
Result<std::vector<std::string>> list(const std::string &folder);

/// Distinguishes versions of a file without reading it.
struct Stamp {
    std::uint64_t size = 0;
    std::int64_t modifiedNs = 0;
    std::uint64_t inode = 0;
    bool isFolder = false;
    friend bool operator==(const Stamp &, const Stamp &) = default;
};
/// Returns nothing if the file does not exist or is inaccessible.
std::optional<Stamp> stamp(const std::string &path);
bool exists(const std::string &path);
bool isFolder(const std::string &path);
/// Is the path itself a link, whatever it refers to?
bool isLink(const std::string &path);
bool isExecutable(const std::string &path);

/// Returns `folder/name`, or `name` alone if the folder is empty or `name` is absolute.
std::string join(std::string_view folder, std::string_view name);
/// Returns the part before the last `/`: "" if there is none, "/" for a file in the root.
std::string folderOf(std::string_view path);
/// Returns the part after the last `/`.
std::string nameOf(std::string_view path);
/// Returns the absolute path without `.` and `..`; keeps links.
std::string absolute(const std::string &path);

/// An exclusive lock between processes (flock), held until destroyed. The lock file is never removed, because then two
/// runs could lock two files with the same name. A process that dies releases its locks. The lock file must not be a
/// link, because it is written to.
class Lock {
public:
    /// Waits up to `waitSeconds` for the lock (0: not at all); returns no lock if another process holds it all that
    /// time. Calls `onWait` once before waiting, with the holder ("process 123 on x"). Fails if the lock file cannot be
    /// created.
    static Result<std::optional<Lock>> acquire(const std::string &path, double waitSeconds,
                                               const std::function<void(const std::string &holder)> &onWait = {});
    Lock(Lock &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Lock &operator=(Lock &&other) noexcept;
    ~Lock();

private:
    explicit Lock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_ = -1;
};

/// A new folder under $TMPDIR, removed with its contents on destruction.
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
