#include "Build/Progress.h"

#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

namespace sdfgc::build {
namespace {

std::size_t terminalWidth() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

} // namespace

std::string elided(const std::string &text, std::size_t width) {
    constexpr std::string_view dots = "...";
    if (text.size() <= width)
        return text;
    if (width <= dots.size())
        return text.substr(0, width);
    const std::size_t kept = width - dots.size(), left = kept / 2;
    return text.substr(0, left).append(dots).append(text, text.size() - (kept - left));
}

bool isVerbose(const Options &options) { return options.log && options.log->has(Log::Level::Info); }

Progress::Progress(const Options &options) : options_(options) {
    const char *terminal = std::getenv("TERM");
    onTerminal_ = !options.quiet && !isVerbose(options) && !options.print && ::isatty(STDERR_FILENO) && terminal &&
                  std::string_view(terminal) != "dumb";
}

void Progress::show(const JobProgress &p) {
    if (!onTerminal_)
        return;
    const std::string line = "[" + std::to_string(p.done) + "/" + std::to_string(p.total) + "] " + p.job.title;
    write("\r" + elided(line, terminalWidth() - 1) + "\x1b[K");
    shown_ = true;
}

void Progress::print(std::string_view text) {
    clear();
    write(text);
    if (!text.ends_with('\n'))
        write("\n");
}

void Progress::clear() {
    if (shown_)
        write("\r\x1b[K");
    shown_ = false;
}

void Progress::write(std::string_view text) const {
    if (options_.print)
        options_.print(text);
    else
        std::fwrite(text.data(), 1, text.size(), stderr);
}

} // namespace sdfgc::build
