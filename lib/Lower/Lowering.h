// Internal state of the lowering from SDFG to schedule tree. One Lowering per program; one FunctionContext per generated function;
// one Instance per SDFG that is being lowered into a function (the root, nested SDFGs inlined, nested SDFGs as functions).
//
//   Lower.cpp       the module: parameters, constants, fields
//   UserCode.cpp    code blocks of the user
//   Regions.cpp     control flow
//   States.cpp      order inside a state, scopes, access nodes
//   Maps.cpp        maps and consume scopes
//   Kernels.cpp     GPU maps
//   GridKernels.cpp persistent kernels
//   DeviceCopies.cpp  copies and fills that a GPU program's host queues
//   Tasklets.cpp    tasklets: connectors to memory references
//   Copies.cpp      copies between containers
//   Nested.cpp      nested SDFGs
//   Containers.cpp  where containers are declared and allocated; places, views
//   Expressions.cpp Python text and symbolic expressions in terms of variables
#pragma once

#include "sdfgc/Analysis/Allocation.h"
#include "sdfgc/Analysis/Async.h"
#include "sdfgc/Analysis/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/Analysis/Teams.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Lower/Lower.h"
#include "sdfgc/Tree/NameScopes.h"

#include <unordered_map>
#include <unordered_set>

namespace sdfgc::tree {

/// Where a container lives: element (i, j, ...) is var[offset + sum((index_d + offsets_d) * strides_d)]. All expressions are over
/// variable names of the function.
struct Place {
    VarId var;
    sym::Expr offset = 0;
    std::vector<sym::Expr> strides, offsets, shape;
    Type type; // element type
    const ir::DataDesc *desc = nullptr;
    bool valid() const { return bool(var); }
};

struct FunctionContext {
    /// Where in a kernel the code is.
    struct Device {
        bool inside = false;
        analysis::Executor level =
            analysis::Executor::Thread; // who runs each statement: one thread, or all of a block or of the grid
        std::array<sym::Expr, 3> block{1, 1, 1};
        const Launch *launch = nullptr; // grid and block are known
        std::set<Name> ownNames;        // values that only the kernel knows
        Block *host = nullptr;          // where the launch will stand
    } device;
    Function *function = nullptr;
    Block *top = nullptr;  // where variables of the whole function are declared
    std::size_t topAt = 0; // after those that are there
    NameScopes names;
    sym::Assumptions facts;                     // about variables: which are known nonnegative
    analysis::Team team = analysis::Team::None; // who runs the code
    int labels = 0;                             // counter of generated labels
};

struct Instance {
    ir::SDFG *g = nullptr;
    Instance *parent = nullptr;
    FunctionContext *fn = nullptr;
    analysis::Declarations declarations;
    std::map<Name, sym::Expr> symbols;                      // symbol of the SDFG -> expression over variables
    std::map<Name, Type> symbolTypes;                       // type of the expression
    std::map<Name, Place> places;                           // containers, views as of the last state that used them
    std::unordered_map<const ir::Node *, Place> viewPlaces; // view access nodes
    std::unordered_map<const ir::Edge *, VarId> edgeValues; // code-to-code edges
    std::unordered_map<const ir::Node *, VarId> popped;     // arrays filled by a stream: how many elements there were
    std::map<Name, Place> reductions;                       // targets of active OpenMP reductions, by container
    const ir::State *state = nullptr;                       // being lowered
    const analysis::ScopeTree *scopes = nullptr;
};

/// Remembers symbols of an instance that a scope redefines, and puts them back.
class SymbolScope {
public:
    explicit SymbolScope(Instance &in) : in_(in) {}
    ~SymbolScope() {
        for (auto it = saved_.rbegin(); it != saved_.rend(); ++it) {
            if (it->had) {
                in_.symbols[it->name] = it->expr;
                in_.symbolTypes[it->name] = it->type;
            } else {
                in_.symbols.erase(it->name);
                in_.symbolTypes.erase(it->name);
            }
        }
    }
    void define(Name n, sym::Expr e, Type t) {
        auto it = in_.symbols.find(n);
        saved_.push_back({n, it != in_.symbols.end(), it != in_.symbols.end() ? it->second : sym::Expr(), in_.symbolTypes[n]});
        in_.symbols[n] = e;
        in_.symbolTypes[n] = t;
    }

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

struct LoopContext { // innermost loop region being lowered, for `continue`
    Loop *loop = nullptr;
    LoopContext *outer = nullptr;
};

class Lowering {
public:
    Lowering(ir::SDFG &root, pass::Context &context);
    std::unique_ptr<Module> run();

private:
    // ---- Lower.cpp
    void undefinedSize();
    void moduleInterface();
    void constants();
    void structTypes();
    void program();
    void error(diag::Message message, diag::Location place);
    template <class... Args> void error(diag::Kind<std::type_identity_t<Args>...> kind, diag::Location place, const Args &...args) {
        error(diag::Message(kind, args...), std::move(place));
    }

