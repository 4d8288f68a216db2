// raise-products: compute the products in the iterations of a loop by one call of a library.
//
//     for r = 0; r < NR; r = r + 1 {                         T'[0:NR, 0:NQ, 0:NP] = A[0:NR, 0:NQ, 0:NP] @ C[0:NP, 0:NP]
//         T[0:NQ, 0:NP] = A[r, 0:NQ, 0:NP] @ C[0:NP, 0:NP] -> map[r = 0:NR, q = 0:NQ, p = 0:NP] { A[r, q, p] = T'[r, q, p] }
//         A[r, 0:NQ, 0:NP] = T[0:NQ, 0:NP]
//     }
//
// Each call costs as much as the launch of a kernel, and products of a single iteration are often too small for the
// threads of a device. The iterations are independent, so all of them may run the first step before any runs the second
// (loop distribution). A container that passes a value from one step to another gets an element for each iteration
// (array expansion). Products become Einsum nodes with the loop as a further label. Their expansion merges labels into rows and
// columns where the layout allows it, and otherwise calls a library for the batch (lib/LibraryNodes/ContractionBlas.cpp).
// All other steps become maps with the loop as their first parameter.
//
// Triangles: if slices get shorter or longer by one element in each iteration, the product uses the entire range, at
// most twice the work. Its result is a new container, of which the other steps use only the elements that they had
// before. Their ranges are moved so that they end at the same element (box-maps).
//
//     for i = 0; i < M; i = i + 1 {                          T'[0:M, 0:M] = D[0:N, 0:M].T @ D[0:N, 0:M]
//         T[0:M - i] = D[0:N, i] @ D[0:N, i:M]          ->   map[i = 0:M, k = i:M] { C[i, k] = T'[i, k] }
//         C[i, i:M] = T[0:M - i]                             map[i = 0:M, k = i:M] { C[k, i] = C[i, k] }
//         C[i:M, i] = C[i, i:M]
//     }
//
// Steps that compute the same scalar in each iteration, from scalars, run once, in front. A map that adds to results of
// earlier iterations runs the loop in each of its own iterations, in the same order:
//
//     for b = 0; b < NB; b = b + 1 {                         T'[0:NB, 0:K, 0:K] = A[0:NB, 0:K, 0:K] @ B[0:NB, 0:K, 0:K]
//         T[0:K, 0:K] = A[b, 0:K, 0:K] @ B[b, 0:K, 0:K] ->   map[x = 0:K, y = 0:K] {
//         map[x = 0:K, y = 0:K] { S[x, y] += T[x, y] }           for b = 0:NB { S[x, y] += T'[b, x, y] }
//     }                                                      }
//
// Legal when:
//   1. the loop counts by one to a known end, and has a chain of states as its body, without further loops (ProductBody.h);
//   2. iterations do not depend on each other, except by containers that each iteration writes before it reads them, and
//      that nothing reads after the loop, and by those that a single map uses, each iteration its own elements;
//   3. the steps are products without coefficients, maps, copies and tasklets without further effects, and they use
//      containers that get an element for each iteration element by element, or as the result of a product;
//   4. the order of sums is free (class F1): the library may choose another algorithm for the larger product. Sums
//      are over the same terms as before.
//
// Profitable for a GPU unless the loop is known to have one iteration or none. For a CPU, where a call costs little, only
// if a product of matrices replaces products with vectors: it reads the matrix once. Batches of matrix products are slower
// there, because their results no longer stay in cache until the next step (doitgen: 0.45 to 0.73 of the speed).
// Triangles are 1.5 to 1.7 times faster on the CPU (covariance, correlation).
//
// Containers may grow by a factor of `trips`, or to the size of a container that the loop uses anyway.
//
// Inner loops come first, so that a nest of loops becomes one product.
//
// Not handled: products of a map; products that update their result; slices that move along a dimension of several
// elements.
#include "Transforms/Edits/ChangeLoops.h"
#include "Transforms/Optimize/BatchedProduct.h"
#include "Transforms/Optimize/ProductBody.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Bounds.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::Outside;
using nest::Step;
using nest::Use;
using nest::UseKind;

