#include "Targets/Cxx/Emitter.h"

#include "sdfgc/CodeGen/Interface.h"

#include <algorithm>

namespace sdfgc::targets {

using namespace tree;

/// Does the field have memory that the initialiser allocates?
bool CxxEmitter::isBuffer(const StateField &f) { return !f.isScalar && !f.isStream && f.lifetime != ir::Lifetime::External; }

namespace {

/// Does the program itself allocate the memory of the field, where it is needed?
bool isLate(const StateField &f) { return f.count.isZero(); }

} // namespace

std::string CxxEmitter::interface() {
    entries_ = codegen::entryPoints(m_);
    TextWriter w;
    w.wrapAt(codegen::lineWidth);
    const std::string init = codegen::cParameters(m_.init), all = codegen::cParameters(m_.params);
    w.line();
    w.line("// ---- C interface");
    w.line();
    initialise(w, init);
    w.line();
    program(w, all);
    w.line();
    finalise(w);
    external(w, init);
    setters(w);
    further(w);
    aliases(w, init, all);
    return w.take() + codegen::levelTable(m_, entries_);
}

void CxxEmitter::initialise(TextWriter &w, const std::string &init) {
    use("new");
    w.open("SDFGC_EXPORT " + state_ + " *__dace_init_" + name_ + "(" + init + ")");
    const auto allocated = [](const StateField &f) { return isBuffer(f) && !isLate(f); };
    const bool usesMpi = codegen::usesMpi(m_);
    if (m_.initCode.empty() && !hasResources() && !usesMpi && std::none_of(m_.fields.begin(), m_.fields.end(), allocated)) {
        w.line("return new (std::nothrow) " + state_ + "();");
        w.close();
        return;
    }
    w.line("auto *__state = new (std::nothrow) " + state_ + "();");
    w.line("if (!__state)");
    w.line("    return nullptr;");
    if (!m_.initCode.empty())
        w.line("[[maybe_unused]] int __result = 0; // for the code of the user");
    w.open("sdfgc::rt::guard(__state->error, [&]");
    if (usesMpi)
        w.line("__state->mpi.open();");
    acquire(w);
    for (const std::string &code : m_.initCode) {
        w.open();
        w.line(code);
        w.close();
    }
    allocateFields(w);
    w.close(");");
    if (!m_.initCode.empty()) {
        w.line("if (__result != 0)");
        w.line("    __state->error.set(sdfgc::rt::ProgramError, \"the initialisation code of the graph reported a failure\");");
    }
    w.open("if (__state->error.failed())");
    w.line("sdfgc::rt::initialisationError = __state->error;");
    w.line("delete __state;");
    w.line("return nullptr;");
    w.close();
    w.line("return __state;");
    w.close();
}

void CxxEmitter::allocateFields(TextWriter &w) {
    codegen::SymPrinter symbols([this](std::string_view t) { use(t); });
    for (const StateField &f : m_.fields) {
        if (!isBuffer(f) || isLate(f))
            continue;
        const std::string arguments = codegen::allocationArguments(symbols, f.count, f.startOffset, f.alignment);
        w.line("__state->" + f.name.str() + ".allocate(" + arguments + ");");
        if (f.zeroed)
            w.line("__state->" + f.name.str() + ".zero();");
    }
}

void CxxEmitter::program(TextWriter &w, const std::string &all) {
    w.open("SDFGC_EXPORT void __program_" + name_ + "(" + state_ + " *__state" + (all.empty() ? "" : ", " + all) + ")");
    w.line("__state->error.clear();");
    if (m_.instrumented)
        w.line("__state->report.begin();");
    (void)codegen::argumentChecks(m_, codegen::SymPrinter([this](std::string_view t) { use(t); }));
    const std::vector<std::string> lines = checkedCall(beginCall(), endCall());
    if (lines.size() == 1) {
        w.line("sdfgc::rt::guard(__state->error, [&] { " + lines.front() + " });");
    } else {
        use("arguments");
        w.open("sdfgc::rt::guard(__state->error, [&]");
        for (const std::string &line : lines)
            w.line(line);
        w.close(");");
    }
    if (m_.instrumented)
        w.line("__state->report.finish(sdfgc::rt::buildFolder() + \"/perf\");");
    w.close();
}

std::vector<std::string> CxxEmitter::checkedCall(const std::string &before, const std::string &after) const {
    const Function &program = *m_.functions.back();
    std::string args = program.needsState ? "__state" : "";
    for (const Param &p : m_.params)
        args += (args.empty() ? "" : ", ") + codegen::toProgram(p, program);
    std::vector<std::string> lines = sizesOnHandle();
    for (std::string &check : codegen::argumentChecks(m_, codegen::SymPrinter([](std::string_view) {})))
        lines.push_back(std::move(check));
    lines.push_back(before + program.name.str() + "(" + args + ");" + after);
    return lines;
}

/// Local variables of a call, with the sizes that callers have set.
std::vector<std::string> CxxEmitter::sizesOnHandle() const {
    std::vector<std::string> out;
    for (const Param &p : m_.params)
        if (p.onHandle)
            out.push_back("const " + p.type.cppName() + " " + p.cName.str() + " = sdfgc::rt::sizeOnHandle<" + p.type.cppName() +
                          ">(__state->" + codegen::sizeField(p) + ", \"" + p.name.str() + "\", \"" + codegen::sizeSetter(m_, p) +
                          "\");");
    return out;
}

void CxxEmitter::setters(TextWriter &w) {
    for (const Param &p : m_.params) {
        if (!p.onHandle)
            continue;
        use("arguments");
        w.line("SDFGC_EXPORT int " + codegen::sizeSetter(m_, p) + "(" + state_ + " *__state, int64_t value) { return " +
               "sdfgc::rt::setSize<" + p.type.cppName() + ">(__state->" + codegen::sizeField(p) + ", value); }");
    }
    if (m_.dataInstrumented)
        w.line("SDFGC_EXPORT void __dace_set_instrumented_data_report(" + state_ + " *__state, const char *folder) { " +
               "__state->data.restoreFrom(folder); }");
}

void CxxEmitter::further(TextWriter &w) {
    const std::vector<codegen::EntryPoint> added = furtherEntryPoints();
    if (!added.empty())
        w.line();
    for (const codegen::EntryPoint &e : added) {
        const std::string head = "SDFGC_EXPORT " + e.result + (e.result.back() == '*' ? "" : " ") + e.name;
        if (e.body.size() == 1) {
            w.line(head + e.parameterList(state_ + " *") + " { " + e.body.front() + " }");
            continue;
        }
        w.open(head + e.parameterList(state_ + " *"));
        for (const std::string &line : e.body)
            w.line(line);
        w.close();
    }
    entries_.insert(entries_.end(), added.begin(), added.end());
}

void CxxEmitter::finalise(TextWriter &w) {
    w.open("SDFGC_EXPORT int __dace_exit_" + name_ + "(" + state_ + " *__state)");
    if (m_.exitCode.empty() && !hasResources()) {
        w.line("delete __state;");
        w.line("return 0;");
        w.close();
        return;
    }
    w.line("if (!__state)");
    w.line("    return 0;");
    w.line("int __err = 0;");
    if (!m_.exitCode.empty()) {
        w.line("__state->error.clear();");
        w.open("const int failed = sdfgc::rt::guard(__state->error, [&]");
        for (const std::string &code : m_.exitCode) {
            w.open();
            w.line(code);
            w.close();
        }
        w.close(");");
        w.line("if (__err == 0)");
        w.line("    __err = failed;");
    }
    release(w);
    w.line("delete __state;");
    w.line("return __err;");
    w.close();
}

void CxxEmitter::external(TextWriter &w, const std::string &init) {
    std::string params = init.empty() ? "" : ", " + init;
    codegen::SymPrinter symbols([this](std::string_view t) { use(t); });
    for (ir::Storage s : codegen::externalStorages(m_)) {
        std::string storage(ir::name(s));
        w.line();
        w.open("SDFGC_EXPORT size_t __dace_get_external_memory_size_" + storage + "(" + state_ + " *" + params + ")");
        std::string sum;
        for (const StateField &f : m_.fields)
            if (f.lifetime == ir::Lifetime::External && f.storage == s)
                sum += (sum.empty() ? "" : " + ") + symbols.print(f.count, codegen::Precedence::Multiplicative) + " * sizeof(" +
                       f.type.cppName() + ")";
        w.line("return " + sum + ";");
        w.close();
        w.line();
        w.open("SDFGC_EXPORT void __dace_set_external_memory_" + storage + "(" + state_ + " *__state, char *memory" + params + ")");
        for (const StateField &f : m_.fields)
            if (f.lifetime == ir::Lifetime::External && f.storage == s) {
                std::string shift =
                    f.startOffset.isZero() ? "" : " + " + symbols.print(f.startOffset, codegen::Precedence::Multiplicative);
                w.line("__state->" + f.name.str() + " = reinterpret_cast<" + f.type.cppName() + " *>(memory)" + shift + ";");
                w.line("memory += " + symbols.print(f.count, codegen::Precedence::Multiplicative) + " * sizeof(" +
                       f.type.cppName() + ");");
            }
        w.close();
    }
}

/// Aliases of the same functions, and the error of the last call.
void CxxEmitter::aliases(TextWriter &w, const std::string &init, const std::string &all) {
    w.line();
    auto add = [&](const std::string &result, const std::string &name, const std::string &params, const std::string &of,
                   const std::string &values) { w.line(alias("SDFGC_EXPORT " + result + name + "(" + params + ")", of, values)); };
    auto names = [](const std::vector<Param> &list, std::string out) {
        for (const Param &p : list)
            if (!p.onHandle)
                out += (out.empty() ? "" : ", ") + p.cName.str();
        return out;
    };
    add(state_ + " *", name_ + "_initialize", init, "__dace_init_" + name_, names(m_.init, ""));
    add("void ", name_ + "_program", state_ + " *__state" + (all.empty() ? "" : ", " + all), "__program_" + name_,
        names(m_.params, "__state"));
    add("int ", name_ + "_finalize", state_ + " *__state", "__dace_exit_" + name_, "__state");
    w.line("SDFGC_EXPORT int " + name_ + "_error(" + state_ + " *__state)" +
           " { return sdfgc::rt::errorCode(__state ? &__state->error : nullptr); }");
    w.line("SDFGC_EXPORT const char *" + name_ + "_error_message(" + state_ + " *__state)" +
           " { return sdfgc::rt::errorMessage(__state ? &__state->error : nullptr); }");
    if (codegen::usesMpi(m_))
        w.line("SDFGC_EXPORT void " + name_ + "_set_communicator(int handle) { sdfgc::mpi::giveWorld(handle); }");
}

} // namespace sdfgc::targets
