// Reads the body of a loop: walks over its blocks in order, with the values of symbols at each point.
#include "sdfgc/Nest/LoopBody.h"

#include "Nest/Values.h"
#include "Nest/Window.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/MakeMaps.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;
using diag::Reason;
using diag::Why;

namespace {

/// What dataflow in a region writes, at any depth.
std::vector<analysis::Place> writtenIn(const Region &r, analysis::Memories &memories) {
    std::set<std::pair<analysis::Memory, Name>> known;
    std::vector<analysis::Place> out;
    const auto add = [&](const analysis::Place &p) {
        if (known.emplace(p.memory, p.member.path).second)
            out.push_back(p);
    };
    for (const State *s : allStates(r))
        for (const auto &n : s->nodes()) {
            if (const auto *a = dyn_cast<AccessNode>(n.get())) {
                if (a->setZero)
                    add(memories.placeOf(*a));
                for (const Edge *e : a->inEdges())
                    if (!e->memlet.isEmpty() && !analysis::isViewing(*e))
                        add(memories.placeOf(*a, *e));
            }
            if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && nested->sdfg)
                for (const analysis::Place &p : writtenIn(*nested->sdfg, memories))
                    add(p);
        }
    return out;
}

/// A container of a nested SDFG, as part of one of the loop's SDFG.
struct Placed {
    Name data;
    std::optional<Window> window; // in terms of the loop; nothing: some of its elements
    bool isWholeStructure = false;
};

/// The SDFG whose blocks are being read: that of the loop, or one nested in its body.
struct Frame {
    SDFG &g;
    std::set<Name> shared;
    std::map<Name, Placed> arguments; // of a nested SDFG
    const Frame *around = nullptr;
};

class BodyReader {
public:
    BodyReader(LoopRegion &l, analysis::Memories &memories, LoopBody &out)
        : loop_(l), memories_(memories), out_(out), values_(memories, writtenIn(l, memories), out.varying) {}

    Reason read(const analysis::LoopHeader &header, const std::set<Name> &shared) {
        SDFG &g = *loop_.sdfg();
        out_.assigned = analysis::assignedInside(loop_);
        if (const Name callback = analysis::callbackIn(loop_); !callback.empty())
            return {Why::Effects, "it calls `" + callback.str() + "`"};
        for (const Name n : header.names())
            if (out_.assigned.count(n))
                return {Why::LoopForm, "its body assigns `" + n.str() + "`, which its range depends on"};
        Frame frame{g, shared, {}, nullptr};
        values_.enter(g, out_.assigned);
        out_.variable = values_.fresh(loop_.variable);
        values_.set(loop_.variable, sym::Expr::symbol(out_.variable));
        push({out_.variable, header.range()});
        region(loop_, frame);
        return why_;
    }

private:
    void fail(Why code, std::string text, std::string hint = {}) {
        if (!why_)
            why_ = {code, std::move(text), std::move(hint)};
    }

    // ---- control flow

    void region(Region &r, const Frame &f) {
        const std::vector<Block *> blocks = analysis::sequenceOf(r);
        if (blocks.empty() && !r.blocks().empty())
            return fail(Why::ControlFlow, "control flow in " + blockText(r) + " is not made of branches and loops");
        for (Block *b : blocks) {
            block(*b, f);
            if (why_ || ended_)
                return;
            for (const InterstateEdge *e : b->outEdges()) {
                at_ = {.after = b};
                edge(*e, f);
            }
        }
    }

    void block(Block &b, const Frame &f) {
        if (auto *s = dyn_cast<State>(&b))
            return state(*s, f);
        if (auto *c = dyn_cast<ConditionalBlock>(&b))
            return branches(*c, f);
        if (auto *l = dyn_cast<LoopRegion>(&b))
            return loop(*l, f);
        if (isJump(b.kind()))
            return jump(b, f);
        region(*cast<Region>(&b), f);
    }

    /// What follows a jump of an inner loop, or a return of a nested SDFG, is unknown there anyway.
    void jump(const Block &b, const Frame &f) {
        const bool ends = (b.kind() == BlockKind::Return && !f.around) || (b.kind() == BlockKind::Break && innerLoops_ == 0);
        if (ends)
            fail(Why::ControlFlow,
                 std::string(b.kind() == BlockKind::Break ? "a break" : "a return") + " may end it early" +
                     (b.parent()->conditional() ? ", in a branch of " + blockText(*b.parent()) : ""),
                 "compute before the loop how many iterations there are, or test in each iteration whether it has work to do");
        ended_ = true;
    }

