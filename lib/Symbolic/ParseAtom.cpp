// Operands of symbolic strings: literals, symbols, calls, members, elements.
#include "Symbolic/Functions.h"
#include "Symbolic/Parser.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <numbers>

namespace sdfgc::sym {
namespace {

double toDouble(std::string_view digits) {
    double v = 0;
    auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
    if (ec == std::errc::result_out_of_range) // an infinity or zero, as in Python
        return std::strtod(std::string(digits).c_str(), nullptr);
    return v;
}

std::optional<Type> suffixType(std::string_view suffix) {
    static constexpr std::pair<std::string_view, ScalarKind> table[] = {
        {"i8", ScalarKind::Int8},
        {"i16", ScalarKind::Int16},
        {"i32", ScalarKind::Int32},
        {"i64", ScalarKind::Int64},
        {"u8", ScalarKind::UInt8},
        {"u16", ScalarKind::UInt16},
        {"u32", ScalarKind::UInt32},
        {"u64", ScalarKind::UInt64},
        {"f16", ScalarKind::Float16},
        {"bf16", ScalarKind::BFloat16},
        {"e4m3fn", ScalarKind::Float8E4M3FN},
        {"e5m2", ScalarKind::Float8E5M2},
        {"f32", ScalarKind::Float32},
        {"f64", ScalarKind::Float64},
    };
    for (const auto &[name, kind] : table)
        if (name == suffix)
            return Type(kind);
    return std::nullopt;
}

void skipSpace(std::string_view &s) {
    while (!s.empty() && s.front() == ' ')
        s.remove_prefix(1);
}

/// Removes a float with an optional minus sign from the front.
std::optional<double> takeFloat(std::string_view &s) {
    double v = 0;
    auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
    if (ec != std::errc() || std::isalpha(static_cast<unsigned char>(s.front())))
        return std::nullopt;
    s.remove_prefix(static_cast<std::size_t>(end - s.data()));
    return v;
}

bool take(std::string_view &s, std::string_view word) {
    if (s.substr(0, word.size()) != word)
        return false;
    s.remove_prefix(word.size());
    return true;
}

} // namespace

/// An atom followed by any number of `.member` and `[index]`.
Expr Parser::postfix() {
    Expr e = atom();
    while (!failed()) {
        if (at(Tok::Dot))
            e = member(e);
        else if (at(Tok::LBracket))
            e = element(e);
        else
            break;
    }
    return e;
}

Expr Parser::member(Expr base) {
    advance();
    if (!at(Tok::Name) || isReservedWord(token_.text))
        return fail("a member name is missing here");
    Name name(token_.text);
    advance();
    return attr(base, name);
}

/// `a[i, j]`, also of a member: `s.x[i]`.
Expr Parser::element(Expr base) {
    advance();
    if (at(Tok::RBracket))
        return fail("an index is missing here");
    std::vector<Expr> args = arguments(Tok::RBracket);
    args.insert(args.begin(), base);
    Expr e = failed() ? base : call("Subscript", std::move(args));
    return failed() || e.kind() == SymbolicKind::Subscript ? e : fail("only elements of containers can be read");
}

Expr Parser::atom() {
    switch (token_.kind) {
    case Tok::Integer:
        return integer(false);
    case Tok::Float:
        return floating();
    case Tok::Imaginary: {
        Expr e = Expr::complex(0, toDouble(token_.text));
        advance();
        return e;
    }
    case Tok::Dollar: {
        if (!mayBeSymbol(token_.text))
            return fail("a symbol cannot be called `" + std::string(token_.text) + "`");
        Expr e = Expr::symbol(Name(token_.text));
        advance();
        return e;
    }
    case Tok::Undefined:
        advance();
        return Expr::undefined();
    case Tok::Name:
        return named();
    case Tok::LParen:
        return parenthesised();
    case Tok::End:
        return fail("the expression ends too early");
    default:
        return fail("an operand is missing here");
    }
}

/// An integer literal that overflows 64 bits becomes the overflowed value, so nothing computed from it goes unnoticed.
Expr Parser::integer(bool negative) {
    Token t = token_;
    advance();
    uint64_t magnitude = 0;
    auto [end, ec] = std::from_chars(t.text.data(), t.text.data() + t.text.size(), magnitude);
    constexpr uint64_t limit = uint64_t(1) << 63;
    if (ec != std::errc() || magnitude > limit || (magnitude == limit && !negative))
        return overflow();
    Expr value = magnitude == limit ? Expr(std::numeric_limits<int64_t>::min())
                                    : Expr(negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude));
    return t.suffix.empty() ? value : typed(value, t.suffix);
}

