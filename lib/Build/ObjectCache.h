// Objects of sdfgc's own runtime sources, shared by all build folders of a user: such a source is compiled once, not in every
// program's folder.
//
// Rules: an object is used again when command, compiler and machine are the same (the step's key) and every file that the compiler
// read is, too: files of the build folder by content, others by stamp. Its own content is checked by a hash, and files appear whole
// or not at all, so that a damaged or half-written cache is only a cache without that object. A cache that cannot be read or
// written is no cache, and no error. Neither links nor pipes in it are followed or waited for: others may write there, too. Objects that hold the name of their build folder (debugging information, profiles) are not
// kept. What was not used for a month is removed, and the oldest beyond 64 MiB.
#pragma once

#include "Build/Plan.h"
#include "Build/Record.h"

#include <optional>
#include <string>

namespace sdfgc::build {

class ObjectCache {
public:
    /// Below `cacheFolder`; empty: nothing is kept.
    explicit ObjectCache(const std::string &cacheFolder);

    /// Writes the object of a step to `output` and returns the names of the files that the compiler read, relative to
    /// `buildFolder` or absolute; nothing if there is no such object.
    std::optional<std::vector<std::string>> fetch(const PlannedStep &step, const std::string &buildFolder,
                                                  const std::string &output) const;

    /// Keeps an object that a step has just made. `inputs` as the record describes them.
    void store(const PlannedStep &step, const std::vector<Input> &inputs, const std::string &object) const;

private:
    bool keeps(const PlannedStep &step) const;
    std::string path(const std::string &name) const;
    void prune() const;

    std::string folder_; // empty: nothing is kept
};

} // namespace sdfgc::build
