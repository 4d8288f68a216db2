// Turns reducing library nodes into maps: Reduce nodes and matrix-vector products.
//
//     Reduce (sum, axis 1): A -> s          init:    s[i] = 0                  A @ x -> y          init:    y[i] = 0
//                                           update:  s[i] += A[i, j]                               update:  y[i] += A[i, k] * x[k]
#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"

#include <algorithm>
#include <numeric>

namespace sdfgc::nest {

using namespace ir;

namespace {

/// A container that takes part in the reduction, and the loop along each of its dimensions with more than one element, in order.
struct Operand {
    const Use *use = nullptr;
    std::vector<std::size_t> loops;
    Name connector;
};

const LibraryNode *libraryNode(const Step &s) { return s.nodes.size() == 1 ? dyn_cast<LibraryNode>(s.nodes.front()) : nullptr; }

/// A library node under conversion: the loops of its update, its operands, and its computation. Derived classes fill these in for
/// each kind of node.
class Reduction {
public:
    Reduction(const Step &step, const Map &like, const SDFG &g, LoopOrder order) // a library node
        : step_(step), node_(*libraryNode(step)), like_(like), g_(g), ofOutputs_(order == LoopOrder::Outputs) {}

    ReductionMaps maps() {
        if (!canSplit(like_) || !isSplittable() || !nameParameters())
            return {};
        return {init(), update()};
    }

protected:
    const Step &step_;
    const LibraryNode &node_;
    const Map &like_;
    const SDFG &g_;
    const bool ofOutputs_;         // are the loops of the outputs outermost?
    std::vector<sym::Expr> loops_; // trip counts, in the order of the widest factor
    std::vector<Operand> inputs_;
    Operand output_;
    std::string wcr_, identity_, code_;

    /// The operands, and the loops in the order of the factor with the most of them. Returns false if another operand has
    /// further loops, or if none is combined. `names`: connectors of the factors in the map.
    bool readLoops(const analysis::Indexing &x, const std::vector<Use> &uses, std::initializer_list<const char *> names) {
        const auto &widest = *std::max_element(x.factors.begin(), x.factors.end(), [&x](const auto &a, const auto &b) {
            return x.loopsOf(a).size() < x.loopsOf(b).size();
        });
        const std::vector<int> loops = x.loopsOf(widest);
        for (const std::size_t d : widest.subset.nonUnitDims())
            loops_.push_back(widest.size(d));
        bool fits = std::set<int>(loops.begin(), loops.end()).size() == loops.size();
        const auto operand = [&](const analysis::IndexedOperand &o, const char *name) {
            Operand out{&*std::find_if(uses.begin(), uses.end(),
                                       [&o](const Use &u) { return u.connector == o.connector && u.writes() == o.written; }),
                        {},
                        Name(name)};
            for (const int label : x.loopsOf(o)) {
                const auto at = std::find(loops.begin(), loops.end(), label);
                fits = fits && at != loops.end();
                out.loops.push_back(static_cast<std::size_t>(at - loops.begin()));
            }
            return out;
        };
        for (std::size_t k = 0; k < x.factors.size(); ++k)
            inputs_.push_back(operand(x.factors[k], std::data(names)[k]));
        output_ = operand(x.result, "__out");
        return fits && output_.loops.size() < loops_.size();
    }

