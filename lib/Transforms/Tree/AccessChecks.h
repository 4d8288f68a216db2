// Checks in the expressions of statements, for insert-checks (InsertChecks.cpp).
#pragma once

#include "sdfgc/Analysis/Origins.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Fields.h"

#include <set>
#include <string>
#include <vector>

namespace sdfgc::transforms {

/// The loops around an expression, and what they prove of it.
class LoopRanges {
public:
    /// `all`: the effects of the whole function.
    explicit LoopRanges(const tree::Effects &all) : all_(all) {}

    void enter(Name variable, const tree::For &loop) {
        loops_.push_back({variable, loop.descending ? loop.end : loop.begin, loop.descending ? loop.begin : loop.end});
    }
    void leave() { loops_.pop_back(); }

    /// Is it at least 0 in every iteration?
    bool isNonNegative(sym::Expr e) const {
        for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
            if (!e.dependsOn(loop->variable))
                continue;
            const auto affine = sym::affineIn(e, loop->variable);
            const std::optional<int64_t> factor = affine ? affine->first.asInt() : std::nullopt;
            if (!factor)
                return false;
            e = affine->second + affine->first * (*factor > 0 ? loop->least : loop->most);
        }
        const std::vector<Name> &names = e.freeSymbols();
        const auto changes = [this](Name n) { return all_.changes(n); };
        return std::none_of(names.begin(), names.end(), changes) && sym::isNonNegative(e) == sym::Truth::True;
    }

private:
    struct Loop {
        Name variable;
        sym::Expr least, most;
    };
    const tree::Effects &all_;
    std::vector<Loop> loops_;
};

/// Puts checks into the expressions of one function: of elements, regions, sizes, divisors, pointers, and of reads of new memory.
class AccessChecks {
public:
    /// Where the checks that follow are, for their messages.
    struct Place {
        std::string text;
        bool isCode = false; // a tasklet, not a copy
    };

    /// `program`: the place of statements without an origin. `origins`: of the graph; null if there is none. `required`: parameters
    /// that are checked to be there before anything runs.
    AccessChecks(tree::Function &f, Name program, const analysis::Origins *origins, std::set<Name> required);

    /// Comes to a statement. Returns the place before it, for leave().
    Place enter(const tree::Node &n);
    void leave(Place before) { place_ = std::move(before); }
    LoopRanges &loops() { return loops_; }

    /// Checks the expressions of a statement, but not those of statements inside.
    void statement(tree::Node &n);
    /// Gives a variable that has just been declared the pattern, by its declaration or by statements that are added.
    void fillNew(tree::VarId v, std::vector<tree::NodePtr> &out);

    /// Counts a call that may throw.
    void countCall() { ++inserted_; }
    /// Checks so far, and such calls.
    int inserted() const { return inserted_; }

    // ---- visitor of rebind()
    void var(tree::VarId &) {}
    void slot(tree::RefId &) {}
    void sym(sym::Expr &) {}
    void expr(py::ExprRef &e) { e = read(e); }
    void stmt(py::StmtRef &s) {
        if (s)
            s = statementOf(s);
    }

private:
    py::ExprRef where() const;
    py::ExprRef counted(py::ExprRef check) {
        ++inserted_;
        return check;
    }
    /// The value of a reference, with a check that it was written where the memory may be new. `e`: the reference without other checks.
    py::ExprRef written(const py::ExprRef &value, const py::ExprRef &e);
    /// The index in each dimension; `e`: the reference with its data-dependent indices. Null where it cannot be said.
    static std::vector<py::ExprRef> indicesOf(const tree::Element &element, const py::Expr &e);
    bool isInside(const tree::Element &element) const;
    /// Checks of the element that a reference names, each a term that is 0.
    std::vector<py::ExprRef> elementChecks(const tree::MemRef &r, const py::Expr &e);
    /// The element lies in the memory that the container is a part of.
    py::ExprRef memoryCheck(const tree::MemRef &r, const py::Expr &e, const py::ExprRef &name) const;
    /// The pointer is not null.
    py::ExprRef nullCheck(const tree::MemRef &r, const py::ExprRef &name);
    /// A reference with its checks, as one to the same element.
    py::ExprRef located(const py::ExprRef &e);
    py::ExprRef read(const py::ExprRef &whole);
    py::ExprRef readOf(const py::ExprRef &e);
    py::ExprRef withDivisor(const py::ExprRef &e, std::size_t at);
    /// What is assigned to: the element is checked, and its indices are read.
    py::ExprRef target(const py::ExprRef &e);
    py::StmtRef statementOf(const py::StmtRef &s);
    std::vector<py::StmtRef> statementsOf(const std::vector<py::StmtRef> &all);
    static bool isCallOf(const py::Expr &e, Name function);
    /// The check of a region as a statement; null where nothing can be wrong.
    py::StmtRef regionOf(const py::Expr &call);
    void update(tree::Update &u);

    tree::Function &f_;
    const analysis::Origins *origins_;
    const std::set<Name> required_;
    const tree::Effects effects_;
    LoopRanges loops_;
    Place place_;
    std::set<tree::VarId> isNew_; // variables whose memory had the pattern when it was new
    int inserted_ = 0;
};

} // namespace sdfgc::transforms
