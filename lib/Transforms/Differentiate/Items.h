// Items of a run, backwards: every map and step becomes one that hands gradients from what it wrote to what it read.
//
//     map i { b[i] = sin(a[i]) }   ->   map i { gradient_a[i] += cos(a[i]) * gradient_b[i]; gradient_b[i] = 0 }
//
// The gradient of what is overwritten is cleared: what the container held before has a gradient of its own, which begins with zero. It is left
// out where nothing could come before. All other gradients are sums, of one term for each use.
//
// Containers that an iteration of a map has for itself are computed again by the reversed map, in front of what needs them. The same goes for
// what an iteration of a loop computes for itself with maps and tasklets.
#pragma once

#include "Transforms/Differentiate/Activity.h"
#include "Transforms/Differentiate/Body.h"
#include "Transforms/Differentiate/Gradients.h"
#include "Transforms/Differentiate/Recompute.h"
#include "Transforms/Differentiate/Request.h"
#include "Transforms/Differentiate/Signatures.h"
#include "Transforms/Differentiate/Values.h"

#include "sdfgc/Tasklet/Derivatives.h"

#include <span>

namespace sdfgc::transforms::gradient {

class ItemReverser {
public:
    ItemReverser(Program &program, Maker &maker, const Activity &activity, Gradients &gradients, Values &values,
                 const Request &request, pass::Context &context);

    /// The items that compute the gradients of a run, in order. False after an error.
    bool reverse(const nest::Run &run, std::vector<nest::Item> &out);

    /// Gradients of what iterations of maps have for themselves.
    const std::set<Name> &localGradients() const { return localGradients_; }
    /// What nested SDFGs store, each while it runs.
    const Ledger &ledger() const { return ledger_; }

    // ---- for rules of library nodes
    Maker &maker() { return maker_; }
    const ir::DataDesc &desc(const nest::Use &u) { return *maker_.sdfg().desc(u.data); }
    bool isActive(const nest::Use &u) const;
    /// A value that the step read, at a connector of a new node.
    std::optional<nest::Use> value(const nest::Use &read, Name connector, Body &body);
    /// What the step wrote.
    std::optional<nest::Use> resultValue(const nest::Use &written, Name connector, Body &body);
    /// The gradient of the elements that a use of the step is of.
    nest::Use gradient(const nest::Use &of, nest::UseKind kind, Name connector, Body &body);
    /// Must the gradient of what a use writes be cleared? Not if nothing comes before, nor if the first term of the gradient can be stored
    /// in each iteration, which is done then.
    bool mustClear(const nest::Use &write, Body &body);
    /// A container that a reversed iteration has for itself.
    Name temporary(std::string_view name, const ir::DataDesc &like, std::vector<sym::Expr> shape, Body &body);
    /// Clears the gradient of what was written, if need be.
    void clear(const nest::Use &write, Body &body, std::vector<nest::Item> &out);
    /// Reports an error at a node of the program.
    void fail(diag::Message message, const ir::Node &at);
    /// Who has the gradient of an extremum that several elements are.
    py::Ties ties() const { return request_.ties; }

    /// Has an iteration of a map around the body a container for itself?
    static bool isLocal(Name data, const Body &body);
    /// Can the body make the value, or has an iteration it for itself?
    bool isComputedAgain(const nest::Use &u, const Body &b) const;
    /// Lets an argument of a nested SDFG, which was of `had`, be of `has`. False after an error.
    bool moveTo(ir::NestedSDFGNode &n, Name argument, const nest::Use &had, const nest::Use &has);
    /// Lets items have containers of their own in place of those that other items use.
    void rename(std::span<nest::Item> items, const std::set<Name> &containers);
    /// Is the map reversed in several parts, and does one come after this one? That one clears.
    bool hasAnotherPart() const { return part_.another; }

    const Program &program() const { return program_; }
    Gradients &gradients() { return gradients_; }
    const Request &request() const { return request_; }
    pass::Context &context() { return context_; }
    /// What a nested SDFG stores.
    void addStored(Stored stored) { ledger_.push_back(std::move(stored)); }
    /// An error was reported elsewhere.
    void setFailed() { failed_ = true; }

private:
    std::vector<nest::Item> body(const std::vector<nest::Item> &items, Body &b);
    void item(const nest::Item &i, Body &b, std::vector<nest::Item> &out);
    void map(const nest::Map &m, Body &b, std::vector<nest::Item> &out);
    std::vector<std::set<const nest::Use *>> groupsOf(const nest::Item &i) const;
    void step(const nest::Step &s, Body &b, std::vector<nest::Item> &out);
    /// Are all containers that the step uses such that have gradients, if they take part, and all updates sums? Else it is refused.
    bool canHaveGradients(const nest::Step &s);
    /// Does each element that the step writes come from one iteration? Else it is refused: only one of them counts.
    bool writesOnce(const nest::Step &s, Body &b);
    bool storesFirstTerm(const nest::Use &write, Body &body);
    bool beginsWithZero(const nest::Use &write, const Body &body) const;
    Name saved(const nest::Use &read, Body &b);

    Program &program_;
    Maker &maker_;
    const Activity &activity_;
    Gradients &gradients_;
    Values &values_;
    const Request &request_;
    pass::Context &context_;
    PrivateContainers private_;
    std::set<Name> localGradients_;
    Ledger ledger_;
    std::map<const nest::Use *, bool> clears_; // what mustClear said
    /// Of a map that is reversed in several parts: the one that is being reversed.
    struct Part {
        std::set<const nest::Use *> elsewhere; // reads whose gradients another part computes
        bool another = false;                  // one comes after it, which needs the gradients of results as well
    } part_;
    bool failed_ = false;
};

// Kinds of items, each in a file of its own; library nodes are in LibraryRules.h. Each adds the reversed items to `out`, or reports an error.
void reverseCopy(ItemReverser &r, const nest::Step &s, Body &b, std::vector<nest::Item> &out);
void reverseTasklet(ItemReverser &r, const nest::Step &s, const ir::Tasklet &t, Body &b, std::vector<nest::Item> &out);
void reverseNested(ItemReverser &r, const nest::Step &s, const ir::NestedSDFGNode &n, Body &b, std::vector<nest::Item> &out);

} // namespace sdfgc::transforms::gradient
