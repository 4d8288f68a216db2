#include "Transforms/Offload/SharedRow.h"

#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Support/FloatText.h"
#include "sdfgc/Tasklet/Types.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::UseKind;

namespace {

constexpr int64_t mostThreads = 256, warp = 32;         // of a block for a row
constexpr int64_t columnsOfBlock = 16, rowThreads = 32; // a block for neighbouring columns, and the threads of each
constexpr int64_t gridUnroll = 2;                       // copies of the bodies of lane loops in a persistent kernel

/// Rewrites one map according to its plan.
class SharedRow {
public:
    SharedRow(Map &rows, const RowSharing &plan, SDFG &g, analysis::Memories &memories, const std::set<Name> &connectors,
              bool inGrid)
        : rows_(rows), plan_(plan), g_(g), memories_(memories), connectors_(connectors),
          thread_(nest::freshParameter("thread", rows, g)), columns_(plan.paysAsColumns()), inGrid_(inGrid),
          inLine_(columns_ && inGrid) {}

    void rewrite() {
        const int64_t length = plan_.longest().value_or(mostThreads);
        threads_ = inLine_    ? mostThreads / columnsOfBlock
                   : columns_ ? rowThreads
                              : std::min(mostThreads, (length + warp - 1) / warp * warp);
        std::vector<Item> body = loadElements();
        for (Item &i : takeBody(rows_.body))
            body.push_back(std::move(i));
        for (Item &i : storeElements())
            body.push_back(std::move(i));
        const int64_t inBlock = inLine_ ? mostThreads : threads_;
        Map block = nest::loopLike(*rows_.entry, "threads", {thread_}, {{0, inBlock - 1, 1, 1}});
        if (columns_)
            body = shareColumns(std::move(body), block);
        const std::shared_ptr<MapEntry> entry = nest::entryLike(*block.entry, block.entry->label);
        entry->schedule = Schedule::GPU_ThreadBlock;
        block.entry = entry.get();
        block.made = entry;
        block.body = std::move(body);
        rows_.body.clear();
        block.locals = std::move(rows_.locals);
        rows_.locals.clear();
        rows_.body.push_back({std::make_unique<Map>(std::move(block)), nullptr});
    }

private:
    // ---- several rows of a block

    /// Gives the block a tile of neighbouring rows along x. The last tile may have fewer: the threads of others skip everything but
    /// the points where the block combines values.
    std::vector<Item> shareColumns(std::vector<Item> body, Map &block) {
        const Name row = rows_.params.back(), first = nest::freshParameter("first", rows_, g_);
        const Name only = nest::freshParameter("only", rows_, g_);
        const sym::Expr begin = sym::Expr::symbol(first);
        const sym::Range all =
            std::exchange(rows_.ranges.back(), {rows_.ranges.back().begin, rows_.ranges.back().end, columnsOfBlock, 1});
        rows_.params.back() = first;
        if (!inLine_) {
            block.params.push_back(row);
            block.ranges.push_back({begin, begin + (columnsOfBlock - 1), 1, 1});
        }
        const sym::Expr ofThread = begin + sym::mod(sym::Expr::symbol(thread_), columnsOfBlock); // in a block of one dimension
        std::vector<Item> out, inside;
        std::set<Name> used, written; // by the items inside
        const auto close = [&] {
            if (inside.empty())
                return;
            Map m = nest::loopLike(*rows_.entry, rows_.entry->label, {only},
                                   {{sym::Expr::symbol(row), sym::min({sym::Expr::symbol(row), all.end}), 1, 1}});
            m.body = std::exchange(inside, {});
            if (inLine_) {
                Map named = nest::loopLike(*rows_.entry, rows_.entry->label, {row}, {{ofThread, ofThread, 1, 1}});
                named.body.push_back({std::make_unique<Map>(std::move(m)), nullptr});
                m = std::move(named);
            }
            out.push_back({std::make_unique<Map>(std::move(m)), nullptr});
        };
        for (Item &i : body) {
            const bool combines = i.step && combinations_.count(i.step.get());
            if (combines)
                close();
            if (combines || (isOfThread(i, row) && !meet(i, used, written))) {
                out.push_back(std::move(i));
                continue;
            }
            for (const nest::PlacedUse &u : nest::usesOf(i)) {
                used.insert(u.use->data);
                if (u.use->writes())
                    written.insert(u.use->data);
            }
            inside.push_back(std::move(i));
        }
        close();
        return out;
    }

