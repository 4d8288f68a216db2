// insert-checks: the program checks what it accesses while it runs (`--checks`).
//
//     for (i = 0:M)                                     #pragma omp parallel for
//         B[i] = A[idx[i]] / d              becomes     for (i = 0:M) failure.run([&] {
//                                                           B[i + element("B", where, i, N)] =
//                                                               A[idx[i] + element("A", where, idx[i], K)] / divisor(where, d);
//                                                       });
//                                                       failure.rethrow();
//
// The lowering has recorded what each reference to memory is in the graph: container, index, shape (tree::Element). No pass looks at
// that; it is carried along and renamed like offsets. This pass is the last one, so the checks are of the accesses that are left:
// what earlier passes removed or moved is checked where it is now, with the names that the graph had when it was lowered.
//
// A check is a call in an expression, which returns 0, or the value that it is given, and throws where it fails. An access is checked
// when, and only when, it is made, wherever it is: in branches of a conditional expression, in conditions of loops.
//
//   1. Elements: the index of each dimension is in the shape. For part of larger memory (an argument of a nested SDFG, a view), the
//      element is in that memory. A pointer is not null.
//   2. Regions (copies, connectors of code in C++ and of libraries): the first and last index are in the shape.
//   3. Sizes of transients: none is negative, and their product has 64 bits.
//   4. Divisors of integers, in / // and %: not 0.
//   5. Reads of new memory: transients of the types float64, float32 and int64 get a pattern where they are declared, and what is read
//      must not have it. Copies may pass the pattern on.
//
// A check is left out where ranges of loops prove it: the index is affine in variables of the loops around it, and with their first
// and last values it is in the shape. The proof uses only what no statement of the function changes.
//
// Exceptions must not leave threads. A parallel loop is put in a block that has a deferred error; its body runs in it, and the
// block raises the first failure behind the loop. In a region, statements that threads do not share run in the deferred error one by
// one, and so do bodies of shared loops: all threads reach the same loops and barriers, failed or not. Vectors are given up in loops
// with checks.
//
// Not checked: what decides how threads of a region reach shared loops (conditions, and initial values of variables of a thread);
// functions with shared loops whose region is in the caller; sizes and bounds of loops themselves; elements that only such expressions
// read; streams; the insides of code in C++ and of libraries; memory that passes reuse for a second time. Kernels: the driver refuses
// `--checks` for GPUs.
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/CertainUse.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Fields.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;
using py::ExprKind;
using py::ExprRef;

// ---------------------------------------------------------------------------------------------------- small trees

ExprRef checkText(const std::string &text) {
    auto e = std::make_shared<py::Expr>();
    e->kind = ExprKind::String;
    e->text = text;
    return e;
}

ExprRef checkNumber(int64_t v) {
    auto e = std::make_shared<py::Expr>(*py::intLit(v));
    e->type = ScalarKind::Int64;
    return e;
}

ExprRef checkCall(const char *what, std::vector<ExprRef> arguments, Type t = ScalarKind::Int64) {
    return py::call(Name(std::string(check::prefix) + what), std::move(arguments), t);
}

py::StmtRef checkStatement(ExprRef value) {
    auto s = std::make_shared<py::Stmt>();
    s->kind = py::StmtKind::ExprStmt;
    s->value = std::move(value);
    return s;
}

