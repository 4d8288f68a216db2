// Recursive descent over the grammar of format reference 1.8. Chains of one operator are loops; nesting is limited.
#pragma once

#include "Symbolic/Lexer.h"
#include "Symbolic/Polynomial.h"

namespace sdfgc::sym {

/// Words that are operators and never names.
bool isReservedWord(std::string_view text);
/// May a symbol have this name? Without a dollar sign, operators and truth values would be parsed as such.
bool mayBeSymbol(std::string_view name);

class Parser {
public:
    Parser(std::string_view text, Assumptions *facts, const std::function<bool(Name)> &isContainer);
    ParseResult parse();

private:
    static constexpr int maxNesting = 200;

    /// A factor as written. The product that contains it decides how the power of a sum is expanded: multiplied out alone, it might
    /// break up a product that should be kept.
    struct Factor {
        Expr base;
        Expr exponent = 1; // only a plain sum has an exponent other than 1
        bool negated = false;
        Expr value() const;
    };

    // Operators, loosest first (Parser.cpp).
    Expr expression(); // a if c else b
    Expr disjunction();
    Expr conjunction();
    Expr negation();
    Expr comparison();
    Expr bits(int level);
    Expr sum();
    Expr product();
    Factor factor();
    Factor signedFactor();
    Factor power();

    // Operands (ParseAtom.cpp).
    Expr postfix();
    Expr atom();
    Expr integer(bool negative);
    Expr floating();
    Expr typed(Expr value, std::string_view suffix);
    Expr parenthesised();
    std::optional<Expr> complexLiteral();
    Expr named();
    std::optional<Expr> constant(std::string_view name) const;
    Expr callOf(std::string_view function);
    Expr piecewise();
    Expr annotatedSymbol();
    void keyword(Name symbol);
    std::string_view keywordValue();
    std::vector<Expr> arguments(Tok close);
    Expr member(Expr base);
    Expr element(Expr base);

    void advance() {
        token_ = following_;
        following_ = lexer_.next();
    }
    bool at(Tok kind) const { return token_.kind == kind; }
    bool atWord(std::string_view word) const { return at(Tok::Name) && token_.text == word; }
    bool accept(Tok kind);
    bool acceptWord(std::string_view word);
    bool expect(Tok kind, const char *what);
    /// Records the first error; the value is a placeholder.
    Expr fail(std::string why);
    Expr withinLimits(Expr e, uint32_t most);
    bool failed() const { return !error_.empty(); }
    std::optional<SymbolicKind> comparisonOperator();

    /// Counts nesting while it lives.
    class Nest {
    public:
        explicit Nest(Parser &p) : parser_(p) { ++p.nesting_; }
        ~Nest() { --parser_.nesting_; }
        bool tooDeep() const { return parser_.nesting_ > maxNesting; }

    private:
        Parser &parser_;
    };

    std::string_view text_;
    Lexer lexer_;
    Token token_, following_;
    Assumptions *facts_;
    const std::function<bool(Name)> &isContainer_;
    bool hasDollar_;  // a string of a 2.x file: there `E`, `I` and `pi` are constants
    bool hasComplex_; // may contain a typed complex literal
    int nesting_ = 0;
    std::string error_;
    std::size_t errorOffset_ = 0;
};

} // namespace sdfgc::sym
