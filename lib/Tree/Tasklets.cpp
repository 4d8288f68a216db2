// Tasklets: connectors become memory references, so that `c = a + b` prints as `C[i] = A[i] + B[i]`.
//
// A connector becomes a variable only where the memory model needs one (docs/design.md):
//   inputs   read once before the code. Substituted in place when nothing that the tasklet writes earlier can change the value: the
//            variable they live in is not written, or every store is the last thing the code does. Long subscripts that are used often get
//            a constant for readability. Dynamic inputs are read where they are used.
//   outputs  written where the code assigns them. A local variable only when the code reads its own output or accumulates into it.
// Conflict resolution, stream pushes and references are statements of the tree; an `if` around them becomes one of the tree too.
// C++ tasklets are taken as written, with a variable for each connector.
#include "Lowering.h"

#include <algorithm>
#include <cctype>

namespace sdfgc::tree {

using namespace ir;
using py::ExprKind;
using py::ExprRef;
using py::StmtKind;
using py::StmtRef;

namespace {

struct Connection {
    Name conn;
    Edge *edge = nullptr;
    Type type;            // element type that the code sees
    bool pointer = false; // the code sees an address
    bool single = false;  // the subset is one element
    bool dynamic = false;
    bool stream = false;
    bool setsReference = false;
    Place place;
    sym::Expr start;                // offset of the first element
    std::vector<sym::Expr> strides; // of the dimensions that subscripts count (squeezed)
    std::vector<sym::Expr> allStrides;
    // outputs with conflict resolution
    bool wcr = false, atomic = false;
    py::Reduction reduction = py::Reduction::Custom;
    ExprRef lambda;
    // plan
    VarId local = -1;
    int reads = 0, writes = 0;
    bool augmented = false, inLoop = false;
};

bool mentions(const py::Expr &e, Name n) {
    if (e.kind == ExprKind::Name && e.name == n)
        return true;
    for (const ExprRef &a : e.args)
        if (a && mentions(*a, n))
            return true;
    for (const py::Keyword &k : e.keywords)
        if (k.value && mentions(*k.value, n))
            return true;
    return false;
}

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

/// Name that a target stores to: `x`, `x[i]`, `x.f`.
Name targetName(const py::Expr &target) {
    const py::Expr *t = &target;
    while ((t->kind == ExprKind::Subscript || t->kind == ExprKind::Attribute) && !t->args.empty())
        t = t->args[0].get();
    return t->kind == ExprKind::Name ? t->name : Name();
}

bool stores(const py::Stmt &s) {
    return s.kind == StmtKind::Assign || s.kind == StmtKind::AugAssign || s.kind == StmtKind::AnnAssign;
}

} // namespace

class TaskletLowering {
public:
    TaskletLowering(Lowering &l, Instance &in, Tasklet &t, tree::Block &out) : l_(l), in_(in), t_(t), out_(&out) {}

    void run() {
        if (t_.code.text.find("__state") != std::string::npos)
            l_.fn(in_).needsState = true;
        if (!connect())
            return;
        if (t_.code.language == Language::Python) {
            auto parsed = py::parseBlock(t_.code.text);
            if (parsed.value)
                return python(*parsed.value);
        } else if (t_.code.language != Language::CPP) {
            l_.error(diag::Id::LowerUnsupported, analysis::placeOf(t_),
                     {"a tasklet in " + std::string(name(t_.code.language)), "target cpu compiles Python and CPP tasklets"});
            return;
        }
        cpp();
    }

private:
    // ------------------------------------------------------------------------------------------------ connections
    bool connect() {
        for (Edge *e : t_.inEdges())
            if (e->dstConn && !connectInput(*e))
                return false;
        for (Edge *e : t_.outEdges())
            if (e->srcConn && !connectOutput(*e))
                return false;
        return true;
    }

