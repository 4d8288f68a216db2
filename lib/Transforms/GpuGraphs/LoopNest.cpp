// Decides whether the device can control the loops of a nest (LoopNest.h).
#include "Transforms/GpuGraphs/LoopNest.h"

#include "sdfgc/Analysis/Flow/FlowWalk.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Tasklet/Cost.h"

#include <algorithm>
#include <functional>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;

namespace {

bool carries(const Edge *e) { return !e->memlet.isEmpty(); }

std::string quoted(Name n) { return "`" + n.str() + "`"; }

bool isWritten(const AccessNode &a) { return std::any_of(a.inEdges().begin(), a.inEdges().end(), carries); }
bool isWritten(Name data, const State &s) {
    return std::any_of(s.nodes().begin(), s.nodes().end(), [data](const auto &n) {
        const auto *a = dyn_cast<AccessNode>(n.get());
        return a && a->data == data && isWritten(*a);
    });
}

/// Does a state read a container or a symbol?
bool isUsedBy(Name name, const State &s) {
    const auto reads = [name](const auto &names) { return names.count(name) != 0; };
    for (const auto &n : s.nodes()) {
        const auto *a = dyn_cast<AccessNode>(n.get());
        if (reads(analysis::freeSymbols(*n)) || (a && a->data == name && !a->outEdges().empty()))
            return true;
    }
    for (const auto &e : s.edges())
        for (const auto *subset : {&e->memlet.subset, &e->memlet.otherSubset})
            if (*subset && reads((*subset)->freeSymbols()))
                return true;
    return false;
}

/// The device container that is copied entirely to an access node on the host; empty if the node receives anything else.
Name copiedFrom(const AccessNode &to) {
    const SDFG &g = *to.state()->sdfg();
    const Edge *only = nullptr;
    for (const Edge *e : to.inEdges())
        if (carries(e) && std::exchange(only, e))
            return {};
    const auto *from = only ? dyn_cast<AccessNode>(only->src) : nullptr;
    const DataDesc *d = from ? g.desc(from->data) : nullptr, *mine = g.desc(to.data);
    if (!d || !mine || d->storage != Storage::GPU_Global || d->isView() || mine->isView() || d->dtype != mine->dtype ||
        d->shape != mine->shape || !only->memlet.wcr.empty())
        return {};
    const sym::Subset all = d->fullSubset();
    const auto isAll = [&all](const std::optional<sym::Subset> &s) { return s && *s == all; };
    return isAll(analysis::sourceSubset(only)) && isAll(analysis::destinationSubset(only)) ? from->data : Name();
}

} // namespace

void DeviceLoopNest::reject(Why why, std::string text) {
    if (!why_)
        why_ = {why, std::move(text)};
}

bool DeviceLoopNest::isInside(const Block &b) const {
    for (const Block *at = &b; at; at = at->conditional() ? static_cast<const Block *>(at->conditional()) : at->parent())
        if (at == &outermost_)
            return true;
    return false;
}

bool DeviceLoopNest::readsDevice() {
    collectTwins();
    const auto device = [this](const std::vector<Name> &names) {
        return std::any_of(names.begin(), names.end(), [this](Name n) {
            const DataDesc *d = g_.desc(n);
            return isCopied(n) || (d && d->storage == Storage::GPU_Global);
        });
    };
    for (const Region *r : allRegions(std::as_const(outermost_))) {
        if (const auto *l = dyn_cast<LoopRegion>(r); l && device(analysis::containersRead(*l, g_)))
            return true;
        for (const auto &e : r->edges()) // a symbol that the condition may read; the host waits for this value anyway
            if (device(analysis::containersRead(*e, g_)))
                return true;
        for (const auto &b : r->blocks())
            if (const auto *c = dyn_cast<ConditionalBlock>(b.get()); c && device(analysis::containersRead(*c, g_)))
                return true;
    }
    return false;
}

