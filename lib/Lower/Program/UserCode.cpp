// User code that is copied verbatim into the program.
#include "UserCode.h"

#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Support/CppWords.h"
#include "sdfgc/Tasklet/FunctionNames.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

/// Identifiers in the text, except in literals and preprocessor lines and as members.
std::vector<CppWord> namesIn(std::string_view text) {
    std::vector<CppWord> words = cppWords(text);
    std::erase_if(words, [](const CppWord &w) { return w.where != CppWord::Code || w.member; });
    return words;
}

/// Can a word after this character be the declared name (`int x`, `T *x`, `T &x`, `vector<T> x`, `int y, x`, `auto [x]`)?
bool mayDeclare(char before) { return isCppWord(before) || std::string_view("*&<>,[").find(before) != std::string_view::npos; }

/// An argument of the program that the text uses although only the program receives it: the initialiser has symbols, the finaliser
/// nothing (format reference 8.1). Empty if there is none. Names declared by the text or the global code do not count.
Name beyondReach(const Module &module, const std::string &text) {
    std::set<std::string_view> known;
    for (const std::string &code : module.globalCode)
        for (const CppWord &w : namesIn(code))
            known.insert(w.text);
    for (const CppWord &w : namesIn(text)) {
        if (known.count(w.text))
            continue;
        for (const Param &p : module.params)
            if (p.desc && p.name.str() == w.text && !mayDeclare(w.before))
                return p.name;
        if (mayDeclare(w.before))
            known.insert(w.text);
    }
    return {};
}

/// Rejects code that calls functions the target lacks, before a compiler sees it, unless global code of the graph may define them.
void refuseForeignRuntime(const LoweredProgram &program, const std::string &text, diag::Location at) {
    const pass::CompileOptions &options = program.context.options;
    const platform::Dialect *own = options.target.dialect();
    if (!own)
        return;
    for (const CppWord &w : namesIn(text)) {
        const platform::Dialect *dialect = platform::dialectOfWord(w.text);
        if (!dialect || (!options.emulate && dialect == own))
            continue;
        for (const std::string &code : program.module->globalCode)
            if (code.find(w.text) != std::string::npos)
                return;
        program.error(diag::Id::ForeignRuntime, std::move(at), w.text, dialect->title,
                      options.emulate ? "is not emulated" : "programs for this target do not have",
                      "or use --target " + std::string(dialect->name) + (options.emulate ? " without --emulate" : ""));
        return;
    }
}

/// Does a tasklet of the program declare a field of the state?
bool isDeclared(const SDFG &root, std::string_view field) {
    const auto names = [field](const std::string &declaration) {
        const std::vector<CppWord> words = cppWords(declaration);
        return std::any_of(words.begin(), words.end(), [field](const CppWord &w) { return w.text == field; });
    };
    for (const SDFG *g : allSDFGs(root))
        for (const State *s : allStates(*g))
            for (const Tasklet *t : nodesOf<Tasklet>(*s))
                if (std::any_of(t->stateFields.begin(), t->stateFields.end(), names))
                    return true;
    return false;
}

/// Rejects state fields that only an environment of DaCe would add and no graph declares, before a compiler misses them.
void refuseForeignFields(const LoweredProgram &program, const Tasklet &t) {
    const auto foreign =
        std::find_if(t.environments.begin(), t.environments.end(), [](Name path) { return !platform::environment(path.view()); });
    if (foreign == t.environments.end() || t.code.language() != Language::CPP)
        return;
    const std::string_view path = foreign->view();
    const std::vector<CppWord> words = cppWords(t.code.text());
    for (std::size_t i = 1; i < words.size(); ++i)
        if (words[i].member && words[i - 1].text == "__state" && !isDeclared(program.root, words[i].text)) {
            program.error(diag::Id::ForeignField, analysis::placeOf(t), words[i].text, path.substr(path.rfind('.') + 1));
            return;
        }
}

/// Adds headers, libraries and fields for code with these environments.
void takeEnvironments(Module &module, std::span<const Name> paths, std::string_view code) {
    std::vector<Name> &list = module.environments;
    for (const platform::Environment *e : platform::neededBy(paths, code))
        if (const Name name(e->name); std::find(list.begin(), list.end(), name) == list.end())
            list.push_back(name);
}

