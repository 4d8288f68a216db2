#include "Transforms/Offload/TileKernels.h"

#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::Use;
using nest::UseKind;
using sym::Expr;

namespace {

/// Makes one kernel.
class TileKernel {
public:
    TileKernel(const TimeLoop &loop, const TileShape &shape, const analysis::LoopHeader &header, SDFG &g,
               analysis::Memories &memories, const std::set<Name> &connectors, bool second)
        : loop_(loop), shape_(shape), names_(loop.names()), g_(g), memories_(memories), connectors_(connectors), second_(second),
          like_(writtenIn(loop.sweeps().front())), entry_(*loop.sweeps().front().map->entry) {
        const Expr t = Expr::symbol(header.variable);
        analysis::LoopHeader left = header;
        left.first = second ? t + header.step * shape.steps : t;
        trips_ = sym::min({Expr(shape.steps), left.tripsTo(left.end)});
        meaning_.emplace(header.variable, left.first + header.step * Expr::symbol(names_.step));
    }

    /// `to`: the arrays that receive the values of those that carry them.
    Item make(const std::map<Name, Name> &to) {
        std::vector<Name> params;
        std::vector<sym::Range> ranges;
        for (const std::size_t k : loop_.order()) {
            params.push_back(names_.first[k]);
            ranges.push_back({loop_.exists()[k].begin, loop_.exists()[k].end, shape_.width[k], 1});
        }
        auto kernel = std::make_unique<Map>(nest::mapLike(entry_, entry_.label + "_steps", std::move(params), std::move(ranges)));
        for (const StateArray &a : loop_.arrays())
            kernel->locals.insert(addTile(a));
        if (std::vector<Item> loads = load(); !loads.empty())
            kernel->body.push_back(threads("load", std::move(loads)));
        kernel->body.push_back(steps());
        kernel->body.push_back(threads("store", store(to)));
        return {std::move(kernel), nullptr};
    }

private:
    static const Use &writtenIn(const Sweep &s) {
        const Use *out = nullptr;
        for (const SweepStep &step : s.steps)
            for (const Use &u : step.step->uses)
                if (u.writes() && !s.locals.count(u.data))
                    out = &u;
        return *out;
    }

    // ---- the block's memory

    Name addTile(const StateArray &a) {
        std::vector<Expr> sizes;
        for (const std::size_t k : loop_.order())
            sizes.emplace_back(shape_.cells[k]);
        DataDesc d = DataDesc::array(g_.desc(a.data)->dtype, std::move(sizes), true);
        d.storage = Storage::GPU_Shared;
        d.debugInfo = g_.desc(a.data)->debugInfo;
        return tiles_[a.data] = nest::addContainer(g_, a.data.str() + "_tile", std::move(d), connectors_);
    }

    /// The index of the first element in the block's memory, which need not exist.
    Expr origin(std::size_t k) const { return Expr::symbol(names_.first[k]) - shape_.halo[k]; }
    Expr cell(std::size_t k) const { return Expr::symbol(names_.cell[k]); }

    sym::Subset inTile(const std::vector<int64_t> &distance) const {
        sym::Subset out;
        for (const std::size_t k : loop_.order())
            out.dims.push_back({cell(k) + distance[k], cell(k) + distance[k]});
        return out;
    }
    sym::Subset inArray() const {
        sym::Subset out;
        for (std::size_t k = 0; k < loop_.rank(); ++k)
            out.dims.push_back({origin(k) + cell(k), origin(k) + cell(k)});
        return out;
    }
    std::vector<int64_t> here() const { return std::vector<int64_t>(loop_.rank(), 0); }

    Use use(Name data, sym::Subset at, UseKind kind) const {
        Use u = like_;
        u.moveTo(data, memories_.of(g_, data));
        u = nest::ofElement(u, std::move(at), Name(kind == UseKind::Read ? "__inp" : "__out"));
        u.kind = kind;
        u.certain = kind == UseKind::Write;
        u.node = 0;
        return u;
    }

    // ---- loops

    /// The indices in `box` that are at least `margin` cells inside of the block's memory, as a loop of each thread over cells.
    Map cells(const MapEntry &like, const std::string &label, const std::vector<sym::Range> &box,
              const std::vector<Expr> &margin) const {
        std::vector<Name> params;
        std::vector<sym::Range> ranges;
        for (const std::size_t k : loop_.order()) {
            params.push_back(names_.cell[k]);
            const bool isInTile = box[k].begin == loop_.exists()[k].begin && margin[k] == Expr(shape_.halo[k]); // where tiles begin
            const Expr begin = isInTile ? margin[k] : sym::max({margin[k], box[k].begin - origin(k)});
            const Expr end = sym::min({Expr(shape_.cells[k] - 1) - margin[k], box[k].end - origin(k)});
            ranges.push_back({begin + Expr::symbol(names_.thread[k]), end, shape_.threads[k], 1});
        }
        return nest::loopLike(like, label, std::move(params), std::move(ranges));
    }

