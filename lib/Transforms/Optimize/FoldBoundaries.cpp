// fold-boundaries: compute elements of a boundary by the formula of the elements that it copies.
//
//     copy p to q                                           copy p to q
//     map[i = 1:N - 1, j = 1:M - 1] { p[i, j] = ... }       map[i = 0:N, j = 0:M] {
//     copy p[:, 1] to p[:, 0]                         ->        i1 = max(i, 1), j1 = max(j, 1)
//     copy p[1, :] to p[0, :]                                   v = q[i1, j1]
//     map[j = 0:M] { p[N - 1, j] = 0 }                          if i1 < N - 1 and j1 < M - 1: v = ...   with i1, j1 for i, j
//                                                               if i == N - 1: v = 0
//                                                               p[i, j] = v
//                                                           }
//
// On a device, each boundary is a kernel of few elements, whose launch takes longer than its work, and it has to wait for the one
// before. In the result, the thread of an element finds out which element it would be a copy of, and computes that one by itself.
// The entire array is written, so alternate-buffers may remove the copy to q.
//
// The pass follows an element back, from the last item that writes the array: if an item copies a row or a column from the
// neighbouring one, the index becomes that of the neighbour. An element that no map writes keeps its value, which is in q.
//
// Legal when:
//   1. the items, from the copy of the entire array on, are maps of tasklets that write different elements in each
//      iteration, without conditions, and copies of an entire row or column at an end of the array to which the neighbour is copied;
//   2. no map reads the array, and nothing else uses it between these items, or writes q;
//   3. all items can be made adjacent.
//
// Each element is computed by the same operations from the same values.
//
// Profitable when at least one boundary is a copy within the array; unite-maps handles the others.
//
// Not handled: periodic boundaries, which copy an end of the array to the other one; rows within the array.
#include "Transforms/Edits/NestRemarks.h"
#include "Transforms/Optimize/ThreadSpace.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Nest/Producers.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::Use;
using sym::Expr;

/// A copy of the elements next to an end of an array along one dimension to that end.
struct Boundary {
    std::size_t dim = 0;
    bool isFirst = false; // the end
    Expr from;            // the index of the neighbour
};

/// The elements that an iteration of a map writes.
struct Formula {
    std::size_t item = 0;
    nest::Producer map;
    nest::ProducedValue value;
};

/// An index of the element that determines the value of the thread's element.
struct Origin {
    Expr index, least, most;
    friend bool operator==(const Origin &, const Origin &) = default;
};

/// The items of a run from a copy of an array on that write this array.
class Boundaries {
public:
    Boundaries(std::vector<Item> &list, std::size_t copy, SDFG &g, analysis::Memories &memories, const nest::Conflicts &items)
        : list_(list), copy_(copy), g_(g), memories_(memories), items_(items), array_(list[copy].step->uses.front().data),
          saved_(list[copy].step->uses.back().data) {}

    /// Finds the items. Is there something to fold?
    bool find() {
        for (std::size_t i = copy_ + 1; i < list_.size(); ++i) {
            if (!uses(list_[i], array_, false) && !uses(list_[i], saved_, true))
                continue;
            if (!add(i))
                break;
            last_ = i;
        }
        return std::any_of(steps_.begin(), steps_.end(), [](const auto &s) { return s.second.has_value(); }) && !formulas_.empty();
    }

    Reason obstacle() const {
        for (std::size_t i = copy_ + 1; i < last_; ++i)
            if (!members_.count(i))
                for (const std::size_t m : members_)
                    if (m < i && items_.ordered(list_[m], items_.factsOf(list_[m]), list_[i], items_.factsOf(list_[i])))
                        return {Why::Order, "an item between them must stay there"};
        int64_t most = 0;
        for (const Formula &f : formulas_) {
            Expr iterations = 1;
            for (const analysis::LoopLevel &l : f.map.loops)
                iterations *= l.range.steps();
            most = std::max(most, estimate(iterations));
        }
        const int64_t all = estimate(desc().fullSubset().numElements());
        if (all > most && all - most > most / 4)
            return {Why::Shape, "its maps write only a part of the array"};
        return {};
    }

    const Map &firstMap() const { return *list_[formulas_.front().item].map; }
    std::string what() const { return "boundaries of `" + array_.str() + "` are computed instead of copied"; }

