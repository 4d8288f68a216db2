#include "Transforms/Optimize/LoopConversion.h"

#include "Transforms/Edits/LaneParameters.h"
#include "Transforms/Optimize/BodyReductions.h"
#include "Transforms/Optimize/DeviceLoops.h"
#include "Transforms/Optimize/LoopScratch.h"
#include "Transforms/Optimize/OldValues.h"
#include "Transforms/Optimize/RaiseReductions.h"
#include "Transforms/Optimize/RowParts.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/CallBlocks.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/LastValues.h"
#include "sdfgc/Nest/MakeMaps.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;

namespace {

constexpr int64_t fewTrips = 4; // with fewer iterations, threads that the body may use would be idle

} // namespace

class LoopConversion::Work {
public:
    Work(LoopRegion &l, const LoopsOf &known, const pass::Context &context, IterationKind kind)
        : kind_(kind), loop_(l), g_(known.g), memories_(known.memories), items_(known.items), loops_(known.loops),
          context_(context), symbols_(known.after.symbols()), scratch_(l, known.loops, known.after.containers()),
          reductions_(l, known.g, known.memories, freeUpdates(context)) {}

    /// Why the loop stays; empty if it can become a map.
    Reason obstacle() {
        if (!loop_.optimize)
            return {Why::Kept, "the graph requires it"};
        header_ = analysis::headerOf(loop_);
        if (!header_.hasEnd())
            return {Why::LoopForm, "it does not count to a known end" + form()};
        if (!header_.isOfIntegers(g_))
            return {Why::LoopForm, "its range is not limited to integers"};
        map_.params = {loop_.variable};
        map_.ranges = {header_.range()};
        map_.entry = entry_.get();
        map_.made = entry_;
        const auto trips = map_.ranges[0].size().asInt();
        if (trips && *trips < fewTrips)
            return {Why::Small, "it has too few iterations for a team of threads"};
        std::optional<std::vector<Item>> items = loops_.contentOf(loop_);
        seesThrough_ = !items && context_.options.gpu() && (items = loops_.contentOf(loop_, true));
        moves_ = !items;
        if (context_.options.gpu())
            return obstacleOnDevice(std::move(items));
        return items ? obstacleIn(std::move(*items)) : obstacleInBody();
    }

    /// How iterations depend on each other, for the remark.
    std::string relation() const {
        if (!old_.empty())
            return "iterations read a copy of what later ones overwrite";
        if (parts_ && parts_->count() > 1)
            return "each of its " + std::to_string(parts_->count()) + " parts is one, as iterations are independent";
        if (!sums_.empty())
            return "iterations only add to `" + sums_.begin()->str() + "`, in sequence";
        if (!reductions_.empty())
            return "iterations only update `" + reductions_.first().str() + "`, in any order";
        return updated_.empty() ? "iterations do not depend on each other"
                                : "iterations only update `" + updated_.begin()->str() + "`, in any order";
    }

    /// Replaces the loop with a state that contains the map; there must be no obstacle.
    void replace() {
        entry_->schedule = sums_.empty() ? Schedule::CPU_Multicore : Schedule::Sequential;
        if (!sums_.empty())
            for (const auto &[inner, schedule] : schedules_)
                inner->schedule = schedule;
        entry_->ordered = false;
        symbols_.liveness.forget(loop_);
        if (moves_)
            return move();
        for (const Name n : elements_)
            nest::makeVariable(map_, n, g_);
        for (const Name n : map_.locals)
            g_.desc(n)->storage = Storage::Register;
        std::vector<Item> items;
        if (!old_.empty())
            items = copyOldValues(map_, old_, g_, memories_, nest::connectorsOf(g_));
        if (merges_)
            mergeInner(map_);
        if (!parts_)
            items.push_back({std::make_unique<Map>(std::move(map_)), nullptr});
        else
            for (Item &i : parts_->make(map_, *entry_, g_, memories_, nest::connectorsOf(g_)))
                items.push_back(std::move(i));
        loops_.replace(loop_, std::move(items), header_);
    }

