// jam-maps: run iterations in strips, so that inner maps that walk down columns use neighbouring elements instead.
//
//     map[j = 0:M] {                                  map[s = 0:M // 8] {
//         t = 0                                           map[v = 0:8] { t[v] = 0 }
//         map[k = 0:N] { t += x[k] * A[k, j] }     ->     map[k = 0:N] { map[v = 0:8] { t[v] += x[k] * A[k, 8 * s + v] } }
//         y[j] = t                                        map[v = 0:8] { y[8 * s + v] = t[v] }
//     }                                               }
//                                                     map[j = 8 * (M // 8):M] { ... }            the rest, as it was
//
// In the original, each step of the inner map is an entire row away from the previous one, and each sum waits for the previous
// addition. Afterwards each step works on a vector of neighbours, with a sum for each. Textbooks call this unroll-and-jam.
//
// Legal when:
//   - iterations write no shared elements, except by sums, which may be reordered (class F1);
//   - every step is a tasklet or a copy that accesses single elements, and private data are variables, not arrays.
//
// Inner maps whose ranges depend on the iteration stay inside the strip, as do ordered ones. One with a thread team goes around it.
//
// Profitable when more accesses, counting sums, are to neighbouring elements along the strip than along the inner maps.
//
// Not handled: programs for a GPU, where neighbouring threads have neighbouring iterations.
//
// If iterations sum longer and longer parts of the same rows, the loops over rows go around the strip, whose iterations then
// read each row from the cache. The sum over a row keeps its order:
//
//     map[i = 0:N] {                                          map[s = 0:N // 8] {
//         t = 0                                                   map[v = 0:8] { t[v] = 0 }
//         map[k = 0:K, l = 0:N - i] { t += A[k, l + i] }   ->     map[k = 0:K] { map[v = 0:8] {
//         y[i] = t                                                    u = t[v]
//     }                                                               map[l = 0:N - 8 * s - v] { u += A[k, l + 8 * s + v] }
//                                                                     t[v] = u } }
//                                                                 ...
#include "Transforms/Edits/NestRemarks.h"
#include "Transforms/Optimize/RaiseReductions.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::loopLike;
using nest::Map;
using nest::Step;
using nest::Use;
using nest::UseKind;

constexpr int64_t bytesOfLine = 64; // of the largest variable: a cache line, and as many sums as compilers keep in registers

/// The subset of a use. Copies omit it for a container with one element.
std::optional<sym::Subset> subsetOf(const Use &u, const DataDesc &d) {
    return !u.subset && analysis::isPlain(&d) && d.totalSize.isOne() ? d.fullSubset() : u.subset;
}

/// Checks whether the steps of a map can be jammed.
class Question {
public:
    /// `sums`: may sums be reordered?
    Question(const Map &m, const SDFG &g, bool sums)
        : map_(m), g_(g), along_(m.params.back()), own_(nest::localsOf(m)), anyOrder_(sums) {}

    /// Does it have the shape of a map to jam? There are no remarks about other maps.
    bool isCandidate() const {
        const sym::Range &range = map_.ranges.back();
        return nest::canSplit(map_) && !map_.entry->ordered && hasInnerMaps(map_) && range.step.isOne() && range.tile.isOne();
    }

    /// Why a candidate is not jammed; empty if it can be.
    Reason obstacle() { return inBody(map_, true); }

    /// Why jamming pays, if there is no obstacle; empty if it does not.
    std::string gain() const {
        const auto size = map_.ranges.back().size().asInt();
        if (size && *size < elements())
            return {};
        if (columns_ > 0 && columns_ + sums_ > inside_)
            return "its inner maps traverse columns";
        return rows_ > 0 && columns_ + sums_ >= inside_ ? "its iterations read the same rows" : "";
    }

    /// Number of elements in a strip.
    int64_t elements() const { return bytesOfLine / std::max<int64_t>(widest_, 1); }

    /// Returns how many outer loops of a map in the body are invariant along the strip. The map may have a team if the
    /// jammed map has none.
    static std::size_t loopsAround(const Map &m, Name along, const MapEntry &jammed) {
        const bool canHaveTeam = jammed.schedule == Schedule::Sequential && m.entry->schedule == Schedule::CPU_Multicore;
        if (!nest::canSplit(m) || (m.entry->schedule != Schedule::Sequential && !canHaveTeam))
            return 0;
        const auto moves = std::find_if(m.ranges.begin(), m.ranges.end(), [along](const sym::Range &r) {
            return r.begin.dependsOn(along) || r.end.dependsOn(along) || r.step.dependsOn(along) || !r.tile.isOne();
        });
        return static_cast<std::size_t>(moves - m.ranges.begin());
    }
    /// Are all loops of the map invariant?
    static bool goesAround(const Map &m, Name along, const MapEntry &jammed) {
        return loopsAround(m, along, jammed) == m.params.size();
    }