Reason DeviceLoopNest::plan() {
    collectSymbols();
    loop(outermost_);
    if (!why_)
        follow();
    return why_;
}

/// Kernels after the loop may need symbols that only the device knows at that point. The states up to the last of these
/// kernels continue with the device's values, as part of the same graph, and the host gets the values afterwards.
void DeviceLoopNest::follow() {
    std::vector<Block *> passed;
    for (Block *at = analysis::onlyNext(outermost_); at && at->inEdges().size() == 1; at = analysis::onlyNext(*at)) {
        auto *s = dyn_cast<State>(at);
        const auto isCopy = [this](const auto &n) { return isa<AccessNode>(n.get()) && isCopied(cast<AccessNode>(n.get())->data); };
        if (!s || std::any_of(s->nodes().begin(), s->nodes().end(), isCopy))
            break;
        const std::size_t before = readers_.size();
        state(*s);
        if (std::exchange(why_, {})) { // the host must know the symbols before that
            readers_.resize(before);
            break;
        }
        passed.push_back(s);
        if (readers_.size() > before)
            followers_ = passed;
    }
}

std::string DeviceLoopNest::moved() const {
    std::string names;
    for (const Name s : symbols_)
        names += (names.empty() ? ", with " : ", ") + quoted(s);
    return names;
}

/// Symbols that edges and loop headers inside assign.
void DeviceLoopNest::collectSymbols() {
    for (const Region *r : allRegions(std::as_const(outermost_))) {
        for (const auto &e : r->edges())
            for (const auto &[symbol, text] : e->assignments)
                symbols_.insert(symbol);
        if (const auto *l = dyn_cast<LoopRegion>(r); l && !l->variable.empty())
            symbols_.insert(l->variable);
    }
}

/// Host containers that receive, inside the loop, only complete copies of one device container.
void DeviceLoopNest::collectTwins() {
    std::set<Name> others;
    for (State *s : allStates(outermost_))
        for (const AccessNode *a : nodesOf<AccessNode>(*s)) {
            if (!isWritten(*a))
                continue;
            const Name from = copiedFrom(*a);
            if (from.empty() || (twins_.count(a->data) && twins_[a->data] != from))
                others.insert(a->data);
            else
                twins_[a->data] = from;
        }
    for (const Name n : others)
        twins_.erase(n);
}

/// A state that only contains such copies.
bool DeviceLoopNest::isCopyState(const State &s) const {
    bool any = false;
    for (const auto &n : s.nodes()) {
        const auto *a = dyn_cast<AccessNode>(n.get());
        if (!a)
            return false;
        if (!isWritten(*a))
            continue;
        const auto twin = twins_.find(a->data);
        if (twin == twins_.end() || copiedFrom(*a) != twin->second)
            return false;
        any = true;
    }
    return any;
}

/// Is the last step of a block (or before it if it is empty) a copy to the container?
bool DeviceLoopNest::isCopiedBy(const Block &b, Name data) const {
    const auto *s = dyn_cast<State>(&b);
    if (s && !s->nodes().empty())
        return isCopyState(*s) && isWritten(data, *s);
    if (s) {
        const std::vector<InterstateEdge *> &in = b.inEdges();
        return !in.empty() && std::all_of(in.begin(), in.end(), [&](const InterstateEdge *e) { return isCopiedBy(*e->src, data); });
    }
    if (!guards_.count(&b))
        return false;
    const Region &rest = *static_cast<const ConditionalBlock &>(b).branches()[0].region;
    return std::all_of(rest.blocks().begin(), rest.blocks().end(),
                       [&](const auto &last) { return !last->outEdges().empty() || isCopiedBy(*last, data); });
}

