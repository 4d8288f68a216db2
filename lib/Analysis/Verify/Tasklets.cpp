// Rules of the code of tasklets.
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Analysis/ArgumentTypes.h"
#include "sdfgc/Analysis/Connectors.h"
#include "sdfgc/Platform/Dialects.h"
#include "sdfgc/Tasklet/FunctionNames.h"
#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::analysis {

using namespace ir;
using diag::Id;

namespace {

/// A connector of several elements in the place of one of them.
struct Misuse {
    Name connector;
    bool stored; // else read
    py::StmtRef where;
};

class Misuses {
public:
    explicit Misuses(const SeveralElements &several) : several_(several) {}

    const std::vector<Misuse> &in(const std::vector<py::StmtRef> &code) {
        for (const py::StmtRef &s : code)
            if (!several_.isRebinding(*s, code))
                statement(s);
        return found_;
    }

private:
    const SeveralElements &several_;
    std::vector<Misuse> found_;

    void statement(const py::StmtRef &s) {
        stores(s);
        for (const auto *block : {&s->body, &s->orelse})
            for (const py::StmtRef &inner : *block)
                statement(inner);
    }

    void stores(const py::StmtRef &s) {
        const std::size_t before = found_.size();
        bool toNumber = false;
        for (const py::ExprRef &t : s->targets)
            target(*t, s, toNumber);
        if (found_.size() == before && toNumber && s->value)
            if (const Name n = address(*py::resolveModules(s->value, {})))
                found_.push_back({n, false, s});
    }

    void target(const py::Expr &t, const py::StmtRef &s, bool &toNumber) {
        if (t.kind == py::ExprKind::Tuple)
            for (const py::ExprRef &part : t.args)
                target(*part, s, toNumber);
        const bool element = t.kind == py::ExprKind::Subscript && t.args[0]->kind == py::ExprKind::Name;
        const Name n = element ? t.args[0]->name : t.kind == py::ExprKind::Name ? t.name : Name();
        toNumber |= n && several_.isNumeric(n);
        if (!element && n && several_.of(n))
            found_.push_back({n, true, s});
    }

    /// Does a call compute a number from numbers? Functions that nobody knows may want an address, and so may those that print.
    static bool isArithmetic(const py::Expr &call) {
        if (call.kind != py::ExprKind::Call || call.args[0]->kind != py::ExprKind::Name)
            return false;
        const Name function = call.args[0]->name;
        const std::vector<py::ExprRef> numbers(call.args.size() - 1, py::floatLit("1.0"));
        return function != Name("printf") && function != Name("puts") && py::inferTypes(py::call(function, numbers), {})->type;
    }

    /// The connector whose address a value is, or is computed from; none for other values.
    Name address(const py::Expr &e) const {
        const bool calls = isArithmetic(e) || e.kind == py::ExprKind::IfExp; // the first operand is no part of the value
        const bool computed = e.kind == py::ExprKind::Binary || (e.kind == py::ExprKind::Unary && e.op != py::Op::Not);
        if (!computed && !calls)
            return e.kind == py::ExprKind::Name && several_.of(e.name) ? e.name : Name();
        for (std::size_t i = computed ? 0 : 1; i < e.args.size(); ++i)
            if (const Name n = address(*e.args[i]))
                return n;
        return Name();
    }
};

/// The first line of a statement.
std::string firstLine(const py::StmtRef &s) {
    const std::string text = py::print({s});
    return text.substr(0, text.find('\n'));
}

/// `A[0:N]`
std::string elements(const Memlet &m) { return m.data.str() + (m.subset ? "[" + m.subset->str() + "]" : ""); }

/// Words that are called like functions, and are none.
bool isWordOfCpp(Name n) {
    static const std::set<std::string_view> words{"bool",  "char",   "decltype", "long",        "reinterpret_cast",
                                                  "short", "signed", "sizeof",   "static_cast", "unsigned"};
    return words.count(n.view()) != 0;
}

/// Has a container in the SDFG the struct as its type, or as that of a field?
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

} // namespace

/// Code of the graph for all of the program may declare what it names, and what it includes.
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
                if (const auto *t = dyn_cast<Tasklet>(n.get()))
                    read(t->codeGlobal.text);
    }
}

bool Verifier::isDeclared(Name function, const SDFG &g) const {
    const std::string_view name = function.view();
    if (includes_ || declared_.count(function) || py::isBuiltinFunction(name) || py::isHeaderFunction(name) ||
        py::isDeviceFunction(name) || isWordOfCpp(function) || name.starts_with("__") ||
        name.find_first_of(":.") != std::string_view::npos || platform::dialectOfWord(name))
        return true;
    for (const SDFG *up = &g; up; up = up->parentSDFG())
        if (up->symbols.contains(function) || up->arrays.contains(function) || up->constant(function))
            return true;
    return isStruct(g, function);
}

/// A call is printed as it stands: of a function that nothing declares, the C++ compiler would have to tell.
void Verifier::calls(const Tasklet &t, const SDFG &g, const std::vector<py::StmtRef> &code) {
    if (!t.environments.empty())
        return;
    const py::BlockNames names = py::blockNames(py::resolveModules(code, {}));
    for (const Name n : names.called) // one that is written is a variable of the code, which holds a lambda
        if (!names.written.count(n) && !isDeclared(n, g) && !t.inConnector(n) && !t.outConnector(n))
            reportCode(t, "it calls `" + n.str() + "`, which nothing declares",
                       "define the function in `global_code`, or pass it to the program as a callback");
}

/// A connector that points to elements, rather than to be given a value that can be converted.
void Verifier::elementType(const Edge &e, const Connector *c) {
    const DataDesc *d = c && c->type.isPointer() ? e.src->state()->sdfg()->desc(e.memlet.data) : nullptr;
    if (d && differ(c->type.element(), d->dtype))
        report(Id::ArgumentType, e, "connector `" + c->name.str() + "`", c->type.element().str(), e.memlet.data.str(),
               d->dtype.str());
}

void Verifier::tasklet(const Tasklet &t, const SDFG &g) {
    for (const Edge *e : t.inEdges())
        elementType(*e, t.inConnector(e->dstConn));
    for (const Edge *e : t.outEdges())
        elementType(*e, t.outConnector(e->srcConn));
    if (t.code.language != Language::Python)
        return;
    const SeveralElements several(t);
    if (several.empty() && !warns())
        return;
    const auto code = py::parseBlock(t.code.text);
    if (!code.value)
        return; // C++, which passes through
    if (warns())
        calls(t, g, *code.value);
    if (several.empty())
        return;
    Misuses misuses(several);
    for (const Misuse &m : misuses.in(*code.value)) {
        const std::string memlet = elements(*several.of(m.connector));
        if (m.stored)
            report(Id::StoreToSeveral, t, firstLine(m.where), m.connector.str(), memlet);
        else
            report(Id::SeveralAsValue, t, firstLine(m.where), m.connector.str(), memlet);
    }
    if (warns())
        for (const py::StmtRef &s : *code.value)
            if (several.isRebinding(*s, *code.value))
                report(Id::AddressAssigned, t, firstLine(s), s->targets[0]->name.str(), s->value->name.str());
}

} // namespace sdfgc::analysis