/// The tree of integer arithmetic on variables; null for what it cannot say.
ExprRef inPython(sym::Expr e) {
    if (e.isInteger())
        return checkNumber(e.numerator());
    if (e.isSymbol())
        return py::name(e.name(), ScalarKind::Int64);
    std::vector<ExprRef> args;
    for (sym::Expr operand : e.operands()) {
        args.push_back(inPython(operand));
        if (!args.back())
            return nullptr;
    }
    const auto folded = [&args](const std::function<ExprRef(ExprRef, ExprRef)> &join) {
        ExprRef out = args.front();
        for (std::size_t i = 1; i < args.size(); ++i)
            out = join(out, args[i]);
        return out;
    };
    const auto operation = [&](py::Op op) {
        return folded([op](ExprRef a, ExprRef b) { return py::binary(op, std::move(a), std::move(b), ScalarKind::Int64); });
    };
    const auto function = [&](const char *name) {
        return folded([name](ExprRef a, ExprRef b) { return checkCall(name, {std::move(a), std::move(b)}); });
    };
    switch (e.kind()) {
    case sym::Kind::Add:
        return operation(py::Op::Add);
    case sym::Kind::Mul:
        return operation(py::Op::Mul);
    case sym::Kind::Min:
        return function("min");
    case sym::Kind::Max:
        return function("max");
    case sym::Kind::FloorDiv:
        return function("floordiv");
    case sym::Kind::CeilDiv:
        return function("ceildiv");
    case sym::Kind::Mod:
        return function("floormod");
    case sym::Kind::Subscript: {
        if (args.size() != 1)
            return nullptr;
        auto s = std::make_shared<py::Expr>();
        s->kind = ExprKind::Subscript;
        s->type = ScalarKind::Int64;
        s->args = {py::name(e.name(), Type::pointer(ScalarKind::Int64)), args[0]};
        return s;
    }
    case sym::Kind::Call: // divisions of C, which the lowering made
        return e.name() == Name("__cdiv")   ? operation(py::Op::CDiv)
               : e.name() == Name("__cmod") ? operation(py::Op::CMod)
                                            : py::call(e.name(), std::move(args), ScalarKind::Int64);
    default:
        return nullptr;
    }
}

// ---------------------------------------------------------------------------------------------------- ranges

/// The loops around an expression, and what they prove of it.
class LoopRanges {
public:
    /// `all`: the effects of the whole function.
    explicit LoopRanges(const Effects &all) : all_(all) {}

    void enter(Name variable, const For &loop) {
        loops_.push_back({variable, loop.descending ? loop.end : loop.begin, loop.descending ? loop.begin : loop.end});
    }
    void leave() { loops_.pop_back(); }

    /// Is it at least 0 in every iteration?
    bool isNonNegative(sym::Expr e) const {
        for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
            if (!e.dependsOn(loop->variable))
                continue;
            const auto affine = sym::affineIn(e, loop->variable);
            const std::optional<int64_t> factor = affine ? affine->first.asInt() : std::nullopt;
            if (!factor)
                return false;
            e = affine->second + affine->first * (*factor > 0 ? loop->least : loop->most);
        }
        const std::vector<Name> &names = e.freeSymbols();
        const auto changes = [this](Name n) { return all_.changes(n); };
        return std::none_of(names.begin(), names.end(), changes) && sym::isNonNegative(e) == sym::Truth::True;
    }

private:
    struct Loop {
        Name variable;
        sym::Expr least, most;
    };
    const Effects &all_;
    std::vector<Loop> loops_;
};

// ---------------------------------------------------------------------------------------------------- one function

bool hasPattern(Type t) { return t == Type(ScalarKind::Float64) || t == Type(ScalarKind::Float32) || t == Type(ScalarKind::Int64); }
ExprRef patternOf(Type t) {
    return checkCall(t == Type(ScalarKind::Float64)   ? "unset_float64"
                     : t == Type(ScalarKind::Float32) ? "unset_float32"
                                                      : "unset_int64",
                     {}, t);
}

/// Do threads of a region that is not here share a loop of the block?
bool sharesOutside(const Block &b) {
    return std::any_of(b.body.begin(), b.body.end(), [](const NodePtr &n) {
        const auto *loop = dyn_cast<For>(n.get());
        if (n->kind == Kind::ParallelRegion)
            return false;
        bool found = loop && loop->omp && loop->omp->inParallelRegion;
        forEachBlock(std::as_const(*n), [&found](const Block &inner) { found = found || sharesOutside(inner); });
        return found;
    });
}

