// The schedule tree: the structured program that an SDFG is lowered to, and that emitters print without deciding anything.
//
// A Module is one program: its types, constants, state fields, functions. A Function body is a tree of statements over Variables.
// Every reference to data is a MemRef: a variable, an element offset and (for data-dependent subscripts) further indices; names
// were resolved before. Integer arithmetic on offsets and bounds is sym::Expr over *variable names*; values are py::Expr trees that
// passed py::lowerOperators, whose Name nodes are variable names and whose MemRef nodes point into Function::refs.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Support/Id.h"
#include "sdfgc/Tasklet/Types.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace sdfgc::tree {

struct Variable;
struct MemRef;
struct Function;
using VarId = Id<Variable>;      // of Function::vars
using RefId = Id<MemRef>;        // of Function::refs
using FunctionId = Id<Function>; // of Module::functions

/// The reference that a MemRef node of an expression stands for, and such a node.
inline RefId refOf(const py::Expr &e) { return RefId(static_cast<std::size_t>(e.slot)); }
inline py::ExprRef memRef(RefId r, Type t) { return py::memRef(r.index, t); }

/// Numbers that only the target knows, as calls in sizes (and in expressions): a printer spells them.
namespace number {
inline const Name teamSize = "__team_size";            // threads that a parallel region of the host gets
inline const Name thread = "__thread_number";          // of the host, in its team
inline const Name blocks = "__blocks";                 // (steps, threads of a block): blocks that it takes
inline const Name blockInGrid = "__block_in_grid";     // in a kernel
inline const Name threadInBlock = "__thread_in_block"; // in a kernel
inline const Name threadX = "__thread_x", threadY = "__thread_y", threadZ = "__thread_z"; // in a kernel, along an axis; no calls
inline const Name threadInGrid = "__thread_in_grid";                                      // in a kernel, over all blocks
inline const Name residentBlocks = "__resident_blocks"; // (kernel, threads of a block): blocks that the device runs at once
} // namespace number

enum class VarKind : uint8_t {
    Value,        // T x
    Stack,        // T x[count]
    Buffer,       // sdfgc::rt::Buffer<T> x: owning heap array; `count` given: allocated at the declaration, else by Allocate
    Pointer,      // T *x
    Reference,    // T &x
    Member,       // parent->name (struct member: pointer, value or struct pointer by type)
    StateField,   // __state->name
    Constant,     // file-scope constexpr value or array
    Stream,       // sdfgc::rt::Stream<T> x
    StreamRef,    // sdfgc::rt::Stream<T> &x
    StreamView,   // appends to an array: sdfgc::rt::ArrayStreamView<T> x(pointer)
    StructPtr,    // S *x
    Callback,     // function pointer parameter; `type` is the callback type
    DeviceBuffer, // sdfgc::gpu::Buffer<T> x: owning array in device memory, used as Buffer is
    PinnedBuffer, // sdfgc::gpu::PinnedBuffer<T> x: owning array in page-locked host memory
    PoolBuffer,   // sdfgc::gpu::PoolBuffer<T> x: owning array of the device's pool, allocated and released in the order of a stream
    Shared,       // in a kernel: T x[count] shared by the threads of a block
};

struct Variable {
    Name name; // unique among what is visible where it is used; the C++ identifier
    Type type; // element type (Value: the type itself)
    VarKind kind = VarKind::Value;
    sym::Expr count;         // Stack, Buffer: number of elements; Stream: number of streams (1)
    bool countKnown = true;  // Buffer: false when Allocate gives the size later
    int64_t alignment = 0;   // bytes, 0 = default
    sym::Expr startOffset;   // Buffer
    bool isConst = false;    // const value, pointer to const, reference to const
    bool isRestrict = false; // Pointer
    bool zeroed = false;     // zero-filled when allocated
    VarId parent;            // Member
    std::string comment;     // what it is, for the declaration (`transient tmp`), may be empty
};

/// A place in memory. Element index = offset + sum(indices[k] * strides[k]); indices come from data-dependent subscripts.
struct MemRef {
    VarId var;
    sym::Expr offset = 0;
    std::vector<sym::Expr> strides; // of the py::Expr::args of the MemRef node that uses this slot
    bool address = false;           // the address `&x[offset]` is meant, not the element
    bool pop = false;               // a stream: one element is popped
    Type castTo;                    // when not void: reinterpret the address as pointer to this type
};

enum class Kind : uint8_t {
#define NODE(K, ...) K,
#include "sdfgc/Tree/Nodes.def"
};

