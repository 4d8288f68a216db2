// Passes: named steps over a program. Declared once in Passes.def, run by the Manager from a pipeline.
//
// A program is a graph, and from the pass `lower` on a schedule tree. A pass is anchored on one of them: GraphPass, TreePass, or
// FunctionPass for steps that look at one function of the tree at a time. Only `lower` itself has both in hand.
#pragma once

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

/// What a remark is about: the name of an element, and its place in the user's program. An element of a graph that does not remember
/// its place has that of the nearest one around it: scope, state, regions, SDFG, nested SDFG node.
struct Element {
    Element(const ir::Node &n);
    Element(const ir::Edge &e);
    Element(const ir::Block &b);
    Element(const ir::InterstateEdge &e, const ir::Region &r);
    /// A container of the SDFG.
    Element(const ir::SDFG &g, Name container);
    /// Something that is not an element of a graph, such as a function of the program. It has no place.
    Element(std::string name, diag::SourceLoc source = {}) : name(std::move(name)), source(source) {}
    Element(const char *name) : name(name) {}

    std::string name;
    diag::SourceLoc source;
};

/// A remark: what was done to an element, or what was not done and why.
struct Remark {
    std::string pass, element, text;
    diag::Why why = diag::Why::None;              // of what was not done
    std::optional<sym::Expr> loss = std::nullopt; // of what was not done: bytes that go through memory for it, if the pass knows
    diag::SourceLoc source = {};                  // of the element
    bool missed() const { return why != diag::Why::None; }
};

class Context {
public:
    Context(diag::Engine &d, const CompileOptions &o) : diags(d), options(o) {}
    diag::Engine &diags;
    const CompileOptions &options;
    std::vector<Remark> remarks;
    std::string currentPass;
    /// May a pass make a change of this class? Asked for each change that is not of class F0.
    bool allows(FloatClass c) const { return options.allows(c); }
    void done(Element element, std::string text);
    /// The remark reads `what: why`.
    void missed(Element element, const std::string &what, const diag::Reason &why, std::optional<sym::Expr> loss = std::nullopt);

    std::optional<int64_t> changeLimit;    // --pass-limit
    int64_t changes = 0;                   // that passes asked for, and may have made
    std::optional<std::size_t> lastChange; // the position of its remark
    /// May the optimiser make one more change? It asks right before it rewrites a candidate; the change is counted and gets its remark.
    /// False, without a remark but for the first time, where the limit is reached: then the candidate stays as it is.
    bool mayChange(Element element, std::string text);

private:
    bool limitReached_ = false;
};

using OptionValue = std::variant<bool, int64_t, std::string>;
struct OptionInfo {
    std::string name, help;
    OptionValue defaultValue;
    int64_t least = 0;                     // of an integer
    std::vector<std::string> choices = {}; // of a text: the words that it may be, besides the default
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
/// `true`, `4`, `text`: as it is written in YAML.
std::string str(const OptionValue &v);
/// What a value of the option is, in words: `` `true` or `false` ``, `an integer`, `` `reverse` or `forward` ``.
std::string describeValues(const OptionInfo &o);

/// What a pipeline works on: a graph, later the tree that it was lowered to, or a tree alone.
struct Program {
    Program(ir::SDFG &g, std::unique_ptr<tree::Module> t) : graph(&g), tree(std::move(t)) {}
    /// A tree from a file.
    explicit Program(std::unique_ptr<tree::Module> t) : tree(std::move(t)) {}

    ir::SDFG *graph = nullptr;          // from `lower` on: as it was lowered; null for a tree from a file
    std::unique_ptr<tree::Module> tree; // null before `lower`

    /// The level of the graph, or `Lowered`.
    ir::Level level() const { return tree ? ir::Level::Lowered : graph->level; }
};

class Pass {
public:
    virtual ~Pass() = default;
    /// Transforms the program. Returns whether anything changed. Failure is an error in context.diags; the program may then be half
    /// done and the run stops.
    virtual bool run(Program &program, Context &context) = 0;
    OptionValues options; // complete: defaults filled in by the manager

protected:
    /// Value of an option of this pass, by the type that its row in Passes.def gives it.
    template <class T> decltype(auto) option(const std::string &name) const {
        if constexpr (Choice<T>)
            return T(parseWord<T>(std::get<std::string>(options.at(name))).value()); // no reference to what ends here
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

/// A pass that looks at one function of a tree at a time; what it does to one does not depend on the others.
class FunctionPass : public TreePass {
public:
    virtual bool run(tree::Function &function, const tree::Module &module, Context &context) = 0;
    bool run(tree::Module &module, Context &context) final;
};

struct PassInfo {
    std::string name;    // `raise-control-flow`
    std::string summary; // one line
    ir::Level needs;     // lowest level at which it runs
    ir::Level leaves;    // level that holds afterwards, when higher than the current one
    std::vector<OptionInfo> options;
    std::unique_ptr<Pass> (*create)();
    /// For a pass that adds elements of a lower level than the program may have (containers without memory, operations without an
    /// order): the highest level that holds after it. The passes that gave the levels above run again.
    std::optional<ir::Level> fallsTo = std::nullopt;
    FloatClass floatClass = FloatClass::F0; // what becomes of floating-point numbers at most
    bool repairs = false;                   // it mends graphs that do not say what was meant: results may change

    /// Does the pass work on schedule trees?
    bool onTree() const { return needs == ir::Level::Lowered; }

    const OptionInfo *option(std::string_view name) const;
};

/// All passes in the order of Passes.def (include/sdfgc/Transforms/Passes.def: the table belongs to the library with the passes;
/// the registry is filled by Transforms::registerPasses()).
class Registry {
public:
    /// Returns the row, for rows of the table that complete it, until the next one is added. Passes whose names begin with `test-`
    /// are found by their name, and listed nowhere.
    PassInfo &add(PassInfo info);
    /// The pass of that name, or null.
    const PassInfo *find(std::string_view name) const;
    /// Those that people use.
    const std::vector<PassInfo> &all() const { return passes_; }
    /// "did you mean `x`?", or where to look for the names.
    std::string suggestion(std::string_view unknownName) const;

private:
    std::vector<PassInfo> passes_, tests_;
};

} // namespace sdfgc::pass
