// Python code of a tasklet: which connectors become variables, and the code in terms of memory references.
#include "Tasklets.h"

#include "sdfgc/Analysis/Symbols.h"

#include <algorithm>

namespace sdfgc::tree {

namespace {

/// Name that a target stores to: `x`, `x[i]`, `x.f`.
Name targetName(const py::Expr &target) {
    const py::Expr *t = &target;
    while ((t->kind == ExprKind::Subscript || t->kind == ExprKind::Attribute) && !t->args.empty())
        t = t->args[0].get();
    return t->kind == ExprKind::Name ? t->name : Name();
}

} // namespace

int countMentions(const py::Expr &e, Name n) {
    int count = e.kind == ExprKind::Name && e.name == n;
    for (const ExprRef &a : e.args)
        if (a)
            count += countMentions(*a, n);
    for (const py::Keyword &k : e.keywords)
        if (k.value)
            count += countMentions(*k.value, n);
    return count;
}

void TaskletLowering::python(std::vector<StmtRef> code) {
    if (code.empty())
        return;
    py::Env env = l_.environment(in_);
    auto outer = env.typeOf;
    env.typeOf = [this, outer](Name n) -> std::optional<Type> {
        if (const Connection *c = find(outputs_, n))
            return c->type;
        if (const Connection *c = find(inputs_, n))
            return c->pointer && !c->single ? Type::pointer(c->type) : c->type;
        return outer(n);
    };
    code = renameLambdaParameters(py::resolveModules(code, env));
    code = py::splitChainedUpdates(code, [this](Name n) {
        const Connection *c = find(outputs_, n);
        return !c || !special(*c) ? py::Store::Plain
               : !c->wcr          ? py::Store::Other
               : c->dynamic       ? py::Store::DynamicUpdate
                                  : py::Store::Update;
    });
    in_.fn->names.open();
    auto block = std::make_unique<tree::Block>();
    tree::Block *outerBlock = out_;
    out_ = block.get();
    survey(code, false);
    plan(code);
    code = bind(code);
    code = typed(code, env);
    emit(code, *out_);
    for (Connection &c : outputs_)
        if (c.local && !c.keepsOld)
            store(c, l_.fn(in_).vars[c.local].name, *out_);
    in_.fn->names.close();
    out_ = outerBlock;
    land(std::move(block));
}

/// Parameters of lambdas get names of their own, so that replacing a connector of the same name leaves them alone.
std::vector<StmtRef> TaskletLowering::renameLambdaParameters(const std::vector<StmtRef> &code) {
    return py::rewrite(code, [](const ExprRef &e) -> ExprRef {
        if (e->kind != ExprKind::Lambda)
            return e;
        auto copy = std::make_shared<py::Expr>(*e);
        std::map<Name, ExprRef> renamed;
        for (Name &p : copy->params) {
            Name fresh("lambda_" + p.str());
            renamed[p] = py::name(fresh);
            p = fresh;
        }
        copy->args[0] = py::substitute(copy->args[0], renamed);
        return copy;
    });
}

void TaskletLowering::land(std::unique_ptr<tree::Block> block) {
    block->comment = "tasklet " + t_.label;
    bool declares = std::any_of(block->body.begin(), block->body.end(), [](const NodePtr &n) { return n->kind == Kind::Declare; });
    if (declares || block->body.size() > 1) {
        block->braces = declares;
        out_->body.push_back(std::move(block));
    } else if (!block->body.empty()) {
        block->body[0]->comment = block->comment;
        out_->body.push_back(std::move(block->body[0]));
    }
}

void TaskletLowering::survey(const std::vector<StmtRef> &code, bool inLoop) {
    for (const StmtRef &s : code) {
        bool loops = inLoop || s->kind == StmtKind::While || s->kind == StmtKind::For;
        for (auto *list : {&inputs_, &outputs_})
            for (Connection &c : *list) {
                for (const ExprRef &e : {s->value, s->extra})
                    if (e)
                        c.reads += countMentions(*e, c.conn);
                for (const ExprRef &target : s->targets) {
                    bool plain = target->kind == ExprKind::Name && target->name == c.conn;
                    if (targetName(*target) == c.conn) {
                        ++c.writes;
                        c.inLoop |= loops && plain;
                        c.augmented |= s->kind == StmtKind::AugAssign && plain;
                        if (target->kind != ExprKind::Name)
                            for (std::size_t i = 1; i < target->args.size(); ++i)
                                c.reads += countMentions(*target->args[i], c.conn);
                    } else {
                        c.reads += countMentions(*target, c.conn);
                    }
                }
            }
        if (s->old)
            declareOld(*s);
        survey(s->body, loops);
        survey(s->orelse, loops);
    }
}

void TaskletLowering::declareOld(const py::Stmt &s) {
    const VarId v = l_.declareValue(in_, "old", find(outputs_, targetName(*s.targets[0]))->type);
    out_->add<Declare>(v);
    olds_[s.old] = v;
}

bool TaskletLowering::storesComeLast(const std::vector<StmtRef> &code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
        const py::Stmt &s = *code[i];
        bool last = i + 1 == code.size();
        if (s.kind == StmtKind::If && last)
            return storesComeLast(s.body) && storesComeLast(s.orelse);
        if (!last || s.kind == StmtKind::While || s.kind == StmtKind::For)
            return false;
    }
    return true;
}

