// The line on a terminal that shows what is being compiled, and all other output of a build.
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

    /// Shows `[1/5] compile f.cpp`, replacing the last one.
    void show(const JobProgress &progress);
    /// Prints permanent text that ends in a newline.
    void print(std::string_view text);

private:
    void clear();
    void write(std::string_view text) const;
    const Options &options_;
    bool onTerminal_, shown_ = false;
};

/// Are commands logged, and is the output of successful compilers printed?
bool isVerbose(const Options &options);

/// Shortens `text` in the middle to fit into `width` columns (as ninja does).
std::string elided(const std::string &text, std::size_t width);

} // namespace sdfgc::build
