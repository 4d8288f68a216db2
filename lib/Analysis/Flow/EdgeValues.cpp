#include "sdfgc/Analysis/Flow/EdgeValues.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Tasklet/Types.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;
using diag::Reason;
using diag::Why;

namespace {

/// Does a typed expression contain a quotient of two integers, or of operands of unknown type?
bool dividesIntegers(const py::Expr &e) {
    if (e.kind == py::ExprKind::Binary && e.op == py::Op::TrueDiv) {
        const auto isReal = [](Type t) { return t.isFloat() || t.isComplex(); };
        if (!isReal(e.args[0]->type) && !isReal(e.args[1]->type))
            return true;
    }
    return std::any_of(e.args.begin(), e.args.end(), [](const py::ExprRef &a) { return a && dividesIntegers(*a); });
}

class ElementReader {
public:
    ElementReader(const SDFG &g, SymbolValue &out, const std::function<Name(Name)> &readAs) : g_(g), out_(out), readAs_(readAs) {}

    /// The expression with elements replaced by connectors. `always`: it is evaluated whenever the whole value is.
    py::ExprRef take(const py::ExprRef &e, bool always) {
        switch (e->kind) {
        case py::ExprKind::Name:
            return g_.desc(e->name) ? scalar(e) : e;
        case py::ExprKind::Subscript:
            return element(e, always);
        case py::ExprKind::Attribute:
            if (e->args[0]->kind == py::ExprKind::Name && !g_.desc(e->args[0]->name))
                return e;
            return fail(e, "it reads a member of `" + py::print(*e->args[0]) + "`");
        case py::ExprKind::Lambda:
        case py::ExprKind::String:
        case py::ExprKind::Raw:
        case py::ExprKind::Slice:
            return fail(e, "it is not only arithmetic");
        default:
            return operands(e, always);
        }
    }

private:
    py::ExprRef fail(const py::ExprRef &e, std::string text, Why why = Why::Opaque) {
        if (!out_.why)
            out_.why = {why, std::move(text)};
        return e;
    }

    py::ExprRef operands(const py::ExprRef &e, bool always) {
        if (e->args.empty() && e->keywords.empty())
            return e;
        return py::withOperands(*e, [&](const py::ExprRef &operand, bool certain) { return take(operand, always && certain); });
    }

    py::ExprRef scalar(const py::ExprRef &e) {
        const DataDesc &d = *g_.desc(e->name);
        return d.isScalar() ? read(e, e->name, d.fullSubset()) : fail(e, "it reads `" + e->name.str() + "` as a whole");
    }

    py::ExprRef element(const py::ExprRef &e, bool always) {
        const DataDesc *d = e->args[0]->kind == py::ExprKind::Name ? g_.desc(e->args[0]->name) : nullptr;
        if (!d || d->rank() != e->args.size() - 1)
            return fail(e, "`" + py::print(*e) + "` is not an element of a container");
        std::vector<sym::Expr> at;
        for (std::size_t k = 1; k < e->args.size(); ++k) {
            const std::optional<sym::Expr> index = indexOf(*e->args[k]);
            if (!index)
                return fail(e, "`" + py::print(*e->args[k]) + "` is not an index made of symbols", Why::NotAffine);
            at.push_back(*index);
        }
        const sym::Subset point = sym::Subset::point(at);
        if (!always && sym::covers(d->fullSubset(), point) != sym::Truth::True)
            return fail(e, "it reads `" + py::print(*e) + "` under a condition");
        if (sym::covers(d->fullSubset(), point) == sym::Truth::False)
            return fail(e, "`" + py::print(*e) + "` is outside of the container", Why::OutOfBounds);
        for (sym::Expr index : at)
            out_.indices.insert(index.freeSymbols().begin(), index.freeSymbols().end());
        return read(e, e->args[0]->name, point);
    }

