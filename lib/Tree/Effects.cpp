#include "sdfgc/Tree/Effects.h"

#include "sdfgc/Support/CppWords.h"
#include "sdfgc/Tree/Fields.h"

#include <cctype>

namespace sdfgc::tree {

using py::ExprKind;

void Effects::add(const Effects &other) {
    names.insert(other.names.begin(), other.names.end());
    changed.insert(other.changed.begin(), other.changed.end());
    read.insert(other.read.begin(), other.read.end());
    inText.insert(other.inText.begin(), other.inText.end());
    declared.insert(other.declared.begin(), other.declared.end());
}

namespace {

/// Collects effects into one object.
class EffectCollector {
public:
    EffectCollector(const Function &f, const EffectTable &table, Effects &out) : f_(f), table_(table), out_(out) {}

    void symbols(sym::Expr e) {
        for (Name n : e.freeSymbols())
            out_.names.insert(n);
    }
    void variable(VarId v, bool change) {
        if (!v)
            return;
        Name n = table_.root(v);
        out_.names.insert(n);
        (change ? out_.changed : out_.read).insert(n);
    }
    /// If a value contains an address, the memory there may be read and changed.
    void slot(RefId s, bool change) {
        if (s && f_.refs[s].address)
            handedOut(s);
        else
            reference(s, change);
    }
    void handedOut(RefId s) {
        reference(s, false);
        reference(s, true);
    }
    void reference(RefId s, bool change) {
        if (!s)
            return;
        const MemRef &r = f_.refs[s];
        variable(r.var, change || r.pop);
        forEachSize(r, [this](sym::Expr size) { symbols(size); });
    }
    void text(const std::string &cpp) {
        for (const CppWord &w : cppWords(cpp)) {
            out_.names.insert(Name(w.text));
            out_.inText.insert(Name(w.text));
        }
    }
    void expr(const py::ExprRef &e, bool change = false) {
        if (!e)
            return;
        switch (e->kind) {
        case ExprKind::Name:
        case ExprKind::Attribute:
            if (e->kind == ExprKind::Name) {
                out_.names.insert(e->name);
                if (change)
                    out_.changed.insert(e->name);
            }
            break;
        case ExprKind::MemRef:
            slot(refOf(*e), change);
            break;
        case ExprKind::Raw:
            text(e->text);
            break;
        default:
            break;
        }
        // An assignment to a subscript or attribute changes the object; the operands of any other expression are only read.
        bool inner = change && (e->kind == ExprKind::Attribute || e->kind == ExprKind::Subscript || e->kind == ExprKind::Tuple);
        // Runtime functions may return results through arguments (py_divmod).
        bool byReference = e->kind == ExprKind::Call && e->args[0]->kind == ExprKind::Name && e->args[0]->name == Name("py_divmod");
        for (std::size_t i = 0; i < e->args.size(); ++i)
            if (e->kind == ExprKind::Compare && e->args[i]->kind == ExprKind::MemRef) // also of an address, with None
                reference(refOf(*e->args[i]), false);
            else
                expr(e->args[i], (inner && (e->kind == ExprKind::Tuple || i == 0)) || byReference);
        for (const py::Keyword &k : e->keywords)
            expr(k.value);
    }
    void stmt(const py::StmtRef &s) {
        if (!s)
            return;
        for (const py::ExprRef &t : s->targets)
            expr(t, true);
        expr(s->value);
        expr(s->extra);
        if (s->kind == py::StmtKind::Raw)
            text(s->text);
        for (const py::StmtRef &b : s->body)
            stmt(b);
        for (const py::StmtRef &b : s->orelse)
            stmt(b);
    }
    void node(const Node &n) {
        visit(n, [this](const auto &x) {
            forEachField(x, [this](const auto &field, const auto &owner) { this->field(field, owner); });
        });
    }

private:
    template <class F, class C> void field(const F &field, const C &owner) {
        const auto &x = field.of(owner);
        if constexpr (F::role == Role::Declares)
            declare(x);
        else if constexpr (F::role == Role::Iterates)
            iterate(x);
        else if constexpr (F::role == Role::Assigns)
            variable(x, true);
        else if constexpr (F::role == Role::Reads)
            reference(x, false);
        else if constexpr (F::role == Role::Writes)
            reference(x, true);
        else if constexpr (F::role == Role::Uses)
            uses(owner, x);
        else if constexpr (F::role == Role::Size)
            forEachItem(x, [this](sym::Expr e) { symbols(e); });
        else if constexpr (F::role == Role::Value || F::role == Role::Indices)
            forEachItem(x, [this](const py::ExprRef &e) { expr(e); });
        else if constexpr (F::role == Role::Statement)
            forEachItem(x, [this](const py::StmtRef &s) { stmt(s); });
        else if constexpr (F::role == Role::Code)
            text(x);
    }

