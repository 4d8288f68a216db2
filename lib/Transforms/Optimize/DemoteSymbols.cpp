// demote-symbols: turn a symbol into a scalar if it is assigned from containers and read only by tasklets.
//
//     state {}                                          state {
//     x = A[i - 1] + 1                                      read_x: x <- A[i - 1] + 1
//     state { t: A[i] <- 2 * x }              ->        }
//                                                       state { t: A[i] <- 2 * x_in  with x_in <- x }
//
// Front ends read elements into symbols on edges between states. Such an edge ends a run of states (sdfgc/Nest/Nest.h),
// and no memlet shows what it reads, so loop passes see no dependence and cannot fuse across it. A symbol that is not
// needed as a symbol can just as well be a scalar that tasklets write and read. (DaCe has the inverse transformation,
// ScalarToSymbolPromotion, for values that memlets and conditions mention, and the function demote_symbol_to_scalar.)
//
// Legal when:
//   1. the symbol is assigned on edges and read by Python tasklets only: no memlet, range, size, condition, loop or
//      nested SDFG mentions it. It is declared, has a numeric type, is not passed by a caller, and its name is not
//      redefined by a scope or a connector;
//   2. each of its values can be written as a tasklet (SymbolValues.h);
//   3. at least one of its values reads a container. A value made only of symbols stays on its edge, where other passes
//      can see it;
//   4. symbols that mention each other in their values are demoted together or not at all.
//
// The scalar has the symbol's name and type, so values are converted as before. The tasklet that writes it runs after
// everything before the edge, in the preceding state or in a new one, so it reads what the edge has read. The remaining
// assignments of the edge come after it. They do not mention the demoted symbols, because assignments of one edge do
// not see each other.
//
// Not handled: containers and symbols that the graph asks to keep; states that the nest form cannot read; with a GPU
// target, symbols outside scopes, because kernels receive symbols by value.
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Analysis/Flow/EdgeValues.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Support/UnionFind.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Step;
using nest::Use;
using nest::UseKind;

/// One assignment to a symbol.
struct Assignment {
    Region *region;
    InterstateEdge *edge;
    analysis::SymbolValue value;
};

/// A tasklet of a run.
struct ReadingTasklet {
    std::size_t run;
    Step *step;
};

/// A symbol that may become a scalar.
struct Candidate {
    std::vector<Assignment> assignments;
    std::vector<ReadingTasklet> readers;
    Reason why;          // it stays a symbol
    bool isRead = false; // by a tasklet
    bool readsContainers = false;
};

using Candidates = std::map<Name, Candidate>;

/// Finds the symbols of one SDFG that can become scalars.
class Selection {
public:
    Selection(SDFG &g, std::vector<nest::Run> &runs, bool compat) : g_(g), runs_(runs), compat_(compat) {}

    /// All symbols that are assigned from containers; `why` explains which of them stay.
    Candidates select() {
        for (Region *r : allRegions(g_))
            for (const auto &e : r->edges())
                assignmentsOf(*r, *e);
        if (std::none_of(candidates_.begin(), candidates_.end(), [](const auto &c) { return c.second.readsContainers; }))
            return {};
        rejectWhatIsNeeded();
        tasklets();
        exclude();
        spread();
        std::erase_if(candidates_, [](const auto &c) { return !c.second.readsContainers; });
        return std::move(candidates_);
    }

private:
    void reject(Name n, Reason why) {
        const auto found = candidates_.find(n);
        if (found != candidates_.end() && !found->second.why)
            found->second.why = std::move(why);
    }

    void assignmentsOf(Region &r, InterstateEdge &e) {
        for (const auto &[symbol, text] : e.assignments) {
            Candidate &c = candidates_[symbol];
            c.assignments.push_back({&r, &e, analysis::symbolValue(text, g_, compat_)});
            const analysis::SymbolValue &v = c.assignments.back().value;
            c.readsContainers |= v.hasElements;
            reject(symbol, v.why);
            if (nest::isKept(r))
                reject(symbol, {Why::Kept, "the graph forbids the change"});
        }
    }

