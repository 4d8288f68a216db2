// Stencils: an assignment at each point over fields at constant relative offsets (format reference 7.9).
//
//   c[0, 0] = a[-1, 0] + 2 * b[0]       b has the first iterator only, by the node's `iterator_mapping`
//
// The points are those of the field with the most dimensions, relative to where the outputs are written: all of them at one offset.
// The boundary condition of a field determines the value of an access outside of it:
//
//   shrink     (without a condition) there is no such point
//   constant   the access has the given value
//   copy       the access has the value at the point itself
//
// Each point is a separate task, and points are unordered. A field without iterators is a single value.
#include "Nodes.h"

#include "sdfgc/Tasklet/Types.h"

#include <cstring>

namespace sdfgc::interpret {

namespace {

using Offsets = std::vector<int64_t>;

enum class Boundary : uint8_t { Shrink, Constant, Copy };

struct Field {
    Name name;
    Elements *elements = nullptr;
    std::vector<std::size_t> iterators; // iterators that index its elements
    Boundary boundary = Boundary::Shrink;
    std::optional<Coefficient> constant;
};

/// A field at an offset, in a register.
struct FieldAccess {
    Field *field;
    Offsets offsets;
    Operand value;
};

/// The constant offsets of a subscript; nothing if they are not constant.
std::optional<Offsets> offsetsOf(const py::Expr &subscript) {
    std::vector<py::ExprRef> indices(subscript.args.begin() + 1, subscript.args.end());
    if (indices.size() == 1 && indices[0]->kind == py::ExprKind::Tuple)
        indices = std::vector<py::ExprRef>(indices[0]->args);
    Offsets out;
    for (const py::ExprRef &e : indices) {
        const bool negative = e->kind == py::ExprKind::Unary && e->op == py::Op::Neg;
        const py::Expr &number = negative ? *e->args[0] : *e;
        if (number.kind != py::ExprKind::Int)
            return std::nullopt;
        out.push_back(std::strtoll(number.text.c_str(), nullptr, 10) * (negative ? -1 : 1));
    }
    return out;
}

class Stencil final : public LibraryStep, private Names {
public:
    explicit Stencil(NodeReader &r) : scope_(r.scope) {
        for (const ir::Edge *e : r.node.inEdges())
            if (e->dstConn && !e->memlet.isEmpty())
                inputs_.push_back({e->dstConn, &keep(r.input(e->dstConn)), {}, Boundary::Shrink, std::nullopt});
        for (const ir::Edge *e : r.node.outEdges())
            if (e->srcConn && !e->memlet.isEmpty())
                outputs_.push_back({e->srcConn, &keep(r.output(e->srcConn)), {}, Boundary::Shrink, std::nullopt});
        for (auto *list : {&inputs_, &outputs_})
            for (const Field &f : *list)
                if (!widest_ || f.elements->alwaysOne.size() > widest_->alwaysOne.size())
                    widest_ = f.elements;
        for (auto *list : {&inputs_, &outputs_})
            for (Field &f : *list)
                describe(r, f);
        if (!r.refused())
            translate(r);
        for (const FieldAccess &a : writes_)
            if (a.offsets != writes_.front().offsets)
                r.refuse("a stencil whose outputs are written at different offsets");
        if (writes_.empty() && !r.refused())
            r.refuse("a stencil that writes no output");
    }

private:
    // ---- from the node
    void describe(NodeReader &r, Field &f) const {
        const auto entry = [&](const char *property) {
            const json::Value *all = r.node.properties.find(property);
            return all ? all->get(f.name.str()) : nullptr;
        };
        const json::Value *mapping = entry("iterator_mapping"), *condition = entry("boundary_conditions");
        for (std::size_t i = 0; i < widest_->alwaysOne.size(); ++i)
            if (!mapping || (i < mapping->items().size() && mapping->items()[i].asBool()))
                f.iterators.push_back(i);
        const std::size_t rank = f.elements->alwaysOne.size();
        if (f.iterators.size() != rank && !(f.iterators.empty() && rank == 1))
            r.refuse("the field `" + f.name.str() + "` with another number of dimensions than of iterators");
        const json::Value *type = condition ? condition->get("btype") : nullptr;
        if (!type || type->text() == "shrink")
            return;
        f.boundary = type->text() == "copy" ? Boundary::Copy : Boundary::Constant;
        const json::Value *value = condition->get("value");
        if (f.boundary == Boundary::Copy)
            return;
        if (type->text() == "constant" && value)
            f.constant.emplace(r, value->text(), f.elements->type);
        else
            r.refuse("the boundary condition `" + type->text() + "`");
    }

    void translate(NodeReader &r) {
        const json::Value *code = r.node.properties.find("code");
        const json::Value *text = code ? code->get("string_data") : nullptr;
        const auto parsed = py::parseBlock(text ? text->text() : code ? code->text() : "");
        if (!parsed.value) {
            r.refuse("a stencil whose code is not Python");
            return;
        }
        py::Env env = scope_.env();
        env.typeOf = [this](Name n) -> std::optional<Type> {
            const Field *f = find(inputs_, n);
            f = f ? f : find(outputs_, n);
            return !f ? scope_.typeOf(n) : f->iterators.empty() ? f->elements->type : Type::pointer(f->elements->type);
        };
        Builder b = r.planner.builder(*this, r.planner.pythonDivision(), r.planner.site(r.node));
        b.block(py::resolveModules(*parsed.value, env));
        code_ = r.finish(b);
    }