    /// Does only the innermost loop of a map in the body move along the strip, summing parts of rows that other
    /// iterations also read?
    static bool sumsRows(const Map &m, Name along, const MapEntry &jammed) {
        if (m.params.size() < 2 || loopsAround(m, along, jammed) != m.params.size() - 1 || m.entry->ordered)
            return false;
        bool rows = false;
        for (const Item &i : m.body) {
            if (!i.step || i.step->isCopy())
                return false;
            for (const Use &u : i.step->uses) {
                const bool isOwn = m.locals.count(u.data) != 0;
                if (u.writes() && !isOwn && (u.kind != UseKind::Update || !u.subset || nest::mentions(*u.subset, m.params)))
                    return false;
                rows |= !u.writes() && !isOwn && u.subset && sharesRow(*u.subset, m, along);
            }
        }
        return rows;
    }

private:
    /// Along the innermost loop of a map, do the elements start or end at the same one in all iterations?
    static bool sharesRow(const sym::Subset &element, const Map &m, Name along) {
        const Name inner = m.params.back();
        const sym::Range &range = m.ranges.back();
        const auto isFixed = [along](const sym::Range &dim, Name loop, const sym::Expr &at) {
            return !sym::substitute(dim.begin, {{loop, at}}).dependsOn(along);
        };
        return element.isOneElement() && nest::mentions(element, {inner}) &&
               std::all_of(element.dims.begin(), element.dims.end(), [&](const sym::Range &dim) {
                   return isFixed(dim, inner, range.begin) || isFixed(dim, inner, range.end);
               });
    }

    bool hasInnerMaps(const Map &m) const {
        return std::any_of(m.body.begin(), m.body.end(), [this](const Item &i) {
            return i.map && (goesAround(*i.map, along_, *map_.entry) || sumsRows(*i.map, along_, *map_.entry));
        });
    }

    /// `jammed`: all loops between the strip and this map are moved around the strip.
    Reason inBody(const Map &m, bool jammed) {
        if (jammed)
            for (const Name n : m.locals) {
                if (!isVariable(n))
                    return {Why::Container, "`" + n.str() + "` is an array private to each iteration"};
                variables_.insert(n);
            }
        for (const Item &i : m.body) {
            rows_ += jammed && i.map && sumsRows(*i.map, along_, *map_.entry);
            if (Reason why = i.map ? inBody(*i.map, jammed && goesAround(*i.map, along_, *map_.entry)) : ofStep(i, m, jammed))
                return why;
        }
        return {};
    }

    bool isVariable(Name n) const {
        const DataDesc *d = g_.desc(n);
        return analysis::isPlain(d) && d->totalSize.isOne() && analysis::isOnHost(d) && isNumber(d->dtype);
    }
    static bool isNumber(Type t) { return t.isNumeric() && t.bytes().value_or(0) > 0; }

    Reason ofStep(const Item &item, const Map &around, bool jammed) {
        const Step &s = *item.step;
        const Reason opaque{Why::Opaque, "it contains more than tasklets"};
        if (s.effects || s.nodes.size() > 1 || (!s.isCopy() && !isa<Tasklet>(s.nodes.front())))
            return opaque;
        const std::map<Name, sym::Expr> meaning{{along_, sym::Expr::symbol(Name("__v"))}};
        for (const Use &u : s.uses) {
            const DataDesc *d = g_.desc(u.data);
            const std::optional<sym::Subset> subset = subsetOf(u, *d);
            if (!subset || !subset->isOneElement() || !analysis::isPlain(d) || subset->rank() != d->rank() || u.memlet.dynamic ||
                (!s.isCopy() && u.memlet.data != u.data))
                return {Why::SharedElement, "a use of `" + u.data.str() + "` is more than one element"};
            if (s.isCopy() && (!analysis::isOnHost(d) || u.kind == UseKind::Update))
                return opaque;
            if (!own_.count(u.data) && u.writes() && !isOfOneIteration(*subset) && !(anyOrder_ && isSumOfNumbers(u, g_)))
                return {Why::Dependence, "iterations write common elements of `" + u.data.str() + "`"};
            if (jammed)
                count(u, *subset, *d, around);
        }
        if (s.isCopy() && !(g_.desc(s.uses.front().data)->dtype == g_.desc(s.uses.back().data)->dtype))
            return opaque;
        return nest::canRename(item, meaning) ? Reason() : Reason{Why::Names, "its parameter cannot be replaced"};
    }

