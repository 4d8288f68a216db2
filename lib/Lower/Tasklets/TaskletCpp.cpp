// C++ tasklets: the text as written, with a variable for each connector.
#include "TaskletCpp.h"

#include "Lower/Memory/Elements.h"
#include "TaskletStores.h"
#include "TaskletText.h"

#include "sdfgc/Support/CppWords.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

namespace {

/// One C++ tasklet with its preceding declarations and following stores.
class CppTasklet {
public:
    CppTasklet(Instance &in, const ir::Tasklet &t, TaskletConnections &connections)
        : in_(in), t_(t), connections_(connections), outer_(std::make_unique<Block>()), raw_(std::make_unique<RawTasklet>()) {}
    /// Adds it to `out`.
    void lower(Block &out);

private:
    /// A variable of the declared type for a symbol, if the function's variable has another type or name.
    void bindSymbol(Name s);
    /// The variable of a connector.
    void bindConnector(const Connection &c, bool input);
    /// The variable of an output, and the store from it.
    void bindOutput(Connection &c);
    /// The expression with only variables that no declaration of the text shadows: shadowed ones get another name before the text.
    sym::Expr unhidden(sym::Expr e);
    MemoryPlace unhidden(const MemoryPlace &p);
    /// Another name for the memory of a variable whose own name is about to be shadowed.
    MemoryPlace aliasPlace(const MemoryPlace &p);
    /// Connectors that the text does not mention need no variable. This is unknown if the user may have defined macros.
    void dropUnused();

    Instance &in_;
    const ir::Tasklet &t_;
    TaskletConnections &connections_;
    std::unique_ptr<Block> outer_; // other names of variables, then the tasklet
    std::unique_ptr<RawTasklet> raw_;
    Block after_;                       // stores
    std::set<Name> taken_;              // names declared before the text
    std::map<Name, sym::Expr> aliases_; // variables of those names -> their other names
};

void CppTasklet::lower(Block &out) {
    in_.module().rawCpp = true;
    in_.fn->names.open();
    raw_->comment = "tasklet " + t_.label;
    raw_->text = taskletText(in_, t_, t_.code.text());
    for (const auto *list : {&connections_.inputs, &connections_.outputs})
        for (const Connection &c : *list)
            taken_.insert(c.conn);
    const std::vector<Name> symbols = symbolsIn(in_, t_, taken_);
    taken_.insert(symbols.begin(), symbols.end());
    for (Name s : symbols)
        bindSymbol(s);
    for (const Connection &c : connections_.inputs)
        bindConnector(c, true);
    for (Connection &c : connections_.outputs)
        if (!connections_.input(c.conn))
            bindOutput(c);
    raw_->after = std::move(after_.body);
    dropUnused();
    outer_->body.push_back(std::move(raw_));
    in_.fn->names.close();
    if (outer_->body.size() == 1) {
        out.body.push_back(std::move(outer_->body[0]));
    } else {
        outer_->braces = true;
        out.body.push_back(std::move(outer_));
    }
}

void CppTasklet::bindSymbol(Name s) {
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
    b.symbol = unhidden(value);
    raw_->bindings.push_back(std::move(b));
}

void CppTasklet::bindConnector(const Connection &c, bool input) {
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
        const MemoryPlace p = unhidden(c.place);
        const sym::Expr start = unhidden(c.start);
        bool address = b.form == Form::Pointer;
        b.ref = address ? addressAt(in_, p, start) : elementAt(in_, p, start);
        MemRef &r = in_.function().refs[b.ref];
        r.pop = c.stream && b.form == Form::Value;
        if (c.type != p.type && (address || c.type.isVector()))
            r.castTo = c.type;
        b.isConst = p.var && in_.function().vars[p.var].isConst;
    }
    raw_->bindings.push_back(std::move(b));
}

void CppTasklet::bindOutput(Connection &c) {
    bindConnector(c, false);
    c.place = unhidden(c.place);
    c.start = unhidden(c.start);
    c.subset = {}; // checked before the text, whose names shadow others
    if (!c.pointer && !c.stream)
        store(in_, c, c.conn, after_);
    else if (c.setsReference)
        storeValue(in_, c, nullptr, py::name(c.conn), VarId(), after_);
}

sym::Expr CppTasklet::unhidden(sym::Expr e) {
    for (Name n : e.freeSymbols())
        if (taken_.count(n) && !aliases_.count(n)) {
            Type t = in_.fn->facts.count(n) ? in_.fn->facts[n].type : Type(ScalarKind::Int64);
            VarId v = in_.declareValue(n, t ? t : Type(ScalarKind::Int64), true);
            outer_->add<Declare>(v)->init = py::name(n, t);
            aliases_[n] = sym::Expr::symbol(in_.varName(v));
        }
    return sym::substitute(e, aliases_);
}

MemoryPlace CppTasklet::unhidden(const MemoryPlace &p) { return p.var && taken_.count(in_.varName(p.var)) ? aliasPlace(p) : p; }

MemoryPlace CppTasklet::aliasPlace(const MemoryPlace &p) {
    const Variable &old = in_.function().vars[p.var];
    Variable v;
    v.type = old.type;
    v.isConst = old.isConst;
    v.kind = old.kind == VarKind::Value || old.kind == VarKind::Reference ? VarKind::Reference
             : old.kind == VarKind::Stream                                ? VarKind::StreamRef
                                                                          : VarKind::Pointer;
    bool address = v.kind == VarKind::Pointer;
    v.name = in_.fn->names.declare(old.name);
    VarId id = in_.function().vars.add(std::move(v));
    MemoryPlace base = p;
    RefId target = address ? addressAt(in_, base, 0) : elementAt(in_, base, 0);
    outer_->add<Declare>(id)->target = target;
    MemoryPlace alias = p;
    alias.var = id;
    return alias;
}

void CppTasklet::dropUnused() {
    using Form = RawTasklet::Binding::Form;
    auto directive = [](const std::string &text) { return text.find('#') != std::string::npos; };
    const bool macros =
        directive(raw_->text) || std::any_of(in_.module().globalCode.begin(), in_.module().globalCode.end(), directive);
    std::set<Name> words;
    for (const CppWord &w : cppWords(raw_->text))
        words.insert(Name(w.text));
    auto pops = [&](const RawTasklet::Binding &b) { return b.ref && in_.function().refs[b.ref].pop; };
    for (RawTasklet::Binding &b : raw_->bindings)
        b.unused = b.form != Form::Uninitialised && !words.count(b.name);
    if (!macros)
        std::erase_if(raw_->bindings, [&](const RawTasklet::Binding &b) {
            return b.unused && !pops(b) &&
                   std::none_of(connections_.outputs.begin(), connections_.outputs.end(),
                                [&](const Connection &c) { return c.conn == b.name && c.setsReference; });
        });
}

} // namespace

void lowerCpp(Instance &in, const ir::Tasklet &t, TaskletConnections &connections, Block &out) {
    checkPointers(in, connections, out);
    CppTasklet(in, t, connections).lower(out);
}

} // namespace sdfgc::tree::lowering
