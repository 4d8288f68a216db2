// A single command: description, search on PATH, start and end of a child. ProcessSet.cpp watches several.
#include "sdfgc/Support/Process.h"

#include "sdfgc/Support/File.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace sdfgc::process {

std::string Outcome::describe() const {
    if (!started)
        return error;
    if (timedOut)
        return "it took longer than the limit and was ended after " + std::to_string(static_cast<long>(seconds + 0.5)) + " s";
    if (signal)
        return "ended by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
    return "exit status " + std::to_string(exitCode);
}

std::string find(const std::string &program) {
    if (program.empty())
        return {};
    if (program.find('/') != std::string::npos)
        return file::isExecutable(program) ? program : std::string();
    const char *variable = std::getenv("PATH");
    std::string_view folders = variable ? variable : "/usr/local/bin:/usr/bin:/bin";
    while (true) {
        const std::size_t end = folders.find(':');
        const std::string candidate = file::join(folders.substr(0, end), program);
        // An empty entry means the current folder; programs there only run if they are requested by path.
        if (candidate.find('/') != std::string::npos && file::isExecutable(candidate))
            return candidate;
        if (end == std::string_view::npos)
            return {};
        folders.remove_prefix(end + 1);
    }
}

std::string quoted(const std::vector<std::string> &argv) {
    auto isPlain = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               std::string_view("_-+=./,:@%").find(c) != std::string_view::npos;
    };
    std::string out;
    for (const std::string &arg : argv) {
        if (!out.empty())
            out += ' ';
        bool plain = !arg.empty();
        for (const char c : arg)
            plain = plain && isPlain(c);
        if (plain) {
            out += arg;
            continue;
        }
        out += '\'';
        for (const char c : arg)
            out += c == '\'' ? std::string("'\\''") : std::string(1, c);
        out += '\'';
    }
    return out;
}

Outcome run(const Command &command, const Limits &limits) {
    Set set;
    set.start(0, command, limits);
    while (!Set::interrupted())
        if (std::vector<Set::Finished> finished = set.wait(); !finished.empty())
            return std::move(finished.front().outcome);
    set.killAll();
    Outcome outcome;
    outcome.started = true;
    outcome.signal = Set::interrupted();
    return outcome;
}

} // namespace sdfgc::process
