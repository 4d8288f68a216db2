// Typed syntax trees of the Python subset in tasklets, conditions, assignments, loop statements and WCR lambdas (format
// reference 9).
//
// Nodes are immutable and shared, so passes substitute by rebuilding the path from the root. Types are void until
// `inferTypes` sets them. The tree has Python's semantics: `TrueDiv`, `FloorDiv`, `Mod` and `Pow` are Python's
// operators. Once types are known, lowering replaces them with C operators (`CDiv`, `CMod`) where that is correct; the
// printer never decides this.
#pragma once

#include "sdfgc/Support/Name.h"
#include "sdfgc/Types/Type.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sdfgc::py {

struct Position { // in the code string, 1-based; 0 = unknown
    int line = 0, column = 0;
};

enum class Op : uint8_t {
    Add,
    Sub,
    Mul,
    TrueDiv,
    FloorDiv,
    Mod,
    Pow,
    MatMul,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,   // binary
    IntFloor, // int_floor(a, b), until types are known: see inferTypes
    CDiv,
    CMod, // binary, C meaning (after lowering)
    Neg,
    Pos,
    Invert,
    Not, // unary
    And,
    Or, // n-ary, result bool
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Is,
    IsNot,
    In,
    NotIn, // comparison
};

enum class ExprKind : uint8_t {
    Int,       // text: digits of a non-negative literal (any width); a negative literal is Neg(Int)
    Float,     // text: shortest round-trip token as Python prints it
    Imaginary, // text: the imaginary part
    Bool,      // text: "True" / "False"
    None,
    String,    // text: unescaped content
    Name,      // name
    Attribute, // args[0] . name; `dace.float64`, `math.pi` stay attributes of a Name until `resolveModules`
    Subscript, // args[0][args[1], ...]; a Slice may be an index
    Slice,     // args: begin, end, step (null pointers when absent)
    Unary,     // op, args[0]
    Binary,    // op, args[0], args[1]
    BoolOp,    // op And / Or, args
    Compare,   // ops[k] between args[k] and args[k+1]; chained comparison is one node
    IfExp,     // args: condition, then, else
    Call,      // args[0] callee, args[1..] positional; keywords
    Lambda,    // params, args[0] body
    Tuple,     // args
    Cast, // type, args[0] (a complex type may have two: real, imaginary): an explicit conversion (from dace.T(x), int(x), float(x),
          // annotations), made by `resolveModules`
    Raw,  // text: C++ that was not valid Python, kept verbatim
    MemRef, // created by lowering: `slot` refers to a memory reference of the schedule tree (tree::MemRef), see Tree/Tree.h
};

struct Expr;
using ExprRef = std::shared_ptr<const Expr>;

struct Keyword {
    Name name;
    ExprRef value;
};

struct Expr {
    ExprKind kind;
    Op op = Op::Add;
    Type type;        // result type, void = unknown
    Name name;        // Name, Attribute
    std::string text; // literals, Raw
    std::vector<ExprRef> args;
    std::vector<Op> ops; // Compare
    std::vector<Keyword> keywords;
    std::vector<Name> params; // Lambda
    int slot = -1;            // MemRef
    Position at;
};

enum class StmtKind : uint8_t {
    Assign,    // targets (several for x = y = e), value
    AnnAssign, // targets[0], extra: annotation as written, type: its type (by `resolveModules`), value may be null
    AugAssign, // op, targets[0], value
    ExprStmt,  // value
    If,        // value condition, body, orelse
    While,     // value condition, body
    For,       // targets[0] variable, value iterable (a call of range), body
    Break,
    Continue,
    Pass,
    Return, // value may be null
    Assert, // value, extra: message or null
    Raw,    // text: C++
};

struct Stmt;
using StmtRef = std::shared_ptr<const Stmt>;

struct Stmt {
    StmtKind kind;
    Op op = Op::Add;
    std::vector<ExprRef> targets;
    ExprRef value;
    ExprRef extra;
    Type type; // AnnAssign
    std::vector<StmtRef> body, orelse;
    std::string text;
    Name old; // Assign to an output with conflict resolution: a name for the target's old value; set by splitChainedUpdates
    Position at;
};

// ---- construction helpers
ExprRef intLit(int64_t v);
ExprRef floatLit(std::string token);
ExprRef boolLit(bool v);
ExprRef name(Name n, Type t = Type());
ExprRef unary(Op op, ExprRef a, Type t = Type());
ExprRef binary(Op op, ExprRef a, ExprRef b, Type t = Type());
ExprRef compare(Op op, ExprRef a, ExprRef b);         // of type bool
ExprRef boolOp(Op op, std::vector<ExprRef> operands); // And, Or; of type bool
ExprRef call(Name function, std::vector<ExprRef> args, Type t = Type());
ExprRef castTo(Type t, ExprRef a);
ExprRef raw(std::string cpp, Type t = Type());
ExprRef memRef(int slot, Type t);
StmtRef assign(ExprRef target, ExprRef value);
StmtRef rawStatement(std::string cpp); // at the first position