/// A step of the body.
struct Part {
    Item item;                               // a map, or a tasklet; for a product, the step as read
    std::optional<BatchedProduct> product;   // of all iterations
    std::optional<PerIteration> redirection; // of the product's result, if it cannot be in place
    bool isHoisted = false;                  // runs once, in front
    bool isOrdered = false;                  // a map whose iterations each run the loop, in its order
};

/// One loop whose products may be raised.
class RaisedLoop {
public:
    RaisedLoop(LoopRegion &l, const LoopsOf &known, int64_t mostTrips, const pass::Context &context)
        : loop_(l), g_(known.g), memories_(known.memories), items_(known.items), loops_(known.loops), after_(known.after),
          mostTrips_(mostTrips), context_(context), body_(known.g, known.memories) {}

    /// Does the body of a loop contain products?
    static bool hasProducts(const LoopRegion &l) {
        const std::vector<const Block *> blocks = allBlocks(l);
        return std::any_of(blocks.begin(), blocks.end(), [](const Block *b) {
            const auto *s = dyn_cast<State>(b);
            return s && std::any_of(s->nodes().begin(), s->nodes().end(), [](const auto &n) {
                       const auto *node = dyn_cast<LibraryNode>(n.get());
                       return node && analysis::isIndexed(*node) && !analysis::isReduction(*node);
                   });
        });
    }

    /// Why the loop stays; empty if it can be replaced.
    Reason obstacle() {
        Reason why = find();
        if (why)
            abandon();
        return why;
    }
    /// Removes the containers that `obstacle` made, if the loop stays.
    void abandon() {
        for (const Name n : body_.made())
            g_.arrays.erase(n);
    }

    std::size_t products() const {
        return static_cast<std::size_t>(
            std::count_if(parts_.begin(), parts_.end(), [](const Part &p) { return p.product.has_value(); }));
    }

    /// Replaces the loop; there must be no obstacle. `connectors`: names that no container may have (nest::connectorsOf).
    void raise(const std::set<Name> &connectors) {
        const std::set<Name> unused = onlyInside();
        for (auto &[data, e] : private_)
            add(data.str(), e, g_.desc(data)->dtype, connectors);
        std::vector<Item> out;
        for (Part &p : parts_)
            if (p.isHoisted)
                out.push_back(std::move(p.item));
        for (Part &p : parts_)
            if (!p.isHoisted)
                addPart(p, connectors, out);
        after_.symbols().liveness.forget(loop_);
        after_.containers().forget(loop_);
        loops_.replace(loop_, std::move(out), header_);
        for (const Name n : unused)
            g_.arrays.erase(n);
    }

private:
    Reason find() {
        if (!loop_.optimize)
            return {Why::Kept, "the graph requires it"};
        if (!context_.allows(pass::FloatClass::F1))
            return {Why::Contract, "the order of its sums must not change"};
        header_ = analysis::headerOf(loop_);
        if (!header_.hasEnd() || !header_.isOfIntegers(g_))
            return {Why::LoopForm, "it does not count to a known end"};
        level_ = {loop_.variable, header_.range()};
        if (!level_.range.step.isOne())
            return {Why::LoopForm, "it does not count by one"};
        if (const auto trips = level_.range.size().asInt(); trips && *trips < 2)
            return {Why::Small, "it has fewer than two iterations"};
        if (sym::isNonNegative(level_.range.size(), items_.facts()) != sym::Truth::True)
            return {Why::UnknownSize, "its number of iterations may be negative"};
        if (Reason why = body_.read(loop_, loops_.shared()))
            return why;
        if (Reason why = findPrivate())
            return why;
        if (Reason why = readParts())
            return why;
        if (Reason why = expand())
            return why;
        if (Reason why = findOrdered())
            return why;
        return checkUses();
    }

    // ---- dependences

    /// Containers that are private to an iteration; or why iterations depend on each other.
    Reason findPrivate() {
        nest::LoopBody body;
        if (Reason why = nest::readBody(loop_, header_, memories_, loops_.shared(), after_.symbols(), body))
            return why;
        return nest::dependenceOf(body, g_, items_, memories_, [this](Name n) { return outside(n); }, locals_,
                                  [this](Name n) { return carried_.insert(n).second; });
    }

