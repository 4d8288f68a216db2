#include "Transforms/Optimize/SearchParts.h"

#include "Transforms/Optimize/UpdateFunctions.h"

#include "sdfgc/Analysis/Costs/Work.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/CallBlocks.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

constexpr int64_t unknownWork = 64; // operations of an iteration

constexpr int64_t partsBeforeTeam = 100; // of a search for the first hit: the work before a team starts, in smallest parts

/// A result in the parts of a loop.
struct PartResult {
    SearchResult result;
    Name own;   // in a part: a symbol or a scalar
    Name parts; // the array of all of them
};

class Splitting {
public:
    Splitting(SplitLoop split, const LoopsOf &known, int64_t work)
        : split_(std::move(split)), loop_(split_.loop), known_(known), g_(known.g), work_(std::max<int64_t>(work, 1)),
          isFirst_(split_.searches.front().kind == Search::Kind::First) {}

    diag::Reason run() {
        label_ = loop_.label;
        parts_ = symbol("parts", Type(ScalarKind::Int64));
        part_ = symbol("part", Type(ScalarKind::Int64));
        if (isFirst_)
            addBlocks();
        else
            addCount();
        addPartLoop();
        for (Search &s : split_.searches)
            addSearch(s);
        return makeMap();
    }

private:
    Name symbol(const std::string &ending, Type t) {
        const Name n = g_.freshName(label_ + "_" + ending);
        g_.symbols.set(n, t);
        return n;
    }
    std::string fresh(const std::string &ending) const { return g_.freshLabel(label_ + "_" + ending); }
    static sym::Expr of(Name n) { return sym::Expr::symbol(n); }
    static Code code(std::string text) { return {std::move(text), Language::Python}; }

    // ---- around the parts

    /// Sets the number of parts in front of the loop.
    void addCount() {
        State *before = loop_.parent()->addStateBefore(&loop_, fresh("split"));
        const auto work = analysis::workOf(loop_);
        const std::string most = "(" + (work ? *work : split_.header.trips() * unknownWork).str() + ") // " + std::to_string(work_);
        before->outEdges().front()->assignments.emplace_back(parts_, "max(1, min(omp_get_max_threads(), " + most + "))");
        count_ = split_.header.trips();
        if (!count_.isSymbol()) {
            const Name trips = symbol("trips", Type(ScalarKind::Int64));
            before->outEdges().front()->assignments.emplace_back(trips, count_.str());
            count_ = of(trips);
        }
        size_ = of(parts_);
    }

    /// The work of one iteration, at least one operation.
    static sym::Expr iterationOf(sym::Expr work, sym::Expr trips) {
        const auto [operations, rest] = sym::asFraction(work / trips);
        return sym::max({1, rest.isOne() ? operations : sym::Expr(sym::integerContent(sym::asFraction(work).first))});
    }

    /// Puts a loop around the loop that searches one block of iterations after the other, as long as nothing is found.
    void addBlocks() {
        const Type integer(ScalarKind::Int64);
        const Name threads = symbol("threads", integer), from = symbol("from", integer), upto = symbol("upto", integer);
        found_ = symbol("found", Type(ScalarKind::Bool));
        from_ = of(from);
        count_ = of(upto) - from_;
        size_ = of(threads);
        const auto work = analysis::workOf(loop_);
        const sym::Expr trips = split_.header.trips(), each = work ? iterationOf(*work, trips) : unknownWork;
        const sym::Expr first = sym::max({1, sym::floorDiv(partsBeforeTeam * work_, each)});
        const sym::Expr half = sym::floorDiv(from_, 2), more = first.asInt().value_or(1) > 1 ? half : sym::max({1, half});
        Region &around = *loop_.parent();
        State *before = around.addStateBefore(&loop_, fresh("split"));
        auto &start = before->outEdges().front()->assignments;
        start = {{threads, "omp_get_max_threads()"},
                 {parts_, "1"},
                 {from, "0"},
                 {upto, sym::min({trips, first}).str()},
                 {found_, "False"}};
        if (split_.isReadOutside)
            start.emplace_back(loop_.variable, split_.header.after().str());
        LoopRegion &blocks = putInLoop(fresh("blocks"));
        blocks.condition = code("(" + from.str() + " < " + trips.str() + ") and (not " + found_.str() + ")");
        State *next = blocks.addStateAfter(&loop_, fresh("next"));
        State *moved = blocks.addStateAfter(next, fresh("moved")), *end = blocks.addStateAfter(moved, fresh("done"));
        moved->inEdges().front()->assignments = {{from, upto.str()}, {parts_, threads.str()}};
        end->inEdges().front()->assignments = {{upto, sym::min({trips, from_ + of(threads) * more}).str()}};
    }