    /// Does a step only compute with the thread's own variables, whatever the row?
    bool isOfThread(const Item &i, Name row) const {
        const auto *t = i.step && i.step->nodes.size() == 1 ? dyn_cast<Tasklet>(i.step->nodes.front()) : nullptr;
        return t && t->code.isPython() && !analysis::namesInTasklet(t->code, g_).count(row) &&
               std::all_of(i.step->uses.begin(), i.step->uses.end(), [&](const nest::Use &u) {
                   return rows_.locals.count(u.data) && u.subset && !nest::mentions(*u.subset, {row});
               });
    }
    static bool meet(const Item &i, const std::set<Name> &used, const std::set<Name> &written) {
        return std::any_of(i.step->uses.begin(), i.step->uses.end(),
                           [&](const nest::Use &u) { return (u.writes() ? used : written).count(u.data) != 0; });
    }

    // ---- elements that become variables

    struct Variable {
        Name name;
        nest::Use element; // a use of the element
        bool read = false; // before it is written
    };

    std::vector<Item> loadElements() {
        std::vector<Item> loads;
        for (const auto &[data, element] : plan_.elements()) {
            Variable v = variableFor(data);
            if (v.read)
                loads.push_back(copy("load", element_(v, UseKind::Read), variable_(v, UseKind::Write)));
            variables_.push_back(std::move(v));
        }
        for (Item &i : rows_.body)
            replaceElements(i);
        return loads;
    }

    Variable variableFor(Name data) {
        Variable v;
        DataDesc d = DataDesc::scalar(g_.desc(data)->dtype, true);
        d.storage = Storage::Register;
        v.name = nest::addContainer(g_, data.str() + "_value", std::move(d), connectors_);
        rows_.locals.insert(v.name);
        v.read = plan_.isLoaded(data);
        for (const Item &i : rows_.body)
            for (const nest::PlacedUse &u : nest::usesOf(i))
                if (u.use->data == data) {
                    v.element = *u.use;
                    return v;
                }
        return v;
    }

    nest::Use element_(const Variable &v, UseKind kind) const {
        nest::Use u = nest::ofElement(v.element, *v.element.subset, Name(kind == UseKind::Read ? "__inp" : "__out"));
        u.kind = kind;
        u.certain = kind == UseKind::Write;
        return u;
    }
    nest::Use variable_(const Variable &v, UseKind kind) const { return of(v.name, v.element, kind); }

    /// A use of a variable, derived from that of another container.
    nest::Use of(Name name, const nest::Use &like, UseKind kind) const {
        nest::Use u = like;
        u.moveTo(name, memories_.of(g_, name));
        u = nest::ofElement(u, g_.desc(name)->fullSubset(), Name(kind == UseKind::Read ? "__inp" : "__out"));
        u.kind = kind;
        u.certain = kind == UseKind::Write;
        return u;
    }

    Item copy(const std::string &label, nest::Use from, nest::Use to) const {
        return nest::taskletStep(label, "__out = __inp", {std::move(from)}, std::move(to), g_);
    }

    void replaceElements(Item &i) {
        if (i.map) {
            for (Item &inner : i.map->body)
                replaceElements(inner);
            return;
        }
        const auto isElement = [this](const nest::Use &u) { return plan_.elements().count(u.data) != 0; };
        if (std::none_of(i.step->uses.begin(), i.step->uses.end(), isElement))
            return;
        if (i.step->isCopy()) {
            nest::Use from = i.step->uses.front(), to = i.step->uses.back();
            from = nest::ofElement(from, *from.subset, Name("__inp"));
            to = nest::ofElement(to, *to.subset, Name("__out"));
            i = copy("copy_" + from.data.str(), std::move(from), std::move(to));
        }
        for (nest::Use &u : i.step->uses)
            if (isElement(u))
                moveUse(u, variableOf(u.data).name);
    }

