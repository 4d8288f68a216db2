// References to elements of places.
#include "Elements.h"

#include "Lower/Expressions/Expressions.h"
#include "Lower/Expressions/SymbolicToPython.h"
#include "Lower/Expressions/Symbols.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Symbolic/Rounding.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

using ir::DataDesc;

namespace {

/// The integer value of an index, a stride or an offset: a quotient is truncated before it is multiplied.
sym::Expr integer(sym::Expr written) {
    const sym::Expr e = sym::inIntegers(written);
    const auto [above, below] = sym::asFraction(e);
    return below.isOne() ? e : sym::call(cDivision, {above, below});
}

} // namespace

Type variableType(const DataDesc &d) { return d.isStructure() && d.dtype.isPointer() ? d.dtype.element() : d.dtype; }

MemoryPlace placeFor(const Instance &in, VarId v, const DataDesc &d, sym::Expr offset) {
    MemoryPlace p;
    p.var = v;
    p.offset = offset;
    p.type = variableType(d);
    p.desc = &d;
    if (d.isArray() && d.startOffset.isZero() && offset.isZero())
        p.memory = inVariables(in, d.totalSize);
    for (std::size_t i = 0; i < d.rank(); ++i) {
        p.shape.push_back(inVariables(in, d.shape[i]));
        p.strides.push_back(i < d.strides.size() ? integer(inVariables(in, d.strides[i])) : sym::Expr(1));
        p.offsets.push_back(i < d.offset.size() ? integer(inVariables(in, d.offset[i])) : sym::Expr(0));
    }
    return p;
}

sym::Expr startOffset(const MemoryPlace &p, const sym::Subset &s) {
    sym::Expr offset = p.offset;
    for (std::size_t d = 0; d < s.rank() && d < p.strides.size(); ++d)
        offset += (integer(s.dims[d].begin) + p.offsets[d]) * p.strides[d];
    return offset;
}

sym::Expr startAt(const Instance &in, const MemoryPlace &p, ir::Edge &e, bool source) {
    const std::optional<sym::Subset> subset = source ? analysis::sourceSubset(&e) : analysis::destinationSubset(&e);
    return subset && subset->rank() == p.strides.size() ? startOffset(p, inVariables(in, *subset)) : p.offset;
}

bool isBehindElement(const MemoryPlace &p, const DataDesc &d) {
    return p.type.isPointer() && (d.isStructure() || !d.dtype.isPointer() || p.type == Type::pointer(d.dtype));
}

RefId elementAt(const Instance &in, const MemoryPlace &p, sym::Expr offset) {
    MemRef r;
    r.var = p.var;
    // A single value has one valid element, whatever the index.
    r.offset = in.function().vars[p.var].kind == VarKind::Value ? sym::Expr(0) : printable(in, offset);
    return in.function().refs.add(std::move(r));
}

RefId addressAt(const Instance &in, const MemoryPlace &p, sym::Expr offset) {
    RefId slot = elementAt(in, p, offset);
    in.function().refs[slot].address = true;
    return slot;
}

bool isKnown(const Instance &in, sym::Expr e) {
    const std::vector<Name> &names = e.freeSymbols();
    return !e.isUndefined() &&
           std::all_of(names.begin(), names.end(), [&in](Name n) { return in.fn->names.visible(n) || in.g->constant(n); });
}

namespace {

/// A statement that only evaluates an expression.
py::StmtRef expressionStatement(py::ExprRef value) {
    auto statement = std::make_shared<py::Stmt>();
    statement->kind = py::StmtKind::ExprStmt;
    statement->value = std::move(value);
    return statement;
}

/// The container of a place, and its SDFG, which is null if the place has none.
std::pair<const ir::SDFG *, Name> containerOf(const Instance &in, const MemoryPlace &p) {
    for (const Instance *i = &in; i; i = i->parent)
        for (const auto &[name, d] : i->g->arrays)
            if (&d == p.desc)
                return {i->g, name};
    return {nullptr, in.varName(p.var)};
}

/// A place for a message: `program: container tmp (prog.py:4)`.
std::string placeText(const diag::Location &place) {
    return place.element +
           (place.source.known() ? " (" + place.source.file.str() + ":" + std::to_string(place.source.line) + ")" : "");
}

/// Are accesses to the place checked at run time?
bool isChecked(const Instance &in, const MemoryPlace &p, const sym::Subset &s) {
    if (!in.options().checks || in.fn->device.inside || !p.desc || p.desc->isStream() || p.desc->isScalar())
        return false;
    if (std::any_of(s.dims.begin(), s.dims.end(), [](const sym::Range &r) { return !r.tile.isOne(); }))
        return false;
    const bool accumulates = std::all_of(p.strides.begin(), p.strides.end(), [](sym::Expr e) { return e.isZero(); });
    return !accumulates && s.rank() == p.shape.size() && in.function().vars[p.var].kind != VarKind::Value;
}

/// Remarks, once per dimension of a container, that indices are not checked against an upper limit if the dimension's size is
/// unknown here.
void remarkOpen(const Instance &in, const MemoryPlace &p, std::size_t dimension) {
    const auto [g, container] = containerOf(in, p);
    if (!in.program().openSizes.emplace(p.desc, dimension).second)
        return;
    const pass::Element member("function " + in.function().name.str() + ": container " + container.str());
    in.program().context.missed(g ? pass::Element(*g, container) : member,
                                "indices of dimension " + std::to_string(dimension) + " are checked against 0 only",
                                {diag::Why::UnknownSize, "`" + p.shape[dimension].str() + "` has no value here"});
}

} // namespace

