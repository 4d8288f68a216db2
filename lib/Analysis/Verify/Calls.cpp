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

/// The names in a block whose elements or members it uses, and those that it assigns.
struct Bases {
    explicit Bases(const std::vector<py::StmtRef> &code) { block(code); }

    std::set<Name> subscripted, withMembers;
    std::set<Name> variables; // assigned as a whole, or lambda parameters

private:
    void block(const std::vector<py::StmtRef> &code) {
        for (const py::StmtRef &s : code) {
            for (const py::ExprRef &target : s->targets)
                assigned(*target);
            if (s->value)
                expression(*s->value);
            block(s->body);
            block(s->orelse);
        }
    }
    void assigned(const py::Expr &target) {
        if (target.kind == py::ExprKind::Name)
            variables.insert(target.name);
        else if (target.kind == py::ExprKind::Tuple)
            for (const py::ExprRef &t : target.args)
                assigned(*t);
        else
            expression(target);
    }
    void expression(const py::Expr &e) {
        variables.insert(e.params.begin(), e.params.end());
        if (!e.args.empty() && e.args[0] && e.args[0]->kind == py::ExprKind::Name) {
            const Name base = e.args[0]->name;
            if (e.kind == py::ExprKind::Subscript)
                subscripted.insert(base);
            else if (e.kind == py::ExprKind::Attribute)
                withMembers.insert(base);
        }
        for (const py::ExprRef &part : e.args) {
            const bool isMethod = e.kind == py::ExprKind::Call && part == e.args[0] && part->kind == py::ExprKind::Attribute;
            if (part)
                expression(isMethod ? *part->args[0] : *part);
        }
        for (const py::Keyword &k : e.keywords)
            expression(*k.value);
    }
};

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
            read(c.code.text());
        for (const State *s : allStates(*g))
            for (const auto &n : s->nodes())
                if (const auto *t = dyn_cast<Tasklet>(n.get())) {
                    read(t->codeGlobal.text());
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
    return structTypes(g).contains(function);
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
    const py::BlockNames names = py::blockNames(code);
    for (const Name n : names.called) { // a written name is a variable of the code that holds a lambda
        const Name object(n.view().substr(0, n.view().find('.')));
        if (!names.written.count(object) && !isDeclared(object, g) && !t.inConnector(object) && !t.outConnector(object))
            undeclared(t, n);
    }
}

/// A symbol is a single number without elements. Other names must be connectors, variables, containers, or declared in the graph's
/// own code.
void Verifier::bases(const Tasklet &t, const SDFG &g, const std::vector<py::StmtRef> &code) {
    const Bases bases(code);
    const auto isOfTasklet = [&](Name n) { return bases.variables.count(n) || t.inConnector(n) || t.outConnector(n); };
    for (const Name n : bases.subscripted) {
        const Type *type = g.symbols.find(n);
        if (type && type->isNumeric() && !isOfTasklet(n))
            reportCode(t, "it takes an element of `" + n.str() + "`, which is a symbol", "pass the array through a connector");
        else if (!isOfTasklet(n) && t.environments.empty() && !isDeclared(n, g))
            reportCode(t, "it takes an element of `" + n.str() + "`, which is not declared", "pass the array through a connector");
    }
    for (const Name n : bases.withMembers)
        if (!isOfTasklet(n) && t.environments.empty() && !isDeclared(n, g))
            reportCode(t, "it uses a member of `" + n.str() + "`, which is not declared", "pass the structure through a connector");
}

std::vector<Name> Verifier::undeclaredIn(const Code &code, const SDFG &g) const {
    std::vector<Name> out;
    const Code::Block *block = code.block();
    if (!warns() || environments_ || !block)
        return out;
    for (const Name n : py::blockNames(py::resolveModules(*block, {})).called)
        if (!(g.isRoot() ? isDeclaredOnHost(n, g) : isDeclared(n, g)))
            out.push_back(n);
    return out;
}

bool Verifier::isCallable(Name function, const SDFG &g) const {
    return !warns() || environments_ || isDeclaredInExpressions(function, g);
}

} // namespace sdfgc::analysis
