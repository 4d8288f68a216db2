// The line on a terminal that says what is being compiled, and everything else that a build prints.
#pragma once

#include "sdfgc/Build/Build.h"
#include "sdfgc/Support/JobRunner.h"

#include <string>
#include <string_view>

namespace sdfgc::build {

class Progress {
public:
    explicit Progress(const Options &options);
    ~Progress() { clear(); }
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;

    /// Shows `[1/5] compile f.cpp`, in place of the last one.
    void show(const JobProgress &progress);
    /// Prints text that stays, ending in a newline.
    void print(std::string_view text);

private:
    void clear();
    void write(std::string_view text) const;
    const Options &options_;
    bool onTerminal_, shown_ = false;
};

/// Are commands logged, and successful compilers heard?
bool isVerbose(const Options &options);

/// Cuts `text` in its middle so that it fits into `width` columns (as ninja does).
std::string elided(const std::string &text, std::size_t width);

} // namespace sdfgc::build