    void fold() {
        const std::set<Name> connectors = nest::connectorsOf(g_);
        const DataDesc &d = desc();
        const std::vector<sym::Range> box = d.fullSubset().dims;
        for (std::size_t k = 0; k < d.rank(); ++k)
            threads_.push_back(fresh("__i" + std::to_string(k)));
        const MapEntry &like = *firstMap().entry;
        auto out = std::make_unique<Map>(nest::mapLike(like, like.label, threads_, box));
        value_ = variable(array_.str() + "_value", d, connectors);
        out->locals.insert(value_);

        // The last item decides first.
        std::vector<Origin> at;
        for (std::size_t k = 0; k < d.rank(); ++k)
            at.push_back({Expr::symbol(threads_[k]), box[k].begin, box[k].end});
        std::vector<std::vector<Origin>> origins(steps_.size());
        for (std::size_t s = steps_.size(); s-- > 0;) {
            origins[s] = at;
            if (const std::optional<Boundary> &b = steps_[s].second)
                at[b->dim] = beyond(at[b->dim], *b);
        }
        std::vector<Item> body;
        body.push_back(assign(saved(), at, ofValue("__out")));
        for (std::size_t s = 0; s < steps_.size(); ++s)
            if (!steps_[s].second)
                compute(formulas_[steps_[s].first], origins[s], connectors, body, out->locals);
        for (auto name = names_.rbegin(); name != names_.rend(); ++name) {
            auto m = std::make_unique<Map>(nest::loopLike(like, like.label, {name->second}, {{name->first, name->first}}));
            nest::setOrdered(*m);
            m->body = std::move(body);
            body.clear();
            body.push_back({std::move(m), nullptr});
        }
        Use to = element(written(), threadElement(), "__out");
        body.push_back(nest::taskletStep("store_" + array_.str(), "__out = __inp", {ofValue("__inp")}, to, g_));
        out->body = std::move(body);
        for (const std::size_t m : members_)
            list_[m] = {};
        list_[last_] = {std::move(out), nullptr};
    }

private:
    const DataDesc &desc() const { return *g_.desc(array_); }

    bool uses(const Item &i, Name data, bool onlyWrites) const {
        const std::vector<nest::PlacedUse> all = nest::usesOf(i);
        const analysis::Memory memory = memories_.of(g_, data);
        return std::any_of(all.begin(), all.end(), [&](const nest::PlacedUse &u) {
            return (u.use->writes() || !onlyWrites) && !memories_.apart(u.use->memory, memory);
        });
    }

    /// Adds an item that uses the array; false if it is of another kind.
    bool add(std::size_t i) {
        if (uses(list_[i], saved_, true))
            return false;
        if (list_[i].step) {
            const std::optional<Boundary> b = boundaryOf(*list_[i].step);
            if (!b)
                return false;
            steps_.emplace_back(0, b);
            members_.insert(i);
            return true;
        }
        Map &m = *list_[i].map;
        const auto producer = nest::producerOf(m);
        if (!producer || m.entry->schedule != Schedule::CPU_Multicore || !nest::canSplit(m) || !m.body.front().step)
            return false;
        for (const analysis::LoopLevel &l : producer->loops)
            if (!l.range.step.isOne() || !l.range.tile.isOne() || nest::mentions({{l.range}}, m.params))
                return false;
        std::vector<Formula> found;
        for (std::size_t k = 0; k < m.body.size(); ++k)
            for (const Use &u : m.body[k].step->uses) {
                if (!u.writes() && !memories_.apart(u.memory, memories_.of(g_, array_)))
                    return false;
                if (!u.writes() || m.locals.count(u.data))
                    continue;
                Formula f{i, *producer, nest::valueOf(*producer, k, g_)};
                if (u.data != array_ || f.value.steps.empty() || !nest::iterationOf(f.map, *f.value.write->subset, threadSubset()))
                    return false;
                found.push_back(std::move(f));
            }
        if (found.empty())
            return false;
        for (Formula &f : found) {
            steps_.emplace_back(formulas_.size(), std::nullopt);
            formulas_.push_back(std::move(f));
        }
        members_.insert(i);
        return true;
    }

    static bool canRename(const Formula &f) {
        std::map<Name, Expr> meaning;
        for (const analysis::LoopLevel &l : f.map.loops)
            meaning.emplace(l.variable, Expr::symbol("__origin"));
        return std::all_of(f.value.steps.begin(), f.value.steps.end(), [&](const nest::Step *s) {
            return nest::canRename({nullptr, std::make_unique<nest::Step>(*s)}, meaning);
        });
    }

    /// Any element; iterationOf only needs its rank.
    sym::Subset threadSubset() const {
        sym::Subset out;
        out.dims.resize(desc().rank());
        return out;
    }

