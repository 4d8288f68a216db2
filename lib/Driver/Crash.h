// What is needed to report a crash, kept ready while all is well: a signal handler may neither allocate nor print through streams.
#pragma once

#include <string>
#include <string_view>

namespace sdfgc::driver::crash {

/// What sdfgc is doing, for the message: `reading the graph`, `running the pass infer-types`.
void setActivity(std::string_view text);
std::string activity();
/// The file that is being compiled; a reproducer holds a copy of it.
void setInput(std::string_view path);

/// Writes a folder with the command line (`command.txt`) and a copy of the input, and returns its path; "(not written)" on failure.
/// Uses only functions that a signal handler may call.
const char *writeReproducer();

} // namespace sdfgc::driver::crash
