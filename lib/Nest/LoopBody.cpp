// Reads the body of a loop: walks over its blocks in order, with the values of symbols at each point.
#include "sdfgc/Nest/LoopBody.h"

#include "Nest/Frames.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/MakeMaps.h"

#include <algorithm>
#include <cctype>

namespace sdfgc::nest {

using namespace ir;
using diag::Reason;
using diag::Why;

namespace {

/// The same iterations, without operands of a maximum in the end that are before the begin: `1 to max(0, n)` is `1 to n`.
sym::Range withoutIdleEnds(sym::Range r) {
    const auto step = r.step.asInt();
    const auto kind = step && *step < 0 ? sym::SymbolicKind::Min : sym::SymbolicKind::Max;
    std::optional<sym::Expr> extremum;
    if (r.end.kind() == kind)
        extremum = r.end;
    else if (r.end.kind() == sym::SymbolicKind::Add)
        for (const sym::Expr e : r.end.operands())
            if (e.kind() == kind)
                extremum = e;
    if (!step || *step == 0 || !extremum)
        return r;
    const sym::Expr rest = r.end - *extremum;
    std::vector<sym::Expr> left;
    for (const sym::Expr e : extremum->operands()) {
        const sym::Expr end = e + rest;
        if ((*step > 0 ? sym::isLess(end, r.begin) : sym::isLess(r.begin, end)) != sym::Truth::True)
            left.push_back(e);
    }
    if (!left.empty())
        r.end = (*step > 0 ? sym::max(std::move(left)) : sym::min(std::move(left))) + rest;
    return r;
}

class BodyReader {
public:
    /// `content`: all that will be read. `reduced`: symbols that may carry values.
    BodyReader(const Region &content, analysis::Memories &memories, LoopBody &out, const std::set<Name> &reduced, bool mayBreak)
        : memories_(memories), out_(out), reduced_(reduced), mayBreak_(mayBreak),
          values_(memories, writtenIn(content, memories), out.varying) {}

    Reason read(LoopRegion &l, const analysis::LoopHeader &header, const std::set<Name> &shared) {
        SDFG &g = *l.sdfg();
        out_.assigned = analysis::assignedInside(l);
        if (const Name callback = analysis::callbackIn(l); !callback.empty())
            return {Why::Effects, "it calls `" + callback.str() + "`"};
        for (const Name n : header.names())
            if (out_.assigned.count(n))
                return {Why::LoopForm, "its body assigns `" + n.str() + "`, which its range depends on"};
        Frame frame{g, shared, {}, nullptr};
        values_.enter(g, out_.assigned);
        out_.variable = values_.fresh(l.variable);
        values_.set(l.variable, sym::Expr::symbol(out_.variable));
        push({out_.variable, header.range()}, true);
        body_ = &l;
        region(l, frame);
        out_.elements = values_.elements();
        return why_;
    }

    /// Does each iteration that was read assign a symbol?
    bool alwaysAssigns(Name symbol) const { return !values_.mayBeOld(symbol); }

    Reason read(const Step &step, SDFG &g) {
        Frame frame{g, {}, {}, nullptr};
        values_.enter(g, {});
        call(step, *cast<NestedSDFGNode>(step.nodes.front()), frame);
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
        const std::size_t guards = guards_.size();
        const bool isBody = &r == body_;
        bool maySkip = false, mayEnd = false;
        for (std::size_t k = 0; k < blocks.size(); ++k) {
            if (isBody)
                position_ = 2 * k;
            block(*blocks[k], f);
            if (why_ || ended_)
                break;
            if (skips_ && !std::exchange(maySkip, true))
                guards_.push_back(*skips_);
            if (ends_ && !std::exchange(mayEnd, true))
                guards_.push_back(*ends_);
            if (isBody)
                ++position_;
            for (const InterstateEdge *e : blocks[k]->outEdges()) {
                at_ = {.after = blocks[k]};
                edge(*e, f);
            }
        }
        guards_.resize(guards);
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
        const bool ends =
            (b.kind() == BlockKind::Return && !f.around) || (b.kind() == BlockKind::Break && innerLoops_ == 0 && !mayBreak_);
        if (ends)
            fail(Why::ControlFlow,
                 std::string(b.kind() == BlockKind::Break ? "a break" : "a return") + " may end it early" +
                     (b.parent()->conditional() ? ", in a branch of " + blockText(*b.parent()) : ""),
                 "compute before the loop how many iterations there are, or test in each iteration whether it has work to do");
        if (b.kind() == BlockKind::Continue && innerLoops_ > 0 && !skips_)
            skips_ = guard();
        if (b.kind() == BlockKind::Return && !ends_)
            ends_ = {++blocks_, 0, loopsOfCall_};
        ended_ = true;
    }