Expr Parser::floating() {
    Token t = token_;
    advance();
    Expr value = Expr::floating(toDouble(t.text));
    return t.suffix.empty() ? value : typed(value, t.suffix);
}

Expr Parser::typed(Expr value, std::string_view suffix) { return cast(*suffixType(suffix), value); }

/// `(1.0 + 2.0j)c128` and `(2.0j)c64`, read as one literal so that signs of zeros survive.
std::optional<Expr> Parser::complexLiteral() {
    std::string_view s = text_.substr(token_.begin + 1);
    double re = 0, im = 0;
    skipSpace(s);
    std::optional<double> first = takeFloat(s);
    if (!first)
        return std::nullopt;
    if (take(s, "j")) {
        im = *first;
    } else {
        re = *first;
        skipSpace(s);
        bool minus = take(s, "-");
        if (!minus && !take(s, "+"))
            return std::nullopt;
        skipSpace(s);
        std::optional<double> second = takeFloat(s);
        if (!second || !take(s, "j"))
            return std::nullopt;
        im = minus ? -*second : *second;
    }
    skipSpace(s);
    bool single = take(s, ")c64");
    if (!single && !take(s, ")c128"))
        return std::nullopt;
    std::size_t end = text_.size() - s.size();
    while (!at(Tok::End) && token_.begin < end)
        advance();
    Expr value = Expr::complex(re, im);
    return single ? cast(Type(ScalarKind::Complex64), value) : value;
}

Expr Parser::parenthesised() {
    if (hasComplex_)
        if (std::optional<Expr> literal = complexLiteral())
            return *literal;
    advance();
    Expr e = expression();
    if (!failed())
        expect(Tok::RParen, "`)`");
    return e;
}

std::optional<Expr> Parser::constant(std::string_view name) const {
    if (name == "True" || name == "False")
        return Expr::boolean(name == "True");
    if (name == "None" || name == "NoneSymbol")
        return Expr::none();
    if (name == "oo" || name == "inf")
        return Expr::infinity();
    if (name == "nan")
        return Expr::nan();
    if (!hasDollar_) // in old strings these are symbols like any other
        return std::nullopt;
    if (name == "pi")
        return Expr::floating(std::numbers::pi);
    if (name == "E")
        return Expr::floating(std::numbers::e);
    if (name == "I")
        return Expr::complex(0, 1);
    return std::nullopt;
}

/// A bare name: a constant, a function (also dotted: `dace.float32(x)`), an element `A(i)` of a container, or a symbol.
Expr Parser::named() {
    if (isReservedWord(token_.text))
        return fail("an operand is missing before `" + std::string(token_.text) + "`");
    if (following_.kind != Tok::Dot && following_.kind != Tok::LParen) {
        std::optional<Expr> known = constant(token_.text);
        Expr e = known ? *known : Expr::symbol(Name(token_.text));
        advance();
        return e;
    }
    std::string_view first = token_.text;
    advance();
    if (at(Tok::LParen))
        return callOf(first);
    std::string dotted(first);
    Expr e = Expr::symbol(Name(first));
    while (at(Tok::Dot) && following_.kind == Tok::Name && !isReservedWord(following_.text)) {
        advance();
        dotted += '.';
        dotted += token_.text;
        e = attr(e, Name(token_.text));
        advance();
    }
    if (at(Tok::LParen))
        return callOf(dotted);
    return mayBeSymbol(first) ? e : fail("a truth value has no members");
}

