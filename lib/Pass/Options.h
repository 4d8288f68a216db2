// Options of a step as text, checked against the row of the pass: shared by the YAML and the text form of pipelines.
#pragma once

#include "sdfgc/Pass/Pipeline.h"

namespace sdfgc::pass {

/// The pass with that name; if it is unknown, reports this at `place` and returns null.
const PassInfo *findPass(const Registry &r, std::string_view name, const diag::Location &place, diag::Engine &d);

/// Adds option `key` with the value written as `text` to the step. Reports, at `place`, an unknown option, a duplicate option and a
/// value of the wrong type; returns whether it was added.
bool addOption(PipelineStep &step, const PassInfo &pass, const std::string &key, const std::string &text,
               const diag::Location &place, diag::Engine &d);

/// Copies values to options that belong to another pass (OptionInfo::of) from the nearest step of that pass: the next one, or the
/// last one before.
void shareOptions(Pipeline &p, const Registry &r);

/// The word that opens a group.
constexpr std::string_view groupWord = "fixed-point";
/// Reads the limit of a group; reports anything but a positive integer.
bool readLimit(Group &group, const std::string &text, const diag::Location &place, diag::Engine &d);
/// Adds a property to a condition; for an unknown one, reports this with the most similar name.
bool addProperty(GraphCondition &c, const std::string &property, const diag::Location &place, diag::Engine &d);

} // namespace sdfgc::pass
