// Storage of distributed containers: symbols of the program, sizes of parts, and copies with room for neighbours'
// elements.
#pragma once

#include "Transforms/Distribute/Plan.h"

namespace sdfgc::transforms::distribution {

class Storage {
public:
    explicit Storage(Plan &plan);

    /// Positions from `begin` to `end`, exclusive; `end` is never less than `begin`.
    struct Section {
        sym::Expr begin, end;
    };
    /// Returns the positions from `first` to `last` that the rank has. `variables`: of surrounding maps, on which no
    /// symbol of the program may depend.
    Section section(std::size_t line, const sym::Expr &first, const sym::Expr &last, const std::set<Name> &variables);

    /// Returns the offset from the index of an element to its index in the rank's part.
    sym::Expr shiftOf(const Layout &l) const;
    /// Returns the shape of the rank's part of a distributed container.
    std::vector<sym::Expr> shapeOf(Name data) const;

    /// Returns the container that receives all elements of a distributed one.
    Name gathered(Name data);
    /// Adds nodes between two access nodes: for gather, from the container to the one that receives all its elements;
    /// for a halo, both of the container.
    void gather(ir::State &s, ir::AccessNode *from, ir::AccessNode *to);
    void fetchHalo(ir::State &s, ir::AccessNode *from, ir::AccessNode *to);
    /// Does the same once, at the start of the program.
    void gatherAtStart(Name data) { atStart_.emplace(data, true); }
    void fetchAtStart(Name data) { atStart_.emplace(data, false); }

    /// Sets the sizes of containers, and adds states at the start and at the end.
    void finish();

private:
    sym::Expr symbol(Name n) const { return sym::Expr::symbol(n); }
    sym::Expr endOf(const Line &l) const { return symbol(l.begin) + symbol(l.local); }
    bool isKnownAtStart(const sym::Expr &e, const std::set<Name> &variables) const;
    sym::Subset ownPart(Name data) const;
    void resize(Name data, ir::DataDesc &d) const;
    void moveToParts();
    void addStart();
    void addEnd();
    void askForPart(ir::State &s, const Line &l, ir::InterstateEdge &edge);

    Plan &plan_;
    ir::SDFG &g_;
    std::set<Name> defined_;        // assigned by the program
    std::map<Name, Name> gathered_; // container -> the one with all elements
    std::map<Name, Name> parts_;    // argument -> its part with a halo
    std::set<std::pair<Name, bool>> atStart_;
    struct Known {
        std::size_t line;
        sym::Expr first, last;
        Section section;
        Name begin, end;
        sym::Expr beginValue, endValue;
    };
    std::vector<Known> sections_; // with symbols that the start assigns
};

} // namespace sdfgc::transforms::distribution