    bool connectInput(Edge &e) {
        Connection c;
        c.conn = e.dstConn;
        c.edge = &e;
        const Connector *connector = t_.inConnector(e.dstConn);
        Type type = connector ? connector->type : Type();
        c.dynamic = e.memlet.dynamic;
        if (auto it = in_.edgeValues.find(&e); it != in_.edgeValues.end()) {
            const Variable &v = l_.fn(in_).vars[static_cast<std::size_t>(it->second)];
            c.place.var = it->second;
            c.place.type = v.type;
            c.type = v.type;
            c.single = true;
            c.pointer = v.kind == VarKind::Pointer;
            c.strides = c.allStrides = {1};
            inputs_.push_back(c);
            return true;
        }
        auto *source = dyn_cast<AccessNode>(analysis::pathSource(&e));
        if (!source || !bindPlace(c, e, *source, true, type))
            return fail(e);
        inputs_.push_back(c);
        return true;
    }

    bool connectOutput(Edge &e) {
        Connection c;
        c.conn = e.srcConn;
        c.edge = &e;
        const Connector *connector = t_.outConnector(e.srcConn);
        Type type = connector ? connector->type : Type();
        c.dynamic = e.memlet.dynamic;
        ir::Node *end = analysis::pathDestination(&e);
        auto *target = dyn_cast<AccessNode>(end);
        if (!target) {
            if (!end || (!end->isCode() && !end->isEntry()))
                return fail(e);
            bool hides = t_.code.language != Language::Python; // C++ text declares the connector's own name
            Name wanted = hides ? Name(t_.label + "_" + e.srcConn.str()) : e.srcConn;
            VarId v = l_.declareValue(in_, wanted, type ? type : Type(ScalarKind::Float64));
            out_->add<Declare>(v);
            in_.edgeValues[&e] = v;
            c.place.var = v;
            c.place.type = c.type = l_.fn(in_).vars[static_cast<std::size_t>(v)].type;
            c.single = true;
            c.strides = c.allStrides = {1};
            outputs_.push_back(c);
            return true;
        }
        std::vector<Edge *> path = analysis::memletPath(&e);
        if (path.back()->dstConn == Name("set")) {
            c.setsReference = true;
            c.place = l_.placeOfNode(in_, *target);
            c.pointer = true;
            c.type = c.place.type;
            outputs_.push_back(c);
            return c.place.valid() || fail(e);
        }
        if (!bindPlace(c, e, *target, false, type))
            return fail(e);
        if (!e.memlet.wcr.empty())
            bindWcr(c, e, *target);
        outputs_.push_back(c);
        return true;
    }

    bool bindPlace(Connection &c, Edge &e, AccessNode &node, bool source, Type type) {
        c.place = l_.placeAt(in_, e, node);
        if (!c.place.valid())
            return false;
        const DataDesc *d = c.place.desc;
        c.stream = d && d->isStream();
        auto subset = source ? analysis::sourceSubset(&e) : analysis::destinationSubset(&e);
        sym::Subset s = subset ? l_.sub(in_, *subset) : d ? l_.sub(in_, d->fullSubset()) : sym::Subset();
        if (s.rank() != c.place.strides.size())
            s = d ? l_.sub(in_, d->fullSubset()) : s;
        c.start = l_.startOffset(c.place, s);
        c.single = s.isOneElement() || (d && d->isScalar());
        c.pointer = type.isPointer() && type != c.place.type;
        c.type = c.pointer ? type.element() : type ? type : c.place.type;
        if (c.type.isVoid())
            c.type = c.place.type;
        for (std::size_t dim = 0; dim < c.place.strides.size(); ++dim) {
            c.allStrides.push_back(c.place.strides[dim] * s.dims[dim].step);
            if (!s.dims[dim].size().isOne())
                c.strides.push_back(c.allStrides.back());
        }
        return true;
    }

    void bindWcr(Connection &c, Edge &e, AccessNode &target) {
        c.wcr = true;
        auto wcr = py::parseWcr(e.memlet.wcr);
        if (!wcr.value) {
            l_.error(diag::Id::BadCode, analysis::placeOf(e), {wcr.error.message});
            return;
        }
        c.reduction = wcr.value->kind;
        c.lambda = wcr.value->lambda;
        if (e.memlet.wcrMode == WcrMode::Reduction) {
            if (auto it = in_.reductions.find(target.data); it != in_.reductions.end()) {
                bool single = l_.fn(in_).vars[static_cast<std::size_t>(it->second.var)].kind == VarKind::Value;
                sym::Subset s = l_.sub(in_, *analysis::destinationSubset(&e));
                c.place = it->second;
                c.start = single ? sym::Expr(0) : l_.startOffset(c.place, s);
                return;
            }
        }
        c.atomic = e.memlet.wcrMode != WcrMode::Plain && in_.fn->parallelDepth > 0;
    }

