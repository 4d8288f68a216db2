// Names, types and meaning for Python code strings: the second half of the tasklet front end.
//
//   parse  ->  resolveModules  ->  inferTypes  ->  lowerOperators
//
// After lowerOperators every node has a type and means the same in C++ as it says: this is what the schedule tree holds.
#pragma once

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::py {

/// Where the meaning of operators comes from. Python: `/` is true division, `//` and `%` floor, `**` Python's. Dace: what DaCe's
/// generated C++ computes (truncating `/`, `%`, `//`), for programs tuned to it (`--compat dace`).
enum class Semantics : uint8_t { Python, Dace };

/// What a name is, for inference.
struct Env {
    std::function<std::optional<Type>(Name)> typeOf; // connectors, symbols, constants, locals known so far
    std::function<bool(Name)> isCallback = nullptr;  // callback symbols
    std::function<std::optional<Type>(Name)> structByName = nullptr; // struct types for initialisers `S(a=1)`
};

/// Resolves module prefixes and casts (format reference 9.5): `dace.float64(x)`, `float(x)`, `decltype(__out)(x)`, `S(f=1)` become
/// Cast / struct calls; `math.sqrt` becomes the runtime function `sqrt`; `And(a, b)`, `Eq`, ... become operators; literals negate.
/// `float(x)` is float32 and `int(x)` is int32, as generated C++ has it (9.5, needed for equal bits).
ExprRef resolveModules(const ExprRef &e, const Env &env);
std::vector<StmtRef> resolveModules(const std::vector<StmtRef> &block, const Env &env);

struct TypeError {
    std::string message;
    Position at;
};

/// Types an expression bottom-up by the table of 9.8, with commonType promotion (docs/semantics.md). Unknown calls leave void, which is
/// no error by itself. Literals: int is int32 when it fits (C), else int64 / uint64; float is float64.
ExprRef inferTypes(const ExprRef &e, const Env &env);

struct TypedBlock {
    std::vector<StmtRef> block;
    std::map<Name, Type> locals;   // locals with the join of all types assigned to them; void when unknown (C++ `auto`)
    std::vector<Name> localOrder;  // in order of first assignment
    std::map<Name, Type> assigned; // inferred type of the last assignment to each non-local (output connectors, symbols)
    std::vector<TypeError> errors;
};
/// Types a block. `isOutput` tells output connectors (and other non-locals) from locals.
TypedBlock inferTypes(const std::vector<StmtRef> &block, const Env &env, const std::function<bool(Name)> &isOutput);

/// Turns Python's operators into ones with C meaning once types are known: `/` on integers converts to double, `//` and `%` call
/// `floordiv` / `floormod` of the runtime unless both signs are known equal (`nonNegative`), `**` becomes multiplication, `ipow`, `pow`,
/// chained comparisons become conjunctions, `not`, `and`, `or` give bool. With Semantics::Dace the C meaning of 9.2.
ExprRef lowerOperators(const ExprRef &e, Semantics s, const std::function<bool(const Expr &)> &nonNegative = nullptr);
std::vector<StmtRef> lowerOperators(const std::vector<StmtRef> &block, Semantics s,
                                    const std::function<bool(const Expr &)> &nonNegative = nullptr);

// ---- write-conflict resolution lambdas (format reference 6.10)
enum class Reduction : uint8_t {
    Custom, Min, Max, Sum, Product, LogicalAnd, BitAnd, LogicalOr, BitOr, LogicalXor, BitXor, MinLocation, MaxLocation, Exchange, Sub, Div,
};
struct Wcr {
    Reduction kind = Reduction::Custom;
    ExprRef lambda; // Lambda with two parameters (old, new)
};
/// Parses and classifies `lambda a, b: ...`. Max and Min only when the arguments are exactly the two parameters.
Parsed<Wcr> parseWcr(std::string_view text);
/// Identity of a reduction in a type as a typed literal expression (0, 1, limits, all ones, true, false); nothing for Custom and Exchange.
std::optional<ExprRef> reductionIdentity(Reduction r, Type t);
std::string_view reductionName(Reduction r);

// ---- C++ text of typed expressions and statements, used by CodeGen
struct CppPrinter {
    /// Spelling of names (connectors bound to memory, symbols with their generated names); default: as is.
    std::function<std::string(const Expr &)> spell = nullptr; // for Name and MemRef nodes
    /// Called for each runtime function or type used, so that the file includes its header: "floordiv", "half", "cmath".
    std::function<void(std::string_view)> uses = nullptr;
    std::string expr(const Expr &e) const; // minimal parentheses by C++ precedence; keeps floating-point association
    std::string stmts(const std::vector<StmtRef> &block, const std::map<Name, Type> &locals, int indent) const;
};

} // namespace sdfgc::py
