// separate: keep one of two programs. The first computes the results and stores what the second one, the gradient, needs.
//
//     f:   forward, tapes; gradients     ->     f_forward: forward, tapes      f_backward: gradients
//
// Both are made from the combined program by leaving out one part. Everything that the second part reads from the first
// becomes an argument of both: arrays under their own names, scalars and symbols as arrays of one element. Constants, and
// symbols that the second part assigns before it reads them, are not shared.
//
// Legal when:
//   1. differentiate marked where the gradient starts, as it does for `part=forward` and `part=backward`.
//   2. Each shared container is an array whose size is known before the first part runs, because the caller allocates it.
//
// Not handled: other shared containers, which are an error (SD4718).
#include "Transforms/Differentiate/Separate.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {

namespace gradient {

using namespace ir;

namespace {

Block *outermostOf(const Block &b) {
    if (isa<SDFG>(b.parent()))
        return const_cast<Block *>(&b);
    return analysis::outermost(*b.parent());
}

void addRead(const InterstateEdge &e, std::set<Name> &out) {
    const SDFG &g = *e.src->sdfg();
    out.merge(analysis::namesInCode(e.condition, g));
    for (const auto &[symbol, value] : e.assignments)
        out.merge(analysis::namesInCode({value, Language::Python}, g));
}

/// Symbols read in a block, on its in-edges, or in conditions inside it.
void addRead(const Block &b, std::set<Name> &out) {
    out.merge(analysis::readIn(b));
    const SDFG &g = *b.sdfg();
    const auto edges = [&](const Region &r, const Block *to) {
        for (const auto &e : r.edges())
            if (!to || e->dst == to)
                addRead(*e, out);
    };
    edges(*b.parent(), &b);
    if (const auto *r = dyn_cast<Region>(&b)) {
        edges(*r, nullptr);
        for (const auto &inner : r->blocks())
            addRead(*inner, out);
    } else if (const auto *c = dyn_cast<ConditionalBlock>(&b)) {
        for (const auto &branch : c->branches()) {
            if (branch.condition)
                out.merge(analysis::namesInCode(*branch.condition, g));
            addRead(*branch.region, out);
        }
    }
}

/// The first use of a symbol when a piece of code runs.
enum class First : uint8_t { Nothing, Read, Set };

First firstFrom(const Block *b, Name symbol);

First firstOf(const ConditionalBlock &c, Name symbol) {
    bool sets = true, otherwise = false;
    for (const auto &branch : c.branches()) {
        otherwise |= !branch.condition;
        const bool asks = branch.condition && analysis::namesInCode(*branch.condition, *c.sdfg()).count(symbol);
        const First first = asks ? First::Read : firstFrom(branch.region->start(), symbol);
        if (first == First::Read)
            return first;
        sets &= first == First::Set;
    }
    return sets && otherwise ? First::Set : First::Nothing;
}

First firstOf(const LoopRegion &l, Name symbol) {
    const auto reads = [&](const std::optional<Code> &code) {
        return code && analysis::namesInCode(*code, *l.sdfg()).count(symbol);
    };
    if (l.variable == symbol && l.init)
        return First::Set;
    if (reads(l.init) || reads(l.condition) || reads(l.update))
        return First::Read;
    return firstFrom(l.start(), symbol) == First::Read ? First::Read : First::Nothing; // there may be no iterations
}

First firstOf(const Block &b, Name symbol) {
    if (const auto *l = dyn_cast<LoopRegion>(&b))
        return firstOf(*l, symbol);
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        return firstOf(*c, symbol);
    if (const auto *r = dyn_cast<Region>(&b))
        return firstFrom(r->start(), symbol);
    return analysis::readIn(b).count(symbol) ? First::Read : First::Nothing;
}

/// The first use in a block and those that follow it in its region. If they do not form a sequence, any read in the region may be
/// the first.
First firstFrom(const Block *b, Name symbol) {
    for (std::size_t left = b ? b->parent()->blocks().size() : 0; left > 0; --left) { // blocks may form a cycle
        if (const First first = firstOf(*b, symbol); first != First::Nothing || b->outEdges().empty())
            return first;
        std::set<Name> read;
        const bool isSequence = b->outEdges().size() == 1;
        const InterstateEdge &e = *b->outEdges().front();
        if (isSequence)
            addRead(e, read);
        else
            for (const auto &other : b->parent()->blocks())
                addRead(*other, read);
        if (read.count(symbol))
            return First::Read;
        if (!isSequence)
            return First::Nothing;
        if (std::any_of(e.assignments.begin(), e.assignments.end(), [symbol](const auto &a) { return a.first == symbol; }))
            return First::Set;
        b = e.dst;
    }
    return First::Nothing;
}

class Separator {
public:
    Separator(SDFG &g, const Seam &seam, const Request &request, pass::Context &context)
        : g_(g), seam_(seam), request_(request), context_(context) {
        std::vector<Block *> open{seam.begin};
        while (!open.empty()) {
            Block *b = open.back();
            open.pop_back();
            if (!backward_.insert(b).second)
                continue;
            for (const InterstateEdge *e : b->outEdges())
                open.push_back(e->dst);
        }
        for (const InterstateEdge *e : allInterstateEdges(g))
            for (const auto &[symbol, value] : e->assignments)
                if (!isBackward(*e->dst))
                    assignedForward_.insert(symbol);
    }