    /// Rejects names that also have another meaning, or that something needs as symbols.
    void rejectWhatIsNeeded() {
        const analysis::Mentions mentions(g_, analysis::Mentions::Of::Structure);
        const std::set<Name> free = analysis::freeSymbols(g_), bound = boundNames();
        for (auto &[name, c] : candidates_) {
            const Type *type = g_.symbols.find(name);
            if (!type || !type->isNumeric() || g_.constant(name) || g_.desc(name))
                reject(name, {Why::Container, "a scalar cannot have its type"});
            if (mentions.all() || mentions.contain(name))
                reject(name, {Why::Symbol, "it is used for more than a value in tasklets"});
            if (free.count(name) || (g_.parentNode && g_.parentNode->mapped(name)))
                reject(name, {Why::Symbol, "it has an initial value"});
            if (bound.count(name))
                reject(name, {Why::Names, "`" + name.str() + "` has another meaning elsewhere"});
        }
    }

    /// Variables of loops and scopes, and connectors.
    std::set<Name> boundNames() const {
        std::set<Name> out = nest::connectorsOf(g_);
        for (const Region *r : allRegions(std::as_const(g_)))
            if (const auto *l = dyn_cast<LoopRegion>(r))
                out.insert(l->variable);
        for (const State *s : allStates(std::as_const(g_)))
            for (const auto &n : s->nodes()) {
                if (const auto *m = dyn_cast<MapEntry>(n.get()))
                    out.insert(m->params.begin(), m->params.end());
                else if (const auto *c = dyn_cast<ConsumeEntry>(n.get()))
                    out.insert(c->peIndex);
                if (n->isEntry())
                    for (const Connector &c : n->inConnectors)
                        out.insert(c.name);
            }
        return out;
    }

    /// Finds the tasklets that read candidates, and whether they are steps of runs.
    void tasklets() {
        std::map<const Node *, ReadingTasklet> steps;
        for (std::size_t run = 0; run < runs_.size(); ++run)
            for (Item &i : runs_[run].items)
                stepsOf(i, run, steps);
        for (State *s : allStates(g_))
            for (Tasklet *t : nodesOf<Tasklet>(*s)) {
                const auto step = steps.find(t);
                const std::set<Name> changed = analysis::changedSymbols(*t);
                for (const Name n : namesIn(*t)) {
                    const auto found = candidates_.find(n);
                    if (found == candidates_.end())
                        continue;
                    found->second.isRead = true;
                    if (changed.count(n) || !t->code.isPython())
                        reject(n, {Why::Effects, "`" + t->label + "` changes it"});
                    else if (step == steps.end())
                        reject(n, {Why::Opaque, "`" + t->label + "` reads it in a state or scope that cannot be split"});
                    else
                        found->second.readers.push_back(step->second);
                }
            }
    }

    static void stepsOf(Item &i, std::size_t run, std::map<const Node *, ReadingTasklet> &steps) {
        if (i.step && i.step->nodes.size() == 1)
            steps.emplace(i.step->nodes.front(), ReadingTasklet{run, i.step.get()});
        if (i.map)
            for (Item &inner : i.map->body)
                stepsOf(inner, run, steps);
    }

    std::set<Name> namesIn(const Tasklet &t) const {
        std::set<Name> names = analysis::namesInTasklet(t.code, g_);
        const std::set<Name> changed = analysis::changedSymbols(t);
        names.insert(changed.begin(), changed.end());
        return names;
    }

    /// Symbols in the values of a symbol that stays, and in indices, must stay, too.
    void exclude() {
        for (const auto &[name, c] : candidates_)
            for (const Assignment &a : c.assignments) {
                for (const Name n : a.value.indices)
                    reject(n, {Why::Symbol, "it is an index"});
                for (const auto &[other, text] : a.edge->assignments)
                    if (other != name && (a.value.symbols.count(other) || a.value.indices.count(other))) {
                        reject(name, {Why::Order, "its value mentions `" + other.str() + "`, which the same edge assigns"});
                        reject(other, {Why::Order, "the value of `" + name.str() + "` mentions it, which the same edge assigns"});
                    }
            }
        for (bool changed = true; changed;) {
            changed = false;
            for (const auto &[name, c] : candidates_)
                for (const Assignment &a : c.assignments)
                    for (const Name n : a.value.symbols) {
                        const auto read = candidates_.find(n);
                        if (!c.why || read == candidates_.end() || read->second.why)
                            continue;
                        reject(n, {Why::Symbol, "the symbol `" + name.str() + "` is computed from it"});
                        changed = true;
                    }
        }
    }

    /// A value that contains values from containers counts as one itself.
    void spread() {
        for (bool changed = true; changed;) {
            changed = false;
            for (auto &[name, c] : candidates_)
                for (const Assignment &a : c.assignments)
                    for (const Name n : a.value.symbols) {
                        const auto read = candidates_.find(n);
                        if (c.readsContainers || read == candidates_.end() || read->second.why || !read->second.readsContainers)
                            continue;
                        changed = c.readsContainers = true;
                    }
        }
    }