class FunctionChecks {
public:
    /// `throws`, `shares`: functions that may throw, and those with shared loops whose region is in the caller. `required`: parameters
    /// that are checked to be there before anything runs.
    FunctionChecks(Function &f, ir::SDFG *graph, const std::set<FunctionId> &throws, const std::set<FunctionId> &shares,
                   std::set<Name> required)
        : f_(f), graph_(graph), throws_(throws), shares_(shares), required_(std::move(required)), effects_(effectsOf(f)),
          ranges_(effects_) {
        for (const Variable &v : f.vars)
            if (v.name == failure_)
                failure_ = Name(failure_.str() + "_");
    }

    /// Returns whether the function may throw now, because of checks.
    bool run() {
        block(f_.body);
        return inserted_ != 0;
    }

private:
    // ---- where
    struct Where {
        std::string text;
        bool isCode = false; // a tasklet, not a copy
    };
    Where whereOf(const Node &n) const {
        const diag::Location place = graph_ ? analysis::placeOfOrigin(*graph_, n.origin) : diag::Location();
        Where out{place.element.empty() ? f_.name.str() : place.element, place.element.find("tasklet ") != std::string::npos};
        if (place.source.known())
            out.text += " (" + place.source.file.str() + ":" + std::to_string(place.source.line) + ")";
        return out;
    }
    ExprRef where() const { return checkText(where_.text); }
    ExprRef counted(ExprRef check) {
        ++inserted_;
        return check;
    }

    // ---- statements
    void block(Block &b) {
        std::vector<NodePtr> out;
        for (NodePtr &n : b.body) {
            const Where outer = where_;
            if (!n->origin.empty())
                where_ = whereOf(*n);
            add(std::move(n), out);
            where_ = outer;
        }
        b.body = std::move(out);
    }

    /// Adds the statement, with its checks, and what stands beside it.
    void add(NodePtr n, std::vector<NodePtr> &out) {
        if (n->kind == Kind::ParallelRegion || n->kind == Kind::Sections)
            return team(std::move(n), out);
        if (auto *loop = dyn_cast<For>(n.get()); loop && loop->omp && !loop->omp->inParallelRegion)
            return team(std::move(n), out);
        own(*n);
        if (n->kind == Kind::Code && static_cast<Code &>(*n).stmts.empty() && n->comment.empty())
            return;
        inside(*n);
        const NodePtr &added = out.emplace_back(std::move(n));
        if (const auto *d = dyn_cast<Declare>(added.get()))
            fillNew(d->var, out);
        else if (const auto *a = dyn_cast<Allocate>(added.get()); a && a->reserve)
            fillNew(a->var, out);
    }

    /// The statements inside.
    void inside(Node &n) {
        if (const auto *c = dyn_cast<Call>(&n); c && throws_.count(c->function))
            ++inserted_;
        if (auto *t = dyn_cast<RawTasklet>(&n))
            for (NodePtr &after : t->after)
                own(*after);
        auto *loop = dyn_cast<For>(&n);
        if (loop)
            ranges_.enter(f_.vars[loop->var].name, *loop);
        const int before = inserted_;
        forEachBlock(n, [this](Block &b) { block(b); });
        if (!loop)
            return;
        ranges_.leave();
        if (inserted_ != before) { // what may throw is no iteration of a vector
            loop->simd = false;
            loop->accumulators.clear();
        }
    }

    // ---- teams of threads
    std::unique_ptr<Block> caught(std::vector<NodePtr> statements) const {
        auto b = std::make_unique<Block>();
        b->catches = failure_;
        b->body = std::move(statements);
        return b;
    }
    void catchAll(Block &b) const {
        std::vector<NodePtr> statements = std::move(b.body);
        b.body.clear();
        b.body.push_back(caught(std::move(statements)));
    }

    /// A statement that starts threads.
    void team(NodePtr n, std::vector<NodePtr> &out) {
        const int before = inserted_;
        if (auto *loop = dyn_cast<For>(n.get()))
            shared(*loop);
        else if (auto *region = dyn_cast<ParallelRegion>(n.get()))
            threads(region->body);
        else
            forEachBlock(*n, [this](Block &section) {
                const int outside = inserted_;
                block(section);
                if (inserted_ != outside)
                    catchAll(section);
            });
        if (inserted_ == before) {
            out.push_back(std::move(n));
            return;
        }
        auto guarded = std::make_unique<Block>();
        guarded->braces = true;
        guarded->raises = failure_;
        guarded->body.push_back(std::move(n));
        out.push_back(std::move(guarded));
    }