struct Node {
    explicit Node(Kind k) : kind(k) {}
    virtual ~Node();
    const Kind kind;
    std::string comment;     // printed above the statement: names the graph element
    std::vector<int> origin; // {cfg id, state id, node id...} for the source map; may be empty
};
using NodePtr = std::unique_ptr<Node>;

struct Block : Node {
    Block() : Node(Kind::Block) {}
    static bool classof(const Node *n) { return n->kind == Kind::Block; }
    std::vector<NodePtr> body;
    bool braces = false; // opens a C++ scope
    template <class T, class... A> T *add(A &&...a) {
        auto p = std::make_unique<T>(std::forward<A>(a)...);
        T *raw = p.get();
        body.push_back(std::move(p));
        return raw;
    }
};

struct Comment : Node {
    explicit Comment(std::string text = {}) : Node(Kind::Comment) { comment = std::move(text); }
    static bool classof(const Node *n) { return n->kind == Kind::Comment; }
};

/// Declares a variable here. Value: with `init` when given. Pointer and Reference: bound to `target`.
struct Declare : Node {
    explicit Declare(VarId v = {}) : Node(Kind::Declare), var(v) {}
    static bool classof(const Node *n) { return n->kind == Kind::Declare; }
    VarId var;
    py::ExprRef init; // Value
    RefId target;     // slot in Function::refs: Pointer, Reference, StreamRef, StreamView, StructPtr
};

/// Late allocation of a Buffer declared without size. Keeps the contents when the size is the same as before; with `reserve`,
/// contents are lost and memory that is large enough is kept. A PoolBuffer has a stream: operations behind it there may use the
/// memory.
struct Allocate : Node {
    explicit Allocate(VarId v = {}, sym::Expr n = 0) : Node(Kind::Allocate), var(v), count(n) {}
    static bool classof(const Node *n) { return n->kind == Kind::Allocate; }
    VarId var;
    sym::Expr count;
    bool reserve = false;
    bool zero = false;
    int stream = 0; // PoolBuffer
};

/// A PoolBuffer gives its memory back behind what the stream has been given so far.
struct Release : Node {
    explicit Release(VarId v = {}, int s = 0) : Node(Kind::Release), var(v), stream(s) {}
    static bool classof(const Node *n) { return n->kind == Kind::Release; }
    VarId var;
    int stream;
};

/// Statements of a tasklet or an edge, on memory references and local variables.
struct Code : Node {
    Code() : Node(Kind::Code) {}
    static bool classof(const Node *n) { return n->kind == Kind::Code; }
    std::vector<py::StmtRef> stmts;
    std::map<Name, Type> locals; // locals of the statements, see py::TypedBlock
    bool braces = false;         // own C++ scope, because it has locals
};

/// `target op= value`, by conflict resolution.
struct Update : Node {
    Update() : Node(Kind::Update) {}
    static bool classof(const Node *n) { return n->kind == Kind::Update; }
    RefId target;                           // slot
    std::vector<py::ExprRef> targetIndices; // data-dependent indices, as the args of a MemRef node
    py::ExprRef value;
    py::Reduction reduction = py::Reduction::Sum;
    py::ExprRef lambda; // Custom: Lambda(old, new)
    bool atomic = false;
    bool byBlock =
        false; // in a kernel, where all threads of a block come by: they combine their values, and one of them updates atomically
    VarId old; // variable that gets the value from before the update
};

/// A tasklet in C++: bindings, the text as written, write-backs. Always its own C++ scope.
struct RawTasklet : Node {
    RawTasklet() : Node(Kind::RawTasklet) {}
    static bool classof(const Node *n) { return n->kind == Kind::RawTasklet; }
    struct Binding {
        Name name;
        Type type; // element type
        enum Form : uint8_t { Value, ConstRef, Pointer, Uninitialised, Stream, Symbol } form = Value;
        bool isConst = false;
        bool unused = false; // the text does not mention it, but a macro might
        RefId ref;           // slot
        sym::Expr symbol;    // Symbol: value
    };
    std::vector<Binding> bindings;
    std::string text;
    bool inPlace = false; // one statement; no variables for the bindings: what they are bound to takes the place of their names
    std::vector<NodePtr> after; // write-backs (Code, Update, StreamPush)
};

