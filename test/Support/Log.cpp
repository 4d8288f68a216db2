#include "sdfgc/Support/Log.h"

#include <catch2/catch.hpp>

#include <regex>
#include <sstream>

using sdfgc::Log;

namespace {

std::string said(Log::Level level) {
    std::ostringstream out;
    Log log(out, level);
    log.debug("looked for {}", "a");
    log.info("compiling {} of {}", 1, 2);
    log.result("made {{}}");
    return out.str();
}

} // namespace

TEST_CASE("each level of the log holds the later ones") {
    CHECK(said(Log::Level::Info) == "sdfgc: compiling 1 of 2\nsdfgc: made {}\n");
    CHECK(said(Log::Level::Result) == "sdfgc: made {}\n");
    CHECK(said(Log::Level::Off).empty());
}

TEST_CASE("the most detailed log has times") {
    const std::regex lines(
        "sdfgc: looked for a \\(\\+\\d+ ms\\)\nsdfgc: compiling 1 of 2 \\(\\+\\d+ ms\\)\nsdfgc: made \\{\\} \\(\\+\\d+ ms\\)\n");
    CHECK(std::regex_match(said(Log::Level::Debug), lines));
}
