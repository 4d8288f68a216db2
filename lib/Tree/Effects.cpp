#include "sdfgc/Tree/Effects.h"

#include "sdfgc/Support/CppWords.h"

#include <cctype>

namespace sdfgc::tree {

using py::ExprKind;

void Mentions::add(const Mentions &other) {
    names.insert(other.names.begin(), other.names.end());
    changed.insert(other.changed.begin(), other.changed.end());
    inText.insert(other.inText.begin(), other.inText.end());
    declared.insert(other.declared.begin(), other.declared.end());
}

namespace {

/// Collects into one Mentions.
class Collector {
public:
    Collector(const Function &f, const MentionTable &table, Mentions &out) : f_(f), table_(table), out_(out) {}

    void symbols(sym::Expr e) {
        for (Name n : e.freeSymbols())
            out_.names.insert(n);
    }
    void variable(VarId v, bool change) {
        if (v < 0)
            return;
        Name n = table_.root(v);
        out_.names.insert(n);
        if (change)
            out_.changed.insert(n);
    }
    /// Memory that is only read, also where its address is taken for that.
    void source(int s) { reference(s, false); }
    void slot(int s, bool change) { reference(s, change || (s >= 0 && f_.refs[static_cast<std::size_t>(s)].address)); }
    void reference(int s, bool change) {
        if (s < 0)
            return;
        const MemRef &r = f_.refs[static_cast<std::size_t>(s)];
        variable(r.var, change || r.pop);
        symbols(r.offset);
        for (sym::Expr stride : r.strides)
            symbols(stride);
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
            slot(e->slot, change);
            break;
        case ExprKind::Raw:
            text(e->text);
            break;
        default:
            break;
        }
        // An assignment to a subscript or attribute changes the object; the operands of any other expression are only read.
        bool inner = change && (e->kind == ExprKind::Attribute || e->kind == ExprKind::Subscript || e->kind == ExprKind::Tuple);
        // Functions of the runtime may return results through arguments (py_divmod).
        bool byReference = e->kind == ExprKind::Call && e->args[0]->kind == ExprKind::Name && e->args[0]->name == Name("py_divmod");
        for (std::size_t i = 0; i < e->args.size(); ++i)
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
    void node(const Node &n);

private:
    void declare(const Declare &d);
    void arguments(const std::vector<Call::Argument> &list) {
        for (const Call::Argument &a : list) {
            slot(a.ref, true);
            symbols(a.value);
            expr(a.expr);
        }
    }
    void omp(const Omp &o);

