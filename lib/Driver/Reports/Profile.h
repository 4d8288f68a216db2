// A table of what the elements of a program took, from the reports of its calls.
#pragma once

#include "sdfgc/Support/Json.h"

#include <string>
#include <vector>

namespace sdfgc::driver {

/// One element of a program, per call.
struct ProfileRow {
    std::string element;              // `Map m`, or `Map m (0/1/2)` if others have the name: region, state, node
    int64_t calls = 0;                // executions in one call
    double seconds = 0;               // median over the calls
    double bytes = 0, operations = 0; // 0: unknown
};

/// The rows of several reports of a program, the longest first, and the notes in them.
struct Profile {
    std::vector<ProfileRow> rows;
    double total = 0; // seconds of the program itself in one call
    std::vector<std::string> notes;
    int reports = 0; // calls

    /// Reads the reports in a folder, without the first `skipped` ones.
    static Profile read(const std::string &folder, std::size_t skipped);
    /// The table with a line of titles. Empty without reports.
    std::string text() const;
    json::Value json() const;
};

} // namespace sdfgc::driver