    Item threads(const std::string &label, std::vector<Item> body) const {
        std::vector<Name> params;
        std::vector<sym::Range> ranges;
        for (const std::size_t k : loop_.order()) {
            params.push_back(names_.thread[k]);
            ranges.push_back({0, shape_.threads[k] - 1, 1, 1});
        }
        Map m = nest::loopLike(entry_, label, std::move(params), std::move(ranges));
        const std::shared_ptr<MapEntry> entry = nest::entryLike(*m.entry, label);
        entry->schedule = Schedule::GPU_ThreadBlock;
        m.entry = entry.get();
        m.made = entry;
        m.body = std::move(body);
        return {std::make_unique<Map>(std::move(m)), nullptr};
    }

    static Item item(Map m) { return {std::make_unique<Map>(std::move(m)), nullptr}; }

    // ---- load, compute, store

    /// Of arrays that carry no values, other blocks may store the elements that sweeps write: those are left out.
    std::vector<Item> load() const {
        Map m = cells(entry_, "load_tile", loop_.exists(), std::vector<Expr>(loop_.rank(), 0));
        for (const StateArray &a : loop_.arrays()) {
            if (!a.enters)
                continue;
            Use to = use(tiles_.at(a.data), inTile(here()), UseKind::Write);
            m.body.push_back(a.carries ? nest::taskletStep("load_" + a.data.str(), "__out = __inp",
                                                           {use(a.data, inArray(), UseKind::Read)}, std::move(to), g_)
                                       : loadOutside(a, std::move(to)));
        }
        std::vector<Item> out;
        if (!m.body.empty())
            out.push_back(item(std::move(m)));
        return out;
    }

    /// Loads an element if no sweep writes it.
    Item loadOutside(const StateArray &a, Use to) const {
        std::string outside, at;
        for (const std::size_t k : loop_.order()) {
            const std::string name = names_.cell[k].str();
            outside += (outside.empty() ? "" : " or ") + name + " < " + (a.box[k].begin - origin(k)).str() + " or " + name + " > " +
                       (a.box[k].end - origin(k)).str();
        }
        for (const sym::Range &index : inArray().dims)
            at += (at.empty() ? "" : ", ") + index.begin.str();
        const Type type = g_.desc(a.data)->dtype;
        Use from = use(a.data, g_.desc(a.data)->fullSubset(), UseKind::Read);
        from.memlet.dynamic = to.memlet.dynamic = true;
        from.connector = g_.freshName("__inp");
        to.connector = g_.freshName("__out");
        to.certain = false;
        auto node = std::make_shared<Tasklet>();
        node->label = "load_" + a.data.str();
        node->code = {"if " + outside + ":\n    " + to.connector.str() + " = " + from.connector.str() + "[" + at + "]",
                      Language::Python};
        node->debugInfo = like_.access->debugInfo;
        node->addIn(from.connector, Type::pointer(type));
        node->addOut(to.connector, type);
        auto step = std::make_unique<Step>();
        step->nodes.push_back(node.get());
        step->uses.push_back(std::move(from));
        step->uses.push_back(std::move(to));
        step->made = std::move(node);
        return {nullptr, std::move(step)};
    }

    Item steps() {
        Map m = nest::loopLike(entry_, "steps", {names_.step}, {{0, trips_ - 1, 1, 1}});
        nest::setOrdered(m);
        std::vector<int64_t> each(loop_.rank(), 0),
            before(loop_.rank(), 0); // the radii of all sweeps, and of those up to the current one
        for (const Sweep &s : loop_.sweeps())
            for (std::size_t k = 0; k < loop_.rank(); ++k)
                each[k] += s.radius[k];
        for (const Sweep &s : loop_.sweeps()) {
            std::vector<Expr> margin;
            for (std::size_t k = 0; k < loop_.rank(); ++k) {
                before[k] += s.radius[k];
                margin.push_back(Expr::symbol(names_.step) * each[k] + before[k]);
            }
            std::vector<Item> body;
            body.push_back(sweep(s, margin));
            m.body.push_back(threads(s.map->entry->label, std::move(body)));
        }
        return item(std::move(m));
    }