    /// May loops take the operands apart, as far as these tell?
    bool isSplittable() const {
        const auto plain = [this](const Operand &o) {
            const std::optional<sym::Subset> &s = o.use->subset;
            if (!s || o.use->memlet.dynamic || !analysis::isOnHost(g_.desc(o.use->data)))
                return false;
            const std::vector<std::size_t> dims = s->nonUnitDims();
            bool fits = dims.size() == o.loops.size();
            for (std::size_t k = 0; fits && k < dims.size(); ++k)
                fits = s->dims[dims[k]].tile.isOne() && s->dims[dims[k]].size() == loops_[o.loops[k]];
            return fits;
        };
        return plain(output_) && std::all_of(inputs_.begin(), inputs_.end(), plain);
    }

private:
    /// Picks names that do not occur in the subsets. Threads that share the first loop must not share outputs, except for a single
    /// one.
    bool nameParameters() {
        const std::vector<std::size_t> &kept = output_.loops;
        const auto isKept = [&kept](std::size_t k) { return std::find(kept.begin(), kept.end(), k) != kept.end(); };
        order_.resize(loops_.size());
        std::iota(order_.begin(), order_.end(), 0);
        if (ofOutputs_)
            std::stable_partition(order_.begin(), order_.end(), isKept);
        params_.resize(loops_.size());
        for (std::size_t k = 0; k < order_.size(); ++k)
            params_[order_[k]] = k < like_.params.size() ? like_.params[k] : g_.freshName("__r" + std::to_string(k));
        const bool shared = isParallel(like_.entry->schedule) && !kept.empty() && !isKept(order_.front());
        return !shared && !nest::mentions(*output_.use->subset, params_) &&
               std::none_of(inputs_.begin(), inputs_.end(),
                            [this](const Operand &o) { return nest::mentions(*o.use->subset, params_); });
    }

    Use elementOf(const Operand &o) const {
        std::vector<sym::Expr> at;
        for (const std::size_t k : o.loops)
            at.push_back(sym::Expr::symbol(params_[k]));
        return ofElement(*o.use, nest::elementOf(*o.use->subset, at), o.connector);
    }

    std::unique_ptr<Map> mapOver(const std::vector<std::size_t> &loops, std::string label, Item body) const {
        auto map = std::make_unique<Map>(mapLike(*like_.entry, std::move(label), {}, {}));
        for (const std::size_t k : loops) {
            map->params.push_back(params_[k]);
            map->ranges.push_back({0, loops_[k] - 1, 1, 1});
        }
        map->body.push_back(std::move(body));
        return map;
    }

    Item init() const {
        Use first = elementOf(output_);
        first.certain = true;
        Item step = taskletStep("init", "__out = " + identity_, {}, std::move(first), g_);
        std::vector<std::size_t> kept = output_.loops;
        std::sort(kept.begin(), kept.end());
        if (kept.empty())
            return step;
        return {mapOver(kept, "init", std::move(step)), nullptr};
    }

    std::unique_ptr<Map> update() const {
        std::vector<Use> reads;
        for (const Operand &o : inputs_)
            reads.push_back(elementOf(o));
        Use updated = elementOf(output_);
        updated.kind = UseKind::Update;
        updated.certain = false;
        updated.memlet.wcr = wcr_;
        return mapOver(order_, node_.label, taskletStep(node_.label, code_, std::move(reads), std::move(updated), g_));
    }

    std::vector<std::size_t> order_; // of the loops, outermost first
    std::vector<Name> params_;       // of each loop
};

/// Reduce, with an associative function and an identity.
class ReduceNode : public Reduction {
public:
    using Reduction::Reduction;

    bool read() {
        if (step_.uses.size() != 2 || step_.uses[0].writes() || step_.uses[1].kind != UseKind::Write)
            return false;
        code_ = "__out = __inp";
        const analysis::Indexed x = analysis::indexingOf(node_, operandsOf(step_.uses));
        return x && readFunction(x->how, step_.uses[1]) && readLoops(*x, step_.uses, {"__inp"});
    }

private:
    bool readFunction(const analysis::Combination &how, const Use &to) {
        wcr_ = how.function;
        identity_ = how.start.value_or("");
        const auto function = py::parseWcr(wcr_);
        if (!function.value || identity_.empty() || !py::freeNames(*function.value->lambda).empty() ||
            !analysis::namesInCode({identity_, Language::Python}, g_).empty())
            return false;
        const py::Reduction kind = function.value->kind;
        const bool isOrdered = kind == py::Reduction::Sub || kind == py::Reduction::Div || kind == py::Reduction::MinLocation ||
                               kind == py::Reduction::MaxLocation;
        return !isOrdered && py::reductionIdentity(kind, g_.desc(to.data)->dtype).has_value();
    }
};

/// Products where a factor is a vector: the order of the sum is open, and a library gains little. Transposed matrices are
/// left to libraries.
class ProductNode : public Reduction {
public:
    ProductNode(const Step &step, const Map &like, const SDFG &g, LoopOrder order) : Reduction(step, like, g, order) {
        for (const Use &u : step.uses)
            uses_.push_back(throughView(u, g));
    }