    void branches(ConditionalBlock &c, const Frame &f) {
        const int id = ++blocks_;
        bool otherwise = false;
        std::optional<Values::Point> joined;
        at_ = {.block = &c};
        for (const auto &branch : c.branches())
            if (branch.condition)
                code(*branch.condition, f);
        const Values::Point before = values_.point();
        const auto join = [&] {
            if (joined)
                values_.join(*joined);
            joined = values_.point();
        };
        for (std::size_t k = 0; k < c.branches().size() && !why_; ++k) {
            values_.restore(before);
            guards_.push_back({id, static_cast<int>(k)});
            region(*c.branches()[k].region, f);
            guards_.pop_back();
            otherwise |= !c.branches()[k].condition;
            if (!std::exchange(ended_, false))
                join();
        }
        if (otherwise) {
            out_.alternatives[id] = {static_cast<int>(c.branches().size()), loops_.size()};
        } else {
            values_.restore(before);
            join();
        }
        ended_ = !joined;
        if (joined)
            values_.restore(*joined);
    }

    void loop(LoopRegion &l, const Frame &f) {
        const analysis::LoopHeader header = analysis::headerOf(l);
        const std::set<Name> assigned = analysis::assignedInside(l);
        at_ = {.block = &l};
        if (l.init)
            code(*l.init, f);
        else if (!l.variable.empty())
            symbol(l.variable);
        const bool counts = isCounted(l, header, assigned, f);
        const sym::Range range = counts ? values_.translated(header.walk()) : sym::Range();
        const bool jumps = analysis::hasJump(l), certain = counts && !jumps && runsAlways(header);
        const Values::Point before = values_.point();
        if (!counts || jumps)
            guards_.push_back({++blocks_, 0});
        values_.forget(assigned);
        if (counts) {
            const Name variable = values_.fresh(l.variable);
            values_.set(l.variable, sym::Expr::symbol(variable));
            push({variable, range});
        } else if (!l.variable.empty()) {
            values_.set(l.variable, values_.unknown(l.variable));
        }
        for (const auto *text : {&l.condition, &l.update})
            if (*text)
                code(**text, f);
        ++innerLoops_;
        region(l, f);
        --innerLoops_;
        ended_ = false;
        if (counts)
            pop();
        if (!counts || jumps)
            guards_.pop_back();
        if (!certain)
            values_.join(before);
        values_.forget(assigned);
        if (!l.variable.empty())
            values_.set(l.variable, values_.unknown(l.variable));
    }

    /// Does the loop take the values of its header's range, or fewer because it is left?
    bool isCounted(const LoopRegion &l, const analysis::LoopHeader &header, const std::set<Name> &assigned, const Frame &f) {
        if (!header.hasEnd() || !analysis::isInteger(header.first, &f.g) || !analysis::isInteger(header.step, &f.g) ||
            !analysis::isInteger(header.end, &f.g))
            return false;
        std::vector<analysis::Place> read; // containers in the header
        for (const Name n : header.names()) {
            if (assigned.count(n))
                return false;
            if (f.g.desc(n))
                read.push_back(memories_.placeOf(f.g, n));
        }
        if (read.empty())
            return true;
        const std::vector<analysis::Place> written = writtenIn(l, memories_);
        return std::all_of(written.begin(), written.end(), [&](const analysis::Place &w) {
            return std::all_of(read.begin(), read.end(), [&](const analysis::Place &r) { return memories_.apart(w, r); });
        });
    }

    static bool runsAlways(const analysis::LoopHeader &header) {
        const auto trips = header.range().size().asInt();
        return trips && *trips > 0;
    }

    void edge(const InterstateEdge &e, const Frame &f) {
        std::vector<std::pair<Name, sym::Expr>> made;
        for (const auto &[name, text] : e.assignments) {
            code({text, Language::Python}, f);
            made.emplace_back(name, values_.assigned(name, text, e));
        }
        for (const auto &[name, value] : made)
            values_.set(name, value);
    }

    // ---- reads by code of control flow

    void code(const Code &c, const Frame &f) {
        for (const Name n : analysis::namesInCode(c, f.g))
            symbol(n);
        const auto isContainer = [&f](Name n) { return f.g.desc(n) != nullptr; };
        const sym::ParseResult parsed = sym::parse(c.text, nullptr, isContainer);
        std::set<Name> known;
        if (parsed.expr && c.language == Language::Python)
            for (const auto &[data, element] : values_.elementsIn(*parsed.expr)) {
                known.insert(ownerOf(data));
                access(UseKind::Read, memories_.placeOf(f.g, data), data, element, false, f);
            }
        for (const Name data : analysis::containersRead(c, f.g))
            if (!known.count(data))
                access(UseKind::Read, memories_.placeOf(f.g, data), data, std::nullopt, false, f);
    }