    /// Puts a loop over the parts around the loop, which is limited to one part.
    void addPartLoop() {
        const analysis::LoopHeader &h = split_.header;
        const Name begin = symbol("begin", Type(ScalarKind::Int64)), end = symbol("end", Type(ScalarKind::Int64)); // of a part
        loop_.init = code(loop_.variable.str() + " = " + h.valueIn(of(begin)).str());
        loop_.condition = code(loop_.variable.str() + (h.down ? " >= " : " <= ") + h.valueIn(of(end) - 1).str());
        loop_.label = fresh("in_part");
        outer_ = &putInLoop(label_);
        outer_->variable = part_;
        countParts(*outer_, part_);
        begin_ = outer_->addStateBefore(&loop_, fresh("begin"));
        const auto numberOf = [&](const std::string &part) {
            const std::string count = count_.isSymbol() ? count_.str() : "(" + count_.str() + ")";
            return (from_.isZero() ? "" : from_.str() + " + ") + "(" + part + " * " + count + ") // " + parts_.str();
        };
        begin_->outEdges().front()->assignments = {{begin, numberOf(part_.str())}, {end, numberOf("(" + part_.str() + " + 1)")}};
        end_ = outer_->addStateAfter(&loop_, fresh("end"));
        Region &around = *outer_->parent();
        merge_ = around.add<LoopRegion>();
        merge_->label = fresh("merge");
        merge_->debugInfo = loop_.debugInfo;
        merge_->variable = symbol("merged", Type(ScalarKind::Int64));
        countParts(*merge_, merge_->variable);
        around.moveOutEdges(outer_, merge_);
        around.connect(outer_, merge_);
        mergeStart_ = merge_->add<State>();
        mergeStart_->label = fresh("next_part");
        if (split_.isReadOutside && !isFirst_) {
            State *after = around.addStateAfter(merge_, fresh("after"));
            after->inEdges().front()->assignments = {{loop_.variable, h.after().str()}};
        }
    }

    /// A loop from 0 to the number of parts.
    void countParts(LoopRegion &l, Name variable) const {
        l.init = code(variable.str() + " = 0");
        l.condition = code(variable.str() + " < " + parts_.str());
        l.update = code(variable.str() + " = " + variable.str() + " + 1");
    }

    /// Puts a new loop in place of the loop, and the loop into it.
    LoopRegion &putInLoop(std::string label) {
        Region &around = *loop_.parent();
        auto *l = around.add<LoopRegion>();
        l->label = std::move(label);
        l->debugInfo = loop_.debugInfo;
        around.moveInEdges(&loop_, l);
        around.moveOutEdges(&loop_, l);
        l->adopt(around.detach(&loop_));
        l->setStart(&loop_);
        return *l;
    }

    // ---- results

    void addSearch(Search &s) {
        std::vector<PartResult> results;
        const bool isExtremum = s.kind == Search::Kind::Extremum;
        for (SearchResult &r : s.results)
            results.push_back(addResult(std::move(r), s, results.empty() && isExtremum));
        Name found; // which parts have a result
        if (!isExtremum || !s.isStrict())
            found = addFound(s, isFirst_ ? label_ : results.front().result.name.str());
        if (isFirst_ && split_.isReadOutside)
            results.push_back(addPosition(s));
        for (const BodyTests::Test &t : s.tests)
            compareOwn(*t.block, results.front());
        addMerge(s, results, found);
    }

    PartResult addResult(SearchResult r, const Search &s, bool isKey) {
        const auto kind = isKey && s.isMaximum() ? py::Reduction::Max : py::Reduction::Min;
        const std::string first = isKey ? py::print(**py::reductionIdentity(kind, r.type)) : r.type.isBool() ? "False" : "0";
        PartResult out;
        if (r.isSymbol) {
            out.own = ownSymbol(r.name.str() + "_part", r.type, first);
            for (InterstateEdge *e : r.assignments)
                for (auto &[name, value] : e->assignments)
                    if (name == r.name)
                        name = out.own;
        } else {
            DataDesc d = DataDesc::scalar(r.type, true);
            d.storage = Storage::Register;
            out.own = nest::addContainer(g_, r.name.str() + "_part", std::move(d), nest::connectorsOf(g_));
            owns_.insert(out.own);
            set(*begin_, first, out.own, g_.desc(out.own)->fullSubset());
            for (Edge *e : r.writes) {
                cast<AccessNode>(e->dst)->data = out.own;
                e->memlet = Memlet::simple(out.own, g_.desc(out.own)->fullSubset());
            }
        }
        out.parts = addArray(r.name.str() + "_parts", out.own, r.type);
        out.result = std::move(r);
        return out;
    }