/// The container that a kernel reads instead of one that control flow reads after each of the blocks; empty if there is none.
Name DeviceLoopNest::readAs(Name data, const std::vector<const Block *> &before) const {
    const DataDesc *d = g_.desc(data);
    if (!d)
        return {};
    if (d->storage == Storage::GPU_Global)
        return data;
    const auto twin = twins_.find(data);
    if (twin == twins_.end()) { // host scalars are passed to kernels by value, if nothing changes them in between
        const std::vector<State *> states = allStates(outermost_);
        const bool constant = std::none_of(states.begin(), states.end(), [data](const State *s) { return isWritten(data, *s); });
        return d->isScalar() && constant ? data : Name();
    }
    const bool fresh = std::all_of(before.begin(), before.end(), [&](const Block *b) { return isCopiedBy(*b, data); });
    return fresh && !before.empty() ? twin->second : Name();
}

DeviceLoopNest::Evaluation DeviceLoopNest::evaluation(Name symbol, const std::string &value,
                                                      const std::vector<const Block *> &before) {
    Evaluation out{symbol, analysis::symbolValue(value, g_, compat_, [&](Name n) { return readAs(n, before); })};
    if (out.value.why)
        reject(out.value.why.code, out.value.why.text);
    else if (!py::operations(py::parseBlockOrRaw(out.value.code)))
        reject(Why::Opaque, "`" + value + "` calls a function that sdfgc does not know, and a kernel might not be able to");
    for (const Name n : out.value.indices)
        if (symbols_.count(n))
            reject(Why::Symbol, quoted(n) + " is an index in `" + value + "`, and it is known only on the device");
    if (const Type *t = symbol.empty() ? nullptr : g_.symbols.find(symbol); !symbol.empty() && (!t || !t->isNumeric()))
        reject(Why::Symbol, quoted(symbol) + " has a type that kernels cannot compute");
    return out;
}

/// `i = 0`
std::optional<DeviceLoopNest::Evaluation> DeviceLoopNest::statement(const std::optional<Code> &code,
                                                                    const std::vector<const Block *> &before) {
    if (!code || code->empty())
        return std::nullopt;
    const Code::Block *parsed = code->block();
    const bool plain = parsed && parsed->size() == 1 && (*parsed)[0]->kind == py::StmtKind::Assign &&
                       (*parsed)[0]->targets.size() == 1 && (*parsed)[0]->targets[0]->kind == py::ExprKind::Name;
    if (!plain) {
        reject(Why::Opaque, "`" + code->text() + "` is not an assignment to a symbol");
        return std::nullopt;
    }
    const py::Stmt &s = *(*parsed)[0];
    symbols_.insert(s.targets[0]->name);
    return evaluation(s.targets[0]->name, py::print(*s.value), before);
}

void DeviceLoopNest::loop(LoopRegion &l) {
    if (l.condition && !l.condition->isPython())
        return reject(Why::Opaque, "its condition is not Python");
    if (!l.condition || l.condition->empty())
        return reject(Why::LoopForm, "it has no condition");
    std::vector<const Block *> front, tested;
    for (const InterstateEdge *e : l.inEdges())
        front.push_back(e->src);
    for (const auto &b : l.blocks())
        if (b->outEdges().empty())
            tested.push_back(b.get());
    if (!l.inverted)
        tested.insert(tested.end(), front.begin(), front.end());
    for (const auto &b : l.blocks())
        block(*b);
    edges(l);
    Loop out{&l, statement(l.init, front), {}, {}};
    out.update = statement(l.update, tested);
    out.condition = evaluation({}, l.condition->text(), tested);
    loops_.push_back(std::move(out));
}

void DeviceLoopNest::block(Block &b) {
    switch (b.kind()) {
    case BlockKind::State:
        return state(static_cast<State &>(b));
    case BlockKind::Loop:
        return loop(static_cast<LoopRegion &>(b));
    case BlockKind::Conditional:
        return conditional(static_cast<ConditionalBlock &>(b));
    case BlockKind::Region:
    case BlockKind::Named: {
        auto &r = static_cast<Region &>(b);
        for (const auto &inner : r.blocks())
            block(*inner);
        return edges(r);
    }
    default:
        return reject(Why::ControlFlow, quoted(Name(b.label)) + " in it contains a jump");
    }
}

