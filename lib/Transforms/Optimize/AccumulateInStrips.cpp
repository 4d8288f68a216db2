// accumulate-in-strips: keep a strip of an updated row in registers while the loops around it accumulate.
//
//     map[k = 0:K, c = 0:C] {                         map[s = 0:C // 8] {                                     of float64
//         out[i, c] += in[i, k] * w[k, c]                 map[v = 0:8] { strip[v] = out[i, 8 * s + v] }
//     }                                        ->         map[k = 0:K, v = 0:8] { strip[v] += in[i, k] * w[k, 8 * s + v] }
//                                                         map[v = 0:8] { out[i, 8 * s + v] = strip[v] }
//                                                     }
//                                                     map[k = 0:K, c = 8 * (C // 8):C] { ... }            the rest, as it was
//
// Without this, each update waits for the store of the previous one. The strip's length is a compile-time constant, so the C++
// compiler keeps it in vector registers. If the row itself is short and has a constant length, the entire row is the strip.
//
// Legal when:
//   - the map runs on one thread: threads that shared the row would store values that they loaded before other threads
//     added to it;
//   - the innermost parameter moves along the row in steps of one, and the other parameters do not move it;
//   - the body contains only tasklets; one of them updates the row, and none uses it otherwise.
//
// Each element is updated in the same order as before, so results are bitwise identical.
//
// Not handled: complex numbers, and types of fewer than four bytes; programs for a GPU, whose threads have few registers.
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::Use;
using nest::UseKind;

constexpr int64_t bytesOfStrip = 64; // one to four vector registers
constexpr int64_t shortest = 8;      // elements of a strip; the remainder of longer ones is processed in strips half as long
constexpr int64_t longestRow = 64;   // that becomes a single strip, in elements

/// The update that is accumulated, and the row that it runs along.
struct Row {
    Use *update = nullptr;
    std::size_t dim = 0;  // of the container, along which the innermost parameter runs
    sym::Expr offset = 0; // of the index: parameter + offset
    int64_t width = 0;    // of a strip
    bool isStrip = false; // the entire row is one strip
    sym::Expr strips = 0; // otherwise the number of entire strips in the row
};

/// Is it a tasklet whose uses are all known?
bool isPlain(const Item &i) {
    return i.step && !i.step->effects && i.step->nodes.size() == 1 && isa<Tasklet>(i.step->nodes.front()) &&
           std::all_of(i.step->uses.begin(), i.step->uses.end(), [](const Use &u) { return u.subset && u.subset->isOneElement(); });
}

/// Returns the only use in the body that writes anything but its own variables, if it is an update of an element that
/// nothing else uses.
Use *updateOf(Map &m) {
    Use *update = nullptr;
    for (Item &i : m.body)
        for (Use &u : i.step->uses)
            if (u.writes() && !m.locals.count(u.data)) {
                if (update || u.kind != UseKind::Update || u.memlet.data != u.data || u.memlet.dynamic)
                    return nullptr;
                update = &u;
            }
    for (const Item &i : m.body)
        for (const Use &u : i.step->uses)
            if (update && &u != update && u.memory == update->memory)
                return nullptr;
    return update;
}

bool isNumber(Type t) { return t.isNumeric() && !t.isComplex() && t.bytes().value_or(0) >= 4; }

/// `longest`: maximum number of elements in a strip.
std::optional<Row> rowOf(Map &m, const SDFG &g, int64_t longest = bytesOfStrip) {
    if (m.params.size() < 2 || !nest::canSplit(m) || m.entry->ordered || m.entry->schedule != Schedule::Sequential ||
        !std::all_of(m.body.begin(), m.body.end(), isPlain))
        return std::nullopt;
    Row row;
    row.update = updateOf(m);
    const DataDesc *d = row.update ? g.desc(row.update->data) : nullptr;
    const sym::Range &range = m.ranges.back();
    if (!d || !d->isArray() || !analysis::isOnHost(d) || !isNumber(d->dtype) || !range.step.isOne() || !range.tile.isOne())
        return std::nullopt;
    const Name along = m.params.back();
    const std::vector<Name> others(m.params.begin(), m.params.end() - 1);
    if (nest::mentions({{range}}, others) || nest::mentions(*row.update->subset, others))
        return std::nullopt;
    bool found = false;
    for (std::size_t k = 0; k < row.update->subset->rank(); ++k) {
        const sym::Expr index = row.update->subset->dims[k].begin;
        if (!index.dependsOn(along))
            continue;
        row.dim = k;
        row.offset = index - sym::Expr::symbol(along);
        if (found || row.offset.dependsOn(along) || !d->strides[k].isOne())
            return std::nullopt;
        found = true;
    }
    const auto length = range.size().asInt();
    row.isStrip = length && *length <= longestRow;
    row.width = row.isStrip ? *length : std::clamp(bytesOfStrip / d->dtype.bytes().value_or(8), shortest, longest);
    return found && row.width >= 2 ? std::optional(row) : std::nullopt;
}

