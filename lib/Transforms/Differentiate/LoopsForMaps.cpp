// loops-for-maps: convert sequential maps with dependent iterations to loops.
//
//     map i (Sequential) { y[i] = c * y[i - 1] }    ->    nested SDFG of y { for i { y[i] = c * y[i - 1] } }
//
// Iterations of a map are unordered, and so are those of its gradient. A sequential map is ordered, and programs rely on
// it: an iteration reads what earlier ones wrote, so its gradient needs what later iterations propagated back, and the last
// iteration must come first. Loops are reversed in this way, maps are not.
//
// Legal when:
//   - The map runs in the order of a loop: its schedule is Sequential or Unrolled, or it is marked as ordered.
//
// Only maps are converted in which an iteration may write an element that another one reads or writes, and whose gradient
// the request (`of`, `wrt`) needs. Sums into an element do not count, since their order does not matter.
//
// Not handled: maps that use one memory under several names, and tiled maps. differentiate rejects them (SD4714). Tangents
// run along with the program, so `mode=forward` changes nothing.
#include "Transforms/Differentiate/LoopsForMaps.h"

#include "Transforms/Edits/Completion.h"
#include "Transforms/Edits/NestRemarks.h"
#include "Transforms/Edits/Outline.h"
#include "sdfgc/Nest/Build.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/PassSymbols.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {

namespace gradient {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::PlacedUse;
using nest::Step;
using nest::Use;
using nest::UseKind;

namespace {

bool hasOrder(const MapEntry &m) { return m.ordered || m.schedule == Schedule::Sequential || m.schedule == Schedule::Unrolled; }

} // namespace

bool isInOrder(const Map &m, const PrimalProgram &program, const std::function<bool(const Use &)> &isActive) {
    if (!hasOrder(*m.entry))
        return false;
    const std::set<Name> own = nest::localsOf(m);
    return std::any_of(m.body.begin(), m.body.end(), [&](const Item &item) {
        const std::vector<PlacedUse> uses = nest::usesOf(item);
        return std::any_of(uses.begin(), uses.end(), [&](const PlacedUse &u) {
            return u.use->kind != UseKind::Update && !own.count(u.use->data) && isActive(*u.use) && program.meetsOthers(m, *u.use);
        });
    });
}

namespace {

/// A container used by a map, as an argument of the nested SDFG.
struct Argument {
    DataDesc desc;
    const Use *use = nullptr;                    // one of them
    std::vector<std::optional<sym::Expr>> fixed; // index along dimensions where all uses agree on one that no inner loop determines
    bool read = false, written = false;

    /// The outer elements of the argument.
    sym::Subset shown() const {
        sym::Subset out = desc.fullSubset();
        for (std::size_t d = 0; d < fixed.size(); ++d)
            if (fixed[d])
                out.dims[d] = {*fixed[d], *fixed[d], 1, 1};
        return out;
    }
    /// Converts a subset to the inner elements.
    void place(sym::Subset &s) const {
        for (std::size_t d = 0; d < fixed.size() && d < s.rank(); ++d)
            if (fixed[d])
                s.dims[d] = {0, 0, 1, 1};
    }
};

/// A map that becomes a loop.
class Looped {
public:
    Looped(Item &map, Maker &maker, const analysis::SymbolTypes &types)
        : item_(map), maker_(maker), g_(maker.sdfg()), types_(types), locals_(nest::localsOf(map)) {}

    /// Nothing if the map cannot become a loop.
    std::optional<Item> convert() {
        if (!findArguments())
            return std::nullopt;
        place(item_.map->body);
        auto node = std::make_shared<NestedSDFGNode>();
        node->label = word(item_.map->entry->label);
        node->debugInfo = item_.map->entry->debugInfo;
        node->sdfg = std::make_unique<SDFG>(Name(node->label));
        node->sdfg->parentNode = node.get();
        write(*node->sdfg);
        std::vector<Use> uses = pass();
        analysis::passRequiredSymbols(*node, [this](Name n) { return types_.of(n); });
        Item out = Maker::step(std::move(node), std::move(uses));
        out.step->effects = nest::hasEffects(item_);
        return out;
    }

private:
    static std::string word(const std::string &label) {
        const std::string name = label + "_loop";
        return isIdentifier(name) ? name : "map_loop";
    }

