// Names, types and semantics of Python code strings: the second half of the tasklet front end.
//
//   parse  ->  resolveModules  ->  inferTypes  ->  lowerOperators
//
// After lowerOperators every node has a type, and its C++ reading is its meaning: the schedule tree holds this form.
#pragma once

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::py {

/// The semantics of operators. Python: `/` is true division, `//` and `%` floor, `**` is Python's. Symbolic: like
/// Python, but the quotient `/` of two integers is C's, an integer; for control flow, in which DaCe's passes write `i <
/// (N - 1) / 4 + 1`. Dace: like DaCe's generated C++ (truncating `/`, `%`, `//`), for programs tuned to it (`--compat
/// dace`).
enum class Semantics : uint8_t { Python, Symbolic, Dace };

/// The meanings of names, for inference.
struct Env {
    std::function<std::optional<Type>(Name)> typeOf;                 // connectors, symbols, constants, locals known so far
    std::function<bool(Name)> isCallback = nullptr;                  // callback symbols
    std::function<std::optional<Type>(Name)> structByName = nullptr; // struct types for initialisers `S(a=1)`
};

/// Resolves module prefixes and casts (format reference 9.5): `dace.float64(x)`, `float(x)`, `decltype(__out)(x)`,
/// `S(f=1)` become Casts or struct calls; `math.sqrt` and `np.sqrt` become the runtime function `sqrt`; `And(a, b)`,
/// `Eq`, ... become operators; `math.pi`, `inf`, `nan` become literals; signs of literals are folded. `float(x)` is
/// float32 and `int(x)` is int32, as in generated C++ (9.5, required for bitwise identical results), but
/// `dace.float(x)` is float64. In a block, annotations get types, and top-level shifts (old memlet syntax) are removed.
/// Never fails: unknown constructs stay, and `unsupported` reports them.
ExprRef resolveModules(const ExprRef &e, const Env &env);
std::vector<StmtRef> resolveModules(const std::vector<StmtRef> &block, const Env &env);

struct TypeError {
    std::string message;
    Position at;
};

/// Types an expression bottom-up by the table of 9.8, with commonType promotion (docs/user/semantics.md). Unknown calls
/// stay void, which is not an error by itself. Literals: int is int32 if it fits (C), otherwise int64 or uint64; float
/// is float64. Arithmetic promotes like C++: bool and narrow integers compute in int32, half and similar types in
/// float32. `semantics` determines `/`, `//`, `**` and shifts on integers.
ExprRef inferTypes(const ExprRef &e, const Env &env, Semantics semantics = Semantics::Python);
/// Types the body of a lambda whose parameters have the given types.
ExprRef inferLambda(const ExprRef &lambda, const std::vector<Type> &params, const Env &env,
                    Semantics semantics = Semantics::Python);
/// Returns the constructs of a typed expression without a C++ meaning: `@`, slices, `in` on anything but a tuple,
/// keyword arguments of functions, unknown members of modules, ordering of complex numbers, integers beyond 64 bits.
/// Empty if there are none.
std::vector<TypeError> unsupported(const Expr &e);

struct TypedBlock {
    std::vector<StmtRef> block;
    std::map<Name, Type> locals;   // locals with the joined type of all assignments; void if unknown (C++ `auto`)
    std::vector<Name> localOrder;  // in order of first assignment
    std::map<Name, Type> assigned; // inferred type of the last assignment to each non-local (output connectors, symbols)
    std::vector<TypeError> errors;
};
/// Types a block. `isOutput` distinguishes output connectors (and other non-locals) from locals; names known to `env`
/// are not locals either. Errors: the results of `unsupported`, locals with types that do not join, and loops over
/// anything but `range`.
TypedBlock inferTypes(const std::vector<StmtRef> &block, const Env &env, const std::function<bool(Name)> &isOutput,
                      Semantics semantics = Semantics::Python);

/// Replaces Python's operators with C operators once types are known: `/` on integers converts to double (except with
/// Semantics::Symbolic), `//` and `%` call `floordiv` / `floormod` of the runtime unless both signs are known to be
/// equal (`nonNegative`), `**` becomes multiplication, `ipow` or `pow`, chained comparisons become conjunctions, and
/// `not`, `and`, `or` yield bool. Semantics::Dace uses the C meaning of 9.2.
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
/// Can the result of combining values of the type depend on their order, even if only in the last bits? Never for
/// minima and maxima, bits and logical values, and sums and products of integers.
bool orderCounts(Reduction kind, Type t);
/// Parses and classifies `lambda a, b: ...`. It is Max or Min only if the arguments are exactly the two parameters.
Parsed<Wcr> parseWcr(std::string_view text);
/// Returns the identity of a reduction as a typed literal expression (0, 1, limits of integers, infinities, all ones,
/// true, false); nothing for Custom and Exchange. DaCe's min_value and max_value, the initial values of its Reduce
/// nodes, are finite (dace/dtypes.py).
std::optional<ExprRef> reductionIdentity(Reduction r, Type t);
std::string_view reductionName(Reduction r);

// ---- C++ text of typed expressions and statements, used by CodeGen
//
// Keys that `uses` reports, each standing for a header:
//   cmath, complex, cstdio, cassert, tuple, utility, type_traits   of the standard library
//   omp                                                            <omp.h>
//   math, ufunc, vec, vecmath                                      sdfgc/rt/<key>.h
//   vectormath                                                     a call that vector libraries also have: sdfgc/rt/vectormath.h, or
//                                                                  another header or none, as the options have it
//   half                                                           sdfgc/rt/lowp.h
//   complexmath                                                    sdfgc/rt/complex.h (functions on complex numbers that std lacks)
//   dace                                                           the compatibility header (names written as `dace::...`)
// Types of fixed-width integers are assumed to be declared (<cstdint>).
struct CppPrinter {
    /// Returns the spelling of names (connectors bound to memory, symbols with their generated names, callbacks); by
    /// default unchanged. The text must bind as tightly as a subscript: `A[i]`, `(*p)`.
    std::function<std::string(const Expr &)> spell = nullptr; // for Name and MemRef nodes
    /// Called for each runtime function or type used, so that the file includes its header.
    std::function<void(std::string_view)> uses = nullptr;
    /// The text is in a kernel: there complex numbers are gpu::complex, with separate functions.
    bool inKernel = false;
    /// The text is OpenCL C, not C++: casts are C's, and functions are those of runtime-headers/sdfgc/rt/gpu/opencl_device.h, whose
    /// names end with the type that they compute in. whyNotOpenCl() tells what has no such text.
    bool inOpenCl = false;
    std::string expr(const Expr &e) const; // minimal parentheses by C++ precedence; keeps floating-point association
    /// The value as one of a type that it is stored as, and what it is stored in. Both are `expr` in C++, which converts by itself;
    /// OpenCL C converts no structures (isOpenClStruct).
    std::string exprAs(const Expr &e, Type t) const;
    std::string place(const Expr &e) const;
    /// Prints statements, one per line, indented by `indent` levels of four spaces, each with a line end. The text
    /// declares `locals`: at their first assignment if that precedes every use, otherwise before the statement that
    /// uses them first.
    std::string stmts(const std::vector<StmtRef> &block, const std::map<Name, Type> &locals, int indent) const;
};

/// Why OpenCL C cannot express the expression, such as `the function `modf``; empty if it can.
std::string whyNotOpenCl(const Expr &e);
/// Does OpenCL C have the type, or opencl_device.h?
bool isOpenClType(Type t);
/// Complex numbers and floats of 16 and 8 bits, which are structures of opencl_device.h: functions take the place of operators and of
/// conversions.
bool isOpenClStruct(Type t);
/// Can threads combine values of the type, and return the combination as a value or store it? `+` and the like.
bool hasOpenClUpdate(Reduction r, Type t);
/// The function of opencl_device.h for a function of numbers, computed in a type: `sdfgc_min_float64`.
std::string openClFunction(std::string_view name, Type t);

} // namespace sdfgc::py
