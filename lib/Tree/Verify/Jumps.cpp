// SD2154, SD2155: a goto has exactly one label in its function; break and continue are inside a loop; no jump leaves a write-back,
// or a loop or region whose iterations are distributed over threads.
#include "Rules.h"

#include <map>

namespace sdfgc::tree::rules {
namespace {

/// Are the statement's iterations distributed over threads?
bool isShared(const Node &n) {
    if (n.kind == TreeKind::For)
        return static_cast<const For &>(n).omp || static_cast<const For &>(n).spread;
    return n.kind == TreeKind::ParallelRegion || n.kind == TreeKind::Sections || n.kind == TreeKind::Consume;
}

class Jumps {
public:
    explicit Jumps(Report &r) : r_(r) {}

    void run() {
        labels(r_.f.body);
        shared_.clear();
        loops_.clear();
        jumps(r_.f.body);
    }

private:
    /// The surrounding statements that jumps must not leave.
    std::vector<const Node *> shared_;
    std::vector<const Node *> loops_; // loops and shared statements, innermost last

    template <class F> void inside(const Node &n, F &&f) {
        const bool shares = isShared(n), repeats = n.kind == TreeKind::For || n.kind == TreeKind::Loop;
        if (shares)
            shared_.push_back(&n);
        if (shares || repeats)
            loops_.push_back(&n);
        forEachBlock(n, f);
        if (shares)
            shared_.pop_back();
        if (shares || repeats)
            loops_.pop_back();
    }
    void label(Name l, const Node &at) {
        if (!labels_.try_emplace(l, shared_).second)
            r_.fault(diag::Id::TreeLabel, at, "label `" + l.str() + "` stands twice");
    }
    void labels(const Block &b) {
        for (const NodePtr &n : b.body) {
            if (const auto *l = dyn_cast<Label>(n.get()))
                label(l->label, *n);
            inside(*n, [this](const Block &inner) { labels(inner); });
        }
    }
    void jumps(const Block &b) {
        for (const NodePtr &n : b.body) {
            check(*n);
            inside(*n, [this](const Block &inner) { jumps(inner); });
        }
    }
    void check(const Node &n) {
        switch (n.kind) {
        case TreeKind::Goto:
            return target(static_cast<const Goto &>(n));
        case TreeKind::Return:
            if (!shared_.empty() && !r_.f.kernel)
                leaves(n, *shared_.back());
            return;
        case TreeKind::Break:
        case TreeKind::Continue:
            if (loops_.empty())
                r_.fault(diag::Id::TreeJump, n, std::string(keyword(n.kind)), "is not in a loop");
            else if (isShared(*loops_.back()) && (n.kind == TreeKind::Break || loops_.back()->kind != TreeKind::For))
                leaves(n, *loops_.back());
            return;
        default:
            return;
        }
    }
    void target(const Goto &g) {
        auto at = labels_.find(g.label);
        if (at == labels_.end())
            return r_.fault(diag::Id::TreeLabel, g, "there is no label `" + g.label.str() + "`");
        // Everything around the label must also be around the goto, and nothing shared may be entered or left.
        if (at->second != shared_)
            leaves(g, *(shared_.empty() ? at->second.back() : shared_.back()));
    }
    void leaves(const Node &n, const Node &what) {
        r_.fault(diag::Id::TreeJump, n, std::string(keyword(n.kind)),
                 "leaves or enters `" + std::string(keyword(what.kind)) + "`, which threads share");
    }

    Report &r_;
    std::map<Name, std::vector<const Node *>> labels_;
};

} // namespace

void jumps(Report &r) { Jumps(r).run(); }

} // namespace sdfgc::tree::rules