    const Function &f_;
    const MentionTable &table_;
    Mentions &out_;
};

void Collector::declare(const Declare &d) {
    const Variable &v = f_.vars[static_cast<std::size_t>(d.var)];
    variable(d.var, false);
    out_.declared.insert(v.name);
    if (v.countKnown) {
        symbols(v.count);
        symbols(v.startOffset);
    }
    expr(d.init);
    bool alias = v.kind != VarKind::Value;
    slot(d.target, alias);
}

void Collector::omp(const Omp &o) {
    symbols(o.numThreads);
    symbols(o.onlyIf);
    for (const Omp::Reduction &r : o.reductions) {
        variable(r.var, true);
        symbols(r.count);
    }
}

void Collector::node(const Node &n) {
    switch (n.kind) {
    case Kind::Declare:
        return declare(static_cast<const Declare &>(n));
    case Kind::Allocate: {
        const auto &a = static_cast<const Allocate &>(n);
        variable(a.var, true);
        return symbols(a.count);
    }
    case Kind::Release:
        return variable(static_cast<const Release &>(n).var, true);
    case Kind::Code:
        for (const py::StmtRef &s : static_cast<const Code &>(n).stmts)
            stmt(s);
        return;
    case Kind::Update: {
        const auto &u = static_cast<const Update &>(n);
        slot(u.target, true);
        for (const py::ExprRef &i : u.targetIndices)
            expr(i);
        expr(u.value);
        expr(u.lambda);
        return variable(u.old, true);
    }
    case Kind::RawTasklet: {
        const auto &t = static_cast<const RawTasklet &>(n);
        for (const RawTasklet::Binding &b : t.bindings) {
            using Form = RawTasklet::Binding::Form;
            if (b.isConst && b.form == Form::Pointer)
                source(b.ref);
            else
                slot(b.ref, b.form != Form::Value && b.form != Form::ConstRef && !b.isConst);
            symbols(b.symbol);
        }
        return text(t.text);
    }
    case Kind::For: {
        const auto &f = static_cast<const For &>(n);
        variable(f.var, true);
        out_.declared.insert(f_.vars[static_cast<std::size_t>(f.var)].name);
        symbols(f.begin);
        symbols(f.end);
        symbols(f.step);
        if (f.omp)
            omp(*f.omp);
        return;
    }
    case Kind::Loop: {
        const auto &l = static_cast<const Loop &>(n);
        stmt(l.init);
        stmt(l.update);
        expr(l.condition);
        return variable(l.declares, true);
    }
    case Kind::If:
        for (const If::Branch &b : static_cast<const If &>(n).branches)
            expr(b.condition);
        return;
    case Kind::Memcpy: {
        const auto &m = static_cast<const Memcpy &>(n);
        source(m.source);
        slot(m.target, true);
        return symbols(m.count);
    }
    case Kind::Fill: {
        const auto &x = static_cast<const Fill &>(n);
        slot(x.target, true);
        symbols(x.count);
        return expr(x.value);
    }
    case Kind::SetPointer: {
        const auto &s = static_cast<const SetPointer &>(n);
        variable(s.var, true);
        return slot(s.source, true);
    }
    case Kind::Call:
        return arguments(static_cast<const Call &>(n).arguments);
    case Kind::Launch: {
        const auto &l = static_cast<const Launch &>(n);
        arguments(l.arguments);
        for (const auto *sizes : {&l.grid, &l.block})
            for (sym::Expr e : *sizes)
                symbols(e);
        return;
    }
    case Kind::DeviceCopy: {
        const auto &c = static_cast<const DeviceCopy &>(n);
        slot(c.source, false);
        slot(c.target, true);
        for (sym::Expr e : {c.width, c.rows, c.sourcePitch, c.targetPitch, c.slices, c.sourceSlice, c.targetSlice})
            symbols(e);
        return;
    }
    case Kind::DeviceFill: {
        const auto &x = static_cast<const DeviceFill &>(n);
        slot(x.target, true);
        symbols(x.count);
        return expr(x.value);
    }
    case Kind::ParallelRegion: {
        const auto &p = static_cast<const ParallelRegion &>(n);
        variable(p.threadVar, true);
        variable(p.teamSizeVar, true);
        symbols(p.numThreads);
        return symbols(p.onlyIf);
    }
    case Kind::Consume: {
        const auto &c = static_cast<const Consume &>(n);
        slot(c.stream, true);
        symbols(c.numPes);
        expr(c.condition);
        variable(c.peVar, true);
        variable(c.elementVar, true);
        return variable(c.countVar, true);
    }
    case Kind::StreamPush: {
        const auto &p = static_cast<const StreamPush &>(n);
        slot(p.stream, true);
        expr(p.value);
        slot(p.source, false);
        return symbols(p.count);
    }
    case Kind::StreamPop: {
        const auto &p = static_cast<const StreamPop &>(n);
        slot(p.stream, true);
        slot(p.target, true);
        variable(p.countVar, true);
        return symbols(p.count);
    }
    case Kind::DataProbe: {
        const auto &p = static_cast<const DataProbe &>(n);
        slot(p.ref, true);
        for (sym::Expr e : p.shape)
            symbols(e);
        for (sym::Expr e : p.strides)
            symbols(e);
        symbols(p.count);
        return expr(p.condition);
    }
    default:
        return;
    }
}

} // namespace

Name MentionTable::root(VarId v) const {
    while (f_.vars[static_cast<std::size_t>(v)].kind == VarKind::Member)
        v = f_.vars[static_cast<std::size_t>(v)].parent;
    return f_.vars[static_cast<std::size_t>(v)].name;
}

Mentions MentionTable::own(const Node &n) const {
    Mentions out;
    Collector(f_, *this, out).node(n);
    return out;
}

Mentions MentionTable::inExpr(const py::ExprRef &e) const {
    Mentions out;
    Collector(f_, *this, out).expr(e);
    return out;
}

const Mentions &MentionTable::of(const Node &n) {
    if (auto it = table_.find(&n); it != table_.end())
        return it->second;
    Mentions all = own(n);
    // forEachBlock hands out blocks to change; here they are only read.
    forEachBlock(const_cast<Node &>(n), [&](Block &b) {
        for (const NodePtr &s : b.body)
            all.add(of(*s));
    });
    if (n.kind == Kind::RawTasklet)
        for (const NodePtr &s : static_cast<const RawTasklet &>(n).after)
            all.add(of(*s));
    return table_.emplace(&n, std::move(all)).first->second;
}

void forEachBlock(Node &n, const std::function<void(Block &)> &f) {
    switch (n.kind) {
    case Kind::Block:
        return f(static_cast<Block &>(n));
    case Kind::For:
        return f(static_cast<For &>(n).body);
    case Kind::Loop:
        return f(static_cast<Loop &>(n).body);
    case Kind::If:
        for (If::Branch &b : static_cast<If &>(n).branches)
            f(*b.body);
        return;
    case Kind::ParallelRegion:
        return f(static_cast<ParallelRegion &>(n).body);
    case Kind::Sections:
        for (auto &s : static_cast<Sections &>(n).sections)
            f(*s);
        return;
    case Kind::Consume:
        return f(static_cast<Consume &>(n).body);
    case Kind::Timer:
        return f(static_cast<Timer &>(n).body);
    default:
        return;
    }
}

Mentions mentionsOf(const Function &f) {
    MentionTable table(f);
    Mentions all;
    for (const NodePtr &n : f.body.body)
        all.add(table.of(*n));
    return all;
}

bool usesState(Block &b, const Module &m) {
    bool used = false;
    for (NodePtr &n : b.body) {
        used = used || n->kind == Kind::Timer || n->kind == Kind::DataProbe;
        used =
            used || (n->kind == Kind::Call && m.functions[static_cast<std::size_t>(static_cast<Call &>(*n).function)]->needsState);
        forEachBlock(*n, [&](Block &inner) { used = used || usesState(inner, m); });
    }
    return used;
}

bool hasLabel(const Block &b) {
    return std::any_of(b.body.begin(), b.body.end(), [](const NodePtr &n) { return n->kind == Kind::Label; });
}

bool contains(Block &b, Kind kind) {
    bool found = false;
    for (NodePtr &n : b.body) {
        found = found || n->kind == kind;
        forEachBlock(*n, [&](Block &inner) { found = found || contains(inner, kind); });
    }
    return found;
}

std::size_t insert(Block &b, std::size_t at, std::vector<NodePtr> inserted) {
    std::size_t count = inserted.size();
    b.body.insert(b.body.begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(inserted.begin()),
                  std::make_move_iterator(inserted.end()));
    return at + count;
}

} // namespace sdfgc::tree
