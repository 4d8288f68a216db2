#include "Driver/Reports/ProgressLine.h"

#include <cstdlib>
#include <ostream>
#include <string_view>

namespace sdfgc::driver {

ProgressLine::ProgressLine(Session &session) : session_(session) {
    const char *terminal = std::getenv("TERM");
    const GeneralOptions &o = session.general;
    onTerminal_ = session.environment.errIsTerminal && !o.quiet && o.verbose == 0 && o.diagnostics == DiagnosticForm::Text &&
                  terminal && std::string_view(terminal) != "dumb";
}

void ProgressLine::show(const std::string &text) {
    constexpr std::size_t width = 79; // a longer line would not be replaced entirely
    if (!onTerminal_)
        return;
    session_.environment.err << "\r" << text.substr(0, width) << "\x1b[K" << std::flush;
    shown_ = true;
}

void ProgressLine::done(const std::string &text) {
    show(text);
    session_.log().info("{}", text);
}

void ProgressLine::clear() {
    if (shown_)
        session_.environment.err << "\r\x1b[K" << std::flush;
    shown_ = false;
}

} // namespace sdfgc::driver
