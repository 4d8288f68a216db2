#include "sdfgc/CodeGen/Levels.h"

#include "sdfgc/CodeGen/Interface.h"
#include "sdfgc/Support/TextWriter.h"

namespace sdfgc::codegen {

using namespace tree;

namespace {

constexpr std::string_view handleName = "__state";

std::vector<std::pair<std::string, std::string>> declared(const std::vector<Param> &params) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const Param &p : params)
        if (!p.onHandle)
            out.emplace_back(cParameter(p), p.cName.str());
    return out;
}

std::string stateOf(const Module &m) { return m.name.str() + "_state_t *"; }

/// `const char *f()`, `void f()`.
std::string withName(const std::string &result, const std::string &name) {
    return result + (result.back() == '*' ? "" : " ") + name;
}

/// Calls `f` with each name of a function and the function itself.
template <class F> void forNames(const std::vector<EntryPoint> &entries, F f) {
    for (const EntryPoint &e : entries) {
        f(e.name, e);
        if (!e.alias.empty())
            f(e.alias, e);
    }
}

} // namespace

std::string EntryPoint::parameterList(const std::string &handle) const {
    std::string text = takesHandle ? handle + std::string(handleName) : "";
    for (const auto &[declaration, name] : parameters)
        text += (text.empty() ? "" : ", ") + declaration;
    return "(" + text + ")";
}

std::string EntryPoint::arguments() const {
    std::string text(takesHandle ? handleName : "");
    for (const auto &[declaration, name] : parameters)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::vector<EntryPoint> entryPoints(const Module &m) {
    const std::string &n = m.name.str();
    std::vector<EntryPoint> out;
    auto add = [&out](const std::string &result, const std::string &name, auto parameters, const std::string &alias = "") {
        out.push_back({result, name, true, std::move(parameters), {}, alias});
    };
    using Parameters = std::vector<std::pair<std::string, std::string>>;
    add(stateOf(m), "__dace_init_" + n, declared(m.init), n + "_initialize");
    out.back().takesHandle = false;
    add("void", "__program_" + n, declared(m.params), n + "_program");
    add("int", "__dace_exit_" + n, Parameters(), n + "_finalize");
    add("int", n + "_error", Parameters());
    add("const char *", n + "_error_message", Parameters());
    for (const Param &p : m.params)
        if (p.onHandle)
            add("int", sizeSetter(m, p), Parameters{{"int64_t value", "value"}});
    if (usesMpi(m)) {
        add("void", n + "_set_communicator", Parameters{{"int handle", "handle"}});
        out.back().takesHandle = false;
    }
    if (m.dataInstrumented)
        add("void", "__dace_set_instrumented_data_report", Parameters{{"const char *folder", "folder"}});
    for (const ir::Storage s : externalStorages(m)) {
        Parameters all = declared(m.init);
        add("size_t", "__dace_get_external_memory_size_" + std::string(ir::name(s)), all);
        all.insert(all.begin(), {"char *memory", "memory"});
        add("void", "__dace_set_external_memory_" + std::string(ir::name(s)), all);
    }
    return out;
}

std::string levelHeader(const Module &m, const std::vector<EntryPoint> &entries) {
    const std::string &n = m.name.str();
    TextWriter w;
    w.wrapAt(lineWidth);
    w.line("// " + n + "_level.h: the functions of program `" + n + "` as compiled for one kind of processor (SDFGC_LEVEL). " + n +
           "_dispatch.cpp");
    w.line("// calls them.");
    w.line("#pragma once");
    w.line();
    w.line("#if defined(SDFGC_LEVEL) || defined(SDFGC_DISPATCH)");
    w.line("#include \"sdfgc/rt/level.h\"");
    w.line();
    w.line("#ifdef SDFGC_LEVEL");
    forNames(entries,
             [&w](const std::string &name, const EntryPoint &) { w.line("#define " + name + " SDFGC_AT_LEVEL(" + name + ")"); });
    w.line("#endif");
    w.line();
    w.line("#include \"" + n + ".h\"");
    w.line();
    w.open("struct " + n + "_level_t : sdfgc::rt::Level");
    for (const EntryPoint &e : entries) // with types of its own, because the header leaves out those that a target adds
        w.line(withName(e.result, "(*call_" + e.name + ")") + e.parameterList(stateOf(m)) + ";");
    w.close(";");
    w.line("#endif");
    return w.take();
}

std::string levelTable(const Module &m, const std::vector<EntryPoint> &entries) {
    const std::string &n = m.name.str();
    TextWriter w;
    w.wrapAt(lineWidth);
    std::string list;
    for (const EntryPoint &e : entries)
        list += ", &" + e.name;
    w.line();
    w.line("#ifdef SDFGC_LEVEL");
    w.line("// These functions, for " + n + "_dispatch.cpp.");
    w.line("static const " + n + "_level_t sdfgc_this_level{SDFGC_THIS_LEVEL" + list + "};");
    w.line("SDFGC_ADD_LEVEL(" + n + ")");
    w.line("#endif");
    return w.take();
}

std::string dispatcher(const Module &m, const std::vector<EntryPoint> &entries) {
    const std::string &n = m.name.str();
    TextWriter w;
    w.wrapAt(lineWidth);
    w.line("// " + n + "_dispatch.cpp: what callers of program `" + n +
           "` enter, written by sdfgc. Each function calls the one that was " + "compiled");
    w.line("// for this processor. This file itself is compiled for every processor.");
    w.line("#define SDFGC_DISPATCH");
    w.line("#include \"sdfgc/rt/dispatch.h\"");
    w.line();
    w.line("#include \"" + n + "_level.h\"");
    w.line();
    w.line("SDFGC_LEVELS(" + n + ")");
    w.line();
    forNames(entries, [&](const std::string &name, const EntryPoint &e) {
        const std::string result = e.result == "void" ? "" : "return ";
        std::string otherwise = "{}";
        if (e.name == n + "_error")
            otherwise = "sdfgc::rt::UnsupportedProcessor";
        else if (e.name == n + "_error_message")
            otherwise = "::sdfgc_levels().message";
        w.open("SDFGC_EXPORT " + withName(e.result, name) + e.parameterList(stateOf(m)));
        w.line("if (const " + n + "_level_t *__level = ::sdfgc_levels().chosen)");
        w.line("    " + result + "__level->call_" + e.name + "(" + e.arguments() + ");");
        if (!result.empty())
            w.line("return " + otherwise + ";");
        w.close();
    });
    return w.take();
}

} // namespace sdfgc::codegen
