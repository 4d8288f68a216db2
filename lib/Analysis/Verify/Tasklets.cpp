// Rules of the code of tasklets.
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Analysis/Memory/Connectors.h"
#include "sdfgc/Analysis/Symbols/ArgumentTypes.h"
#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::analysis {

using namespace ir;
using diag::Id;

namespace {

/// A connector of several elements that is used as a single one.
struct Misuse {
    Name connector;
    bool stored; // otherwise read
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

    /// Does a call compute a number from numbers? An unknown function may take an address, and so may one that prints.
    static bool isArithmetic(const py::Expr &call) {
        if (call.kind != py::ExprKind::Call || call.args[0]->kind != py::ExprKind::Name)
            return false;
        const Name function = call.args[0]->name;
        const std::vector<py::ExprRef> numbers(call.args.size() - 1, py::floatLit("1.0"));
        return function != Name("printf") && function != Name("puts") && py::inferTypes(py::call(function, numbers), {})->type;
    }

    /// The connector whose address is the value or is part of its computation; empty for other values.
    Name address(const py::Expr &e) const {
        const bool calls = isArithmetic(e) || e.kind == py::ExprKind::IfExp; // the first operand is not part of the value
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

} // namespace

/// Checks a connector that points to elements; other connectors get values, which can be converted.
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
    if (!t.code.isPython())
        return;
    const SeveralElements several(t);
    if (several.empty() && !warns())
        return;
    const Code::Block *code = t.code.block();
    if (!code)
        return; // C++ code is passed through
    if (warns()) {
        const std::vector<py::StmtRef> resolved = py::resolveModules(*code, {});
        calls(t, g, resolved);
        bases(t, g, resolved);
    }
    if (several.empty())
        return;
    Misuses misuses(several);
    for (const Misuse &m : misuses.in(*code)) {
        const std::string memlet = elements(*several.of(m.connector));
        if (m.stored)
            report(Id::StoreToSeveral, t, firstLine(m.where), m.connector.str(), memlet);
        else
            report(Id::SeveralAsValue, t, firstLine(m.where), m.connector.str(), memlet);
    }
    if (warns())
        for (const py::StmtRef &s : *code)
            if (several.isRebinding(*s, *code))
                report(Id::AddressAssigned, t, firstLine(s), s->targets[0]->name.str(), s->value->name.str());
}

} // namespace sdfgc::analysis