struct Omp {
    int collapse = 1;
    ir::OmpSchedule schedule = ir::OmpSchedule::Default;
    int64_t chunk = 0;
    sym::Expr numThreads = 0;                    // 0: runtime default
    sym::Expr onlyIf = sym::Expr::boolean(true); // else one thread does all iterations
    bool inParallelRegion = false;               // `omp for` instead of `omp parallel for`
    bool simd = false;                           // the iterations of a thread may be combined in vectors, reductions in any order
    struct Reduction {
        py::Reduction kind;
        VarId var;
        sym::Expr count = 0; // >0: array section var[:count]
    };
    std::vector<Reduction> reductions;
};

/// How the iterations of a loop in a kernel are spread over the hardware, along one axis of the grid (0: x).
struct Spread {
    enum Level : uint8_t {
        Grid,    // blocks: iteration k belongs to block k
        Block,   // threads of each block: iteration k belongs to thread k of the block
        Threads, // all threads of the grid
    } level = Threads;
    int axis = 0;       // -1 (not Grid): the linear number of the thread
    bool once = false;  // there are at least as many as iterations: `if` instead of a loop
    bool exact = false; // exactly as many: not even that
};

/// One dimension of a map: `for (T var = begin; var <= end; var += step)`; step is positive unless `descending`.
struct For : Node {
    For() : Node(Kind::For) {}
    static bool classof(const Node *n) { return n->kind == Kind::For; }
    VarId var;
    sym::Expr begin, end, step = 1; // end inclusive
    bool descending = false;
    std::optional<Omp> omp;
    std::optional<Spread> spread;     // in a kernel; `simd` and `omp` are empty then
    std::vector<Omp::Reduction> simd; // a sequential loop whose accumulators may be kept in vectors: `omp simd reduction(...)`
    bool unroll = false;
    int64_t unrollFactor = 0;
    bool checkStep = false; // a symbolic step that is not provably positive: stop with an error when it is not
    Block body;
};

/// A loop region. For: init; while (cond) { body; update }. DoWhile: init; do { body; update } while (cond).
/// TestLast: init; for (;;) { body; if (!cond) break; update }. A null condition is `true`.
struct Loop : Node {
    enum Form : uint8_t { Normal, DoWhile, TestLast };
    Loop() : Node(Kind::Loop) {}
    static bool classof(const Node *n) { return n->kind == Kind::Loop; }
    Form form = Normal;
    py::StmtRef init, update; // assignments to the loop variable; may be null
    VarId declares;           // loop variable declared in the header (not visible after the loop)
    py::ExprRef condition;
    bool unroll = false;
    int64_t unrollFactor = 0;
    Block body;
    Name continueLabel; // when a `continue` must run the update of DoWhile / TestLast: label in front of it
};

struct If : Node {
    If() : Node(Kind::If) {}
    static bool classof(const Node *n) { return n->kind == Kind::If; }
    struct Branch {
        py::ExprRef condition; // null: else
        std::unique_ptr<Block> body;
    };
    std::vector<Branch> branches;
};

/// `count` elements, contiguous on both sides, not overlapping.
struct Memcpy : Node {
    Memcpy() : Node(Kind::Memcpy) {}
    static bool classof(const Node *n) { return n->kind == Kind::Memcpy; }
    RefId source, target;
    sym::Expr count;
    Type type;
};

/// `count` contiguous elements set to a value (null value: all bytes zero).
struct Fill : Node {
    Fill() : Node(Kind::Fill) {}
    static bool classof(const Node *n) { return n->kind == Kind::Fill; }
    RefId target;
    sym::Expr count;
    Type type;
    py::ExprRef value;
};

/// Reference containers and late-bound pointers: `var = &source`.
struct SetPointer : Node {
    explicit SetPointer(VarId v = {}, RefId s = {}) : Node(Kind::SetPointer), var(v), source(s) {}
    static bool classof(const Node *n) { return n->kind == Kind::SetPointer; }
    VarId var;
    RefId source;
};

/// Call of another function of the module.
struct Call : Node {
    Call() : Node(Kind::Call) {}
    static bool classof(const Node *n) { return n->kind == Kind::Call; }
    struct Argument {
        RefId ref;        // slot: passed as address, reference or value by the parameter's kind
        sym::Expr value;  // when ref < 0
        py::ExprRef expr; // when set: a value expression
    };
    FunctionId function; // index into Module::functions
    std::vector<Argument> arguments;
};