    /// A loop whose iterations threads share: those that are collapsed are one loop.
    void shared(For &loop) {
        const int before = inserted_;
        For *innermost = &loop;
        std::vector<For *> nest{&loop};
        for (int k = 1; k < loop.omp->collapse; ++k)
            if (auto *next = innermost->body.body.size() == 1 ? dyn_cast<For>(innermost->body.body[0].get()) : nullptr)
                nest.push_back(innermost = next);
        for (const For *f : nest)
            ranges_.enter(f_.vars[f->var].name, *f);
        block(innermost->body);
        for (std::size_t k = 0; k < nest.size(); ++k)
            ranges_.leave();
        if (inserted_ == before)
            return;
        catchAll(innermost->body);
        loop.omp->simd = false;
    }

    /// Do all threads of the region have to come by, since they share a loop or meet in it?
    bool isMeeting(const Node &n) const {
        const auto *loop = dyn_cast<For>(&n);
        const auto *call = dyn_cast<Call>(&n);
        bool found = (loop && loop->omp && loop->omp->inParallelRegion) || n.kind == Kind::Barrier ||
                     (call && shares_.count(call->function));
        forEachBlock(n, [&](const Block &b) {
            found = found || std::any_of(b.body.begin(), b.body.end(), [this](const NodePtr &s) { return isMeeting(*s); });
        });
        return found;
    }
    static bool jumps(const Node &n) {
        bool found = n.kind == Kind::Break || n.kind == Kind::Continue || n.kind == Kind::Goto || n.kind == Kind::Label ||
                     n.kind == Kind::Return;
        forEachBlock(n, [&found](const Block &b) {
            found = found || std::any_of(b.body.begin(), b.body.end(), [](const NodePtr &s) { return jumps(*s); });
        });
        return found;
    }

    /// What each thread of a region does.
    void threads(Block &b) {
        for (NodePtr &n : b.body) {
            const Where outer = where_;
            if (!n->origin.empty())
                where_ = whereOf(*n);
            thread(n);
            where_ = outer;
        }
    }
    void thread(NodePtr &n) {
        if (auto *loop = dyn_cast<For>(n.get()); loop && loop->omp && loop->omp->inParallelRegion)
            return shared(*loop);
        const bool isOpen = n->kind == Kind::Block && !static_cast<Block &>(*n).braces; // its variables are seen behind it
        if (n->kind == Kind::Declare || isMeeting(*n) || jumps(*n) || isOpen) {
            auto *loop = dyn_cast<For>(n.get());
            if (loop)
                ranges_.enter(f_.vars[loop->var].name, *loop);
            forEachBlock(*n, [this](Block &inner) { threads(inner); });
            if (loop)
                ranges_.leave();
            return;
        }
        const int before = inserted_;
        std::vector<NodePtr> statements;
        add(std::move(n), statements);
        if (inserted_ != before)
            n = caught(std::move(statements));
        else if (!statements.empty())
            n = std::move(statements.front());
        else
            n = std::make_unique<Block>();
    }

    // ---- new memory
    /// Gives a variable that has just been declared the pattern.
    void fillNew(VarId v, std::vector<NodePtr> &out) {
        const Variable &x = f_.vars[v];
        const bool isArray = x.kind == VarKind::Stack || (x.kind == VarKind::Buffer && x.startOffset.isZero());
        if (!x.comment.starts_with("transient ") || x.zeroed || x.isConst || !hasPattern(x.type))
            return;
        auto *declare = dyn_cast<Declare>(out.back().get());
        if (x.kind == VarKind::Value && declare && !declare->init) {
            declare->init = patternOf(x.type);
            isNew_.insert(v);
        } else if (isArray && (!declare || x.countKnown)) {
            auto fill = std::make_unique<Fill>();
            MemRef first;
            first.var = v;
            first.address = true;
            fill->target = f_.refs.add(std::move(first));
            const auto *allocate = dyn_cast<Allocate>(out.back().get());
            fill->count = allocate ? allocate->count : x.count;
            fill->type = x.type;
            fill->value = patternOf(x.type);
            out.push_back(std::move(fill));
            isNew_.insert(v);
        }
    }

