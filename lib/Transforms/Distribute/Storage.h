// Where the parts of containers are, and how big: symbols of the program, sizes, copies with room for neighbours' elements.
#pragma once

#include "Transforms/Distribute/Plan.h"

namespace sdfgc::transforms::distribution {

class Storage {
public:
    explicit Storage(Plan &plan);

    /// Positions from `begin` to `end`, without the last; `end` is never less than `begin`.
    struct Section {
        sym::Expr begin, end;
    };
    /// Those from `first` to `last` that the rank has. `variables`: of maps around, which no symbol of the program may depend on.
    Section section(std::size_t line, const sym::Expr &first, const sym::Expr &last, const std::set<Name> &variables);

    /// What is added to the index of an element to get its index in the rank's part.
    sym::Expr shiftOf(const Layout &l) const;
    /// The shape of the rank's part of a container that is dealt out.
    std::vector<sym::Expr> shapeOf(Name data) const;

    /// The container that takes all elements of one that is dealt out.
    Name gathered(Name data);
    /// Nodes between two access nodes: of the container and of the one that takes all its elements; of the container, both.
    void gather(ir::State &s, ir::AccessNode *from, ir::AccessNode *to);
    void fetchHalo(ir::State &s, ir::AccessNode *from, ir::AccessNode *to);
    /// The same once, at the start of the program.
    void gatherAtStart(Name data) { atStart_.emplace(data, true); }
    void fetchAtStart(Name data) { atStart_.emplace(data, false); }

    /// Gives containers their sizes, and adds states at the start and at the end.
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
    std::set<Name> defined_;        // symbols that the program assigns
    std::map<Name, Name> gathered_; // container, the one with all elements
    std::map<Name, Name> parts_;    // argument, its part with a halo
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