    const Variable &variableOf(Name data) const {
        return *std::find_if(variables_.begin(), variables_.end(), [&](const Variable &v) { return v.element.data == data; });
    }

    /// Lets a use of one element refer to a variable.
    void moveUse(nest::Use &u, Name to) const {
        u.moveTo(to, memories_.of(g_, to));
        u.subset = g_.desc(to)->fullSubset();
        u.memlet.data = to;
        u.memlet.subset = u.subset;
    }

    /// The first thread stores the variables.
    std::vector<Item> storeElements() {
        std::vector<Item> stores;
        const std::string isFirst = "if " + thread_.str() + (inLine_ ? " < " + std::to_string(columnsOfBlock) : " == 0");
        for (const Variable &v : variables_) {
            nest::Use to = element_(v, UseKind::Write);
            to.certain = false;
            to.memlet.dynamic = true;
            stores.push_back(nest::taskletStep("store_" + v.element.data.str(), isFirst + ":\n    __out = __inp",
                                               {variable_(v, UseKind::Read)}, std::move(to), g_));
        }
        return stores;
    }

    // ---- lane loops and their sums

    std::vector<Item> takeBody(std::vector<Item> &body) {
        std::vector<Item> out;
        for (Item &i : body) {
            const auto lanes = i.map ? plan_.lanes().find(i.map.get()) : plan_.lanes().end();
            if (i.map && lanes == plan_.lanes().end())
                i.map->body = takeBody(i.map->body);
            if (lanes == plan_.lanes().end()) {
                out.push_back(std::move(i));
                continue;
            }
            const Map *original = i.map.get();
            std::vector<Item> after;
            for (const RowSum &sum : plan_.sums())
                if (sum.lanes == original)
                    combine(sum, *i.map, out, after);
            share(*i.map, lanes->second);
            out.push_back(std::move(i));
            std::move(after.begin(), after.end(), std::back_inserter(out));
        }
        return out;
    }

    void share(Map &m, std::size_t d) const {
        sym::Range &r = m.ranges[d];
        const sym::Expr thread = sym::Expr::symbol(thread_);
        r.begin = r.begin + r.step * (inLine_ ? sym::floorDiv(thread, columnsOfBlock) : thread);
        r.step = r.step * threads_;
        if (m.entry->schedule != Schedule::Sequential || inGrid_) {
            const std::shared_ptr<MapEntry> entry = nest::entryLike(*m.entry, m.entry->label);
            entry->schedule = Schedule::Sequential;
            if (inGrid_) { // a persistent kernel has more live values, which four copies of the body would spill
                entry->unroll = true;
                entry->unrollFactor = gridUnroll;
            }
            m.entry = entry.get();
            m.made = entry;
        }
    }

    /// Gives each thread a sum of its own, which starts before the lane loop, and is combined after it.
    void combine(const RowSum &sum, Map &m, std::vector<Item> &before, std::vector<Item> &after) {
        const bool isElement = plan_.elements().count(sum.data) != 0;
        const Name total = isElement ? variableOf(sum.data).name : sum.data;
        const Type type = g_.desc(total)->dtype;
        const py::Reduction kind = py::parseWcr(sum.wcr).value->kind;
        const py::ExprRef neutral = *py::reductionIdentity(kind, type);
        nest::Use like;
        if (isSetTo(*neutral, total, before)) { // each thread's variable is its part
            for (const Item &i : m.body)
                findUpdate(i, total, like);
            after.push_back(blockReduce(kind, of(total, like, UseKind::Read), of(total, like, UseKind::Write)));
            return;
        }
        DataDesc d = DataDesc::scalar(type, true);
        d.storage = Storage::Register;
        const Name part = nest::addContainer(g_, sum.data.str() + "_part", d, connectors_);
        const Name whole = nest::addContainer(g_, sum.data.str() + "_total", d, connectors_);
        rows_.locals.insert(part);
        rows_.locals.insert(whole);
        for (Item &i : m.body)
            moveUpdates(i, total, part, like);
        before.push_back(nest::taskletStep("init", "__out = " + py::print(*neutral), {}, of(part, like, UseKind::Write), g_));
        after.push_back(blockReduce(kind, of(part, like, UseKind::Read), of(whole, like, UseKind::Write)));
        nest::Use update = of(total, like, UseKind::Update);
        update.memlet.wcr = sum.wcr;
        after.push_back(copy("combine", of(whole, like, UseKind::Read), std::move(update)));
    }