    /// Adds a symbol that is set where a part has a hit. Returns its array.
    Name addFound(const Search &s, const std::string &name) {
        const Type truth(ScalarKind::Bool);
        const Name own = ownSymbol(name + "_found_part", truth, "False");
        for (Region *arm : s.arms)
            hitEdge(*arm).assignments.emplace_back(own, "True");
        return addArray(name + "_found_parts", own, truth);
    }

    /// The loop's variable at the hit.
    PartResult addPosition(const Search &s) {
        const Type *declared = g_.symbols.find(loop_.variable);
        PartResult out;
        out.result.name = loop_.variable;
        out.result.isSymbol = true;
        out.result.type = declared ? *declared : Type(ScalarKind::Int64);
        out.own = ownSymbol(loop_.variable.str() + "_hit", out.result.type, "0");
        for (Region *arm : s.arms)
            hitEdge(*arm).assignments.emplace_back(out.own, loop_.variable.str());
        out.parts = addArray(loop_.variable.str() + "_hits", out.own, out.result.type);
        return out;
    }

    /// An edge at the end of a branch, before a jump.
    InterstateEdge &hitEdge(Region &arm) {
        Block *last = analysis::sequenceOf(arm).back();
        if (last->kind() == BlockKind::Break)
            return *arm.addStateBefore(last, fresh("hit"))->outEdges().front();
        return *arm.addStateAfter(last, fresh("hit"))->inEdges().front();
    }

    Name ownSymbol(const std::string &name, Type t, const std::string &first) {
        const Name own = g_.freshName(name);
        g_.symbols.set(own, t);
        begin_->outEdges().front()->assignments.emplace_back(own, first);
        return own;
    }

    /// The array to which each part writes its value.
    Name addArray(const std::string &name, Name own, Type t) {
        DataDesc d = DataDesc::array(t, {size_}, true);
        d.storage = Storage::CPU_Heap;
        const Name array = nest::addContainer(g_, name, std::move(d), nest::connectorsOf(g_));
        const sym::Subset element = elementAt(part_);
        if (g_.desc(own))
            copy(*end_, own, g_.desc(own)->fullSubset(), array, element);
        else
            set(*end_, own.str(), array, element);
        return array;
    }

    /// The test reads the value of the part.
    void compareOwn(ConditionalBlock &c, const PartResult &key) const {
        Code &condition = *c.branches()[0].condition;
        condition = Code(*py::replace(condition.expressionOrRaw(), [&](const py::ExprRef &e) -> py::ExprRef {
            const bool isElement =
                e->kind == py::ExprKind::Subscript && e->args[0]->kind == py::ExprKind::Name && e->args[0]->name == key.result.name;
            const bool isWhole = e->kind == py::ExprKind::Name && e->name == key.result.name;
            return isElement || isWhole ? py::name(key.own) : nullptr;
        }));
    }

    /// Takes over the results of a part that are better than those of earlier parts, or the first or last ones.
    void addMerge(const Search &s, const std::vector<PartResult> &results, Name found) {
        const std::string at = "[" + merge_->variable.str() + "]";
        std::string condition = found.empty() ? "" : found.str() + at;
        if (s.kind == Search::Kind::Extremum) {
            const PartResult &key = results.front();
            const std::string relation = std::string(s.isMaximum() ? " > " : " < ");
            const std::string better =
                key.parts.str() + at + (s.isStrict() ? relation : relation.substr(0, 2) + "= ") + elementText(key.result.name);
            condition += found.empty() ? better : " and " + better;
        }
        auto *test = merge_->add<ConditionalBlock>();
        test->label = fresh("better");
        test->debugInfo = loop_.debugInfo;
        Block *last = mergeStart_;
        while (!last->outEdges().empty())
            last = last->outEdges().front()->dst;
        merge_->connect(last, test);
        Region *arm = test->addBranch(code(condition), std::make_unique<Region>());
        arm->label = fresh("take");
        auto *state = arm->add<State>();
        state->label = fresh("taken");
        std::vector<std::pair<Name, std::string>> assigned;
        for (const PartResult &r : results) {
            if (r.result.isSymbol)
                assigned.emplace_back(r.result.name, r.parts.str() + at);
            else
                copy(*state, r.parts, elementAt(merge_->variable), r.result.name, g_.desc(r.result.name)->fullSubset());
        }
        if (isFirst_)
            assigned.emplace_back(found_, "True");
        Block *end = state;
        if (!assigned.empty())
            end = arm->addStateAfter(end, fresh("set"));
        if (!assigned.empty())
            end->inEdges().front()->assignments = std::move(assigned);
        if (isFirst_) {
            auto *leave = arm->add<BreakBlock>();
            leave->label = fresh("leave");
            arm->connect(end, leave);
        }
    }