VarId TaskletLowering::rootVariable(VarId v) const {
    const auto &vars = l_.fn(in_).vars;
    return v && vars[v].kind == VarKind::Member ? rootVariable(vars[v].parent) : v;
}

void TaskletLowering::plan(const std::vector<StmtRef> &code) {
    bool last = storesComeLast(code) && outputs_.size() <= 1;
    for (Connection &c : outputs_) {
        bool needsLocal =
            !c.pointer && !c.stream && (c.reads > 0 || c.augmented || c.inLoop || (c.wcr && !c.dynamic && c.writes > 1));
        if (c.pointer && c.single && !c.wcr && (c.reads > 0 || c.augmented))
            needsLocal = false; // read and written in place
        c.keepsOld = needsLocal && c.wcr && c.dynamic;
        if (needsLocal)
            c.local = declareLocal(c, nullptr);
    }
    for (Connection &c : inputs_) {
        if (c.pointer && !c.single)
            continue;
        if (c.stream && (c.dynamic || !c.single))
            continue;
        bool written = std::any_of(outputs_.begin(), outputs_.end(), [&](const Connection &o) {
            return !o.local && rootVariable(o.place.var) == rootVariable(c.place.var);
        });
        bool value = c.place.var && l_.fn(in_).vars[c.place.var].kind == VarKind::Value;
        bool changed = c.writes > 0;
        bool hazard = written && !last && !c.dynamic;
        bool unwieldy = !value && !c.dynamic && c.reads > 2 && c.start.str().size() > 8;
        bool popped = c.stream && c.reads != 1;
        if (changed || hazard || unwieldy || popped)
            c.local = declareLocal(c, readOf(c));
    }
}

VarId TaskletLowering::declareLocal(const Connection &c, ExprRef init) {
    VarId v = l_.declareValue(in_, c.conn, c.type, init && c.writes == 0);
    out_->add<Declare>(v)->init = std::move(init);
    return v;
}

ExprRef TaskletLowering::readOf(const Connection &c) {
    RefId slot = l_.elementAt(in_, c.place, c.start);
    MemRef &r = l_.fn(in_).refs[slot];
    r.pop = c.stream;
    if (c.type.isVector() && !c.place.type.isVector())
        r.castTo = c.type;
    ExprRef e = tree::memRef(slot, r.castTo ? r.castTo : c.place.type);
    bool convert = !c.stream && c.type != e->type && c.type.isScalar() && e->type.isScalar();
    return convert ? py::castTo(c.type, e) : e;
}

