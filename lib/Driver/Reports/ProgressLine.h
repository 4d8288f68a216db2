// Progress of a long search or comparison: a replaceable line on a terminal, separate lines with -v, and nothing in pipes.
#pragma once

#include "Driver/Session.h"

#include <functional>
#include <string>

namespace sdfgc::driver {

class ProgressLine {
public:
    explicit ProgressLine(Session &session);
    /// Removes the line.
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine &) = delete;

    /// The current activity; only shown on a terminal.
    void show(const std::string &text);
    /// A completed activity with its reason; also shown with -v.
    void done(const std::string &text);
    /// Must be called before anything else is printed.
    void clear();

    /// For validate::ValidateOptions; the line must outlive the function's user.
    std::function<void(const std::string &, bool)> toValidation() {
        return [this](const std::string &text, bool isDone) { isDone ? done(text) : show(text); };
    }

private:
    Session &session_;
    bool onTerminal_, shown_ = false;
};

} // namespace sdfgc::driver
