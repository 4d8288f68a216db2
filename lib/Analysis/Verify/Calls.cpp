// Rules for functions that a graph calls in tasklets, control flow, sizes, ranges and subsets, and for the symbols of tasklets.
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Platform/Dialects.h"
#include "sdfgc/Symbolic/Rounding.h"
#include "sdfgc/Tasklet/FunctionNames.h"

namespace sdfgc::analysis {

using namespace ir;

namespace {

/// Keywords that look like function calls.
bool isWordOfCpp(Name n) {
    static const std::set<std::string_view> words{"bool",  "char",   "decltype", "long",        "reinterpret_cast",
                                                  "short", "signed", "sizeof",   "static_cast", "unsigned"};
    return words.count(n.view()) != 0;
}

/// Is the struct the type of a container in the SDFG, or of one of its fields?
bool isStruct(const SDFG &g, Name n) {
    std::vector<Type> open;
    std::set<Name> seen;
    for (const auto &[name, d] : g.arrays)
        open.push_back(d.dtype);
    while (!open.empty()) {
        const Type t = open.back();
        open.pop_back();
        if (t.isPointer() || t.isVector())
            open.push_back(t.element());
        else if (t.isStruct() && seen.insert(t.name()).second)
            for (const auto &[field, type] : t.fields())
                open.push_back(type);
    }
    return seen.count(n) != 0;
}

void addSubscripted(const py::Expr &e, std::set<Name> &out) {
    if (e.kind == py::ExprKind::Subscript && e.args[0]->kind == py::ExprKind::Name)
        out.insert(e.args[0]->name);
    for (const py::ExprRef &part : e.args)
        if (part)
            addSubscripted(*part, out);
}

/// The names that the code subscripts.
void addSubscripted(const std::vector<py::StmtRef> &code, std::set<Name> &out) {
    for (const py::StmtRef &s : code) {
        for (const py::ExprRef &target : s->targets)
            addSubscripted(*target, out);
        if (s->value)
            addSubscripted(*s->value, out);
        addSubscripted(s->body, out);
        addSubscripted(s->orelse, out);
    }
}

} // namespace

/// The graph's global code may declare functions, and may include headers that do.
void Verifier::readDeclarations(const SDFG &root) {
    const auto read = [this](const std::string &text) {
        includes_ |= text.find("#include") != std::string::npos;
        for (Name n : identifiers(text))
            declared_.insert(n);
    };
    for (const SDFG *g : allSDFGs(root)) {
        for (const TargetCode &c : g->globalCode)
            read(c.code.text);
        for (const State *s : allStates(*g))
            for (const auto &n : s->nodes())
                if (const auto *t = dyn_cast<Tasklet>(n.get())) {
                    read(t->codeGlobal.text);
                    environments_ |= !t->environments.empty();
                }
    }
}

bool Verifier::isOfGraph(Name function, const SDFG &g) const {
    if (includes_ || declared_.count(function))
        return true;
    for (const SDFG *up = &g; up; up = up->parentSDFG())
        if (up->symbols.contains(function) || up->arrays.contains(function) || up->constant(function))
            return true;
    return isStruct(g, function);
}

bool Verifier::isDeclared(Name function, const SDFG &g) const {
    const std::string_view name = function.view();
    return py::isBuiltinFunction(name) || py::isHeaderFunction(name) || py::isDeviceFunction(name) || isWordOfCpp(function) ||
           name.starts_with("__") || name.find_first_of(":.") != std::string_view::npos || platform::dialectOfWord(name) ||
           isOfGraph(function, g);
}

/// Is the function declared for control flow of the root, which no device runs?
bool Verifier::isDeclaredOnHost(Name function, const SDFG &g) const {
    const std::string_view name = function.view();
    const bool ofDevice = py::isDeviceFunction(name) || (name.starts_with("__") && !name.starts_with("__builtin_"));
    return ofDevice ? isOfGraph(function, g) : isDeclared(function, g);
}

/// Is the function declared for sizes, ranges and subsets, which are computed in integers?
bool Verifier::isDeclaredInExpressions(Name function, const SDFG &g) const {
    const std::string_view name = function.view();
    return sym::isRealFunction(function) || py::numberFunction(name) || py::isHeaderFunction(name) || isOfGraph(function, g);
}

/// A call is printed as written: without this check, an undeclared function would only be reported by the C++ compiler.
void Verifier::calls(const Tasklet &t, const SDFG &g, const std::vector<py::StmtRef> &code) {
    if (!t.environments.empty())
        return;
    const py::BlockNames names = py::blockNames(py::resolveModules(code, {}));
    for (const Name n : names.called) // a written name is a variable of the code that holds a lambda
        if (!names.written.count(n) && !isDeclared(n, g) && !t.inConnector(n) && !t.outConnector(n))
            undeclared(t, n);
}

/// A symbol is a single number without elements.
void Verifier::elementsOfSymbols(const Tasklet &t, const SDFG &g, const std::vector<py::StmtRef> &code) {
    std::set<Name> subscripted;
    addSubscripted(code, subscripted);
    const std::set<Name> written = py::blockNames(code).written;
    for (const Name n : subscripted) {
        const Type *type = g.symbols.find(n);
        if (type && type->isNumeric() && !written.count(n) && !t.inConnector(n) && !t.outConnector(n))
            reportCode(t, "it takes an element of `" + n.str() + "`, which is a symbol", "pass the array through a connector");
    }
}

std::vector<Name> Verifier::undeclaredIn(const Code &code, const SDFG &g) const {
    std::vector<Name> out;
    if (!warns() || environments_ || code.language != Language::Python)
        return out;
    const auto block = py::parseBlock(code.text);
    if (!block.value)
        return out;
    for (const Name n : py::blockNames(py::resolveModules(*block.value, {})).called)
        if (!(g.isRoot() ? isDeclaredOnHost(n, g) : isDeclared(n, g)))
            out.push_back(n);
    return out;
}

bool Verifier::isCallable(Name function, const SDFG &g) const {
    return !warns() || environments_ || isDeclaredInExpressions(function, g);
}

} // namespace sdfgc::analysis
