// Short names for the tests of Symbolic.
#pragma once

#include "sdfgc/Symbolic/Subset.h"

#include <catch2/catch.hpp>

#include <ostream>

namespace sdfgc::sym {

inline std::ostream &operator<<(std::ostream &os, Expr e) { return os << e.str(); }
inline std::ostream &operator<<(std::ostream &os, Truth t) {
    return os << (t == Truth::True ? "True" : t == Truth::False ? "False" : "Unknown");
}
inline std::ostream &operator<<(std::ostream &os, const Subset &s) { return os << "[" << s.str() << "]"; }

/// The expression of a text that must parse.
inline Expr P(const std::string &text) {
    ParseResult r = parse(text);
    INFO(text << ": " << r.error);
    REQUIRE(r.expr);
    return *r.expr;
}

/// `0:N, i, 2:M:2`: the subset for a text in the form of Subset::str (no colons inside expressions).
inline Subset S(const std::string &text) {
    auto split = [](const std::string &s, char at) {
        std::vector<std::string> parts{""};
        int open = 0;
        for (char c : s) {
            open += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (c == at && open == 0)
                parts.emplace_back();
            else
                parts.back() += c;
        }
        return parts;
    };
    Subset result;
    if (text.empty())
        return result;
    for (const std::string &dim : split(text, ',')) {
        std::vector<std::string> parts = split(dim, ':');
        Range r{P(parts[0]), P(parts[0])};
        if (parts.size() > 2)
            r.step = P(parts[2]);
        if (parts.size() > 3)
            r.tile = P(parts[3]);
        if (parts.size() > 1)
            r.end = P(parts[1]) - (r.step.isInteger() && r.step.numerator() < 0 ? -1 : 1);
        result.dims.push_back(r);
    }
    return result;
}

inline Assumptions nonNegative(std::initializer_list<const char *> names) {
    Assumptions facts;
    for (const char *n : names)
        facts[n].nonnegative = true;
    return facts;
}

inline Assumptions positive(std::initializer_list<const char *> names) {
    Assumptions facts;
    for (const char *n : names)
        facts[n].positive = true;
    return facts;
}

} // namespace sdfgc::sym