    void symbol(Name n) {
        if (values_.mayBeOld(n))
            fail(Why::Symbol, "`" + n.str() + "` may have the value of an earlier iteration: " + textOf(at_) + " reads it",
                 "assign `" + n.str() +
                     "` before that on every path of an iteration; to count or to find an extreme value, update a container "
                     "instead");
    }

    void symbols(const std::set<Name> &names) {
        for (const Name n : names)
            symbol(n);
    }

    // ---- dataflow

    void state(State &s, const Frame &f) {
        if (const std::string why = unreadable(s); !why.empty())
            return fail(Why::Opaque, blockText(s) + " " + why);
        items(readState(s, memories_, f.shared), f);
    }

    void items(const std::vector<Item> &list, const Frame &f) {
        for (const Item &i : list)
            if (i.map)
                map(*i.map, f);
            else
                step(*i.step, f);
    }

    void map(const Map &m, const Frame &f) {
        const Values::Point before = values_.point();
        at_ = {.node = m.entry};
        symbols(analysis::freeSymbols(*m.entry));
        for (std::size_t d = 0; d < m.params.size(); ++d) {
            const Name variable = values_.fresh(m.params[d]);
            push({variable, values_.translated(m.ranges[d])});
            values_.set(m.params[d], sym::Expr::symbol(variable));
        }
        private_.insert(private_.end(), m.locals.begin(), m.locals.end());
        items(m.body, f);
        private_.resize(private_.size() - m.locals.size());
        for (std::size_t d = 0; d < m.params.size(); ++d)
            pop();
        values_.restore(before);
    }

    void step(const Step &s, const Frame &f) {
        at_ = {.node = s.isCopy() ? static_cast<const Node *>(s.uses.back().access) : s.nodes.front()};
        if (s.effects)
            return fail(Why::Effects, textOf(at_) + " has effects that its memlets do not describe");
        for (const Node *n : s.nodes) {
            if (isa<LibraryNode>(n) && !isReduce(s))
                out_.calls.push_back(n->label);
            if (!isa<NestedSDFGNode>(n))
                symbols(analysis::freeSymbols(*n));
        }
        for (const Use &u : s.uses)
            for (const auto *subset : {&u.memlet.subset, &u.memlet.otherSubset})
                if (*subset)
                    symbols((*subset)->freeSymbols());
        const auto *nested = s.nodes.size() == 1 ? dyn_cast<NestedSDFGNode>(s.nodes.front()) : nullptr;
        if (nested && nested->sdfg)
            return call(s, *nested, f);
        for (const Use &u : s.uses)
            if (u.shown)
                access(u.kind, u.place(), u.shown->member, u.shown->subset, false, f);
            else
                access(u.kind, u.place(), u.data, u.subset, u.certain, f);
    }

    /// A nested SDFG: its accesses are those of its blocks.
    void call(const Step &s, const NestedSDFGNode &n, const Frame &f) {
        SDFG &g = *n.sdfg;
        std::map<Name, sym::Expr> meaning;
        for (const auto &[name, value] : n.symbolMapping) {
            symbols({value.freeSymbols().begin(), value.freeSymbols().end()});
            meaning.emplace(name, values_.translated(value));
        }
        Frame inner{g, analysis::sharedContainers(g), {}, &f};
        for (const Use &u : s.uses)
            inner.arguments.insert_or_assign(u.connector, argument(u, g, meaning, f));
        const Values::Frame outer =
            values_.enter(g, std::move(meaning), [&inner](Name data, const sym::Subset &at) { return placed(data, at, inner); });
        const int loops = std::exchange(innerLoops_, 0);
        const bool returns = analysis::hasJump(g);
        if (returns)
            guards_.push_back({++blocks_, 0});
        region(g, inner);
        if (returns)
            guards_.pop_back();
        ended_ = false;
        innerLoops_ = loops;
        values_.leave(outer);
    }

    Placed argument(const Use &u, const SDFG &g, const std::map<Name, sym::Expr> &meaning, const Frame &f) {
        const DataDesc *inside = g.desc(u.connector), *outside = f.g.desc(u.data);
        Placed out{u.data, std::nullopt};
        if (inside && outside && u.memlet.subset && u.memlet.data == u.data && analysis::isPlain(inside) &&
            analysis::isPlain(outside)) {
            DataDesc translated = *outside;
            for (sym::Expr &e : translated.strides)
                e = values_.translated(e);
            out.window = windowOf(*inside, meaning, translated, values_.translated(*u.memlet.subset));
        }
        const auto [data, shown] = placed(u.data, out.window ? std::optional(out.window->shown) : std::nullopt, f);
        out.data = data;
        if (shown && out.window)
            out.window->shown = *shown;
        else
            out.window.reset();
        out.isWholeStructure = inside && outside && inside->isStructure() && outside->isStructure() && !inside->isView();
        return out;
    }

