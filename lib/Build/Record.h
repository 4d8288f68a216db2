// What the last build in a folder did, and whether that still holds.
#pragma once

#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Hash.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sdfgc::build {

/// One file that a command read. `hash` is empty for files outside the build folder: they are compared by stamp alone.
struct Input {
    std::string path; // as the compiler named it: relative to the folder, or absolute
    std::string stamp, hash;
};

/// One command that succeeded: what it was, what it read, what it wrote.
struct Step {
    std::string key; // command line, compiler, machine
    std::vector<Input> inputs;
    std::string outputStamp;
};

struct Record {
    std::map<std::string, Step> steps; // by output, relative to the folder
};

/// The record in a file; an empty one when it is absent or damaged.
Record readRecord(const std::string &path);
Result<void> writeRecord(const std::string &path, const Record &record);

std::string stampText(const std::optional<file::Stamp> &stamp);

/// Describes a file that a command read which began at `startNs` (wall clock). A file that changed since is described so that it
/// never matches: it is not known which version was read.
Input describeInput(const std::string &folder, const std::string &path, std::int64_t startNs);

enum class Freshness { Current, Touched, Stale };
/// Whether the files that a step read are still the same. Touched: yes, but time stamps differ; they are then brought up to date in
/// `step`.
Freshness checkInputs(const std::string &folder, Step &step);
/// Whether a recorded step would do the same again and its output is the one that it wrote. Touched as above.
Freshness check(const std::string &folder, const std::string &output, Step &step, const std::string &key);

} // namespace sdfgc::build