    std::optional<Boundary> boundaryOf(const nest::Step &s) const {
        if (!s.isCopy())
            return std::nullopt;
        const Use &from = s.uses.front(), &to = s.uses.back();
        if (from.data != array_ || to.data != array_ || !from.subset || !to.subset || !to.certain || from.shown || to.shown)
            return std::nullopt;
        std::optional<Boundary> out;
        const sym::Subset all = desc().fullSubset();
        for (std::size_t k = 0; k < all.rank(); ++k) {
            const sym::Range &r = from.subset->dims[k], &w = to.subset->dims[k], &whole = all.dims[k];
            if (r == whole && w == whole)
                continue;
            const bool isFirst = w.begin == whole.begin && r.begin == w.begin + 1;
            const bool isLast = w.begin == whole.end && r.begin + 1 == w.begin;
            if (out || !r.isPoint() || !w.isPoint() || isFirst == isLast)
                return std::nullopt;
            out = Boundary{k, isFirst, r.begin};
        }
        return out;
    }

    /// The origin of what a boundary copies.
    static Origin beyond(const Origin &at, const Boundary &b) {
        Origin out = at;
        Expr &near = b.isFirst ? out.least : out.most, &far = b.isFirst ? out.most : out.least;
        out.index = b.isFirst ? sym::max({at.index, b.from}) : sym::min({at.index, b.from});
        near = b.from;
        far = b.isFirst ? sym::max({far, b.from}) : sym::min({far, b.from});
        return out;
    }

    Name fresh(const std::string &like) {
        Name out = g_.freshName(like);
        for (std::size_t n = 0; taken_.count(out); ++n)
            out = g_.freshName(like + "_" + std::to_string(n));
        taken_.insert(out);
        return out;
    }

    /// An index as a symbol, which a loop around the computation defines if it is another one than the thread's.
    Expr named(Expr index, std::size_t dim) {
        if (index.isSymbol())
            return index;
        for (const auto &[known, name] : names_)
            if (known == index)
                return Expr::symbol(name);
        names_.emplace_back(index, fresh(threads_[dim].str() + "_from"));
        return Expr::symbol(names_.back().second);
    }

    Name variable(const std::string &name, const DataDesc &like, const std::set<Name> &connectors) {
        DataDesc d = DataDesc::scalar(like.dtype, true);
        d.storage = Storage::Register;
        d.debugInfo = like.debugInfo;
        return nest::addContainer(g_, name, std::move(d), connectors);
    }

    Use inVariable(const Use &u, Name name) const {
        Use out = u;
        out.moveTo(name, memories_.of(g_, name));
        out.certain = true;
        out = nest::ofElement(out, g_.desc(name)->fullSubset(), u.connector);
        out.node = u.node;
        return out;
    }

    const Use &written() const { return *formulas_.front().value.write; }
    const Use &saved() const { return list_[copy_].step->uses.back(); }
    Use ofValue(const char *connector) const {
        Use u = inVariable(written(), value_);
        u.connector = Name(connector);
        u.node = 0;
        u.kind = std::string_view(connector) == "__inp" ? nest::UseKind::Read : nest::UseKind::Write;
        return u;
    }
    static Use element(const Use &like, sym::Subset at, const char *connector) {
        Use u = nest::ofElement(like, std::move(at), Name(connector));
        u.node = 0;
        return u;
    }
    sym::Subset threadElement() const {
        sym::Subset out;
        for (const Name t : threads_)
            out.dims.push_back({Expr::symbol(t), Expr::symbol(t)});
        return out;
    }

    /// The value that the element has before all items.
    Item assign(const Use &from, const std::vector<Origin> &at, Use to) {
        sym::Subset place;
        for (std::size_t k = 0; k < at.size(); ++k) {
            const Expr index = named(at[k].index, k);
            place.dims.push_back({index, index});
        }
        Use read = element(from, std::move(place), "__inp");
        read.kind = nest::UseKind::Read;
        return nest::taskletStep("load_" + saved_.str(), "__out = __inp", {std::move(read)}, std::move(to), g_);
    }