    void branches(ConditionalBlock &c, const Frame &f) {
        Guard arm = guard();
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
            arm.arm = static_cast<int>(k);
            guards_.push_back(arm);
            region(*c.branches()[k].region, f);
            guards_.pop_back();
            otherwise |= !c.branches()[k].condition;
            if (!std::exchange(ended_, false))
                join();
        }
        if (otherwise) {
            out_.arms[arm.block] = static_cast<int>(c.branches().size());
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
        const bool leaves = jumps && mayLeave(l);
        const Values::Point before = values_.point();
        const std::size_t guards = guards_.size();
        const std::optional<Guard> skips = std::exchange(skips_, std::nullopt);
        if (!counts || leaves)
            guards_.push_back(guard());
        const Name variable = values_.fresh(l.variable); // before those of values that its iterations may change
        values_.forget(assigned);
        if (!l.variable.empty())
            values_.set(l.variable, counts ? sym::Expr::symbol(variable) : values_.unknown(l.variable));
        for (const auto *text : {&l.condition, &l.update}) // outside of the loop: read even if no iteration runs
            if (*text)
                code(**text, f);
        if (counts)
            push({variable, range}, !leaves);
        ++innerLoops_;
        region(l, f);
        --innerLoops_;
        ended_ = false;
        if (counts)
            pop();
        guards_.resize(guards);
        skips_ = skips;
        if (!certain)
            values_.join(before);
        values_.forget(assigned);
        if (!l.variable.empty())
            values_.set(l.variable, values_.unknown(l.variable));
    }

    /// May a jump in the body end the loop?
    static bool mayLeave(const LoopRegion &l) {
        const std::vector<const Block *> blocks = allBlocks(l);
        return std::any_of(blocks.begin(), blocks.end(),
                           [](const Block *b) { return isJump(b->kind()) && b->kind() != BlockKind::Continue; });
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
        const sym::ParseResult parsed = sym::parse(c.text(), nullptr, isContainer);
        std::map<Name, std::size_t> known; // how often the expression mentions a container, or a member of it
        if (parsed.expr && c.isPython())
            for (const auto &[data, element] : values_.elementsIn(*parsed.expr)) {
                known[ownerOf(data)] += data == ownerOf(data) ? c.text().size() : 1;
                access(UseKind::Read, memories_.placeOf(f.g, data), data, element, false, f);
            }
        for (const Name data : analysis::containersRead(c, f.g))
            if (known[data] < timesNamed(data, c.text())) // the expression left some out
                access(UseKind::Read, memories_.placeOf(f.g, data), data, std::nullopt, false, f);
    }

    static std::size_t timesNamed(Name n, const std::string &text) {
        const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
        std::size_t out = 0;
        for (std::size_t at = text.find(n.view()); at != std::string::npos; at = text.find(n.view(), at + 1)) {
            const std::size_t end = at + n.view().size();
            out += (at == 0 || !isPart(text[at - 1])) && (end == text.size() || !isPart(text[end]));
        }
        return out;
    }

    void symbol(Name n) {
        if (!values_.mayBeOld(n) || reduced_.count(n))
            return;
        if (!why_)
            out_.carried = n;
        fail(Why::Symbol, "`" + n.str() + "` may have the value of an earlier iteration: " + textOf(at_) + " reads it",
             "assign `" + n.str() + "` before that on every path of an iteration");
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
            push({variable, values_.translated(m.ranges[d])}, m.entry->ordered);
            values_.set(m.params[d], sym::Expr::symbol(variable));
        }
        for (const Name n : m.locals)
            private_.emplace_back(&f.g, n);
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
        const bool isLibrary = !s.isCopy() && isa<LibraryNode>(s.nodes.front());
        for (const Use &each : s.uses) {
            const Use u = isLibrary ? throughView(each, f.g) : each; // a node depends on the dimensions of a view
            const std::string wcr = u.memlet.wcrNonatomic ? "" : u.memlet.wcr;
            if (u.shown)
                access(u.kind, u.place(), u.shown->member, u.shown->subset, false, f, wcr);
            else
                access(u.kind, u.place(), u.data, u.subset, u.certain, f, wcr);
        }
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
            inner.arguments.insert_or_assign(u.connector, argumentOf(u, g, meaning, f, values_));
        const Values::Frame outer =
            values_.enter(g, std::move(meaning), [&inner](Name data, const sym::Subset &at) { return placed(data, at, inner); });
        const int loops = std::exchange(innerLoops_, 0);
        const std::optional<Guard> skips = std::exchange(skips_, std::nullopt), ends = std::exchange(ends_, std::nullopt);
        const std::size_t loopsOfCall = std::exchange(loopsOfCall_, loops_.size());
        region(g, inner);
        loopsOfCall_ = loopsOfCall;
        ends_ = ends;
        skips_ = skips;
        ended_ = false;
        innerLoops_ = loops;
        values_.leave(outer);
    }

