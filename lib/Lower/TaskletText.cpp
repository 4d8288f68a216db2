// C++ tasklets: the text as written, with a variable for each connector.
#include "Tasklets.h"

#include "sdfgc/Analysis/Async.h"
#include "sdfgc/Support/CppWords.h"

#include <algorithm>
#include <cctype>

namespace sdfgc::tree {

namespace {

/// `__state->gpu_context->streams[N]` is a stream of DaCe's numbering: what is queued there takes the tasklet's stream instead.
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

} // namespace

/// The second and later lines of a statement, as far to the left as they all can be moved; one level in where the first line goes
/// on. Text with continued or raw literals, or with directives, stays as it is.
std::string TaskletLowering::withoutMargin(const std::string &text) {
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

/// Code that queues on the device names its stream as DaCe does.
std::string TaskletLowering::onStream(std::string text) const {
    constexpr std::string_view current = "__dace_current_stream";
    nameCurrentStream(text, current);
    std::string out;
    std::size_t done = 0;
    for (const CppWord &w : cppWords(text)) {
        if (w.text != current)
            continue;
        const int number = analysis::streamOf(t_);
        l_.usesStream(in_, number);
        out += text.substr(done, w.at - done) + "__state->gpu.stream(" + std::to_string(number) + ")";
        done = w.at + current.size();
    }
    return out + text.substr(done);
}

void TaskletLowering::cpp() {
    if (isPlainCall())
        return plainCall();
    l_.module_->rawCpp = true;
    auto outer = std::make_unique<tree::Block>();
    in_.fn->names.open();
    auto raw = std::make_unique<RawTasklet>();
    raw->comment = "tasklet " + t_.label;
    raw->text = onStream(withoutMargin(t_.code.text));
    std::set<Name> taken;
    for (const Connection &c : inputs_)
        taken.insert(c.conn);
    for (const Connection &c : outputs_)
        taken.insert(c.conn);
    std::vector<Name> symbols = symbolsIn(t_.code.text, taken);
    taken.insert(symbols.begin(), symbols.end());
    std::map<Name, sym::Expr> aliases;
    for (Name s : symbols)
        bindRawSymbol(s, taken, aliases, *raw, *outer);
    for (Connection &c : inputs_)
        bindRaw(c, true, taken, aliases, *raw, *outer);
    tree::Block after;
    for (Connection &c : outputs_) {
        if (find(inputs_, c.conn))
            continue;
        bindRaw(c, false, taken, aliases, *raw, *outer);
        if (c.place.var && taken.count(l_.varName(in_, c.place.var)))
            c.place = aliasPlace(c.place, *outer);
        c.start = throughAliases(c.start, taken, aliases, *outer);
        if (!c.pointer && !c.stream)
            store(c, c.conn, after);
        else if (c.setsReference)
            storeValue(c, nullptr, py::name(c.conn), VarId(), after);
    }
    raw->after = std::move(after.body);
    dropUnused(*raw);
    outer->body.push_back(std::move(raw));
    in_.fn->names.close();
    if (outer->body.size() == 1) {
        out_->body.push_back(std::move(outer->body[0]));
    } else {
        outer->braces = true;
        out_->body.push_back(std::move(outer));
    }
}

/// Connectors that the text does not mention need no variable; where the user may have defined macros, nobody knows what it
/// mentions.
void TaskletLowering::dropUnused(RawTasklet &raw) {
    using Form = RawTasklet::Binding::Form;
    auto directive = [](const std::string &text) { return text.find('#') != std::string::npos; };
    const bool macros = directive(raw.text) || std::any_of(l_.module_->globalCode.begin(), l_.module_->globalCode.end(), directive);
    std::set<Name> words;
    for (const CppWord &w : cppWords(raw.text))
        words.insert(Name(w.text));
    auto pops = [&](const RawTasklet::Binding &b) { return b.ref && l_.fn(in_).refs[b.ref].pop; };
    for (RawTasklet::Binding &b : raw.bindings)
        b.unused = b.form != Form::Uninitialised && !words.count(b.name);
    if (!macros)
        std::erase_if(raw.bindings, [&](const RawTasklet::Binding &b) {
            return b.unused && !pops(b) && std::none_of(outputs_.begin(), outputs_.end(), [&](const Connection &c) {
                       return c.conn == b.name && c.setsReference;
                   });
        });
}

std::vector<Name> TaskletLowering::symbolsIn(const std::string &text, const std::set<Name> &connectors) const {
    std::vector<Name> found;
    std::set<Name> ignored(t_.ignoredSymbols.begin(), t_.ignoredSymbols.end());
    for (const CppWord &w : cppWords(text)) {
        Name n(w.text);
        if (in_.symbols.count(n) && !connectors.count(n) && !ignored.count(n) &&
            std::find(found.begin(), found.end(), n) == found.end())
            found.push_back(n);
    }
    return found;
}

sym::Expr TaskletLowering::throughAliases(sym::Expr e, const std::set<Name> &taken, std::map<Name, sym::Expr> &aliases,
                                          tree::Block &outer) {
    for (Name n : e.freeSymbols())
        if (taken.count(n) && !aliases.count(n)) {
            Type t = in_.fn->facts.count(n) ? in_.fn->facts[n].type : Type(ScalarKind::Int64);
            VarId v = l_.declareValue(in_, n, t ? t : Type(ScalarKind::Int64), true);
            outer.add<Declare>(v)->init = py::name(n, t);
            aliases[n] = sym::Expr::symbol(l_.varName(in_, v));
        }
    return sym::substitute(e, aliases);
}

void TaskletLowering::bindRawSymbol(Name s, const std::set<Name> &taken, std::map<Name, sym::Expr> &aliases, RawTasklet &raw,
                                    tree::Block &outer) {
    sym::Expr value = in_.symbols[s];
    const Type *declared = in_.g->symbols.find(s);
    Type variable = in_.symbolTypes[s];
    Type type = declared && *declared ? *declared : variable;
    if (type.isCallback() || type.isVoid())
        type = variable;
    bool same = value.isSymbol(s) && type == variable;
    if (same)
        return;
    RawTasklet::Binding b;
    b.name = s;
    b.type = type ? type : Type(ScalarKind::Int64);
    b.form = RawTasklet::Binding::Symbol;
    b.isConst = true;
    b.symbol = throughAliases(value, taken, aliases, outer);
    raw.bindings.push_back(std::move(b));
}

void TaskletLowering::bindRaw(Connection &c, bool input, const std::set<Name> &taken, std::map<Name, sym::Expr> &aliases,
                              RawTasklet &raw, tree::Block &outer) {
    RawTasklet::Binding b;
    b.name = c.conn;
    b.type = c.type;
    using Form = RawTasklet::Binding::Form;
    b.form = c.stream    ? Form::Stream
             : c.pointer ? Form::Pointer
             : input     ? (c.dynamic ? Form::ConstRef : Form::Value)
                         : Form::Uninitialised;
    if (c.stream && input && !c.dynamic && c.single)
        b.form = Form::Value;
    if (c.setsReference)
        b.form = Form::Pointer;
    if (b.form != Form::Uninitialised && !c.setsReference) {
        Place p = c.place;
        if (p.var && taken.count(l_.varName(in_, p.var)))
            p = aliasPlace(p, outer);
        sym::Expr start = throughAliases(c.start, taken, aliases, outer);
        bool address = b.form == Form::Pointer;
        b.ref = address ? l_.addressAt(in_, p, start) : l_.elementAt(in_, p, start);
        MemRef &r = l_.fn(in_).refs[b.ref];
        r.pop = c.stream && b.form == Form::Value;
        if (c.type != p.type && (address || c.type.isVector()))
            r.castTo = c.type;
        b.isConst = p.var && l_.fn(in_).vars[p.var].isConst;
    }
    raw.bindings.push_back(std::move(b));
}

Place TaskletLowering::aliasPlace(const Place &p, tree::Block &outer) {
    const Variable &old = l_.fn(in_).vars[p.var];
    Variable v;
    v.type = old.type;
    v.isConst = old.isConst;
    v.kind = old.kind == VarKind::Value || old.kind == VarKind::Reference ? VarKind::Reference
             : old.kind == VarKind::Stream                                ? VarKind::StreamRef
                                                                          : VarKind::Pointer;
    bool address = v.kind == VarKind::Pointer;
    v.name = in_.fn->names.declare(old.name);
    VarId id = l_.fn(in_).vars.add(std::move(v));
    Place base = p;
    RefId target = address ? l_.addressAt(in_, base, 0) : l_.elementAt(in_, base, 0);
    outer.add<Declare>(id)->target = target;
    Place alias = p;
    alias.var = id;
    return alias;
}

} // namespace sdfgc::tree
