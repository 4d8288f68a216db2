// The progress log of sdfgc: lines on standard error, by spdlog. Lines have no date, so that runs can be compared; the
// most detailed log appends the milliseconds since the previous line. Errors and warnings are diagnostics (sdfgc/Diag),
// never log lines.
#pragma once

#include <fmt/core.h>
#include <iosfwd>
#include <memory>
#include <string_view>

namespace spdlog {
class logger;
}

namespace sdfgc {

class Log {
public:
    /// Debug: lookups, skipped work, times. Info: actions. Result: results. Each level includes the later ones.
    enum class Level { Debug, Info, Result, Off };

    /// Writes lines `sdfgc: TEXT` to `out`, which must outlive the log, and flushes each.
    Log(std::ostream &out, Level level);
    ~Log();
    Log(const Log &) = delete;
    Log &operator=(const Log &) = delete;

    bool has(Level level) const { return level >= level_ && level != Level::Off; }
    template <class... Args> void debug(fmt::format_string<Args...> format, Args &&...args) {
        write(Level::Debug, format, fmt::make_format_args(args...));
    }
    template <class... Args> void info(fmt::format_string<Args...> format, Args &&...args) {
        write(Level::Info, format, fmt::make_format_args(args...));
    }
    template <class... Args> void result(fmt::format_string<Args...> format, Args &&...args) {
        write(Level::Result, format, fmt::make_format_args(args...));
    }

private:
    void write(Level level, fmt::string_view format, fmt::format_args args);
    std::unique_ptr<spdlog::logger> logger_; // null if the level is Off
    Level level_;
};

} // namespace sdfgc
