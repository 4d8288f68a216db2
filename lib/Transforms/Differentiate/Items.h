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
#include "Transforms/Differentiate/Gradients.h"
#include "Transforms/Differentiate/Signatures.h"
#include "Transforms/Differentiate/Values.h"

#include "sdfgc/Tasklet/Derivatives.h"
#include "sdfgc/Transforms/Choices.h"

#include <span>

namespace sdfgc::transforms::gradient {

/// What is differentiated, in one SDFG.
struct Request {
    std::vector<Name> of, wrt;
    bool seedOne = false;  // the gradient of the result begins with one
    bool zeroInit = false; // other gradients begin with zero
    bool isNested = false; // arguments are those of a nested SDFG: all gradients are cleared that the program overwrites
    py::Ties ties = py::Ties::Split;
    Strategy strategy;
    Part part = Part::Both;
    std::string prefix = "gradient_"; // of the names of gradients
    std::set<Name> filled;            // transients of a nested SDFG that will be filled from around when it begins
    /// The names of both lists, each once.
    std::vector<Name> arguments() const;
};
/// The same for a nested SDFG whose connectors carry gradients as their uses do, or why there is none. `around`: of the SDFG around it.
std::variant<Request, diag::Message> requestOfNested(const nest::Step &s, const std::function<bool(const nest::Use &)> &isActive,
                                                     const Request &around);

/// Does anything in an SDFG, or in what is nested in it, update a container of the SDFG by conflict resolution? `byMoreThanSums`: so that what it
/// was before is needed for the gradient.
bool isUpdatedIn(ir::SDFG &g, Name container, bool byMoreThanSums = false);

/// A map that is being reversed, or the run that holds all.
struct Body {
    Body *outer = nullptr;
    const nest::Map *map = nullptr; // null: a run
    const std::vector<nest::Item> *items = nullptr;
    std::set<Name> own;               // containers that an iteration has for itself
    std::set<Name> locals;            // those of them whose values are computed again
    std::set<Name> again;             // of a run: others that can be, from what is there at its end
    std::set<Name> fresh;             // those of them whose gradients begin with zero in each reversed iteration
    std::vector<nest::Item> reversed; // so far
    std::set<Name> needed;            // those of them that are
    std::set<Name> made;              // containers of reversed iterations: gradients, and others
    std::set<Name> gradients;         // those of `fresh`, as far as nothing stores their first terms
    std::set<Name> stored;            // those whose first terms are stored
    struct Save {
        std::size_t position; // of the item in front of which it is made
        Name local, saved;
    };
    std::vector<Save> saves; // of locals that are overwritten in the same iteration
    bool inScope() const { return map != nullptr; }
    /// The body whose iterations have a container for themselves, this one or one around it; null if none has.
    Body *ownerOf(Name data);
    const Body *ownerOf(Name data) const { return const_cast<Body *>(this)->ownerOf(data); }
};

/// Does an item write one of the containers?
bool writesAny(const nest::Item &i, const std::set<Name> &names);
/// Is it made of maps, copies and tasklets only, so that doing it again takes less than storing what it makes?
bool isPlainWork(const nest::Item &i);

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

private:
    std::vector<nest::Item> body(const std::vector<nest::Item> &items, Body &b);
    void item(const nest::Item &i, Body &b, std::vector<nest::Item> &out);
    void map(const nest::Map &m, Body &b, std::vector<nest::Item> &out);
    std::vector<std::set<const nest::Use *>> groupsOf(const nest::Item &i) const;
    void sumInRegister(nest::Map &m);
    void step(const nest::Step &s, Body &b, std::vector<nest::Item> &out);
    /// Are all containers that the step uses such that have gradients, if they take part, and all updates sums? Else it is refused.
    bool canHaveGradients(const nest::Step &s);
    /// Does each element that the step writes come from one iteration? Else it is refused: only one of them counts.
    bool writesOnce(const nest::Step &s, Body &b);
    /// Does a nested SDFG have what it writes by one argument only? Else it is refused.
    void copy(const nest::Step &s, Body &b, std::vector<nest::Item> &out);
    void tasklet(const nest::Step &s, const ir::Tasklet &t, Body &b, std::vector<nest::Item> &out);
    const nest::Use *writtenTwice(const nest::Step &s) const;
    /// What a reversed tasklet is made of, while it is.
    struct Reversed {
        std::string code;
        std::vector<nest::Use> uses;
        std::vector<nest::Item> before; // reads gradients that the tasklet itself must not clear
        std::vector<nest::Item> after;  // clears what is not always, or not as a whole, assigned
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

    /// Lets items have containers of their own in place of those that other items use.
    void separate(std::span<nest::Item> items, const std::set<Name> &containers);
    /// Has an iteration of a map around the body a container for itself?
    static bool isLocal(Name data, const Body &body);
    bool storesFirstTerm(const nest::Use &write, Body &body);
    bool beginsWithZero(const nest::Use &write, const Body &body) const;
    /// Containers of an iteration of loops that each item writes as a whole, if it writes them.
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
    std::shared_ptr<const Usage> usage_; // once a loop asks
    std::set<Name> localGradients_;
    Ledger ledger_;
    std::map<const nest::Use *, bool> clears_; // what mustClear said
    // Of a map that is reversed in several parts: reads whose gradients another part computes, and whether one comes after this part,
    // which needs the gradients of results as well.
    std::set<const nest::Use *> elsewhere_;
    bool another_ = false;
    bool failed_ = false;
};

} // namespace sdfgc::transforms::gradient