    std::string elementText(Name n) const {
        const DataDesc *d = g_.desc(n);
        if (!d || d->isScalar())
            return n.str();
        std::string text;
        for (const sym::Expr &index : d->fullSubset().begins())
            text += (text.empty() ? "" : ", ") + index.str();
        return n.str() + "[" + text + "]";
    }

    static sym::Subset elementAt(Name index) {
        sym::Subset out;
        out.dims.push_back({of(index), of(index), 1});
        return out;
    }

    void set(State &s, const std::string &value, Name container, sym::Subset at) const {
        const Name out = g_.freshName("__out");
        Tasklet *t = s.addTasklet("set_" + container.str(), code(out.str() + " = " + value));
        t->addOut(out, g_.desc(container)->dtype);
        t->debugInfo = loop_.debugInfo;
        s.connect(t, out, s.add<AccessNode>(container), {}, Memlet::simple(container, std::move(at)));
    }

    void copy(State &s, Name from, sym::Subset read, Name to, sym::Subset written) const {
        const Name in = g_.freshName("__in"), out = g_.freshName("__out");
        Tasklet *t = s.addTasklet("copy_" + from.str(), code(out.str() + " = " + in.str()));
        t->addIn(in, g_.desc(from)->dtype);
        t->addOut(out, g_.desc(to)->dtype);
        t->debugInfo = loop_.debugInfo;
        s.connect(s.add<AccessNode>(from), {}, t, in, Memlet::simple(from, std::move(read)));
        s.connect(t, out, s.add<AccessNode>(to), {}, Memlet::simple(to, std::move(written)));
    }

    // ---- the map

    diag::Reason makeMap() {
        known_.loops.changed();
        const analysis::LoopHeader header = analysis::headerOf(*outer_);
        nest::BodySymbols symbols(g_);
        nest::LoopBody body;
        if (diag::Reason why =
                nest::readBody(*outer_, header, known_.memories, known_.loops.shared(), symbols, body, {loop_.variable}))
            return why;
        std::set<Name> locals = split_.locals;
        locals.insert(owns_.begin(), owns_.end());
        nest::Map map;
        const std::shared_ptr<MapEntry> entry = nest::entryFor(*outer_);
        entry->schedule = Schedule::CPU_Multicore;
        entry->ordered = false;
        entry->ompIf = sym::compare(sym::SymbolicKind::Gt, of(parts_), 1);
        map.entry = entry.get();
        map.made = entry;
        map.params = {part_};
        map.ranges = {header.range()};
        const std::set<Name> inside = known_.loops.release(*outer_);
        map.body.push_back({nullptr, std::make_unique<nest::Step>(nest::moveBody(*outer_, body, locals, known_.memories, inside))});
        known_.loops.replaceEmpty(*outer_, {std::make_unique<nest::Map>(std::move(map)), nullptr}, header);
        nest::forgetSymbols(g_, body.assigned);
        return {};
    }

    SplitLoop split_;
    LoopRegion &loop_;
    const LoopsOf &known_;
    SDFG &g_;
    const int64_t work_; // of a part, in operations
    const bool isFirst_;
    std::string label_;          // of the loop
    Name parts_, part_;          // how many there are, and the number of one
    Name found_;                 // of a search for the first hit: is there one?
    sym::Expr from_ = 0, count_; // first iteration of a block, and number of iterations: in the loop, if there are no blocks
    sym::Expr size_;             // of arrays of results
    LoopRegion *outer_ = nullptr, *merge_ = nullptr;
    State *begin_ = nullptr, *end_ = nullptr; // of a part
    State *mergeStart_ = nullptr;
    std::set<Name> owns_; // scalars of a part
};

} // namespace

diag::Reason splitSearch(SplitLoop split, const LoopsOf &known, int64_t work) {
    return Splitting(std::move(split), known, work).run();
}

} // namespace sdfgc::transforms