    bool fail(const Edge &e) {
        l_.error(diag::Id::NoPlace, analysis::placeOf(e), {e.memlet.data ? e.memlet.data.str() : "value"});
        return false;
    }

    Connection *find(std::vector<Connection> &list, Name n) {
        for (Connection &c : list)
            if (c.conn == n)
                return &c;
        return nullptr;
    }

    // ------------------------------------------------------------------------------------------------ Python
    void python(std::vector<StmtRef> code) {
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
        code = py::resolveModules(code, env);
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
            if (c.local >= 0)
                store(c, l_.fn(in_).vars[static_cast<std::size_t>(c.local)].name, *out_);
        in_.fn->names.close();
        out_ = outerBlock;
        land(std::move(block));
    }

    /// The statements join the surrounding block when they declare nothing.
    void land(std::unique_ptr<tree::Block> block) {
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

    /// Counts reads and writes of connectors.
    void survey(const std::vector<StmtRef> &code, bool inLoop) {
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
            survey(s->body, loops);
            survey(s->orelse, loops);
        }
    }

    /// Is every store the last thing that happens on its path? Then no input is read after a store.
    static bool storesComeLast(const std::vector<StmtRef> &code) {
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

    VarId rootVariable(VarId v) const {
        const auto &vars = l_.fn(in_).vars;
        return v >= 0 && vars[static_cast<std::size_t>(v)].kind == VarKind::Member ? rootVariable(vars[static_cast<std::size_t>(v)].parent) : v;
    }

    void plan(const std::vector<StmtRef> &code) {
        bool last = storesComeLast(code) && outputs_.size() <= 1;
        for (Connection &c : outputs_) {
            bool needsLocal = !c.pointer && !c.stream && (c.reads > 0 || c.augmented || c.inLoop || (c.wcr && !c.dynamic && c.writes > 1));
            if (c.pointer && c.single && !c.wcr && (c.reads > 0 || c.augmented))
                needsLocal = false; // read and written in place
            if (needsLocal)
                c.local = declareLocal(c, nullptr);
        }
        for (Connection &c : inputs_) {
            if (c.pointer && !c.single)
                continue;
            if (c.stream && (c.dynamic || !c.single))
                continue;
            bool written = std::any_of(outputs_.begin(), outputs_.end(), [&](const Connection &o) {
                return o.local < 0 && rootVariable(o.place.var) == rootVariable(c.place.var);
            });
            bool value = c.place.var >= 0 && l_.fn(in_).vars[static_cast<std::size_t>(c.place.var)].kind == VarKind::Value;
            bool changed = c.writes > 0;
            bool hazard = written && !last && !c.dynamic;
            bool unwieldy = !value && !c.dynamic && c.reads > 2 && c.start.str().size() > 8;
            bool popped = c.stream && c.reads != 1;
            if (changed || hazard || unwieldy || popped)
                c.local = declareLocal(c, readOf(c));
        }
    }

    VarId declareLocal(const Connection &c, ExprRef init) {
        VarId v = l_.declareValue(in_, c.conn, c.type, init && c.writes == 0);
        out_->add<Declare>(v)->init = std::move(init);
        return v;
    }

    /// The element behind a value connector.
    ExprRef readOf(const Connection &c) {
        int slot = l_.elementAt(in_, c.place, c.start);
        MemRef &r = l_.fn(in_).refs[static_cast<std::size_t>(slot)];
        r.pop = c.stream;
        if (c.type.isVector() && !c.place.type.isVector())
            r.castTo = c.type;
        ExprRef e = py::memRef(slot, r.castTo ? r.castTo : c.place.type);
        bool convert = !c.stream && c.type != e->type && c.type.isScalar() && e->type.isScalar();
        return convert ? py::castTo(c.type, e) : e;
    }

    /// Replaces connectors, symbols and locals in the code. Subscripts of pointer connectors first, bare names after.
    std::vector<StmtRef> bind(const std::vector<StmtRef> &code) {
        std::set<Name> written = py::blockNames(code).written;
        for (Name n : written)
            if (!find(outputs_, n) && !find(inputs_, n))
                locals_[n] = in_.fn->names.declare(n);
        auto subscripts = py::rewrite(code, [this](const ExprRef &e) { return bindSubscript(e); });
        return py::rewrite(subscripts, [this](const ExprRef &e) { return bindBareName(e); });
    }

    Connection *pointerConnection(const py::Expr &base) {
        if (base.kind != ExprKind::Name)
            return nullptr;
        for (auto *list : {&inputs_, &outputs_})
            for (Connection &c : *list)
                if (c.conn == base.name && c.local < 0 && !c.stream && (c.pointer || !c.type.isVector()))
                    return &c;
        return nullptr;
    }

    ExprRef bindSubscript(const ExprRef &e) {
        if (e->kind != ExprKind::Subscript)
            return e->kind == ExprKind::Name ? bindSymbol(e) : e;
        Connection *c = pointerConnection(*e->args[0]);
        if (!c || c->place.var < 0)
            return e;
        std::vector<ExprRef> indices(e->args.begin() + 1, e->args.end());
        if (indices.size() == 1 && indices[0]->kind == ExprKind::Tuple)
            indices = std::vector<ExprRef>(indices[0]->args);
        const std::vector<sym::Expr> *strides = indices.size() == c->strides.size() ? &c->strides : nullptr;
        std::vector<sym::Expr> one{1};
        if (!strides && indices.size() == c->allStrides.size())
            strides = &c->allStrides;
        if (!strides && indices.size() == 1)
            strides = c->strides.empty() ? &one : nullptr;
        if (!strides) {
            l_.error(diag::Id::SubscriptRank, analysis::placeOf(t_),
                     {c->conn.str(), std::to_string(indices.size()), std::to_string(c->strides.size())});
            return py::intLit(0);
        }
        return element(*c, indices, *strides);
    }

    ExprRef element(const Connection &c, const std::vector<ExprRef> &indices, const std::vector<sym::Expr> &strides) {
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
        bool value = l_.fn(in_).vars[static_cast<std::size_t>(r.var)].kind == VarKind::Value;
        r.offset = value ? sym::Expr(0) : l_.final(in_, r.offset);
        if (value) {
            dynamic.clear();
            r.strides.clear();
        }
        auto out = std::make_shared<py::Expr>(*py::memRef(l_.fn(in_).addRef(r), c.place.type));
        out->args = std::move(dynamic);
        slots_[out->slot] = &c;
        return out;
    }

    /// Only names of symbols and loop-invariant variables may enter offsets: locals of the code change while it runs.
    bool mayFold(const py::Expr &e) const {
        for (const auto &[original, renamed] : locals_)
            if (mentions(e, renamed) || mentions(e, original))
                return false;
        return true;
    }

    ExprRef bindSymbol(const ExprRef &e) {
        if (find(inputs_, e->name) || find(outputs_, e->name) || locals_.count(e->name))
            return e;
        if (auto it = in_.symbols.find(e->name); it != in_.symbols.end())
            return l_.toPy(in_, it->second);
        return e;
    }

    ExprRef bindBareName(const ExprRef &e) {
        if (e->kind != ExprKind::Name)
            return e;
        if (auto it = locals_.find(e->name); it != locals_.end())
            return py::name(it->second, e->type);
        for (auto *list : {&outputs_, &inputs_})
            if (Connection *c = find(*list, e->name))
                return bindConnector(*c, e);
        return bindSymbol(e);
    }

    ExprRef bindConnector(const Connection &c, const ExprRef &e) {
        if (c.local >= 0)
            return py::name(l_.varName(in_, c.local), c.type);
        if (c.setsReference)
            return e;
        if (c.pointer && !c.single) {
            int slot = l_.addressAt(in_, c.place, c.start);
            return py::memRef(slot, Type::pointer(c.place.type));
        }
        ExprRef read = readOf(c);
        const py::Expr *ref = read.get();
        while (ref->kind == ExprKind::Cast)
            ref = ref->args[0].get();
        slots_[ref->slot] = &c;
        return read;
    }

    std::vector<StmtRef> typed(std::vector<StmtRef> code, py::Env env) {
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
            l_.error(diag::Id::BadCode, analysis::placeOf(t_), {e.message});
        for (const auto &[original, renamed] : locals_)
            if (auto it = t.locals.find(renamed); it != t.locals.end())
                localTypes_[renamed] = it->second;
        return py::lowerOperators(t.block, l_.semantics(), l_.nonNegativeOracle(in_));
    }

    // ------------------------------------------------------------------------------------------------ statements
    const Connection *storedTo(const py::Stmt &s) const {
        if (!stores(s) || s.targets.size() != 1)
            return nullptr;
        const py::Expr *t = s.targets[0].get();
        while (t->kind == ExprKind::Cast)
            t = t->args[0].get();
        if (t->kind == ExprKind::MemRef)
            if (auto it = slots_.find(t->slot); it != slots_.end())
                return it->second;
        if (t->kind == ExprKind::Name)
            for (const Connection &c : outputs_)
                if (c.setsReference && c.conn == t->name)
                    return &c;
        return nullptr;
    }

    static bool special(const Connection &c) { return c.wcr || c.stream || c.setsReference; }

    bool containsSpecial(const std::vector<StmtRef> &code) const {
        for (const StmtRef &s : code) {
            const Connection *c = storedTo(*s);
            if ((c && special(*c)) || containsSpecial(s->body) || containsSpecial(s->orelse))
                return true;
        }
        return false;
    }

    void emit(const std::vector<StmtRef> &code, tree::Block &to) {
        bool split = containsSpecial(code);
        if (split)
            predeclare(code, to);
        tree::Code *group = nullptr;
        for (const StmtRef &s : code) {
            const Connection *c = storedTo(*s);
            bool structured = split && (s->kind == StmtKind::If || s->kind == StmtKind::While || s->kind == StmtKind::For) &&
                              (containsSpecial(s->body) || containsSpecial(s->orelse));
            if (c && special(*c)) {
                storeStatement(*c, *s, to);
                group = nullptr;
            } else if (structured) {
                emitStructured(*s, to);
                group = nullptr;
            } else {
                if (!group) {
                    group = to.add<tree::Code>();
                    if (!split)
                        group->locals = localTypes_;
                    group->braces = !group->locals.empty();
                }
                group->stmts.push_back(plainTarget(s));
            }
        }
    }

    /// Locals that live across several statements of the tree are declared in front of them.
    void predeclare(const std::vector<StmtRef> &, tree::Block &to) {
        for (const auto &[name, type] : localTypes_) {
            Variable v;
            v.name = name;
            v.type = type ? type : Type(ScalarKind::Float64);
            to.add<Declare>(l_.fn(in_).addVar(std::move(v)));
        }
        localTypes_.clear();
    }

    /// A store's target is the element itself, without the conversion that reading it would need.
    static StmtRef plainTarget(const StmtRef &s) {
        if (s->targets.empty() || s->targets[0]->kind != ExprKind::Cast)
            return s;
        auto copy = std::make_shared<py::Stmt>(*s);
        while (copy->targets[0]->kind == ExprKind::Cast)
            copy->targets[0] = copy->targets[0]->args[0];
        return copy;
    }

    void emitStructured(const py::Stmt &s, tree::Block &to) {
        if (s.kind == StmtKind::If) {
            auto *branch = to.add<tree::If>();
            branch->branches.push_back({s.value, std::make_unique<tree::Block>()});
            emit(s.body, *branch->branches.back().body);
            if (!s.orelse.empty()) {
                branch->branches.push_back({nullptr, std::make_unique<tree::Block>()});
                emit(s.orelse, *branch->branches.back().body);
            }
        } else if (s.kind == StmtKind::While) {
            auto *loop = to.add<tree::Loop>();
            loop->condition = s.value;
            emit(s.body, loop->body);
        } else {
            emitRange(s, to);
        }
    }

    /// `for i in range(a, b, s)` around statements of the tree.
    void emitRange(const py::Stmt &s, tree::Block &to) {
        const py::Expr &call = *s.value;
        std::vector<ExprRef> args(call.kind == ExprKind::Call ? call.args.begin() + 1 : call.args.end(), call.args.end());
        const bool range = call.kind == ExprKind::Call && call.args[0]->kind == ExprKind::Name && call.args[0]->name == Name("range") &&
                           !args.empty() && args.size() <= 3 && s.targets[0]->kind == ExprKind::Name;
        if (!range) {
            l_.error(diag::Id::BadCode, analysis::placeOf(t_), {"a loop with conflict resolution inside must be over `range`"});
            return;
        }
        ExprRef variable = s.targets[0], begin = args.size() > 1 ? args[0] : py::intLit(0), end = args.size() > 1 ? args[1] : args[0];
        ExprRef step = args.size() > 2 ? args[2] : py::intLit(1);
        bool down = step->kind == ExprKind::Unary && step->op == py::Op::Neg;
        auto *loop = to.add<tree::Loop>();
        auto test = std::make_shared<py::Expr>();
        test->kind = ExprKind::Compare;
        test->args = {variable, end};
        test->ops = {down ? py::Op::Gt : py::Op::Lt};
        test->type = ScalarKind::Bool;
        loop->init = py::assign(variable, begin);
        loop->condition = test;
        loop->update = py::assign(variable, py::binary(py::Op::Add, variable, step, ScalarKind::Int64));
        emit(s.body, loop->body);
    }

    // ------------------------------------------------------------------------------------------------ stores
    void storeStatement(const Connection &c, const py::Stmt &s, tree::Block &to) {
        const py::Expr *target = s.targets[0].get();
        while (target->kind == ExprKind::Cast)
            target = target->args[0].get();
        storeValue(c, target->kind == ExprKind::MemRef ? target : nullptr, s.value, to);
    }

    void store(const Connection &c, Name variable, tree::Block &to) { storeValue(c, nullptr, py::name(variable, c.type), to); }

    void storeValue(const Connection &c, const py::Expr *target, ExprRef value, tree::Block &to) {
        if (c.setsReference) {
            // The value is an address: of a pointer connector, or a pointer computed by the code.
            if (value->kind == ExprKind::MemRef) {
                to.add<SetPointer>(c.place.var, value->slot);
            } else {
                auto *code = to.add<tree::Code>();
                code->stmts.push_back(py::assign(py::name(l_.varName(in_, c.place.var)), value));
            }
            return;
        }
        if (c.stream) {
            auto *push = to.add<StreamPush>();
            push->stream = l_.elementAt(in_, c.place, c.start);
            push->value = std::move(value);
            return;
        }
        int slot = target ? target->slot : l_.elementAt(in_, c.place, c.start);
        std::vector<ExprRef> indices = target ? target->args : std::vector<ExprRef>();
        if (c.type.isVector() && !c.place.type.isVector())
            l_.fn(in_).refs[static_cast<std::size_t>(slot)].castTo = c.type;
        if (c.wcr) {
            auto *update = to.add<Update>();
            update->target = slot;
            update->targetIndices = indices;
            update->value = std::move(value);
            update->reduction = c.reduction;
            update->lambda = c.lambda;
            update->atomic = c.atomic;
            return;
        }
        auto ref = std::make_shared<py::Expr>(*py::memRef(slot, c.place.type));
        ref->args = indices;
        to.add<tree::Code>()->stmts.push_back(py::assign(ref, std::move(value)));
    }

    // ------------------------------------------------------------------------------------------------ C++
    void cpp() {
        l_.module_->rawCpp = true;
        auto outer = std::make_unique<tree::Block>();
        in_.fn->names.open();
        auto raw = std::make_unique<RawTasklet>();
        raw->comment = "tasklet " + t_.label;
        raw->text = t_.code.text;
        std::set<Name> taken;
        for (const Connection &c : inputs_)
            taken.insert(c.conn);
        for (const Connection &c : outputs_)
            taken.insert(c.conn);
        std::vector<Name> symbols = symbolsIn(t_.code.text, taken);
        taken.insert(symbols.begin(), symbols.end());
        std::map<Name, sym::Expr> aliases;
        for (Name s : symbols)
            bindRawSymbol(s, taken, aliases, *raw, *outer);
        for (Connection &c : inputs_)
            bindRaw(c, true, taken, aliases, *raw, *outer);
        tree::Block after;
        for (Connection &c : outputs_) {
            if (find(inputs_, c.conn))
                continue;
            bindRaw(c, false, taken, aliases, *raw, *outer);
            if (c.place.var >= 0 && taken.count(l_.varName(in_, c.place.var)))
                c.place = aliasPlace(c.place, *outer);
            c.start = throughAliases(c.start, taken, aliases, *outer);
            if (!c.pointer && !c.stream)
                store(c, c.conn, after);
            else if (c.setsReference)
                storeValue(c, nullptr, py::name(c.conn), after);
        }
        raw->after = std::move(after.body);
        outer->body.push_back(std::move(raw));
        in_.fn->names.close();
        if (outer->body.size() == 1) {
            out_->body.push_back(std::move(outer->body[0]));
        } else {
            outer->braces = true;
            out_->body.push_back(std::move(outer));
        }
    }

    std::vector<Name> symbolsIn(const std::string &text, const std::set<Name> &connectors) const {
        std::vector<Name> found;
        std::set<Name> ignored(t_.ignoredSymbols.begin(), t_.ignoredSymbols.end());
        for (std::size_t i = 0; i < text.size();) {
            if (!std::isalpha(static_cast<unsigned char>(text[i])) && text[i] != '_') {
                // Digits with suffixes are one token, so that `1e5` has no identifier `e5`.
                bool digit = std::isdigit(static_cast<unsigned char>(text[i]));
                do
                    ++i;
                while (digit && i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])));
                continue;
            }
            std::size_t begin = i;
            while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_'))
                ++i;
            Name n(std::string_view(text).substr(begin, i - begin));
            if (in_.symbols.count(n) && !connectors.count(n) && !ignored.count(n) && std::find(found.begin(), found.end(), n) == found.end())
                found.push_back(n);
        }
        return found;
    }

    /// A variable that a binding reads but whose name the binding list redefines is read through another name.
    sym::Expr throughAliases(sym::Expr e, const std::set<Name> &taken, std::map<Name, sym::Expr> &aliases, tree::Block &outer) {
        for (Name n : e.freeSymbols())
            if (taken.count(n) && !aliases.count(n)) {
                Type t = in_.fn->facts.count(n) ? in_.fn->facts[n].type : Type(ScalarKind::Int64);
                VarId v = l_.declareValue(in_, n, t ? t : Type(ScalarKind::Int64), true);
                outer.add<Declare>(v)->init = py::name(n, t);
                aliases[n] = sym::Expr::symbol(l_.varName(in_, v));
            }
        return sym::substitute(e, aliases);
    }

    void bindRawSymbol(Name s, const std::set<Name> &taken, std::map<Name, sym::Expr> &aliases, RawTasklet &raw, tree::Block &outer) {
        sym::Expr value = in_.symbols[s];
        const Type *declared = in_.g->symbols.find(s);
        Type variable = in_.symbolTypes[s];
        Type type = declared && *declared ? *declared : variable;
        if (type.isCallback() || type.isVoid())
            type = variable;
        bool same = value.isSymbol(s) && type == variable;
        if (same)
            return;
        RawTasklet::Binding b;
        b.name = s;
        b.type = type ? type : Type(ScalarKind::Int64);
        b.form = RawTasklet::Binding::Symbol;
        b.isConst = true;
        b.symbol = throughAliases(value, taken, aliases, outer);
        raw.bindings.push_back(std::move(b));
    }

    void bindRaw(Connection &c, bool input, const std::set<Name> &taken, std::map<Name, sym::Expr> &aliases, RawTasklet &raw, tree::Block &outer) {
        RawTasklet::Binding b;
        b.name = c.conn;
        b.type = c.type;
        using Form = RawTasklet::Binding::Form;
        b.form = c.stream ? Form::Stream : c.pointer ? Form::Pointer : input ? (c.dynamic ? Form::ConstRef : Form::Value) : Form::Uninitialised;
        if (c.stream && input && !c.dynamic && c.single)
            b.form = Form::Value;
        if (c.setsReference)
            b.form = Form::Pointer;
        if (b.form != Form::Uninitialised && !c.setsReference) {
            Place p = c.place;
            if (p.var >= 0 && taken.count(l_.varName(in_, p.var)))
                p = aliasPlace(p, outer);
            sym::Expr start = throughAliases(c.start, taken, aliases, outer);
            bool address = b.form == Form::Pointer;
            b.ref = address ? l_.addressAt(in_, p, start) : l_.elementAt(in_, p, start);
            MemRef &r = l_.fn(in_).refs[static_cast<std::size_t>(b.ref)];
            r.pop = c.stream && b.form == Form::Value;
            if (c.type != p.type && (address || c.type.isVector()))
                r.castTo = c.type;
            b.isConst = p.var >= 0 && l_.fn(in_).vars[static_cast<std::size_t>(p.var)].isConst;
        }
        raw.bindings.push_back(std::move(b));
    }

    /// Another name for the memory of a variable whose own name is about to be hidden.
    Place aliasPlace(const Place &p, tree::Block &outer) {
        const Variable &old = l_.fn(in_).vars[static_cast<std::size_t>(p.var)];
        Variable v;
        v.type = old.type;
        v.isConst = old.isConst;
        v.kind = old.kind == VarKind::Value || old.kind == VarKind::Reference ? VarKind::Reference
                 : old.kind == VarKind::Stream                               ? VarKind::StreamRef
                                                                             : VarKind::Pointer;
        bool address = v.kind == VarKind::Pointer;
        v.name = in_.fn->names.declare(old.name);
        VarId id = l_.fn(in_).addVar(std::move(v));
        Place base = p;
        int target = address ? l_.addressAt(in_, base, 0) : l_.elementAt(in_, base, 0);
        outer.add<Declare>(id)->target = target;
        Place alias = p;
        alias.var = id;
        return alias;
    }

    Lowering &l_;
    Instance &in_;
    Tasklet &t_;
    tree::Block *out_;
    std::vector<Connection> inputs_, outputs_;
    std::map<Name, Name> locals_;      // name in the code -> variable
    std::map<Name, Type> localTypes_;  // by variable name
    std::map<int, const Connection *> slots_;
};