    /// Lets maps that use values of earlier iterations run the loop inside. Each container of that kind must be used by one map,
    /// whose iterations do not share its elements.
    Reason findOrdered() {
        for (const Name n : carried_) {
            Part *only = nullptr;
            for (Part &p : parts_)
                for (const nest::PlacedUse &u : nest::usesOf(p.item))
                    if (u.use->data == n || (g_.desc(n) && !memories_.apart(u.use->place(), memories_.placeOf(g_, n)))) {
                        if ((only && only != &p) || !p.item.map || p.product)
                            return carriedBy(n);
                        only = &p;
                    }
            if (!only || only->item.map->entry->ordered || only->item.map->entry->schedule != Schedule::CPU_Multicore)
                return carriedBy(n);
            only->isOrdered = true;
        }
        for (const Part &p : parts_) {
            if (!p.isOrdered)
                continue;
            const Map &m = *p.item.map;
            for (const sym::Range &r : m.ranges)
                if (nest::mentions({{r}}, {loop_.variable}))
                    return {Why::Shape, "a map that uses values of earlier iterations changes its range"};
            std::vector<nest::PlacedUse> uses = nest::aligned(m, m, {}, m.params.size());
            const std::set<Name> own = nest::localsOf(m);
            std::erase_if(uses, [&](const nest::PlacedUse &u) { return own.count(u.use->data) || private_.count(u.use->data); });
            for (nest::PlacedUse &u : uses)
                u.instance.loops.insert(u.instance.loops.begin() + static_cast<std::ptrdiff_t>(m.params.size()),
                                        {loop_.variable, header_.walk()});
            if (Reason why = items_.dependence(uses, m.params.size(), "iterations of its maps depend on each other"))
                return why;
        }
        return {};
    }

    static Reason carriedBy(Name n) { return {Why::Dependence, "iterations depend on each other by `" + n.str() + "`"}; }

    Outside outside(Name n) const {
        const DataDesc *d = g_.desc(n);
        if (!d || ownerOf(n) != n || !nest::isScratch(*d))
            return Outside::Needed;
        return loops_.isOnlyInside(n, loop_) || !after_.containers().isLive(loop_, n) ? Outside::Dead : Outside::Needed;
    }

    // ---- steps

    Reason readParts() {
        for (Item &i : body_.items()) {
            if (i.step && BatchedProduct::isProduct(*i.step)) {
                std::vector<Item> before;
                const Map like = emptyMap("gather");
                if (Reason why = body_.gather(*i.step, like, [this](std::size_t n) { return parameter(n); }, before))
                    return why;
                for (Item &gathered : before)
                    parts_.emplace_back().item = std::move(gathered);
                for (const Name n : body_.made())
                    locals_.insert(n);
            }
            if (Reason why = body_.whySymbols(i))
                return why;
            Part p;
            if (Reason why = readPart(std::move(i), p))
                return why;
            parts_.push_back(std::move(p));
        }
        hoist();
        if (products() == 0)
            return {Why::Shape, "its products are in maps"};
        const bool gain =
            std::all_of(parts_.begin(), parts_.end(), [](const Part &p) { return !p.product || p.product->gainsDimension(); });
        if (!context_.options.gpu() && !gain)
            return {Why::Unprofitable, "each of its calls multiplies matrices, and uses results of the others while they are in cache"};
        return {};
    }

    Reason readPart(Item i, Part &p) const {
        if (nest::hasEffects(i))
            return {Why::Effects, "its body has effects that its memlets do not describe"};
        p.item = std::move(i);
        if (p.item.map)
            return whyNotMap(*p.item.map);
        const Step &s = *p.item.step;
        if (s.isCopy())
            return copyAsMap(p.item);
        if (BatchedProduct::isProduct(s)) {
            p.product.emplace(s, level_, g_, items_.facts(), locals_);
            Reason why = p.product->read();
            if (why)
                why.text = "product `" + s.nodes.front()->label + "` in it has no common form: " + why.text;
            return why;
        }
        if (s.nodes.size() == 1 && isa<Tasklet>(s.nodes.front()))
            return {};
        return {isa<LibraryNode>(s.nodes.front()) ? Why::Library : Why::Opaque,
                "`" + s.nodes.front()->label + "` in it cannot run for all iterations at once"};
    }