    Item sweep(const Sweep &s, const std::vector<Expr> &margin) {
        Map m = cells(*s.map->entry, s.map->entry->label + "_tile", s.box, margin);
        const std::unique_ptr<Map> content =
            second_ ? nest::twinOf(*s.map, g_, memories_, connectors_) : std::make_unique<Map>(nest::copyOf(*s.map));
        m.locals = content->locals;
        std::map<Name, Expr> meaning = meaning_;
        for (std::size_t k = 0; k < loop_.rank(); ++k)
            meaning.emplace(s.map->params[s.loops[k]], origin(k) + cell(k) - s.shift[k]);
        std::size_t steps = 0;
        for (Item &i : content->body) {
            nest::rename(i, meaning);
            moveToTiles(i, s, steps);
            m.body.push_back(std::move(i));
        }
        return item(std::move(m));
    }

    /// Lets steps use the block's memory. `next`: the position of the first of them in the sweep.
    void moveToTiles(Item &i, const Sweep &s, std::size_t &next) const {
        if (i.map) {
            for (Item &inner : i.map->body)
                moveToTiles(inner, s, next);
            return;
        }
        const SweepStep &original = s.steps[next++];
        for (std::size_t k = 0; k < i.step->uses.size(); ++k) {
            Use &u = i.step->uses[k];
            if (!loop_.isState(u.data))
                continue;
            const Name tile = tiles_.at(u.data);
            const std::vector<int64_t> distance = *loop_.distance(s, original, *original.step->uses[k].subset);
            u.moveTo(tile, memories_.of(g_, tile));
            u = nest::ofElement(u, inTile(distance), u.connector);
        }
        if (i.step->isCopy())
            i = asTasklet(*i.step);
    }

    Item asTasklet(const Step &copy) const {
        Use from = copy.uses.front(), to = copy.uses.back();
        from = nest::ofElement(from, *from.subset, Name("__inp"));
        to = nest::ofElement(to, *to.subset, Name("__out"));
        return nest::taskletStep("copy_" + from.data.str(), "__out = __inp", {std::move(from)}, std::move(to), g_);
    }

    /// All elements of arrays that carry values; of the others, those that sweeps write.
    std::vector<Item> store(const std::map<Name, Name> &to) const {
        std::vector<Expr> margin;
        for (const int64_t h : shape_.halo)
            margin.emplace_back(h);
        Map all = cells(entry_, "store_tile", loop_.exists(), margin);
        std::vector<Item> out;
        for (const StateArray &a : loop_.arrays()) {
            const Name data = a.carries ? to.at(a.data) : a.data;
            Item s =
                nest::taskletStep("store_" + a.data.str(), "__out = __inp", {use(tiles_.at(a.data), inTile(here()), UseKind::Read)},
                                  use(data, inArray(), UseKind::Write), g_);
            if (a.carries) {
                all.body.push_back(std::move(s));
                continue;
            }
            Map some = cells(entry_, "store_" + a.data.str(), a.box, margin);
            some.body.push_back(std::move(s));
            out.push_back(second_ ? ifPositive("any", trips_, item(std::move(some))) : item(std::move(some)));
        }
        out.insert(out.begin(), item(std::move(all)));
        return out;
    }

    /// A condition around an item.
    Item ifPositive(const std::string &label, Expr number, Item i) const {
        Map m = nest::loopLike(entry_, label, {names_.any}, {{0, sym::min({Expr(0), number - 1}), 1, 1}});
        nest::setOrdered(m);
        m.body.push_back(std::move(i));
        return item(std::move(m));
    }

    const TimeLoop &loop_;
    const TileShape &shape_;
    const TileNames &names_;
    SDFG &g_;
    analysis::Memories &memories_;
    const std::set<Name> &connectors_; // of all nodes
    const bool second_;
    const Use &like_;
    const MapEntry &entry_;
    Expr trips_; // of the loop over steps
    std::map<Name, Expr> meaning_;
    std::map<Name, Name> tiles_; // by array
};

} // namespace

std::vector<Item> tileKernels(const TimeLoop &loop, const TileShape &shape, const analysis::LoopHeader &header, SDFG &g,
                              analysis::Memories &memories) {
    const std::set<Name> connectors = nest::connectorsOf(g);
    std::map<Name, Name> there, back;
    for (const StateArray &a : loop.arrays()) {
        if (!a.carries)
            continue;
        DataDesc d = *g.desc(a.data);
        d.transient = true;
        d.lifetime = Lifetime::Scope;
        d.pool = false;
        const Name next = nest::addContainer(g, a.data.str() + "_next", std::move(d), connectors);
        there.emplace(a.data, next);
        back.emplace(a.data, next);
        back.emplace(next, a.data);
    }
    std::vector<Item> out;
    out.push_back(TileKernel(loop, shape, header, g, memories, connectors, false).make(there));
    out.push_back(TileKernel(loop, shape, header, g, memories, connectors, true).make(there));
    nest::renameContainers(out.back(), back, g, memories);
    return out;
}

} // namespace sdfgc::transforms
