// The verifier's state while it walks a graph. One file per group of rules: Sdfg.cpp, ControlFlow.cpp, State.cpp,
// Connectors.cpp, Tasklets.cpp, Calls.cpp, Memlets.cpp, Bounds.cpp, Nested.cpp, Allocation.cpp, Streams.cpp, Kernels.cpp,
// UnsetSymbols.cpp.
#pragma once

#include "sdfgc/Analysis/Streams/Streams.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Tasklet/Keywords.h"

#include <deque>

namespace sdfgc::analysis {

/// An identifier, or several joined by dots (members of structures).
inline bool isName(std::string_view text) { return ir::isIdentifier(text, true); }
/// A name that conditions, expressions and tasklets can use.
inline bool isSymbolName(std::string_view text) { return isName(text) && !py::isKeyword(text); }

/// Does a range contain `?`, or is its number of elements beyond 64 bits?
bool isUndefined(const sym::Range &r);

class Verifier {
public:
    Verifier(ir::Level level, diag::Engine &diags, const std::string &file, ir::Level kept)
        : level_(level), kept_(kept), diags_(diags), file_(file) {}
    void run(const ir::SDFG &root);

    /// The symbols that a loop statement assigns; empty if it is not Python or cannot be parsed.
    static std::set<Name> writtenBy(const std::optional<ir::Code> &statement);

private:
    /// For walks that take mutable graphs. Those of the verifier change nothing.
    static ir::SDFG &unchanged(const ir::SDFG &g) { return const_cast<ir::SDFG &>(g); }

    /// One SDFG during the walk over its control flow.
    struct Frame {
        const ir::SDFG &g;
        bool onDevice = false;                // inside a GPU map of an enclosing SDFG
        bool undecided = false;               // inside a map without a final schedule: storage cannot be checked
        std::unordered_set<Name> defined;     // symbols, containers and constants defined at this point
        std::vector<Name> found;              // those of `defined` that control flow has defined, in walk order
        std::unordered_set<Name> initialized; // transients written and references set before this point
        int loops = 0;                        // loop regions around this point

        void define(Name n) {
            if (defined.insert(n).second)
                found.push_back(n);
        }
    };
    /// Hides the definitions on one edge out of a block while the other edges are visited.
    class OtherWays;
    /// Reads of symbols that have never been assigned.
    class UnsetReads;
    /// One state.
    struct StateFrame {
        Frame &f;
        const ir::State &s;
        ScopeTree scopes;
        PathEnds ends;
        StateFrame(Frame &frame, const ir::State &state) : f(frame), s(state), scopes(state), ends(state, scopes) {}
    };

    // ---- SDFG and descriptors
    void sdfg(Frame &f);
    void sdfgNames(const ir::SDFG &g);
    void constants(const ir::SDFG &g);
    /// `inSizes`: the free symbols of the descriptor.
    void descriptor(const ir::SDFG &g, Name name, const ir::DataDesc &d, const std::set<Name> &inSizes);
    void sizes(const ir::SDFG &g, Name name, const ir::DataDesc &d, const std::set<Name> &inSizes);

    // ---- control flow
    void region(const ir::Region &r, Frame &f);
    void regionShape(const ir::Region &r);
    void structure(const ir::Region &r);
    void block(const ir::Block &b, Frame &f);
    void loopStatement(const ir::LoopRegion &l, const ir::Code &code, const ir::SDFG &g);
    void loop(const ir::LoopRegion &l, Frame &f);
    void conditional(const ir::ConditionalBlock &c, Frame &f);
    void interstateEdge(const ir::InterstateEdge &e, const ir::Region &r, Frame &f);
    template <class Element> void codeSymbols(const ir::Code &code, const Element &at, Frame &f);
    template <class Element> void expectDefined(Name n, const Element &at, const Frame &f);

    void unsetSymbols(const ir::SDFG &g);
    void unwrittenInControlFlow(const ir::SDFG &g);

