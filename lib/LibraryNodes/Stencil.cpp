// Stencil: an assignment per output over fields at constant relative offsets (format reference 7.9).
//
//   code     c[0, 0] = a[-1, 0] + 2 * b[0]       b has the first iterator only
//   after    map _i0 = 1:N, _i1 = 0:M { c_0_0 = a_m1_0 + 2 * b_0 }
//
// Each access becomes a connector with one element. Where an access leaves its field:
//
//   shrink     (default) no output: the range of the map is cut so that all such accesses stay inside
//   constant   the access has the given value
//   copy       the access has the value at the centre
//
// For the last two, the tasklet gets the entire field and guards its accesses, so it never reads outside.
#include "Expanders.h"
#include "Expansion.h"

#include <algorithm>

namespace sdfgc::libnodes {

using namespace ir;

namespace {

enum class Boundary { Shrink, Constant, Copy };

struct Field {
    Name name;
    bool isOutput = false;
    std::vector<std::size_t> iterators; // which iterators index it, in order
    std::vector<sym::Expr> shape;
    Boundary boundary = Boundary::Shrink;
    std::string constant;
};

using Offsets = std::vector<int64_t>;

/// The constant offsets of a subscript, or nothing.
std::optional<Offsets> offsetsOf(const py::Expr &subscript) {
    Offsets out;
    auto add = [&](const py::Expr &e) {
        bool negative = e.kind == py::ExprKind::Unary && e.op == py::Op::Neg;
        const py::Expr &literal = negative ? *e.args[0] : e;
        if (literal.kind != py::ExprKind::Int || literal.text.size() > 9)
            return false;
        out.push_back((negative ? -1 : 1) * std::stoll(literal.text));
        return true;
    };
    for (std::size_t i = 1; i < subscript.args.size(); ++i) {
        const py::Expr &e = *subscript.args[i];
        if (e.kind == py::ExprKind::Tuple ? !std::all_of(e.args.begin(), e.args.end(), [&](const auto &a) { return add(*a); })
                                          : !add(e))
            return std::nullopt;
    }
    return out;
}

/// The connector of a field that is passed entirely to the tasklet: a name that no container has.
Name whole(Name field) { return Name("_whole_" + field.str()); }

Name iterator(std::size_t i) { return Name("_i" + std::to_string(i)); }

class Stencil {
public:
    Stencil(State &s, LibraryNode &n, pass::Context &c) : x_(s, n, c) {}
    bool run();

private:
    bool collectFields();
    bool describe(Field &f);
    bool readBoundary(Field &f);
    bool findCentre(const std::vector<py::StmtRef> &block);
    py::ExprRef access(const py::ExprRef &e);
    py::ExprRef guarded(const Field &f, const Offsets &offsets);
    py::ExprRef wholeAt(const Field &f, const Offsets &offsets);
    Field *field(Name n) {
        auto at = std::find_if(fields_.begin(), fields_.end(), [&](const Field &f) { return f.name == n; });
        return at == fields_.end() ? nullptr : &*at;
    }
    bool fail(std::string why) {
        if (!failed_)
            x_.refuse(std::move(why));
        failed_ = true;
        return false;
    }

