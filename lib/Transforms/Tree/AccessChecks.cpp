// Inserts checks into expressions of statements.
#include "AccessChecks.h"

#include "sdfgc/Tree/SymbolicToPython.h"

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

/// Is it arithmetic that the function can compute? Not a member, an element of an array with several dimensions, or an unknown
/// size.
bool isComputable(sym::Expr e) {
    const std::span<const sym::Expr> operands = e.operands();
    return !e.isUndefined() && e.kind() != sym::SymbolicKind::Attr &&
           (e.kind() != sym::SymbolicKind::Subscript || operands.size() == 1) &&
           std::all_of(operands.begin(), operands.end(), isComputable);
}

/// The tree of an expression over variables; null if it cannot be computed.
ExprRef computed(sym::Expr e) {
    if (!isComputable(e))
        return nullptr;
    return py::lowerOperators(pythonOf(e, [](Name n) { return py::name(n, ScalarKind::Int64); }), py::Semantics::Symbolic);
}

/// A dimension of a container. There is no limit if the program does not know the size.
ExprRef sizeOf(sym::Expr size) { return size.isUndefined() ? checkCall("unknown_size", {}) : computed(size); }

bool hasPattern(Type t) { return t == Type(ScalarKind::Float64) || t == Type(ScalarKind::Float32) || t == Type(ScalarKind::Int64); }
ExprRef patternOf(Type t) {
    return checkCall(t == Type(ScalarKind::Float64)   ? "unset_float64"
                     : t == Type(ScalarKind::Float32) ? "unset_float32"
                                                      : "unset_int64",
                     {}, t);
}

} // namespace

// ---------------------------------------------------------------------------------------------------- locations

AccessChecks::AccessChecks(Function &f, Name program, const analysis::Origins *origins, std::set<Name> required)
    : f_(f), origins_(origins), required_(std::move(required)), effects_(effectsOf(f)), loops_(effects_), location_{program.str()} {
}

AccessChecks::CheckLocation AccessChecks::enter(const Node &n) {
    CheckLocation before = location_;
    if (n.origin.empty())
        return before;
    const diag::Location at = origins_ ? origins_->placeOf(n.origin) : diag::Location();
    if (at.element.empty())
        return before;
    location_ = {at.element, at.element.find("tasklet ") != std::string::npos};
    if (at.source.known())
        location_.text += " (" + at.source.file.str() + ":" + std::to_string(at.source.line) + ")";
    return before;
}

ExprRef AccessChecks::where() const { return checkText(location_.text); }

// ---------------------------------------------------------------------------------------------------- new memory
/// Fills a newly declared variable with the pattern.
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

/// The value of a reference, with a check that it was written if the memory may be uninitialised. `e`: the reference without other
/// checks.
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
/// The index in each dimension; `e`: the reference with its data-dependent indices. Null if it cannot be expressed.
std::vector<ExprRef> AccessChecks::indicesOf(const Element &element, const py::Expr &e) {
    std::vector<ExprRef> out;
    for (std::size_t d = 0; d < element.index.size(); ++d) {
        ExprRef index = computed(element.index[d]);
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
        const bool isOpen = element.shape[d].isUndefined();
        holds = loops_.isNonNegative(element.index[d]) &&
                (isOpen || loops_.isNonNegative(element.shape[d] - element.index[d] - length));
    }
    return holds;
}

/// Checks of the element that a reference accesses, each a term that is 0.
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
                arguments.push_back(computed(element.extent[d]));
            arguments.push_back(sizeOf(element.shape[d]));
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

/// Checks that the element is inside the memory that contains the container.
ExprRef AccessChecks::memoryCheck(const MemRef &r, const py::Expr &e, const ExprRef &name) const {
    const sym::Expr memory = r.element->memory;
    const bool isProven =
        e.args.empty() && loops_.isNonNegative(r.offset) && loops_.isNonNegative(memory - r.offset - sym::Expr(1));
    ExprRef at = computed(r.offset), count = computed(memory);
    for (std::size_t k = 0; k < e.args.size() && at; ++k) {
        const ExprRef stride = k < r.strides.size() ? computed(r.strides[k]) : checkNumber(1);
        const ExprRef index = py::castTo(ScalarKind::Int64, e.args[k]);
        at = stride ? py::binary(py::Op::Add, at, py::binary(py::Op::Mul, index, stride, ScalarKind::Int64), ScalarKind::Int64)
                    : nullptr;
    }
    return isProven || !at || !count ? nullptr : checkCall("inside", {name, where(), at, count});
}

/// Checks that the pointer is not null.
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
/// A reference to the same element, with its checks.
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

/// The target of an assignment: checks the element, and the reads of its indices.
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
    if (s->kind == py::StmtKind::ExprStmt && isCallOf(*s->value, check::size)) { // already complete
        ++inserted_;
        return s;
    }
    auto copy = std::make_shared<py::Stmt>(*s);
    for (ExprRef &t : copy->targets)
        t = target(t);
    const bool isCopy = s->kind == py::StmtKind::Assign && s->value && s->value->kind == ExprKind::MemRef && !location_.isCode;
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

/// The check of a region as a statement; null if nothing can be wrong.
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
