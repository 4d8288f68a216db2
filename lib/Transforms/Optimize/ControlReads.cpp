#include "Transforms/Optimize/ControlReads.h"

#include "sdfgc/Analysis/Flow/EdgeValues.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// Container, members and indices of a chain like `p[0].a[i, j]`.
struct AccessPath {
    std::string container; // `p.a`
    std::vector<const py::Expr *> indices;
    std::size_t last = 0; // number of indices behind the last name

    bool follow(const py::Expr &e) {
        switch (e.kind) {
        case py::ExprKind::Name:
            container = e.name.str();
            return true;
        case py::ExprKind::Attribute:
            if (!follow(*e.args[0]))
                return false;
            container += "." + e.name.str();
            last = 0;
            return true;
        case py::ExprKind::Subscript:
            if (!follow(*e.args[0]))
                return false;
            for (std::size_t k = 1; k < e.args.size(); ++k, ++last)
                indices.push_back(e.args[k].get());
            return true;
        default:
            return false;
        }
    }
};

/// Does the name of the container alone mean its only element?
bool isBareElement(const DataDesc &d) {
    return d.isArray() && d.numElements().isOne() &&
           std::all_of(d.offset.begin(), d.offset.end(), [](sym::Expr o) { return o.isZero(); });
}

class ReadRewriter {
public:
    ReadRewriter(const ControlReads &reads, const ControlReads::Replacement &replacement)
        : reads_(reads), replacement_(replacement) {}
    bool changed = false;

    py::ExprRef take(const py::ExprRef &e, bool certain) {
        if (!e)
            return e;
        const auto isNone = [](const py::ExprRef &a) { return a && a->kind == py::ExprKind::None; };
        switch (e->kind) {
        case py::ExprKind::Lambda:
        case py::ExprKind::String:
        case py::ExprKind::Raw:
            return e;
        case py::ExprKind::Compare:
            return std::any_of(e->args.begin(), e->args.end(), isNone) ? e : operands(*e, certain);
        case py::ExprKind::Name:
        case py::ExprKind::Attribute:
        case py::ExprKind::Subscript: {
            const py::ExprRef path = withIndices(e, certain);
            const std::optional<ControlRead> read = reads_.of(*path);
            const py::ExprRef other = read ? replacement_(*read, certain) : nullptr;
            changed |= other != nullptr;
            return other ? other : path;
        }
        default:
            return e->args.empty() && e->keywords.empty() ? e : operands(*e, certain);
        }
    }

private:
    py::ExprRef withIndices(const py::ExprRef &e, bool certain) {
        if (e->kind != py::ExprKind::Attribute && e->kind != py::ExprKind::Subscript)
            return e->kind == py::ExprKind::Name ? e : take(e, certain);
        auto out = std::make_shared<py::Expr>(*e);
        out->args[0] = withIndices(e->args[0], certain);
        for (std::size_t k = 1; k < out->args.size(); ++k)
            out->args[k] = take(out->args[k], certain);
        return out;
    }

    py::ExprRef operands(const py::Expr &e, bool certain) {
        return py::withOperands(e, [&](const py::ExprRef &operand, bool always) { return take(operand, certain && always); });
    }

    const ControlReads &reads_;
    const ControlReads::Replacement &replacement_;
};

} // namespace

std::optional<ControlRead> ControlReads::of(const py::Expr &e) const {
    AccessPath path;
    if (!path.follow(e))
        return std::nullopt;
    ControlRead out{Name(path.container), py::print(e), {}, {}, false};
    const DataDesc *root = g_.arrays.find(ownerOf(out.container)), *d = g_.desc(out.container);
    const bool isMember = d != root;
    if (!root || !d || !(d->dtype.isInteger() || d->dtype.isBool()) || !analysis::isOnHost(root) || !analysis::isPlain(d) ||
        (isMember && !(root->isStructure() && root->alias == AliasKind::None)))
        return std::nullopt;
    out.type = d->dtype;
    std::vector<sym::Expr> point;
    for (std::size_t k = 0; k < path.indices.size(); ++k) {
        const auto index = indexOf(*path.indices[k]);
        if (!index)
            return std::nullopt;
        out.indices.insert(index->freeSymbols().begin(), index->freeSymbols().end());
        if (k + path.last >= path.indices.size())
            point.push_back(*index);
    }
    if (point.empty() && !isMember && isBareElement(*d)) {
        point.assign(d->rank(), 0);
        out.text = path.container + "[" + sym::Subset::point(point).str() + "]";
    }
    const bool isZero = point.size() == 1 && point.front().isZero();
    if (d->isScalar() ? !point.empty() && !isZero : point.size() != d->rank())
        return std::nullopt;
    if (d->isScalar() && !isMember)
        out.text = path.container;
    out.isHarmless = !isMember && out.indices.empty() && !d->optional.value_or(false) && // it may be null
                     (d->isScalar() || sym::covers(d->fullSubset(), sym::Subset::point(point)) == sym::Truth::True);
    return out;
}

std::optional<sym::Expr> ControlReads::indexOf(const py::Expr &e) const {
    const std::string text = py::print(e);
    if (e.kind == py::ExprKind::Slice || analysis::hasQuotient(text) || analysis::callsFunctions(text))
        return std::nullopt;
    const std::optional<sym::Expr> index = sym::parse(text).expr;
    if (!index || !std::all_of(index->freeSymbols().begin(), index->freeSymbols().end(), [this](Name n) {
            const Type *t = g_.symbols.find(n);
            return t && t->isInteger() && !g_.desc(n);
        }))
        return std::nullopt;
    return index;
}

py::ExprRef ControlReads::replaced(const py::ExprRef &e, bool certain, const Replacement &replacement) const {
    ReadRewriter rewriter(*this, replacement);
    py::ExprRef out = rewriter.take(e, certain);
    return rewriter.changed ? out : nullptr;
}

bool ControlReads::replace(std::string &text, bool certain, const Replacement &replacement) const {
    const py::Parsed<py::ExprRef> parsed = py::parseExpr(text);
    const py::ExprRef now = parsed.value ? replaced(*parsed.value, certain, replacement) : nullptr;
    if (now)
        text = py::print(*now);
    return now != nullptr;
}

bool ControlReads::replace(ir::Code &code, bool certain, const Replacement &replacement) const {
    const py::ExprRef e = code.expression();
    const py::ExprRef now = e ? replaced(e, certain, replacement) : nullptr;
    if (now)
        code = ir::Code(*now);
    return now != nullptr;
}

bool ControlReads::replaceInStatement(ir::Code &code, bool certain, const Replacement &replacement) const {
    const ir::Code::Block *block = code.block();
    if (!block || block->size() != 1 || (*block)[0]->kind != py::StmtKind::Assign || (*block)[0]->targets.size() != 1)
        return false;
    const py::Stmt &s = *(*block)[0];
    const py::ExprRef now = replaced(s.value, certain, replacement);
    if (now)
        code = py::print(*s.targets[0]) + " = " + py::print(*now);
    return now != nullptr;
}

} // namespace sdfgc::transforms
