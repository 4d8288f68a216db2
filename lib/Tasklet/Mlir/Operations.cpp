#include "Tasklet/Mlir/Operations.h"

#include <algorithm>
#include <array>
#include <map>

namespace sdfgc::mlir {
namespace {

/// An expression over its operands: `A`, `B`, `C` stand for them, `U(A)` for one as an unsigned number, and `S(...)` for the result as a
/// number of its type.
struct Rule {
    std::size_t operands;
    std::string_view text;
    bool vectors = false; // also element by element
};

// Integers of MLIR have no sign, and are signed ones here. Quotients are rounded towards zero; those of floordivsi and ceildivsi are not.
const std::map<std::string, Rule, std::less<>> rules{
    {"addi", {2, "A + B", true}},
    {"subi", {2, "A - B", true}},
    {"muli", {2, "A * B", true}},
    {"divsi", {2, "(A - cpp_mod(A, B)) // B"}},
    {"remsi", {2, "cpp_mod(A, B)"}},
    {"floordivsi", {2, "A // B"}},
    {"ceildivsi", {2, "-(-A // B)"}},
    {"divui", {2, "S(U(A) // U(B))"}},
    {"remui", {2, "S(U(A) % U(B))"}},
    {"shli", {2, "A << B"}},
    {"shrsi", {2, "A >> B"}},
    {"shrui", {2, "S(U(A) >> U(B))"}},
    {"maxsi", {2, "max(A, B)"}},
    {"minsi", {2, "min(A, B)"}},
    {"maxui", {2, "S(max(U(A), U(B)))"}},
    {"minui", {2, "S(min(U(A), U(B)))"}},
    {"addf", {2, "A + B", true}},
    {"subf", {2, "A - B", true}},
    {"mulf", {2, "A * B", true}},
    {"divf", {2, "A / B", true}},
    {"remf", {2, "fmod(A, B)"}},
    {"negf", {1, "-A", true}},
    {"maximumf", {2, "(A if A != A else max(A, B))"}}, // max(A, B) is B if that is a NaN
    {"maxf", {2, "(A if A != A else max(A, B))"}},
    {"minimumf", {2, "(A if A != A else min(A, B))"}},
    {"minf", {2, "(A if A != A else min(A, B))"}},
    {"maxnumf", {2, "fmax(A, B)"}},
    {"minnumf", {2, "fmin(A, B)"}},
    {"select", {3, "(B if A else C)"}},
    {"absf", {1, "abs(A)"}},
    {"absi", {1, "abs(A)"}},
    {"rsqrt", {1, "1 / sqrt(A)"}},
    {"powf", {2, "pow(A, B)"}},
    {"ceil", {1, "S(ceil(A))"}},
    {"floor", {1, "S(floor(A))"}},
    {"trunc", {1, "S(trunc(A))"}},
    {"roundeven", {1, "S(rint(A))"}},
    {"fma", {3, "fma(A, B, C)"}},
    {"extf", {1, "S(A)"}},
    {"truncf", {1, "S(A)"}},
    {"extsi", {1, "S(A)"}},
    {"extui", {1, "S(U(A))"}},
    {"trunci", {1, "S(A)"}},
    {"sitofp", {1, "S(A)"}},
    {"uitofp", {1, "S(U(A))"}},
    {"fptosi", {1, "S(A)"}},
    {"index_cast", {1, "S(A)"}},
    {"index_castui", {1, "S(U(A))"}},
};

/// Functions of the dialect math with the name and the meaning of C's.
constexpr std::array<std::string_view, 23> functions{"sqrt",  "cbrt", "exp",   "exp2",  "expm1", "log",  "log2", "log10",
                                                     "log1p", "sin",  "cos",   "tan",   "asin",  "acos", "atan", "sinh",
                                                     "cosh",  "tanh", "asinh", "acosh", "atanh", "erf",  "erfc"};
constexpr std::array<std::string_view, 2> binaryFunctions{"atan2", "copysign"};

/// By number, as the generic form writes them. U(...) as above.
constexpr std::pair<std::string_view, std::string_view> integerTests[] = {
    {"eq", "A == B"},  {"ne", "A != B"},       {"slt", "A < B"},        {"sle", "A <= B"},      {"sgt", "A > B"},
    {"sge", "A >= B"}, {"ult", "U(A) < U(B)"}, {"ule", "U(A) <= U(B)"}, {"ugt", "U(A) > U(B)"}, {"uge", "U(A) >= U(B)"}};
constexpr std::pair<std::string_view, std::string_view> realTests[] = {{"false", "False"},
                                                                       {"oeq", "A == B"},
                                                                       {"ogt", "A > B"},
                                                                       {"oge", "A >= B"},
                                                                       {"olt", "A < B"},
                                                                       {"ole", "A <= B"},
                                                                       {"one", "(A < B or A > B)"},
                                                                       {"ord", "(A == A and B == B)"},
                                                                       {"ueq", "not (A < B or A > B)"},
                                                                       {"ugt", "not (A <= B)"},
                                                                       {"uge", "not (A < B)"},
                                                                       {"ult", "not (A >= B)"},
                                                                       {"ule", "not (A > B)"},
                                                                       {"une", "A != B"},
                                                                       {"uno", "(A != A or B != B)"},
                                                                       {"true", "True"}};

Type unsignedOf(Type t) {
    switch (t.scalar()) {
    case ScalarKind::Int8:
        return ScalarKind::UInt8;
    case ScalarKind::Int16:
        return ScalarKind::UInt16;
    case ScalarKind::Int32:
        return ScalarKind::UInt32;
    case ScalarKind::Int64:
        return ScalarKind::UInt64;
    default:
        return t;
    }
}

/// Replaces the letters of a rule.
class Filling {
public:
    Filling(const Operation &o, std::string_view rule) : o_(o), rule_(rule) {}

