// alternate-buffers: when a loop copies one array to another in each iteration, swap their roles instead.
//
//     for t = 0; t < T; t = t + 1 {                  for t = 0; t + 1 < T; t = t + 2 {
//         b = f(A)                                       b = f(A)
//         A[0:N] = b[0:N]                                A = f(b)
//     }                                       ->     }
//                                                    if t < T {
//                                                        b = f(A)
//                                                        A[0:N] = b[0:N]
//                                                    }
//
// The copy may be at the end of the body, as here, at its start (`b = A.copy()`, followed by code that computes A from
// b), or at both ends. Either way the two arrays are equal when an iteration starts: the loop reads one of them, the
// old array, and writes the other, the new one. The arrays swap roles in every second iteration. The original body
// handles a last odd iteration.
//
// Legal when (O is the old array, W the part of the new array that an iteration writes):
//   1. both are entire arrays with the same layout, and the one that the program does not return is used only in the
//      loop;
//   2. only the copies write O, and every iteration writes all of W unconditionally, whatever the value of the loop
//      variable. Elements outside W never change; one copy before the loop makes them equal in both arrays. Without a
//      copy at the start of the iteration, W is the entire array;
//   3. an iteration reads an element of the new array only after writing it, or if it is outside W. Otherwise it would
//      see values from two iterations ago;
//   4. the loop counts up by a constant to a bound that it does not change, its body is a run of maps, tasklets and
//      copies (sdfgc/Nest/Nest.h) that is small enough to be written three times, and its variable is not read outside
//      the loop.
//
// Every element is computed from the same values, so results are bitwise identical.
//
// Not handled: loops in scopes.
#include "Transforms/Edits/ChangeLoops.h"
#include "Transforms/Edits/Nodes.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"

#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::PlacedUse;
using nest::Step;
using nest::Use;

/// Does a copy move an entire array to another one with the same layout?
bool isWhole(const Item &i, const SDFG &g) {
    if (!i.step || !i.step->isCopy())
        return false;
    const Use &from = i.step->uses.front(), &to = i.step->uses.back();
    const DataDesc *a = g.desc(from.data), *b = g.desc(to.data);
    return a != b && analysis::isPlain(a) && analysis::isPlain(b) && a->isArray() && b->isArray() && from.subset && to.subset &&
           to.certain && *from.subset == a->fullSubset() && *to.subset == b->fullSubset() && a->dtype == b->dtype &&
           a->shape == b->shape && a->strides == b->strides && a->offset == b->offset && a->totalSize == b->totalSize;
}

/// Can a step be duplicated?
bool canRepeat(const Item &i) {
    if (i.map)
        return nest::canSplit(*i.map) && std::all_of(i.map->body.begin(), i.map->body.end(), canRepeat);
    if (i.step->effects || i.step->nodes.size() > 1)
        return false;
    const auto *t = i.step->isCopy() ? nullptr : dyn_cast<Tasklet>(i.step->nodes.front());
    return i.step->isCopy() || (t && t->codeGlobal.empty() && t->codeInit.empty() && t->codeExit.empty());
}

/// One loop whose arrays may swap roles.
class Turns {
public:
    Turns(LoopRegion &l, const LoopsOf &known, std::size_t steps)
        : loop_(l), g_(known.g), memories_(known.memories), items_(known.items), loops_(known.loops), steps_(steps) {}

    /// Does the loop copy entire arrays? There are no remarks about other loops.
    bool isCandidate() {
        if (!loop_.optimize)
            return false;
        body_ = loops_.runOf(loop_);
        return body_ && !body_->items.empty() && findCopies();
    }

    /// Why the arrays of a candidate cannot swap roles; empty if they can.
    Reason obstacle() {
        header_ = analysis::headerOf(loop_);
        if (!header_.hasEnd() || header_.down || isEndChanged())
            return {Why::LoopForm, "it does not count up to a known end"};
        if (loops_.isReadOutside(loop_))
            return {Why::LiveOut, "its variable is read after the loop"};
        std::size_t steps = 0;
        for (const Item &i : body_->items) {
            steps += items_.factsOf(i).steps;
            if (!canRepeat(i) || !nest::canRename(i, next()))
                return {Why::Opaque, "it contains more than tasklets and copies"};
        }
        if (steps > steps_)
            return {Why::Budget, "its body has more than " + std::to_string(steps_) + " steps"};
        if (!isPrivate(buffer_))
            return {Why::LiveOut, "`" + buffer_.str() + "` is used in other places as well"};
        return ofUses();
    }

    std::string what() const { return "`" + array_.str() + "` and `" + buffer_.str() + "` take turns"; }

