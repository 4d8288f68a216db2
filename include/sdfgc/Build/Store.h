// A store of results in a folder: objects that programs share, and finished builds (Finished.h). Users, machines and
// concurrent runs may share the folder.
//
// An entry is one file, `<2 digits>/<key>-<version>`, and its first line has the size and a checksum of the rest.
//   Publication: the file is written under a temporary name and renamed, so readers see all of it or nothing.
//   Reading:     an entry whose size or checksum is wrong is removed, and counts as absent.
//   Versions:    the key says what a run knows before it works: the command, the program, the options. A version holds
//                the files that the work turned out to depend on, with their contents. find() takes the newest version
//                whose files are unchanged; a key has at most kVersions.
//   Bound:       publish() removes the least recently used entries beyond a number of bytes, and those that are too
//                old. Readers that have opened a removed entry still read all of it.
//   Users:       subfolders get the permissions of the folder, so a folder that several users may write is shared by them.
//   Trust:       checksums detect damage, not malice: whoever can write to the folder decides what others link.
#pragma once

#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Json.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sdfgc::build {

/// A file that a command read. For files outside the build folder, a record has no hash: they are compared by time stamp.
struct Input {
    std::string path; // as the compiler named it: relative to the folder, or absolute
    std::string stamp, hash;
};

struct StoredFile {
    std::string path, content;
    bool isProgram = false; // with permission to execute
};

struct Entry {
    std::vector<Input> inputs; // what the result depends on in addition to the key
    json::Value about;         // facts for the owner of the store
    std::vector<StoredFile> files;
};

/// What a store contains.
struct StoreUse {
    std::size_t entries = 0;
    std::uint64_t bytes = 0;
    std::int64_t oldestNs = 0; // when the least recently used entry was used; 0: there is none
};

class Store {
public:
    struct Limits {
        std::uint64_t bytes = 0; // 0: no limit
        std::int64_t ageNs = 0;  // since the last use; 0: no limit
    };
    static constexpr std::size_t kVersions = 8;

    /// `folder` is created by the first publication. An empty name is a store that never has anything.
    Store(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}

    /// Returns the newest version for which `holds` returns true, and marks it as used. `damaged`, if given, receives
    /// the names of entries with wrong checksums. Never waits, whatever is in the folder, and follows no links.
    std::optional<Entry> find(const std::string &key, const std::function<bool(Entry &)> &holds,
                              std::vector<std::string> *damaged = nullptr) const;

    /// Adds a version, or replaces the one with the same inputs. Fails if the folder cannot be written or if the entry
    /// alone exceeds the limit; the store is then as before.
    Result<void> publish(const std::string &key, const Entry &entry) const;

    /// Takes the lock of a key, so that concurrent runs do its work once. Arguments and result are those of
    /// file::Lock::acquire; the lock of a process that died is free. Fails if the folder cannot be written.
    Result<std::optional<file::Lock>> lock(const std::string &key, double waitSeconds,
                                           const std::function<void(const std::string &holder)> &onWait) const;
    /// Gives a lock back and removes its file.
    void unlock(const std::string &key, file::Lock lock) const;

    StoreUse use() const;
    /// Removes all entries, and the folder if nothing else is in it. Returns the number of entries.
    std::size_t clear() const;

    const std::string &folder() const { return folder_; }

private:
    struct Kept;
    std::string shard(const std::string &key) const;
    Result<void> makeShard(const std::string &key) const;
    std::vector<Kept> contents() const;
    void prune() const;

    std::string folder_;
    Limits limits_;
};

/// Is a file unchanged, by its stamp or else by its content? Updates the stamp if only that differs. `path`: where the
/// file is on this machine.
bool isUnchanged(Input &input, const std::string &path);

} // namespace sdfgc::build
