// What is needed to report a crash, kept ready while all is well: a signal handler may neither allocate nor print through streams.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::driver::crash {

/// What sdfgc is doing, for the message: `reading the graph`, `running the pass infer-types`.
void setActivity(std::string_view text);
std::string activity();
/// The file that is being compiled; a reproducer holds a copy of it.
void setInput(std::string_view path);

/// The passes of the run in their text form, for `command.txt`.
void setPasses(std::string_view text);
/// How another sdfgc makes the graph as it is now, before what comes next: the arguments, after which `-o FILE` is added. Empty:
/// it is the input. A reproducer then holds that graph as `before.sdfg`.
void setReplay(const std::vector<std::string> &arguments);
/// The program that replays; this one unless a test says otherwise.
void setReplayProgram(std::string_view path);

/// Writes a folder with the command line (`command.txt`), a copy of the input and the graph before the step that failed, and
/// returns its path; "(not written)" on failure. Uses only functions that a signal handler may call.
const char *writeReproducer();

} // namespace sdfgc::driver::crash