    // ---- UserCode.cpp
    void userCode();
    Name beyondReach(const std::string &text) const;
    void refuseForeignRuntime(const std::string &text, diag::Location at);
    void lateInitCode(Instance &in, tree::Block &out);

    // ---- Regions.cpp
    void region(Instance &in, ir::Region &r, Block &out);
    void unstructured(Instance &in, ir::Region &r, Block &out);
    void block(Instance &in, ir::Block &b, Block &out);
    void loop(Instance &in, ir::LoopRegion &l, Block &out);
    void conditional(Instance &in, ir::ConditionalBlock &c, Block &out);
    void assignments(Instance &in, const ir::InterstateEdge &e, const ir::Region &r, Block &out);
    void declareSymbols(Instance &in, Block &out);

    // ---- States.cpp
    void state(Instance &in, ir::State &s, Block &out);
    void sections(Instance &in, ir::State &s, Block &out);
    void scope(Instance &in, const ir::Node *entry, Block &out);
    void node(Instance &in, ir::Node &n, Block &out);
    void dataProbe(Instance &in, ir::AccessNode &n, Block &out);
    void accessNode(Instance &in, ir::AccessNode &n, Block &out);
    void libraryNode(Instance &in, ir::LibraryNode &n, Block &out);
    void blockTasklet(Instance &in, ir::Tasklet &t, Block &out);
    /// Does a node, or what ends at a scope's exit, write other memory than registers and (if given) memory of `own`?
    static bool writesBeyond(const ir::Node &n, ir::Storage own);
    /// A branch for the thread or block that has the number 0 in each of these countings.
    static Block &onlyFirst(const std::vector<py::ExprRef> &numbers, Block &out);

    // ---- Maps.cpp
    void map(Instance &in, ir::MapEntry &m, Block &out);
    void mapLoops(Instance &in, ir::MapEntry &m, Block &out);
    void persistentMap(Instance &in, ir::MapEntry &m, Block &out);
    void dynamicRanges(Instance &in, ir::Node &entry, Block &out);
    struct ReductionPlan {
        Name container;
        Place outer, local;
        py::Reduction kind;
        sym::Expr count;
    };
    void accumulate(Instance &in, ReductionPlan &plan, bool single, Block &out, Omp &omp, const py::ExprRef &identity);
    std::vector<ReductionPlan> planReductions(Instance &in, ir::MapEntry &m, Block &out, Omp &omp);
    void finishReductions(Instance &in, const std::vector<ReductionPlan> &plans, Block &out);
    void consume(Instance &in, ir::ConsumeEntry &c, Block &out);

    void poolMemory(Instance &in, const analysis::AsyncOp &op, diag::Location at, Block &out);
    struct CopySide {
        Place place;
        sym::Subset subset; // over variables
    };

