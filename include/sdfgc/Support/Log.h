// What sdfgc does, for people who look on: one line each on standard error, by spdlog. Lines have no date, so that two runs can be
// compared; the most detailed log ends each with the milliseconds since the one before. Errors and warnings are diagnostics
// (sdfgc/Diag), never log lines.
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
    /// Debug: what was looked for, found, skipped, and times. Info: what is done. Result: what came out. Each holds the later ones.
    enum class Level { Debug, Info, Result, Off };

    /// Writes lines `sdfgc: TEXT` to `out`, which lives as long as the log, and flushes each.
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
    std::unique_ptr<spdlog::logger> logger_; // none when the level is Off
    Level level_;
};

} // namespace sdfgc