    // ---- states
    void state(const ir::State &s, Frame &f);
    void scopes(const StateFrame &sf);
    void symbols(const StateFrame &sf);
    void readElements(const ir::Node &n, const ir::SDFG &g);
    template <class Element> void readElements(const sym::Range &r, const Element &at, const ir::SDFG &g);
    /// Reports an element of a container in an expression, `A[i]`: passes move expressions to wherever they are needed, which no
    /// rule orders after the writes to A; only nodes and control flow read memory. Also reports calls of undeclared functions.
    template <class Element> void readElement(sym::Expr e, const Element &at, const ir::SDFG &g) {
        if (!hasElementOrCall(e))
            return;
        if (e.kind() == sym::SymbolicKind::Call && !isCallable(e.name(), g))
            undeclared(at, e.name());
        if (e.kind() == sym::SymbolicKind::Subscript && g.desc(e.name()) && !g.constant(e.name()))
            return report(diag::Id::SymbolNotDefined, at, e.str(), ": it is an element of a container");
        for (sym::Expr operand : e.operands())
            readElement(operand, at, g);
    }
    bool hasElementOrCall(sym::Expr e);
    /// The part that keeps a size, bound or index from being an integer; nothing if it is one.
    std::optional<sym::Expr> realPartOf(sym::Expr e, const ir::SDFG &g);
    std::map<const ir::SDFG *, std::set<Name>> integersDeclaredReal_;
    void node(const ir::Node &n, StateFrame &sf);
    void access(const ir::AccessNode &n, StateFrame &sf);
    void accessInNested(const ir::AccessNode &n, const StateFrame &sf);
    void initialization(const StateFrame &sf);
    void map(const ir::MapEntry &m);
    void consume(const ir::ConsumeEntry &c);
    void tasklet(const ir::Tasklet &t, const ir::SDFG &g);
    void elementType(const ir::Edge &e, const ir::Connector *c);
    void labels(const ir::Node &n);
    void levelOfNode(const ir::Node &n);
    void levelOfNodes(const StateFrame &sf);

    // ---- calls
    void readDeclarations(const ir::SDFG &root);
    /// `code`: with resolved modules.
    void calls(const ir::Tasklet &t, const ir::SDFG &g, const std::vector<py::StmtRef> &code);
    void bases(const ir::Tasklet &t, const ir::SDFG &g, const std::vector<py::StmtRef> &code);
    bool isOfGraph(Name function, const ir::SDFG &g) const;
    bool isDeclared(Name function, const ir::SDFG &g) const;
    bool isDeclaredOnHost(Name function, const ir::SDFG &g) const;
    bool isDeclaredInExpressions(Name function, const ir::SDFG &g) const;
    /// The undeclared functions that control-flow code calls. Always empty after the graph is loaded.
    std::vector<Name> undeclaredIn(const ir::Code &code, const ir::SDFG &g) const;
    /// May a size, range or subset call it?
    bool isCallable(Name function, const ir::SDFG &g) const;
    template <class Element> void undeclared(const Element &at, Name function) {
        reportCode(at, "it calls `" + function.str() + "`, which is not declared",
                   "define the function in `global_code`, or pass it to the program as a callback");
    }

    // ---- connectors
    void connectors(const ir::Node &n, const ir::SDFG &g);
    void connectorNames(const ir::Node &n, const ir::SDFG &g);
    void connectorEdges(const ir::Node &n, bool in);
    void connectorPairs(const ir::Node &n);

    // ---- nested SDFGs
    void nested(const ir::NestedSDFGNode &n, const StateFrame &sf);
    void enter(const ir::NestedSDFGNode &n, const StateFrame &sf);
    void nestedConnectors(const ir::NestedSDFGNode &n);
    void argumentType(const ir::Edge &e, const ir::NestedSDFGNode &n);
    void nestedInOut(const ir::NestedSDFGNode &n, const StateFrame &sf);
    void nestedSymbols(const ir::NestedSDFGNode &n);

