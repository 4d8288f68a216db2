// The statements of the schedule tree: a struct for each row of Nodes.def, which defines the fields for walkers,
// effects and text.
#pragma once

#include "sdfgc/Tree/Node.h"

#include <optional>

namespace sdfgc::tree {

struct Comment : NodeOf<TreeKind::Comment> {
    explicit Comment(std::string text = {}) { comment = std::move(text); }
};

/// Declares a variable. Value: initialised with `init`, if given. Pointer and Reference: bound to `target`.
struct Declare : NodeOf<TreeKind::Declare> {
    explicit Declare(VarId v = {}) : var(v) {}
    VarId var;
    py::ExprRef init; // Value
    RefId target;     // slot in Function::refs: Pointer, Reference, StreamRef, StreamView, StructPtr
};

/// Late allocation of a Buffer declared without a size. Keeps the contents if the size is unchanged; with `reserve`,
/// contents are lost and sufficiently large memory is kept. A PoolBuffer has a stream: later operations of the stream
/// may use the memory.
struct Allocate : NodeOf<TreeKind::Allocate> {
    explicit Allocate(VarId v = {}, sym::Expr n = 0) : var(v), count(n) {}
    VarId var;
    sym::Expr count;
    bool reserve = false;
    bool zero = false;
    int stream = 0; // PoolBuffer
};

/// Releases the memory of a PoolBuffer after all operations queued on the stream so far.
struct Release : NodeOf<TreeKind::Release> {
    explicit Release(VarId v = {}, int s = 0) : var(v), stream(s) {}
    VarId var;
    int stream;
};

/// Statements of a tasklet or an edge, using memory references and local variables.
struct Code : NodeOf<TreeKind::Code> {
    std::vector<py::StmtRef> stmts;
    std::map<Name, Type> locals; // locals of the statements, see py::TypedBlock
    bool braces = false;         // own C++ scope, because it has locals
};

/// `target op= value`, with conflict resolution.
struct Update : NodeOf<TreeKind::Update> {
    RefId target;                           // slot
    std::vector<py::ExprRef> targetIndices; // data-dependent indices, as the args of a MemRef node
    py::ExprRef value;
    py::Reduction reduction = py::Reduction::Sum;
    py::ExprRef lambda; // Custom: Lambda(old, new)
    bool atomic = false;
    /// In a kernel, if all threads of a block execute the statement: they combine their values, and one of them updates
    /// atomically.
    bool byBlock = false;
    VarId old; // receives the value from before the update
};

/// A C++ tasklet: bindings, the verbatim text, write-backs. Always has its own C++ scope.
struct RawTasklet : NodeOf<TreeKind::RawTasklet> {
    struct Binding {
        Name name;
        Type type; // element type
        enum Form : uint8_t { Value, ConstRef, Pointer, Uninitialised, Stream, Symbol } form = Value;
        bool isConst = false;
        bool unused = false; // not mentioned in the text, but possibly in a macro
        RefId ref;           // slot
        sym::Expr symbol;    // Symbol: value
    };
    std::vector<Binding> bindings;
    std::string text;
    std::vector<NodePtr> after; // write-backs (Code, Update, StreamPush)
};

/// Additional data of a launch, copy, fill, library call or loop inside a GraphRegion.
struct GraphNode {
    int node = -1;                // its number in the graph, or in the surrounding loop, in text order; -1: outside graphs
    std::vector<sym::Expr> after; // numbers of preceding nodes there: constants, ascending
    std::vector<sym::Expr> apart; // numbers of earlier nodes that are unordered because they use other elements of shared memory
};

/// A call of a library function: `[result =] function([stream,] arguments)`.
struct LibraryCall : NodeOf<TreeKind::LibraryCall>, GraphNode {
    struct Argument {      // exactly one of:
        RefId ref;         // memory: its address; `isConst`: the function only reads it
        py::ExprRef value; // `byAddress`: passed as a temporary
        std::string word;  // a C++ word: an enumerator, a character
        bool isConst = false, byAddress = false;
    };
    std::string function; // C++ spelling
    RefId result;         // receives the function's result; may be none
    std::vector<Argument> arguments;
    int stream = host; // stream that the call is queued on: its first argument
    static constexpr int host = -1;
    std::string element; // in a graph, for messages: `state s, tasklet t`
};

struct Omp {
    int collapse = 1;
    ir::OmpSchedule schedule = ir::OmpSchedule::Default;
    int64_t chunk = 0;
    sym::Expr numThreads = 0;                    // 0: runtime default
    sym::Expr onlyIf = sym::Expr::boolean(true); // otherwise one thread runs all iterations
    bool inParallelRegion = false;               // `omp for` instead of `omp parallel for`
    bool simd = false;                           // a thread may vectorise its iterations, with reductions in any order
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
    int axis = 0;       // -1 (not Grid): the linear thread number
    bool once = false;  // at least as many as iterations: `if` instead of a loop
    bool exact = false; // exactly as many: no `if` either
};

/// One dimension of a map: `for (T var = begin; var <= end; var += step)`; step is positive unless `descending`.
struct For : NodeOf<TreeKind::For> {
    VarId var;
    sym::Expr begin, end, step = 1; // end inclusive
    bool descending = false;
    std::optional<Omp> omp;
    std::optional<Spread> spread;             // in a kernel; excludes `omp`, `simd` and accumulators
    bool simd = false;                        // a sequential loop that may be vectorised: `omp simd`
    std::vector<Omp::Reduction> accumulators; // of a sequential loop, may be kept in vectors: `omp simd reduction(...)`
    bool unroll = false;
    int64_t unrollFactor = 0;
    bool checkStep = false; // a symbolic step that is not provably positive: stop with an error if it is not
    Block body;
};

/// A loop region. For: init; while (cond) { body; update }. DoWhile: init; do { body; update } while (cond).
/// TestLast: init; for (;;) { body; if (!cond) break; update }. Once: init; if (cond) body. A null condition is `true`.
/// In a GraphRegion, the device controls it: it runs while, or for Once if, `flag` is set, whatever the form. The
/// condition is the host's copy of the flag; the transfers that copy it to the host have no number. Other code uses If
/// instead of Once.
struct Loop : NodeOf<TreeKind::Loop>, GraphNode {
    enum Form : uint8_t { Normal, DoWhile, TestLast, Once };
    Form form = Normal;
    py::StmtRef init, update; // assignments to the loop variable; may be null
    VarId declares;           // loop variable declared in the header (not visible after the loop)
    py::ExprRef condition;
    RefId flag; // in device memory; none outside graphs
    bool unroll = false;
    int64_t unrollFactor = 0;
    Block body;
    Name continueLabel; // if a `continue` must run the update of DoWhile / TestLast: the label at the end of the body
};

struct If : NodeOf<TreeKind::If> {
    struct Branch {
        py::ExprRef condition; // null: else
        std::unique_ptr<Block> body;
    };
    std::vector<Branch> branches;
};

/// Copies `count` elements, contiguous on both sides, without overlap.
struct Memcpy : NodeOf<TreeKind::Memcpy> {
    RefId source, target;
    sym::Expr count;
    Type type;
};

/// Sets `count` contiguous elements to a value (null: all bytes zero).
struct Fill : NodeOf<TreeKind::Fill> {
    RefId target;
    sym::Expr count;
    Type type;
    py::ExprRef value;
};

/// Sets reference containers and late-bound pointers: `var = &source`.
struct SetPointer : NodeOf<TreeKind::SetPointer> {
    explicit SetPointer(VarId v = {}, RefId s = {}) : var(v), source(s) {}
    VarId var;
    RefId source;
};

/// A call of another function of the module.
struct Call : NodeOf<TreeKind::Call> {
    struct Argument {
        RefId ref;        // slot: passed as address, reference or value according to the parameter's kind
        sym::Expr value;  // if there is no ref
        py::ExprRef expr; // if set: a value expression
    };
    FunctionId function; // of Module::functions
    std::vector<Argument> arguments;
};

struct Break : NodeOf<TreeKind::Break> {};
struct Continue : NodeOf<TreeKind::Continue> {};
struct Return : NodeOf<TreeKind::Return> {};
struct Goto : NodeOf<TreeKind::Goto> {
    explicit Goto(Name l = {}) : label(l) {}
    Name label;
};
struct Label : NodeOf<TreeKind::Label> {
    explicit Label(Name l = {}) : label(l) {}
    Name label;
};

/// `omp parallel`: every thread runs the body; `threadVar`, if used, is its number.
struct ParallelRegion : NodeOf<TreeKind::ParallelRegion> {
    VarId threadVar, teamSizeVar;
    sym::Expr numThreads = 0;                    // 0: runtime default
    sym::Expr onlyIf = sym::Expr::boolean(true); // otherwise a team of one thread
    Block body;
};

struct Sections : NodeOf<TreeKind::Sections> {
    std::vector<std::unique_ptr<Block>> sections;
};

/// Workers pop elements from a stream until it is empty and all are idle, or until the condition holds.
struct Consume : NodeOf<TreeKind::Consume> {
    RefId stream; // slot
    sym::Expr numPes = 1;
    int64_t chunk = 1;
    py::ExprRef condition; // may be null
    VarId peVar;           // worker index (Value)
    VarId elementVar;      // chunk 1: Reference to const element; otherwise Pointer to elements
    VarId countVar;        // chunk > 1: number of elements
    Block body;
};

struct StreamPush : NodeOf<TreeKind::StreamPush> {
    RefId stream;
    py::ExprRef value;   // one element, or
    RefId source;        // slot of the first of
    sym::Expr count = 1; // contiguous elements
};

/// Pops up to `count` elements to contiguous memory.
struct StreamPop : NodeOf<TreeKind::StreamPop> {
    RefId stream, target;
    sym::Expr count = 1;
    VarId countVar; // receives the number of popped elements
};

/// Measures the body for the program's report. `lower` adds one for each element that is to be measured; the pass
/// `place-measurements` decides how, and removes those that are impossible.
struct Measure : NodeOf<TreeKind::Measure> {
    ir::Instrumentation by = ir::Instrumentation::Timer;
    std::string name;                    // in reports: `Map m`
    std::string element;                 // for messages: `map `m``
    bool chosen = false;                 // by --instrument, not by the graph
    int cfg = -1, state = -1, node = -1; // the element's place in the graph
    sym::Expr bytes = 0, operations = 0; // what one execution moves and computes; 0: unknown
    std::string counters;                // PAPI, LIKWID: what is counted, comma-separated
    bool team = false;                   // PAPI, LIKWID: in every thread of the team, not just in this one
    std::vector<sym::Expr> streams;      // GPU_Events: those that the body uses, constants
    Block body;
};

/// Data instrumentation: saves or restores a container when executed (DaCe: Save / Restore).
struct DataProbe : NodeOf<TreeKind::DataProbe> {
    bool restore = false;
    std::string container, key; // folder and file stem: `<cfg>_<state>_<node>`
    RefId ref;                  // first element
    Type type;
    std::vector<sym::Expr> shape, strides;
    sym::Expr count;       // elements in memory
    py::ExprRef condition; // null: always
};

// ---- host operations of a GPU program; each is queued on a stream of the program (by number)

/// Launches a kernel. Grid and block are counted along x, y, z; an empty grid launches nothing.
struct Launch : NodeOf<TreeKind::Launch>, GraphNode {
    FunctionId function; // of Module::functions
    std::vector<Call::Argument> arguments;
    std::array<sym::Expr, 3> grid{1, 1, 1}, block{1, 1, 1};
    int stream = 0;
    std::string element; // for messages: `state s, map m`
};

/// `slices` slices of `rows` rows of `width` elements; consecutive rows are `sourcePitch` and `targetPitch` elements apart,
/// consecutive slices `sourceSlice` and `targetSlice`.
struct DeviceCopy : NodeOf<TreeKind::DeviceCopy>, GraphNode {
    enum Direction : uint8_t { HostToDevice, DeviceToHost, DeviceToDevice, HostToHost } direction = DeviceToDevice;
    RefId source, target;
    Type type;
    sym::Expr width = 1, rows = 1, sourcePitch = 0, targetPitch = 0, slices = 1, sourceSlice = 0, targetSlice = 0;
    int stream = 0;
};

/// Sets `count` contiguous elements in device memory to a value.
struct DeviceFill : NodeOf<TreeKind::DeviceFill>, GraphNode {
    RefId target;
    sym::Expr count;
    Type type;
    py::ExprRef value;
    int stream = 0;
};

/// The host waits for all operations on a stream.
struct Synchronise : NodeOf<TreeKind::Synchronise> {
    static constexpr int all = -1;
    int stream = 0; // or `all`
};

/// Marks the operations queued on a stream so far.
struct EventRecord : NodeOf<TreeKind::EventRecord> {
    int event = 0, stream = 0;
};

/// A stream waits for an event before later operations; stream -1: the host waits.
struct EventWait : NodeOf<TreeKind::EventWait> {
    int event = 0, stream = 0;
};

/// Operations on one stream, and loops of them, that become one GPU graph, launched as one. Otherwise contains only
/// declarations of their arguments, and copies of loop flags to the host. Sequential execution has the same effect.
struct GraphRegion : NodeOf<TreeKind::GraphRegion> {
    Name name;           // unique in the module
    int stream = 0;      // of all operations
    int64_t entries = 8; // executable graphs that are cached
    Block body;
};

/// In a kernel: all threads of a block (or of the grid) wait for each other, and then see each other's writes.
struct Barrier : NodeOf<TreeKind::Barrier> {
    bool ofGrid = false;
};

} // namespace sdfgc::tree
