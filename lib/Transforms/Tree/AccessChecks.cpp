// The checks in expressions of statements.
#include "AccessChecks.h"

#include "sdfgc/Analysis/Verify.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace tree;
using py::ExprKind;
using py::ExprRef;

namespace {

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

bool hasPattern(Type t) { return t == Type(ScalarKind::Float64) || t == Type(ScalarKind::Float32) || t == Type(ScalarKind::Int64); }
ExprRef patternOf(Type t) {
    return checkCall(t == Type(ScalarKind::Float64)   ? "unset_float64"
                     : t == Type(ScalarKind::Float32) ? "unset_float32"
                                                      : "unset_int64",
                     {}, t);
}

} // namespace

// ---------------------------------------------------------------------------------------------------- where

AccessChecks::AccessChecks(Function &f, ir::SDFG *graph, std::set<Name> required)
    : f_(f), graph_(graph), required_(std::move(required)), effects_(effectsOf(f)),
      loops_(effects_), place_{graph ? graph->name.str() : f.name.str()} {}

AccessChecks::Place AccessChecks::enter(const Node &n) {
    Place before = place_;
    if (n.origin.empty())
        return before;
    const diag::Location at = graph_ ? analysis::placeOfOrigin(*graph_, n.origin) : diag::Location();
    if (at.element.empty())
        return before;
    place_ = {at.element, at.element.find("tasklet ") != std::string::npos};
    if (at.source.known())
        place_.text += " (" + at.source.file.str() + ":" + std::to_string(at.source.line) + ")";
    return before;
}

ExprRef AccessChecks::where() const { return checkText(place_.text); }

// ---------------------------------------------------------------------------------------------------- new memory
/// Gives a variable that has just been declared the pattern.
void AccessChecks::fillNew(VarId v, std::vector<NodePtr> &out) {
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
ExprRef AccessChecks::written(const ExprRef &value, const ExprRef &e) {
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

// ---------------------------------------------------------------------------------------------------- memory
/// The index in each dimension; `e`: the reference with its data-dependent indices. Null where it cannot be said.
std::vector<ExprRef> AccessChecks::indicesOf(const Element &element, const py::Expr &e) {
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

bool AccessChecks::isInside(const Element &element) const {
    bool holds = element.counted.empty();
    for (std::size_t d = 0; d < element.index.size() && holds; ++d) {
        const sym::Expr length = element.extent.empty() ? sym::Expr(1) : element.extent[d];
        holds = loops_.isNonNegative(element.index[d]) && loops_.isNonNegative(element.shape[d] - element.index[d] - length);
    }
    return holds;
}

/// Checks of the element that a reference names, each a term that is 0.
std::vector<ExprRef> AccessChecks::elementChecks(const MemRef &r, const py::Expr &e) {
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
ExprRef AccessChecks::memoryCheck(const MemRef &r, const py::Expr &e, const ExprRef &name) const {
    const sym::Expr memory = r.element->memory;
    const bool isProven =
        e.args.empty() && loops_.isNonNegative(r.offset) && loops_.isNonNegative(memory - r.offset - sym::Expr(1));
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
ExprRef AccessChecks::nullCheck(const MemRef &r, const ExprRef &name) {
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

// ---------------------------------------------------------------------------------------------------- expressions
/// A reference with its checks, as one to the same element.
ExprRef AccessChecks::located(const ExprRef &e) {
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

ExprRef AccessChecks::read(const ExprRef &whole) {
    return whole ? py::rewrite(whole, [this](const ExprRef &e) { return readOf(e); }) : whole;
}

ExprRef AccessChecks::readOf(const ExprRef &e) {
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

ExprRef AccessChecks::withDivisor(const ExprRef &e, std::size_t at) {
    const ExprRef &divisor = e->args[at];
    if (divisor->kind == ExprKind::Int && divisor->text.find_first_not_of('0') != std::string::npos)
        return e;
    auto copy = std::make_shared<py::Expr>(*e);
    copy->args[at] = counted(checkCall("divisor", {where(), divisor}, divisor->type));
    return copy;
}

/// What is assigned to: the element is checked, and its indices are read.
ExprRef AccessChecks::target(const ExprRef &e) {
    if (e->kind == ExprKind::Name)
        return e;
    auto copy = std::make_shared<py::Expr>(*e);
    for (ExprRef &a : copy->args)
        a = e->kind == ExprKind::Tuple ? target(a) : read(a);
    return e->kind == ExprKind::MemRef ? located(copy) : copy;
}

py::StmtRef AccessChecks::statementOf(const py::StmtRef &s) {
    if (s->kind == py::StmtKind::ExprStmt && isCallOf(*s->value, check::region))
        return regionOf(*s->value);
    if (s->kind == py::StmtKind::ExprStmt && isCallOf(*s->value, check::size)) { // complete
        ++inserted_;
        return s;
    }
    auto copy = std::make_shared<py::Stmt>(*s);
    for (ExprRef &t : copy->targets)
        t = target(t);
    const bool isCopy = s->kind == py::StmtKind::Assign && s->value && s->value->kind == ExprKind::MemRef && !place_.isCode;
    copy->value = isCopy ? target(s->value) : read(s->value);
    for (auto *list : {&copy->body, &copy->orelse})
        *list = statementsOf(*list);
    return copy;
}

std::vector<py::StmtRef> AccessChecks::statementsOf(const std::vector<py::StmtRef> &all) {
    std::vector<py::StmtRef> out;
    for (const py::StmtRef &s : all)
        if (py::StmtRef checked = statementOf(s))
            out.push_back(std::move(checked));
    return out;
}

bool AccessChecks::isCallOf(const py::Expr &e, Name function) {
    return e.kind == ExprKind::Call && e.args[0]->kind == ExprKind::Name && e.args[0]->name == function;
}

/// The check of a region as a statement; null where nothing can be wrong.
py::StmtRef AccessChecks::regionOf(const py::Expr &call) {
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
void AccessChecks::statement(Node &n) {
    if (auto *u = dyn_cast<Update>(&n))
        return update(*u);
    rebind(n, *this);
    if (auto *c = dyn_cast<Code>(&n))
        std::erase(c->stmts, nullptr);
}

void AccessChecks::update(Update &u) {
    u.value = read(u.value);
    auto e = std::make_shared<py::Expr>(*memRef(u.target, f_.vars[f_.refs[u.target].var].type));
    e->args = u.targetIndices;
    const ExprRef checked = located(target(e));
    u.target = refOf(*checked);
    u.targetIndices = checked->args;
}

} // namespace sdfgc::transforms