    /// Adds a use, with a subset in terms of the frame's symbols.
    void access(UseKind kind, const analysis::Place &place, Name data, const std::optional<sym::Subset> &subset, bool certain,
                const Frame &f, const std::string &wcr = {}) {
        if (isPrivate(data, f, private_))
            return;
        const DataDesc *d = f.g.desc(data);
        if (isOwnOfCall(place.memory, f, memories_))
            return;
        const bool isKnown = subset && d && (analysis::isPlain(d) || ownerOf(data) != data) && subset->rank() == d->rank();
        const auto [root, elements] = placed(data, isKnown ? std::optional(values_.translated(*subset)) : std::nullopt, f);
        out_.uses.push_back({kind, place, root, {elements, loops_}, loopIds_, guards_, certain && elements, wcr, position_, at_});
    }

    void push(analysis::LoopLevel l, bool inOrder) {
        l.range = withoutIdleEnds(l.range);
        loops_.push_back(std::move(l));
        loopIds_.push_back(++blocks_);
        if (inOrder)
            out_.sequential.insert(blocks_);
    }
    void pop() {
        loops_.pop_back();
        loopIds_.pop_back();
    }
    /// A new guard at this point.
    Guard guard() { return {++blocks_, 0, loops_.size()}; }

    analysis::Memories &memories_;
    LoopBody &out_;
    const std::set<Name> &reduced_;
    const bool mayBreak_; // out of the loop
    Values values_;
    Reason why_;
    Site at_;                      // what is being read
    const Region *body_ = nullptr; // of the loop
    std::size_t position_ = 0;     // in it
    int blocks_ = 0;               // numbers of blocks and loops
    int innerLoops_ = 0;           // around the current block, in its frame
    bool ended_ = false;           // nothing follows the current block in the region
    std::vector<analysis::LoopLevel> loops_;
    std::vector<int> loopIds_;
    std::vector<Guard> guards_;
    std::optional<Guard> skips_, ends_; // what a `continue` of the innermost loop, or a `return` of the call, before the current
                                        // block may skip
    std::size_t loopsOfCall_ = 0;
    PrivateContainers private_; // containers private to iterations of the maps around
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
                BodySymbols &symbols, LoopBody &out, const std::set<Name> &reduced, bool mayBreak, std::set<Name> *outlive) {
    BodyReader reader(l, memories, out, reduced, mayBreak);
    if (Reason why = reader.read(l, header, shared))
        return why;
    if (out.assigned.empty())
        return {};
    if (const auto [container, n] = sizedBy(out.assigned, *l.sdfg(), symbols); !n.empty())
        return {Why::Symbol, "the size of `" + container.str() + "` depends on `" + n.str() + "`, which its body assigns"};
    const std::set<Name> live = symbols.liveness.after(l);
    for (const Name n : out.assigned)
        if (live.count(n) && !reduced.count(n)) {
            if (outlive && reader.alwaysAssigns(n)) {
                outlive->insert(n);
                continue;
            }
            out.carried = n;
            const analysis::SymbolLiveness::Reader next = symbols.liveness.readerAfter(l, n);
            const std::string by = !next.block     ? ""
                                   : next.isBehind ? ", by " + textOf({.after = next.block})
                                                   : ", in " + blockText(*next.block);
            return {Why::LiveOut, "`" + n.str() + "` is read after it" + by,
                    "use another symbol in the loop, or assign `" + n.str() + "` again before it is read there"};
        }
    return {};
}

Reason readCall(const Step &call, SDFG &g, analysis::Memories &memories, LoopBody &out) {
    return BodyReader(*cast<NestedSDFGNode>(call.nodes.front())->sdfg, memories, out, {}, false).read(call, g);
}

} // namespace sdfgc::nest