// ---- parsing
struct ParseError {
    std::string message;
    Position at;
};
template <class T> struct Parsed {
    std::optional<T> value;
    ParseError error; // if there is no value
};
/// Parses an expression in the full Python 3 grammar. Constructs without a C++ meaning (comprehensions, f-strings,
/// await, starred) are errors that name the construct. Nesting is limited to 200 levels (like CPython's own limit), so
/// the stack cannot overflow.
Parsed<ExprRef> parseExpr(std::string_view text);
/// Parses a block of statements (format reference 9.4). Nested `def`, `import`, `del`, `with`, `class`, `try`, `global`
/// are errors that name the construct.
Parsed<std::vector<StmtRef>> parseBlock(std::string_view text);
/// As above, but text that is not Python becomes a single Raw node (format reference 9.1: such text is C++ and passes
/// through).
ExprRef parseExprOrRaw(std::string_view text);
std::vector<StmtRef> parseBlockOrRaw(std::string_view text);

// Python text (for the graph's text form and for saving); parse(print(x)) equals x for every x that `parse` returns.
// Nodes created by later steps have readable text as well: a Cast is `dace.float64(x)`, CDiv is `cdiv(a, b)`, a MemRef
// `mem3`.
std::string print(const Expr &e);
std::string print(const std::vector<StmtRef> &block, int indent = 0);
/// Structural equality. Ignores positions and inferred types, but not the type of a Cast or of an annotation.
bool equal(const Expr &a, const Expr &b);
bool equal(const std::vector<StmtRef> &a, const std::vector<StmtRef> &b);

// ---- queries
/// Returns the names that an expression reads. Excludes module names (`math`, `dace`, ...), names of called functions,
/// parameters of lambdas, the argument of `decltype`, and the constants `inf` and `nan`.
std::set<Name> freeNames(const Expr &e);
/// The names read and assigned in a block; a name that is assigned on every path before it is read is not in `read`. A
/// store to `x[i]` or `x.f` writes x, and so does a call of a runtime function with results by reference (`py_divmod(a,
/// b, q, r)`). `called` contains the names of called functions as written (`math.sqrt`); `always` contains the names
/// that every path through the block assigns.
struct BlockNames {
    std::set<Name> read, written, called, always;
};
BlockNames blockNames(const std::vector<StmtRef> &block);

// ---- outputs whose stores are separate statements: updates with conflict resolution, pushes to streams
enum class Store : uint8_t {
    Plain,
    Update,        // conflict resolution with the final value of the output
    DynamicUpdate, // conflict resolution with each assigned value
    Other,
};
/// Splits chained assignments to such outputs. `v = o[5] = x`, where o is an update, assigns the old value of o[5] to
/// v, and so does `v = o = x` for a dynamic update (DaCe: DaCeKeywordRemover.visit_Assign in codegen/targets/cpp.py).
/// So the update comes first and names the old value, which is then assigned to the other targets. Elsewhere every
/// target gets the value. `storeOf`: the meaning of an assignment to a name.
std::vector<StmtRef> splitChainedUpdates(const std::vector<StmtRef> &block, const std::function<Store(Name)> &storeOf);
/// Does the block use the old value of an updated output? It does if it reads a dynamic output, or chains an assignment
/// to it.
bool usesOldValue(const std::vector<StmtRef> &block, Name output, bool dynamic);

// ---- rewriting
/// Bottom-up: `f` gets a node with rewritten children and returns its replacement (or the node itself). In a block, `f`
/// also gets targets.
ExprRef rewrite(const ExprRef &e, const std::function<ExprRef(const ExprRef &)> &f);
std::vector<StmtRef> rewrite(const std::vector<StmtRef> &block, const std::function<ExprRef(const ExprRef &)> &f);
/// Top-down: a node that `f` returns replaces the original and all of its children, and is not visited again. If `f`
/// returns null, the node stays and its children are visited.
ExprRef replace(const ExprRef &e, const std::function<ExprRef(const ExprRef &)> &f);
std::vector<StmtRef> replace(const std::vector<StmtRef> &block, const std::function<ExprRef(const ExprRef &)> &f);
/// Replaces the operands of an expression, except the name of a called function. `f` also gets whether an operand is
/// evaluated whenever the expression is: in `a if c else b`, `a and b` and `a < b < c`, only the first ones are.
ExprRef withOperands(const Expr &e, const std::function<ExprRef(const ExprRef &, bool always)> &f);
/// Replaces names simultaneously, except names of called functions, modules, and parameters of lambdas. In a block,
/// also replaces targets.
ExprRef substitute(const ExprRef &e, const std::map<Name, ExprRef> &replacements);
std::vector<StmtRef> substitute(const std::vector<StmtRef> &block, const std::map<Name, ExprRef> &replacements);

} // namespace sdfgc::py