    /// Is the element used by no other iteration? This holds for an index that moves by a constant, but not for `j // 2`.
    bool isOfOneIteration(const sym::Subset &element) const {
        const std::map<Name, sym::Expr> next{{along_, sym::Expr::symbol(along_) + 1}};
        return std::any_of(element.dims.begin(), element.dims.end(), [&](const sym::Range &r) {
            const auto step = (sym::substitute(r.begin, next) - r.begin).asInt();
            return step && *step != 0;
        });
    }

    void count(const Use &u, const sym::Subset &subset, const DataDesc &d, const Map &around) {
        widest_ = std::max(widest_, d.dtype.bytes().value_or(1));
        if (&around == &map_)
            return;
        const bool carried = u.kind == UseKind::Update || (around.entry->ordered && u.writes());
        const bool isSum = carried && variables_.count(u.data) && !around.locals.count(u.data);
        columns_ += nest::isNextTo(subset, d, along_);
        sums_ += isSum;
        inside_ += nest::isNextTo(subset, d, around.params.back());
    }

    const Map &map_;
    const SDFG &g_;
    const Name along_;
    const std::set<Name> own_;     // private to iterations, at any depth
    const bool anyOrder_;          // of sums
    std::set<Name> variables_;     // variables that become arrays along the strip
    int columns_ = 0, inside_ = 0; // uses in inner maps that are adjacent along the strip, and along these maps
    int sums_ = 0;                 // sums of inner maps and loops in variables: each waits for the previous one
    int rows_ = 0;                 // inner maps that sum parts of rows
    int64_t widest_ = 1;           // bytes
};

/// Jams one map.
class Jam {
public:
    Jam(SDFG &g, analysis::Memories &memories, const std::set<Name> &connectors, int64_t width)
        : g_(g), memories_(memories), connectors_(connectors), width_(width) {}

    /// The items that replace a map of one parameter, with this number of entire strips.
    std::vector<Item> items(Map &m, sym::Expr strips) {
        const sym::Range range = m.ranges.back();
        const Name along = m.params.back();
        sym::Range last = range;
        last.begin = range.begin + width_ * strips;
        auto rest = std::make_unique<Map>(loopLike(*m.entry, m.entry->label, {along}, {last})); // fewer iterations than in a strip
        std::unique_ptr<Map> twin = nest::twinOf(m, g_, memories_, connectors_);
        rest->body = std::move(twin->body);
        rest->locals = std::move(twin->locals);

        const Name s = fresh("__s", m);
        v_ = fresh("__v", m);
        like_ = m.entry;
        meaning_ = {{along, range.begin + width_ * sym::Expr::symbol(s) + sym::Expr::symbol(v_)}};
        auto all = std::make_unique<Map>(nest::mapLike(*m.entry, "strips", {s}, {{0, strips - 1, 1, 1}}));
        all->locals = inStrips(m.locals);
        all->body = jammed(std::move(m.body), along);
        for (const auto &[variable, strip] : strips_)
            g_.arrays.erase(variable);
        std::vector<Item> out;
        out.push_back({std::move(all), nullptr});
        out.push_back({std::move(rest), nullptr});
        return out;
    }

private:
    Name fresh(const char *base, const Map &m) const {
        const std::set<Name> used = namesIn(m);
        Name n = g_.freshName(base);
        for (int k = 0; used.count(n) || n == v_; ++k)
            n = g_.freshName(base + std::to_string(k));
        return n;
    }

    static std::set<Name> namesIn(const Map &m) {
        std::set<Name> out(m.params.begin(), m.params.end());
        for (const Item &i : m.body) {
            if (i.map)
                out.merge(namesIn(*i.map));
            else
                for (const Use &u : i.step->uses)
                    if (u.subset)
                        out.merge(u.subset->freeSymbols());
        }
        return out;
    }

