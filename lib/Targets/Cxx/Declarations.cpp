#include "Targets/Cxx/Emitter.h"

#include "sdfgc/CodeGen/Interface.h"
#include "sdfgc/Support/CommentText.h"
#include "sdfgc/Support/Text.h"

#include <algorithm>

namespace sdfgc::targets {

using namespace tree;

void CxxEmitter::topicsOfInterface() {
    auto ofType = [this](Type type) {
        for (const std::string &t : codegen::topicsOf(type))
            use(t);
    };
    use("abi");
    for (const Param &p : m_.params) {
        ofType(p.desc ? p.desc->dtype : p.type);
        if (p.desc && p.desc->isStream())
            use("stream");
    }
    for (const StateField &f : m_.fields) {
        if (isBuffer(f) || f.isStream)
            use(f.isStream ? "stream" : "buffer");
        ofType(f.type);
    }
    for (const ConstantDef &c : m_.constants)
        ofType(c.type);
    if (m_.instrumented)
        use("report");
    if (m_.dataInstrumented)
        use("probe");
    if (m_.rawCpp)
        use("dace");
    needs();
}

bool CxxEmitter::isNamed(const platform::Environment &e) const {
    return std::any_of(m_.environments.begin(), m_.environments.end(),
                       [&](Name path) { return platform::environment(path.view()) == &e; });
}

/// Adds the requirements of libraries that the code calls (format reference 7.10).
void CxxEmitter::findEnvironments() {
    for (const platform::Environment &e : platform::environments()) {
        if (!isNamed(e) || !serves(e))
            continue;
        environments_.push_back(&e);
        if (!e.topic.empty())
            use(e.topic);
        for (std::string &library : text::words(e.libraries))
            if (std::find(out_.libraries.begin(), out_.libraries.end(), library) == out_.libraries.end())
                out_.libraries.push_back(std::move(library));
    }
}

/// Includes, the state, constants, user code at file scope.
void CxxEmitter::declarations(TextWriter &w) {
    if (const std::vector<std::string> halves = codegen::halfDefinitions(m_); !halves.empty()) {
        use("half");
        w.line("#include " + codegen::includeOf("half"));
        for (const std::string &definition : halves)
            w.line(definition);
    }
    w.line("#include \"" + name_ + "_level.h\"");
    w.line("#include \"" + name_ + ".h\"");
    w.line();
    includeLines(w);
    state(w);
    constants(w);
    for (const std::string &code : m_.globalCode)
        w.verbatim(code);
}

/// The includes of the sources, without duplicates: `"x.h"` for files of runtime-headers, `<x.h>` for others.
std::vector<std::string> CxxEmitter::includes() const {
    std::vector<std::string> out;
    auto add = [&out](std::string include) {
        if (std::find(out.begin(), out.end(), include) == out.end())
            out.push_back(std::move(include));
    };
    for (const std::string &t : topics_)
        add(codegen::includeOf(t));
    for (const platform::Environment *e : environments_)
        if (!e->include.empty())
            add(std::string(e->include));
    return out;
}

/// Headers of the runtime, sorted; then those of the system and of libraries.
void CxxEmitter::includeLines(TextWriter &w) const {
    std::vector<std::string> own, standard;
    for (std::string &include : includes())
        (include[0] == '<' ? standard : own).push_back(std::move(include));
    std::sort(own.begin(), own.end());
    for (const std::string &i : own)
        w.line("#include " + i);
    if (!standard.empty())
        w.line();
    for (const std::string &i : standard)
        w.line("#include " + i);
    w.line();
}

void CxxEmitter::state(TextWriter &w) {
    w.line("// The data that live as long as a handle.");
    w.open("struct " + name_ + "_state_t");
    for (const StateField &f : m_.fields)
        field(w, f);
    for (const Param &p : m_.params)
        if (p.onHandle)
            w.line("sdfgc::rt::Size " + codegen::sizeField(p) + ";");
    stateFields(w);
    for (const platform::Environment *e : environments_)
        if (!e->field.empty())
            w.line(std::string(e->field));
    for (const std::string &f : m_.rawFields)
        w.line(f);
    w.line("sdfgc::rt::ErrorState error;");
    if (m_.instrumented)
        w.line("sdfgc::rt::Report report;");
    if (m_.dataInstrumented)
        w.line("sdfgc::rt::DataReport data;");
    w.close(";");
    w.line("using " + state_ + " = " + name_ + "_state_t;");
    w.line();
}

void CxxEmitter::field(TextWriter &w, const StateField &f) {
    const std::string type = f.type.cppName(), name = f.name.str();
    if (f.isStream)
        w.line("sdfgc::rt::Stream<" + type + "> " + name + ";");
    else if (f.isScalar)
        w.line(type + " " + name + "{};");
    else if (f.lifetime == ir::Lifetime::External)
        w.line(type + " *" + name + " = nullptr; // " + commentText(f.comment));
    else
        w.line(bufferClass(f) + "<" + type + "> " + name + bufferInit(f) + "; // " + commentText(f.comment));
}

void CxxEmitter::constants(TextWriter &w) {
    for (const ConstantDef &c : m_.constants)
        w.line(codegen::constantDefinition(c));
    if (!m_.constants.empty())
        w.line();
}

} // namespace sdfgc::targets