    /// The value of a reference, with a check that it was written where the memory may be new. `e`: the reference without other checks.
    ExprRef written(const ExprRef &value, const ExprRef &e) {
        const MemRef &r = f_.refs[refOf(*e)];
        if (!isNew_.count(r.var) || r.address || r.pop || r.castTo)
            return value;
        std::vector<ExprRef> arguments{checkText(f_.vars[r.var].name.str()), where(), value};
        if (r.element) {
            arguments[0] = checkText(r.element->container.str());
            for (ExprRef &index : indicesOf(*r.element, *e))
                arguments.push_back(index ? std::move(index) : checkNumber(-1));
        }
        return counted(checkCall("written", std::move(arguments), f_.vars[r.var].type));
    }

    // ---- memory
    /// The index in each dimension; `e`: the reference with its data-dependent indices. Null where it cannot be said.
    static std::vector<ExprRef> indicesOf(const Element &element, const py::Expr &e) {
        std::vector<ExprRef> out;
        for (std::size_t d = 0; d < element.index.size(); ++d) {
            ExprRef index = inPython(element.index[d]);
            for (std::size_t k = 0; k < element.counted.size() && k < e.args.size(); ++k)
                if (index && element.counted[k].isConstant(static_cast<int64_t>(d)))
                    index = element.index[d].isZero()
                                ? e.args[k]
                                : py::binary(py::Op::Add, index, py::castTo(ScalarKind::Int64, e.args[k]), ScalarKind::Int64);
            out.push_back(std::move(index));
        }
        return out;
    }
    bool isInside(const Element &element) const {
        bool holds = element.counted.empty();
        for (std::size_t d = 0; d < element.index.size() && holds; ++d) {
            const sym::Expr length = element.extent.empty() ? sym::Expr(1) : element.extent[d];
            holds = ranges_.isNonNegative(element.index[d]) && ranges_.isNonNegative(element.shape[d] - element.index[d] - length);
        }
        return holds;
    }

    /// Checks of the element that a reference names, each a term that is 0.
    std::vector<ExprRef> elementChecks(const MemRef &r, const py::Expr &e) {
        std::vector<ExprRef> out;
        const Element &element = *r.element;
        const ExprRef name = checkText(element.container.str());
        if (!isInside(element)) {
            std::vector<ExprRef> arguments{name, where()};
            const std::vector<ExprRef> indices = indicesOf(element, e);
            for (std::size_t d = 0; d < indices.size(); ++d) {
                arguments.push_back(indices[d]);
                if (!element.extent.empty())
                    arguments.push_back(inPython(element.extent[d]));
                arguments.push_back(inPython(element.shape[d]));
            }
            if (std::all_of(arguments.begin(), arguments.end(), [](const ExprRef &a) { return a != nullptr; }))
                out.push_back(counted(checkCall(element.extent.empty() ? "element" : "region", std::move(arguments))));
        }
        if (!element.memory.isZero() && element.extent.empty())
            if (ExprRef check = memoryCheck(r, e, name))
                out.push_back(counted(std::move(check)));
        if (ExprRef check = nullCheck(r, name))
            out.push_back(counted(std::move(check)));
        return out;
    }
    /// The element lies in the memory that the container is a part of.
    ExprRef memoryCheck(const MemRef &r, const py::Expr &e, const ExprRef &name) const {
        const sym::Expr memory = r.element->memory;
        const bool isProven =
            e.args.empty() && ranges_.isNonNegative(r.offset) && ranges_.isNonNegative(memory - r.offset - sym::Expr(1));
        ExprRef at = inPython(r.offset), count = inPython(memory);
        for (std::size_t k = 0; k < e.args.size() && at; ++k) {
            const ExprRef stride = k < r.strides.size() ? inPython(r.strides[k]) : checkNumber(1);
            const ExprRef index = py::castTo(ScalarKind::Int64, e.args[k]);
            at = stride ? py::binary(py::Op::Add, at, py::binary(py::Op::Mul, index, stride, ScalarKind::Int64), ScalarKind::Int64)
                        : nullptr;
        }
        return isProven || !at || !count ? nullptr : checkCall("inside", {name, where(), at, count});
    }
    /// The pointer is not null.
    ExprRef nullCheck(const MemRef &r, const ExprRef &name) {
        const Variable &v = f_.vars[r.var];
        const bool isGiven = std::find(f_.params.begin(), f_.params.end(), r.var) != f_.params.end();
        const bool isOpen =
            v.kind == VarKind::Member ? !v.count.isZero() : v.kind == VarKind::Pointer && (isGiven || effects_.changes(v.name));
        if (!isOpen || (isGiven && required_.count(v.name)))
            return nullptr;
        MemRef start;
        start.var = r.var;
        start.address = true;
        return checkCall("memory", {name, where(), memRef(f_.refs.add(std::move(start)), Type::pointer(v.type))});
    }