    void alternate() {
        connectors_ = nest::connectorsOf(g_);
        Region &r = *loop_.parent();
        const Block *const start = r.start();
        Block *first = nullptr;
        if (begin_ && !coversAll_) { // elements that are never written are equal in both
            auto *s = r.add<State>();
            s->label = g_.freshLabel(loop_.label + "_begin");
            s->debugInfo = loop_.debugInfo;
            std::vector<Item> copy;
            copy.push_back({nullptr, std::make_unique<Step>(*body_->items[*begin_].step)});
            write(r, *s, std::move(copy));
            first = r.blocks().back().get();
        }
        Block *pairs = addPairs(r), *last = pairs;
        if (first)
            r.connect(first, pairs);
        else
            first = pairs;
        if (const auto trips = header_.trips().asInt(); !trips || *trips % 2 != 0) {
            last = addLeft(r);
            r.connect(pairs, last);
        }
        takePlace(r, start, loop_, loop_, *first, *last);
        r.removeBlock(&loop_);
        loops_.changed();
    }

private:
    /// Finds the copy from the buffer at the end, and the one to it at the start. Either may be missing.
    bool findCopies() {
        const std::vector<Item> &items = body_->items;
        if (isWhole(items.back(), g_)) {
            end_ = items.size() - 1;
            buffer_ = items.back().step->uses.front().data;
            array_ = items.back().step->uses.back().data;
        }
        for (std::size_t k = 0; k + 1 < items.size() && !begin_; ++k) {
            if (!isWhole(items[k], g_))
                continue;
            const Name from = items[k].step->uses.front().data, to = items[k].step->uses.back().data;
            if (end_ && (from != array_ || to != buffer_))
                continue;
            array_ = from;
            buffer_ = to;
            if (std::none_of(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(k),
                             [&](const Item &i) { return mentions(i); }))
                begin_ = k;
        }
        return begin_ || end_;
    }

    bool mentions(const Item &i) const {
        const std::vector<PlacedUse> uses = nest::usesOf(i);
        return std::any_of(uses.begin(), uses.end(),
                           [this](const PlacedUse &u) { return u.use->data == array_ || u.use->data == buffer_; });
    }

    bool isCopy(std::size_t k) const { return k == begin_ || k == end_; }
    Name old() const { return end_ ? array_ : buffer_; }
    Name written() const { return end_ ? buffer_ : array_; }

    /// Do iterations change the loop's end condition? They cannot change symbols, but may write scalars.
    bool isEndChanged() const {
        const std::set<Name> names = header_.names();
        return std::any_of(names.begin(), names.end(), [this](Name n) {
            const DataDesc *d = g_.desc(n);
            return d && !(d->isScalar() && analysis::isPlain(d) && !isWritten(memories_.of(g_, n)));
        });
    }

    bool isWritten(analysis::Memory m) const {
        return std::any_of(body_->items.begin(), body_->items.end(), [&](const Item &i) {
            const std::vector<PlacedUse> uses = nest::usesOf(i);
            return std::any_of(uses.begin(), uses.end(),
                               [&](const PlacedUse &u) { return u.use->writes() && !memories_.apart(m, u.use->memory); });
        });
    }

    bool isPrivate(Name n) const {
        const DataDesc &d = *g_.desc(n);
        return d.transient && d.lifetime == Lifetime::Scope && !d.pool && analysis::isOnHost(&d) &&
               analysis::isOnHost(g_.desc(array_)) && loops_.isOnlyInside(n, loop_);
    }

    /// Rules 2 and 3.
    Reason ofUses() {
        std::vector<PlacedUse> writes, reads; // of the new array; reads without a preceding write
        for (std::size_t k = 0; k < body_->items.size(); ++k)
            for (const PlacedUse &u : isCopy(k) ? std::vector<PlacedUse>() : nest::usesOf(body_->items[k])) {
                if (Reason why = ofUse(u))
                    return why;
                if (u.use->data == written() && u.use->writes())
                    writes.push_back(u);
                else if (u.use->data == written() && !isBefore(u.instance, writes))
                    reads.push_back(u);
            }
        for (const PlacedUse &r : reads)
            for (const PlacedUse &w : writes)
                if (analysis::conflictOf(r.instance, w.instance, 0, items_.facts()))
                    return {Why::Dependence, "`" + written().str() + "` is read before it is written"};
        const analysis::AccessInstance all{g_.desc(written())->fullSubset(), {}};
        coversAll_ = isBefore(all, writes);
        if (writes.empty() || (!begin_ && !coversAll_))
            return {Why::Dependence, "`" + written().str() + "` is not written completely"};
        return {};
    }

    Reason ofUse(const PlacedUse &u) const {
        const Name n = u.use->data;
        if (n != old() && n != written()) {
            for (const Name one : {old(), written()})
                if (!memories_.apart(memories_.of(g_, one), u.use->memory))
                    return {Why::MayAlias, "`" + n.str() + "` may share memory with `" + one.str() + "`"};
            return {};
        }
        if (n == old() && u.use->writes())
            return {Why::Dependence, "`" + n.str() + "` is written in other ways as well"};
        if (u.use->writes() && !isFixed(u))
            return {Why::Dependence, "the written part of `" + n.str() + "` may differ between iterations"};
        return {};
    }

