// The context of the lowering: FunctionContext for the generated function that it writes, Instance for the SDFG that it reads.
// Every step of the lowering takes the Instance and reaches everything else through it.
//
// There is one Instance for the root, for each nested SDFG that is lowered in place, and for each that becomes a function. Several
// can share a FunctionContext: in a nested SDFG lowered in place, symbols and containers have other names, but the variables are
// those of the surrounding function.
#pragma once

#include "Lower/Memory/MemoryPlace.h"
#include "LoweredProgram.h"

#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Teams.h"
#include "sdfgc/Tree/NameScopes.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace sdfgc::tree::lowering {

/// A function that is being generated.
struct FunctionContext {
    /// A function without statements. The outermost scope of names is open.
    FunctionContext(LoweredProgram &program, Function &function) : program(program), function(function), names(program.names()) {}

    /// The position of the code in a kernel. A kernel is lowered in terms of the host function and then moved out of it.
    struct Device {
        bool inside = false;
        /// Which threads run each statement: one thread, or all threads of a block or of the grid.
        analysis::Executor level = analysis::Executor::Thread;
        std::array<sym::Expr, 3> block{1, 1, 1};
        const Launch *launch = nullptr; // grid and block sizes are known
        Block *host = nullptr;          // where the launch will be inserted
        bool isOneBlock = false;        // of a persistent kernel: the grid is a single block
    };

    LoweredProgram &program;
    Function &function;
    Device device;
    Block *top = nullptr;  // where variables of the entire function are declared
    std::size_t topAt = 0; // after those already declared
    NameScopes names;
    sym::Assumptions facts;                     // about variables: which are known nonnegative
    analysis::Team team = analysis::Team::None; // who runs the code
    int labels = 0;                             // counter of generated labels
    bool isInGraph = false;                     // a GPU graph, which is launched as a whole
};

/// An SDFG that is being lowered into a function.
struct Instance {
    /// Nothing is declared yet. `parent` is set for a nested SDFG lowered in place.
    Instance(ir::SDFG &g, FunctionContext &fn, Instance *parent = nullptr)
        : g(&g), parent(parent), fn(&fn), declarations(analysis::declarationsOf(g)) {}

    ir::SDFG *g;
    Instance *parent;
    FunctionContext *fn;
    analysis::Declarations declarations;
    std::map<Name, sym::Expr> symbols;                            // symbol of the SDFG -> expression over variables
    std::map<Name, Type> symbolTypes;                             // type of the expression
    std::map<Name, MemoryPlace> places;                           // containers, views as of the last state that used them
    std::unordered_map<const ir::Node *, MemoryPlace> viewPlaces; // view access nodes
    std::unordered_map<const ir::Edge *, VarId> edgeValues;       // code-to-code edges
    std::unordered_map<const ir::Node *, VarId> popped;           // arrays filled from a stream: their number of elements
    std::map<Name, MemoryPlace> reductions;                       // targets of active OpenMP reductions, by container
    const ir::State *state = nullptr;                             // the state being lowered
    const ir::ScopeTree *scopes = nullptr;                        // of that state
    Loop *loop = nullptr;                                         // the innermost loop around the code being lowered

    LoweredProgram &program() const { return fn->program; }
    Module &module() const { return *fn->program.module; }
    const pass::CompileOptions &options() const { return fn->program.context.options; }
    Function &function() const { return fn->function; }
    Name varName(VarId v) const { return function().vars[v].name; }

    /// Creates a variable for a single value, with a name similar to `wanted`; it is visible in the innermost scope of names. The
    /// caller declares it at the right position.
    VarId declareValue(Name wanted, Type t, bool isConst = false);
    /// Does an access node require that the container is zero from the start?
    bool isZeroed(Name container);

    /// Records that the function queues work on a stream, so that it needs the program's state, which holds the streams.
    void usesStream(int stream) const;
    /// Records that the program has an event of this number.
    void usesEvent(int event) const { module().events = std::max(module().events, event + 1); }
    /// Records that the function measures times, so that it needs the program's state, which holds the report.
    void recordsTimes() const;

    /// LoweredProgram::error.
    template <class... Args>
    void error(diag::MessageKind<std::type_identity_t<Args>...> kind, diag::Location place, const Args &...args) const {
        program().error(diag::Message(kind, args...), std::move(place));
    }

private:
    std::optional<std::set<Name>> zeroed_;
};

/// Saves symbols of an instance that a scope redefines, and restores them.
class SymbolScope {
public:
    explicit SymbolScope(Instance &in) : in_(in) {}
    SymbolScope(const SymbolScope &) = delete;
    SymbolScope &operator=(const SymbolScope &) = delete;
    ~SymbolScope();
    /// Binds symbol `n` to an expression over variables for the lifetime of this object.
    void define(Name n, sym::Expr e, Type t);
    /// The same for a 64-bit variable that holds the symbol.
    void define(Name n, VarId v) { define(n, sym::Expr::symbol(in_.varName(v)), ScalarKind::Int64); }

private:
    struct Saved {
        Name name;
        bool had;
        sym::Expr expr;
        Type type;
    };
    Instance &in_;
    std::vector<Saved> saved_;
};

} // namespace sdfgc::tree::lowering