/// Rewrites one map.
class Strips {
public:
    Strips(SDFG &g, analysis::Memories &memories, const std::set<Name> &connectors, Map &m, Row row)
        : g_(g), memories_(memories), connectors_(connectors), map_(m), row_(row) {}

    /// The items that replace the map. `around`: receives containers private to an iteration of the surrounding map.
    std::vector<Item> items(std::set<Name> &around) {
        const sym::Range range = map_.ranges.back();
        std::optional<Item> rest;
        if (!row_.isStrip)
            rest = {nest::twinOf(map_, g_, memories_, connectors_), nullptr};
        const DataDesc &d = *g_.desc(row_.update->data);
        DataDesc strip = DataDesc::array(d.dtype, {row_.width}, true);
        strip.storage = Storage::Register;
        strip_ = nest::addContainer(g_, row_.update->data.str() + "_strip", std::move(strip), connectors_);
        v_ = fresh("__v");
        sym::Expr first = range.begin;
        const Name s = fresh("__s");
        if (!row_.isStrip)
            first = first + row_.width * sym::Expr::symbol(s);
        std::vector<Item> out = accumulate(first);
        if (row_.isStrip) {
            around.insert(strip_);
            return out;
        }
        const sym::Expr strips = row_.strips;
        auto all = std::make_unique<Map>(nest::mapLike(*map_.entry, "strips", {s}, {{0, strips - 1, 1, 1}}));
        all->body = std::move(out);
        all->locals.insert(strip_);
        rest->map->ranges.back().begin = range.begin + row_.width * strips;
        std::vector<Item> both;
        both.push_back({std::move(all), nullptr});
        both.push_back(std::move(*rest));
        return both;
    }

private:
    Name fresh(const char *name) const {
        Name n = g_.freshName(name);
        for (int k = 0; isUsed(n); ++k)
            n = g_.freshName(name + std::to_string(k));
        return n;
    }
    bool isUsed(Name n) const {
        return std::find(map_.params.begin(), map_.params.end(), n) != map_.params.end() || n == v_ ||
               row_.update->subset->freeSymbols().count(n) != 0;
    }

    Use ofStrip(UseKind kind, Name connector) {
        Use u = *row_.update;
        u.kind = kind;
        u.moveTo(strip_, memories_.of(g_, strip_));
        u.certain = kind == UseKind::Write;
        u.connector = connector;
        const sym::Expr at = sym::Expr::symbol(v_);
        u.subset = sym::Subset::point(std::vector<sym::Expr>{at});
        const std::string wcr = kind == UseKind::Update ? u.memlet.wcr : "";
        u.memlet = Memlet::simple(strip_, *u.subset);
        u.memlet.volume = 1;
        u.memlet.wcr = wcr;
        return u;
    }

    Use ofRow(UseKind kind, sym::Expr first, Name connector) const {
        Use u = *row_.update;
        sym::Subset element = *u.subset;
        element.dims[row_.dim].begin = element.dims[row_.dim].end = first + row_.offset + sym::Expr::symbol(v_);
        u.kind = kind;
        u = nest::ofElement(u, element, connector);
        u.certain = kind == UseKind::Write;
        return u;
    }

    Item copyStep(std::string label, Use from, Use to) {
        return nest::taskletStep(std::move(label), "__out = __inp", {std::move(from)}, std::move(to), g_);
    }

    std::vector<Item> accumulate(sym::Expr first) {
        const Name in("__inp"), out("__out");
        const sym::Range strip{0, row_.width - 1, 1, 1};
        auto load = std::make_unique<Map>(nest::mapLike(*map_.entry, "load", {v_}, {strip})),
             store = std::make_unique<Map>(nest::mapLike(*map_.entry, "store", {v_}, {strip}));
        load->body.push_back(copyStep("load", ofRow(UseKind::Read, first, in), ofStrip(UseKind::Write, out)));
        store->body.push_back(copyStep("store", ofStrip(UseKind::Read, in), ofRow(UseKind::Write, first, out)));
        const std::map<Name, sym::Expr> meaning{{map_.params.back(), first + sym::Expr::symbol(v_)}};
        *row_.update = ofStrip(UseKind::Update, row_.update->connector);
        auto main = std::make_unique<Map>(nest::mapLike(*map_.entry, map_.entry->label, map_.params, map_.ranges));
        main->params.back() = v_;
        nest::setSimd(*main, true); // compilers need not prove that the elements of the strip are distinct
        main->ranges.back() = strip;
        main->locals = map_.locals;
        main->body = std::move(map_.body);
        for (Item &i : main->body)
            nest::rename(i, meaning);
        std::vector<Item> items;
        items.push_back({std::move(load), nullptr});
        items.push_back({std::move(main), nullptr});
        items.push_back({std::move(store), nullptr});
        return items;
    }

    SDFG &g_;
    analysis::Memories &memories_;
    const std::set<Name> &connectors_; // of all nodes
    Map &map_;
    Row row_;
    Name strip_, v_;
};