Expr Parser::callOf(std::string_view function) {
    advance();
    if (function == "symbol")
        return annotatedSymbol();
    if (function == "Piecewise")
        return piecewise();
    Name name(function);
    std::vector<Expr> args = arguments(Tok::RParen);
    if (failed())
        return Expr::undefined();
    // A container may have the same name as a function: sizes are written with functions, and elements use brackets in all but old
    // files.
    const bool isElement = isContainer_ && isContainer_(name) && !isFunction(name, args.size());
    return isElement ? subscript(name, std::move(args)) : call(name, std::move(args));
}

std::vector<Expr> Parser::arguments(Tok close) {
    std::vector<Expr> args;
    if (accept(close))
        return args;
    do
        args.push_back(expression());
    while (!failed() && accept(Tok::Comma));
    if (!failed())
        expect(close, close == Tok::RParen ? "`)`" : "`]`");
    return args;
}

/// `Piecewise((v1, c1), (v2, c2), ...)`: the first true condition wins.
Expr Parser::piecewise() {
    std::vector<std::pair<Expr, Expr>> pieces;
    do {
        if (!expect(Tok::LParen, "`(`"))
            return Expr::undefined();
        Expr value = expression();
        if (failed() || !expect(Tok::Comma, "`,`"))
            return Expr::undefined();
        pieces.emplace_back(value, expression());
        if (failed() || !expect(Tok::RParen, "`)`"))
            return Expr::undefined();
    } while (accept(Tok::Comma));
    expect(Tok::RParen, "`)`");
    Expr result = Expr::undefined();
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece)
        result = select(piece->second, piece->first, result);
    return result;
}

/// `symbol($N, dtype=dace.int64, positive=True)`.
Expr Parser::annotatedSymbol() {
    if (!at(Tok::Dollar) && !at(Tok::Name))
        return fail("a symbol name is missing here");
    if (!mayBeSymbol(token_.text))
        return fail("a symbol cannot be called `" + std::string(token_.text) + "`");
    Name name(token_.text);
    advance();
    while (!failed() && accept(Tok::Comma))
        keyword(name);
    if (!failed())
        expect(Tok::RParen, "`)`");
    return Expr::symbol(name);
}

void Parser::keyword(Name symbol) {
    if (!at(Tok::Name)) {
        fail("a keyword is missing here");
        return;
    }
    std::string_view key = token_.text;
    advance();
    if (!expect(Tok::Assign, "`=`"))
        return;
    std::string_view value = keywordValue();
    if (failed() || !facts_)
        return;
    SymbolFacts &f = (*facts_)[symbol];
    std::optional<Type> type = key == "dtype" ? castTypeByName(value) : std::nullopt;
    if (type)
        f.type = *type;
    else if (key == "nonnegative" && value == "True")
        f.nonnegative = true;
    else if (key == "positive" && value == "True")
        f.positive = true;
    else if (key == "nonzero" && value == "True")
        f.nonzero = true;
    else if (std::none_of(f.other.begin(), f.other.end(), [key](const auto &known) { return known.first == key; }))
        f.other.emplace_back(key, value); // the first of two values wins
}

/// The text up to the next comma or closing parenthesis outside of parentheses.
std::string_view Parser::keywordValue() {
    std::size_t begin = token_.begin, end = begin;
    for (int open = 0; open > 0 || !(at(Tok::Comma) || at(Tok::RParen)); advance()) {
        if (at(Tok::End) || at(Tok::Error)) {
            fail("a value is missing here");
            return {};
        }
        open += at(Tok::LParen) ? 1 : at(Tok::RParen) ? -1 : 0;
        end = token_.end;
    }
    if (begin == end)
        fail("a value is missing here");
    return text_.substr(begin, end - begin);
}

} // namespace sdfgc::sym