    /// Adds what a map computes for an element, under the condition that it writes this element.
    void compute(const Formula &f, const std::vector<Origin> &at, const std::set<Name> &connectors, std::vector<Item> &to,
                 std::set<Name> &variables) {
        sym::Subset origin;
        for (std::size_t k = 0; k < at.size(); ++k) {
            const Expr index = named(at[k].index, k);
            origin.dims.push_back({index, index});
        }
        const sym::Subset &element = *f.value.write->subset;
        const std::map<Name, Expr> iteration = *nest::iterationOf(f.map, element, origin);
        std::map<Name, Expr> meaning;
        std::vector<Name> params;
        std::vector<sym::Range> ranges;
        const auto guard = [&](std::size_t k, Expr value, sym::Range r, Expr distance) { // value + distance is the index
            const bool isOne = r.isPoint();
            const auto isKnown = [](Expr difference) { return difference.asInt().value_or(-1) >= 0; };
            const bool isLeast = !isOne && isKnown(at[k].least - r.begin - distance);
            const bool isMost = !isOne && isKnown(r.end + distance - at[k].most);
            if (isLeast && isMost)
                return value;
            params.push_back(fresh(threads_[k].str() + "_in"));
            ranges.push_back({isLeast ? value : sym::max({value, r.begin}), isMost ? value : sym::min({value, r.end})});
            return Expr::symbol(params.back());
        };
        for (std::size_t k = 0; k < element.rank(); ++k) {
            const auto loop = std::find_if(f.map.loops.begin(), f.map.loops.end(), [&](const analysis::LoopLevel &l) {
                return element.dims[k].begin.dependsOn(l.variable);
            });
            if (loop == f.map.loops.end()) {
                guard(k, origin.dims[k].begin, {element.dims[k].begin, element.dims[k].begin}, 0);
                continue;
            }
            const Expr value = iteration.at(loop->variable);
            meaning.emplace(loop->variable, guard(k, value, loop->range, origin.dims[k].begin - value));
        }
        std::vector<Item> body;
        std::set<Name> locals;
        std::map<Name, Name> own;
        for (const nest::Step *s : f.value.steps) {
            Item step{nullptr, std::make_unique<nest::Step>(*s)};
            nest::rename(step, meaning);
            for (Use &u : step.step->uses) {
                if (u.data == array_)
                    u = inVariable(u, value_);
                else if (f.map.inner->locals.count(u.data)) {
                    if (own.try_emplace(u.data, u.data).second) {
                        if (!variables_.insert(u.data).second) // another formula has it
                            own[u.data] = variable(u.data.str(), *g_.desc(u.data), connectors);
                        locals.insert(own[u.data]);
                    }
                    u = inVariable(u, own.at(u.data));
                }
            }
            body.push_back(std::move(step));
        }
        if (params.empty()) {
            std::move(body.begin(), body.end(), std::back_inserter(to));
            variables.insert(locals.begin(), locals.end());
            return;
        }
        const MapEntry &like = *list_[f.item].map->entry;
        auto m = std::make_unique<Map>(nest::loopLike(like, like.label, std::move(params), std::move(ranges)));
        nest::setOrdered(*m);
        m->body = std::move(body);
        m->locals = std::move(locals);
        to.push_back({std::move(m), nullptr});
    }

    std::vector<Item> &list_;
    const std::size_t copy_;
    SDFG &g_;
    analysis::Memories &memories_;
    const nest::Conflicts &items_;
    const Name array_, saved_;
    std::vector<std::pair<std::size_t, std::optional<Boundary>>> steps_; // in order: a formula, by its position, or a boundary
    std::vector<Formula> formulas_;
    std::set<std::size_t> members_; // positions of their items
    std::size_t last_ = 0;
    std::vector<Name> threads_;
    std::set<Name> taken_;
    Name value_;
    std::vector<std::pair<Expr, Name>> names_; // of indices
    std::set<Name> variables_;                 // of formulas
};

class FoldBoundaries : public pass::GraphPass {
    /// Does a copy move an entire array to a transient with the same indices?
    static bool savesAll(const Item &i, const SDFG &g) {
        if (!i.step || !i.step->isCopy())
            return false;
        const Use &from = i.step->uses.front(), &to = i.step->uses.back();
        const DataDesc *a = g.desc(from.data), *b = g.desc(to.data);
        return a != b && analysis::isPlain(a) && analysis::isPlain(b) && a->isArray() && b->isArray() && b->transient &&
               from.subset && to.subset && to.certain && *from.subset == a->fullSubset() && *to.subset == b->fullSubset() &&
               a->dtype == b->dtype && a->shape == b->shape && a->offset == b->offset;
    }

    bool run(SDFG &root, pass::Context &context) override {
        if (!context.options.gpu())
            return false;
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            if (analysis::isInScope(g))
                return;
            const nest::Conflicts items(g, memories);
            for (nest::Run &run : runs) {
                for (std::size_t i = 0; i < run.items.size(); ++i) {
                    if (!savesAll(run.items[i], g))
                        continue;
                    Boundaries boundaries(run.items, i, g, memories, items);
                    if (!boundaries.find())
                        continue;
                    const pass::Element where = elementOfItem(boundaries.firstMap(), g);
                    if (const Reason why = boundaries.obstacle())
                        context.missed(where, boundaries.what(), why);
                    else if (context.mayChange(where, boundaries.what())) {
                        boundaries.fold();
                        run.changed = true;
                    }
                }
                std::erase_if(run.items, [](const Item &i) { return !i.map && !i.step; });
            }
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createFoldBoundaries() { return std::make_unique<FoldBoundaries>(); }

} // namespace sdfgc::transforms
