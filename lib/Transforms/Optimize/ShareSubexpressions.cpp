// share-subexpressions: reuse a result that an earlier item has already computed.
//
//     map[i = 0:N] { t[i] = exp(A[i]) }                 map[i = 0:N] { t[i] = exp(A[i]) }
//     map[j = 0:N] { u[j] = exp(A[j]) }         ->      map[i = 0:N] { B[i] = t[i] + t[i] * C[i] }
//     map[i = 0:N] { B[i] = t[i] + u[i] * C[i] }
//
// People write the same difference of neighbours in three lines, and front ends turn each into a temporary. In each
// list of items, a run of states or the body of a map, the pass looks for an item that repeats an earlier one: the same
// map up to the names of its parameters and variables, or the same tasklet or Reduce node. The later item is removed, and the readers
// of its result read the earlier result instead.
//
// Legal when:
//   1. each of the two writes a single container by a single step, unconditionally and every element of a subset. The
//      containers are transients of the host with the same type and layout, no other step writes them, and all their
//      uses are known (hiddenContainers);
//   2. neither reads what it writes, and neither has effects beyond its memlets;
//   3. nothing between the two writes their inputs;
//   4. all uses of the removed result are in the same list, after the item. An earlier use would read a value from the
//      previous iteration.
//
// Values are bitwise identical. C++ compilers do the same to the operations of one iteration, but not to functions of
// the mathematical library, which might set errno, and they do not treat arrays as values.
//
// Not handled: items that are more than `window` positions apart; SDFGs that use a GPU.
//
// Runs after fusion: a temporary that two maps read cannot become a variable of both, so sharing it earlier would cost
// more than it saves.
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::PlacedUse;
using nest::Step;
using nest::Use;
using nest::UseKind;

/// Describes the computation of an item by a text that is equal for equal computations.
class Description {
public:
    /// `result`: the container that it writes for others.
    Description(const SDFG &g, Name result) : g_(g) { names_.emplace(result, "="); }

    /// False if the text cannot describe it completely.
    bool add(const Item &i) { return i.map ? add(*i.map) : add(*i.step); }
    const std::string &text() const { return text_; }

private:
    bool add(const Map &m) {
        text_ += "map";
        for (std::size_t d = 0; d < m.params.size(); ++d) {
            text_ += " " + sym::Subset{{m.ranges[d].substituted(params_)}}.str();
            params_[m.params[d]] = sym::Expr::symbol(Name("#" + std::to_string(numbers_++)));
        }
        for (const Name local : m.locals) {
            const DataDesc &d = *g_.desc(local);
            names_.emplace(local, "%" + std::to_string(numbers_++) + d.dtype.str() + d.fullSubset().str());
        }
        text_ += " {\n";
        const bool all = std::all_of(m.body.begin(), m.body.end(), [this](const Item &i) { return add(i); });
        text_ += "}\n";
        return all;
    }

    bool add(const Step &s) {
        const auto *t = s.nodes.size() == 1 ? dyn_cast<Tasklet>(s.nodes.front()) : nullptr;
        const bool isRead = s.isCopy() || (t && t->code.isPython()) || addReduction(s);
        if (s.effects || !s.renamed.empty() || !isRead)
            return false;
        std::vector<std::string> uses;
        for (const Use &u : s.uses) {
            if (!u.subset)
                return false;
            uses.push_back(textOf(u, t));
        }
        if (t) {
            text_ += codeOf(*t) + "\n";
            std::sort(uses.begin(), uses.end()); // connectors distinguish them
        }
        for (const std::string &u : uses)
            text_ += u + "\n";
        return true;
    }

    /// A Reduce node is described by all of its attributes.
    bool addReduction(const Step &s) {
        if (!nest::isReduce(s))
            return false;
        const auto *n = cast<LibraryNode>(s.nodes.front());
        text_ += n->classPath + " " + n->implementation + " " + std::to_string(static_cast<int>(n->schedule)) + "\n";
        static const std::set<std::string> names{"debuginfo", "guid", "in_connectors", "label", "name", "out_connectors"};
        for (const auto &[key, value] : n->properties)
            if (!names.count(key))
                text_ += key + "=" + value.dump() + "\n";
        return true;
    }

    std::string codeOf(const Tasklet &t) const {
        std::map<Name, py::ExprRef> values;
        for (const auto &[name, value] : params_)
            values.emplace(name, py::name(value.name()));
        return py::print(py::substitute(t.code.blockOrRaw(), values));
    }

    std::string textOf(const Use &u, const Tasklet *t) const {
        const auto name = names_.find(u.data);
        std::string out = u.writes() ? "> " : "< ";
        out += name == names_.end() ? u.data.str() : name->second;
        out += u.subset->substituted(params_).str() + (u.writes() && !u.certain ? " perhaps " : " ") + u.memlet.wcr;
        const Connector *c = !t ? nullptr : u.writes() ? t->outConnector(u.connector) : t->inConnector(u.connector);
        return c ? c->name.str() + ":" + c->type.str() + out : out;
    }

    const SDFG &g_;
    std::map<Name, std::string> names_; // of containers whose names do not matter
    std::map<Name, sym::Expr> params_;
    std::size_t numbers_ = 0;
    std::string text_;
};

/// An item that computes a value.
struct KnownValue {
    std::size_t at = 0; // position in its list
    Name result;
    std::vector<const Use *> inputs;
};

/// Shares values among the items of one SDFG.
class Sharing {
public:
    Sharing(SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs, std::size_t window, pass::Context &context)
        : g_(g), memories_(memories), items_(g, memories), hidden_(nest::hiddenContainers(g, runs)), window_(window),
          context_(context) {
        for (const nest::Run &r : runs)
            for (const Item &i : r.items)
                for (const PlacedUse &u : nest::usesOf(i)) {
                    ++uses_[u.use->data];
                    writes_[u.use->data] += u.use->writes();
                }
    }

