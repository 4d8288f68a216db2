// A build folder while one run works in it (contract C2): ours alone, and nothing half written by a killed run is left in it.
//
// sdfgc keeps its own state in `.sdfgc/` of the folder: the lock, the name of the program, objects, and the record of the last
// build.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Support/File.h"

#include <optional>
#include <string>
#include <vector>

namespace sdfgc::build {

struct FolderOptions {
    double waitSeconds = 600; // for another run that works in the folder
    bool announceWait = true; // one line on standard error before waiting
    /// The graph that the program comes from, as an absolute path, and how it is called in C. Both empty: nobody knows.
    std::string origin, signature;
    /// Files that will be written, relative to the folder.
    std::vector<std::string> files;
};

class Folder {
public:
    /// Makes the folder, takes its lock, claims it for program `name`, removes temporaries of killed runs. Fails with a diagnostic
    /// when it cannot be written, another run keeps it, it belongs to another program, or it holds files that sdfgc did not write
    /// and would overwrite. A program of the same name is another one where neither its graph is the same file nor its C interface
    /// is the same: graphs are edited, and copied.
    static std::optional<Folder> open(const std::string &path, const std::string &name, diag::Engine &diags,
                                      const FolderOptions &options = {});

    /// The graph that the program in a folder was made from, as an absolute path; empty where that is not recorded.
    static std::string origin(const std::string &path);

    const std::string &path() const { return path_; }
    const std::string &name() const { return name_; }
    /// Remembers what the folder holds now: after the sources are written.
    Result<void> noteOrigin(const FolderOptions &options) const;
    /// `.sdfgc/NAME` in the folder.
    std::string statePath(const std::string &name) const;

private:
    Folder(std::string path, std::string name, file::Lock lock)
        : path_(std::move(path)), name_(std::move(name)), lock_(std::move(lock)) {}
    std::string path_, name_;
    file::Lock lock_;
};

} // namespace sdfgc::build
