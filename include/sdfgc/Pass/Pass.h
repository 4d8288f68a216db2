// Passes: named steps over a program, declared once in Passes.def and run by the Manager as part of a pipeline.
//
// A program is a graph and, from the pass `lower` on, a schedule tree. A pass works on one of them: GraphPass,
// TreePass, or FunctionPass for passes that process one function of the tree at a time. Only `lower` itself has both.
#pragma once

#include "sdfgc/Analysis/Origins.h"
#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Diag/Reason.h"
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/CompileOptions.h"
#include "sdfgc/Tree/Tree.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace sdfgc::pass {

/// The subject of a remark: the name of an element, and its location in the user's program. An element without a
/// recorded location takes that of the nearest surrounding element: scope, state, regions, SDFG, nested SDFG node.
struct Element {
    Element(const ir::Node &n);
    Element(const ir::Edge &e);
    Element(const ir::Block &b);
    Element(const ir::InterstateEdge &e, const ir::Region &r);
    /// A container of the SDFG.
    Element(const ir::SDFG &g, Name container);
    /// Something other than a graph element, such as a function of the program. It has no location.
    Element(std::string name, diag::SourceLoc source = {}) : name(std::move(name)), source(source) {}
    Element(const char *name) : name(name) {}

    std::string name;
    diag::SourceLoc source;
};

/// A remark: what was done to an element, or what was not done and why.
struct Remark {
    std::string pass, element, text;
    diag::Why why = diag::Why::None;              // why it was not done
    std::optional<sym::Expr> loss = std::nullopt; // for a missed transformation: the additional bytes of memory traffic, if the
                                                  // pass knows them
    diag::SourceLoc source = {};                  // of the element
    std::string hint = {};                        // what would help, if more is known than for the reason
    bool missed() const { return why != diag::Why::None; }
};

/// What became of the loops of a program.
struct LoopCounts {
    int64_t maps = 0;                  // loops that became maps
    std::map<diag::Why, int64_t> stay; // by reason
    struct Loop {
        std::string element;
        diag::SourceLoc source;
        sym::Expr work; // operations of all its iterations
    };
    std::vector<Loop> outside; // those of known work that stay, outside of maps and other loops; only for --explain-missed
};

class Context {
public:
    Context(diag::Engine &d, const CompileOptions &o) : diags(d), options(o) {}
    diag::Engine &diags;
    const CompileOptions &options;
    std::vector<Remark> remarks;
    LoopCounts loops;
    bool explains = false; // --explain-missed: passes may compute what only reports need
    std::string currentPass;

    /// Begins a step: `graph` is the one that the program has, or that its tree was lowered from; null for a tree from a file.
    void begin(const std::string &pass, const ir::SDFG *graph);
    /// Finds the elements of that graph that statements come from; null if there is no graph. Valid until the step ends.
    const analysis::Origins *origins();
    /// The place in the user's program of the element that a statement comes from. A statement without an origin has that of the
    /// nearest one around it.
    diag::SourceLoc sourceOf(const tree::Function &f, const tree::Node &statement);
    /// A loop of a tree, with its place: `function program, loop over i`.
    Element loop(const tree::Function &f, const tree::Node &loop);
    /// The program of a tree, with the place of the graph.
    Element program(const tree::Module &m) const;

    /// May a pass make a change of this class? Must be called for each change that is not of class F0.
    bool allows(FloatClass c) const { return options.allows(c); }
    void done(Element element, std::string text);
    /// The remark reads `what: why`.
    void missed(Element element, const std::string &what, const diag::Reason &why, std::optional<sym::Expr> loss = std::nullopt);

    std::optional<int64_t> changeLimit;    // --pass-limit
    int64_t changes = 0;                   // requested by passes; these may have been made
    std::optional<std::size_t> lastChange; // position of its remark
    /// May the optimiser make another change? It must call this right before it rewrites a candidate. The change is
    /// counted and gets its remark. Once the limit is reached, returns false, with a remark only the first time, and
    /// the candidate must stay unchanged.
    bool mayChange(Element element, std::string text);

private:
    bool limitReached_ = false;
    const ir::SDFG *graph_ = nullptr;
    std::optional<analysis::Origins> origins_; // made when they are first asked for
};

using OptionValue = std::variant<bool, int64_t, std::string>;
struct OptionInfo {
    std::string name, help;
    OptionValue defaultValue;
    int64_t least = 0;                     // minimum, for an integer
    std::vector<std::string> choices = {}; // for a text: the words that it may be, besides the default
    /// The pass that owns this option. Without its own value, a step takes the value of the nearest step of that pass: the
    /// next one, or the last one before.
    std::string of = {};
};
/// An option whose values are the words of `E`, or of what `E` may hold: then the empty text stands for nothing.
template <class E> OptionInfo choiceOption(std::string name, const E &usual, std::string help) {
    OptionInfo o{std::move(name), std::move(help), optionText(usual)};
    if constexpr (Choice<E>)
        o.choices = wordsOf<E>();
    else
        o.choices = wordsOf<typename E::value_type>();
    return o;
}
using OptionValues = std::map<std::string, OptionValue>;
/// Returns the value as written in YAML: `true`, `4`, `text`.
std::string str(const OptionValue &v);
/// Describes the values of an option: `` `true` or `false` ``, `an integer`, `` `reverse` or `forward` ``.
std::string describeValues(const OptionInfo &o);

