// Hints for users who pass sdfgc a Python program, a folder or any other file instead of a graph.
#include "WrongInput.h"

#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Text.h"

#include <algorithm>
#include <vector>

namespace sdfgc::serialize {
namespace {

constexpr std::string_view anyProgram =
    "sdfgc compiles the graphs that DaCe makes from Python programs. This one writes prog.sdfg:\n"
    "  import dace\n"
    "  N = dace.symbol('N')\n"
    "  @dace.program\n"
    "  def prog(A: dace.float64[N], B: dace.float64[N]):\n"
    "      B[:] = 2 * A + 1\n"
    "  prog.to_sdfg().save('prog.sdfg')\n"
    "Run it with python3, then `sdfgc build prog.sdfg`.";

bool isNameCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// `f` of `def f(x):`; empty for any other line.
std::string_view definedBy(std::string_view line) {
    constexpr std::string_view keyword = "def ";
    if (!line.starts_with(keyword))
        return {};
    line = sdfgc::text::trimmed(line.substr(keyword.size()));
    std::size_t length = 0;
    while (length < line.size() && isNameCharacter(line[length]))
        ++length;
    return line.substr(0, length);
}

/// Is the line `@dace.program`, or the same under another name of the module, with or without options?
bool marksProgram(std::string_view line) {
    if (!line.starts_with('@'))
        return false;
    const std::string_view name = line.substr(1, line.find_first_of("( \t\r#", 1) - 1);
    return name == "program" || name.ends_with(".program");
}

/// The functions that a Python text declares as DaCe programs.
std::vector<std::string> programsOf(std::string_view text) {
    std::vector<std::string> names;
    for (bool marked = false; !text.empty();) {
        const std::size_t end = text.find('\n');
        const std::string_view line = sdfgc::text::trimmed(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const std::string_view name = definedBy(line);
        if (marked && !name.empty())
            names.emplace_back(name);
        // Other decorators and comments may come between the two.
        marked = marksProgram(line) || (marked && (line.starts_with('@') || line.starts_with('#')));
    }
    return names;
}

} // namespace

std::string hintForNoGraph(std::string_view name, std::string_view text) {
    const std::string_view content = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (content.empty() || content[0] == '\x80')
        return {};
    const std::vector<std::string> programs = programsOf(text);
    if (programs.empty())
        return std::string(anyProgram);
    const std::string source = name.ends_with(".py") ? file::nameOf(name) : "the program";
    if (text.find(".to_sdfg(") != std::string_view::npos && text.find(".save(") != std::string_view::npos)
        return "sdfgc compiles the graph that " + source +
               " saves: run it with python3, then give sdfgc the `.sdfg` file that it writes";
    std::string out = "sdfgc compiles the graph of a program. Add to " + source + ", outside of functions:";
    for (const std::string &program : programs)
        out += "\n  " + program + ".to_sdfg().save('" + program + ".sdfg')";
    return out + "\nRun it with python3, then `sdfgc build " + programs.front() + ".sdfg`.";
}

std::string hintForUnreadable(const std::string &path) {
    if (file::isFolder(path)) {
        const std::string graph = file::join(path, "program.sdfg");
        return file::exists(graph) ? "this is a build folder; its graph is `" + graph + "`"
                                   : "give a graph, which DaCe writes with `.save('prog.sdfg')`; `sdfgc explain SD1002` shows how";
    }
    for (const char *suffix : {".sdfg", ".sdfgz", ".sdfgt"})
        if (const std::string longer = path + suffix; file::exists(longer))
            return "did you mean `" + longer + "`?";
    return {};
}

} // namespace sdfgc::serialize
