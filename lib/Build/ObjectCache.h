// Objects of sdfgc's own runtime sources, shared by all build folders of a user: each source is compiled once instead of once per
// program. They are in a Store.
//
// An object is reused if command, compiler and machine (the step's key) are the same, and so is every file that the compiler read:
// files in the build folder are compared by content, others by time stamp. A cache that cannot be read or written is ignored; this
// is not an error. Objects that contain the name of their build folder (debugging information, profiles) are not cached. Objects not
// used for a month are removed, and so are the oldest ones beyond 64 MiB.
#pragma once

#include "Build/Plan.h"
#include "Build/Record.h"

#include <optional>
#include <string>

namespace sdfgc::build {

class ObjectCache {
public:
    /// A folder in `cacheFolder`; empty: no caching.
    explicit ObjectCache(const std::string &cacheFolder);

    /// Writes the object of a step to `output` and returns the names of the files that the compiler read, relative to `buildFolder`
    /// or absolute; nothing if there is no such object.
    std::optional<std::vector<std::string>> fetch(const PlannedStep &step, const std::string &buildFolder,
                                                  const std::string &output) const;

    /// Stores an object that a step has just built. `inputs` are as in the record.
    void store(const PlannedStep &step, const std::vector<Input> &inputs, const std::string &object) const;

private:
    bool keeps(const PlannedStep &step) const;

    Store store_;
};

} // namespace sdfgc::build