    bool run() {
        findUses();
        for (const Name n : shared_)
            if (const std::string why = whyNot(n); !why.empty())
                return fail(n, why);
        for (const Name n : shared_)
            handOver(n);
        handOverSymbols();
        removeOther();
        g_.name = Name(g_.name.str() + (isForward() ? "_forward" : "_backward"));
        return true;
    }

private:
    bool isForward() const { return request_.part == Part::Forward; }
    bool isBackward(const Block &b) const { return backward_.count(outermostOf(b)) != 0; }

    /// Finds the containers that both parts use, and those that the kept part uses.
    void findUses() {
        for (const auto &[name, uses] : analysis::usesOfContainers(g_)) {
            bool forward = false, backward = false;
            for (const Block *b : uses.blocks)
                (isBackward(*b) ? backward : forward) = true;
            const DataDesc *d = g_.desc(name);
            if (forward && backward && d && d->transient && !d->isView() && !g_.constants.contains(name))
                shared_.push_back(name);
            if (isForward() ? forward : backward)
                used_.insert(name);
        }
        for (const Block *b : backward_)
            addRead(*b, readBackward_);
    }

    std::string whyNot(Name n) const {
        const DataDesc &d = *g_.desc(n);
        if (!analysis::isPlain(&d))
            return "it is not an array";
        for (const Name s : d.totalSize.freeSymbols())
            if (assignedForward_.count(s) || g_.desc(s))
                return "its size, " + d.totalSize.str() + ", is known only when the forward program has run";
        return "";
    }

    bool fail(Name n, const std::string &why) {
        diag::Location place = analysis::placeOf(g_, *g_.desc(n), n);
        place.file = context_.options.file;
        context_.diags.report(diag::Id::GradientSeparate, place, n.str(), why);
        return false;
    }

    void declare(Name n) {
        DataDesc &d = *g_.desc(n);
        d.transient = false;
        d.lifetime = Lifetime::Scope;
        g_.argNames.push_back(n);
        used_.insert(n);
    }

    /// An argument of both parts with one element.
    Name argumentFor(Name n, Type t) {
        const Name kept = g_.addTransient(n.str() + "_kept", DataDesc::array(t, {1}, true));
        declare(kept);
        return kept;
    }

    void handOver(Name n) {
        if (!g_.desc(n)->isScalar())
            return declare(n);
        const Name kept = argumentFor(n, g_.desc(n)->dtype);
        State &s = isForward() ? *seam_.end : *seam_.begin;
        const Name from = isForward() ? n : kept, to = isForward() ? kept : n;
        s.copyAll(from, to);
    }