    // ---- Kernels.cpp
    struct KernelShape {
        bool threadBlocks = false;
        bool reduces = false; // all iterations accumulate into one element
        std::array<sym::Expr, 3> block{1, 1, 1};
        std::array<int64_t, 3> most{0, 0, 0}; // blocks of the grid; 0: as many as the iterations need
    };
    void kernel(Instance &in, ir::MapEntry &m, Block &out);
    KernelShape kernelShape(Instance &in, ir::MapEntry &m);
    Block *gridLoops(Instance &in, ir::MapEntry &m, const KernelShape &shape, Launch &launch, Block &out,
                     const std::function<void(Name, sym::Expr)> &define);
    Block *spreadLoop(Instance &in, Name parameter, const sym::Range &r, const KernelShape &shape, int axis, Launch &launch,
                      Block &out);
    void finishSpread(Instance &in, For &loop, Name parameter, const sym::Range &r);
    /// Parameters [first, last) of a map from the number of the iteration, the last one running fastest.
    void splitIndex(Instance &in, ir::MapEntry &m, std::size_t first, std::size_t last, sym::Expr number, Block &out,
                    const std::function<void(Name, sym::Expr)> &define);
    Name nameKernel(const ir::MapEntry &m);
    /// A name that no function and no variable has, `wanted` if it is free; with `suffix` where a word of C++ or a container has
    /// it.
    Name functionName(std::string wanted, const char *suffix);
    KernelInfo kernelInfo(const ir::MapEntry &m, const KernelShape &shape, Block &body) const;
    void finishKernel(Instance &in, ir::MapEntry &m, Name name, Block body, const KernelInfo &info, Launch &launch);
    VarId reserveArena(Instance &in, Name name, const ir::DataDesc &d, sym::Expr size);
    Place slice(Instance &in, Name name, const ir::DataDesc &d, sym::Expr size, Block &out);
    void deviceMap(Instance &in, ir::MapEntry &m, Block &out);
    Block &firstThreads(Instance &in, std::size_t rank, Block &out);
    void threadBlockMap(Instance &in, ir::MapEntry &m, Block &out);

    // ---- GridKernels.cpp
    void persistentKernel(Instance &in, ir::MapEntry &m, Block &out);
    void gridMap(Instance &in, ir::MapEntry &m, Block &out);
    Place gridArray(Instance &in, Name name, const ir::DataDesc &d, sym::Expr size);

    // ---- DeviceCopies.cpp
    bool onDevice(const Place &p) const;
    bool queued(const Instance &in, const Place &src, const Place &dst) const;
    bool suits(const CopySide &src, const CopySide &dst, const analysis::CopyShape &shape, const ir::Edge &e);
    void deviceCopy(Instance &in, const CopySide &src, const CopySide &dst, const ir::Edge &e, Block &out);
    void deviceFill(Instance &in, const CopySide &dst, const py::ExprRef &value, int stream, Block &out);
    void kernelCopy(Instance &in, const CopySide &src, const CopySide &dst, const ir::Edge &e, Block &out);
    /// The function queues work on streams: it needs the program's state, which has them.
    void usesStream(Instance &in, int stream) {
        module_->streams = std::max(module_->streams, stream + 1);
        fn(in).needsState = true;
    }

    // ---- Tasklets.cpp
    friend class TaskletLowering;
    void tasklet(Instance &in, ir::Tasklet &t, Block &out);

    // ---- Copies.cpp
    void copyEdge(Instance &in, ir::Edge &e, Block &out);
    void copy(Instance &in, const CopySide &src, const CopySide &dst, const ir::Edge &e, Block &out);
    void copyLoops(Instance &in, const CopySide &src, const CopySide &dst, const ir::Edge &e, Block &out);
    void streamCopy(Instance &in, const Place &src, const Place &dst, ir::Edge &e, Block &out);
    void copyOrFillNode(Instance &in, ir::LibraryNode &n, Block &out);
    std::optional<CopySide> copySide(Instance &in, ir::Edge &e, bool source);

    // ---- Nested.cpp
    void nested(Instance &in, ir::NestedSDFGNode &n, Block &out);
    void inlineNested(Instance &in, ir::NestedSDFGNode &n, Block &out);
    void callNested(Instance &in, ir::NestedSDFGNode &n, Block &out);
    void bindSymbols(Instance &in, Instance &inner, ir::NestedSDFGNode &n, Block &out);