    /// Have the preceding writes written everything that is read?
    bool isBefore(const analysis::AccessInstance &read, const std::vector<PlacedUse> &writes) const {
        return std::any_of(writes.begin(), writes.end(),
                           [&](const PlacedUse &w) { return analysis::isCovered(read, w.instance, 0, items_.facts()); });
    }

    /// Is it an unconditional write of the same elements in all iterations?
    bool isFixed(const PlacedUse &w) const {
        if (w.use->kind != nest::UseKind::Write || !w.use->certain || !w.use->subset ||
            w.use->subset->freeSymbols().count(loop_.variable))
            return false;
        std::set<Name> names = w.use->subset->freeSymbols();
        for (const analysis::LoopLevel &l : w.instance.loops)
            for (const sym::Expr e : {l.range.begin, l.range.end, l.range.step})
                names.insert(e.freeSymbols().begin(), e.freeSymbols().end());
        return std::none_of(names.begin(), names.end(), [this](Name n) { return n == loop_.variable || g_.desc(n); });
    }

    // ---- the change

    std::map<Name, sym::Expr> next() const { return {{loop_.variable, sym::Expr::symbol(loop_.variable) + header_.step}}; }

    void write(Region &r, State &s, std::vector<Item> items) {
        nest::Run run;
        run.region = &r;
        run.memories = &memories_;
        run.states = {&s};
        run.items = std::move(items);
        nest::write(run);
    }

    /// A loop with two iterations of the original one in each.
    Block *addPairs(Region &r) {
        auto *pairs = cast<LoopRegion>(r.adopt(ir::clone(static_cast<const Block &>(loop_))));
        pairs->label = g_.freshLabel(loop_.label + "_pairs");
        std::vector<Block *> old;
        for (const auto &b : pairs->blocks())
            old.push_back(b.get());
        auto *s = pairs->add<State>();
        s->label = g_.freshLabel(body_->states.front()->label);
        for (Block *b : old)
            pairs->removeBlock(b);
        pairs->setStart(s);
        const std::string t = loop_.variable.str(), step = header_.step.str();
        const std::map<Name, py::ExprRef> next{{loop_.variable, *py::parseExpr(t + " + " + step).value}};
        pairs->condition = Code(*py::substitute(loop_.condition->expression(), next));
        pairs->update = Code{t + " = " + t + " + " + (header_.step * 2).str(), Language::Python};
        std::vector<Item> items = copies(false);
        for (Item &i : copies(true))
            items.push_back(std::move(i));
        write(*pairs, *s, std::move(items));
        return pairs;
    }

    /// The original body, for a remaining iteration.
    Block *addLeft(Region &r) {
        auto *left = r.add<ConditionalBlock>();
        left->label = g_.freshLabel(loop_.label + "_left");
        left->debugInfo = loop_.debugInfo;
        Region *branch = left->addBranch(loop_.condition, std::make_unique<Region>());
        branch->label = g_.freshLabel(loop_.label + "_last");
        Block *start = loop_.start();
        branch->adopt(loop_.release());
        branch->setStart(start);
        return left;
    }

    /// The steps of the body without its copies, duplicated for the first or the second iteration of a pair.
    std::vector<Item> copies(bool second) {
        std::vector<Item> out;
        const bool swaps = second == end_.has_value();
        for (std::size_t k = 0; k < body_->items.size(); ++k) {
            if (isCopy(k))
                continue;
            const Item &i = body_->items[k];
            out.push_back(i.map ? Item{nest::twinOf(*i.map, g_, memories_, connectors_), nullptr}
                                : Item{nullptr, std::make_unique<Step>(*i.step)});
            if (swaps)
                nest::renameContainers(out.back(), {{array_, buffer_}, {buffer_, array_}}, g_, memories_);
            if (second)
                nest::rename(out.back(), next());
        }
        return out;
    }

    LoopRegion &loop_;
    SDFG &g_;
    analysis::Memories &memories_;
    const nest::Conflicts &items_;
    nest::LoopItems &loops_;
    const std::size_t steps_;
    std::set<Name> connectors_; // of all nodes
    std::optional<nest::Run> body_;
    analysis::LoopHeader header_;
    std::optional<std::size_t> begin_, end_; // positions of the copies
    bool coversAll_ = false;                 // does an iteration write the entire new array?
    Name array_, buffer_;                    // the array that carries values between iterations, and the one copied to or from it
};

class AlternateBuffers : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (context.options.gpu() && !option<bool>("device"))
            return false;
        const auto steps = static_cast<std::size_t>(std::max<int64_t>(option<int64_t>("steps"), 0));
        return changeLoops(root, [&](LoopRegion &l, const LoopsOf &known) {
            const pass::Element where(l);
            Turns turns(l, known, steps);
            if (!turns.isCandidate())
                return false;
            if (const Reason why = turns.obstacle()) {
                context.missed(where, "copies between its arrays", why);
                return false;
            }
            if (!context.mayChange(where, turns.what()))
                return false;
            turns.alternate();
            return true;
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createAlternateBuffers() { return std::make_unique<AlternateBuffers>(); }

} // namespace sdfgc::transforms