    // ---- arguments

    bool findArguments() {
        if (std::any_of(item_.map->ranges.begin(), item_.map->ranges.end(), [](const sym::Range &r) { return !r.tile.isOne(); }))
            return false;
        std::map<analysis::Memory, Name> names;
        for (const PlacedUse &u : nest::usesOf(item_)) {
            const DataDesc *d = g_.desc(u.use->data);
            if (!d || locals_.count(u.use->data))
                continue;
            const bool isElements = analysis::isPlain(d) || (d->isView() && (d->isArray() || d->isScalar()));
            if (!isElements || names.emplace(u.use->memory, u.use->data).first->second != u.use->data)
                return false;
            add(u, *d);
        }
        return true;
    }

    void add(const PlacedUse &u, const DataDesc &d) {
        Argument &a = arguments_[u.use->data];
        const bool first = !a.use;
        if (first) {
            a.desc = d;
            a.fixed.resize(d.rank());
        }
        a.use = u.use;
        a.read |= u.use->kind != UseKind::Write;
        a.written |= u.use->writes();
        const std::optional<sym::Subset> &s = u.use->subset;
        const bool said = s && s->rank() == d.rank() && isSaid(*u.use, *u.step);
        for (std::size_t k = 0; k < a.fixed.size(); ++k) {
            const bool isFixed = said && s->dims[k].begin == s->dims[k].end && !movesInside(s->dims[k].begin, u);
            if (!isFixed || (!first && a.fixed[k] != s->dims[k].begin))
                a.fixed[k].reset();
            else if (first)
                a.fixed[k] = s->dims[k].begin;
        }
    }

    /// Does the memlet state the subset, so that it can be replaced? For a copy, this asks about both sides.
    static bool isSaid(const Use &u, const Step &s) {
        return u.memlet.subset && (s.isCopy() ? u.memlet.otherSubset.has_value() : u.memlet.data == u.data);
    }

    static bool movesInside(sym::Expr e, const PlacedUse &u) {
        return std::any_of(u.instance.loops.begin(), u.instance.loops.end(),
                           [e](const analysis::LoopLevel &l) { return e.dependsOn(l.variable); });
    }

    // ---- the body

    void place(std::vector<Item> &items) {
        for (Item &i : items)
            if (i.map)
                place(i.map->body);
            else
                place(*i.step);
    }

    void place(Step &s) {
        for (Use &u : s.uses) {
            if (u.subset)
                place(u.data, *u.subset);
            if (u.memlet.subset)
                place(u.memlet.data, *u.memlet.subset);
            if (s.isCopy() && u.memlet.otherSubset) {
                const Name from = s.uses.front().data, to = s.uses.back().data;
                place(u.memlet.data == from ? to : from, *u.memlet.otherSubset);
            }
        }
    }

    void place(Name data, sym::Subset &s) const {
        if (const auto a = arguments_.find(data); a != arguments_.end())
            a->second.place(s);
    }

    // ---- the loop

    /// Creates a loop per parameter, with the body in the innermost one.
    void write(SDFG &inner) {
        const Map &m = *item_.map;
        inner.label = inner.name.str();
        inner.usesExplicitControlFlow = true;
        inner.level = levelOfParts(g_);
        inner.symbolHints = g_.symbolHints;
        for (auto &[name, a] : arguments_)
            inner.arrays.set(name, inside(a));
        for (const Name n : locals_) {
            inner.arrays.set(n, *g_.desc(n));
            g_.arrays.erase(n);
        }
        Region *r = &inner;
        for (std::size_t d = 0; d < m.params.size(); ++d) {
            auto *l = r->add<LoopRegion>();
            l->label = m.params[d].str() + "_loop";
            const std::string i = m.params[d].str();
            l->variable = m.params[d];
            l->init = Code{i + " = " + m.ranges[d].begin.str(), Language::Python};
            l->condition = Code{i + " < " + (m.ranges[d].end + 1).str(), Language::Python};
            l->update = Code{i + " = " + (sym::Expr::symbol(m.params[d]) + m.ranges[d].step).str(), Language::Python};
            l->unroll = m.entry->schedule == Schedule::Unrolled;
            inner.symbols.set(m.params[d], Type(ScalarKind::Int64));
            r->setStart(l);
            r = l;
        }
        auto *s = r->add<State>();
        s->label = "body";
        r->setStart(s);
        nest::Run run{r, &maker_.memories(), {s}, std::move(item_.map->body), true};
        nest::write(run);
        item_.map->body = std::move(run.items); // needed for effects
    }