    // ---- memlets
    void edge(const ir::Edge &e, const StateFrame &sf);
    void emptyMemlet(const ir::Edge &e, const ir::Node *source, const ir::Node *destination);
    void memletData(const ir::Edge &e, const StateFrame &sf, const ir::Node *source, const ir::Node *destination);
    void resolution(const ir::Edge &e, const ir::SDFG &g);
    void subsets(const ir::Edge &e, const StateFrame &sf, const ir::Node *source, const ir::Node *destination);
    void bounds(const ir::Edge &e, const sym::Subset &s, Name data, const ir::DataDesc &d, const StateFrame &sf);
    void outOfBounds(const ir::Edge &e, const sym::Subset &s, Name data, std::size_t dim, const std::string &why);
    void undefinedSubsets(const ir::Edge &e);
    void zeroSteps(const ir::Edge &e);
    void negativeSizes(const ir::Edge &e, const ir::SDFG &g);
    void copySizes(const ir::Edge &e, const StateFrame &sf, const ir::Node *source, const ir::Node *destination);
    void crossedScopes(const ir::Edge &e, const StateFrame &sf, const ir::Node *source, const ir::Node *destination);
    void storageAccess(const ir::Edge &e, const StateFrame &sf);

    // ---- memory
    void declarations(const ir::SDFG &root);
    void memoryOnPaths(const ir::SDFG &root);

    // ---- streams
    void streams(const ir::SDFG &root);
    void barriers(const ir::SDFG &root);
    void copyMethods(const ir::SDFG &root);
    void schedules(const ir::SDFG &root);
    bool streamNumbers(ir::SDFG &root, StreamSteps &steps);

    // ---- helpers
    bool atLeast(ir::Level l) const { return level_ >= l; }
    /// Has the graph kept the rules of the typed level? Most of those for states and descriptors are not checked again.
    bool isKept() const { return kept_ >= ir::Level::Typed; }
    /// Warnings are issued once, for the graph as loaded.
    bool warns() const { return level_ == ir::Level::Loaded; }
    /// Is `a < b` provable? The result is cached per pair: graphs repeat the same bounds thousands of times.
    bool provablyLess(sym::Expr a, sym::Expr b, const ir::SDFG &g);
    void report(diag::Message message, diag::Location place);
    /// Reports code, or a writer, that uses a name it must not use.
    template <class Element> void reportCode(const Element &at, const std::string &what, const char *hint) {
        diag::Message m(diag::MessageKind<std::string>(diag::Id::BadCode), what);
        m.hint = hint;
        if constexpr (std::is_same_v<Element, diag::Location>)
            report(std::move(m), at);
        else
            report(std::move(m), placeOf(at));
    }
    template <class Element> void constantWritten(const Element &at, Name constant) {
        reportCode(at, "it writes `" + constant.str() + "`, which is a constant",
                   "write another container or symbol, or remove the constant");
    }
    /// Reports at an element (a node, a block, an edge) or a place.
    template <class Element, class... Args>
    void report(diag::MessageKind<std::type_identity_t<Args>...> kind, const Element &at, const Args &...args) {
        if constexpr (std::is_same_v<Element, diag::Location>)
            report(diag::Message(kind, args...), at);
        else // Places are expensive to compute, and not needed when errors are only counted.
            report(diag::Message(kind, args...), diags_.errorCount() < diags_.limit ? placeOf(at) : diag::Location());
    }

    struct PairHash {
        std::size_t operator()(const std::pair<sym::Expr, sym::Expr> &p) const { return p.first.hash() * 31 + p.second.hash(); }
    };
    using Comparisons = std::unordered_map<std::pair<sym::Expr, sym::Expr>, bool, PairHash>;

    ir::Level level_, kept_;
    diag::Engine &diags_;
    const std::string &file_;
    std::deque<Frame> pending_; // SDFGs still to be checked
    SymbolUse needed_{false}, required_{true};
    std::unordered_map<sym::Expr, bool> elementsOrCalls_;
    std::unordered_set<Name> declared_;   // words in the global code
    bool includes_ = false;               // does that code include headers?
    bool environments_ = false;           // do tasklets have libraries that do?
    const ir::SDFG *comparing_ = nullptr; // an SDFG with the facts that comparisons_ used
    Comparisons comparisons_;
};

/// ` (did you mean `x`?)` if there is a similar known name, otherwise empty.
std::string suggestion(Name wrong, const std::vector<std::string> &known);
std::vector<std::string> containerNames(const ir::SDFG &g);

} // namespace sdfgc::analysis