    /// Elements of a container of a frame as elements of one of the loop's SDFG.
    static std::pair<Name, std::optional<sym::Subset>> placed(Name data, const std::optional<sym::Subset> &subset, const Frame &f) {
        if (!f.around)
            return {data, subset};
        const auto a = f.arguments.find(ownerOf(data));
        if (a == f.arguments.end())
            return {Name(), std::nullopt};
        if (a->first != data) // a member
            return a->second.isWholeStructure && !a->second.data.empty()
                       ? std::pair(Name(a->second.data.str() + data.str().substr(a->first.view().size())), subset)
                       : std::pair(Name(), std::optional<sym::Subset>());
        const bool fits = subset && a->second.window && subset->rank() == a->second.window->dims.size();
        return {a->second.data, fits ? std::optional(a->second.window->placed(*subset)) : std::nullopt};
    }

    /// Adds a use, with a subset in terms of the frame's symbols.
    void access(UseKind kind, const analysis::Place &place, Name data, const std::optional<sym::Subset> &subset, bool certain,
                const Frame &f) {
        if (std::find(private_.begin(), private_.end(), data) != private_.end())
            return;
        const DataDesc *d = f.g.desc(data);
        if (isOwnOfCall(place.memory, f))
            return;
        const bool isKnown = subset && d && (analysis::isPlain(d) || ownerOf(data) != data) && subset->rank() == d->rank();
        const auto [root, elements] = placed(data, isKnown ? std::optional(values_.translated(*subset)) : std::nullopt, f);
        out_.uses.push_back({kind, place, root, {elements, loops_}, loopIds_, guards_, certain && elements, at_});
    }

    /// Does a memory belong to a nested SDFG, each call of which has its own?
    bool isOwnOfCall(analysis::Memory memory, const Frame &f) const {
        if (memory < 0)
            return false;
        const auto &[g, name] = memories_.owner(memory);
        const DataDesc *d = memories_.desc(memory);
        for (const Frame *at = &f; at->around; at = at->around)
            if (&at->g == g)
                return d && d->transient && !memories_.mayAlias(memory);
        return false;
    }

    void push(analysis::LoopLevel l) {
        loops_.push_back(std::move(l));
        loopIds_.push_back(++blocks_);
    }
    void pop() {
        loops_.pop_back();
        loopIds_.pop_back();
    }

    LoopRegion &loop_;
    analysis::Memories &memories_;
    LoopBody &out_;
    Values values_;
    Reason why_;
    Site at_;            // what is being read
    int blocks_ = 0;     // numbers of blocks and loops
    int innerLoops_ = 0; // around the current block, in its frame
    bool ended_ = false; // nothing follows the current block in the region
    std::vector<analysis::LoopLevel> loops_;
    std::vector<int> loopIds_;
    std::vector<Guard> guards_;
    std::vector<Name> private_; // containers private to iterations of the maps around
};

/// The first container with a size that depends on one of the symbols, and that symbol.
std::pair<Name, Name> sizedBy(const std::set<Name> &names, const SDFG &g, const BodySymbols &symbols) {
    for (const Name n : names)
        if (const auto sized = symbols.sized.find(n); sized != symbols.sized.end())
            for (const Name container : sized->second)
                if (g.arrays.contains(container))
                    return {container, n};
    return {};
}

} // namespace

BodySymbols::BodySymbols(const SDFG &g) : liveness(g) {
    for (const auto &[container, d] : g.arrays)
        for (const Name n : d.freeSymbols())
            sized[n].push_back(container);
}

Reason readBody(LoopRegion &l, const analysis::LoopHeader &header, analysis::Memories &memories, const std::set<Name> &shared,
                BodySymbols &symbols, LoopBody &out) {
    if (Reason why = BodyReader(l, memories, out).read(header, shared))
        return why;
    if (out.assigned.empty())
        return {};
    if (const auto [container, n] = sizedBy(out.assigned, *l.sdfg(), symbols); !n.empty())
        return {Why::Symbol, "the size of `" + container.str() + "` depends on `" + n.str() + "`, which its body assigns"};
    const std::set<Name> live = symbols.liveness.after(l);
    for (const Name n : out.assigned)
        if (live.count(n)) {
            const analysis::SymbolLiveness::Reader reader = symbols.liveness.readerAfter(l, n);
            const std::string by = !reader.block     ? ""
                                   : reader.isBehind ? ", by " + textOf({.after = reader.block})
                                                     : ", in " + blockText(*reader.block);
            return {Why::LiveOut, "`" + n.str() + "` is read after it" + by,
                    "use another symbol in the loop, or assign `" + n.str() + "` again before it is read there"};
        }
    return {};
}

} // namespace sdfgc::nest
