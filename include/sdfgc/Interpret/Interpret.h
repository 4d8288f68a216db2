// The interpreter: executes a graph as it is, and checks everything that compiled programs take for granted.
//
// It is the judge of the compiler and shares no evaluator with it. It takes graphs of any level and runs library nodes
// by their definition. Types and operators are those of docs/user/semantics.md. For each element of each container it
// tracks which task wrote and which read it, and reports
//   - reads of elements that have not been written;
//   - accesses outside the shape of a container (performed if there is memory), or outside its memory;
//   - races: two unordered accesses of an element, at least one of which writes: nodes of a state without a path between
//     them, iterations of a map. Two writes of the same value, and updates with conflict resolution among themselves,
//     are not races;
//   - integer division by zero, conversions of real numbers to integers that cannot hold them, shifts by at least the
//     number of bits, negative sizes, steps of zero, pops of empty streams.
// A report does not end the run: the element is 0, or is not written.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Interpret/Native.h"
#include "sdfgc/Tree/Tree.h"

#include <map>
#include <memory>

namespace sdfgc::interpret {

enum class FaultKind : uint8_t {
    NotWritten,
    Outside,
    OutsideShape,
    Race,
    DivisionByZero,
    Conversion, // of a real number to an integer type that cannot hold it
    Shift,      // by a negative number, or by at least the number of bits
    NegativeSize,
    ZeroStep,
    EmptyStream,
    NoMemory,
    TooLarge,
    OtherMemory,
    Native, // a violation in C++ code
};

/// A location where a graph accesses a container.
struct AccessSite {
    std::string element; // `f: state main, tasklet mul`; empty: unknown
    std::string subset;  // `A[i, 0:N]`
    ir::DebugInfo source;
};

struct Report {
    FaultKind kind;
    std::string element; // as in AccessSite
    std::string what;    // `A[5]: ...`
    ir::DebugInfo source;
    AccessSite other; // of a race: the earlier access
};

struct Options {
    bool compatDace = false;            // C semantics for Python's operators, as with --compat dace
    std::string file;                   // the graph's, for diagnostics
    double seconds = 0;                 // time limit for the program; 0: none
    int64_t largest = int64_t(1) << 34; // maximum size of a container in bytes; larger ones get no memory
    uint8_t unwritten = 0;              // initial value of every byte of the program's memory
    bool sizesUnknown = false;          // memory whose size depends on unset symbols grows with the accesses
    NativeCompiler native = nullptr;    // for C++ tasklets, which are rejected without one
};

/// A graph prepared for execution. It may run repeatedly; containers with lifetime Persistent keep their contents.
class PreparedProgram {
public:
    /// The graph must not change during the program's lifetime. Reports every element that cannot be interpreted
    /// (callbacks, C++ code) and returns null if there are any.
    static std::unique_ptr<PreparedProgram> prepare(std::shared_ptr<const ir::SDFG> graph, const Options &options,
                                                    diag::Engine &diags);
    /// Takes the verified tree that a graph was lowered to. Also executes device operations.
    static std::unique_ptr<PreparedProgram> prepare(std::shared_ptr<const tree::Module> tree, const Options &options,
                                                    diag::Engine &diags);
    ~PreparedProgram();

    /// Provides memory for an argument container, in the container's layout and with its total size; null for a missing
    /// array. A scalar is one element. The memory must live until the end of the run.
    void bind(Name container, void *memory);
    /// Sets the value of a symbol.
    void set(Name symbol, int64_t value);
    void set(Name symbol, double value);

    /// Runs the program. Returns the faults in order, once for each location and kind.
    std::vector<Report> run();

    /// Resets the program, so that the next run behaves like the first one of a program prepared with this `unwritten`.
    /// Arguments must be provided again. Returns false and does nothing for a tree, which must be prepared again.
    bool forget(uint8_t unwritten);

    /// Was the last run stopped by the time limit?
    bool timedOut() const;

    /// Returns the total bytes of all containers that the program has allocated, each at its largest size. Only for
    /// programs made from a graph.
    int64_t memory() const;

    struct Parts;

private:
    explicit PreparedProgram(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

} // namespace sdfgc::interpret
