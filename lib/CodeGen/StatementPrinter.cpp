// Statements that compute: assignments, updates with conflict resolution, tasklets in C++.
#include "sdfgc/CodeGen/BodyPrinter.h"

#include "Updates.h"

#include "sdfgc/Tree/Fields.h"

#include <algorithm>

namespace sdfgc::codegen {

using namespace tree;
using py::ExprKind;

namespace {

/// The assignment form of an operator (`+=`); null if it has none.
const char *assigning(py::Op op) {
    using py::Op;
    switch (op) {
    case Op::Add:
        return "+=";
    case Op::Sub:
        return "-=";
    case Op::Mul:
        return "*=";
    case Op::TrueDiv:
    case Op::CDiv:
        return "/=";
    case Op::CMod:
        return "%=";
    case Op::Shl:
        return "<<=";
    case Op::Shr:
        return ">>=";
    case Op::BitAnd:
        return "&=";
    case Op::BitOr:
        return "|=";
    case Op::BitXor:
        return "^=";
    default:
        return nullptr;
    }
}

std::string joinLines(const std::string &text) {
    std::string out = text;
    while (!out.empty() && (out.back() == '\n' || out.back() == ' '))
        out.pop_back();
    return out;
}

bool isOne(const py::Expr &e) { return e.kind == ExprKind::Int && e.text == "1"; }

} // namespace

/// Do both refer to the same variable or element, without data-dependent indices?
bool BodyPrinter::samePlace(const py::Expr &a, const py::Expr &b) const {
    if (a.kind == ExprKind::Name && b.kind == ExprKind::Name)
        return a.name == b.name;
    if (a.kind != ExprKind::MemRef || b.kind != ExprKind::MemRef || !a.args.empty() || !b.args.empty())
        return false;
    const MemRef &x = ref(refOf(a)), &y = ref(refOf(b));
    return x.var == y.var && x.offset == y.offset && !x.castTo && !y.castTo && !x.address && !y.address && !x.pop && !y.pop;
}

/// `i = i + 1` reads better as `++i`, and `x = x * y` as `x *= y`.
std::string BodyPrinter::assignment(const py::Stmt &s) const {
    const py::Expr &target = *s.targets[0], &v = *s.value;
    const std::string left = values_.place(target);
    if (values_.inOpenCl && py::isOpenClStruct(target.type))
        return left + " = " + values_.exprAs(v, target.type);
    const bool counter = target.kind == ExprKind::Name && target.type.isVoid(); // of a loop
    const bool native = counter || target.type.isInteger() || target.type.isComplex() || target.type == Type(ScalarKind::Float32) ||
                        target.type == Type(ScalarKind::Float64);
    if (!native || v.kind != ExprKind::Binary || !assigning(v.op) || !samePlace(target, *v.args[0]))
        return left + " = " + value(s.value);
    py::Op op = v.op;
    py::ExprRef operand = v.args[1];
    if ((op == py::Op::Add || op == py::Op::Sub) && operand->kind == ExprKind::Unary && operand->op == py::Op::Neg) {
        op = op == py::Op::Add ? py::Op::Sub : py::Op::Add;
        operand = operand->args[0];
    }
    if ((op == py::Op::Add || op == py::Op::Sub) && isOne(*operand) && (counter || target.type.isInteger()))
        return (op == py::Op::Add ? "++" : "--") + left;
    return left + " " + assigning(op) + " " + value(operand);
}

std::string BodyPrinter::simpleStatement(const py::Stmt &s) const {
    if (s.kind == py::StmtKind::Assign && s.targets.size() == 1)
        return assignment(s);
    return s.kind == py::StmtKind::ExprStmt ? value(s.value) : "";
}

namespace {

/// Statements that need no declarations around them.
bool isSimple(const Code &c) {
    return c.locals.empty() && std::all_of(c.stmts.begin(), c.stmts.end(), [](const py::StmtRef &s) {
               return (s->kind == py::StmtKind::Assign && s->targets.size() == 1 && s->targets[0]->kind != ExprKind::Tuple) ||
                      s->kind == py::StmtKind::ExprStmt;
           });
}

} // namespace

/// One line of text, which needs no braces around it.
bool BodyPrinter::isOneLine(const Block &b) {
    if (b.body.size() != 1)
        return false;
    const Node &n = *b.body[0];
    if (const auto *c = dyn_cast<Code>(&n))
        return isSimple(*c) && c->stmts.size() == 1;
    if (const auto *u = dyn_cast<Update>(&n))
        return !u->atomic;
    if (const auto *a = dyn_cast<Allocate>(&n))
        return !a->zero;
    switch (n.kind) {
    case TreeKind::Memcpy:
    case TreeKind::SetPointer:
    case TreeKind::Call:
    case TreeKind::StreamPush:
    case TreeKind::StreamPop:
    case TreeKind::Break:
    case TreeKind::Continue:
    case TreeKind::Return:
    case TreeKind::Goto:
        return true;
    default:
        return false;
    }
}

void BodyPrinter::print(const Code &c) {
    if (isSimple(c)) {
        for (const py::StmtRef &s : c.stmts)
            w_.line(simpleStatement(*s) + ";");
        return;
    }
    for (const auto &[n, t] : c.locals)
        useType(t);
    if (c.braces)
        w_.open();
    w_.line(joinLines(values_.stmts(c.stmts, c.locals, 0)));
    if (c.braces)
        w_.close();
}

bool BodyPrinter::isCustom(const Update &u) {
    using py::Reduction;
    return u.reduction == Reduction::Custom || u.reduction == Reduction::MinLocation || u.reduction == Reduction::MaxLocation;
}

void BodyPrinter::print(const Update &u) {
    if (u.atomic || u.old)
        atomicUpdate(u);
    else
        plainUpdate(u);
}

void BodyPrinter::plainUpdate(const Update &u) {
    using py::Reduction;
    const std::string target = elementOf(u.target, u.targetIndices), v = value(u.value);
    const UpdateSpelling &spelling = spellingOf(u.reduction);
    const std::string op(spelling.op);
    if (spelling.assigns() || u.reduction == Reduction::Exchange)
        return w_.line(target + " " + op + "= " + v + ";");
    switch (u.reduction) {
    case Reduction::Min:
    case Reduction::Max: {
        use("math");
        // A variable has its declared type. C++ determines the type of other expressions, which may be wider.
        const Type type = ref(u.target).castTo ? ref(u.target).castTo : var(ref(u.target).var).type;
        const bool same = u.value->type == type && (u.value->kind == ExprKind::MemRef || u.value->kind == ExprKind::Name);
        const std::string types = same ? "" : "<" + typeName(type) + ", " + typeName(type) + ">";
        return w_.line(target + " = sdfgc::rt::" + op + types + "(" + target + ", " + v + ");");
    }
    case Reduction::LogicalAnd:
    case Reduction::LogicalOr: {
        if (u.value->kind == ExprKind::Bool && (u.value->text == "True") == (u.reduction == Reduction::LogicalOr)) // decides
            return w_.line(target + " = " + v + ";");
        const bool isLoose = u.value->kind == ExprKind::IfExp || u.value->kind == ExprKind::Lambda;
        return w_.line(target + " = " + target + " " + op + " " + (isLoose ? "(" + v + ")" : v) + ";");
    }
    case Reduction::LogicalXor:
        return w_.line(target + " = !" + target + " != !(" + v + ");");
    default:
        w_.line(target + " = " + value(u.lambda) + "(" + target + ", " + v + ");");
    }
}

void BodyPrinter::print(const LibraryCall &c) { libraryCall(c, ""); }

/// `first`: the first argument, if there is one.
void BodyPrinter::libraryCall(const LibraryCall &c, const std::string &first) {
    std::string arguments = first;
    for (const LibraryCall::Argument &a : c.arguments)
        arguments += (arguments.empty() ? "" : ", ") + argument(a);
    comment(c.comment);
    w_.line((c.result ? memory(c.result) + " = " : "") + c.function + "(" + arguments + ");");
}

std::string BodyPrinter::argument(const LibraryCall::Argument &a) const {
    if (a.ref)
        return memory(a.ref);
    if (!a.word.empty())
        return a.word;
    if (a.byAddress) {
        use("library");
        return "sdfgc::rt::by_address(" + value(a.value) + ")";
    }
    return value(a.value);
}

void BodyPrinter::print(const RawTasklet &t) {
    comment(t.comment);
    use("dace");
    w_.open();
    for (const RawTasklet::Binding &b : t.bindings) {
        useType(b.type);
        const std::string name = b.name.str(), type = typeName(b.type), c = b.isConst ? "const " : "";
        const std::string unused = b.unused ? "[[maybe_unused]] " : "";
        using Form = RawTasklet::Binding::Form;
        switch (b.form) {
        case Form::Value:
            w_.line(unused + type + " " + name + " = " + memory(b.ref) + ";");
            break;
        case Form::ConstRef:
            w_.line(unused + "const " + type + " &" + name + " = " + memory(b.ref) + ";");
            break;
        case Form::Pointer:
            w_.line(unused + c + type + " *" + name + (b.ref ? " = " + memory(b.ref) : "") + ";");
            break;
        case Form::Uninitialised:
            w_.line(type + " " + name + ";");
            break;
        case Form::Stream:
            w_.line(unused + "auto &" + name + " = " + elementOf(b.ref) + ";");
            break;
        case Form::Symbol:
            w_.line(unused + "const " + type + " " + name + " = " + sym(b.symbol) + ";");
            break;
        }
    }
    w_.line(joinLines(t.text));
    for (const NodePtr &n : t.after)
        visit(*n, [this](const auto &statement) { print(statement); });
    w_.close();
}

} // namespace sdfgc::codegen
