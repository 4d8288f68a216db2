// How far a long search or comparison is: a line on a terminal that is replaced by the next one, a line each with -v, and nothing in pipes.
#pragma once

#include "Driver/Session.h"

#include <functional>
#include <string>

namespace sdfgc::driver {

class ProgressLine {
public:
    explicit ProgressLine(Session &session);
    /// Takes the line away.
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine &) = delete;

    /// What is being done: on a terminal alone.
    void show(const std::string &text);
    /// What was done, and why: also with -v.
    void done(const std::string &text);
    /// Call it before anything else is printed.
    void clear();

    /// For validate::ValidateOptions; the line must outlive what it is given to.
    std::function<void(const std::string &, bool)> toValidation() {
        return [this](const std::string &text, bool isDone) { isDone ? done(text) : show(text); };
    }

private:
    Session &session_;
    bool onTerminal_, shown_ = false;
};

} // namespace sdfgc::driver
