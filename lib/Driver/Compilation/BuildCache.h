// --cache: finished builds are taken from a store that folders, users and CI share (build::Store, build/Finished.h), and put there.
//
// The key has everything that decides the result before the program is read: the program (serialize::contentDigest), sdfgc itself, the
// options, the toolchain. An entry lists the files that turned out to matter (pipelines, sdfgc's runtime headers, system headers), and
// the flags of libraries. Its warnings are reported again. Positions in the user's program only count if the library or a warning has
// them: comments in the sources may therefore show the lines of the program that was built first.
//
// Runs that need the same build at the same time wait for one of them, under the lock of the key. No fault of the cache fails a build.
#pragma once

#include "Driver/Compilation/Compilation.h"
#include "sdfgc/Build/Finished.h"
#include "sdfgc/Serialize/Serialize.h"

namespace sdfgc::driver {

/// A build folder that was filled from the cache.
struct Restored {
    std::string folder, name;
    std::vector<std::string> files; // inputs of the result
};

/// The folder of the cache: as given by --cache, else by SDFGC_CACHE; empty: there is none.
std::string cacheFolder(const std::string &given);

class BuildCache {
public:
    /// `folder`: as given by --cache; empty: SDFGC_CACHE. `input`: the path of the program; `output`: the build
    /// folder (empty: ./<name>.build). Nothing if there is no cache, if options
    /// ask for output of the passes, or if the result depends on more than a key can describe.
    static std::unique_ptr<BuildCache> open(Session &s, const std::string &folder, const Compilation &compilation,
                                            const std::string &input, const std::string &output);
    BuildCache(const BuildCache &) = delete;
    ~BuildCache();

    /// Fills the build folder. Nothing if the program has to be compiled, which the other runs that need it wait for, or after errors.
    std::optional<Restored> restore(Session &s);

    /// Stores the build that has just succeeded in `folder`, whose lock is held.
    void store(Session &s, const build::Folder &folder, const package::Files &files, const Compiled &made,
               const std::vector<std::string> &libraries, const build::FolderOptions &options);

private:
    BuildCache(const Compilation &compilation, std::string input, std::string output, build::Store store)
        : compilation_(compilation), input_(std::move(input)), output_(std::move(output)), store_(std::move(store)) {}
    bool makeKey(Session &s);
    bool holds(build::Entry &entry) const;
    std::optional<Restored> fill(Session &s, const build::Entry &entry) const;
    void reportDamaged(Session &s, const std::vector<std::string> &entries) const;

    const Compilation &compilation_;
    std::string input_, output_;
    build::Store store_;
    std::optional<build::Toolchain> toolchain_;
    serialize::ContentDigest content_;
    std::string key_;
    std::optional<file::Lock> lock_; // while this run builds what others may wait for
};

} // namespace sdfgc::driver