struct Break : Node {
    Break() : Node(Kind::Break) {}
    static bool classof(const Node *n) { return n->kind == Kind::Break; }
};
struct Continue : Node {
    Continue() : Node(Kind::Continue) {}
    static bool classof(const Node *n) { return n->kind == Kind::Continue; }
};
struct Return : Node {
    Return() : Node(Kind::Return) {}
    static bool classof(const Node *n) { return n->kind == Kind::Return; }
};
struct Goto : Node {
    explicit Goto(Name l = {}) : Node(Kind::Goto), label(l) {}
    static bool classof(const Node *n) { return n->kind == Kind::Goto; }
    Name label;
};
struct Label : Node {
    explicit Label(Name l = {}) : Node(Kind::Label), label(l) {}
    static bool classof(const Node *n) { return n->kind == Kind::Label; }
    Name label;
};

/// `omp parallel`: every thread runs the body; `threadVar` is its number when used.
struct ParallelRegion : Node {
    ParallelRegion() : Node(Kind::ParallelRegion) {}
    static bool classof(const Node *n) { return n->kind == Kind::ParallelRegion; }
    VarId threadVar, teamSizeVar;
    sym::Expr numThreads = 0;                    // 0: runtime default
    sym::Expr onlyIf = sym::Expr::boolean(true); // else a team of one thread
    Block body;
};

struct Sections : Node {
    Sections() : Node(Kind::Sections) {}
    static bool classof(const Node *n) { return n->kind == Kind::Sections; }
    std::vector<std::unique_ptr<Block>> sections;
};

/// Workers pop elements of a stream until it is empty and all are idle, or the condition holds.
struct Consume : Node {
    Consume() : Node(Kind::Consume) {}
    static bool classof(const Node *n) { return n->kind == Kind::Consume; }
    RefId stream; // slot
    sym::Expr numPes = 1;
    int64_t chunk = 1;
    py::ExprRef condition; // may be null
    VarId peVar;           // worker index (Value)
    VarId elementVar;      // chunk 1: Reference to const element; else Pointer to elements
    VarId countVar;        // chunk > 1: number of elements
    Block body;
};

struct StreamPush : Node {
    StreamPush() : Node(Kind::StreamPush) {}
    static bool classof(const Node *n) { return n->kind == Kind::StreamPush; }
    RefId stream;
    py::ExprRef value;   // one element, or
    RefId source;        // slot of the first of
    sym::Expr count = 1; // contiguous elements
};

/// Bulk pop of up to `count` elements to contiguous memory.
struct StreamPop : Node {
    StreamPop() : Node(Kind::StreamPop) {}
    static bool classof(const Node *n) { return n->kind == Kind::StreamPop; }
    RefId stream, target;
    sym::Expr count = 1;
    VarId countVar; // variable that gets how many there were
};

/// Wall time of the body, recorded in the program's report.
struct Timer : Node {
    Timer() : Node(Kind::Timer) {}
    static bool classof(const Node *n) { return n->kind == Kind::Timer; }
    std::string name, category = "Timer";
    int cfg = -1, state = -1, node = -1;
    Block body;
};

/// Data instrumentation: saves or restores a container when control comes by (DaCe: Save / Restore).
struct DataProbe : Node {
    DataProbe() : Node(Kind::DataProbe) {}
    static bool classof(const Node *n) { return n->kind == Kind::DataProbe; }
    bool restore = false;
    std::string container, key; // folder and file stem: `<cfg>_<state>_<node>`
    RefId ref;                  // first element
    Type type;
    std::vector<sym::Expr> shape, strides;
    sym::Expr count;       // elements in memory
    py::ExprRef condition; // null: always
};

// ---- operations of a GPU program's host side; each is queued on a stream of the program (by number)

/// Starts a kernel. Grid and block are counted along x, y, z; a grid without blocks is no launch.
struct Launch : Node {
    Launch() : Node(Kind::Launch) {}
    static bool classof(const Node *n) { return n->kind == Kind::Launch; }
    FunctionId function; // index into Module::functions
    std::vector<Call::Argument> arguments;
    std::array<sym::Expr, 3> grid{1, 1, 1}, block{1, 1, 1};
    int stream = 0;
    std::string element; // for messages: `state s, map m`
};

/// `slices` slices of `rows` rows of `width` elements; consecutive rows are `sourcePitch` and `targetPitch` elements apart,
/// consecutive slices `sourceSlice` and `targetSlice`.
struct DeviceCopy : Node {
    DeviceCopy() : Node(Kind::DeviceCopy) {}
    static bool classof(const Node *n) { return n->kind == Kind::DeviceCopy; }
    enum Direction : uint8_t { HostToDevice, DeviceToHost, DeviceToDevice, HostToHost } direction = DeviceToDevice;
    RefId source, target;
    Type type;
    sym::Expr width = 1, rows = 1, sourcePitch = 0, targetPitch = 0, slices = 1, sourceSlice = 0, targetSlice = 0;
    int stream = 0;
};