    SDFG &g_;
    std::vector<nest::Run> &runs_;
    const bool compat_;
    Candidates candidates_;
};

/// Turns symbols of one SDFG into scalars.
class Demotion {
public:
    Demotion(SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs)
        : g_(g), memories_(memories), runs_(runs), connectors_(nest::connectorsOf(g)) {
        for (std::size_t k = 0; k < runs.size(); ++k)
            runBefore_.emplace(runs[k].states.back(), k);
    }

    /// `symbols`: including those that their values mention and that can become scalars.
    void demote(const std::vector<std::pair<Name, Candidate *>> &symbols) {
        for (const auto &[name, c] : symbols)
            scalars_[name] = scalar(name);
        for (const auto &[name, c] : symbols) {
            for (const ReadingTasklet &r : c->readers) {
                nest::Run &run = runs_[r.run];
                run.changed = true;
                read(*r.step, name, run);
            }
            for (const Assignment &a : c->assignments)
                assign(name, a);
        }
    }

private:
    /// The scalar that replaces the symbol.
    Name scalar(Name symbol) {
        DataDesc d = DataDesc::scalar(*g_.symbols.find(symbol), true);
        d.storage = Storage::Register;
        g_.symbols.erase(symbol);
        g_.symbolHints.erase(symbol);
        return nest::addContainer(g_, symbol.str(), std::move(d), connectors_);
    }

    /// A use of a container that is new in the run. Its node belongs to the state that the run was read from, which will be
    /// removed.
    Use use(UseKind kind, Name data, Name connector, sym::Subset element, const DebugInfo &where, nest::Run &run) {
        auto *access = run.states.front()->add<AccessNode>(data);
        access->debugInfo = where;
        Use u;
        u.kind = kind;
        u.moveTo(data, memories_.of(g_, data));
        u.access = access;
        u.memlet.debugInfo = where;
        u.certain = kind == UseKind::Write;
        return nest::ofElement(u, std::move(element), connector);
    }

    Use useOfScalar(UseKind kind, Name symbol, Name connector, const DebugInfo &where, nest::Run &run) {
        const Name data = scalars_.at(symbol);
        return use(kind, data, connector, g_.desc(data)->fullSubset(), where, run);
    }

    /// A name for a connector that is unused in a tasklet's code.
    Name connectorFor(Name symbol, const std::set<Name> &taken) const {
        std::string name = "__" + symbol.str();
        while (taken.count(Name(name)) || g_.freshName(name) != Name(name))
            name += "_";
        return Name(name);
    }

    /// Makes a tasklet read the scalar.
    void read(Step &s, Name symbol, nest::Run &run) {
        std::shared_ptr<Tasklet> t(cast<Tasklet>(ir::clone(*s.nodes.front()).release()));
        const std::vector<py::StmtRef> code = t->code.blockOrRaw();
        const py::BlockNames names = py::blockNames(code);
        std::set<Name> taken = names.read;
        taken.insert(names.written.begin(), names.written.end());
        const Name connector = connectorFor(symbol, taken);
        t->code = Code(py::substitute(code, {{symbol, py::name(connector)}}));
        t->addIn(connector, g_.desc(scalars_.at(symbol))->dtype);
        const auto firstWrite = std::find_if(s.uses.begin(), s.uses.end(), [](const Use &u) { return u.writes(); });
        s.uses.insert(firstWrite, useOfScalar(UseKind::Read, symbol, connector, t->debugInfo, run));
        s.nodes = {t.get()};
        s.made = std::move(t);
    }

    /// Replaces an assignment with a tasklet.
    void assign(Name symbol, const Assignment &a) {
        const DebugInfo &where = a.edge->debugInfo;
        nest::Run &run = placeFor(a);
        run.changed = true;
        std::vector<Use> reads;
        for (const analysis::SymbolValue::Read &r : a.value.reads)
            reads.push_back(use(UseKind::Read, r.data, r.connector, r.element, where, run));
        std::map<Name, py::ExprRef> replaced;
        for (const Name n : a.value.symbols)
            if (scalars_.count(n)) {
                const Name connector = connectorFor(n, {});
                replaced.emplace(n, py::name(connector));
                reads.push_back(useOfScalar(UseKind::Read, n, connector, where, run));
            }
        const py::ExprRef value = py::substitute(*py::parseExpr(a.value.code).value, replaced);
        const Name out = g_.freshName("__out");
        run.items.push_back(nest::taskletStep("read_" + symbol.str(), out.str() + " = " + py::print(*value), std::move(reads),
                                              useOfScalar(UseKind::Write, symbol, out, where, run), g_));
        const auto moved = moved_.find(a.edge);
        std::erase_if((moved == moved_.end() ? a.edge : moved->second)->assignments,
                      [&](const auto &each) { return each.first == symbol; });
    }