    // ---- names in the code
    template <class List> static auto find(List &list, Name name) -> decltype(&list.front()) {
        const auto it = std::find_if(list.begin(), list.end(), [&](const Field &f) { return f.name == name; });
        return it != list.end() ? &*it : nullptr;
    }
    static Operand valueAt(Builder &b, std::deque<FieldAccess> &list, Field &f, const Offsets &offsets) {
        for (const FieldAccess &a : list)
            if (a.field == &f && a.offsets == offsets)
                return a.value;
        list.push_back({&f, offsets, b.reserve(f.elements->type)});
        return list.back().value;
    }
    Operand read(Builder &b, Name name) override {
        if (Field *f = find(inputs_, name))
            return f->iterators.empty() ? valueAt(b, reads_, *f, {}) : b.refuse("the field `" + name.str() + "` as a value");
        return scope_.read(b, name);
    }
    Operand element(Builder &b, const py::Expr &e) override {
        if (e.kind != py::ExprKind::Subscript || e.args[0]->kind != py::ExprKind::Name)
            return {};
        Field *in = find(inputs_, e.args[0]->name), *out = find(outputs_, e.args[0]->name);
        if (!in && !out)
            return scope_.element(b, e);
        Field &f = in ? *in : *out;
        const auto offsets = offsetsOf(e);
        if (!offsets || (offsets->size() != f.iterators.size() && !f.iterators.empty()))
            return b.refuse("an access of the field `" + f.name.str() + "` at an offset that is not constant");
        return valueAt(b, in ? reads_ : writes_, f, f.iterators.empty() ? Offsets() : *offsets);
    }
    bool store(Builder &b, const py::Expr &target, Operand value) override {
        if (target.kind != py::ExprKind::Subscript || target.args[0]->kind != py::ExprKind::Name)
            return false;
        Field *f = find(outputs_, target.args[0]->name);
        if (!f)
            return false;
        const auto offsets = offsetsOf(target);
        if (!offsets || offsets->size() != widest_->alwaysOne.size() || f->iterators.size() != offsets->size()) {
            b.refuse("an output `" + f->name.str() + "` that is not written at one constant offset");
            return true;
        }
        b.copy(valueAt(b, writes_, *f, *offsets), b.convert(value, f->elements->type));
        return true;
    }
    bool knows(Name name) const override { return find(inputs_, name) || find(outputs_, name); }
    std::optional<Type> structure(Name name) const override { return scope_.structure(name); }

    // ---- the points
    void compute(Machine &m) override {
        for (Field &f : inputs_)
            if (f.constant)
                f.constant->evaluate(m);
        const std::vector<int64_t> &sizes = widest_->shape;
        std::vector<int64_t> point(sizes.size());
        m.order.enterMap();
        for (int64_t n = product(sizes); n > 0 && m.goesOn(); --n, nextIndex(point, sizes))
            if (exists(point)) {
                m.order.iteration();
                m.order.task();
                at(m, point);
            }
        m.order.leave();
    }
    /// The index of the element that an access reads at a point; nothing if it is outside of the field.
    std::optional<int64_t> elementAt(const FieldAccess &a, const std::vector<int64_t> &point, bool centre = false) const {
        const std::vector<int64_t> &shape = a.field->elements->shape;
        const std::vector<int64_t> strides = rowMajorStrides(shape);
        int64_t at = 0;
        for (std::size_t d = 0; d < a.field->iterators.size(); ++d) {
            const std::size_t i = a.field->iterators[d];
            const int64_t index = point[i] + (centre ? 0 : a.offsets[d] - writes_.front().offsets[i]);
            if (index < 0 || index >= shape[d])
                return std::nullopt;
            at += index * strides[d];
        }
        return at;
    }
    bool exists(const std::vector<int64_t> &point) const {
        const auto isInside = [&](const FieldAccess &a) { return a.field->boundary != Boundary::Shrink || elementAt(a, point); };
        return std::all_of(reads_.begin(), reads_.end(), isInside) &&
               std::all_of(writes_.begin(), writes_.end(), [&](const FieldAccess &a) { return elementAt(a, point).has_value(); });
    }
    void at(Machine &m, const std::vector<int64_t> &point) {
        for (const FieldAccess &a : reads_) {
            const auto inside = elementAt(a, point), here = elementAt(a, point, true);
            const std::byte *value = inside                                    ? a.field->elements->read(m, *inside)
                                     : a.field->boundary == Boundary::Constant ? a.field->constant->value.at
                                                                               : a.field->elements->read(m, here.value_or(-1));
            std::memcpy(a.value.at, value, static_cast<std::size_t>(sizeOf(a.value.type)));
        }
        code_.run(m);
        for (const FieldAccess &a : writes_)
            a.field->elements->write(m, *elementAt(a, point), a.value.at);
    }

    Scope &scope_;
    std::deque<Field> inputs_, outputs_;
    const Elements *widest_ = nullptr;
    std::deque<FieldAccess> reads_, writes_;
    Code code_;
};

} // namespace

std::unique_ptr<NodeStep> makeStencil(NodeReader &r) { return std::make_unique<Stencil>(r); }

} // namespace sdfgc::interpret
