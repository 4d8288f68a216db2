// recognise-calls: turn C++ tasklets that are a single BLAS or LAPACK call into library calls.
//
//   before:  tasklet (CPP)      _res = LAPACKE_zgetrf(LAPACK_ROW_MAJOR, N, N, (lapack_complex_double*)_a, N, _ipiv);
//   after:   tasklet (Library)  _res = LAPACKE_zgetrf("LAPACK_ROW_MAJOR", N, N, _a, N, _ipiv)
//                               with _a a pointer to lapack_complex_double
//
// Graphs expanded by DaCe contain such calls as text. As library calls (sdfgc/Analysis/LibraryCalls.h) they take memory
// instead of connectors, and memory that they only read stays const.
//
// Legal when:
//   1. the text is a single statement that calls a function with a row for the host in Platform/Environments.def;
//   2. each argument is a connector, possibly cast to one of LAPACKE's complex types, a number, a symbol, a sum or
//      product of these, an enumerator or character of the library, or a number converted to a type;
//   3. connectors are pointers or single values of the container's type.
//
// Not handled: all other text; tasklets with conflict resolution, queues, references or dynamic memlets; every tasklet
// of a program with user code at file scope, which may define macros.
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Support/CppWords.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

bool isWord(std::string_view s) { return !s.empty() && std::all_of(s.begin(), s.end(), isCppWord) && !std::isdigit(s[0]); }

/// The parts of `result = function(arguments);`.
struct CallText {
    std::string_view result, function;
    std::vector<std::string_view> arguments;
};

/// Nothing for other text.
std::optional<CallText> oneCall(std::string_view text) {
    text = text::trimmed(text);
    const std::size_t open = text.find('(');
    if (!text.ends_with(");") || text.find(';') != text.size() - 1 || text.find_first_of("{}[]\"#?\\&") != std::string_view::npos ||
        text.find("//") != std::string_view::npos || text.find("/*") != std::string_view::npos)
        return std::nullopt;
    CallText call;
    call.function = text::trimmed(text.substr(0, open));
    if (const std::size_t assign = call.function.find('='); assign != std::string_view::npos) {
        call.result = text::trimmed(call.function.substr(0, assign));
        call.function = text::trimmed(call.function.substr(assign + 1));
        if (!isWord(call.result))
            return std::nullopt;
    }
    int depth = 0; // in a single call, the parenthesis closes at the end
    for (std::size_t i = open; i + 2 < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0)
            return std::nullopt;
    }
    if (!isWord(call.function))
        return std::nullopt;
    call.arguments = text::splitOutsideBrackets(text.substr(open + 1, text.size() - open - 3), ',');
    return call;
}

/// Translates the arguments of one tasklet.
class Translation {
public:
    explicit Translation(const Tasklet &t) : t_(t), scopes_(*t.state()) {}

    std::optional<std::string> argument(std::string_view a) {
        if (a.size() == 3 && a.front() == '\'' && a.back() == '\'')
            return quoted(a);
        if (a.starts_with('('))
            return castOf(a);
        if (isEnumerator(a) || isTypedNumber(a))
            return quoted(a);
        return isPlain(a) ? std::optional(std::string(a)) : std::nullopt;
    }

    /// Connectors that the call casts to another type.
    const std::map<Name, Name> &casts() const { return casts_; }
    /// Is every connector used with a single type?
    bool isConsistent() const {
        return std::none_of(casts_.begin(), casts_.end(), [&](const auto &c) { return plain_.count(c.first) != 0; });
    }

private:
    static std::string quoted(std::string_view word) { return '"' + std::string(word) + '"'; }
    static bool isEnumerator(std::string_view a) { return isWord(a) && (a.starts_with("Cblas") || a.starts_with("LAPACK_")); }
    /// `double(1)`, `float(-2.5)`
    static bool isTypedNumber(std::string_view a) {
        const std::size_t open = a.find('(');
        return open != std::string_view::npos && a.ends_with(')') && (a.starts_with("double(") || a.starts_with("float(")) &&
               a.find_first_not_of("0123456789.-+e", open + 1) == a.size() - 1;
    }
    const Connector *connector(Name n) const {
        const Connector *c = t_.inConnector(n);
        return c ? c : t_.outConnector(n);
    }

    /// `(lapack_complex_double *)_a`
    std::optional<std::string> castOf(std::string_view a) {
        const std::size_t close = a.find(')');
        std::string_view type = close == std::string_view::npos ? std::string_view() : text::trimmed(a.substr(1, close - 1));
        if (!type.ends_with('*'))
            return std::nullopt;
        type = text::trimmed(type.substr(0, type.size() - 1));
        const std::string_view name = text::trimmed(a.substr(close + 1));
        const bool own = type == "lapack_complex_double" || type == "lapack_complex_float";
        if (!own || !isWord(name) || !connector(Name(name)))
            return std::nullopt;
        casts_[Name(name)] = Name(type);
        return std::string(name);
    }