    /// Passes symbols that edges of the first part set and that the second part may read before it sets them again.
    void handOverSymbols() {
        for (const Name n : readBackward_) {
            const Type *type = g_.symbols.find(n);
            if (!type || !assignedForward_.count(n) || firstFrom(seam_.begin, n) != First::Read)
                continue;
            const Name kept = argumentFor(n, *type);
            if (isForward()) {
                State &s = *seam_.end;
                const Name out = g_.freshName("__out");
                Tasklet *t = s.addTasklet("keep_" + n.str(), {out.str() + " = " + n.str()});
                t->addOut(out, *type);
                s.connect(t, out, s.add<AccessNode>(kept), {}, Memlet::simple(kept, g_.desc(kept)->fullSubset()));
            } else {
                for (InterstateEdge *e : seam_.begin->outEdges())
                    e->assignments.emplace_back(n, kept.str() + "[0]");
            }
        }
    }

    /// Removes the other part, and everything that only it used. The program's own arguments remain those of the first
    /// part, gradients those of the second.
    void removeOther() {
        std::vector<Block *> other;
        for (const auto &b : g_.blocks())
            if (isBackward(*b) == isForward())
                other.push_back(b.get());
        Block *start = isForward() ? g_.start() : seam_.begin;
        const bool saysStart = g_.storedStart();
        g_.removeBlocks(other);
        g_.setStart(saysStart ? start : nullptr);
        std::vector<Name> unused;
        for (const auto &[name, d] : g_.arrays)
            if (!used_.count(name) && (d.transient || isForward() == isGradient(name)))
                unused.push_back(name);
        for (const Name n : unused) {
            g_.arrays.erase(n);
            std::erase(g_.argNames, n);
        }
    }

    bool isGradient(Name n) const {
        const std::vector<Name> data = request_.arguments();
        return std::any_of(data.begin(), data.end(), [&](Name d) { return n.str() == request_.prefix + d.str(); });
    }

    SDFG &g_;
    const Seam seam_;
    const Request &request_;
    pass::Context &context_;
    std::set<const Block *> backward_; // blocks of the SDFG itself
    std::set<Name> assignedForward_, readBackward_;
    std::vector<Name> shared_;
    std::set<Name> used_; // by the kept part
};

const std::string seamKey = "gradient_seam"; // of the SDFG: the label of the state with which the gradient begins

/// Removes the mark that differentiate left. Returns the label in it; empty if there is none.
std::string takeMark(SDFG &g) {
    std::string label;
    Extra rest;
    for (const auto &[key, value] : g.extra.all())
        if (key == seamKey)
            label = value.text();
        else
            rest.add(key, value);
    g.extra = std::move(rest);
    return label;
}

/// Nothing if differentiate left no mark.
std::optional<Seam> takeSeam(SDFG &g) {
    const std::string label = takeMark(g);
    for (const auto &b : g.blocks())
        if (auto *s = dyn_cast<State>(b.get()); s && !label.empty() && s->label == label && s->inEdges().size() == 1)
            if (auto *end = dyn_cast<State>(s->inEdges().front()->src))
                return Seam{end, s};
    return std::nullopt;
}

class Separate : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        const Part part = option<Part>("part");
        const std::optional<Seam> seam = part == Part::Both ? std::nullopt : takeSeam(root);
        std::optional<Request> request = seam ? requestOf(options, root) : std::nullopt;
        if (!request)
            return false;
        request->part = part;
        if (const auto &prefix = option<std::string>("prefix"); !prefix.empty())
            request->prefix = prefix;
        Separator(root, *seam, *request, context).run();
        root.renumber();
        return true;
    }
};

} // namespace

Seam placeSeam(Block *b, SDFG &g, const State &scratch) {
    if (!b) {
        std::vector<Block *> ends;
        for (const auto &block : g.blocks())
            if (block.get() != &scratch && block->outEdges().empty() && !isJump(block->kind()))
                ends.push_back(block.get());
        auto *s = g.add<State>();
        s->label = g.freshLabel("gradients");
        for (Block *end : ends)
            g.connect(end, s);
        b = s;
    }
    Seam out;
    out.end = g.addStateBefore(b, g.freshLabel("forward_end"));
    out.begin = g.addStateBefore(b, g.freshLabel("backward_begin"));
    takeMark(g);
    g.extra.add(seamKey, json::Value(std::string_view(out.begin->label)));
    return out;
}

} // namespace gradient

std::unique_ptr<pass::Pass> createSeparate() { return std::make_unique<gradient::Separate>(); }

} // namespace sdfgc::transforms