    /// Does a map contain only maps and tasklets that may get a further loop around them?
    Reason whyNotMap(const Map &m) const {
        if (!nest::canSplit(m))
            return {Why::Opaque, "map `" + m.entry->label + "` in it cannot be changed"};
        if (std::find(m.params.begin(), m.params.end(), loop_.variable) != m.params.end())
            return {Why::Names, "map `" + m.entry->label + "` in it has a parameter of the same name"};
        for (const Item &i : m.body) {
            if (i.map) {
                if (Reason why = whyNotMap(*i.map))
                    return why;
            } else if (!i.step->isCopy() && (i.step->nodes.size() != 1 || !isa<Tasklet>(i.step->nodes.front()))) {
                return {Why::Opaque, "map `" + m.entry->label + "` in it contains more than tasklets"};
            } else if (i.step->isCopy() && !(isPlain(i.step->uses.front()) && isPlain(i.step->uses.back()))) {
                return {Why::Opaque, "map `" + m.entry->label + "` in it copies unknown elements"};
            }
        }
        return {};
    }

    bool isPlain(const Use &u) const { return u.subset && analysis::isPlain(g_.desc(u.data)); }

    /// Turns a copy into a map over its elements.
    Reason copyAsMap(Item &i) const {
        const Step &copy = *i.step;
        Map like = emptyMap("copy_" + copy.uses.front().data.str());
        const std::optional<sym::Subset> &to = copy.uses.back().subset;
        if (to)
            for (const std::size_t d : to->nonUnitDims()) {
                like.params.push_back(parameter(like.params.size()));
                like.ranges.push_back({0, to->dims[d].size() - 1, 1, 1});
            }
        std::unique_ptr<Map> map = to ? nest::copyAsMap(copy, like, g_) : nullptr;
        if (!map)
            return {Why::Layout, "the copy from `" + copy.uses.front().data.str() + "` to `" + copy.uses.back().data.str() +
                                     "` in it has no form by elements"};
        map->made = like.made;
        i = {std::move(map), nullptr};
        return {};
    }

    Name parameter(std::size_t number) const {
        Name n;
        do
            n = g_.freshName("__p" + std::to_string(number++));
        while (n == loop_.variable);
        return n;
    }

    Map emptyMap(std::string label) const {
        std::shared_ptr<MapEntry> entry = nest::entryFor(loop_);
        entry->label = std::move(label);
        entry->ordered = false;
        entry->schedule = Schedule::CPU_Multicore;
        Map m;
        m.entry = entry.get();
        m.made = std::move(entry);
        return m;
    }

    /// Finds the tasklets that compute the same scalar in each iteration. An integer division could fail where the loop does not
    /// run, so only real numbers qualify.
    void hoist() {
        std::map<Name, int> writes;
        for (const Part &p : parts_)
            for (const nest::PlacedUse &u : nest::usesOf(p.item))
                writes[u.use->data] += u.use->writes();
        for (Part &p : parts_) {
            if (!p.item.step || p.product)
                continue;
            const std::vector<Use> &uses = p.item.step->uses;
            const bool isSame =
                !analysis::freeSymbols(*p.item.step->nodes.front()).count(loop_.variable) &&
                std::all_of(uses.begin(), uses.end(), [&](const Use &u) {
                    const DataDesc &d = *g_.desc(u.data);
                    if (!u.subset || !d.totalSize.isOne() || u.memlet.dynamic || u.subset->freeSymbols().count(loop_.variable))
                        return false;
                    if (!u.writes())
                        return writes[u.data] == 0;
                    return u.certain && writes[u.data] == 1 && locals_.count(u.data) && (d.dtype.isFloat() || d.dtype.isComplex());
                });
            if (!isSame)
                continue;
            p.isHoisted = true;
            for (const Use &u : uses)
                if (u.writes()) {
                    locals_.erase(u.data);
                    writes[u.data] = 0;
                }
        }
    }

    // ---- containers