    /// Connectors, symbols, numbers, and their sums and products that have the same meaning in Python. Other words may be macros.
    bool isPlain(std::string_view a) {
        const auto parsed = py::parseExpr(a);
        if (!parsed.value || !isArithmetic(**parsed.value))
            return false;
        for (Name n : py::freeNames(**parsed.value))
            if (const Connector *c = connector(n)) {
                plain_.insert(n);
                if (n.view() != a || !c->type.isPointer())
                    return false;
            } else if (!analysis::symbolType(t_, scopes_, n)) {
                return false;
            }
        return true;
    }
    static bool isArithmetic(const py::Expr &e) {
        switch (e.kind) {
        case py::ExprKind::Int:
        case py::ExprKind::Float:
        case py::ExprKind::Name:
            return true;
        case py::ExprKind::Unary:
            return e.op == py::Op::Neg && isArithmetic(*e.args[0]);
        case py::ExprKind::Binary:
            return (e.op == py::Op::Add || e.op == py::Op::Sub || e.op == py::Op::Mul) && isArithmetic(*e.args[0]) &&
                   isArithmetic(*e.args[1]);
        default:
            return false;
        }
    }

    const Tasklet &t_;
    const analysis::ScopeTree scopes_;
    std::map<Name, Name> casts_;
    std::set<Name> plain_;
};

class RecogniseCalls : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        const std::vector<SDFG *> all = allSDFGs(root);
        if (std::any_of(all.begin(), all.end(), [](const SDFG *g) { return !g->globalCode.empty(); }))
            return false;
        bool changed = false;
        for (SDFG *g : all)
            for (State *s : allStates(*g))
                for (const auto &n : s->nodes())
                    if (auto *t = dyn_cast<Tasklet>(n.get()); t && t->code.language() == Language::CPP && recognise(*t)) {
                        context.done(*t, "a library call: `" + t->code.text() + "`");
                        changed = true;
                    }
        return changed;
    }

private:
    static bool recognise(Tasklet &t) {
        const std::optional<CallText> call = oneCall(t.code.text());
        const platform::Environment *e = call ? platform::environmentOfCall(call->function) : nullptr;
        if (!e || e->side != platform::Environment::Side::Host || !t.codeGlobal.empty() || !hasPlainEdges(t))
            return false;
        const Connector *result = t.outConnector(Name(call->result));
        if (!call->result.empty() && (!result || result->type.isPointer()))
            return false;
        Translation translation(t);
        std::vector<std::string> arguments;
        for (std::string_view a : call->arguments) {
            std::optional<std::string> argument = translation.argument(a);
            if (!argument)
                return false;
            arguments.push_back(std::move(*argument));
        }
        if (!translation.isConsistent())
            return false;
        t.code = {(call->result.empty() ? "" : std::string(call->result) + " = ") + std::string(call->function) + "(" +
                      text::joined(arguments) + ")",
                  Language::Library};
        for (auto *list : {&t.inConnectors, &t.outConnectors})
            for (Connector &c : *list)
                if (const auto cast = translation.casts().find(c.name); cast != translation.casts().end())
                    c.type = Type::pointer(Type::opaque(cast->second));
        return true;
    }

    /// Do all edges carry memory of containers, as pointers or as values of the container's type?
    static bool hasPlainEdges(const Tasklet &t) {
        auto isPlain = [&](const Edge &e, const Node *end, const Connector *c) {
            const auto *access = dyn_cast<AccessNode>(end);
            const DataDesc *d = access ? t.state()->sdfg()->desc(access->data) : nullptr;
            return d && c && !d->isStream() && !d->isReference() && e.memlet.wcr.empty() && !e.memlet.dynamic &&
                   (c->type.isPointer() || c->type == d->dtype);
        };
        auto reads = [&](Edge *e) { return !e->dstConn || isPlain(*e, analysis::pathSource(e), t.inConnector(e->dstConn)); };
        auto writes = [&](Edge *e) { return !e->srcConn || isPlain(*e, analysis::pathDestination(e), t.outConnector(e->srcConn)); };
        return std::all_of(t.inEdges().begin(), t.inEdges().end(), reads) &&
               std::all_of(t.outEdges().begin(), t.outEdges().end(), writes);
    }
};

} // namespace

std::unique_ptr<pass::Pass> createRecogniseCalls() { return std::make_unique<RecogniseCalls>(); }

} // namespace sdfgc::transforms
