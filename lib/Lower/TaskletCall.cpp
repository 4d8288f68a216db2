// C++ tasklets that are one call of BLAS or LAPACK.
#include "TaskletCall.h"

#include "Elements.h"
#include "TaskletText.h"

#include "sdfgc/Support/CppWords.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

namespace {

/// The text without blanks at its ends.
std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blank);
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin, text.find_last_not_of(blank) + 1 - begin);
}

/// The function of `f(...);` or `x = f(...);`; empty for other text.
std::string_view calledFunction(std::string_view text) {
    text = trimmed(text);
    if (text.size() < 3 || text.substr(text.size() - 2) != ");" || text.find(';') != text.size() - 1 ||
        text.find_first_of("{}[]\"#?\\") != std::string_view::npos || text.find("//") != std::string_view::npos ||
        text.find("/*") != std::string_view::npos)
        return {};
    std::string_view head = text.substr(0, text.find('('));
    if (const std::size_t assign = head.find('='); assign != std::string_view::npos) {
        const std::string_view target = trimmed(head.substr(0, assign));
        if (target.empty() || !std::all_of(target.begin(), target.end(), isCppWord))
            return {};
        head = trimmed(head.substr(assign + 1));
    }
    // One call: its parenthesis closes at the end.
    int depth = 0;
    for (std::size_t i = text.find('('); i + 1 < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0 && i + 2 != text.size())
            return {};
    }
    auto isName = [](char c) { return isCppWord(c) || std::string_view(".->:<").find(c) != std::string_view::npos; };
    return std::all_of(head.begin(), head.end(), isName) ? head : std::string_view();
}

} // namespace

bool isPlainCall(const Instance &in, const ir::Tasklet &t, const TaskletConnections &connections) {
    const std::string_view function = calledFunction(t.code.text);
    if (!platform::environmentOfCall(function)) // whose functions take their arguments by value
        return false;
    if (!in.module().globalCode.empty() || !t.codeGlobal.empty()) // may define macros of that name
        return false;
    auto plain = [](const Connection &c) { return c.place.valid() && !c.stream && !c.setsReference && !c.dynamic && !c.wcr; };
    auto sameType = [](const Connection &c) { return c.pointer || c.type == c.place.type; };
    auto all = [&](const std::vector<Connection> &list) {
        return std::all_of(list.begin(), list.end(), [&](const Connection &c) { return plain(c) && sameType(c); });
    };
    return all(connections.inputs) && all(connections.outputs);
}

void plainCall(Instance &in, const ir::Tasklet &t, const TaskletConnections &connections, Block &out) {
    auto raw = std::make_unique<RawTasklet>();
    raw->comment = "tasklet " + t.label;
    raw->text = taskletText(in, t, std::string(trimmed(t.code.text)));
    raw->inPlace = true;
    const bool readsOnly = platform::environmentOfCall(calledFunction(t.code.text))->inputs == platform::Environment::Inputs::Const;
    std::set<Name> connectors;
    auto bind = [&](const Connection &c, bool input) {
        if (!connectors.insert(c.conn).second)
            return;
        using Form = RawTasklet::Binding::Form;
        RawTasklet::Binding b;
        b.name = c.conn;
        b.type = c.type;
        b.form = c.pointer ? Form::Pointer : input ? Form::Value : Form::Uninitialised;
        b.ref = c.pointer ? addressAt(in, c.place, c.start) : elementAt(in, c.place, c.start);
        if (c.pointer && c.type != c.place.type)
            in.function().refs[b.ref].castTo = c.type;
        b.isConst = in.function().vars[c.place.var].isConst || (input && readsOnly);
        raw->bindings.push_back(std::move(b));
    };
    for (const Connection &c : connections.inputs)
        bind(c, !connections.output(c.conn));
    for (const Connection &c : connections.outputs)
        bind(c, false);
    for (Name s : symbolsIn(in, t, connectors)) {
        RawTasklet::Binding b;
        b.name = s;
        b.type = in.symbolTypes[s];
        b.form = RawTasklet::Binding::Symbol;
        b.isConst = true;
        b.symbol = in.symbols[s];
        raw->bindings.push_back(std::move(b));
    }
    out.body.push_back(std::move(raw));
}

} // namespace sdfgc::tree::lowering
