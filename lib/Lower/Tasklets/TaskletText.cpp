// The text of a C++ tasklet.
#include "TaskletText.h"

#include "sdfgc/Analysis/Device/Async.h"
#include "sdfgc/Support/CppWords.h"

#include <algorithm>
#include <cctype>

namespace sdfgc::tree::lowering {

namespace {

/// `__state->gpu_context->streams[N]` is a stream in DaCe's numbering: work queued there goes to the tasklet's stream instead.
void nameCurrentStream(std::string &text, std::string_view current) {
    constexpr std::string_view list = "__state->gpu_context->streams[";
    for (std::size_t at = text.find(list); at != std::string::npos; at = text.find(list, at)) {
        std::size_t end = at + list.size();
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])))
            ++end;
        if (end < text.size() && text[end] == ']')
            text.replace(at, end + 1 - at, current);
        else
            at = end;
    }
}

/// Moves the second and later lines of a statement left together as far as possible, with one level of indentation if they continue
/// the first line. Text with line continuations, raw literals or directives is left alone.
std::string withoutMargin(const std::string &text) {
    if (text.find('\n') == std::string::npos || text.find("R\"") != std::string::npos || text.find('#') != std::string::npos ||
        text.find("\\\n") != std::string::npos)
        return text;
    std::vector<std::string> lines;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    std::size_t margin = std::string::npos;
    for (std::size_t i = 1; i < lines.size(); ++i)
        margin = std::min(margin, lines[i].find_first_not_of(' '));
    const std::size_t last = lines[0].find_last_not_of(' ');
    const bool goesOn = last != std::string::npos && std::string_view(",(+-*/=&|").find(lines[0][last]) != std::string_view::npos;
    std::string out = lines[0];
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const bool blank = lines[i].find_first_not_of(' ') == std::string::npos;
        out += "\n" + (blank ? "" : (goesOn ? "    " : "") + lines[i].substr(margin));
    }
    return out;
}

/// Code that queues work on the device names its stream as DaCe does.
std::string onStream(const Instance &in, const ir::Tasklet &t, std::string text) {
    constexpr std::string_view current = "__dace_current_stream";
    nameCurrentStream(text, current);
    std::string out;
    std::size_t done = 0;
    for (const CppWord &w : cppWords(text)) {
        if (w.text != current)
            continue;
        const int number = analysis::streamOf(t);
        in.usesStream(number);
        out += text.substr(done, w.at - done) + "__state->gpu.stream(" + std::to_string(number) + ")";
        done = w.at + current.size();
    }
    return out + text.substr(done);
}

} // namespace

std::string taskletText(const Instance &in, const ir::Tasklet &t, const std::string &text) {
    return onStream(in, t, withoutMargin(text));
}

std::vector<Name> symbolsIn(const Instance &in, const ir::Tasklet &t, const std::set<Name> &connectors) {
    std::vector<Name> found;
    std::set<Name> ignored(t.ignoredSymbols.begin(), t.ignoredSymbols.end());
    for (const CppWord &w : cppWords(t.code.text())) {
        Name n(w.text);
        if (in.symbols.count(n) && !connectors.count(n) && !ignored.count(n) &&
            std::find(found.begin(), found.end(), n) == found.end())
            found.push_back(n);
    }
    return found;
}

} // namespace sdfgc::tree::lowering