/// The program in a pipeline: a graph, later also the tree that it was lowered to, or only a tree.
struct Program {
    Program(ir::SDFG &g, std::unique_ptr<tree::Module> t) : graph(&g), tree(std::move(t)) {}
    /// A tree from a file.
    explicit Program(std::unique_ptr<tree::Module> t) : tree(std::move(t)) {}

    ir::SDFG *graph = nullptr;          // from `lower` on, the graph as it was lowered; null for a tree from a file
    std::unique_ptr<tree::Module> tree; // null before `lower`

    /// The level of the graph, or `Lowered`.
    ir::Level level() const { return tree ? ir::Level::Lowered : graph->level; }
};

class Pass {
public:
    virtual ~Pass() = default;
    /// Transforms the program. Returns whether anything changed. Failure is an error in context.diags; the program may
    /// then be half transformed, and the run stops.
    virtual bool run(Program &program, Context &context) = 0;
    OptionValues options; // complete: the manager fills in defaults

protected:
    /// Returns the value of an option of this pass; T is the type in its row of Passes.def.
    template <class T> decltype(auto) option(const std::string &name) const {
        if constexpr (Choice<T>)
            return T(parseWord<T>(std::get<std::string>(options.at(name))).value()); // not a reference into a temporary
        else if constexpr (requires { requires Choice<typename T::value_type>; })
            return parseWord<typename T::value_type>(std::get<std::string>(options.at(name)));
        else
            return std::get<T>(options.at(name));
    }
};

/// A pass over graphs. It leaves ids renumbered (root.renumber()).
class GraphPass : public Pass {
public:
    virtual bool run(ir::SDFG &root, Context &context) = 0;
    bool run(Program &program, Context &context) final { return run(*program.graph, context); }
};

/// A pass over schedule trees. The manager runs it only after `lower`.
class TreePass : public Pass {
public:
    virtual bool run(tree::Module &module, Context &context) = 0;
    bool run(Program &program, Context &context) final { return run(*program.tree, context); }
};

/// A pass that processes one function of a tree at a time, independently of the others.
class FunctionPass : public TreePass {
public:
    virtual bool run(tree::Function &function, const tree::Module &module, Context &context) = 0;
    bool run(tree::Module &module, Context &context) final;
};

/// Elements that a pass may add although the level of its program excludes them.
enum class Incomplete : uint8_t {
    Untyped,     // connectors and symbols without types, library nodes
    Unallocated, // containers without memory
    Unscheduled, // operations without streams and an order
};
/// Returns the highest level at which programs may have such elements.
ir::Level levelWith(Incomplete elements);
/// Returns `untyped elements` and so on.
std::string_view name(Incomplete elements);

struct PassInfo {
    std::string name;    // `raise-control-flow`
    std::string summary; // one line
    ir::Level needs;     // lowest level at which it runs
    std::vector<OptionInfo> options;
    std::unique_ptr<Pass> (*create)();
    /// The level that the pass raises programs of lower levels to.
    std::optional<ir::Level> establishes = std::nullopt;
    /// The program has at most the level of these elements after the pass, until other passes complete them.
    std::optional<Incomplete> adds = std::nullopt;
    FloatClass floatClass = FloatClass::F0; // maximum effect on floating-point numbers
    bool repairs = false;                   // completes underspecified graphs, so results may change

    /// Does the pass work on schedule trees?
    bool onTree() const { return needs == ir::Level::Lowered; }

    const OptionInfo *option(std::string_view name) const;
};

/// All passes in the order of Passes.def (include/sdfgc/Transforms/Passes.def: the table belongs to the library that
/// contains the passes; Transforms::registerPasses() fills the registry).
class Registry {
public:
    /// Adds a pass and returns its row, which later rows of the table may complete until the next pass is added. Passes
    /// whose names begin with `test-` can be found by name, but are not listed.
    PassInfo &add(PassInfo info);
    /// Returns the pass with that name, or null.
    const PassInfo *find(std::string_view name) const;
    /// The passes for users.
    const std::vector<PassInfo> &all() const { return passes_; }
    /// Returns "did you mean `x`?", or where to find the names.
    std::string suggestion(std::string_view unknownName) const;

private:
    std::vector<PassInfo> passes_, tests_;
};

} // namespace sdfgc::pass