    /// The argument's descriptor in the nested SDFG.
    static DataDesc inside(const Argument &a) {
        DataDesc d = a.desc;
        d.alias = AliasKind::None;
        d.className = Name();
        d.transient = false;
        d.lifetime = Lifetime::Scope;
        if (std::none_of(a.fixed.begin(), a.fixed.end(), [](const auto &index) { return index.has_value(); }))
            return d;
        d.totalSize = 1; // from the first element to the last one
        for (std::size_t k = 0; k < a.fixed.size(); ++k) {
            if (a.fixed[k]) {
                d.shape[k] = 1;
                d.offset[k] = 0;
            }
            d.totalSize = d.totalSize + (d.shape[k] - 1) * d.strides[k];
        }
        return d;
    }

    std::vector<Use> pass() {
        std::vector<Use> uses;
        for (const UseKind kind : {UseKind::Read, UseKind::Write})
            for (const auto &[name, a] : arguments_)
                if (kind == UseKind::Read ? a.read : a.written) {
                    uses.push_back(maker_.part(*a.use, kind, a.shown(), name));
                    uses.back().certain = false;
                    uses.back().memlet.volume = 0; // depends on the loop
                    uses.back().memlet.dynamic = true;
                }
        return uses;
    }

    Item &item_;
    Maker &maker_;
    SDFG &g_;
    const analysis::SymbolTypes &types_;
    std::set<Name> locals_;
    std::map<Name, Argument> arguments_;
};

class Finder {
public:
    Finder(PrimalProgram &program, Maker &maker, std::function<bool(const Use &)> isActive, pass::Context &context)
        : program_(program), maker_(maker), isActive_(std::move(isActive)), context_(context) {}

    /// Did a map become a loop?
    bool change(std::vector<Item> &items) {
        bool changed = false;
        for (Item &i : items)
            if (i.map && isInOrder(*i.map, program_, isActive_)) {
                const pass::Element name = elementOfItem(*i.map, maker_.sdfg());
                if (auto made = Looped(i, maker_, program_.symbolTypes()).convert()) {
                    context_.done(name, "is reversed as a loop, because its iterations depend on each other");
                    i = std::move(*made);
                    changed = true;
                }
            } else if (i.map)
                changed |= change(i.map->body);
        return changed;
    }

private:
    PrimalProgram &program_;
    Maker &maker_;
    std::function<bool(const Use &)> isActive_;
    pass::Context &context_;
};

bool hasMapInOrder(SDFG &g) {
    for (const State *s : allStates(std::as_const(g)))
        for (const MapEntry *m : nodesOf<MapEntry>(*s))
            if (hasOrder(*m))
                return true;
    return false;
}

} // namespace

bool loopsForMaps(SDFG &g, const Request &request, pass::Context &context) {
    if (!hasMapInOrder(g))
        return false;
    analysis::Memories memories(g);
    PrimalProgram program(g, memories);
    const Activity activity(program, program.memoriesOf(request.of), program.memoriesOf(request.wrt));
    Maker maker(g, memories);
    Finder finder(
        program, maker, [&](const Use &u) { return activity.isActive(u.memory) && isReal(g.desc(u.data)->dtype); }, context);
    for (nest::Run &run : program.runs())
        run.changed = finder.change(run.items);
    const bool changed = nest::writeChanged(program.runs());
    if (changed)
        inferTypes(*g.root(), context);
    return changed;
}

namespace {

class LoopsForMaps : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        const std::optional<Request> request = requestOf(options, root);
        if (!request || option<Mode>("mode") == Mode::Forward)
            return false;
        bool changed = false;
        changeParts(root, *request, Mode::Reverse, [&](SDFG &g, const Request &r) {
            changed |= loopsForMaps(g, r, context);
            return true;
        });
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

} // namespace gradient

std::unique_ptr<pass::Pass> createLoopsForMaps() { return std::make_unique<gradient::LoopsForMaps>(); }

} // namespace sdfgc::transforms