    /// Turns variables of an iteration into arrays along the strip.
    std::set<Name> inStrips(const std::set<Name> &variables) {
        std::set<Name> out;
        for (const Name n : variables) {
            DataDesc d = DataDesc::array(g_.desc(n)->dtype, {width_}, true);
            d.storage = Storage::Register;
            const Name strip = nest::addContainer(g_, n.str() + "_strip", std::move(d), connectors_);
            strips_.emplace(n, strip);
            out.insert(strip);
        }
        return out;
    }

    /// Merges neighbouring steps into one map along the strip, and moves maps around it.
    std::vector<Item> jammed(std::vector<Item> body, Name along) {
        std::vector<Item> out;
        Map *last = nullptr;
        for (Item &i : body) {
            if (i.map && Question::sumsRows(*i.map, along, *like_))
                nest::splitOff(*i.map, i.map->params.size() - 1);
            if (i.map && Question::goesAround(*i.map, along, *like_)) {
                const std::set<Name> own = inStrips(i.map->locals);
                i.map->body = jammed(std::move(i.map->body), along);
                i.map->locals = own;
                if (std::any_of(handedOn_.begin(), handedOn_.end(), [&](Name n) { return !own.count(n); }))
                    nest::setOrdered(*i.map);
                out.push_back(std::move(i));
                last = nullptr;
                continue;
            }
            if (!last) {
                out.push_back({std::make_unique<Map>(loopLike(*like_, like_->label, {v_}, {{0, width_ - 1, 1, 1}})), nullptr});
                last = out.back().map.get();
                nest::setSimd(*last, true);
            }
            if (i.map) { // the strip is not the innermost loop
                addMap(*last, std::move(i));
                nest::setSimd(*last, false);
                continue;
            }
            last->body.push_back(element(std::move(i)));
            if (sharesUpdate(*last->body.back().step)) // the strip adds to a single element
                nest::setSimd(*last, false);
        }
        return out;
    }

    /// Adds a map to the code for each element of a strip. Updates of variables that became strips go through a
    /// variable of the element, because compilers do not vectorise loops that add to an array element.
    void addMap(Map &strip, Item i) {
        std::map<Name, Use> updates; // by variable
        for (const nest::PlacedUse &p : nest::usesOf(i))
            if (p.use->kind == UseKind::Update && strips_.count(p.use->data))
                updates.emplace(p.use->data, *p.use);
        std::vector<Item> stores;
        for (const auto &[variable, update] : updates) {
            DataDesc d = DataDesc::scalar(g_.desc(variable)->dtype, true);
            d.storage = Storage::Register;
            const Name sum = nest::addContainer(g_, variable.str() + "_sum", std::move(d), connectors_);
            strip.locals.insert(sum);
            handedOn_.insert(strips_.at(variable));
            nest::renameContainers(i, {{variable, sum}}, g_, memories_);
            strip.body.push_back(copied("load_", update, strips_.at(variable), sym::Expr::symbol(v_), sum, 0));
            stores.push_back(copied("store_", update, sum, 0, strips_.at(variable), sym::Expr::symbol(v_)));
        }
        strip.body.push_back(element(std::move(i)));
        std::move(stores.begin(), stores.end(), std::back_inserter(strip.body));
    }

    /// A step that copies an element of one container to an element of another. `like`: a use of the variable that both represent.
    Item copied(const char *label, const Use &like, Name from, const sym::Expr &at, Name to, const sym::Expr &there) {
        const auto use = [&](UseKind kind, Name data, const sym::Expr &index, const char *connector) {
            Use u = like;
            u.kind = kind;
            u.moveTo(data, memories_.of(g_, data));
            u.certain = kind == UseKind::Write;
            return nest::ofElement(u, sym::Subset::point(std::vector<sym::Expr>{index}), Name(connector));
        };
        return nest::taskletStep(label + like.data.str(), "__out = __inp", {use(UseKind::Read, from, at, "__inp")},
                                 use(UseKind::Write, to, there, "__out"), g_);
    }

    bool sharesUpdate(const Step &s) const {
        return std::any_of(s.uses.begin(), s.uses.end(), [this](const Use &u) {
            return u.kind == UseKind::Update && u.subset && !u.subset->freeSymbols().count(v_);
        });
    }

