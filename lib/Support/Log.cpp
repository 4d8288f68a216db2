#include "sdfgc/Support/Log.h"

#include <fmt/format.h>
#include <ostream>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

namespace sdfgc {
namespace {

spdlog::level::level_enum levelOf(Log::Level level) {
    switch (level) {
    case Log::Level::Debug:
        return spdlog::level::debug;
    case Log::Level::Info:
        return spdlog::level::info;
    case Log::Level::Result:
        return spdlog::level::warn;
    case Log::Level::Off:
        break;
    }
    return spdlog::level::off;
}

} // namespace

Log::Log(std::ostream &out, Level level) : level_(level) {
    if (level == Level::Off)
        return;
    logger_ = std::make_unique<spdlog::logger>("sdfgc", std::make_shared<spdlog::sinks::ostream_sink_st>(out, true));
    logger_->set_level(levelOf(level));
    logger_->set_pattern(level == Level::Debug ? "%n: %v (+%o ms)" : "%n: %v");
}
Log::~Log() = default;

void Log::write(Level level, fmt::string_view format, fmt::format_args args) {
    if (has(level))
        logger_->log(levelOf(level), fmt::vformat(format, args));
}

} // namespace sdfgc
