// Reverses the items of a run: every map and step becomes one that propagates gradients from its outputs to its inputs.
//
//     map i { b[i] = sin(a[i]) }   ->   map i { gradient_a[i] += cos(a[i]) * gradient_b[i]; gradient_b[i] = 0 }
//
// When a value is overwritten, its gradient is cleared, because the value before it has a separate gradient that starts
// at zero. Clearing is omitted if no earlier value exists. All other gradients are sums with one term per use.
//
// The reversed map recomputes containers that are private to an iteration, before their first use. The same applies to containers
// that an iteration of a loop computes for its own use with maps and tasklets.
#pragma once

#include "Transforms/Differentiate/Activity.h"
#include "Transforms/Differentiate/Body.h"
#include "Transforms/Differentiate/Gradients.h"
#include "Transforms/Differentiate/Recompute.h"
#include "Transforms/Differentiate/Request.h"
#include "Transforms/Differentiate/Signatures.h"
#include "Transforms/Differentiate/Values.h"

#include "sdfgc/Tasklet/Derivatives.h"
#include "sdfgc/Transforms/Choices.h"

#include <span>

namespace sdfgc::transforms::gradient {

class ItemReverser {
public:
    ItemReverser(PrimalProgram &program, Maker &maker, const Activity &activity, Gradients &gradients, Values &values,
                 const Request &request, pass::Context &context);

    /// Computes the items for the gradients of a run, in order. Returns false after an error.
    bool reverse(const nest::Run &run, std::vector<nest::Item> &out);

    /// Gradients of containers private to iterations of maps.
    const std::set<Name> &localGradients() const { return localGradients_; }
    /// Tapes of nested SDFGs, each stored while it runs.
    const Ledger &ledger() const { return ledger_; }

    // ---- for rules of library nodes
    Maker &maker() { return maker_; }
    const ir::DataDesc &desc(const nest::Use &u) { return *maker_.sdfg().desc(u.data); }
    bool isActive(const nest::Use &u) const;
    /// Returns a use of a value that the step read, at a connector of a new node.
    std::optional<nest::Use> value(const nest::Use &read, Name connector, Body &body);
    /// The same for a value that the step wrote.
    std::optional<nest::Use> resultValue(const nest::Use &written, Name connector, Body &body);
    /// Returns a use of the gradient of the elements that a use of the step accesses.
    nest::Use gradient(const nest::Use &of, nest::UseKind kind, Name connector, Body &body);
    /// Must the gradient of the elements that a use writes be cleared? Not if no earlier value exists, and not if the first term of
    /// the gradient can be stored in each iteration; this function then stores it.
    bool mustClear(const nest::Use &write, Body &body);
    /// Creates a container private to a reversed iteration.
    Name temporary(std::string_view name, const ir::DataDesc &like, std::vector<sym::Expr> shape, Body &body);
    /// Clears the gradient of the written elements, if necessary.
    void clear(const nest::Use &write, Body &body, std::vector<nest::Item> &out);
    /// Reports an error at a node of the program.
    void fail(diag::Message message, const ir::Node &at);
    /// Which elements receive the gradient of an extremum that several elements attain.
    py::Ties ties() const { return request_.ties; }

    /// Does an iteration of a map around the body own a container?
    static bool isLocal(Name data, const Body &body);
    /// Can the body recompute the value?
    bool isComputedAgain(const nest::Use &u, const Body &b) const;
    /// Adapts a nested SDFG to an argument that is now passed `has` instead of `had`. Returns false after an error.
    bool moveTo(ir::NestedSDFGNode &n, Name argument, const nest::Use &had, const nest::Use &has);
    /// Gives items separate containers in place of those that other items use.
    void rename(std::span<nest::Item> items, const std::set<Name> &containers);
    /// Is the map reversed in several parts, and this is not the last one, which clears gradients?
    bool hasAnotherPart() const { return part_.another; }

    const PrimalProgram &program() const { return program_; }
    Gradients &gradients() { return gradients_; }
    const Request &request() const { return request_; }
    pass::Context &context() { return context_; }
    /// Adds a tape of a nested SDFG.
    void addStored(Stored stored) { ledger_.push_back(std::move(stored)); }
    /// Records that an error was reported elsewhere.
    void setFailed() { failed_ = true; }

private:
    std::vector<nest::Item> body(const std::vector<nest::Item> &items, Body &b);
    void item(const nest::Item &i, Body &b, std::vector<nest::Item> &out);
    void map(const nest::Map &m, Body &b, std::vector<nest::Item> &out);
    std::vector<std::set<const nest::Use *>> groupsOf(const nest::Item &i) const;
    void step(const nest::Step &s, Body &b, std::vector<nest::Item> &out);
    /// Checks that all active containers of a step can have gradients and that all its updates are sums. Reports an
    /// error otherwise.
    bool canHaveGradients(const nest::Step &s);
    /// Checks that each element that the step writes comes from one iteration. Reports an error otherwise, since only
    /// one of the values counts.
    bool writesOnce(const nest::Step &s, Body &b);
    bool storesFirstTerm(const nest::Use &write, Body &body);
    bool beginsWithZero(const nest::Use &write, const Body &body) const;
    Name saved(const nest::Use &read, Body &b);

    PrimalProgram &program_;
    Maker &maker_;
    const Activity &activity_;
    Gradients &gradients_;
    Values &values_;
    const Request &request_;
    pass::Context &context_;
    PrivateContainers private_;
    std::set<Name> localGradients_;
    Ledger ledger_;
    std::map<const nest::Use *, bool> clears_; // results of mustClear
    /// For a map that is reversed in several parts: the part that is being reversed.
    struct Part {
        std::set<const nest::Use *> elsewhere; // reads whose gradients another part computes
        bool another = false;                  // a later part also needs the gradients of results
    } part_;
    bool failed_ = false;
};

// One function per kind of item, each in its own file; library nodes are in LibraryRules.h. Each adds the reversed items to
// `out` or reports an error.
void reverseCopy(ItemReverser &r, const nest::Step &s, Body &b, std::vector<nest::Item> &out);
void reverseTasklet(ItemReverser &r, const nest::Step &s, const ir::Tasklet &t, Body &b, std::vector<nest::Item> &out);
void reverseNested(ItemReverser &r, const nest::Step &s, const ir::NestedSDFGNode &n, Body &b, std::vector<nest::Item> &out);

} // namespace sdfgc::transforms::gradient
