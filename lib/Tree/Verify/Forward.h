// A forward analysis of one function: a fact for each statement, of the derived class's type State. Where paths join, `meet`
// combines the facts. The function is walked until nothing changes at loops and labels, then once more to report.
//
//     State needs: operator==. The analysis must terminate: the fact at a point may change only finitely often.
#pragma once

#include "Rules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace sdfgc::tree::rules {

template <class State> class Forward {
public:
    virtual ~Forward() = default;

protected:
    // ---- the analysis
    virtual State meet(const State &a, const State &b) const = 0;
    /// The effect of a statement itself, before those inside it; for a loop, before any iteration.
    virtual void reach(const Node &n, State &now) = 0;
    /// Control leaves the scope of a declaration, at its end or by a jump.
    virtual void leave(const Declare &, State &) {}
    virtual bool runsAtLeastOnce(const Node &) const { return false; } // for loops

    void walk(const Block &body, const State &atBegin) {
        now_.reset();
        scope(body); // finds the labels
        do {
            changed_ = false;
            now_ = atBegin;
            scope(body);
        } while (changed_);
        reporting_ = true;
        now_ = atBegin;
        scope(body);
    }
    /// Is this the last walk, in which the facts are final?
    bool reporting() const { return reporting_; }

private:
    using Reached = std::optional<State>; // nothing: unreachable
    using Declared = std::vector<const Declare *>;
    struct Around {               // a loop
        std::size_t declared = 0; // before its body
        Reached broken, continued;
    };

    Reached either(const Reached &a, const Reached &b) const {
        if (!a || !b)
            return a ? a : b;
        return meet(*a, *b);
    }
    /// Merges the facts of another path into those of a point.
    void arrive(Reached &at, const Reached &from) {
        Reached both = either(at, from);
        changed_ = changed_ || both != at;
        at = std::move(both);
    }

    void scope(const Block &b) {
        const std::size_t before = declared_.size();
        statements(b.body);
        leaveTo(before);
        declared_.resize(before);
    }
    void statements(const std::vector<NodePtr> &all) {
        for (const NodePtr &n : all)
            node(*n);
    }
    void node(const Node &n) {
        const bool repeats = n.kind == TreeKind::For || n.kind == TreeKind::Loop || n.kind == TreeKind::Consume;
        if (now_ && !repeats)
            reach(n, *now_);
        switch (n.kind) {
        case TreeKind::Declare:
            declared_.push_back(static_cast<const Declare *>(&n));
            return;
        case TreeKind::Label:
            return label(static_cast<const Label &>(n).label);
        case TreeKind::Goto:
        case TreeKind::Return:
        case TreeKind::Break:
        case TreeKind::Continue:
            jump(n);
            now_.reset();
            return;
        case TreeKind::If:
            return branches(static_cast<const If &>(n));
        case TreeKind::For:
        case TreeKind::Loop:
        case TreeKind::Consume:
            return loop(n);
        case TreeKind::RawTasklet:
            return statements(static_cast<const RawTasklet &>(n).after);
        case TreeKind::Block:
            if (!static_cast<const Block &>(n).braces)
                return statements(static_cast<const Block &>(n).body);
            [[fallthrough]];
        default:
            forEachBlock(n, [this](const Block &b) { scope(b); });
        }
    }

    /// Control leaves the scopes of all visible declarations except the first `count`.
    void leaveTo(std::size_t count) {
        for (std::size_t i = declared_.size(); now_ && i > count; --i)
            leave(*declared_[i - 1], *now_);
    }
    void label(Name l) {
        visible_[l] = declared_;
        arrive(labels_[l], now_);
        now_ = labels_[l];
    }
    void jump(const Node &n) {
        if (const auto *g = dyn_cast<Goto>(&n)) {
            const Declared &there = visible_[g->label];
            leaveTo(static_cast<std::size_t>(std::mismatch(declared_.begin(), declared_.end(), there.begin(), there.end()).first -
                                             declared_.begin()));
            arrive(labels_[g->label], now_);
        } else if (n.kind == TreeKind::Return) {
            leaveTo(0);
        } else if (!loops_.empty()) {
            leaveTo(loops_.back()->declared);
            Reached &to = n.kind == TreeKind::Break ? loops_.back()->broken : loops_.back()->continued;
            to = either(to, now_);
        }
    }
    void branches(const If &x) {
        const Reached before = now_;
        Reached after;
        bool hasElse = false;
        for (const If::Branch &b : x.branches) {
            now_ = before;
            scope(*b.body);
            after = either(after, now_);
            hasElse = hasElse || !b.condition;
        }
        now_ = hasElse ? after : either(after, before);
    }
    void loop(const Node &n) {
        Reached &head = heads_[&n];
        arrive(head, now_);
        now_ = head;
        if (now_)
            reach(n, *now_);
        Around own;
        own.declared = declared_.size();
        loops_.push_back(&own);
        forEachBlock(n, [this](const Block &b) { scope(b); });
        loops_.pop_back();
        now_ = either(now_, own.continued);
        arrive(head, now_);
        now_ = either(runsAtLeastOnce(n) ? now_ : head, own.broken);
    }

    Reached now_;
    std::map<Name, Reached> labels_;
    std::map<Name, Declared> visible_; // at labels
    std::unordered_map<const Node *, Reached> heads_;
    std::vector<Around *> loops_; // innermost last
    Declared declared_;           // visible here
    bool changed_ = false, reporting_ = false;
};

} // namespace sdfgc::tree::rules