    /// The run for the code that replaces an assignment on an edge: the preceding run if it has no other successor, or a separate
    /// state.
    nest::Run &placeFor(const Assignment &a) {
        const auto [place, isNew] = places_.emplace(a.edge, runs_.size());
        if (!isNew)
            return runs_[place->second];
        const auto before = runBefore_.find(a.edge->src);
        if (before != runBefore_.end() && a.edge->isUnconditional() && a.edge->src->outEdges().size() == 1)
            place->second = before->second;
        else
            runs_.push_back(runOnEdge(*a.region, *a.edge));
        return runs_[place->second];
    }

    /// A state after the condition of an edge and before its assignments.
    nest::Run runOnEdge(Region &r, InterstateEdge &e) {
        auto *s = r.add<State>();
        s->label = g_.freshLabel("read");
        s->debugInfo = e.debugInfo;
        moved_[&e] = r.connect(s, e.dst, {"1", Language::Python}, std::exchange(e.assignments, {}));
        r.setDestination(&e, s); // rather than a new edge before it, because conditions are tested in order
        nest::Run run;
        run.region = &r;
        run.memories = &memories_;
        run.states = {s};
        return run;
    }

    SDFG &g_;
    analysis::Memories &memories_;
    std::vector<nest::Run> &runs_;
    const std::set<Name> connectors_;                          // of all nodes
    std::map<Name, Name> scalars_;                             // by symbol
    std::map<const Block *, std::size_t> runBefore_;           // by last state
    std::map<const InterstateEdge *, std::size_t> places_;     // runs that replace assignments of edges
    std::map<const InterstateEdge *, InterstateEdge *> moved_; // edges that now have the remaining assignments
};

/// Symbols whose values mention each other, if a tasklet reads one of them.
std::vector<std::vector<std::pair<Name, Candidate *>>> groups(Candidates &candidates) {
    std::map<Name, std::size_t> numbers;
    UnionFind joined;
    for (const auto &[name, c] : candidates)
        if (!c.why)
            numbers.emplace(name, joined.add());
    for (const auto &[name, number] : numbers)
        for (const Assignment &a : candidates.at(name).assignments)
            for (const Name n : a.value.symbols)
                if (const auto other = numbers.find(n); other != numbers.end())
                    joined.join(number, other->second);
    std::map<std::size_t, std::vector<std::pair<Name, Candidate *>>> byRoot;
    for (const auto &[name, number] : numbers)
        byRoot[joined.find(number)].emplace_back(name, &candidates.at(name));
    std::vector<std::vector<std::pair<Name, Candidate *>>> out;
    for (auto &[root, group] : byRoot)
        if (std::any_of(group.begin(), group.end(), [](const auto &symbol) { return symbol.second->isRead; }))
            out.push_back(std::move(group));
    return out;
}

class DemoteSymbols : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        analysis::KeptInterface interface(root);
        const bool changed = rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            if (!mentionsGpu(g) && (!context.options.gpu() || analysis::isInScope(g)))
                demote(g, memories, runs, context);
        });
        interface.keep();
        return changed;
    }

    static void demote(SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs, pass::Context &context) {
        Candidates candidates = Selection(g, runs, context.options.hasDaceMeaning()).select();
        if (candidates.empty())
            return;
        for (const auto &[name, c] : candidates)
            if (c.why && c.isRead)
                context.missed(placeOf(c), "`" + name.str() + "` remains a symbol", c.why);
        Demotion demotion(g, memories, runs);
        for (const auto &group : groups(candidates)) {
            const auto &[name, first] = group.front();
            const std::string with = group.size() == 1 ? " is a scalar" : " is a scalar, with the symbols in its values";
            if (context.mayChange(placeOf(*first), "`" + name.str() + "`" + with))
                demotion.demote(group);
        }
    }

    static pass::Element placeOf(const Candidate &c) { return {*c.assignments.front().edge, *c.assignments.front().region}; }
};

} // namespace

std::unique_ptr<pass::Pass> createDemoteSymbols() { return std::make_unique<DemoteSymbols>(); }

} // namespace sdfgc::transforms