void recordElement(const Instance &in, RefId r, const MemoryPlace &p, const sym::Subset &s) { recordElement(in, r, p, s, {}); }

void recordElement(const Instance &in, RefId r, const MemoryPlace &p, const sym::Subset &s,
                   const std::vector<std::size_t> &counted) {
    if (!isChecked(in, p, s))
        return;
    Element e;
    e.container = containerOf(in, p).second;
    for (std::size_t d = 0; d < s.rank(); ++d) {
        const std::optional<int64_t> step = s.dims[d].step.asInt();
        const sym::Expr begin = integer(s.dims[d].begin), end = integer(s.dims[d].end);
        const bool isDescending = step && *step < 0;
        e.index.push_back(printable(in, (isDescending ? end : begin) + p.offsets[d]));
        const bool isOpen = !isKnown(in, p.shape[d]);
        e.shape.push_back(isOpen ? sym::Expr::undefined() : printable(in, p.shape[d]));
        if (isOpen)
            remarkOpen(in, p, d);
        if (counted.empty() && !s.isOneElement())
            e.extent.push_back(printable(in, (isDescending ? begin - end : end - begin) + sym::Expr(1)));
    }
    for (std::size_t d : counted)
        e.counted.push_back(static_cast<int64_t>(d));
    const bool isWhole = p.offset.isZero() && p.memory == inVariables(in, p.desc->totalSize);
    e.memory = isWhole || !isKnown(in, p.memory) ? sym::Expr(0) : printable(in, p.memory);
    in.function().refs[r].element = std::move(e);
}

void checkRegion(const Instance &in, const MemoryPlace &p, const sym::Subset &s, Block &out) {
    if (!isChecked(in, p, s))
        return;
    const RefId r = addressAt(in, p, startOffset(p, s));
    recordElement(in, r, p, s);
    auto check = py::call(check::region, {memRef(r, Type::pointer(p.type))});
    out.add<Code>()->stmts.push_back(expressionStatement(std::move(check)));
}

void checkSize(Instance &in, Name container, const DataDesc &d, Block &out) {
    const bool isConstant = std::all_of(d.shape.begin(), d.shape.end(), [](sym::Expr e) { return e.isInteger(); });
    if (!in.options().checks || in.fn->device.inside || !d.isArray() || isConstant)
        return;
    const auto text = [](std::string of) {
        auto e = std::make_shared<py::Expr>();
        e->kind = py::ExprKind::String;
        e->text = std::move(of);
        return e;
    };
    std::vector<py::ExprRef> arguments{text(container.str()), text(placeText(analysis::placeOf(*in.g, d, container)))};
    for (sym::Expr size : d.shape)
        arguments.push_back(lowered(in, pythonOf(in, inVariables(in, size))));
    out.add<Code>()->stmts.push_back(expressionStatement(py::call(check::size, std::move(arguments))));
}

bool isOfThread(const Instance &in, const MemoryPlace &place) {
    const VarKind kind = in.function().vars[place.var].kind;
    return in.fn->device.inside && (kind == VarKind::Value || kind == VarKind::Stack);
}

bool needsAtomics(const Instance &in, const MemoryPlace &place, const ir::Memlet &m) {
    return m.wcrMode != ir::WcrMode::Plain && !isOfThread(in, place);
}

py::ExprRef read(const Instance &in, const MemoryPlace &p, sym::Expr offset) { return memRef(elementAt(in, p, offset), p.type); }

} // namespace sdfgc::tree::lowering
