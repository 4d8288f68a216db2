#include "Transforms/Differentiate/Simplify.h"

#include "Transforms/Differentiate/Devices.h"
#include "Transforms/Differentiate/LibraryRules.h"
#include "Transforms/Differentiate/Updates.h"
#include "Transforms/Differentiate/UserRules.h"
#include "Transforms/Edits/Completion.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Step;
using nest::Use;
using nest::UseKind;

namespace {

/// Is a container of real numbers, and does it take part?
using TakesPart = std::function<bool(const Use &)>;

/// The library node of a step, or null.
const LibraryNode *nodeOf(const Step &s) {
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
        const LibraryNode *n = nodeOf(*i.step);
        if (n && userRuleOf(*n).empty() && rulesOf(*n).kind == libnodes::Gradient::Expanded &&
            writesWhatTakesPart(*i.step, takesPart))
            out.push_back(const_cast<LibraryNode *>(n));
    }
}

/// Expands nodes without a library. The nested SDFGs that take their places are added to `made`. False after an error.
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
        joinArguments(g);
        decideDefaults(*g.root(), context);
        inferTypes(*g.root(), context);
    }
    return !context.diags.hasErrors();
}

// ---- items

class Simplifier {
public:
    Simplifier(Program &program, Maker &maker, TakesPart takesPart, const std::set<const Node *> &expanded, bool mayReorder)
        : maker_(maker), takesPart_(std::move(takesPart)), expanded_(expanded), connectors_(nest::connectorsOf(maker.sdfg())),
          updates_(program, maker, takesPart_, mayReorder) {}

    bool change(nest::Run &run) {
        changed_ = false;
        run.items = inside(std::move(run.items), nullptr);
        return changed_;
    }

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
        if (const LibraryNode *n = nodeOf(s); n && analysis::isCopyNode(*n) && s.uses.size() == 2)
            return out.push_back(copy(s, map));
        else if (n && analysis::isFillNode(*n))
            return out.push_back(fill(s, *n, map));
        updates_.step(std::move(i), map, out);
    }

    /// An expansion takes its place in the items around it.
    void open(Item i, nest::Map *map, std::vector<Item> &out) {
        const std::vector<Use> &uses = i.step->uses; // what is seen through views has an order of its own
        if (std::any_of(uses.begin(), uses.end(), [this](const Use &u) { return maker_.sdfg().desc(u.data)->isView(); }))
            return out.push_back(std::move(i));
        std::vector<Name> loops;
        for (const nest::Map *m : updates_.around())
            loops.insert(loops.end(), m->params.begin(), m->params.end());
        nest::Opened opened = nest::open(*i.step, maker_.sdfg(), maker_.memories(), loops, connectors_, [] { return true; });
        if (opened.why)
            return out.push_back(std::move(i));
        for (Item &inner : opened.items)
            out.push_back(std::move(inner));
        if (map)
            map->locals.insert(opened.locals.begin(), opened.locals.end());
        current_ = nullptr;
    }

    static const Use *written(const Step &s) {
        const auto u = std::find_if(s.uses.begin(), s.uses.end(), [](const Use &each) { return each.writes(); });
        return u == s.uses.end() ? nullptr : &*u;
    }

    /// Through a view as a map over the elements, which says where each is.
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
    std::set<Name> connectors_;
    Updates updates_;
    const Step *current_ = nullptr;
    bool changed_ = false;
};

} // namespace

bool simplify(SDFG &g, const std::vector<Name> &of, const std::vector<Name> &wrt, const std::vector<Name> &declared,
              pass::Context &context) {
    std::set<const Node *> expanded;
    for (const bool expands : {true, false}) {
        analysis::Memories memories(g);
        Program program(g, memories);
        const Activity activity(program, program.memoriesOf(of), program.memoriesOf(wrt));
        const std::set<analysis::Memory> given = program.memoriesOf(declared);
        const TakesPart takesPart = [&](const Use &u) {
            return (given.count(u.memory) || activity.isActive(u.memory)) && isReal(g.desc(u.data)->dtype);
        };
        if (expands) {
            std::vector<LibraryNode *> nodes;
            for (const nest::Run &run : program.runs())
                collect(run.items, takesPart, nodes);
            if (!expand(g, nodes, expanded, context))
                return false;
            continue;
        }
        Maker maker(g, memories);
        Simplifier simplifier(program, maker, takesPart, expanded, context.allows(pass::FloatClass::F1));
        for (nest::Run &run : program.runs())
            if (simplifier.change(run)) {
                runOnDevice(run, maker);
                run.changed = true;
            }
        nest::writeChanged(program.runs());
    }
    return true;
}

} // namespace sdfgc::transforms::gradient