    /// An index, if it means the same in a memlet.
    std::optional<sym::Expr> indexOf(const py::Expr &e) const {
        const std::string text = py::print(e);
        if (hasQuotient(text) || callsFunctions(text))
            return std::nullopt;
        const std::optional<sym::Expr> index = sym::parse(text).expr;
        if (!index || !std::all_of(index->freeSymbols().begin(), index->freeSymbols().end(), [this](Name n) {
                const Type *t = g_.symbols.find(n);
                return !g_.desc(n) && t && t->isInteger();
            }))
            return std::nullopt;
        return index;
    }

    py::ExprRef read(const py::ExprRef &e, Name data, sym::Subset element) {
        const DataDesc *d = g_.desc(data);
        const Name instead = readAs_ ? readAs_(data) : isOnHost(d) ? data : Name();
        if (!g_.arrays.contains(data) || !isPlain(d) || instead.empty() || !d->dtype.isNumeric() ||
            !std::all_of(d->offset.begin(), d->offset.end(), [](sym::Expr o) { return o.isZero(); }))
            return fail(e,
                        "`" + data.str() +
                            (readAs_ ? "` is not one that a kernel can read here" : "` is not a plain array or scalar on the host"),
                        Why::Container);
        data = instead;
        for (const SymbolValue::Read &r : out_.reads)
            if (r.data == data && r.element == element)
                return py::name(r.connector);
        const Name connector = g_.freshName("__in" + std::to_string(out_.reads.size() + 1));
        out_.reads.push_back({connector, data, std::move(element)});
        return py::name(connector);
    }

    const SDFG &g_;
    SymbolValue &out_;
    const std::function<Name(Name)> &readAs_;
};

/// The type of a name in the code of a value.
std::optional<Type> typeIn(const SymbolValue &v, Name n, const SDFG &g) {
    for (const SymbolValue::Read &r : v.reads)
        if (r.connector == n)
            return g.desc(r.data)->dtype;
    if (const Type *t = g.symbols.find(n))
        return *t;
    const Constant *c = g.constant(n);
    return c ? std::optional(c->desc.dtype) : std::nullopt;
}

} // namespace

SymbolValue symbolValue(const std::string &value, const SDFG &g, bool compat, const std::function<Name(Name)> &readAs) {
    SymbolValue out;
    const py::Parsed<py::ExprRef> parsed = py::parseExpr(value);
    if (!parsed.value) {
        out.why = {Why::Opaque, "`" + value + "` is not understood"};
        return out;
    }
    const py::ExprRef e = ElementReader(g, out, readAs).take(*parsed.value, true);
    const std::set<Name> mentioned = py::freeNames(**parsed.value);
    out.hasElements = std::any_of(mentioned.begin(), mentioned.end(), [&](Name n) { return g.desc(n) != nullptr; });
    const std::set<Name> called = py::blockNames(py::parseBlockOrRaw(value)).called;
    if (std::any_of(called.begin(), called.end(), [&](Name n) { return g.symbols.contains(n) || g.desc(n); }))
        out.why = {Why::Effects, "`" + value + "` calls back"};
    out.symbols = py::freeNames(*e);
    for (const SymbolValue::Read &r : out.reads)
        out.symbols.erase(r.connector);
    const py::Env env{.typeOf = [&](Name n) { return typeIn(out, n, g); }};
    if (!out.why && !compat && dividesIntegers(*py::inferTypes(py::resolveModules(e, env), env, py::Semantics::Symbolic)))
        out.why = {Why::Opaque, "`" + value + "` is a quotient, which is truncated on edges but not in tasklets"};
    out.code = py::print(*e);
    return out;
}

bool hasQuotient(std::string_view code) {
    for (std::size_t at = code.find('/'); at != std::string_view::npos; at = code.find('/', at + 2))
        if (at + 1 >= code.size() || code[at + 1] != '/')
            return true;
    return false;
}

} // namespace sdfgc::analysis