    /// A step, or a map inside the strip, for one element of the strip.
    Item element(Item i) {
        if (i.map) {
            for (sym::Range &r : i.map->ranges)
                r = r.substituted(meaning_);
            for (Item &inner : i.map->body)
                inner = element(std::move(inner));
            return i;
        }
        if (i.step->isCopy()) {
            const Use &from = i.step->uses.front(), &to = i.step->uses.back();
            i = nest::taskletStep("copy_" + from.data.str(), "__out = __inp",
                                  {nest::ofElement(from, *subsetOf(from, *g_.desc(from.data)), Name("__inp"))},
                                  nest::ofElement(to, *subsetOf(to, *g_.desc(to.data)), Name("__out")), g_);
        }
        nest::rename(i, meaning_);
        for (Use &u : i.step->uses)
            if (const auto strip = strips_.find(u.data); strip != strips_.end()) {
                u.moveTo(strip->second, memories_.of(g_, strip->second));
                u.memlet.data = strip->second;
                u.subset = u.memlet.subset = sym::Subset::point(std::vector<sym::Expr>{sym::Expr::symbol(v_)});
            }
        return i;
    }

    SDFG &g_;
    analysis::Memories &memories_;
    const std::set<Name> &connectors_;
    const int64_t width_;
    Name v_;
    const MapEntry *like_ = nullptr;
    std::map<Name, sym::Expr> meaning_; // value of the parameter in a strip
    std::map<Name, Name> strips_;       // by variable
    std::set<Name> handedOn_;           // strips that one iteration of a surrounding map stores and the next one loads
};

/// Rewrites the maps of one SDFG.
class Jamming {
public:
    Jamming(SDFG &g, analysis::Memories &memories, pass::Context &context)
        : g_(g), memories_(memories), context_(context), connectors_(nest::connectorsOf(g)), facts_(analysis::factsOf(g)) {}

    void jam(nest::Run &run) {
        region_ = run.region;
        run.changed |= in(run.items);
    }

private:
    /// Jams the maps in a list, outer ones first. Returns whether anything changed.
    bool in(std::vector<Item> &list) {
        bool changed = false;
        std::vector<Item> out;
        for (Item &i : list) {
            if (!i.map || isGpuSchedule(i.map->entry->schedule)) {
                out.push_back(std::move(i));
                continue;
            }
            const std::optional<int64_t> width = widthOf(*i.map);
            const std::size_t outer = around_.size();
            analysis::addLoops(around_, *i.map);
            changed |= width || in(i.map->body);
            if (width)
                jam(std::move(i), *width, out);
            else
                out.push_back(std::move(i));
            around_.resize(outer);
        }
        list = std::move(out);
        return changed;
    }

    /// The width of the strips of a map that is to be jammed.
    std::optional<int64_t> widthOf(const Map &m) {
        Question question(m, g_, context_.allows(pass::FloatClass::F1));
        if (!question.isCandidate())
            return std::nullopt;
        const pass::Element where = elementOfItem(m, g_);
        if (const Reason why = question.obstacle()) {
            context_.missed(where, "is not jammed", why);
            return std::nullopt;
        }
        const int64_t width = question.elements();
        const std::string gain = question.gain();
        const bool jams = !gain.empty() && context_.mayChange(where, "runs in strips of " + std::to_string(width) + ": " + gain);
        return jams ? std::optional(width) : std::nullopt;
    }

    void jam(Item i, int64_t width, std::vector<Item> &out) {
        Map *last = i.map.get();
        if (last->params.size() > 1) {
            nest::splitOff(*last, last->params.size() - 1);
            last = last->body.front().map.get();
        }
        std::vector<analysis::LoopLevel> loops = analysis::loopsAround(*region_);
        loops.insert(loops.end(), around_.begin(), around_.end() - 1); // without the jammed one
        const sym::Expr strips = nest::stripsOf(last->ranges.back(), width, loops, facts_);
        std::vector<Item> made = Jam(g_, memories_, connectors_, width).items(*last, strips);
        std::vector<Item> &into = last == i.map.get() ? out : i.map->body;
        if (last != i.map.get())
            into.clear();
        std::move(made.begin(), made.end(), std::back_inserter(into));
        if (&into != &out)
            out.push_back(std::move(i));
    }

    SDFG &g_;
    analysis::Memories &memories_;
    pass::Context &context_;
    const std::set<Name> connectors_; // of all nodes
    const sym::Assumptions facts_;
    const Region *region_ = nullptr;          // of the current run
    std::vector<analysis::LoopLevel> around_; // the current list in the run, outermost first
};

class JamMaps : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (context.options.gpu()) // there, neighbouring threads have neighbouring iterations
            return false;
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            Jamming jamming(g, memories, context);
            for (nest::Run &run : runs)
                jamming.jam(run);
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createJamMaps() { return std::make_unique<JamMaps>(); }

} // namespace sdfgc::transforms