    // ---- expressions
    /// A reference with its checks, as one to the same element.
    ExprRef located(const ExprRef &e) {
        const MemRef r = f_.refs[refOf(*e)];
        if (!r.element || r.address)
            return e;
        std::vector<ExprRef> checks = elementChecks(r, *e);
        if (checks.empty())
            return e;
        MemRef with = r;
        with.element.reset();
        auto copy = std::make_shared<py::Expr>(*e);
        for (ExprRef &check : checks) {
            copy->args.push_back(std::move(check));
            with.strides.resize(copy->args.size(), 1);
        }
        copy->slot = f_.refs.add(std::move(with)).index;
        return copy;
    }
    ExprRef read(const ExprRef &whole) {
        return whole ? py::rewrite(whole, [this](const ExprRef &e) { return readOf(e); }) : whole;
    }
    ExprRef readOf(const ExprRef &e) {
        if (e->kind == ExprKind::MemRef)
            return written(located(e), e);
        const bool divides = e->kind == ExprKind::Binary && (e->op == py::Op::CDiv || e->op == py::Op::CMod) &&
                             e->args[0]->type.isInteger() && e->args[1]->type.isInteger();
        if (divides)
            return withDivisor(e, 1);
        const bool calls = e->kind == ExprKind::Call && e->args.size() == 3 && e->args[0]->kind == ExprKind::Name &&
                           (e->args[0]->name == Name("floordiv") || e->args[0]->name == Name("floormod"));
        return calls && e->args[1]->type.isInteger() && e->args[2]->type.isInteger() ? withDivisor(e, 2) : e;
    }
    ExprRef withDivisor(const ExprRef &e, std::size_t at) {
        const ExprRef &divisor = e->args[at];
        if (divisor->kind == ExprKind::Int && divisor->text.find_first_not_of('0') != std::string::npos)
            return e;
        auto copy = std::make_shared<py::Expr>(*e);
        copy->args[at] = counted(checkCall("divisor", {where(), divisor}, divisor->type));
        return copy;
    }
    /// What is assigned to: the element is checked, and its indices are read.
    ExprRef target(const ExprRef &e) {
        if (e->kind == ExprKind::Name)
            return e;
        auto copy = std::make_shared<py::Expr>(*e);
        for (ExprRef &a : copy->args)
            a = e->kind == ExprKind::Tuple ? target(a) : read(a);
        return e->kind == ExprKind::MemRef ? located(copy) : copy;
    }

