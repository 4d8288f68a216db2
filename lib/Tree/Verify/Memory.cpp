// SD2160, SD2161: memory that is allocated late has been allocated on every path to a use, and what is released has memory.
//
// A forward analysis: which late variables have memory at each place. Where paths meet, those that have it on all of them. Loops
// and labels remember what reaches them; the function is walked until nothing changes, then once more to report.
#include "Rules.h"

#include <map>

namespace sdfgc::tree::rules {
namespace {

/// The late variables that have memory; nothing when the place is not reached.
using Reached = std::optional<std::set<VarId>>;

Reached meet(const Reached &a, const Reached &b) {
    if (!a || !b)
        return a ? a : b;
    std::set<VarId> both;
    std::set_intersection(a->begin(), a->end(), b->begin(), b->end(), std::inserter(both, both.end()));
    return both;
}

class Memory {
public:
    explicit Memory(Report &r) : r_(r) {}

    void run() {
        for (const Variable &v : r_.f.vars)
            late_ = late_ || isLate(v);
        if (!late_)
            return;
        do {
            changed_ = false;
            now_ = std::set<VarId>();
            body(r_.f.body.body);
        } while (changed_);
        reporting_ = true;
        now_ = std::set<VarId>();
        body(r_.f.body.body);
    }

private:
    static bool isLate(const Variable &v) {
        return !v.countKnown && (v.kind == VarKind::Buffer || v.kind == VarKind::DeviceBuffer || v.kind == VarKind::PinnedBuffer ||
                                 v.kind == VarKind::PoolBuffer);
    }
    /// What reaches a place through several doors.
    void arrive(Reached &at, const Reached &from) {
        Reached both = meet(at, from);
        changed_ = changed_ || both != at;
        at = std::move(both);
    }

    void body(const std::vector<NodePtr> &all) {
        for (const NodePtr &n : all)
            node(*n);
    }
    void node(const Node &n) {
        check(n);
        switch (n.kind) {
        case Kind::Declare:
        case Kind::Allocate:
        case Kind::Release:
            return change(n);
        case Kind::Label:
            arrive(labels_[static_cast<const Label &>(n).label], now_);
            now_ = labels_[static_cast<const Label &>(n).label];
            return;
        case Kind::Goto:
            arrive(labels_[static_cast<const Goto &>(n).label], now_);
            now_.reset();
            return;
        case Kind::Return:
            now_.reset();
            return;
        case Kind::Break:
        case Kind::Continue:
            if (!loops_.empty())
                arrive(n.kind == Kind::Break ? exits_[loops_.back()] : heads_[loops_.back()], now_);
            now_.reset();
            return;
        case Kind::If:
            return branches(static_cast<const If &>(n));
        case Kind::For:
        case Kind::Loop:
        case Kind::Consume:
            return loop(n);
        case Kind::RawTasklet:
            return body(static_cast<const RawTasklet &>(n).after);
        default:
            forEachBlock(n, [this](const Block &b) { body(b.body); });
        }
    }
    void change(const Node &n) {
        if (!now_)
            return;
        if (const auto *d = dyn_cast<Declare>(&n)) {
            if (isLate(r_.var(d->var)))
                now_->erase(d->var);
        } else if (const auto *a = dyn_cast<Allocate>(&n)) {
            now_->insert(a->var);
        } else {
            const auto &release = static_cast<const Release &>(n);
            if (isLate(r_.var(release.var)) && !now_->erase(release.var) && reporting_)
                r_.fault(diag::Id::TreeReleasedTwice, n, r_.var(release.var).name.str());
        }
    }
    void check(const Node &n) {
        if (!reporting_ || !now_)
            return;
        forEachReference(n, [&](RefId ref) {
            if (!ref)
                return;
            const VarId v = r_.root(r_.f.refs[ref].var);
            if (isLate(r_.var(v)) && !now_->count(v))
                r_.fault(diag::Id::TreeNoMemory, n, r_.var(v).name.str());
        });
    }
    void branches(const If &x) {
        const Reached before = now_;
        Reached after;
        bool hasElse = false;
        for (const If::Branch &b : x.branches) {
            now_ = before;
            body(b.body->body);
            after = meet(after, now_);
            hasElse = hasElse || !b.condition;
        }
        now_ = hasElse ? after : meet(after, before);
    }
    void loop(const Node &n) {
        arrive(heads_[&n], now_);
        now_ = heads_[&n];
        loops_.push_back(&n);
        forEachBlock(n, [this](const Block &b) { body(b.body); });
        loops_.pop_back();
        arrive(heads_[&n], now_);
        const bool atLeastOnce = n.kind == Kind::Loop && static_cast<const Loop &>(n).form != Loop::Normal;
        now_ = meet(atLeastOnce ? now_ : heads_[&n], exits_[&n]);
    }

    Report &r_;
    Reached now_;
    std::map<Name, Reached> labels_;
    std::unordered_map<const Node *, Reached> heads_, exits_;
    std::vector<const Node *> loops_;
    bool late_ = false, changed_ = false, reporting_ = false;
};

} // namespace

void memory(Report &r) { Memory(r).run(); }

} // namespace sdfgc::tree::rules
