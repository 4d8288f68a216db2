// Names, types and meaning for Python code strings: the second half of the tasklet front end.
//
//   parse  ->  resolveModules  ->  inferTypes  ->  lowerOperators
//
// After lowerOperators every node has a type and means the same in C++ as it says: this is what the schedule tree holds.
#pragma once

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::py {

/// Where the meaning of operators comes from. Python: `/` is true division, `//` and `%` floor, `**` Python's. Symbolic: as Python,
/// but the quotient `/` of two integers is C's, an integer; for control flow, where DaCe's passes write `i < (N - 1) / 4 + 1`.
/// Dace: what DaCe's generated C++ computes (truncating `/`, `%`, `//`), for programs tuned to it (`--compat dace`).
enum class Semantics : uint8_t { Python, Symbolic, Dace };

/// What a name is, for inference.
struct Env {
    std::function<std::optional<Type>(Name)> typeOf;                 // connectors, symbols, constants, locals known so far
    std::function<bool(Name)> isCallback = nullptr;                  // callback symbols
    std::function<std::optional<Type>(Name)> structByName = nullptr; // struct types for initialisers `S(a=1)`
};

/// Resolves module prefixes and casts (format reference 9.5): `dace.float64(x)`, `float(x)`, `decltype(__out)(x)`, `S(f=1)` become
/// Cast / struct calls; `math.sqrt` and `np.sqrt` become the runtime function `sqrt`; `And(a, b)`, `Eq`, ... become operators;
/// `math.pi`, `inf`, `nan` become literals; signs of literals fold. `float(x)` is float32 and `int(x)` is int32, as generated C++
/// has it (9.5, needed for equal bits), but `dace.float(x)` is float64. In a block, annotations get types, and top-level shifts
/// (old memlet syntax) are dropped. Never fails: what it does not know stays, and `unsupported` reports it.
ExprRef resolveModules(const ExprRef &e, const Env &env);
std::vector<StmtRef> resolveModules(const std::vector<StmtRef> &block, const Env &env);

struct TypeError {
    std::string message;
    Position at;
};

/// Types an expression bottom-up by the table of 9.8, with commonType promotion (docs/user/semantics.md). Unknown calls leave void,
/// which is no error by itself. Literals: int is int32 when it fits (C), else int64 / uint64; float is float64. Arithmetic promotes
/// as C++ does: bool and narrow integers compute in int32, half and its like in float32. `semantics` decides `/`, `//`, `**` and
/// shifts on integers.
ExprRef inferTypes(const ExprRef &e, const Env &env, Semantics semantics = Semantics::Python);
/// Types the body of a lambda whose parameters have the given types.
ExprRef inferLambda(const ExprRef &lambda, const std::vector<Type> &params, const Env &env,
                    Semantics semantics = Semantics::Python);
/// Constructs of a typed expression that have no meaning in C++: `@`, slices, `in` on anything but a tuple, keyword arguments of
/// functions, unknown members of modules, order of complex numbers, integers beyond 64 bits. Empty when all is well.
std::vector<TypeError> unsupported(const Expr &e);

struct TypedBlock {
    std::vector<StmtRef> block;
    std::map<Name, Type> locals;   // locals with the join of all types assigned to them; void when unknown (C++ `auto`)
    std::vector<Name> localOrder;  // in order of first assignment
    std::map<Name, Type> assigned; // inferred type of the last assignment to each non-local (output connectors, symbols)
    std::vector<TypeError> errors;
};
/// Types a block. `isOutput` tells output connectors (and other non-locals) from locals; a name that `env` knows is no local
/// either. Errors: what `unsupported` finds, locals with types that do not join, loops over anything but `range`.
TypedBlock inferTypes(const std::vector<StmtRef> &block, const Env &env, const std::function<bool(Name)> &isOutput,
                      Semantics semantics = Semantics::Python);

/// Turns Python's operators into ones with C meaning once types are known: `/` on integers converts to double (not with
/// Semantics::Symbolic), `//` and `%` call `floordiv` / `floormod` of the runtime unless both signs are known equal (`nonNegative`),
/// `**` becomes multiplication, `ipow`, `pow`, chained comparisons become conjunctions, `not`, `and`, `or` give bool. With
/// Semantics::Dace the C meaning of 9.2.
ExprRef lowerOperators(const ExprRef &e, Semantics s, const std::function<bool(const Expr &)> &nonNegative = nullptr);
std::vector<StmtRef> lowerOperators(const std::vector<StmtRef> &block, Semantics s,
                                    const std::function<bool(const Expr &)> &nonNegative = nullptr);

// ---- write-conflict resolution lambdas (format reference 6.10)
enum class Reduction : uint8_t {
    Custom,
    Min,
    Max,
    Sum,
    Product,
    LogicalAnd,
    BitAnd,
    LogicalOr,
    BitOr,
    LogicalXor,
    BitXor,
    MinLocation,
    MaxLocation,
    Exchange,
    Sub,
    Div,
};
struct Wcr {
    Reduction kind = Reduction::Custom;
    ExprRef lambda; // Lambda with two parameters (old, new)
};
/// Can the result of combining values of the type depend on their order, if only in its last bits? Never of minima and maxima, of bits and
/// logical values, and of sums and products of integers.
bool orderCounts(Reduction kind, Type t);
/// Parses and classifies `lambda a, b: ...`. Max and Min only when the arguments are exactly the two parameters.
Parsed<Wcr> parseWcr(std::string_view text);
/// Identity of a reduction in a type as a typed literal expression (0, 1, limits of integers, infinities, all ones, true, false); nothing
/// for Custom and Exchange. DaCe's min_value and max_value, which its Reduce nodes start from, are finite (dace/dtypes.py).
std::optional<ExprRef> reductionIdentity(Reduction r, Type t);
std::string_view reductionName(Reduction r);

// ---- C++ text of typed expressions and statements, used by CodeGen
//
// Keys that `uses` reports, each standing for a header:
//   cmath, complex, cstdio, cassert, tuple, utility, type_traits   of the standard library
//   omp                                                            <omp.h>
//   math, ufunc, vec, vecmath                                      sdfgc/rt/<key>.h
//   half                                                           sdfgc/rt/lowp.h
//   complexmath                                                    sdfgc/rt/complex.h (functions on complex numbers that std lacks)
//   dace                                                           the compatibility header (names written as `dace::...`)
// Types of fixed-width integers are taken for granted (<cstdint>).
struct CppPrinter {
    /// Spelling of names (connectors bound to memory, symbols with their generated names, callbacks); default: as is. The text must
    /// bind as tightly as a subscript: `A[i]`, `(*p)`.
    std::function<std::string(const Expr &)> spell = nullptr; // for Name and MemRef nodes
    /// Called for each runtime function or type used, so that the file includes its header.
    std::function<void(std::string_view)> uses = nullptr;
    /// The text stands in a kernel: complex numbers are gpu::complex there, and have functions of their own.
    bool inKernel = false;
    std::string expr(const Expr &e) const; // minimal parentheses by C++ precedence; keeps floating-point association
    /// Statements, one per line, indented by `indent` levels of four spaces, with a line end after each. `locals` are declared by
    /// the text: at their first assignment where that comes before every use, otherwise in front of the statement that uses them
    /// first.
    std::string stmts(const std::vector<StmtRef> &block, const std::map<Name, Type> &locals, int indent) const;
};

} // namespace sdfgc::py
