// Trees as Python text with the fewest parentheses.
#include "Tasklet/AstUtil.h"

#include "sdfgc/Support/Text.h"

#include <array>

namespace sdfgc::py {

namespace {

using namespace detail;

// How tightly a construct binds in Python's grammar.
enum Prec : int {
    precTuple,
    precLambda,
    precIf,
    precOr,
    precAnd,
    precNot,
    precCompare,
    precBitOr,
    precBitXor,
    precBitAnd,
    precShift,
    precSum,
    precProduct,
    precSign,
    precPower,
    precPostfix,
    precAtom,
};

struct OpText {
    Op op;
    std::string_view text;
    int prec;
};

// One row per Op, in its order.
constexpr auto opTexts = std::to_array<OpText>({
    {Op::Add, "+", precSum},           {Op::Sub, "-", precSum},
    {Op::Mul, "*", precProduct},       {Op::TrueDiv, "/", precProduct},
    {Op::FloorDiv, "//", precProduct}, {Op::Mod, "%", precProduct},
    {Op::Pow, "**", precPower},        {Op::MatMul, "@", precProduct},
    {Op::Shl, "<<", precShift},        {Op::Shr, ">>", precShift},
    {Op::BitAnd, "&", precBitAnd},     {Op::BitOr, "|", precBitOr},
    {Op::BitXor, "^", precBitXor},     {Op::IntFloor, "int_floor", precPostfix},
    {Op::CDiv, "cdiv", precPostfix},   {Op::CMod, "cmod", precPostfix},
    {Op::Neg, "-", precSign},          {Op::Pos, "+", precSign},
    {Op::Invert, "~", precSign},       {Op::Not, "not ", precNot},
    {Op::And, "and", precAnd},         {Op::Or, "or", precOr},
    {Op::Eq, "==", precCompare},       {Op::Ne, "!=", precCompare},
    {Op::Lt, "<", precCompare},        {Op::Le, "<=", precCompare},
    {Op::Gt, ">", precCompare},        {Op::Ge, ">=", precCompare},
    {Op::Is, "is", precCompare},       {Op::IsNot, "is not", precCompare},
    {Op::In, "in", precCompare},       {Op::NotIn, "not in", precCompare},
});

constexpr bool inOrderOfOps() {
    for (std::size_t k = 0; k < opTexts.size(); ++k)
        if (opTexts[k].op != static_cast<Op>(k))
            return false;
    return opTexts.back().op == Op::NotIn;
}
static_assert(inOrderOfOps());

const OpText &opText(Op op) { return opTexts[static_cast<std::size_t>(op)]; }

int precedence(const Expr &e) {
    switch (e.kind) {
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::BoolOp:
        return opText(e.op).prec;
    case ExprKind::Compare:
        return precCompare;
    case ExprKind::IfExp:
        return precIf;
    case ExprKind::Lambda:
        return precLambda;
    case ExprKind::Slice:
        return precTuple;
    case ExprKind::Raw:
        return precTuple;
    case ExprKind::Attribute:
    case ExprKind::Subscript:
    case ExprKind::Call:
    case ExprKind::Cast:
        return precPostfix;
    default:
        return precAtom;
    }
}

std::string text(const Expr &e, int minPrec);

std::string join(const std::vector<ExprRef> &args, std::size_t from) {
    std::string out;
    for (std::size_t k = from; k < args.size(); ++k)
        out += (k > from ? ", " : "") + text(*args[k], args[k]->kind == ExprKind::Slice ? precTuple : precLambda);
    return out;
}

std::string callText(const Expr &e) {
    std::string out = text(*e.args[0], precPostfix) + "(" + join(e.args, 1);
    bool first = e.args.size() == 1;
    for (const Keyword &k : e.keywords) {
        out += (first ? "" : ", ") + k.name.str() + "=" + text(*k.value, precLambda);
        first = false;
    }
    return out + ")";
}

std::string binaryText(const Expr &e) {
    const std::string_view op = opText(e.op).text;
    const int prec = opText(e.op).prec;
    if (e.op == Op::IntFloor || e.op == Op::CDiv || e.op == Op::CMod)
        return std::string(op) + "(" + join(e.args, 0) + ")";
    const bool power = e.op == Op::Pow; // right-associative; its exponent may be signed
    return text(*e.args[0], power ? prec + 1 : prec) + " " + std::string(op) + " " + text(*e.args[1], power ? precSign : prec + 1);
}

std::string unaryText(const Expr &e) {
    const std::string_view op = opText(e.op).text;
    const int prec = opText(e.op).prec;
    return std::string(op) + text(*e.args[0], prec);
}

std::string boolOpText(const Expr &e) {
    const std::string_view op = opText(e.op).text;
    const int prec = opText(e.op).prec;
    std::string out;
    for (const ExprRef &a : e.args)
        out += (out.empty() ? "" : " " + std::string(op) + " ") + text(*a, prec + 1);
    return out;
}

std::string compareText(const Expr &e) {
    std::string out = text(*e.args[0], precCompare + 1);
    for (std::size_t k = 0; k < e.ops.size(); ++k)
        out += " " + std::string(opText(e.ops[k]).text) + " " + text(*e.args[k + 1], precCompare + 1);
    return out;
}

std::string sliceText(const Expr &e) {
    auto part = [&](std::size_t k) { return e.args[k] ? text(*e.args[k], precLambda) : std::string(); };
    return part(0) + ":" + part(1) + (e.args[2] ? ":" + part(2) : "");
}

std::string lambdaText(const Expr &e) {
    std::string out = "lambda";
    for (Name p : e.params)
        out += (out == "lambda" ? " " : ", ") + p.str();
    return out + ": " + text(*e.args[0], precLambda);
}

std::string castText(const Expr &e) {
    const std::string name = e.type.isScalar() ? "dace." + e.type.str() : e.type.str();
    return name + "(" + join(e.args, 0) + ")";
}

std::string bare(const Expr &e) {
    switch (e.kind) {
    case ExprKind::Int:
    case ExprKind::Float:
    case ExprKind::Bool:
    case ExprKind::Raw:
        return e.text;
    case ExprKind::Imaginary:
        return e.text + "j";
    case ExprKind::None:
        return "None";
    case ExprKind::String:
        return text::quoted(e.text, '\'');
    case ExprKind::Name:
        return e.name.str();
    case ExprKind::Attribute: {
        const bool number = e.args[0]->kind == ExprKind::Int || e.args[0]->kind == ExprKind::Float;
        return text(*e.args[0], number ? precAtom + 1 : precPostfix) + "." + e.name.str();
    }
    case ExprKind::Subscript: {
        const bool oneTuple = e.args.size() == 2 && e.args[1]->kind == ExprKind::Tuple; // without it, the tuple becomes the indices
        return text(*e.args[0], precPostfix) + "[" + join(e.args, 1) + (oneTuple ? ",]" : "]");
    }
    case ExprKind::Slice:
        return sliceText(e);
    case ExprKind::Unary:
        return unaryText(e);
    case ExprKind::Binary:
        return binaryText(e);
    case ExprKind::BoolOp:
        return boolOpText(e);
    case ExprKind::Compare:
        return compareText(e);
    case ExprKind::IfExp:
        return text(*e.args[1], precOr) + " if " + text(*e.args[0], precOr) + " else " + text(*e.args[2], precLambda);
    case ExprKind::Call:
        return callText(e);
    case ExprKind::Lambda:
        return lambdaText(e);
    case ExprKind::Tuple:
        return "(" + join(e.args, 0) + (e.args.size() == 1 ? ",)" : ")");
    case ExprKind::Cast:
        return castText(e);
    case ExprKind::MemRef:
        return "mem" + std::to_string(e.slot);
    }
    return "";
}

std::string text(const Expr &e, int minPrec) {
    const std::string t = bare(e);
    return precedence(e) < minPrec ? "(" + t + ")" : t;
}

std::string top(const ExprRef &e) { return text(*e, precTuple); }

std::string blockText(const std::vector<StmtRef> &block, int indent);

std::string annotationText(const Stmt &s) {
    if (s.extra)
        return text(*s.extra, precLambda);
    return s.type.isScalar() ? "dace." + s.type.str() : s.type.str();
}

// An `if` and its `elif` chain.
std::string ifText(const Stmt &first, const std::string &pad, int indent) {
    std::string out;
    std::string_view word = "if ";
    const Stmt *s = &first;
    while (true) {
        out += (out.empty() ? "" : "\n" + pad) + std::string(word) + top(s->value) + ":\n" + blockText(s->body, indent + 1);
        if (s->orelse.size() != 1 || s->orelse[0]->kind != StmtKind::If)
            break;
        s = s->orelse[0].get();
        word = "elif ";
    }
    if (!s->orelse.empty())
        out += "\n" + pad + "else:\n" + blockText(s->orelse, indent + 1);
    return out;
}

std::string simpleText(const Stmt &s) {
    switch (s.kind) {
    case StmtKind::Assign: {
        std::string out;
        for (const ExprRef &t : s.targets)
            out += top(t) + " = ";
        return out + top(s.value);
    }
    case StmtKind::AnnAssign:
        return top(s.targets[0]) + ": " + annotationText(s) + (s.value ? " = " + top(s.value) : "");
    case StmtKind::AugAssign: {
        const Op op = s.op == Op::CDiv ? Op::TrueDiv : s.op == Op::CMod ? Op::Mod : s.op;
        return top(s.targets[0]) + " " + std::string(opText(op).text) + "= " + top(s.value);
    }
    case StmtKind::ExprStmt:
        return top(s.value);
    case StmtKind::Break:
        return "break";
    case StmtKind::Continue:
        return "continue";
    case StmtKind::Pass:
        return "pass";
    case StmtKind::Return:
        return s.value ? "return " + top(s.value) : "return";
    case StmtKind::Assert:
        return "assert " + text(*s.value, precLambda) + (s.extra ? ", " + text(*s.extra, precLambda) : "");
    case StmtKind::Raw:
        return s.text;
    default:
        return "";
    }
}

std::string blockText(const std::vector<StmtRef> &block, int indent) {
    const std::string pad(static_cast<std::size_t>(indent) * 4, ' ');
    std::string out;
    for (const StmtRef &s : block) {
        out += (out.empty() ? "" : "\n") + pad;
        if (s->kind == StmtKind::If)
            out += ifText(*s, pad, indent);
        else if (s->kind == StmtKind::While)
            out += "while " + top(s->value) + ":\n" + blockText(s->body, indent + 1);
        else if (s->kind == StmtKind::For)
            out += "for " + top(s->targets[0]) + " in " + top(s->value) + ":\n" + blockText(s->body, indent + 1);
        else
            out += simpleText(*s);
    }
    return out;
}

} // namespace

std::string print(const Expr &e) { return text(e, precTuple); }

std::string print(const std::vector<StmtRef> &block, int indent) { return blockText(block, indent); }

} // namespace sdfgc::py
