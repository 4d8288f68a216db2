// Options of a step, as text, against the row of the pass: shared by the YAML and the text form of pipelines.
#pragma once

#include "sdfgc/Pass/Pipeline.h"

namespace sdfgc::pass {

/// The pass of that name; reports an unknown one at `place` and returns null.
const PassInfo *findPass(const Registry &r, std::string_view name, const diag::Location &place, diag::Engine &d);

/// Adds option `key` with the value written as `text` to the step. Reports an unknown option, one that the step has already and a
/// value of another type at `place`; returns whether it was added.
bool addOption(Step &step, const PassInfo &pass, const std::string &key, const std::string &text, const diag::Location &place,
               diag::Engine &d);

/// Gives options that belong to another pass (OptionInfo::of) the values in the nearest step of that pass: the next one, or the
/// last one before.
void shareOptions(Pipeline &p, const Registry &r);

/// The word that opens a group.
constexpr std::string_view groupWord = "fixed-point";
/// Reads the limit of a group; reports what is no whole number from 1 on.
bool readLimit(Group &group, const std::string &text, const diag::Location &place, diag::Engine &d);
/// Adds a property to a condition; reports an unknown one with the nearest.
bool addProperty(GraphCondition &c, const std::string &property, const diag::Location &place, diag::Engine &d);

} // namespace sdfgc::pass