    // ---- Containers.cpp
    void declareTop(Instance &in, Block &out);                                // containers of the whole SDFG, or of the function
    void declareAt(Instance &in, const std::vector<Name> &names, Block &out); // at a state or scope
    const std::set<Name> &zeroed(ir::SDFG &g);
    void declareContainer(Instance &in, Name name, Block &out);
    VarKind variableKind(const Instance &in, const ir::DataDesc &d, Name name);
    Name nameInFunction(Instance &in, Name wanted);
    void declareInFunction(Instance &in, VarId v);
    void allocateMembers(Instance &in, Name owner, const ir::DataDesc &d, Block &out);
    void declareStream(Instance &in, Name name, const ir::DataDesc &d, Block &out);
    Place fieldPlace(Instance &in, Name name, const ir::DataDesc &d);
    void reserve(Instance &in, Name name, diag::Location at, Block &out);
    void resolveViews(Instance &in, const std::vector<ir::Node *> &nodes, Block &out);
    Place resolveView(Instance &in, ir::AccessNode &n, Block &out);
    Place place(Instance &in, Name data); // container by (dotted) name
    Place placeOfNode(Instance &in, const ir::AccessNode &n);
    Place placeAt(Instance &in, const ir::Edge &e, const ir::AccessNode &end); // container that the memlet sees at that end
    Place viewOutsideState(Instance &in, Name data);
    Place memberPlace(Instance &in, Name dotted);
    Place placeFor(Instance &in, VarId v, const ir::DataDesc &d, sym::Expr offset = 0);
    /// Slot of the element at `indices` (over variables).
    RefId element(Instance &in, const Place &p, std::span<const sym::Expr> indices);
    RefId elementAt(Instance &in, const Place &p, sym::Expr offset);
    RefId addressAt(Instance &in, const Place &p, sym::Expr offset);
    py::ExprRef read(Instance &in, const Place &p, sym::Expr offset);
    sym::Expr startOffset(const Place &p, const sym::Subset &s) const;

    // ---- Expressions.cpp
    /// Symbols of the SDFG replaced by variables; approximations dropped.
    sym::Expr sub(const Instance &in, sym::Expr e) const;
    sym::Expr readContainers(const Instance &in, sym::Expr e) const;
    sym::Subset sub(const Instance &in, const sym::Subset &s) const;
    /// Ready to print: divisions whose operands are known nonnegative become C divisions.
    sym::Expr final(const Instance &in, sym::Expr e);
    py::ExprRef toPy(const Instance &in, sym::Expr e) const;
    std::optional<sym::Expr> toSym(const py::Expr &e) const;
    /// Python text of an edge, branch or loop in terms of variables; null (reported) when it cannot be.
    py::ExprRef expression(Instance &in, const std::string &text, ir::Language language, const diag::Location &where);
    /// A conflict resolution function on elements of a type, ready to print.
    py::ExprRef resolution(Instance &in, const py::ExprRef &lambda, Type element) const;
    py::ExprRef bindNames(Instance &in, const py::ExprRef &typed, const diag::Location &where);
    py::ExprRef bindName(Instance &in, const py::Expr &e, const diag::Location &where);
    py::ExprRef bindSubscript(Instance &in, const py::Expr &e, const diag::Location &where);
    py::Env environment(Instance &in) const;
    std::function<bool(const py::Expr &)> nonNegativeOracle(const Instance &in) const;
    py::Semantics semantics() const { return context_.options.compatDace ? py::Semantics::Dace : py::Semantics::Python; }
    VarId declareValue(Instance &in, Name wanted, Type t, bool isConst = false);
    void assignSymbol(Instance &in, Name symbol, py::ExprRef value, Block &out);

    /// The function records times: it needs the program's state, which has the report.
    void instrumented(Instance &in) {
        module_->instrumented = true;
        fn(in).needsState = true;
    }
    Function &fn(const Instance &in) const { return *in.fn->function; }
    Name varName(const Instance &in, VarId v) const { return fn(in).vars[v].name; }

    ir::SDFG &root_;
    bool usesUndefinedSize_ = false;
    pass::Context &context_;
    std::unique_ptr<Module> module_;
    analysis::ArgumentList arguments_;
    std::vector<std::string> callCode_; // init code that needs the arguments of a call
    LoopContext *loops_ = nullptr;
    std::set<std::string> functionNames_;
    std::map<std::string, int> functionCopies_; // how many have asked for a name that was taken
    std::set<std::string> containerNames_;      // of all SDFGs, and symbols: variables that would hide a function
    std::unordered_map<const ir::SDFG *, std::set<Name>> zeroed_;
    int codeBlocks_ = 0;
};

/// Type of the variable that holds a symbol of a declared type: integers are widened to 64 bits.
Type symbolVariableType(Type declared);

} // namespace sdfgc::tree