    /// Is the body moved into a nested SDFG?
    bool moves() const { return moves_; }
    /// Are library nodes maps now, which do without views?
    bool seesThrough() const { return seesThrough_; }
    /// Symbols that are now private to iterations of the map.
    const std::set<Name> &privateSymbols() const { return body_.assigned; }

private:
    /// The same for a device: threads must not become fewer.
    Reason obstacleOnDevice(std::optional<std::vector<Item>> items) {
        merges_ = items && isPerfectNest(spreadCopy(*items, items_, g_), loop_.variable);
        Reason fewer;
        if (!merges_ && kind_ == IterationKind::Kernel)
            fewer = items ? whyFewerThreads(*items) : whyFewerThreads(loop_);
        if (fewer && !items)
            return fewer;
        if (Reason why = items ? obstacleIn(std::move(*items)) : obstacleInBody())
            return why;
        if (fewer && moves_)
            return {fewer.code, fewer.text + ": the body has control flow"};
        if (fewer) {
            const Reason why = whyBlocksCannotShare(map_, items_, g_, context_.allows(pass::FloatClass::F1));
            const bool isInner = analysis::loopAround(loop_.parent()) != nullptr; // which may move into the parts
            if (why || isInner)
                parts_.emplace(map_, items_, g_);
            if (parts_ && (!parts_->arePossible() || !elements_.empty() || (!why && parts_->count() == 1)))
                parts_.reset();
            if (why && !parts_)
                return {fewer.code, fewer.text + ": " + why.text};
        }
        if (!sums_.empty())
            return {Why::Update, "its sums keep their order"};
        for (const Name n : map_.locals)
            if (!nest::isSmallLocal(*g_.desc(n)))
                return {Why::Allocation, "each thread of a kernel would need its own `" + n.str() + "`"};
        if (merges_ && (moves_ || !map_.locals.empty()))
            return {Why::Shape, "the maps in its body share values of an iteration"};
        return {};
    }

    /// Why a body of items cannot become that of a map.
    Reason obstacleIn(std::vector<Item> items) {
        if (Reason why = take(std::move(items), map_.body))
            return why;
        if (context_.options.gpu() && !merges_ && kind_ == IterationKind::Kernel)
            spreadLanes(map_, items_, g_, context_.allows(pass::FloatClass::F1));
        if (items_.leavesContainers(map_))
            return {Why::OutOfBounds, "it accesses elements outside of a container"};
        const Reason why = dependence();
        if (!why)
            return {};
        map_.locals.clear();
        updated_.clear();
        sums_.clear();
        elements_.clear();
        old_.clear();
        if (const Reason inBody = obstacleInBody()) // which looks into nested SDFGs, and at all writes of a private container
            return inBody.code == Why::Dependence || inBody.code == why.code ? inBody : why;
        moves_ = !reductions_.empty() || std::any_of(map_.locals.begin(), map_.locals.end(), [this](Name n) {
            return !nest::isSmallLocal(*g_.desc(n)) || !loops_.isOnlyInside(n, loop_);
        });
        if (moves_) {
            map_.body.clear();
            map_.params.resize(1);
            map_.ranges.resize(1);
        }
        return {};
    }

    /// The same for a body with any control flow.
    Reason obstacleInBody() {
        for (bool mayOutlive = true;;) {
            body_ = {};
            last_.reset();
            std::set<Name> outlive;
            const Reason why = nest::readBody(loop_, header_, memories_, loops_.shared(), symbols_, body_, reductions_.symbols(),
                                              false, mayOutlive ? &outlive : nullptr);
            if (!why && !outlive.empty()) {
                last_.emplace(loop_, outlive);
                mayOutlive =
                    last_->isPossible(memories_, reductions_.symbols()) && !(context_.options.gpu() && last_->readsContainers());
                if (!mayOutlive)
                    continue; // for the reason
            }
            if (!why)
                break;
            if (body_.carried.empty() || !reductions_.addSymbol(body_.carried))
                return why;
        }
        if (!body_.calls.empty())
            return {Why::Library, "its body calls libraries in `" + body_.calls.front() + "`"};
        const Reason why = nest::dependenceOf(
            body_, g_, items_, memories_,
            [this](Name n) { return reductions_.isCollected(n) ? nest::Outside::Needed : scratch_.outside(n); }, map_.locals,
            [this](Name n) { return reductions_.addContainer(n, body_); }, [this](Name n) { return scratch_.whyNeeded(n); });
        if (const Name n = reductions_.incomplete(); !why && !n.empty())
            return {Why::Symbol, "`" + n.str() + "` may have the value of an earlier iteration"};
        return why;
    }

    /// What the header of a loop looks like that does not count.
    std::string form() const {
        if (header_.why != analysis::Uncounted::No)
            return ": " + std::string(analysis::text(header_.why));
        return loop_.condition ? ": it tests `" + loop_.condition->text() + "`" : "";
    }

    /// A loop states an order, so its sums of real numbers keep it unless F3 is allowed. Those with conflict resolution have none.
    static UpdateOrder freeUpdates(const pass::Context &context) {
        const bool isOpen = context.allows(pass::FloatClass::F1);
        return {.extrema = isOpen, .sums = context.allows(pass::FloatClass::F3), .openSums = isOpen};
    }