    void share(nest::Run &run) { run.changed |= in(run.items, nullptr); }

    /// Removes containers that are no longer mentioned.
    void forget() {
        for (const Name n : gone_)
            g_.arrays.erase(n);
    }

private:
    /// `owner`: the map whose body the list is. Returns whether anything changed.
    bool in(std::vector<Item> &list, Map *owner) {
        bool changed = false;
        for (Item &i : list)
            if (i.map)
                changed |= in(i.map->body, i.map.get());
        locate(list);
        std::map<std::string, KnownValue> known;
        std::set<std::size_t> dropped;
        for (std::size_t at = 0; at < list.size(); ++at) {
            std::optional<KnownValue> now = resultOf(list[at], at);
            Description words(g_, now ? now->result : Name());
            if (!now || !words.add(list[at]))
                continue;
            const auto [before, isNew] = known.try_emplace(words.text(), *now);
            if (isNew || before->second.at + window_ < at || !isUnchanged(list, before->second, at, dropped)) {
                before->second = *now;
            } else if (canReplace(now->result, before->second.result, at)) {
                if (!context_.mayChange(elementOfItem(list[at], g_),
                                        "goes: `" + before->second.result.str() + "` already has its result"))
                    continue;
                drop(list, at, now->result, before->second.result);
                if (owner)
                    owner->locals.erase(now->result);
                dropped.insert(at);
            }
        }
        std::size_t at = 0;
        std::erase_if(list, [&](const Item &) { return dropped.count(at++) != 0; });
        return changed || !dropped.empty();
    }

    /// Records which items of the list use which containers.
    void locate(const std::vector<Item> &list) {
        places_.clear();
        for (std::size_t at = 0; at < list.size(); ++at)
            for (const PlacedUse &u : nest::usesOf(list[at]))
                places_[u.use->data].push_back(at);
    }

    /// The only container that an item writes for other items, if that is its only effect.
    std::optional<KnownValue> resultOf(const Item &i, std::size_t at) const {
        if (nest::hasEffects(i) || (i.map && isGpuSchedule(i.map->entry->schedule)))
            return std::nullopt;
        const std::set<Name> locals = nest::localsOf(i);
        KnownValue out{at, {}, {}};
        for (const PlacedUse &u : nest::usesOf(i)) {
            if (locals.count(u.use->data))
                continue;
            if (!u.use->writes())
                out.inputs.push_back(u.use);
            else if (out.result || u.use->kind != UseKind::Write || !u.use->certain)
                return std::nullopt;
            else
                out.result = u.use->data;
        }
        const auto isPlain = [this](const Use *u) { return analysis::isPlain(g_.desc(u->data)); };
        if (!out.result || !isTemporary(out.result) || !std::all_of(out.inputs.begin(), out.inputs.end(), isPlain))
            return std::nullopt;
        return out;
    }

    /// A transient that a single step writes, all of whose uses are known.
    bool isTemporary(Name n) const {
        const DataDesc &d = *g_.desc(n);
        return d.transient && analysis::isPlain(&d) && !d.mayAlias && d.lifetime == Lifetime::Scope && !d.pool &&
               analysis::isOnHost(&d) && !hidden_.count(n) && writes_.at(n) == 1;
    }

    /// Is everything that an item has read, or will read, unchanged from there to `at`?
    bool isUnchanged(const std::vector<Item> &list, const KnownValue &k, std::size_t at,
                     const std::set<std::size_t> &dropped) const {
        for (std::size_t between = k.at; between < at; ++between)
            for (const PlacedUse &u : dropped.count(between) ? std::vector<PlacedUse>() : nest::usesOf(list[between]))
                for (const Use *input : k.inputs)
                    if (items_.meet(*u.use, *input))
                        return false;
        return true;
    }

    /// Can `kept` replace a container whose only write is in item `at`?
    bool canReplace(Name replaced, Name kept, std::size_t at) const {
        const DataDesc &a = *g_.desc(replaced), &b = *g_.desc(kept);
        const std::vector<std::size_t> &places = places_.at(replaced);
        return a.kind == b.kind && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides && a.offset == b.offset &&
               a.totalSize == b.totalSize && a.storage == b.storage && places.size() == uses_.at(replaced) && places.front() == at;
    }

    void drop(std::vector<Item> &list, std::size_t at, Name replaced, Name kept) {
        for (const PlacedUse &u : nest::usesOf(list[at]))
            --uses_[u.use->data];
        for (const std::size_t place : std::exchange(places_[replaced], {}))
            if (place != at) {
                nest::renameContainers(list[place], {{replaced, kept}}, g_, memories_);
                places_[kept].push_back(place);
                ++uses_[kept];
            }
        gone_.insert(replaced);
        for (const Name local : nest::localsOf(list[at]))
            gone_.insert(local);
    }

    SDFG &g_;
    analysis::Memories &memories_;
    const nest::Conflicts items_;
    const std::set<Name> hidden_;
    const std::size_t window_;
    pass::Context &context_;
    std::map<Name, std::size_t> uses_, writes_;       // in all runs
    std::map<Name, std::vector<std::size_t>> places_; // items of the current list, once per use
    std::set<Name> gone_;
};

class ShareSubexpressions : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        const auto window = static_cast<std::size_t>(std::max<int64_t>(option<int64_t>("window"), 0));
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            if (mentionsGpu(g))
                return;
            Sharing sharing(g, memories, runs, window, context);
            for (nest::Run &run : runs)
                sharing.share(run);
            sharing.forget();
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createShareSubexpressions() { return std::make_unique<ShareSubexpressions>(); }

} // namespace sdfgc::transforms
