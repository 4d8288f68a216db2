// split-updates: replace operations with others whose derivatives are known.
//
//     Axpy, Ger, Stencil, ... (kind Expanded)     their expansions without a library
//     copy and fill nodes                         copies, and maps over the elements
//     y[i] *= f(x)                                old = y[i]; y[i] = old * f(x)     where no other iteration of a map updates y[i]
//     map i { y *= f(x[i]) }                      map i { t[i] = f(x[i]) }; p = product of t; y = y * p
//     y = max(y, all of x)  (Reduce)              m = max(all of x); y = max(y, m)
//     y += A @ B            (a library node)      t = A @ B; y += t
//
// Maxima and minima are treated in the same way, and so are updates with any function if no iterations access the same
// element. Only results are changed whose gradient (tangent) the request (`of`, `wrt`) needs.
//
// Legal when:
//   1. An old value is read before it is updated: a single iteration updates the element.
//   2. Updates are collected and combined once, after the map: their order does not matter (maxima, minima), or the
//      floating-point contract allows another one (products, F1).
//   3. A node is expanded, or writes a temporary that is then added: always.
//
// Not handled: other updates. differentiate rejects them (SD4711).
#include "Transforms/Differentiate/SplitUpdates.h"

#include "Transforms/Differentiate/Devices.h"
#include "Transforms/Differentiate/LibraryRules.h"
#include "Transforms/Differentiate/LoopsForMaps.h"
#include "Transforms/Differentiate/Updates.h"
#include "Transforms/Differentiate/UserRules.h"
#include "Transforms/Edits/Completion.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {

namespace gradient {

using namespace ir;
using nest::Item;
using nest::Step;
using nest::Use;
using nest::UseKind;

namespace {

/// Is the container real-valued and active?
using TakesPart = std::function<bool(const Use &)>;

/// The library node of a step, or null.
const LibraryNode *libraryNodeOf(const Step &s) {
    return s.nodes.size() == 1 && !s.made ? dyn_cast<LibraryNode>(s.nodes.front()) : nullptr;
}

bool writesWhatTakesPart(const Step &s, const TakesPart &takesPart) {
    return std::any_of(s.uses.begin(), s.uses.end(), [&](const Use &u) { return u.writes() && takesPart(u); });
}

// ---- expansions

void collect(const std::vector<Item> &items, const TakesPart &takesPart, std::vector<LibraryNode *> &out) {
    for (const Item &i : items) {
        if (i.map) {
            collect(i.map->body, takesPart, out);
            continue;
        }
        const LibraryNode *n = libraryNodeOf(*i.step);
        if (n && userRuleOf(*n).empty() && rulesOf(*n).kind == libnodes::Gradient::Expanded &&
            writesWhatTakesPart(*i.step, takesPart))
            out.push_back(const_cast<LibraryNode *>(n));
    }
}

/// Expands nodes without a library. The nested SDFGs that replace them are added to `made`. False after an error.
bool expand(SDFG &g, const std::vector<LibraryNode *> &nodes, std::set<const Node *> &made, pass::Context &context) {
    for (LibraryNode *n : nodes) {
        State &s = *n->state();
        std::set<const Node *> before;
        for (const auto &each : s.nodes())
            before.insert(each.get());
        n->implementation = "pure";
        if (!libnodes::find(*n)->expand(s, *n, context) || context.diags.hasErrors())
            return false;
        for (const auto &each : s.nodes())
            if (isa<NestedSDFGNode>(each.get()) && !before.count(each.get()))
                made.insert(each.get());
    }
    if (!nodes.empty()) {
        pass::Program program(g, nullptr);
        createJoinArguments()->run(program, context);
        decideDefaults(*g.root(), context);
        inferTypes(*g.root(), context);
    }
    return !context.diags.hasErrors();
}

// ---- items

class Simplifier {
public:
    Simplifier(PrimalProgram &program, Maker &maker, TakesPart takesPart, const std::set<const Node *> &expanded, bool mayReorder)
        : maker_(maker), takesPart_(std::move(takesPart)), expanded_(expanded), connectors_(nest::connectorsOf(maker.sdfg())),
          updates_(program, maker, takesPart_, mayReorder) {}