    void move() {
        if (last_) {
            last_->add(header_);
            loops_.changed();
        }
        if (!reductions_.empty()) {
            reductions_.apply(body_);
            loops_.changed();
        }
        std::set<Name> locals;
        std::swap(locals, map_.locals);
        const std::set<Name> inside = loops_.release(loop_);
        nest::Step body = nest::moveBody(loop_, body_, locals, memories_, inside);
        map_.body.push_back({nullptr, std::make_unique<nest::Step>(std::move(body))});
        loops_.replaceEmpty(loop_, {std::make_unique<Map>(std::move(map_)), nullptr}, header_);
    }

    /// Adds items to a body: Reduce nodes become maps, and everything becomes sequential. Returns why this is impossible; empty on
    /// success.
    Reason take(std::vector<Item> items, std::vector<Item> &body) {
        for (Item &i : items) {
            if (nest::hasEffects(i))
                return {Why::Effects, "its body has effects that its memlets do not describe"};
            const bool isProduct =
                i.step && (context_.options.gpu() ? i.step->nodes.size() == 1 && isa<LibraryNode>(i.step->nodes.front())
                                                  : nest::isSumOverColumn(*i.step, loop_.variable, g_));
            if (i.step && (nest::isReduce(*i.step) || isProduct)) {
                if (Reason why = takeReduction(*i.step, isProduct, body))
                    return why;
                continue;
            }
            if (Reason why = i.map ? makeSequential(*i.map) : obstacleOf(*i.step))
                return why;
            body.push_back(std::move(i));
        }
        return {};
    }

    Reason takeReduction(const nest::Step &s, bool product, std::vector<Item> &body) {
        const std::string &label = s.nodes.front()->label;
        if (product && !context_.allows(pass::FloatClass::F1) && nest::orderCounts(s, g_))
            return {Why::Contract, "the order of the sums of `" + label + "` would change"};
        Map like;
        like.entry = map_.entry;
        const auto order = context_.options.gpu() ? nest::LoopOrder::Outputs : nest::LoopOrder::Inputs;
        nest::ReductionMaps maps = nest::reductionAsMaps(s, like, g_, order);
        if (!maps.update)
            return {Why::Library, product ? "its body calls libraries" : "`" + label + "` in it cannot be a map"};
        body.push_back(std::move(maps.init));
        body.push_back({std::move(maps.update), nullptr});
        return {};
    }

    Reason makeSequential(Map &m) {
        if (!nest::canSplit(m))
            return {Why::Opaque, "its body has scopes that cannot be changed"};
        std::vector<Item> inside;
        if (Reason why = take(std::move(m.body), inside))
            return why;
        m.body = std::move(inside);
        std::shared_ptr<MapEntry> entry = nest::entryLike(*m.entry, m.entry->label);
        schedules_.emplace_back(entry, entry->schedule);
        entry->schedule = Schedule::Sequential;
        m.entry = entry.get();
        m.made = std::move(entry);
        return {};
    }

    static Reason obstacleOf(const nest::Step &s) {
        for (const Node *n : s.nodes) {
            if (nest::callsLibrary(*n))
                return {Why::Library, "its body calls libraries"};
            if (n->isEntry())
                return {Why::Opaque, "its body has scopes that cannot be changed"};
        }
        return {};
    }

    /// The dependences between iterations, after accumulations have been turned into updates.
    Reason dependence() {
        for (;;) {
            Name by;
            Reason why = dependence(by);
            if (!why || !raiseReduction(map_.body, by, loop_.variable, items_, g_, [this](Name n) {
                    const DataDesc &d = *g_.desc(n);
                    return d.transient && d.lifetime == Lifetime::Scope && loops_.isOnlyInside(n, loop_);
                }))
                return why;
            updated_.insert(by);
            map_.locals.clear();
        }
    }

