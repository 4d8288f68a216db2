// Tasklet connectors that represent several elements.
#include "sdfgc/Analysis/Memory/Connectors.h"

#include "sdfgc/Analysis/Scopes.h"

namespace sdfgc::analysis {

using namespace ir;

Type containerType(const DataDesc &d) { return d.isScalar() || d.isStructure() ? d.dtype : Type::pointer(d.dtype); }

namespace {

/// The number of statements that mention a name.
int mentions(const std::vector<py::StmtRef> &code, Name n) {
    int count = 0;
    for (const py::StmtRef &s : code) {
        std::vector<py::ExprRef> parts = s->targets;
        parts.insert(parts.end(), {s->value, s->extra});
        for (const py::ExprRef &e : parts)
            if (e && py::freeNames(*e).count(n)) {
                ++count;
                break;
            }
        count += mentions(s->body, n) + mentions(s->orelse, n);
    }
    return count;
}

} // namespace

SeveralElements::SeveralElements(const Tasklet &t) {
    for (const Edge *e : t.inEdges())
        add(t.inConnector(e->dstConn), *e, false);
    for (const Edge *e : t.outEdges()) {
        add(t.outConnector(e->srcConn), *e, true);
        if (of(e->srcConn) && setsReference(e)) // the reference needs an address
            several_.erase(e->srcConn);
    }
}

void SeveralElements::add(const Connector *c, const Edge &e, bool output) {
    const Memlet &m = e.memlet;
    const DataDesc *d = c ? e.src->state()->sdfg()->desc(m.data) : nullptr;
    if (!d || d->isStream() || !d->dtype.isNumeric())
        return;
    const bool one = d->isScalar() || (m.subset ? *m.subset : d->fullSubset()).isOneElement();
    const bool pointer = !c->type || c->type.isPointer(); // without a type, infer-types makes it one
    if (pointer && !one)
        several_[c->name] = {&m, d->dtype, output};
    else
        numbers_.insert(c->name);
}

const Memlet *SeveralElements::of(Name connector) const {
    const auto at = several_.find(connector);
    return at == several_.end() ? nullptr : at->second.memlet;
}

bool SeveralElements::isRebinding(const py::Stmt &s, const std::vector<py::StmtRef> &code) const {
    const bool names = s.kind == py::StmtKind::Assign && s.targets.size() == 1 && s.targets[0]->kind == py::ExprKind::Name &&
                       s.value->kind == py::ExprKind::Name;
    if (!names)
        return false;
    const auto to = several_.find(s.targets[0]->name), from = several_.find(s.value->name);
    if (to == several_.end() || from == several_.end() || to == from || !to->second.output)
        return false;
    const Memlet &m = *to->second.memlet;
    const bool updates = m.dynamic && !m.wcr.empty(); // together with the value, not at the end
    return !updates && to->second.element == from->second.element && mentions(code, to->first) == 1;
}

} // namespace sdfgc::analysis