/// `count` contiguous elements in device memory get a value.
struct DeviceFill : Node {
    DeviceFill() : Node(Kind::DeviceFill) {}
    static bool classof(const Node *n) { return n->kind == Kind::DeviceFill; }
    RefId target;
    sym::Expr count;
    Type type;
    py::ExprRef value;
    int stream = 0;
};

/// The host waits for everything on a stream.
struct Synchronise : Node {
    Synchronise() : Node(Kind::Synchronise) {}
    static bool classof(const Node *n) { return n->kind == Kind::Synchronise; }
    static constexpr int all = -1;
    int stream = 0; // or `all`
};

/// Marks what a stream has been given so far.
struct EventRecord : Node {
    EventRecord() : Node(Kind::EventRecord) {}
    static bool classof(const Node *n) { return n->kind == Kind::EventRecord; }
    int event = 0, stream = 0;
};

/// A stream waits for an event before what it is given next; stream -1: the host waits.
struct EventWait : Node {
    EventWait() : Node(Kind::EventWait) {}
    static bool classof(const Node *n) { return n->kind == Kind::EventWait; }
    int event = 0, stream = 0;
};

/// In a kernel: all threads of a block (or of the grid) have come so far, and see what the others wrote.
struct Barrier : Node {
    Barrier() : Node(Kind::Barrier) {}
    static bool classof(const Node *n) { return n->kind == Kind::Barrier; }
    bool ofGrid = false;
};

/// What makes a function a kernel.
struct KernelInfo {
    int64_t maxThreads = 0;   // of a block, when known: launch bounds
    int64_t minBlocks = 0;    // per multiprocessor; 0: not asked for
    int64_t maxRegisters = 0; // per thread; 0: not asked for
    bool barriers = false;    // threads of a block may meet: the emulation runs them side by side
    bool persistent = false;  // all blocks run at once: they may meet
};

struct Function {
    Name name;
    std::string comment;
    std::optional<KernelInfo> kernel;
    bool device = false; // a function that kernels call
    Table<VarId, Variable> vars;
    Table<RefId, MemRef> refs;
    std::vector<VarId> params; // in order; kinds Value, Pointer, Reference, Stream*, StructPtr, Callback
    bool needsState = false;   // takes `State *__state`
    Block body;
    int depth = 0; // nesting depth of the SDFG, for ordering
};

struct Param { // of the C interface
    Name name;
    Name cName; // as C and C++ can spell it: `class_` for `class`; that of the variable in the program
    Type type;  // element type of arrays
    /// What the interface says of a container: a copy that has no members, debug information or attributes; null: a symbol.
    std::shared_ptr<const ir::DataDesc> desc;
};

struct ConstantDef {
    Name name;
    Type type;
    std::vector<std::string> values; // C++ literals; one for a scalar
    bool isArray = false;
};

struct StateField {
    Name name; // `__0_tmp`
    Type type;
    ir::Lifetime lifetime = ir::Lifetime::Persistent; // Persistent, External, Global
    ir::Storage storage = ir::Storage::CPU_Heap;
    sym::Expr count; // elements, over init parameters
    sym::Expr startOffset;
    int64_t alignment = 0;
    bool isScalar = false; // T name instead of T *name
    bool isStream = false;
    bool zeroed = false;
    std::string comment;
};

struct Module {
    Name name;
    std::string source;        // file the graph came from, for the banner
    std::vector<Param> params; // program arguments, ABI order
    std::vector<Param> init;   // initialiser parameters
    std::vector<Type> structs; // to define, fields first
    std::vector<ConstantDef> constants;
    std::vector<StateField> fields;
    std::vector<std::string> rawFields;                     // member declarations from tasklets
    std::vector<std::string> globalCode;                    // file scope, in order
    std::vector<std::string> initCode, exitCode;            // C++ text with __state, __result / __err in scope
    Table<FunctionId, std::unique_ptr<Function>> functions; // callees before callers; the last one is the program
    std::vector<Name> environments;                         // headers and libraries needed: `OpenBLAS`, `LAPACKE`, `FFTW`, ...
    bool instrumented = false;                              // has a report
    bool dataInstrumented = false;
    int streams = 0; // GPU streams and events that the program uses; streams > 0: a GPU program
    int events = 0;
    bool rawCpp = false; // C++ text of the user is present: the compatibility header is needed
};

} // namespace sdfgc::tree
