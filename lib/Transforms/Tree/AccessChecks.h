// Inserts checks into expressions of statements, for insert-checks (InsertChecks.cpp).
#pragma once

#include "sdfgc/Analysis/Origins.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Fields.h"

#include <set>
#include <string>
#include <vector>

namespace sdfgc::transforms {

/// The loops around an expression, and what they prove about it.
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

/// Inserts checks into the expressions of one function: of elements, regions, sizes, divisors, pointers, and of reads
/// of uninitialised memory.
class AccessChecks {
public:
    /// The location of the following checks, for their messages.
    struct CheckLocation {
        std::string text;
        bool isCode = false; // a tasklet, not a copy
    };

    /// `program`: the place of statements without an origin. `origins`: of the graph; null if there is none. `required`: parameters
    /// that are checked to be there before anything runs.
    AccessChecks(tree::Function &f, Name program, const analysis::Origins *origins, std::set<Name> required);

    /// Enters a statement. Returns the previous location, for leave().
    CheckLocation enter(const tree::Node &n);
    void leave(CheckLocation before) { location_ = std::move(before); }
    LoopRanges &loops() { return loops_; }

    /// Checks the expressions of a statement, but not those of inner statements.
    void statement(tree::Node &n);
    /// Fills a newly declared variable with the pattern, in its declaration or by added statements.
    void fillNew(tree::VarId v, std::vector<tree::NodePtr> &out);

    /// Counts a call that may throw.
    void countCall() { ++inserted_; }
    /// The number of checks so far, plus such calls.
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
    /// The value of a reference, with a check that it has been written if the memory may be uninitialised. `e`: the
    /// reference without other checks.
    py::ExprRef written(const py::ExprRef &value, const py::ExprRef &e);
    /// The index in each dimension; `e`: the reference with its data-dependent indices. Null if it cannot be expressed.
    static std::vector<py::ExprRef> indicesOf(const tree::Element &element, const py::Expr &e);
    bool isInside(const tree::Element &element) const;
    /// Checks of the element that a reference accesses, each a term that is 0.
    std::vector<py::ExprRef> elementChecks(const tree::MemRef &r, const py::Expr &e);
    /// Checks that the element is inside the memory that contains the container.
    py::ExprRef memoryCheck(const tree::MemRef &r, const py::Expr &e, const py::ExprRef &name) const;
    /// Checks that the pointer is not null.
    py::ExprRef nullCheck(const tree::MemRef &r, const py::ExprRef &name);
    /// A reference to the same element, with its checks.
    py::ExprRef located(const py::ExprRef &e);
    py::ExprRef read(const py::ExprRef &whole);
    py::ExprRef readOf(const py::ExprRef &e);
    py::ExprRef withDivisor(const py::ExprRef &e, std::size_t at);
    /// The target of an assignment: checks the element, and the reads of its indices.
    py::ExprRef target(const py::ExprRef &e);
    py::StmtRef statementOf(const py::StmtRef &s);
    std::vector<py::StmtRef> statementsOf(const std::vector<py::StmtRef> &all);
    static bool isCallOf(const py::Expr &e, Name function);
    /// The check of a region as a statement; null if nothing can be wrong.
    py::StmtRef regionOf(const py::Expr &call);
    void update(tree::Update &u);

    tree::Function &f_;
    const analysis::Origins *origins_;
    const std::set<Name> required_;
    const tree::Effects effects_;
    LoopRanges loops_;
    CheckLocation location_;
    std::set<tree::VarId> isNew_; // variables whose memory was filled with the pattern
    int inserted_ = 0;
};

} // namespace sdfgc::transforms
