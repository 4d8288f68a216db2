#include "Symbolic/Parser.h"

#include <array>

namespace sdfgc::sym {
namespace {

constexpr std::string_view reservedWords[] = {"if", "else", "and", "or", "not", "is", "in", "lambda", "for"};

/// Binary operators between comparisons and sums, loosest first.
struct BitOperator {
    Tok token;
    SymbolicKind kind;
};
constexpr std::array<std::array<BitOperator, 2>, 4> bitLevels = {{
    {{{Tok::Pipe, SymbolicKind::BitOr}, {Tok::Pipe, SymbolicKind::BitOr}}},
    {{{Tok::Caret, SymbolicKind::BitXor}, {Tok::Caret, SymbolicKind::BitXor}}},
    {{{Tok::Amp, SymbolicKind::BitAnd}, {Tok::Amp, SymbolicKind::BitAnd}}},
    {{{Tok::Shl, SymbolicKind::Shl}, {Tok::Shr, SymbolicKind::Shr}}},
}};

/// Some writers print And and Or as `(a) & (b)` and `(a) | (b)` of truth values.
Expr bitOrLogical(SymbolicKind kind, Expr a, Expr b) {
    if (isBooleanValued(a) && isBooleanValued(b) && kind == SymbolicKind::BitAnd)
        return logicalAnd({a, b});
    if (isBooleanValued(a) && isBooleanValued(b) && kind == SymbolicKind::BitOr)
        return logicalOr({a, b});
    return bitwise(kind, a, b);
}

} // namespace

bool isReservedWord(std::string_view text) {
    for (std::string_view word : reservedWords)
        if (word == text)
            return true;
    return false;
}

bool mayBeSymbol(std::string_view name) { return !isReservedWord(name) && name != "True" && name != "False"; }

Parser::Parser(std::string_view text, Assumptions *facts, const std::function<bool(Name)> &isContainer)
    : text_(text), lexer_(text), facts_(facts), isContainer_(isContainer), hasDollar_(text.find('$') != std::string_view::npos),
      hasComplex_(text.find(")c") != std::string_view::npos) {
    token_ = lexer_.next();
    following_ = lexer_.next();
}

ParseResult Parser::parse() {
    const ExpansionBudget budget(100000 + 100 * text_.size());
    const Expr e = withinLimits(expression(), maxWeight);
    if (!failed() && !at(Tok::End))
        fail("unexpected text after the expression");
    if (failed())
        return {std::nullopt, std::move(error_), errorOffset_};
    return {e, {}, 0};
}

bool Parser::accept(Tok kind) {
    if (!at(kind))
        return false;
    advance();
    return true;
}

bool Parser::acceptWord(std::string_view word) {
    if (!atWord(word))
        return false;
    advance();
    return true;
}

bool Parser::expect(Tok kind, const char *what) {
    if (accept(kind))
        return true;
    fail(std::string(what) + " is missing here");
    return false;
}

Expr Parser::fail(std::string why) {
    if (!failed()) {
        error_ = std::move(why);
        errorOffset_ = token_.begin;
    }
    return Expr::undefined();
}

Expr Parser::expression() {
    Nest nest(*this);
    if (nest.tooDeep())
        return fail("nested too deeply");
    Expr value = disjunction();
    if (failed() || !acceptWord("if"))
        return value;
    Expr condition = disjunction();
    if (failed() || !acceptWord("else"))
        return fail("`else` is missing here");
    Expr otherwise = expression();
    return failed() ? value : select(condition, value, otherwise);
}

Expr Parser::disjunction() {
    Expr first = conjunction();
    if (failed() || !atWord("or"))
        return first;
    std::vector<Expr> args{first};
    while (!failed() && acceptWord("or"))
        args.push_back(conjunction());
    return logicalOr(std::move(args));
}

Expr Parser::conjunction() {
    Expr first = negation();
    if (failed() || !atWord("and"))
        return first;
    std::vector<Expr> args{first};
    while (!failed() && acceptWord("and"))
        args.push_back(negation());
    return logicalAnd(std::move(args));
}

Expr Parser::negation() {
    if (!atWord("not"))
        return comparison();
    Nest nest(*this);
    if (nest.tooDeep())
        return fail("nested too deeply");
    advance();
    Expr e = negation();
    return failed() ? e : logicalNot(e);
}

std::optional<SymbolicKind> Parser::comparisonOperator() {
    std::optional<SymbolicKind> kind;
    switch (token_.kind) {
    case Tok::EqEq:
        kind = SymbolicKind::Eq;
        break;
    case Tok::NotEq:
        kind = SymbolicKind::Ne;
        break;
    case Tok::Less:
        kind = SymbolicKind::Lt;
        break;
    case Tok::LessEq:
        kind = SymbolicKind::Le;
        break;
    case Tok::Greater:
        kind = SymbolicKind::Gt;
        break;
    case Tok::GreaterEq:
        kind = SymbolicKind::Ge;
        break;
    default:
        if (!acceptWord("is"))
            return std::nullopt;
        return acceptWord("not") ? SymbolicKind::IsNot : SymbolicKind::Is;
    }
    advance();
    return kind;
}

/// `a < b < c` is a < b and b < c, as in Python.
Expr Parser::comparison() {
    Expr left = bits(0);
    std::vector<Expr> links;
    while (!failed()) {
        std::optional<SymbolicKind> op = comparisonOperator();
        if (!op)
            break;
        Expr right = bits(0);
        if (failed())
            break;
        links.push_back(compare(*op, left, right));
        left = right;
    }
    if (links.empty())
        return left;
    return links.size() == 1 ? links[0] : logicalAnd(std::move(links));
}

Expr Parser::bits(int level) {
    if (level == static_cast<int>(bitLevels.size()))
        return sum();
    Expr left = bits(level + 1);
    for (const auto &operators = bitLevels[static_cast<std::size_t>(level)]; !failed();) {
        const BitOperator &op = at(operators[0].token) ? operators[0] : operators[1];
        if (!accept(op.token))
            break;
        Expr right = bits(level + 1);
        if (!failed())
            left = bitOrLogical(op.kind, left, right);
    }
    return left;
}

Expr Parser::sum() {
    Expr first = product();
    if (failed() || !(at(Tok::Plus) || at(Tok::Minus)))
        return first;
    SumBuilder terms;
    terms.add(first);
    while (!failed() && (at(Tok::Plus) || at(Tok::Minus))) {
        bool minus = at(Tok::Minus);
        advance();
        terms.add(product(), minus ? -1 : 1);
    }
    return failed() ? Expr::undefined() : withinLimits(terms.finish(), 4 * maxWeight);
}

/// Checks each part of a text separately, because an oversized part makes the expression around it even larger. A part may weigh
/// more than the whole, which may cancel some of it, so parts have a higher limit.
Expr Parser::withinLimits(Expr e, uint32_t most) {
    if (failed() || (e.node()->weight <= most && !ExpansionBudget::isSpent()))
        return e;
    error_ = ExpansionBudget::isSpent()
                 ? "expanding it takes too long: it has deeply nested sums and products"
                 : "after expansion it has more than " + std::to_string(maxWeight) + " numbers, symbols and operators";
    errorOffset_ = 0;
    return 0;
}

Expr Parser::Factor::value() const {
    const Expr power = exponent.isOne() ? base : pow(base, exponent);
    return negated ? -power : power;
}

Expr Parser::product() {
    const Factor first = factor();
    auto atOperator = [this] { return at(Tok::Star) || at(Tok::Slash) || at(Tok::SlashSlash) || at(Tok::Percent); };
    if (failed() || !atOperator())
        return first.value();
    ProductBuilder factors;
    auto multiply = [&factors](const Factor &f) {
        factors.multiply(f.base, f.exponent);
        if (f.negated)
            factors.multiply(-1);
    };
    multiply(first);
    while (!failed() && atOperator()) {
        const Tok op = token_.kind;
        advance();
        const Factor right = factor();
        if (op == Tok::Star) {
            multiply(right);
        } else if (op == Tok::Slash) {
            factors.multiply(right.value(), -1);
        } else {
            const Expr left = factors.finish();
            factors = ProductBuilder();
            factors.multiply(op == Tok::SlashSlash ? floorDiv(left, right.value()) : mod(left, right.value()));
        }
    }
    return failed() ? Expr::undefined() : withinLimits(factors.finish(), 4 * maxWeight);
}

Parser::Factor Parser::factor() { return at(Tok::Minus) || at(Tok::Plus) || at(Tok::Tilde) ? signedFactor() : power(); }

Parser::Factor Parser::signedFactor() {
    Nest nest(*this);
    if (nest.tooDeep())
        return {fail("nested too deeply")};
    Tok sign = token_.kind;
    advance();
    if (sign == Tok::Minus && at(Tok::Integer) && following_.kind != Tok::StarStar)
        return {integer(true)}; // the least integer has no positive counterpart
    Factor f = factor();
    if (failed() || sign == Tok::Plus)
        return f;
    if (sign == Tok::Tilde)
        return {bitNot(f.value())};
    f.negated = !f.negated;
    return f;
}

Parser::Factor Parser::power() {
    Expr base = postfix();
    if (failed() || !accept(Tok::StarStar))
        return {base};
    Nest nest(*this);
    if (nest.tooDeep())
        return {fail("nested too deeply")};
    Expr exponent = factor().value();
    if (failed())
        return {base};
    const bool kept = base.kind() == SymbolicKind::Add && exponent.isInteger() && exponent.numerator() > 0;
    return kept ? Factor{base, exponent} : Factor{pow(base, exponent)};
}

ParseResult parse(std::string_view text, Assumptions *facts, const std::function<bool(Name)> &isContainer) {
    return Parser(text, facts, isContainer).parse();
}

} // namespace sdfgc::sym