    void declare(VarId id) {
        const Variable &v = f_.vars[id];
        variable(id, false);
        out_.declared.insert(v.name);
        if (v.countKnown) {
            symbols(v.count);
            symbols(v.startOffset);
        }
    }
    void iterate(VarId id) {
        if (!id)
            return;
        variable(id, true);
        out_.declared.insert(f_.vars[id].name);
    }
    /// An escaping address may have any use, unless it is that of constant memory.
    template <class C> void uses(const C &, RefId r) { handedOut(r); }
    void uses(const Declare &d, RefId r) { slot(r, f_.vars[d.var].kind != VarKind::Value); }
    void uses(const LibraryCall::Argument &a, RefId r) { a.isConst ? reference(r, false) : handedOut(r); }
    void uses(const RawTasklet::Binding &b, RefId r) {
        using Form = RawTasklet::Binding::Form;
        if (b.isConst && b.form == Form::Pointer)
            reference(r, false);
        else if (b.form == Form::Value || b.form == Form::ConstRef || b.isConst)
            slot(r, false);
        else
            handedOut(r);
    }

    const Function &f_;
    const EffectTable &table_;
    Effects &out_;
};

} // namespace

Name EffectTable::root(VarId v) const { return f_.vars[rootOf(f_, v)].name; }

Effects EffectTable::own(const Node &n) const {
    Effects out;
    EffectCollector(f_, *this, out).node(n);
    return out;
}

Effects EffectTable::inExpr(const py::ExprRef &e) const {
    Effects out;
    EffectCollector(f_, *this, out).expr(e);
    return out;
}

const Effects &EffectTable::of(const Node &n) {
    if (auto it = table_.find(&n); it != table_.end())
        return it->second;
    Effects all = own(n);
    forEachBlock(n, [&](const Block &b) {
        for (const NodePtr &s : b.body)
            all.add(of(*s));
    });
    if (n.kind == TreeKind::RawTasklet)
        for (const NodePtr &s : static_cast<const RawTasklet &>(n).after)
            all.add(of(*s));
    return table_.emplace(&n, std::move(all)).first->second;
}

Effects effectsOf(const Function &f) {
    EffectTable table(f);
    Effects all;
    for (const NodePtr &n : f.body.body)
        all.add(table.of(*n));
    return all;
}

bool usesState(const Block &b, const Module &m) {
    bool used = false;
    for (const NodePtr &n : b.body) {
        used = used || n->kind == TreeKind::Measure || n->kind == TreeKind::DataProbe;
        used = used || (n->kind == TreeKind::Call && m.functions[static_cast<const Call &>(*n).function]->needsState);
        used = used || (n->kind == TreeKind::LibraryCall && static_cast<const LibraryCall &>(*n).function.starts_with("__state->"));
        forEachBlock(std::as_const(*n), [&](const Block &inner) { used = used || usesState(inner, m); });
    }
    return used;
}

} // namespace sdfgc::tree
