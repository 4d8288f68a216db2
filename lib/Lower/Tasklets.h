// Internal: the lowering of one tasklet. Connections in Tasklets.cpp, Python code in TaskletCode.cpp, the statements it becomes in
// TaskletStatements.cpp, C++ text in TaskletText.cpp and TaskletCall.cpp.
#pragma once

#include "Lowering.h"

namespace sdfgc::tree {

using namespace ir;
using py::ExprKind;
using py::ExprRef;
using py::StmtKind;
using py::StmtRef;

/// One connector of a tasklet with what it stands for.
struct Connection {
    Name conn;
    Edge *edge = nullptr;
    Type type;            // element type that the code sees
    bool pointer = false; // the code sees an address
    bool single = false;  // the subset is one element
    bool dynamic = false;
    bool stream = false;
    bool setsReference = false;
    Place place;
    sym::Expr start;                // offset of the first element
    std::vector<sym::Expr> strides; // of the dimensions that subscripts count (squeezed)
    std::vector<sym::Expr> allStrides;
    std::vector<sym::Expr>
        tileStrides; // of tiles, which subscripts may count as further dimensions (DaCe: Range.absolute_strides in subsets.py)
    // outputs with conflict resolution
    bool wcr = false, atomic = false;
    py::Reduction reduction = py::Reduction::Custom;
    ExprRef lambda;
    // plan
    VarId local;
    int reads = 0, writes = 0;
    bool augmented = false, inLoop = false;
    bool keepsOld = false; // a dynamic update whose connector is read back: it then holds the value from before the update
};

/// Is `n` read anywhere in the expression, and how often?
int countMentions(const py::Expr &e, Name n);
inline bool mentions(const py::Expr &e, Name n) { return countMentions(e, n) > 0; }

class TaskletLowering {
public:
    TaskletLowering(Lowering &l, Instance &in, Tasklet &t, tree::Block &out) : l_(l), in_(in), t_(t), out_(&out) {}
    void run();

private:
    // ------------------------------------------------------------------------------------------------ connections
    bool connect();
    bool connectInput(Edge &e);
    bool connectOutput(Edge &e);
    bool bindPlace(Connection &c, Edge &e, AccessNode &node, bool source, Type type);
    void bindWcr(Connection &c, Edge &e, AccessNode &target);
    bool fail(const Edge &e);
    Connection *find(std::vector<Connection> &list, Name n);

    // ------------------------------------------------------------------------------------------------ Python
    void python(std::vector<StmtRef> code);
    static std::vector<StmtRef> renameLambdaParameters(const std::vector<StmtRef> &code);
    /// The statements join the surrounding block when they declare nothing.
    void land(std::unique_ptr<tree::Block> block);
    /// Counts reads and writes of connectors.
    void survey(const std::vector<StmtRef> &code, bool inLoop);
    /// The variable for what the target of a statement held before.
    void declareOld(const py::Stmt &s);
    /// Is every store the last thing that happens on its path? Then no input is read after a store.
    static bool storesComeLast(const std::vector<StmtRef> &code);
    VarId rootVariable(VarId v) const;
    void plan(const std::vector<StmtRef> &code);
    VarId declareLocal(const Connection &c, ExprRef init);
    /// The element behind a value connector.
    ExprRef readOf(const Connection &c);
    /// Replaces connectors, symbols and locals in the code. Subscripts of pointer connectors first, bare names after.
    std::vector<StmtRef> bind(const std::vector<StmtRef> &code);
    Connection *pointerConnection(const py::Expr &base);
    ExprRef bindCallback(const ExprRef &e);
    static std::optional<std::vector<sym::Expr>> stridesFor(const Connection &c, std::size_t rank);
    ExprRef bindSubscript(const ExprRef &e);
    ExprRef element(const Connection &c, const std::vector<ExprRef> &indices, const std::vector<sym::Expr> &strides);
    /// Only names of symbols and loop-invariant variables may enter offsets: locals of the code change while it runs.
    bool mayFold(const py::Expr &e) const;
    ExprRef bindSymbol(const ExprRef &e);
    ExprRef bindBareName(const ExprRef &e);
    ExprRef bindConnector(const Connection &c, const ExprRef &e);
    std::vector<StmtRef> typed(std::vector<StmtRef> code, py::Env env);

    // ------------------------------------------------------------------------------------------------ statements
    const Connection *storedTo(const py::Stmt &s) const;
    static bool special(const Connection &c);
    bool containsSpecial(const std::vector<StmtRef> &code) const;
    void emit(const std::vector<StmtRef> &code, tree::Block &to);
    /// Locals that live across several statements of the tree are declared in front of them.
    void predeclare(const std::vector<StmtRef> &, tree::Block &to);
    /// A store's target is the element itself, without the conversion that reading it would need.
    static StmtRef plainTarget(const StmtRef &s);
    void emitStructured(const py::Stmt &s, tree::Block &to);
    /// `for i in range(a, b, s)` around statements of the tree.
    void emitRange(const py::Stmt &s, tree::Block &to);

    // ------------------------------------------------------------------------------------------------ stores
    void storeStatement(const Connection &c, const py::Stmt &s, tree::Block &to);
    void store(const Connection &c, Name variable, tree::Block &to);
    void foldLanes(const Connection &c, ExprRef value, tree::Block &to);
    /// `old`: the variable that gets what an updated element held before, or none.
    void storeValue(const Connection &c, const py::Expr *target, ExprRef value, VarId old, tree::Block &to);

    // ------------------------------------------------------------------------------------------------ C++
    void cpp();
    bool isPlainCall() const;
    void plainCall();
    static std::string withoutMargin(const std::string &text);
    std::string onStream(std::string text) const;
    void dropUnused(RawTasklet &raw);
    std::vector<Name> symbolsIn(const std::string &text, const std::set<Name> &connectors) const;
    /// A variable that a binding reads but whose name the binding list redefines is read through another name.
    sym::Expr throughAliases(sym::Expr e, const std::set<Name> &taken, std::map<Name, sym::Expr> &aliases, tree::Block &outer);
    void bindRawSymbol(Name s, const std::set<Name> &taken, std::map<Name, sym::Expr> &aliases, RawTasklet &raw,
                       tree::Block &outer);
    void bindRaw(Connection &c, bool input, const std::set<Name> &taken, std::map<Name, sym::Expr> &aliases, RawTasklet &raw,
                 tree::Block &outer);
    /// Another name for the memory of a variable whose own name is about to be hidden.
    Place aliasPlace(const Place &p, tree::Block &outer);
    Lowering &l_;
    Instance &in_;
    Tasklet &t_;
    tree::Block *out_;
    std::vector<Connection> inputs_, outputs_;
    std::map<Name, Name> locals_;     // name in the code -> variable
    std::map<Name, Type> localTypes_; // by variable name
    std::map<Name, VarId> olds_;      // what updated elements held before: name in the code -> variable
    std::map<RefId, const Connection *> slots_;
};

} // namespace sdfgc::tree