std::vector<StmtRef> TaskletLowering::bind(const std::vector<StmtRef> &code) {
    auto isSymbol = [&](Name n) { // not one that the outer SDFG handed in
        const auto symbol = in_.symbols.find(n);
        return symbol != in_.symbols.end() && symbol->second.isSymbol() && analysis::changedSymbols(t_).count(n);
    };
    const py::BlockNames names = py::blockNames(code);
    for (Name n : names.written)
        if (!find(outputs_, n) && !find(inputs_, n) && !(names.read.count(n) && isSymbol(n)))
            locals_[n] = in_.fn->names.declare(n);
    const auto isCallback = l_.environment(in_).isCallback;
    auto subscripts = py::rewrite(code, [&](const ExprRef &e) {
        const bool callback = e->kind == ExprKind::Call && e->args[0]->kind == ExprKind::Name && isCallback(e->args[0]->name);
        return callback ? bindCallback(e) : bindSubscript(e);
    });
    return py::rewrite(subscripts, [this](const ExprRef &e) { return bindBareName(e); });
}

Connection *TaskletLowering::pointerConnection(const py::Expr &base) {
    if (base.kind != ExprKind::Name)
        return nullptr;
    for (auto *list : {&inputs_, &outputs_})
        for (Connection &c : *list)
            if (c.conn == base.name && !c.local && !c.stream && (c.pointer || !c.type.isVector()))
                return &c;
    return nullptr;
}

/// Strides of as many dimensions as a subscript counts: the squeezed ones, all, or those with tiles behind them.
std::optional<std::vector<sym::Expr>> TaskletLowering::stridesFor(const Connection &c, std::size_t rank) {
    for (const auto *list : {&c.strides, &c.allStrides}) {
        if (list->size() == rank)
            return *list;
        std::vector<sym::Expr> tiled = *list;
        tiled.insert(tiled.end(), c.tileStrides.begin(), c.tileStrides.end());
        if (tiled.size() == rank)
            return tiled;
    }
    return rank == 1 && c.strides.empty() ? std::optional(std::vector<sym::Expr>{1}) : std::nullopt;
}

/// A callback gets the address of what a pointer connector stands for, also where that is one element. It is a function of the
/// host.
ExprRef TaskletLowering::bindCallback(const ExprRef &e) {
    if (in_.fn->device.inside)
        l_.error(diag::Id::KernelVariable, analysis::placeOf(t_), t_.label, e->args[0]->name.str());
    auto call = std::make_shared<py::Expr>(*e);
    for (ExprRef &a : call->args)
        if (Connection *c = pointerConnection(*a); c && c->pointer && c->single && &a != &call->args.front())
            a = tree::memRef(l_.addressAt(in_, c->place, c->start), Type::pointer(c->place.type));
    return call;
}

ExprRef TaskletLowering::bindSubscript(const ExprRef &e) {
    if (e->kind != ExprKind::Subscript)
        return e->kind == ExprKind::Name ? bindSymbol(e) : e;
    Connection *c = pointerConnection(*e->args[0]);
    if (!c && e->args[0]->kind == ExprKind::Name && in_.g->constant(e->args[0]->name) && !locals_.count(e->args[0]->name))
        if (ExprRef element = l_.bindSubscript(in_, *e, analysis::placeOf(t_)))
            return element;
    if (!c || !c->place.var)
        return e;
    std::vector<ExprRef> indices(e->args.begin() + 1, e->args.end());
    if (indices.size() == 1 && indices[0]->kind == ExprKind::Tuple)
        indices = std::vector<ExprRef>(indices[0]->args);
    const std::optional<std::vector<sym::Expr>> strides = stridesFor(*c, indices.size());
    if (!strides) {
        l_.error(diag::Id::SubscriptRank, analysis::placeOf(t_), c->conn.str(), indices.size(), c->strides.size());
        return py::intLit(0);
    }
    return element(*c, indices, *strides);
}