    /// Finds the form of containers with an element for each iteration.
    Reason expand() {
        for (const Name n : locals_) {
            PerIteration e;
            const DataDesc &d = *g_.desc(n);
            for (std::size_t k = 0; k < d.rank(); ++k) {
                if (d.shape[k].isOne())
                    continue;
                const auto size = analysis::largestOf(d.shape[k], {level_}, items_.facts());
                if (!size || size->dependsOn(loop_.variable))
                    return {Why::UnknownSize, "the largest size of `" + n.str() + "` is not known"};
                e.dims.push_back(k);
                e.sizes.push_back(*size);
                e.shifts.emplace_back(0);
            }
            private_.emplace(n, std::move(e));
        }
        std::set<Name> shifted;
        for (Part &p : parts_)
            if (p.product && !placeResult(*p.product, shifted))
                p.redirection = ownResult(*p.product);
        for (const auto &[n, e] : private_)
            if (!isAffordable(e))
                return tooLarge(n);
        for (const Part &p : parts_)
            if (p.redirection && !isAffordable(*p.redirection))
                return tooLarge(p.product->result().data);
        for (const Name n : shifted)
            for (const Part &p : parts_)
                if (p.product && p.product->reads(n))
                    return {Why::SharedElement, "a product reads `" + n.str() + "`, whose length changes"};
        return {};
    }

    /// Lets the result of a product be in its container, if that can have the elements of all iterations.
    bool placeResult(const BatchedProduct &b, std::set<Name> &shifted) {
        const Use &u = b.result();
        const auto it = private_.find(u.data);
        if (it == private_.end())
            return b.isSpread();
        PerIteration e = it->second;
        const DataDesc &d = *g_.desc(u.data);
        bool isShifted = false;
        for (const BatchedProduct::Dim &dim : b.dims()) {
            const sym::Range &r = u.subset->dims[dim.dim];
            const auto at = std::find(e.dims.begin(), e.dims.end(), dim.dim);
            if (!dim.triangular && !r.begin.dependsOn(loop_.variable) && !r.end.dependsOn(loop_.variable))
                continue;
            if (!dim.triangular || at == e.dims.end() || !r.begin.isZero() || !(r.end + 1 == d.shape[dim.dim]) || !r.step.isOne())
                return false;
            const auto k = static_cast<std::size_t>(at - e.dims.begin());
            isShifted = true;
            e.sizes[k] = dim.size;
            e.shifts[k] = dim.shift;
        }
        // All dimensions of the container must have labels: others are not whole.
        if (e.dims.size() != b.dims().size() || (isShifted && !shifted.insert(u.data).second))
            return false;
        it->second = std::move(e);
        return true;
    }

    /// A result in a container of its own, from which a map copies it.
    static PerIteration ownResult(const BatchedProduct &b) {
        PerIteration e;
        for (const BatchedProduct::Dim &dim : b.dims()) {
            e.dims.push_back(dim.dim);
            e.sizes.push_back(dim.size);
            e.shifts.push_back(dim.shift);
        }
        return e;
    }

    /// Is it small, or not larger than a container that the program has in any case?
    bool isAffordable(const PerIteration &e) const {
        sym::Expr elements = level_.range.size();
        for (const sym::Expr size : e.sizes)
            elements = elements * size;
        if (const auto trips = level_.range.size().asInt(); trips && *trips <= mostTrips_)
            return true;
        for (const Part &p : parts_)
            for (const nest::PlacedUse &u : nest::usesOf(p.item)) {
                const DataDesc *d = g_.desc(nest::throughView(*u.use, g_).data);
                if (d && !private_.count(u.use->data) && analysis::isPlain(d) && !d->totalSize.dependsOn(loop_.variable) &&
                    isAtMost(elements, d->totalSize))
                    return true;
            }
        return false;
    }

    /// Also if the limit is a multiple, by sizes.
    bool isAtMost(sym::Expr elements, sym::Expr limit) const {
        if (sym::isLessEqual(elements, limit, items_.facts()) == sym::Truth::True)
            return true;
        const auto [numerator, denominator] = sym::asFraction(limit / elements);
        return denominator.isOne() && sym::isPositive(numerator, items_.facts()) == sym::Truth::True;
    }

    Reason tooLarge(Name n) const {
        return {Why::Budget, "`" + n.str() + "` of all iterations would be larger than the containers that it uses"};
    }

    /// Are containers with an element for each iteration used by elements, and others with indices that stay valid?
    Reason checkUses() const {
        for (const Part &p : parts_) {
            if (p.isHoisted)
                continue;
            for (const nest::PlacedUse &placed : nest::usesOf(p.item)) {
                const Use &u = *placed.use;
                const DataDesc *d = g_.desc(u.data);
                const bool isPrivate = private_.count(u.data) != 0;
                if (p.product)
                    continue;
                if (d && d->isView())
                    return {Why::Container, "it uses view `" + u.data.str() + "`"};
                if (isPrivate && (!u.subset || !u.subset->isOneElement() || u.memlet.data != u.data || !placed.step->nodes.size()))
                    return {Why::SharedElement, "a step uses several elements of `" + u.data.str() + "`"};
            }
        }
        return {};
    }