    Expansion x_;
    std::vector<Field> fields_;
    std::vector<sym::Expr> shape_;    // of the iteration space
    std::vector<int64_t> low_, high_; // elements cut off at both ends
    Offsets centre_;                  // offset of the outputs, taken off every access
    std::vector<Expansion::Access> inputs_, outputs_;
    std::vector<Name> whole_; // fields that are passed entirely to the tasklet
    bool failed_ = false;
};

bool Stencil::collectFields() {
    auto add = [&](Name connector, const Operand &o, bool isOutput) {
        if (!o)
            return;
        x_.bindFull(connector, o);
        fields_.push_back({connector, isOutput, {}, o.subset.sizes(), Boundary::Shrink, ""});
        if (fields_.back().shape.size() > shape_.size())
            shape_ = fields_.back().shape;
    };
    for (const Edge *e : x_.node().inEdges())
        if (e->dstConn)
            add(e->dstConn, x_.input(e->dstConn), false);
    for (const Edge *e : x_.node().outEdges())
        if (e->srcConn)
            add(e->srcConn, x_.output(e->srcConn), true);
    low_.assign(shape_.size(), 0);
    high_.assign(shape_.size(), 0);
    centre_.assign(shape_.size(), 0);
    for (Field &f : fields_)
        if (!describe(f) || !readBoundary(f))
            return false;
    return true;
}

bool Stencil::describe(Field &f) {
    const json::Value *all = x_.node().properties.find("iterator_mapping");
    const json::Value *mapping = all ? all->get(f.name.str()) : nullptr;
    for (std::size_t i = 0; i < shape_.size(); ++i)
        if (!mapping || (i < mapping->items().size() && mapping->items()[i].asBool()))
            f.iterators.push_back(i);
    if (f.iterators.size() != f.shape.size())
        return fail("field `" + f.name.str() + "` has " + std::to_string(f.shape.size()) + " dimensions, its iterator mapping " +
                    std::to_string(f.iterators.size()));
    return true;
}

bool Stencil::readBoundary(Field &f) {
    const json::Value *all = x_.node().properties.find("boundary_conditions");
    const json::Value *condition = all ? all->get(f.name.str()) : nullptr;
    const json::Value *type = condition ? condition->get("btype") : nullptr;
    if (!type || type->text() == "shrink")
        return true;
    f.boundary = type->text() == "copy" ? Boundary::Copy : Boundary::Constant;
    const json::Value *value = condition->get("value");
    if (f.boundary == Boundary::Constant && (type->text() != "constant" || !value))
        return fail("field `" + f.name.str() + "` has a boundary condition other than shrink, copy or constant");
    f.constant = value ? value->text() : "";
    return true;
}

/// All outputs are written at one offset, which becomes the centre.
bool Stencil::findCentre(const std::vector<py::StmtRef> &block) {
    bool found = false;
    for (const py::StmtRef &s : block)
        for (const py::ExprRef &t : s->targets) {
            Field *f =
                t->kind == py::ExprKind::Subscript && t->args[0]->kind == py::ExprKind::Name ? field(t->args[0]->name) : nullptr;
            if (!f || !f->isOutput)
                continue;
            auto offsets = offsetsOf(*t);
            if (!offsets || offsets->size() != shape_.size() || (found && *offsets != centre_))
                return fail("its outputs must be written at one constant offset");
            centre_ = *offsets;
            found = true;
        }
    return found || fail("its code writes no output");
}

/// `a[_i0 + (-1), _i1]`
py::ExprRef Stencil::wholeAt(const Field &f, const Offsets &offsets) {
    std::string text = whole(f.name).str() + "[";
    for (std::size_t d = 0; d < offsets.size(); ++d)
        text += (d ? ", " : "") + iterator(f.iterators[d]).str() + " + (" + std::to_string(offsets[d]) + ")";
    return py::parseExprOrRaw(text + "]");
}

/// `value if outside else a[...]`
py::ExprRef Stencil::guarded(const Field &f, const Offsets &offsets) {
    std::string outside;
    for (std::size_t d = 0; d < offsets.size(); ++d) {
        std::string i = iterator(f.iterators[d]).str(), o = std::to_string(offsets[d]);
        if (offsets[d] < 0)
            outside += (outside.empty() ? "" : " or ") + i + " + (" + o + ") < 0";
        if (offsets[d] > 0)
            outside += (outside.empty() ? "" : " or ") + i + " + " + o + " >= " + f.shape[d].str();
    }
    py::ExprRef inside = wholeAt(f, offsets);
    if (outside.empty())
        return inside;
    std::string otherwise = f.boundary == Boundary::Constant ? f.constant : py::print(*wholeAt(f, Offsets(offsets.size(), 0)));
    return py::parseExprOrRaw("(" + otherwise + ") if " + outside + " else " + py::print(*inside));
}

py::ExprRef Stencil::access(const py::ExprRef &e) {
    if (e->kind != py::ExprKind::Subscript || e->args[0]->kind != py::ExprKind::Name)
        return e;
    Field *f = field(e->args[0]->name);
    if (!f)
        return e;
    auto offsets = offsetsOf(*e);
    if (!offsets || offsets->size() != f->iterators.size()) {
        fail("an access of `" + f->name.str() + "` has no constant offset per iterator");
        return e;
    }
    for (std::size_t d = 0; d < offsets->size(); ++d)
        (*offsets)[d] -= centre_[f->iterators[d]];
    if (f->boundary != Boundary::Shrink && !f->isOutput) {
        if (std::find(whole_.begin(), whole_.end(), f->name) == whole_.end())
            whole_.push_back(f->name);
        return guarded(*f, *offsets);
    }
    Expansion::Access a{"_" + f->name.str(), f->name, {}, ""};
    for (std::size_t d = 0; d < offsets->size(); ++d) {
        int64_t o = (*offsets)[d];
        std::size_t i = f->iterators[d];
        a.connector += (o < 0 ? "_m" : "_") + std::to_string(o < 0 ? -o : o);
        a.index.push_back(sym::Expr::symbol(iterator(i)) + sym::Expr(o));
        low_[i] = std::max(low_[i], -o);
        high_[i] = std::max(high_[i], o);
    }
    auto &list = f->isOutput ? outputs_ : inputs_;
    bool known = std::any_of(list.begin(), list.end(), [&](const Expansion::Access &b) { return b.connector == a.connector; });
    Name connector(a.connector);
    if (!known)
        list.push_back(std::move(a));
    return py::name(connector);
}

bool Stencil::run() {
    const json::Value *code = x_.node().properties.find("code");
    const json::Value *text = code ? code->get("string_data") : nullptr;
    auto block = py::parseBlock(text ? text->text() : code ? code->text() : "");
    if (!block.value)
        return fail("its code is not Python: " + block.error.message);
    if (!collectFields() || !findCentre(*block.value))
        return false;
    auto rewritten = py::rewrite(*block.value, [&](const py::ExprRef &e) { return access(e); });
    if (failed_)
        return false;
    Expansion::Params params;
    for (std::size_t i = 0; i < shape_.size(); ++i)
        params.emplace_back(iterator(i), shape_[i]);
    State &state = x_.addState("stencil");
    Tasklet *t = x_.mapped(state, "stencil", params, inputs_, outputs_, py::print(rewritten));
    auto *entry = cast<MapEntry>(t->inEdges().front()->src);
    for (std::size_t i = 0; i < shape_.size(); ++i)
        entry->ranges[i] = {low_[i], shape_[i] - 1 - high_[i], 1, 1};
    for (Name n : whole_)
        x_.readWhole(state, *entry, *t, whole(n), n);
    x_.took("pure", "one map over the points whose accesses stay inside");
    x_.finish();
    return true;
}

} // namespace

bool expandStencil(State &s, LibraryNode &n, pass::Context &c) { return Stencil(s, n, c).run(); }

} // namespace sdfgc::libnodes
