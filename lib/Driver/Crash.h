// Information for crash reports, prepared in advance: a signal handler may neither allocate nor print through streams.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::driver::crash {

/// The current activity of sdfgc, for the message: `reading the graph`, `running the pass infer-types`.
void setActivity(std::string_view text);
std::string activity();
/// The file that is being compiled; a reproducer contains a copy of it.
void setInput(std::string_view path);

/// The passes of the run in their text form, for `command.txt`.
void setPasses(std::string_view text);
/// Arguments with which another sdfgc recreates the current graph, before the next step; `-o FILE` is appended. Empty if the graph
/// is the input. A reproducer then contains that graph as `before.sdfg`.
void setReplay(const std::vector<std::string> &arguments);
/// The program used for replay; this one, unless a test sets another.
void setReplayProgram(std::string_view path);

/// Writes a folder with the command line (`command.txt`), a copy of the input and the graph before the failed step, and returns its
/// path; "(not written)" on failure. Only uses async-signal-safe functions.
const char *writeReproducer();

} // namespace sdfgc::driver::crash