void Lowering::tasklet(Instance &in, Tasklet &t, tree::Block &out) {
    // An unlabelled or empty tasklet emits nothing (format reference 6.3).
    if (t.label.empty() || t.code.empty())
        return;
    if (!t.codeGlobal.empty())
        module_->globalCode.push_back(t.codeGlobal.text);
    if (!t.codeInit.empty())
        module_->initCode.push_back(t.codeInit.text);
    if (!t.codeExit.empty())
        module_->exitCode.push_back(t.codeExit.text);
    module_->rawCpp |= !t.codeGlobal.empty() || !t.codeInit.empty() || !t.codeExit.empty();
    for (const std::string &f : t.stateFields)
        module_->rawFields.push_back(f);
    for (Name e : t.environments)
        if (std::find(module_->environments.begin(), module_->environments.end(), e) == module_->environments.end())
            module_->environments.push_back(e);
    tree::Block *body = &out;
    if (t.instrument == Instrumentation::Timer) {
        auto *timer = out.add<Timer>();
        timer->cfg = in.state->parent()->cfgId;
        timer->state = static_cast<int>(in.state->id());
        timer->node = static_cast<int>(t.id());
        timer->name = "Tasklet " + std::to_string(timer->cfg) + "_" + std::to_string(timer->state) + "_" + std::to_string(timer->node);
        body = &timer->body;
        instrumented(in);
    }
    TaskletLowering(*this, in, t, *body).run();
}

} // namespace sdfgc::tree
