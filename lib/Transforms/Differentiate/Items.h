// Reverses the items of a run: every map and step becomes one that propagates gradients from its outputs to its inputs.
//
//     map i { b[i] = sin(a[i]) }   ->   map i { gradient_a[i] += cos(a[i]) * gradient_b[i]; gradient_b[i] = 0 }
//
// When a value is overwritten, its gradient is cleared, because the value before it has a separate gradient that starts
// at zero. Clearing is omitted if no earlier value exists. All other gradients are sums with one term per use.
//
// The reversed map recomputes containers that are private to an iteration, before their first use. The same goes for
// what an iteration of a loop computes for itself with maps and tasklets.
#pragma once

#include "Transforms/Differentiate/Activity.h"
#include "Transforms/Differentiate/Gradients.h"
#include "Transforms/Differentiate/Signatures.h"
#include "Transforms/Differentiate/Values.h"

#include "sdfgc/Tasklet/Derivatives.h"
#include "sdfgc/Transforms/Choices.h"

#include <span>

namespace sdfgc::transforms::gradient {

/// What to differentiate, in one SDFG.
struct Request {
    std::vector<Name> of, wrt;
    bool seedOne = false;  // the gradient of the result starts at one
    bool zeroInit = false; // other gradients start at zero
    bool isNested = false; // arguments are those of a nested SDFG: gradients of everything that the program overwrites are cleared
    py::Ties ties = py::Ties::Split;
    Strategy strategy;
    Part part = Part::Both;
    std::string prefix = "gradient_"; // prefix of the names of gradients
    std::set<Name> filled;            // transients of a nested SDFG that the outer SDFG fills before it starts
    /// The names of both lists, without duplicates.
    std::vector<Name> arguments() const;
};
/// Returns the request for a nested SDFG whose connectors carry gradients if their uses do, or the reason why it has
/// none. `around`: the request of the outer SDFG.
std::variant<Request, diag::Message> requestOfNested(const nest::Step &s, const std::function<bool(const nest::Use &)> &isActive,
                                                     const Request &around);

/// Does anything in an SDFG, or in its nested SDFGs, update a container of the SDFG with conflict resolution?
/// `byMoreThanSums`: considers only updates whose gradient needs the old value.
bool isUpdatedIn(ir::SDFG &g, Name container, bool byMoreThanSums = false);

/// A map being reversed, or the run that contains everything.
struct Body {
    Body *outer = nullptr;
    const nest::Map *map = nullptr; // null: a run
    const std::vector<nest::Item> *items = nullptr;
    std::set<Name> own;               // containers private to an iteration
    std::set<Name> locals;            // those whose values can be recomputed
    std::set<Name> again;             // of a run: others that can be recomputed, from what exists at its end
    std::set<Name> fresh;             // private containers whose gradients start at zero in each reversed iteration
    std::vector<nest::Item> reversed; // so far
    std::set<Name> needed;            // the `locals` that the reversed body needs
    std::set<Name> made;              // containers of reversed iterations: gradients and others
    std::set<Name> gradients;         // gradients of `fresh`, except those whose first terms are stored
    std::set<Name> stored;            // gradients whose first terms are stored
    struct Save {
        std::size_t position; // of the item before which it is made
        Name local, saved;
    };
    std::vector<Save> saves; // of locals that are overwritten in the same iteration
    bool inScope() const { return map != nullptr; }
    /// The body whose iterations own a container, this one or a surrounding one; null if there is none.
    Body *ownerOf(Name data);
    const Body *ownerOf(Name data) const { return const_cast<Body *>(this)->ownerOf(data); }
};

/// Does an item write one of the containers?
bool writesAny(const nest::Item &i, const std::set<Name> &names);
/// Does it consist only of maps, copies and tasklets, so that recomputing it is cheaper than storing its results?
bool isPlainWork(const nest::Item &i);

class ItemReverser {
public:
    ItemReverser(Program &program, Maker &maker, const Activity &activity, Gradients &gradients, Values &values,
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
    /// Must the gradient of what a use writes be cleared? Not if no earlier value exists, and not if the first term of
    /// the gradient can be stored in each iteration; this function then stores it.
    bool mustClear(const nest::Use &write, Body &body);
    /// Creates a container private to a reversed iteration.
    Name temporary(std::string_view name, const ir::DataDesc &like, std::vector<sym::Expr> shape, Body &body);
    /// Clears the gradient of what was written, if necessary.
    void clear(const nest::Use &write, Body &body, std::vector<nest::Item> &out);
    /// Reports an error at a node of the program.
    void fail(diag::Message message, const ir::Node &at);
    /// Which elements receive the gradient of an extremum that several elements attain.
    py::Ties ties() const { return request_.ties; }

private:
    std::vector<nest::Item> body(const std::vector<nest::Item> &items, Body &b);
    void item(const nest::Item &i, Body &b, std::vector<nest::Item> &out);
    void map(const nest::Map &m, Body &b, std::vector<nest::Item> &out);
    std::vector<std::set<const nest::Use *>> groupsOf(const nest::Item &i) const;
    void sumInRegister(nest::Map &m);
    void step(const nest::Step &s, Body &b, std::vector<nest::Item> &out);
    /// Checks that all active containers of a step can have gradients and that all its updates are sums. Reports an
    /// error otherwise.
    bool canHaveGradients(const nest::Step &s);
    /// Checks that each element that the step writes comes from one iteration. Reports an error otherwise, since only
    /// one of the values counts.
    bool writesOnce(const nest::Step &s, Body &b);
    void copy(const nest::Step &s, Body &b, std::vector<nest::Item> &out);
    void tasklet(const nest::Step &s, const ir::Tasklet &t, Body &b, std::vector<nest::Item> &out);
    const nest::Use *writtenTwice(const nest::Step &s) const;
    /// The parts of a reversed tasklet under construction.
    struct Reversed {
        std::string code;
        std::vector<nest::Use> uses;
        std::vector<nest::Item> before; // copy gradients that the tasklet itself must not clear
        std::vector<nest::Item> after;  // clear results that are assigned conditionally or in part
    };
    void reversedTasklet(const nest::Step &s, const ir::Tasklet &t, const py::Signature &signature, const py::Derivative &d,
                         Body &b, std::vector<nest::Item> &out);
    void addOnlyInside(Reversed &r, Name sum, const sym::Subset &read, const sym::Subset &whole);
    bool inPlace(const nest::Step &s, Name connector, const py::Signature &signature, const py::Derivative &d,
                 std::set<Name> &results, Body &b, Reversed &r);
    void seed(const nest::Step &s, const ir::Tasklet &t, Name connector, const py::Signature &signature, const py::Derivative &d,
              Body &b, Reversed &r);
    void clearWhereAssigned(const nest::Step &s, const ir::Tasklet &t, Name connector, const py::Signature &signature, Body &b,
                            Reversed &r);
    bool moveTo(ir::NestedSDFGNode &n, Name argument, const nest::Use &had, const nest::Use &has);
    void nested(const nest::Step &s, const ir::NestedSDFGNode &n, Body &b, std::vector<nest::Item> &out);

    /// Gives items separate containers in place of those that other items use.
    void separate(std::span<nest::Item> items, const std::set<Name> &containers);
    /// Does an iteration of a map around the body own a container?
    static bool isLocal(Name data, const Body &body);
    bool storesFirstTerm(const nest::Use &write, Body &body);
    bool beginsWithZero(const nest::Use &write, const Body &body) const;
    /// Containers private to an iteration of loops that each item writes entirely, if it writes them at all.
    std::set<Name> freshOf(const nest::Run &run, const std::set<Name> &own) const;
    bool canShare(const nest::Use &read, const nest::Use &written, const Body &b) const;
    void share(const nest::Step &s, const py::Signature &signature, const py::Derivative &d, std::set<Name> &results, Body &b,
               Reversed &r);
    std::set<Name> ownOf(const nest::Run &run);
    std::set<Name> againOf(const nest::Run &run);
    bool isComputedAgain(const nest::Use &u, const Body &b) const;
    struct Usage;
    void recompute(Body &b, std::vector<nest::Item> &out);
    void recomputed(const nest::Item &i, Body &b, std::set<Name> &inner, std::vector<nest::Item> &out, nest::Map *around = nullptr);
    void recomputed(const nest::Step &s, Body &b, const std::set<Name> &inner, std::vector<nest::Item> &out, nest::Map *around);
    Name ownIn(nest::Map *around, const std::string &name, const ir::DataDesc &like, std::vector<sym::Expr> shape, Body &b);
    nest::Use unused(const nest::Use &u, Body &b, nest::Map *around);
    nest::Use operand(const nest::Use &had, const nest::Use &has, Body &b, std::vector<nest::Item> &out, nest::Map *around);
    bool moveArguments(const nest::Step &s, const ir::NestedSDFGNode &n, nest::Step &again);
    void changeInPlace(nest::Step &again, std::vector<nest::Item> &out);
    Name saved(const nest::Use &read, Body &b);

    Program &program_;
    Maker &maker_;
    const Activity &activity_;
    Gradients &gradients_;
    Values &values_;
    const Request &request_;
    pass::Context &context_;
    std::shared_ptr<const Usage> usage_; // computed when a loop first needs it
    std::set<Name> localGradients_;
    Ledger ledger_;
    std::map<const nest::Use *, bool> clears_; // results of mustClear
    // For a map that is reversed in several parts: reads whose gradients another part computes, and whether a later
    // part also needs the gradients of results.
    std::set<const nest::Use *> elsewhere_;
    bool another_ = false;
    bool failed_ = false;
};

} // namespace sdfgc::transforms::gradient
