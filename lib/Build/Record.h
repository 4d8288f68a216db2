// The record of the last build in a folder, and checks whether it is still valid.
#pragma once

#include "sdfgc/Build/Store.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Hash.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sdfgc::build {

/// A successful command with its inputs and output.
struct RecordedStep {
    std::string key; // command line, compiler, machine
    std::vector<Input> inputs;
    std::string outputStamp;
};

struct Record {
    std::map<std::string, RecordedStep> steps; // by output, relative to the folder
};

/// The record in a file; empty if the file is missing or damaged.
Record readRecord(const std::string &path);
Result<void> writeRecord(const std::string &path, const Record &record);

std::string stampText(const std::optional<file::Stamp> &stamp);

/// Describes a file read by a command that began at `startNs` (wall clock). A file that has changed since then is described so that
/// it never matches, because it is unknown which version was read.
Input describeInput(const std::string &folder, const std::string &path, std::int64_t startNs);

enum class Freshness { Current, Touched, Stale };
/// Are the files that a step read unchanged? Touched: yes, but time stamps differ; these are updated in `step`.
Freshness checkInputs(const std::string &folder, RecordedStep &step);
/// Would a recorded step do the same again, and is its output the one that it wrote? Touched as above.
Freshness check(const std::string &folder, const std::string &output, RecordedStep &step, const std::string &key);

} // namespace sdfgc::build