/// Rewrites the maps of one SDFG.
class Accumulation {
public:
    Accumulation(SDFG &g, analysis::Memories &memories, pass::Context &context)
        : g_(g), memories_(memories), items_(g, memories), context_(context), connectors_(nest::connectorsOf(g)),
          facts_(analysis::factsOf(g)) {}

    void in(nest::Run &run) {
        region_ = run.region;
        for (Item &i : run.items)
            if (i.map && !isGpuSchedule(i.map->entry->schedule))
                run.changed |= inside(*i.map);
    }

private:
    /// Handles the maps in a map. Returns whether anything changed.
    bool inside(Map &around) {
        around_.push_back(&around);
        std::vector<std::optional<Row>> rows; // before anything moves: all surrounding maps are searched for shared elements
        bool changed = false;
        for (Item &i : around.body) {
            rows.push_back(i.map ? rowOf(*i.map, g_) : std::nullopt);
            if (rows.back() && (!canRename(*i.map) || isShared(*rows.back()->update) || !mayChange(*i.map, *rows.back())))
                rows.back().reset();
            changed |= rows.back().has_value();
        }
        for (std::size_t k = 0; k < rows.size(); ++k)
            if (around.body[k].map && !rows[k])
                changed |= inside(*around.body[k].map);
        std::vector<Item> out;
        for (std::size_t k = 0; k < rows.size(); ++k)
            if (rows[k])
                accumulate(*around.body[k].map, *rows[k], around.locals, out);
            else
                out.push_back(std::move(around.body[k]));
        around.body = std::move(out);
        around_.pop_back();
        return changed;
    }

    /// Do concurrent iterations access elements of the row? If so, each would overwrite updates of the others.
    bool isShared(const Use &update) const {
        return std::any_of(around_.begin(), around_.end(), [&](const Map *m) { return isSharedIn(*m, update); });
    }
    bool isSharedIn(const Map &m, const Use &update) const {
        if (m.entry->schedule == Schedule::Sequential)
            return false;
        const std::size_t depth = m.params.size();
        const std::vector<nest::PlacedUse> uses = nest::aligned(m, m, {}, depth);
        const auto own = std::find_if(uses.begin(), uses.end(), [&](const nest::PlacedUse &u) { return u.use == &update; });
        return std::any_of(uses.begin(), uses.end(), [&](const nest::PlacedUse &u) {
            const auto c = items_.meet(*own->use, *u.use) ? items_.conflict(*own, u, depth) : std::nullopt;
            return c && isCarriedAtOnce(*c, m);
        });
    }
    /// Is it a conflict between iterations distributed over several threads?
    static bool isCarriedAtOnce(const analysis::Conflict &c, const Map &m) {
        int64_t shared = std::max<int64_t>(m.entry->collapse, 1);
        for (std::size_t level = 0; level < m.params.size() && shared > 0; ++level) {
            if (analysis::isCarriedBy(c, level))
                return true;
            shared -= !m.ranges[level].steps().isOne();
        }
        return false;
    }

    /// Adds the items that replace a map.
    void accumulate(Map &m, Row row, std::set<Name> &around, std::vector<Item> &out) {
        std::vector<analysis::LoopLevel> loops = analysis::loopsAround(*region_);
        for (const Map *each : around_)
            analysis::addLoops(loops, *each);
        analysis::addLoops(loops, m);
        loops.pop_back();
        row.strips = nest::stripsOf(m.ranges.back(), row.width, loops, facts_);
        std::vector<Item> made = Strips(g_, memories_, connectors_, m, row).items(around);
        std::optional<Item> rest;
        if (!row.isStrip && row.width > shortest) {
            rest = std::move(made.back());
            made.pop_back();
        }
        std::move(made.begin(), made.end(), std::back_inserter(out));
        const std::optional<Row> inRest = rest ? rowOf(*rest->map, g_, row.width / 2) : std::nullopt;
        if (inRest)
            accumulate(*rest->map, *inRest, around, out);
        else if (rest)
            out.push_back(std::move(*rest));
    }

    bool mayChange(const Map &m, const Row &row) {
        return context_.mayChange(elementOfItem(m, g_),
                                  "accumulates `" + row.update->data.str() + "` in strips of " + std::to_string(row.width));
    }

    static bool canRename(const Map &m) {
        const std::map<Name, sym::Expr> meaning{{m.params.back(), sym::Expr::symbol(Name("__v"))}};
        return std::all_of(m.body.begin(), m.body.end(), [&](const Item &i) { return nest::canRename(i, meaning); });
    }

    SDFG &g_;
    analysis::Memories &memories_;
    const nest::Conflicts items_;
    pass::Context &context_;
    const std::set<Name> connectors_; // of all nodes
    const sym::Assumptions facts_;
    const Region *region_ = nullptr;  // of the current run
    std::vector<const Map *> around_; // the current map and those around it, outermost first
};

class AccumulateInStrips : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (context.options.gpu()) // threads have few registers
            return false;
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            Accumulation accumulation(g, memories, context);
            for (nest::Run &run : runs)
                accumulation.in(run);
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createAccumulateInStrips() { return std::make_unique<AccumulateInStrips>(); }

} // namespace sdfgc::transforms