    std::string run() {
        std::string out;
        while (at_ < rule_.size())
            out += part();
        return out;
    }

private:
    std::string part() {
        const char c = rule_[at_++];
        if (c >= 'A' && c <= 'C')
            return o_.operands.at(static_cast<std::size_t>(c - 'A')).text;
        if ((c == 'U' || c == 'S') && rule_[at_] == '(') {
            const Type t = c == 'S' ? o_.result : unsignedOf(o_.operands.at(static_cast<std::size_t>(rule_[at_ + 1] - 'A')).type);
            ++at_;
            std::string inside;
            for (int depth = 1;; inside += part()) {
                depth += rule_[at_] == '(' ? 1 : rule_[at_] == ')' ? -1 : 0;
                if (depth == 0)
                    break;
            }
            ++at_;
            return castTo(t, inside);
        }
        return std::string(1, c);
    }

    const Operation &o_;
    const std::string_view rule_;
    std::size_t at_ = 0;
};

[[noreturn]] void refuse(const Operation &o, const std::string &why) { throw Refused("the operation `" + o.name + "` " + why); }

void checkOperands(const Operation &o, std::size_t count) {
    if (o.operands.size() != count)
        refuse(o, "has " + std::to_string(o.operands.size()) + " operands instead of " + std::to_string(count));
}

template <std::size_t N> std::string test(const Operation &o, const std::pair<std::string_view, std::string_view> (&tests)[N]) {
    checkOperands(o, 2);
    for (std::size_t k = 0; k < N; ++k)
        if (o.predicate == tests[k].first || o.predicate == std::to_string(k))
            return Filling(o, tests[k].second).run();
    refuse(o, "has the unknown predicate `" + o.predicate + "`");
}

/// Operations on i1 are those of truth values; everything else takes them as the numbers 0 and 1, or 0 and -1 with a sign.
std::string ofTruth(const Operation &o) {
    const std::string &a = o.operands.front().text;
    if (o.name == "andi" || o.name == "muli")
        return a + " and " + o.operands.at(1).text;
    if (o.name == "ori")
        return a + " or " + o.operands.at(1).text;
    if (o.name == "xori" || o.name == "addi" || o.name == "subi")
        return a + " != " + o.operands.at(1).text;
    if (o.name == "extui" || o.name == "uitofp" || o.name == "index_castui")
        return castTo(o.result, "1 if " + a + " else 0");
    if (o.name == "extsi" || o.name == "sitofp" || o.name == "index_cast")
        return castTo(o.result, "-1 if " + a + " else 0");
    refuse(o, "is not translated for i1");
}

std::string bitwise(const Operation &o) {
    return o.operands.at(0).text + (o.name == "andi" ? " & " : o.name == "ori" ? " | " : " ^ ") + o.operands.at(1).text;
}

} // namespace

std::string castTo(Type t, const std::string &value) { return "dace." + (t.isBool() ? "bool_" : t.str()) + "(" + value + ")"; }

std::string plainName(const std::string &name) {
    for (const std::string_view dialect : {"arith.", "std.", "math.", "func.", "builtin."})
        if (name.starts_with(dialect))
            return name.substr(dialect.size());
    return name;
}

std::string expressionOf(const Operation &o) {
    const bool ofVectors =
        o.result.isVector() || std::any_of(o.operands.begin(), o.operands.end(), [](const Value &v) { return v.type.isVector(); });
    const auto rule = rules.find(o.name);
    if (ofVectors && (rule == rules.end() || !rule->second.vectors))
        refuse(o, "is not translated for vectors");
    if (o.name == "cmpi")
        return test(o, integerTests);
    if (o.name == "cmpf")
        return test(o, realTests);
    const bool isBitwise = o.name == "andi" || o.name == "ori" || o.name == "xori";
    const auto among = [&](const auto &names) { return std::find(names.begin(), names.end(), o.name) != names.end(); };
    const std::size_t count = rule != rules.end() ? rule->second.operands : isBitwise || among(binaryFunctions) ? 2 : 1;
    if (rule == rules.end() && !isBitwise && !among(functions) && !among(binaryFunctions))
        refuse(o, "is not translated");
    checkOperands(o, count);
    if (o.operands.front().type.isBool() && o.name != "select")
        return ofTruth(o);
    if (o.name == "trunci" && o.result.isBool())
        return "(" + o.operands.front().text + " & 1) != 0";
    const bool wraps = o.result.isInteger() && *o.result.bytes() < 4; // C++ computes in int
    std::string text = isBitwise ? bitwise(o)
                       : rule != rules.end()
                           ? Filling(o, rule->second.text).run()
                           : o.name + "(" + o.operands[0].text + (count > 1 ? ", " + o.operands[1].text : "") + ")";
    return wraps && !text.starts_with("dace.") ? castTo(o.result, text) : text;
}

} // namespace sdfgc::mlir