    bool read() {
        const analysis::Indexed x = analysis::indexingOf(node_, operandsOf(uses_));
        if (!x || uses_.size() != 3 || x->factors.size() != 2 || !x->how.isAlpha(1) || !x->how.isBeta(0) ||
            !readLoops(*x, uses_, {"__a", "__b"}) || output_.use->kind != UseKind::Write)
            return false;
        const Use *a = inputs_[0].use, *b = inputs_[1].use, *c = output_.use;
        const Type type = g_.desc(c->data)->dtype;
        const auto zero = py::reductionIdentity(py::Reduction::Sum, type);
        if (!zero || !(g_.desc(a->data)->dtype == type) || !(g_.desc(b->data)->dtype == type))
            return false;
        wcr_ = "lambda x, y: x + y";
        identity_ = py::print(**zero);
        code_ = "__out = __a * __b";
        const std::size_t ofA = inputs_[0].loops.size(), ofB = inputs_[1].loops.size();
        if (loops_.size() == 1) // the product of two vectors
            return ofA == 1 && ofB == 1;
        return ofA + ofB == 3 && output_.loops == std::vector<std::size_t>{ofA == 2 ? 0U : 1U}; // by rows or by columns
    }

    /// The product that was read, if an operand is a matrix.
    std::optional<MatrixProduct> product() const {
        if (loops_.size() != 2 || !isSplittable())
            return std::nullopt;
        const bool ofRows = output_.loops.front() == 0;
        return MatrixProduct{
            *inputs_[ofRows ? 0 : 1].use, *inputs_[ofRows ? 1 : 0].use, *output_.use, ofRows, loops_[0], loops_[1]};
    }

private:
    std::vector<Use> uses_; // of containers, not of their views
};

} // namespace

bool isReduce(const Step &s) {
    const LibraryNode *node = libraryNode(s);
    return node && analysis::isReduction(*node);
}

bool isProduct(const Step &s) {
    const LibraryNode *node = libraryNode(s);
    return node && analysis::has(*node, analysis::Trait::Product);
}

bool orderCounts(const Step &s, const SDFG &g) {
    const DataDesc *to = s.uses.empty() ? nullptr : g.desc(s.uses.back().data);
    const auto how = analysis::combinationOf(*libraryNode(s), operandsOf(s.uses));
    const auto wcr = py::parseWcr(how ? how->function : "");
    return !to || !wcr.value || py::orderCounts(wcr.value->kind, to->dtype);
}

std::optional<MatrixProduct> matrixProductOf(const Step &s, const SDFG &g) {
    const Map unlike;
    ProductNode node(s, unlike, g, LoopOrder::Inputs);
    return isProduct(s) && node.read() ? node.product() : std::nullopt;
}

bool isSumOverColumn(const Step &s, Name variable, const SDFG &g) {
    bool moves = false;
    for (const Use &each : s.uses) {
        const Use u = throughView(each, g);
        const DataDesc *d = g.desc(u.data);
        if (!u.subset || !d || u.subset->nonUnitDims().size() > (u.writes() ? 0U : 1U))
            return false;
        moves |= !u.writes() && isNextTo(*u.subset, *d, variable);
    }
    return moves && isProduct(s);
}

ReductionMaps reductionAsMaps(const Step &s, const Map &like, const SDFG &g, LoopOrder order) {
    if (!libraryNode(s))
        return {};
    if (isReduce(s)) {
        ReduceNode node(s, like, g, order);
        return node.read() ? node.maps() : ReductionMaps{};
    }
    ProductNode node(s, like, g, order);
    return node.read() ? node.maps() : ReductionMaps{};
}

} // namespace sdfgc::nest