    bool change(nest::Run &run) {
        changed_ = false;
        run.items = inside(std::move(run.items), nullptr);
        return changed_;
    }
    /// Expansions that remain nested SDFGs.
    const std::set<const SDFG *> &closed() const { return closed_; }

private:
    std::vector<Item> inside(std::vector<Item> items, nest::Map *map) {
        std::vector<Item> out;
        for (Item &i : items) {
            if (i.map) {
                updates_.enter(*i.map);
                i.map->body = inside(std::move(i.map->body), i.map.get());
                out.push_back(std::move(i));
                updates_.leave(out);
                continue;
            }
            const std::size_t before = out.size();
            step(std::move(i), map, out);
            changed_ |= out.size() != before + 1 || out.back().step.get() != current_;
        }
        return out;
    }

    void step(Item i, nest::Map *map, std::vector<Item> &out) {
        current_ = i.step.get();
        const Step &s = *i.step;
        if (s.nodes.size() == 1 && expanded_.count(s.nodes.front()))
            return open(std::move(i), map, out);
        if (!writesWhatTakesPart(s, takesPart_))
            return out.push_back(std::move(i));
        if (const LibraryNode *n = libraryNodeOf(s); n && analysis::isCopyNode(*n) && s.uses.size() == 2)
            return out.push_back(copy(s, map));
        else if (n && analysis::isFillNode(*n))
            return out.push_back(fill(s, *n, map));
        updates_.step(std::move(i), map, out);
    }

    /// Replaces an expansion with its items.
    void open(Item i, nest::Map *map, std::vector<Item> &out) {
        const std::vector<Use> &uses = i.step->uses; // accesses through views have a separate order
        if (std::any_of(uses.begin(), uses.end(), [this](const Use &u) { return maker_.sdfg().desc(u.data)->isView(); }))
            return keep(std::move(i), out);
        std::vector<Name> loops;
        for (const nest::Map *m : updates_.around())
            loops.insert(loops.end(), m->params.begin(), m->params.end());
        nest::Opened opened = nest::open(*i.step, maker_.sdfg(), maker_.memories(), loops, connectors_, [] { return true; });
        if (opened.why)
            return keep(std::move(i), out);
        for (Item &inner : opened.items)
            out.push_back(std::move(inner));
        if (map)
            map->locals.insert(opened.locals.begin(), opened.locals.end());
        current_ = nullptr;
    }

    void keep(Item expansion, std::vector<Item> &out) {
        closed_.insert(cast<NestedSDFGNode>(expansion.step->nodes.front())->sdfg.get());
        out.push_back(std::move(expansion));
    }

    static const Use *written(const Step &s) {
        const auto u = std::find_if(s.uses.begin(), s.uses.end(), [](const Use &each) { return each.writes(); });
        return u == s.uses.end() ? nullptr : &*u;
    }

    /// A copy through a view becomes a map over the elements, which states the position of each.
    Item copy(const Step &s, nest::Map *map) {
        const Use &to = *written(s), &from = s.uses[0].writes() ? s.uses[1] : s.uses[0];
        const auto isView = [this](const Use &u) { return maker_.sdfg().desc(u.data)->isView(); };
        if ((!isView(from) && !isView(to)) || !haveSameShape(*subsetOf(from), *subsetOf(to)))
            return maker_.copy(maker_.part(from, UseKind::Read, *subsetOf(from)), maker_.part(to, to.kind, *subsetOf(to)));
        const Maker::Walk walk = maker_.walkOver(*subsetOf(from));
        const Name in = maker_.connector("__in"), out = maker_.connector("__out");
        Use result = maker_.part(to, to.kind, walk.elementOf(*subsetOf(to)), out);
        result.memlet.wcr = to.memlet.wcr;
        return maker_.over(
            walk, "copy_" + from.data.str(),
            maker_.tasklet("copy", out.str() + " = " + in.str(),
                           {maker_.part(from, UseKind::Read, walk.elementOf(*subsetOf(from)), in), std::move(result)}),
            map);
    }