void DeviceLoopNest::conditional(ConditionalBlock &c) {
    std::vector<const Block *> front;
    for (const InterstateEdge *e : c.inEdges())
        front.push_back(e->src);
    Branches out{&c, {}};
    for (const auto &branch : c.branches()) {
        for (const auto &b : branch.region->blocks())
            block(*b);
        edges(*branch.region);
        if (!branch.condition) {
            out.conditions.emplace_back();
            continue;
        }
        if (!branch.condition->isPython())
            return reject(Why::Opaque, "a condition in it is not Python");
        out.conditions.push_back(evaluation({}, branch.condition->text(), front));
        for (const analysis::SymbolValue::Read &r : out.conditions.back()->value.reads) // a kernel computes all conditions
            if (out.conditions.size() > 1 && !(r.element == g_.desc(r.data)->fullSubset()))
                reject(Why::Opaque, "`" + branch.condition->text() + "` is only read where another condition does not hold");
    }
    branches_.push_back(std::move(out));
}

void DeviceLoopNest::edges(Region &r) {
    for (const auto &e : r.edges()) {
        if (!e->isUnconditional() || e->src->outEdges().size() > 1)
            return reject(Why::ControlFlow, "what follows " + quoted(Name(e->src->label)) + " in it depends on a condition");
        if (e->assignments.empty())
            continue;
        Assignments a{&r, e.get(), {}};
        for (const auto &[symbol, text] : e->assignments)
            a.all.push_back(evaluation(symbol, text, {e->src}));
        assignments_.push_back(std::move(a));
    }
}

void DeviceLoopNest::state(State &s) {
    if (isCopyState(s))
        return;
    for (const analysis::GraphBlocker &x : blockers_.of(s).blockers)
        if (x.reason.code != Why::Layout) // the method of copies is not decided yet
            reject(x.reason.code, x.place.element + ": " + x.reason.text);
    dataflow(s);
}

/// Symbols that only the device will know may be used by kernels and by nothing else.
void DeviceLoopNest::dataflow(State &s) {
    const analysis::ScopeTree scopes(s);
    const auto mentioned = [this](const std::set<Name> &names, std::set<Name> &out) {
        for (const Name n : names)
            if (symbols_.count(n))
                out.insert(n);
    };
    std::map<const Node *, std::set<Name>> used; // by top-level node
    const auto outermost = [&scopes](const Node *n) {
        if (const auto *exit = dyn_cast<MapExit>(n))
            n = exit->entry;
        while (const Node *around = scopes.scopeOf(n))
            n = around;
        return n;
    };
    for (const auto &n : s.nodes()) {
        mentioned(analysis::freeSymbols(*n), used[outermost(n.get())]);
        const auto *a = dyn_cast<AccessNode>(n.get());
        if (const DataDesc *d = a ? g_.desc(a->data) : nullptr) {
            std::set<Name> sizes;
            mentioned(analysis::freeSymbols(*d), sizes);
            if (!sizes.empty())
                reject(Why::Allocation, quoted(a->data) + " has a size that is known only on the device");
        }
    }
    for (const auto &e : s.edges()) {
        std::set<Name> names;
        for (const auto *subset : {&e->memlet.subset, &e->memlet.otherSubset})
            if (*subset)
                mentioned((*subset)->freeSymbols(), names);
        const Node *a = outermost(e->src), *b = outermost(e->dst);
        used[isa<AccessNode>(a) ? b : a].insert(names.begin(), names.end());
    }
    for (const auto &[n, names] : used) {
        if (names.empty())
            continue;
        const auto *m = dyn_cast<MapEntry>(n);
        if (!m || m->schedule != Schedule::GPU_Device)
            return reject(Why::Symbol,
                          quoted(*names.begin()) + " is needed by " + elementName(*n) + ", and it is known only on the device");
        kernel(const_cast<MapEntry &>(*m), names);
    }
}