    py::StmtRef statementOf(const py::StmtRef &s) {
        if (s->kind == py::StmtKind::ExprStmt && isCallOf(*s->value, check::region))
            return regionOf(*s->value);
        if (s->kind == py::StmtKind::ExprStmt && isCallOf(*s->value, check::size)) {
            std::vector<ExprRef> arguments(s->value->args.begin() + 1, s->value->args.end());
            arguments.insert(arguments.begin() + 1, where());
            return checkStatement(counted(checkCall("size", std::move(arguments))));
        }
        auto copy = std::make_shared<py::Stmt>(*s);
        for (ExprRef &t : copy->targets)
            t = target(t);
        const bool isCopy = s->kind == py::StmtKind::Assign && s->value && s->value->kind == ExprKind::MemRef && !where_.isCode;
        copy->value = isCopy ? target(s->value) : read(s->value);
        for (auto *list : {&copy->body, &copy->orelse})
            *list = statementsOf(*list);
        return copy;
    }
    std::vector<py::StmtRef> statementsOf(const std::vector<py::StmtRef> &all) {
        std::vector<py::StmtRef> out;
        for (const py::StmtRef &s : all)
            if (py::StmtRef checked = statementOf(s))
                out.push_back(std::move(checked));
        return out;
    }
    static bool isCallOf(const py::Expr &e, Name function) {
        return e.kind == ExprKind::Call && e.args[0]->kind == ExprKind::Name && e.args[0]->name == function;
    }
    /// The check of a region as a statement; null where nothing can be wrong.
    py::StmtRef regionOf(const py::Expr &call) {
        const py::Expr &e = *call.args[1];
        const MemRef r = f_.refs[refOf(e)];
        std::vector<ExprRef> checks = r.element ? elementChecks(r, e) : std::vector<ExprRef>();
        if (checks.empty())
            return nullptr;
        ExprRef all = checks.front();
        for (std::size_t k = 1; k < checks.size(); ++k)
            all = py::binary(py::Op::Add, all, checks[k], ScalarKind::Int64);
        return checkStatement(std::move(all));
    }

    // ---- the expressions of a statement itself: a visitor of rebind()
    void own(Node &n) {
        if (auto *u = dyn_cast<Update>(&n))
            return update(*u);
        rebind(n, *this);
        if (auto *c = dyn_cast<Code>(&n))
            std::erase(c->stmts, nullptr);
    }
    void update(Update &u) {
        u.value = read(u.value);
        auto e = std::make_shared<py::Expr>(*memRef(u.target, f_.vars[f_.refs[u.target].var].type));
        e->args = u.targetIndices;
        const ExprRef checked = located(target(e));
        u.target = refOf(*checked);
        u.targetIndices = checked->args;
    }

public:
    void var(VarId &) {}
    void slot(RefId &) {}
    void sym(sym::Expr &) {}
    void expr(ExprRef &e) { e = read(e); }
    void stmt(py::StmtRef &s) {
        if (s)
            s = statementOf(s);
    }

private:
    Function &f_;
    ir::SDFG *graph_;
    const std::set<FunctionId> &throws_, &shares_;
    const std::set<Name> required_;
    const Effects effects_;
    LoopRanges ranges_;
    Name failure_ = "failure";
    Where where_;
    std::set<VarId> isNew_; // variables whose memory had the pattern when it was new
    int inserted_ = 0;      // checks, and calls that may throw
};

/// The arguments of the program that a call checks to be there before it does anything (CodeGen/ArgumentChecks.cpp).
std::set<Name> required(const Module &m, const Function &program) {
    std::set<Name> out = certainlyUsed(m, program);
    for (const Param &p : m.params)
        if (p.desc && p.desc->optional.value_or(false))
            out.erase(p.cName);
    return out;
}

class InsertChecks : public pass::Pass {
    bool run(pass::Program &program, pass::Context &) override {
        Module &m = *program.tree;
        const Function &top = *m.functions.back();
        std::set<FunctionId> throws, shares;
        for (FunctionId id : m.functions.ids()) { // callees come first
            Function &f = *m.functions[id];
            if (f.kernel || f.device || f.graph)
                continue;
            if (sharesOutside(f.body))
                shares.insert(id);
            else if (FunctionChecks(f, program.graph, throws, shares, &f == &top ? required(m, f) : std::set<Name>()).run())
                throws.insert(id);
        }
        return !throws.empty();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createInsertChecks() { return std::make_unique<InsertChecks>(); }

} // namespace sdfgc::transforms