    /// The same for the body in its current form. Containers private to an iteration become locals of the map. `by`:
    /// the container in the way.
    Reason dependence(Name &by) {
        std::vector<nest::PlacedUse> uses = aligned(map_, map_, {}, 1);
        std::set<Name> inner;
        for (const Item &i : map_.body)
            inner.merge(nest::localsOf(i));
        std::erase_if(uses, [&](const nest::PlacedUse &u) { return inner.count(u.use->data) != 0; });
        if (context_.options.gpu() && !header_.down && kind_ == IterationKind::Kernel)
            old_ = readsOfOldValues(uses, items_, g_);
        std::erase_if(uses, [this](const nest::PlacedUse &u) { return old_.count(u.use) || elements_.count(u.use->data); });
        std::map<Name, const nest::PlacedUse *> first; // of each container
        for (const nest::PlacedUse &u : uses)
            first.emplace(u.use->data, &u);
        for (std::size_t a = 0; a < uses.size(); ++a)
            for (std::size_t b = a; b < uses.size(); ++b) {
                const nest::PlacedUse &u = uses[a], &v = uses[b];
                if (!items_.meet(*u.use, *v.use) || map_.locals.count(u.use->data) || commute(u, v))
                    continue;
                const auto c = items_.conflict(u, v, 1);
                if (!c || analysis::isWithinIteration(*c))
                    continue;
                if (areSums(*u.use, *v.use)) {
                    sums_.insert(u.use->data);
                    continue;
                }
                by = u.use->data;
                if (map_.params.size() > 1 && mayBeElement(by)) {
                    elements_.insert(by);
                    return dependence(by);
                }
                if (by != v.use->data || first.at(by)->instance.loops.size() != map_.params.size() ||
                    !loops_.canBeLocal(*first.at(by)->use, loop_))
                    return nest::conflictReason("iterations depend on each other", u, v, *c);
                map_.locals.insert(u.use->data);
            }
        return {};
    }

    /// May each iteration have a variable instead of an element of a container?
    bool mayBeElement(Name n) const {
        return nest::isScratch(*g_.desc(n)) && loops_.isOnlyInside(n, loop_) && usesOneElement(map_, n);
    }

    /// Are both updates of the same single element, in any order? Each thread of a team then gets a private copy.
    bool commute(const nest::PlacedUse &a, const nest::PlacedUse &b) const {
        if (a.use->data != b.use->data || !isFreeOfOrder(*a.use, g_) || a.use->memlet.wcr != b.use->memlet.wcr || !a.use->subset ||
            !b.use->subset || !(*a.use->subset == *b.use->subset) || !a.use->subset->isOneElement())
            return false;
        return std::none_of(a.instance.loops.begin(), a.instance.loops.end(),
                            [&](const auto &l) { return a.use->subset->freeSymbols().count(l.variable) != 0; });
    }

    /// Are both updates of one kind, of any elements, that may be reordered?
    bool areSums(const nest::Use &a, const nest::Use &b) const {
        return a.kind == nest::UseKind::Update && b.kind == nest::UseKind::Update && a.data == b.data &&
               a.memlet.wcr == b.memlet.wcr && context_.allows(pass::FloatClass::F1) && isSumOfNumbers(a, g_);
    }

    const IterationKind kind_;
    LoopRegion &loop_;
    SDFG &g_;
    analysis::Memories &memories_;
    const nest::Conflicts &items_;
    nest::LoopItems &loops_;
    const pass::Context &context_;
    analysis::LoopHeader header_;
    Map map_;
    std::set<Name> sums_;                                                   // containers, of any elements, that iterations add to
    std::vector<std::pair<std::shared_ptr<MapEntry>, Schedule>> schedules_; // of inner maps
    std::optional<RowParts> parts_;                                         // that become maps of their own
    std::set<Name> elements_;         // containers with one element for each iteration, which becomes a variable
    std::set<const nest::Use *> old_; // reads of values from before the loop, which are copied
    std::set<Name> updated_;          // containers whose reads and writes were turned into updates by iterations
    const std::shared_ptr<MapEntry> entry_ = nest::entryFor(loop_); // of the map
    nest::BodySymbols &symbols_;
    const LoopScratch scratch_;
    nest::LoopBody body_;
    BodyReductions reductions_;
    std::optional<nest::LastValues> last_; // of symbols that are read after the loop
    bool moves_ = false;                   // the body, as it is
    bool seesThrough_ = false;
    bool merges_ = false; // with the map that is its body
};

LoopConversion::LoopConversion(LoopRegion &l, const LoopsOf &known, const pass::Context &context, IterationKind kind)
    : work_(std::make_unique<Work>(l, known, context, kind)) {}
LoopConversion::LoopConversion(LoopConversion &&) noexcept = default;
LoopConversion::~LoopConversion() = default;

Reason LoopConversion::obstacle() { return work_->obstacle(); }
std::string LoopConversion::relation() const { return work_->relation(); }
void LoopConversion::replace() { work_->replace(); }
bool LoopConversion::moves() const { return work_->moves(); }
bool LoopConversion::seesThrough() const { return work_->seesThrough(); }
const std::set<Name> &LoopConversion::privateSymbols() const { return work_->privateSymbols(); }

} // namespace sdfgc::transforms