void DeviceLoopNest::kernel(MapEntry &m, const std::set<Name> &used) {
    std::set<Name> extent;
    for (const sym::Range &r : m.ranges)
        for (const sym::Expr x : {r.begin, r.end, r.step})
            extent.insert(x.freeSymbols().begin(), x.freeSymbols().end());
    for (const sym::Expr x : m.gpuBlockSize.value_or(std::vector<sym::Expr>()))
        extent.insert(x.freeSymbols().begin(), x.freeSymbols().end());
    for (const Name n : used) {
        if (extent.count(n))
            return reject(Why::DeviceValue,
                          "the size of " + elementName(m) + " depends on " + quoted(n) + ", but kernel sizes are set on the host");
        readers_.emplace_back(&m, n);
    }
}

bool DeviceLoopNest::isNeededOutside(Name name) const {
    return isNeeded(name, [](const Block &) { return true; });
}

bool DeviceLoopNest::comesAtEnd(Name host) const {
    if (!g_.isRoot() || outermost_.parent() != &g_)
        return false;
    std::set<const Block *> after;
    std::vector<const Block *> open{&outermost_}, ends;
    while (!open.empty()) {
        const auto &out = open.back()->outEdges();
        if (out.empty())
            ends.push_back(open.back());
        open.pop_back();
        for (const InterstateEdge *e : out)
            if (after.insert(e->dst).second)
                open.push_back(e->dst);
    }
    const auto *end = ends.size() == 1 ? dyn_cast<State>(ends.front()) : nullptr;
    const bool copies = end && std::any_of(end->nodes().begin(), end->nodes().end(), [&](const auto &n) {
                            const auto *a = dyn_cast<AccessNode>(n.get());
                            return a && a->data == host && isWritten(*a) && copiedFrom(*a) == twins_.at(host);
                        });
    return copies && !isNeeded(host, [&](const Block &b) {
               const Block *top = &b;
               while (top->parent() != &g_)
                   top = top->conditional() ? static_cast<const Block *>(top->conditional()) : top->parent();
               return top == &outermost_ || after.count(top) != 0;
           });
}

/// Does the host use a name outside of the loop, in blocks for which `counts` is true?
bool DeviceLoopNest::isNeeded(Name name, const std::function<bool(const Block &)> &counts) const {
    const auto reads = [name](const std::set<Name> &names) { return names.count(name) != 0; };
    const auto readsCode = [&](const Code &code) { return reads(analysis::namesInCode(code, g_)); };
    for (const Region *r : allRegions(std::as_const(g_))) {
        if (r == &outermost_ || isInside(*r))
            continue;
        if (const auto *l = dyn_cast<LoopRegion>(r); l && counts(*l))
            for (const auto *code : {&l->init, &l->condition, &l->update})
                if (*code && readsCode(**code))
                    return true;
        for (const auto &e : r->edges())
            if (counts(*e->src) &&
                (readsCode(e->condition) || std::any_of(e->assignments.begin(), e->assignments.end(), [&](const auto &a) {
                     return readsCode(Code{a.second, Language::Python});
                 })))
                return true;
    }
    for (const Block *b : allBlocks(std::as_const(g_))) {
        const bool follows = std::find(followers_.begin(), followers_.end(), b) != followers_.end();
        if (isInside(*b) || follows || !counts(*b))
            continue;
        if (const auto *c = dyn_cast<ConditionalBlock>(b))
            for (const auto &branch : c->branches())
                if (branch.condition && readsCode(*branch.condition))
                    return true;
        if (const auto *s = dyn_cast<State>(b); s && isUsedBy(name, *s))
            return true;
    }
    return false;
}

} // namespace sdfgc::transforms