    void add(const std::string &base, PerIteration &e, Type type, const std::set<Name> &connectors) {
        std::vector<sym::Expr> shape{level_.range.size()};
        shape.insert(shape.end(), e.sizes.begin(), e.sizes.end());
        DataDesc d = DataDesc::array(type, std::move(shape), true);
        d.storage = Storage::CPU_Heap;
        e.made = nest::addContainer(g_, base, std::move(d), connectors);
        e.memory = memories_.of(g_, e.made);
    }

    /// Containers that nothing uses once the loop is replaced.
    std::set<Name> onlyInside() const {
        std::set<Name> out;
        for (const State *s : body_.states())
            for (const AccessNode *a : nodesOf<AccessNode>(*s))
                if (const DataDesc *d = g_.desc(a->data);
                    d && (d->isView() || private_.count(a->data) != 0) && loops_.isOnlyInside(a->data, loop_))
                    out.insert(a->data);
        return out;
    }

    // ---- the replacement

    sym::Expr iteration() const { return sym::Expr::symbol(loop_.variable) - level_.range.begin; }

    /// The element of an iteration in a container with one for each.
    void moveTo(Use &u, const PerIteration &e) {
        const sym::Subset old = *u.subset;
        std::vector<sym::Expr> at{iteration()};
        for (std::size_t k = 0; k < e.dims.size(); ++k)
            at.push_back(old.dims[e.dims[k]].begin + e.shifts[k]);
        u.moveTo(e.made, e.memory);
        u.subset = sym::Subset::point(at);
        u.memlet.data = e.made;
        u.memlet.subset = u.subset;
        u.memlet.otherSubset.reset();
    }

    void moveUses(Item &i) {
        if (i.map) {
            for (Item &inner : i.map->body)
                moveUses(inner);
            return;
        }
        for (Use &u : i.step->uses)
            if (const auto e = private_.find(u.data); e != private_.end())
                moveTo(u, e->second);
    }

    /// Lets parameters whose ranges end earlier in each iteration count to the same end: `k = 0:M - i` becomes `k = i:M`.
    void alignEnds(Map &m) const {
        for (std::size_t d = 0; d < m.params.size(); ++d) {
            const sym::Range r = m.ranges[d];
            if (slopeOf(r.begin, loop_.variable) != 0 || slopeOf(r.end, loop_.variable) != -1 || !r.step.isOne() || !r.tile.isOne())
                continue;
            const std::map<Name, sym::Expr> meaning{{m.params[d], sym::Expr::symbol(m.params[d]) - iteration()}};
            const bool isUsed = std::any_of(m.ranges.begin(), m.ranges.end(),
                                            [&](const sym::Range &o) { return sym::Subset{{o}}.freeSymbols().count(m.params[d]) != 0; });
            if (isUsed || !std::all_of(m.body.begin(), m.body.end(), [&](const Item &i) { return nest::canRename(i, meaning); }))
                continue;
            for (Item &i : m.body)
                nest::rename(i, meaning);
            m.ranges[d] = {r.begin + iteration(), r.end + iteration(), 1, 1};
        }
    }

    /// Puts the loop around a step, as the first parameter of its map if that is parallel.
    Item spread(Item i) const {
        if (i.map)
            alignEnds(*i.map);
        if (i.map && !i.map->entry->ordered && i.map->entry->schedule == Schedule::CPU_Multicore) {
            i.map->params.insert(i.map->params.begin(), loop_.variable);
            i.map->ranges.insert(i.map->ranges.begin(), level_.range);
            return i;
        }
        Map m = emptyMap(i.map ? i.map->entry->label : i.step->nodes.front()->label);
        m.params = {loop_.variable};
        m.ranges = {level_.range};
        m.body.push_back(std::move(i));
        return {std::make_unique<Map>(std::move(m)), nullptr};
    }