    /// Is a variable set to a number by the last of these items that uses it?
    static bool isSetTo(const py::Expr &number, Name data, const std::vector<Item> &items) {
        for (std::size_t k = items.size(); k-- > 0;) {
            const std::vector<nest::PlacedUse> uses = nest::usesOf(items[k]);
            const auto used = std::find_if(uses.begin(), uses.end(), [&](const nest::PlacedUse &u) { return u.use->data == data; });
            if (used == uses.end())
                continue;
            const Step *s = items[k].step.get();
            const auto *t = s && s->uses.size() == 1 && s->uses.front().certain ? dyn_cast<Tasklet>(s->nodes.front()) : nullptr;
            return t && assigns(*t, number);
        }
        return false;
    }
    static bool assigns(const Tasklet &t, const py::Expr &number) {
        const Code::Block *block = t.code.block();
        const auto *only = block && block->size() == 1 ? block->front().get() : nullptr;
        if (!only || only->kind != py::StmtKind::Assign || !only->value)
            return false;
        const py::ExprRef &v = only->value; // `0`, or `dace.float64(0)`
        const bool isConverted = v->kind == py::ExprKind::Call && v->args.size() == 2 && v->type == number.type;
        const std::optional<double> value = numberIn(py::print(isConverted ? *v->args[1] : *v));
        return value && value == numberIn(py::print(number));
    }

    static void findUpdate(const Item &i, Name data, nest::Use &found) {
        for (const nest::PlacedUse &u : nest::usesOf(i))
            if (u.use->data == data)
                found = *u.use;
    }

    void moveUpdates(Item &i, Name from, Name to, nest::Use &like) const {
        if (i.map) {
            for (Item &inner : i.map->body)
                moveUpdates(inner, from, to, like);
            return;
        }
        for (nest::Use &u : i.step->uses)
            if (u.data == from) {
                like = u;
                moveUse(u, to);
            }
    }

    /// The threads of the block combine their values; each gets the result.
    Item blockReduce(py::Reduction kind, nest::Use part, nest::Use whole) {
        auto node = std::make_shared<Tasklet>();
        node->label = "block";
        node->code = {std::string("__out = gpuReduce.") + (columns_ ? "columnReduceAll" : "blockReduceAll") +
                          "(__inp, \"sdfgc::gpu::" + std::string(libnodes::deviceReduction(kind)) + "()\"" +
                          (inLine_ ? ", " + std::to_string(columnsOfBlock) : "") + ")",
                      Language::Library};
        node->environments = {"GpuReduce"};
        node->debugInfo = part.access->debugInfo;
        const Type type = g_.desc(part.data)->dtype;
        node->addIn(part.connector, type);
        node->addOut(whole.connector, type);
        auto step = std::make_unique<Step>();
        step->nodes.push_back(node.get());
        step->uses.push_back(std::move(part));
        step->uses.push_back(std::move(whole));
        step->made = std::move(node);
        combinations_.insert(step.get());
        return {nullptr, std::move(step)};
    }

    Map &rows_;
    const RowSharing &plan_;
    SDFG &g_;
    analysis::Memories &memories_;
    const std::set<Name> &connectors_; // of all nodes
    const Name thread_;
    const bool columns_;                  // does the block share several rows?
    const bool inGrid_;                   // of a persistent kernel?
    const bool inLine_;                   // do its threads do so, though the block has one dimension?
    int64_t threads_ = mostThreads;       // that share a row
    std::set<const Step *> combinations_; // by all threads of the block
    std::vector<Variable> variables_;
};

} // namespace

void shareRow(Map &rows, const RowSharing &plan, SDFG &g, analysis::Memories &memories, const std::set<Name> &connectors,
              bool inGrid) {
    SharedRow(rows, plan, g, memories, connectors, inGrid).rewrite();
}

} // namespace sdfgc::transforms