    /// `value`, or the one element that the node reads, for each element of the result.
    Item fill(const Step &s, const LibraryNode &n, nest::Map *map) {
        const Use &to = *written(s);
        const json::Value *value = n.properties.find("value");
        const auto read = std::find_if(s.uses.begin(), s.uses.end(), [](const Use &u) { return !u.writes(); });
        const Maker::Walk walk = maker_.walkOver(*subsetOf(to));
        const Name out = maker_.connector("__out"), in = maker_.connector("__in");
        std::vector<Use> uses{maker_.part(to, UseKind::Write, walk.elementOf(*subsetOf(to)), out)};
        std::string code = out.str() + " = " + (value ? value->text() : "0");
        if (read != s.uses.end()) {
            uses.push_back(maker_.part(*read, UseKind::Read, *subsetOf(*read), in));
            code = out.str() + " = " + in.str();
        }
        return maker_.over(walk, "fill_" + to.data.str(), maker_.tasklet("fill_" + to.data.str(), code, std::move(uses)), map);
    }

    Maker &maker_;
    TakesPart takesPart_;
    const std::set<const Node *> &expanded_;
    std::set<const SDFG *> closed_;
    std::set<Name> connectors_;
    Updates updates_;
    const Step *current_ = nullptr;
    bool changed_ = false;
};

class Splitter {
public:
    Splitter(Mode mode, pass::Context &context) : mode_(mode), context_(context) {}

    /// Splits the updates in a single SDFG. False after an error.
    bool split(SDFG &g, const Request &request) {
        if (closed_.count(&g))
            complete(g, request);
        const bool isForward = mode_ == Mode::Forward;
        const std::vector<Name> of = isForward ? request.arguments() : request.of; // the tangents of all arguments are declared
        std::set<const Node *> expanded;
        for (const bool expands : {true, false}) {
            analysis::Memories memories(g);
            PrimalProgram program(g, memories);
            const std::set<analysis::Memory> results = program.memoriesOf(of);
            const Activity activity(program, results, program.memoriesOf(request.wrt));
            const TakesPart takesPart = [&](const Use &u) {
                return ((isForward && results.count(u.memory)) || activity.isActive(u.memory)) && isReal(g.desc(u.data)->dtype);
            };
            if (expands) {
                std::vector<LibraryNode *> nodes;
                for (const nest::Run &run : program.runs())
                    collect(run.items, takesPart, nodes);
                changed_ |= !nodes.empty();
                if (!expand(g, nodes, expanded, context_))
                    return false;
            } else {
                change(program, memories, takesPart, expanded);
            }
        }
        return true;
    }

    bool changed() const { return changed_; }

private:
    /// Runs the earlier passes of the pipeline on an expansion, which was created after them.
    void complete(SDFG &expansion, const Request &request) {
        normalise(expansion, context_);
        if (mode_ == Mode::Reverse)
            loopsForMaps(expansion, request, context_);
    }

    void change(PrimalProgram &program, analysis::Memories &memories, const TakesPart &takesPart,
                const std::set<const Node *> &expanded) {
        Maker maker(program.sdfg(), memories);
        Simplifier simplifier(program, maker, takesPart, expanded, context_.allows(pass::FloatClass::F1));
        for (nest::Run &run : program.runs())
            if (simplifier.change(run)) {
                runOnDevice(run, maker);
                run.changed = true;
            }
        closed_.insert(simplifier.closed().begin(), simplifier.closed().end());
        changed_ |= nest::writeChanged(program.runs());
    }

    const Mode mode_;
    pass::Context &context_;
    std::set<const SDFG *> closed_; // expansions that remained nested SDFGs
    bool changed_ = false;
};

} // namespace

bool splitUpdates(SDFG &g, const Request &request, Mode mode, bool &changed, pass::Context &context) {
    Splitter splitter(mode, context);
    const bool done = changeParts(g, request, mode, [&](SDFG &part, const Request &r) { return splitter.split(part, r); });
    changed = splitter.changed();
    return done;
}

namespace {

class SplitUpdates : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        const std::optional<Request> request = requestOf(options, root);
        bool changed = false;
        if (request)
            splitUpdates(root, *request, option<Mode>("mode"), changed, context);
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

} // namespace gradient

std::unique_ptr<pass::Pass> createSplitUpdates() { return std::make_unique<gradient::SplitUpdates>(); }

} // namespace sdfgc::transforms
