// Expressions, by precedence.
#include "TreeReader.h"

#include <algorithm>

namespace sdfgc::tree::text {

using py::Expr;
using py::ExprKind;
using py::ExprRef;
using py::Op;

namespace {

Expr node(ExprKind kind, std::string text = {}) {
    Expr e;
    e.kind = kind;
    e.text = std::move(text);
    return e;
}

/// Words that are never names, even where an operand is expected; `div`, `in` and the like are operators only after an operand.
bool isKeyword(std::string_view w) { return w == "if" || w == "else" || w == "and" || w == "or" || w == "not"; }

} // namespace

ExprRef TreeReader::finish(Expr e) {
    const Surroundings around{[this](Name n) { return meanings->typeOf(n); },
                              [this](RefId r) { return meanings->typeOfMemory(r); }};
    if (e.kind != ExprKind::Cast)
        e.type = impliedType(e, around);
    return std::make_shared<const Expr>(std::move(e));
}

std::vector<ExprRef> TreeReader::expressions(std::string_view close) {
    std::vector<ExprRef> out;
    while (!isSign(close)) {
        if (isSign("?") && (peek(1).text == "," || peek(1).text == close)) {
            take();
            out.push_back(nullptr);
        } else {
            out.push_back(expression(Lambda));
        }
        if (!takeSign(","))
            break;
    }
    expectSign(close);
    return out;
}

ExprRef TreeReader::expression(int least) {
    const Nested nested(*this);
    ExprRef left = isWord("lambda") && least <= Lambda ? lambda() : unary(least);
    for (bool more = true; more;) {
        more = false;
        left = infix(left, least, more);
    }
    return left;
}

const Operator *TreeReader::operatorHere() const {
    if (peek().kind != Token::Sign && peek().kind != Token::Word)
        return nullptr;
    for (const Operator &o : operators())
        if (o.text == peek().text)
            return &o;
    return nullptr;
}

ExprRef TreeReader::comparison(ExprRef left) {
    Expr e = node(ExprKind::Compare);
    e.args.push_back(left);
    for (const Operator *o = operatorHere(); o && o->precedence == Comparison; o = operatorHere()) {
        take();
        e.ops.push_back(o->op);
        e.args.push_back(expression(Comparison + 1));
    }
    return finish(std::move(e));
}

/// One more operator after `left`, if there is one that binds at least as tightly.
ExprRef TreeReader::infix(ExprRef left, int least, bool &more) {
    if (isWord("if") && least <= Conditional) {
        take();
        Expr e = node(ExprKind::IfExp);
        ExprRef condition = expression(Disjunction);
        expectWord("else");
        e.args = {condition, left, expression(Conditional)};
        more = true;
        return finish(std::move(e));
    }
    if (isWord("and") || isWord("or")) {
        const int own = isWord("and") ? Conjunction : Disjunction;
        if (least > own)
            return left;
        Expr e = node(ExprKind::BoolOp);
        e.op = own == Conjunction ? Op::And : Op::Or;
        e.args.push_back(left);
        const std::string word = peek().text;
        while (isWord(word)) {
            take();
            e.args.push_back(expression(own + 1));
        }
        more = true;
        return finish(std::move(e));
    }
    const Operator *o = operatorHere();
    if (!o || o->precedence < least)
        return left;
    more = true;
    if (o->precedence == Comparison)
        return comparison(left);
    take();
    Expr e = node(ExprKind::Binary);
    e.op = o->op;
    e.args = {left, expression(o->op == Op::Pow ? Sign : o->precedence + 1)};
    return finish(std::move(e));
}

ExprRef TreeReader::unary(int least) {
    if (isWord("not") && least <= Negation) {
        take();
        Expr e = node(ExprKind::Unary);
        e.op = Op::Not;
        e.args = {expression(Negation)};
        return finish(std::move(e));
    }
    const bool sign = isSign("-") || isSign("+") || isSign("~");
    if (sign) {
        Expr e = node(ExprKind::Unary);
        e.op = isSign("-") ? Op::Neg : isSign("+") ? Op::Pos : Op::Invert;
        take();
        e.args = {expression(Sign)};
        return finish(std::move(e));
    }
    if (takeSign("&"))
        return memoryExpression(true);
    return postfix(primary());
}

ExprRef TreeReader::postfix(ExprRef e) {
    while (true) {
        if (isSign("(")) {
            e = call(e);
        } else if (takeSign(".[")) {
            Expr s = node(ExprKind::Subscript);
            s.args = expressions("]");
            s.args.insert(s.args.begin(), e);
            e = finish(std::move(s));
        } else if (takeSign(".")) {
            Expr a = node(ExprKind::Attribute);
            a.name = name();
            a.args = {e};
            e = finish(std::move(a));
        } else {
            return e;
        }
    }
}

ExprRef TreeReader::call(ExprRef callee) {
    expectSign("(");
    Expr e = node(ExprKind::Call);
    e.args = {callee};
    while (!isSign(")")) {
        if (peek().kind == Token::Word && peek(1).kind == Token::Sign && peek(1).text == "=") {
            py::Keyword k;
            k.name = name();
            take();
            k.value = expression(Lambda);
            e.keywords.push_back(std::move(k));
        } else {
            e.args.push_back(expression(Lambda));
        }
        if (!takeSign(","))
            break;
    }
    expectSign(")");
    return finish(std::move(e));
}

ExprRef TreeReader::lambda() {
    take();
    Expr e = node(ExprKind::Lambda);
    while (!isSign(":")) {
        e.params.push_back(name());
        if (!takeSign(","))
            break;
    }
    expectSign(":");
    e.args = {expression(Lambda)};
    return finish(std::move(e));
}

ExprRef TreeReader::numberLiteral() {
    std::string t = take().text;
    const bool isHex = t.size() > 1 && t[0] == '0' && (t[1] == 'x' || t[1] == 'X');
    const bool imaginary = !isHex && t.back() == 'j';
    if (imaginary)
        t.pop_back();
    const bool marked = t[0] == '$';
    if (marked)
        t.erase(0, 1);
    const bool isFloat = marked || (!isHex && t.find_first_of(".eE") != std::string::npos);
    return finish(node(imaginary ? ExprKind::Imaginary : isFloat ? ExprKind::Float : ExprKind::Int, t));
}

/// `(e)`, `(e : type)`, `(memory as type)`, tuples.
ExprRef TreeReader::parenthesis() {
    take();
    if (takeSign(")"))
        return finish(node(ExprKind::Tuple));
    ExprRef e = expression();
    if (isWord("as") && e->kind == ExprKind::MemRef) {
        take();
        meanings->memory(refOf(*e)).castTo = type();
        e = finish(Expr(*e));
    }
    if (takeSign(":")) {
        Expr typed = *e;
        typed.type = type();
        expectSign(")");
        return std::make_shared<const Expr>(std::move(typed));
    }
    if (takeSign(")"))
        return e;
    if (!isSign(","))
        fail("expected `)`, but found " + here());
    take();
    Expr tuple = node(ExprKind::Tuple);
    tuple.args = expressions(")");
    tuple.args.insert(tuple.args.begin(), e);
    return finish(std::move(tuple));
}

ExprRef TreeReader::primary() {
    const Token t = peek();
    switch (t.kind) {
    case Token::Number:
        return numberLiteral();
    case Token::String:
        return finish(node(ExprKind::String, take().text));
    case Token::Raw:
        return finish(node(ExprKind::Raw, take().text));
    case Token::Sign:
        if (t.text == "(")
            return parenthesis();
        if (takeSign(".[")) {
            Expr e = node(ExprKind::Slice);
            e.args = expressions("]");
            return finish(std::move(e));
        }
        if (t.text == "<") {
            take();
            Expr e = node(ExprKind::Cast);
            e.type = type();
            expectSign(">");
            expectSign("(");
            e.args = expressions(")");
            return finish(std::move(e));
        }
        break;
    case Token::Word:
        if (isKeyword(t.text))
            break;
        if (isMemory())
            return memoryExpression(false);
        take();
        if (t.text == "None")
            return finish(node(ExprKind::None));
        if (t.text == "True" || t.text == "False")
            return finish(node(ExprKind::Bool, t.text));
        {
            Expr e = node(ExprKind::Name);
            e.name = Name(t.text);
            return finish(std::move(e));
        }
    default:
        break;
    }
    fail("expected an expression, but found " + here());
}

// --------------------------------------------------------------------------------------------------------------- memory

/// A path of names with `[`?
bool TreeReader::isMemory() const {
    std::size_t i = 0;
    while (peek(i + 1).kind == Token::Sign && peek(i + 1).text == "." &&
           (peek(i + 2).kind == Token::Word || peek(i + 2).kind == Token::String))
        i += 2;
    return peek(i + 1).kind == Token::Sign && peek(i + 1).text == "[";
}

Element TreeReader::element() {
    take();
    Element e;
    e.container = name();
    e.index = sizes();
    if (takeLabel("shape"))
        e.shape = sizes();
    if (takeLabel("extent"))
        e.extent = sizes();
    if (takeLabel("counts"))
        e.counted = sizes();
    if (takeLabel("memory"))
        e.memory = size();
    return e;
}

RefId TreeReader::memory(bool address, std::vector<ExprRef> *indices) {
    const Token first = peek();
    std::vector<std::string> path;
    std::string text;
    do {
        path.push_back(name().str());
        text += (text.empty() ? "" : ".") + path.back();
    } while (takeSign("."));
    MemRef r;
    r.address = address;
    r.var = meanings->variable(path);
    if (!r.var)
        fail("no variable `" + text + "` exists here", first);
    expectSign("[");
    r.offset = size();
    if (isWord("by")) {
        do {
            take();
            r.strides.push_back(size());
        } while (isSign(","));
    }
    if (isWord("element"))
        r.element = element();
    if (indices && isWord("at")) {
        take();
        *indices = expressions("]");
    } else {
        expectSign("]");
    }
    if (isSign(".") && peek(1).text == "pop") {
        take();
        take();
        r.pop = true;
    }
    return meanings->add(std::move(r));
}

ExprRef TreeReader::memoryExpression(bool address) {
    Expr e = node(ExprKind::MemRef);
    e.slot = memory(address, &e.args).index;
    return finish(std::move(e));
}

RefId TreeReader::reference() {
    if (isSign("?")) {
        take();
        return {};
    }
    const bool address = takeSign("&");
    const RefId r = memory(address, nullptr);
    if (isWord("as")) {
        take();
        meanings->memory(r).castTo = type();
    }
    return r;
}

} // namespace sdfgc::tree::text