ExprRef TaskletLowering::element(const Connection &c, const std::vector<ExprRef> &indices, const std::vector<sym::Expr> &strides) {
    py::Env env = l_.environment(in_);
    MemRef r;
    r.var = c.place.var;
    r.offset = c.start;
    std::vector<ExprRef> dynamic;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        ExprRef index = py::inferTypes(py::rewrite(indices[i], [this](const ExprRef &x) { return bindBareName(x); }), env);
        if (auto s = mayFold(*index) ? l_.toSym(*index) : std::nullopt) {
            r.offset += *s * strides[i];
        } else {
            dynamic.push_back(index);
            r.strides.push_back(l_.final(in_, strides[i]));
        }
    }
    bool value = l_.fn(in_).vars[r.var].kind == VarKind::Value;
    r.offset = value ? sym::Expr(0) : l_.final(in_, r.offset);
    if (value) {
        dynamic.clear();
        r.strides.clear();
    }
    auto out = std::make_shared<py::Expr>(*tree::memRef(l_.fn(in_).refs.add(r), c.place.type));
    out->args = std::move(dynamic);
    slots_[refOf(*out)] = &c;
    return out;
}

bool TaskletLowering::mayFold(const py::Expr &e) const {
    for (const auto &[original, renamed] : locals_)
        if (mentions(e, renamed) || mentions(e, original))
            return false;
    return true;
}

ExprRef TaskletLowering::bindSymbol(const ExprRef &e) {
    if (find(inputs_, e->name) || find(outputs_, e->name) || locals_.count(e->name))
        return e;
    if (auto it = in_.symbols.find(e->name); it != in_.symbols.end())
        return l_.toPy(in_, it->second);
    return e;
}

ExprRef TaskletLowering::bindBareName(const ExprRef &e) {
    if (e->kind != ExprKind::Name)
        return e;
    if (auto it = locals_.find(e->name); it != locals_.end())
        return py::name(it->second, e->type);
    if (auto it = olds_.find(e->name); it != olds_.end())
        return py::name(l_.varName(in_, it->second), l_.fn(in_).vars[it->second].type);
    for (auto *list : {&outputs_, &inputs_})
        if (Connection *c = find(*list, e->name))
            return bindConnector(*c, e);
    return bindSymbol(e);
}

ExprRef TaskletLowering::bindConnector(const Connection &c, const ExprRef &e) {
    if (c.local)
        return py::name(l_.varName(in_, c.local), c.type);
    if (c.setsReference)
        return e;
    if (c.pointer && !c.single) {
        RefId slot = l_.addressAt(in_, c.place, c.start);
        return tree::memRef(slot, Type::pointer(c.place.type));
    }
    ExprRef read = readOf(c);
    const py::Expr *ref = read.get();
    while (ref->kind == ExprKind::Cast)
        ref = ref->args[0].get();
    slots_[refOf(*ref)] = &c;
    return read;
}

std::vector<StmtRef> TaskletLowering::typed(std::vector<StmtRef> code, py::Env env) {
    auto isNonLocal = [](Name) { return false; };
    auto outer = env.typeOf;
    env.typeOf = [this, outer](Name n) -> std::optional<Type> {
        for (const auto &[original, renamed] : locals_)
            if (renamed == n)
                return std::nullopt;
        return outer(n);
    };
    py::TypedBlock t = py::inferTypes(code, env, isNonLocal);
    for (const py::TypeError &e : t.errors)
        l_.error(diag::Id::BadCode, analysis::placeOf(t_), e.message);
    for (const auto &[original, renamed] : locals_)
        if (auto it = t.locals.find(renamed); it != t.locals.end())
            localTypes_[renamed] = it->second;
    return py::lowerOperators(t.block, l_.semantics(), l_.nonNegativeOracle(in_));
}

} // namespace sdfgc::tree
