// Known values of symbols at each point of a program.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>

namespace sdfgc::analysis {

/// Known values of symbols at one point.
class FlowFacts {
public:
    void forget(const std::set<Name> &changed) {
        std::erase_if(values_, [&](const auto &fact) {
            const auto &names = fact.second.freeSymbols();
            return changed.count(fact.first) ||
                   std::any_of(names.begin(), names.end(), [&](Name n) { return changed.count(n) != 0; });
        });
    }
    void add(Name symbol, sym::Expr value) {
        if (values_.size() < manyFacts)
            values_.emplace(symbol, value);
    }
    const sym::Expr *of(Name symbol) const {
        const auto found = values_.find(symbol);
        return found == values_.end() ? nullptr : &found->second;
    }
    /// Keeps the facts that both agree on.
    void meet(const FlowFacts &other) {
        std::erase_if(values_, [&](const auto &fact) {
            const sym::Expr *same = other.of(fact.first);
            return !same || !(*same == fact.second);
        });
    }

private:
    static constexpr std::size_t manyFacts = 256; // further facts at a point are dropped
    std::map<Name, sym::Expr> values_;
};

/// Walks over one SDFG with the facts at each point. Derived classes override the callbacks for everything that reads
/// symbols.
class FactWalk {
public:
    explicit FactWalk(ir::SDFG &g);
    virtual ~FactWalk() = default;

    void walk();

protected:
    virtual void readIn(ir::State &s, const FlowFacts &facts) = 0;
    /// `where`: the region of the code. It must mention none of `hidden`.
    virtual void readIn(ir::Code &c, const FlowFacts &facts, const ir::Region &where, const std::set<Name> &hidden = {}) = 0;
    /// Called for each assignment: `isKnown` states whether the symbol already has that value. Returns whether the
    /// assignment may be removed.
    virtual bool drops(const ir::InterstateEdge &, const ir::Region &, Name, bool /*isKnown*/) { return false; }
    /// Returns the value in terms of symbols that stay.
    virtual sym::Expr resolved(sym::Expr value, const FlowFacts &facts) const = 0;

    /// Returns the assigned value if it consists of integer symbols that code does not change.
    std::optional<sym::Expr> valueOf(const std::string &text) const;

    ir::SDFG &g_;
    std::set<Name> changedByCode_; // symbols that tasklets change
    std::vector<Name> around_;     // variables of the loops around the current element

private:
    void region(ir::Region &r, FlowFacts &facts);
    void anyOrder(ir::Region &r, FlowFacts &facts);
    void block(ir::Block &b, FlowFacts &facts);
    void conditional(ir::ConditionalBlock &c, FlowFacts &facts);
    void loop(ir::LoopRegion &l, FlowFacts &facts);
    void edge(ir::InterstateEdge &e, const ir::Region &r, FlowFacts &facts);
};

} // namespace sdfgc::analysis
