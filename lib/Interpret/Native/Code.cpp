#include "Code.h"

#include "Call.h"

#include "sdfgc/Support/CppWords.h"

#include <functional>
#include <set>

namespace sdfgc::interpret {

NativeCode::NativeCode() = default;
NativeCode::~NativeCode() = default;

namespace {

/// Does the graph have init code that its other code may depend on?
bool hasInitCode(const ir::SDFG &root) {
    for (const ir::SDFG *g : ir::allSDFGs(root))
        for (const ir::TargetCode &c : g->initCode)
            if (c.isForAll())
                return true;
    return false;
}

/// The definition of a structure, preceded by those that it contains; nothing for other types.
void defineStructures(Type t, std::set<Name> &known, std::string &out) {
    while (t.isPointer() || t.isVector())
        t = t.element();
    if (!t.isStruct() || !known.insert(t.name()).second)
        return;
    std::string fields;
    for (const auto &[name, type] : t.fields()) {
        defineStructures(type, known, out);
        fields += "    " + type.cppName() + " " + name.str() + ";\n";
    }
    out += "struct " + t.name().str() + " {\n" + fields + "};\n";
}

/// The structures used by the containers of a graph.
std::string structuresOf(const ir::SDFG &root) {
    std::set<Name> known;
    std::string out;
    const std::function<void(const ir::DataDesc &)> container = [&](const ir::DataDesc &d) {
        for (const auto &[name, member] : d.members)
            container(*member);
        if (d.elementDesc)
            container(*d.elementDesc);
        defineStructures(d.dtype, known, out);
    };
    for (const ir::SDFG *g : ir::allSDFGs(root))
        for (const auto &[name, d] : g->arrays)
            container(d);
    return out;
}

bool names(const std::string &code, std::string_view word) {
    const std::vector<CppWord> words = cppWords(code);
    return std::any_of(words.begin(), words.end(), [&](const CppWord &w) { return w.text == word; });
}

} // namespace

std::string NativeCode::refusal(const ir::Tasklet &t) const {
    const ir::SDFG *root = t.state()->sdfg();
    while (root->parentNode)
        root = root->parentNode->state()->sdfg();
    if (names(t.code.text(), "__state") || !t.stateFields.empty() || !t.codeInit.empty() || hasInitCode(*root))
        return "C++ code that needs the program's state, or code that initialises it";
    return "";
}

NativeCall &NativeCode::call(const Site *site) { return calls_.emplace_back("tasklet_" + std::to_string(calls_.size()), site); }

void NativeCode::define(const NativeCall &call, const ir::Tasklet &t) {
    if (!t.codeGlobal.empty())
        declarations_ += t.codeGlobal.text() + "\n";
    functions_ += "\n" + call.definition(t.code.text());
    environments_.insert(environments_.end(), t.environments.begin(), t.environments.end());
}

void NativeCode::compile(const ir::SDFG &root, const NativeCompiler &compiler, diag::Engine &diags) {
    if (calls_.empty())
        return;
    std::string text = structuresOf(root);
    for (const ir::SDFG *g : ir::allSDFGs(root))
        for (const ir::TargetCode &c : g->globalCode)
            if (c.isForAll())
                text += c.code.text() + "\n";
    const std::shared_ptr<const NativeLibrary> library = compiler({text + declarations_ + functions_, environments_}, diags);
    for (NativeCall &c : calls_)
        if (library)
            c.link(library);
}

} // namespace sdfgc::interpret
