// C++ tasklets: the text as written, with a variable for each connector.
#include "Tasklets.h"

#include "sdfgc/Analysis/Async.h"

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

/// Code that queues on the device names its stream as DaCe does.
std::string TaskletLowering::onStream(std::string text) const {
    constexpr std::string_view word = "__dace_current_stream";
    nameCurrentStream(text, word);
    std::size_t at = text.find(word);
    if (at == std::string::npos)
        return text;
    const int number = analysis::streamOf(t_);
    l_.usesStream(in_, number);
    const std::string stream = "__state->gpu.stream(" + std::to_string(number) + ")";
    auto isWord = [&](std::size_t i) { return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_'); };
    for (; at != std::string::npos; at = text.find(word, at)) {
        const bool whole = (at == 0 || !isWord(at - 1)) && !isWord(at + word.size());
        if (whole)
            text.replace(at, word.size(), stream);
        at += whole ? stream.size() : word.size();
    }
    return text;
}

void TaskletLowering::cpp() {
    l_.module_->rawCpp = true;
    auto outer = std::make_unique<tree::Block>();
    in_.fn->names.open();
    auto raw = std::make_unique<RawTasklet>();
    raw->comment = "tasklet " + t_.label;
    raw->text = onStream(t_.code.text);
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
        if (c.place.var >= 0 && taken.count(l_.varName(in_, c.place.var)))
            c.place = aliasPlace(c.place, *outer);
        c.start = throughAliases(c.start, taken, aliases, *outer);
        if (!c.pointer && !c.stream)
            store(c, c.conn, after);
        else if (c.setsReference)
            storeValue(c, nullptr, py::name(c.conn), after);
    }
    raw->after = std::move(after.body);
    outer->body.push_back(std::move(raw));
    in_.fn->names.close();
    if (outer->body.size() == 1) {
        out_->body.push_back(std::move(outer->body[0]));
    } else {
        outer->braces = true;
        out_->body.push_back(std::move(outer));
    }
}

std::vector<Name> TaskletLowering::symbolsIn(const std::string &text, const std::set<Name> &connectors) const {
    std::vector<Name> found;
    std::set<Name> ignored(t_.ignoredSymbols.begin(), t_.ignoredSymbols.end());
    for (std::size_t i = 0; i < text.size();) {
        if (!std::isalpha(static_cast<unsigned char>(text[i])) && text[i] != '_') {
            // Digits with suffixes are one token, so that `1e5` has no identifier `e5`.
            bool digit = std::isdigit(static_cast<unsigned char>(text[i]));
            do
                ++i;
            while (digit && i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])));
            continue;
        }
        std::size_t begin = i;
        while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_'))
            ++i;
        Name n(std::string_view(text).substr(begin, i - begin));
        if (in_.symbols.count(n) && !connectors.count(n) && !ignored.count(n) && std::find(found.begin(), found.end(), n) == found.end())
            found.push_back(n);
    }
    return found;
}

sym::Expr TaskletLowering::throughAliases(sym::Expr e, const std::set<Name> &taken, std::map<Name, sym::Expr> &aliases, tree::Block &outer) {
    for (Name n : e.freeSymbols())
        if (taken.count(n) && !aliases.count(n)) {
            Type t = in_.fn->facts.count(n) ? in_.fn->facts[n].type : Type(ScalarKind::Int64);
            VarId v = l_.declareValue(in_, n, t ? t : Type(ScalarKind::Int64), true);
            outer.add<Declare>(v)->init = py::name(n, t);
            aliases[n] = sym::Expr::symbol(l_.varName(in_, v));
        }
    return sym::substitute(e, aliases);
}

void TaskletLowering::bindRawSymbol(Name s, const std::set<Name> &taken, std::map<Name, sym::Expr> &aliases, RawTasklet &raw, tree::Block &outer) {
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

void TaskletLowering::bindRaw(Connection &c, bool input, const std::set<Name> &taken, std::map<Name, sym::Expr> &aliases, RawTasklet &raw, tree::Block &outer) {
    RawTasklet::Binding b;
    b.name = c.conn;
    b.type = c.type;
    using Form = RawTasklet::Binding::Form;
    b.form = c.stream ? Form::Stream : c.pointer ? Form::Pointer : input ? (c.dynamic ? Form::ConstRef : Form::Value) : Form::Uninitialised;
    if (c.stream && input && !c.dynamic && c.single)
        b.form = Form::Value;
    if (c.setsReference)
        b.form = Form::Pointer;
    if (b.form != Form::Uninitialised && !c.setsReference) {
        Place p = c.place;
        if (p.var >= 0 && taken.count(l_.varName(in_, p.var)))
            p = aliasPlace(p, outer);
        sym::Expr start = throughAliases(c.start, taken, aliases, outer);
        bool address = b.form == Form::Pointer;
        b.ref = address ? l_.addressAt(in_, p, start) : l_.elementAt(in_, p, start);
        MemRef &r = l_.fn(in_).refs[static_cast<std::size_t>(b.ref)];
        r.pop = c.stream && b.form == Form::Value;
        if (c.type != p.type && (address || c.type.isVector()))
            r.castTo = c.type;
        b.isConst = p.var >= 0 && l_.fn(in_).vars[static_cast<std::size_t>(p.var)].isConst;
    }
    raw.bindings.push_back(std::move(b));
}

Place TaskletLowering::aliasPlace(const Place &p, tree::Block &outer) {
    const Variable &old = l_.fn(in_).vars[static_cast<std::size_t>(p.var)];
    Variable v;
    v.type = old.type;
    v.isConst = old.isConst;
    v.kind = old.kind == VarKind::Value || old.kind == VarKind::Reference ? VarKind::Reference
             : old.kind == VarKind::Stream                               ? VarKind::StreamRef
                                                                         : VarKind::Pointer;
    bool address = v.kind == VarKind::Pointer;
    v.name = in_.fn->names.declare(old.name);
    VarId id = l_.fn(in_).addVar(std::move(v));
    Place base = p;
    int target = address ? l_.addressAt(in_, base, 0) : l_.elementAt(in_, base, 0);
    outer.add<Declare>(id)->target = target;
    Place alias = p;
    alias.var = id;
    return alias;
}

} // namespace sdfgc::tree