    /// Puts the loop inside a map.
    void runInside(Map &m) const {
        auto inner = std::make_unique<Map>();
        inner->made = nest::entryFor(loop_);
        inner->entry = inner->made.get();
        inner->params = {loop_.variable};
        inner->ranges = {header_.walk()};
        std::swap(inner->body, m.body);
        std::swap(inner->locals, m.locals);
        m.body.push_back({std::move(inner), nullptr});
    }

    void addPart(Part &p, const std::set<Name> &connectors, std::vector<Item> &out) {
        if (!p.product) {
            moveUses(p.item);
            if (p.isOrdered)
                runInside(*p.item.map);
            out.push_back(p.isOrdered ? std::move(p.item) : spread(std::move(p.item)));
            return;
        }
        const BatchedProduct &b = *p.product;
        if (p.redirection) {
            add(b.result().data.str() + "_all", *p.redirection, g_.desc(b.result().data)->dtype, connectors);
            out.push_back(b.into(*p.redirection, private_));
            out.push_back(spread(copyOf(b, *p.redirection)));
        } else {
            const auto e = private_.find(b.result().data);
            out.push_back(e == private_.end() ? b.inPlace(private_) : b.into(e->second, private_));
        }
    }

    /// Copies the result of an iteration from the container of all iterations.
    Item copyOf(const BatchedProduct &b, const PerIteration &from) {
        const Use &to = b.result();
        Map m = emptyMap("copy_" + to.data.str());
        std::vector<sym::Expr> source{iteration()}, target;
        for (std::size_t k = 0; k < b.dims().size(); ++k) {
            m.params.push_back(parameter(k));
            m.ranges.push_back({0, to.subset->dims[b.dims()[k].dim].size() - 1, 1, 1});
            target.push_back(sym::Expr::symbol(m.params.back()));
            source.push_back(target.back() + from.shifts[k]);
        }
        Use read = to;
        read.kind = UseKind::Read;
        read.certain = false;
        read.moveTo(from.made, from.memory);
        Use written = nest::ofElement(to, nest::elementOf(*to.subset, target), Name("__out"));
        written.certain = true;
        Item step = nest::taskletStep(m.entry->label, "__out = __inp",
                                      {nest::ofElement(read, sym::Subset::point(source), Name("__inp"))}, std::move(written), g_);
        moveUses(step);
        if (m.params.empty())
            return step;
        m.body.push_back(std::move(step));
        return {std::make_unique<Map>(std::move(m)), nullptr};
    }

    LoopRegion &loop_;
    SDFG &g_;
    analysis::Memories &memories_;
    const nest::Conflicts &items_;
    nest::LoopItems &loops_;
    ValuesAfterLoops &after_;
    const int64_t mostTrips_;
    const pass::Context &context_;
    analysis::LoopHeader header_;
    analysis::LoopLevel level_;
    ProductBody body_;
    std::vector<Part> parts_;
    std::set<Name> carried_; // containers with values of earlier iterations
    std::set<Name> locals_; // containers private to an iteration
    std::map<Name, PerIteration> private_;
};

class RaiseProducts : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        std::map<const SDFG *, std::set<Name>> connectors; // of all nodes
        return changeLoops(root, [&](LoopRegion &l, const LoopsOf &known) {
            if (!RaisedLoop::hasProducts(l))
                return false;
            const pass::Element where(l);
            ConditionalBlock *const around =
                context.options.gpu() && l.optimize && context.allows(pass::FloatClass::F1) ? conditionAround(l) : nullptr;
            const bool moves = around && context.mayChange(where, "is moved into the conditional in it, which is tested once then");
            if (moves) {
                moveIntoCondition(l, *around);
                known.loops.changed();
                known.after.forget();
            }
            RaisedLoop raised(l, known, option<int64_t>("trips"), context);
            if (const Reason why = raised.obstacle()) {
                context.missed(where, "does not become products of all iterations", why);
                return moves;
            }
            const std::size_t n = raised.products();
            if (!context.mayChange(where, "becomes " + (n == 1 ? std::string("a product") : std::to_string(n) + " products") +
                                              " of all iterations")) {
                raised.abandon();
                return moves;
            }
            const auto [names, isNew] = connectors.try_emplace(&known.g);
            if (isNew)
                names->second = nest::connectorsOf(known.g);
            raised.raise(names->second);
            return true;
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createRaiseProducts() { return std::make_unique<RaiseProducts>(); }

} // namespace sdfgc::transforms