/// The texts that are for the entire program.
std::vector<std::string> textsForAll(const std::vector<TargetCode> &codes) {
    std::vector<std::string> texts;
    for (const TargetCode &c : codes)
        if (c.isForAll())
            texts.push_back(c.code.text());
    return texts;
}

} // namespace

std::vector<std::string> takeCodeBlocks(LoweredProgram &program) {
    Module &module = *program.module;
    std::vector<std::string> callCode;
    for (SDFG *g : allSDFGs(program.root))
        for (std::string &text : textsForAll(g->globalCode))
            module.globalCode.push_back(std::move(text));
    for (SDFG *g : allSDFGs(program.root)) {
        for (const auto *codes : {&g->initCode, &g->exitCode})
            for (const std::string &text : textsForAll(*codes))
                refuseForeignRuntime(program, text, analysis::placeOf(*g));
        for (std::string &text : textsForAll(g->initCode))
            (beyondReach(module, text).empty() ? module.initCode : callCode).push_back(std::move(text));
        for (std::string &text : textsForAll(g->exitCode)) {
            if (Name n = beyondReach(module, text); !n.empty())
                program.error(diag::Id::CodeBeyondReach, analysis::placeOf(*g), "exit_code", n.str());
            module.exitCode.push_back(std::move(text));
        }
    }
    for (const auto *texts : {&module.globalCode, &module.initCode, &module.exitCode, &callCode})
        for (const std::string &text : *texts)
            takeEnvironments(module, {}, text);
    module.rawCpp |= !module.globalCode.empty() || !module.initCode.empty() || !module.exitCode.empty();
    return callCode;
}

void addCallCode(const Instance &in, const std::vector<std::string> &texts, tree::Block &out) {
    for (const std::string &text : texts) {
        auto *raw = out.add<RawTasklet>();
        raw->comment = "init_code, which needs the arguments of the program";
        raw->text = text;
        in.module().rawCpp = true;
        in.function().needsState |= text.find("__state") != std::string::npos;
    }
}

Name unknownOnHost(const Instance &in, const Tasklet &t, const std::vector<py::StmtRef> &code) {
    const auto &global = in.module().globalCode;
    const auto isIn = [&global](std::string_view text) {
        return std::any_of(global.begin(), global.end(), [text](const auto &c) { return c.find(text) != std::string::npos; });
    };
    if ((in.fn->device.inside && !in.options().emulate) || !t.environments.empty() || isIn("#include"))
        return {};
    const py::BlockNames names = py::blockNames(py::resolveModules(code, {}));
    for (const Name n : names.called) {
        const bool intrinsic = n.view().starts_with("__") && !n.view().starts_with("__builtin_");
        if ((intrinsic || py::isDeviceFunction(n.view())) && !names.written.count(n) && !t.inConnector(n) && !t.outConnector(n) &&
            !in.g->symbols.contains(n) && !in.g->desc(n) && !isIn(n.view()))
            return n;
    }
    return {};
}

void takeTaskletBlocks(LoweredProgram &program, const Tasklet &t) {
    Module &module = *program.module;
    if (!t.codeGlobal.empty())
        module.globalCode.push_back(t.codeGlobal.text());
    if (!t.codeInit.empty())
        module.initCode.push_back(t.codeInit.text());
    if (!t.codeExit.empty())
        module.exitCode.push_back(t.codeExit.text());
    for (const std::string &f : t.stateFields)
        refuseForeignRuntime(program, f, analysis::placeOf(t));
    for (const ir::Code *c : {&t.code, &t.codeInit, &t.codeExit})
        if (c->language() == Language::CPP)
            refuseForeignRuntime(program, c->text(), analysis::placeOf(t));
    refuseForeignFields(program, t);
    module.rawCpp |= !t.codeGlobal.empty() || !t.codeInit.empty() || !t.codeExit.empty();
    std::string code;
    for (const ir::Code *c : {&t.code, &t.codeGlobal, &t.codeInit, &t.codeExit})
        code += c->text() + "\n";
    for (const std::string &f : t.stateFields) {
        module.rawFields.push_back(f);
        code += f + "\n";
    }
    takeEnvironments(module, t.environments, code);
}

} // namespace sdfgc::tree::lowering
