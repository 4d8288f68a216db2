// The interpreter: a graph executed as it stands, and everything checked that compiled programs take on trust.
//
// It is the judge of the compiler and shares no evaluator with it: graphs of any level, library nodes by their definition. Types
// and operators are those of docs/user/semantics.md. While it runs it knows of each element of each container which task wrote and which
// read it, and reports
//     reads of elements that nothing has written,
//     accesses outside of the shape of a container (which are made as long as there is memory), or of its memory,
//     two accesses of an element, one of which writes, that nothing orders: nodes of a state without a path between them,
//         iterations of a map; two writes of the same value and updates with conflict resolution among themselves are none,
//     integer division by zero, real numbers that do not fit into the integers that they are converted to, shifts by more bits than there
//         are, negative sizes, steps of zero, pops of empty streams.
// A report does not end the run: the element is 0, or not written.
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
    Conversion, // a real number to an integer type that cannot hold it
    Shift,      // by a negative number, or by at least the bits of the type
    NegativeSize,
    ZeroStep,
    EmptyStream,
    NoMemory,
    TooLarge,
    OtherMemory,
    Native, // what code in C++ did that it may not
};

/// Where a graph accesses a container.
struct Place {
    std::string element; // `f: state main, tasklet mul`; empty: not known
    std::string subset;  // `A[i, 0:N]`
    ir::DebugInfo source;
};

struct Report {
    FaultKind kind;
    std::string element; // as in Place
    std::string what;    // `A[5]: ...`
    ir::DebugInfo source;
    Place other; // of a race: the access that was made first
};

struct Options {
    bool compatDace = false;            // C meaning of Python's operators, as with --compat dace
    std::string file;                   // the graph's, for diagnostics
    double seconds = 0;                 // the program is stopped after them; 0: never
    int64_t largest = int64_t(1) << 34; // bytes of one container; a larger one has no memory
    uint8_t unwritten = 0;              // what is in memory of the program where nothing has written, in every byte
    bool sizesUnknown = false;          // memory whose size depends on symbols that are not set is as large as what is accessed
    NativeCompiler native = nullptr;    // for tasklets in C++, which are refused without one
};

/// A graph made ready to run. It may be run often; containers with lifetime Persistent keep their contents.
class Program {
public:
    /// The graph is not changed while the program lives. Null, and reports, for what cannot be interpreted (callbacks, code in C++):
    /// each by its element.
    static std::unique_ptr<Program> prepare(std::shared_ptr<const ir::SDFG> graph, const Options &options, diag::Engine &diags);
    /// Takes the tree that a graph was lowered to; it has been verified. Operations of the device are executed, too.
    static std::unique_ptr<Program> prepare(std::shared_ptr<const tree::Module> tree, const Options &options, diag::Engine &diags);
    ~Program();

    /// Memory for a container that is an argument, in its own layout, as large as its total size; null for no array. A scalar is one
    /// element. It must live until the end of the run.
    void bind(Name container, void *memory);
    /// The value of a symbol.
    void set(Name symbol, int64_t value);
    void set(Name symbol, double value);

    /// Runs the program. Returns what was found, in order, each place and kind once.
    std::vector<Report> run();

    /// Lets the next run be like the first one of a program that was prepared with such an `unwritten`: nothing is left of earlier
    /// runs, and arguments must be given again. Returns false, and does nothing, where it is a tree: prepare it again.
    bool forget(uint8_t unwritten);

    /// Was the last run stopped because it took too long?
    bool timedOut() const;

    /// The bytes of all containers that the program has allocated, each as large as it was at most. Of a program that was made of a graph.
    int64_t memory() const;

    struct Parts;

private:
    explicit Program(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

} // namespace sdfgc::interpret
