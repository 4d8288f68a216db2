// A build folder while a run uses it (contract C2): locked, and without partial files of killed runs.
//
// sdfgc keeps its state in the subfolder `.sdfgc/`: the lock, the name of the program, objects, and the record of the
// last build.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Support/File.h"

#include <optional>
#include <string>
#include <vector>

namespace sdfgc::build {

struct FolderOptions {
    double waitSeconds = 600; // to wait for another run that uses the folder
    bool announceWait = true; // one line on standard error before waiting
    /// The absolute path of the program's graph, and the program's C signature. Both may be empty if unknown.
    std::string origin, signature;
    /// Files to be written, relative to the folder.
    std::vector<std::string> files;
};

class Folder {
public:
    /// Creates the folder, takes its lock, claims it for program `name`, and removes temporary files of killed runs.
    /// Fails with a diagnostic if the folder cannot be written, is in use by another run, belongs to another program,
    /// or contains files that sdfgc did not write and would overwrite. A program with the same name counts as another
    /// one only if both its graph's path and its C interface differ, because graphs are edited and copied.
    static std::optional<Folder> open(const std::string &path, const std::string &name, diag::Engine &diags,
                                      const FolderOptions &options = {});

    /// Returns the absolute path of the graph that the program in a folder was made from; empty if not recorded.
    static std::string origin(const std::string &path);

    const std::string &path() const { return path_; }
    const std::string &name() const { return name_; }
    /// Records what the folder contains now. Call it after the sources are written.
    Result<void> noteOrigin(const FolderOptions &options) const;
    /// Returns the path of `.sdfgc/NAME` in the folder.
    std::string statePath(const std::string &name) const;

private:
    Folder(std::string path, std::string name, file::Lock lock)
        : path_(std::move(path)), name_(std::move(name)), lock_(std::move(lock)) {}
    std::string path_, name_;
    file::Lock lock_;
};

} // namespace sdfgc::build
