// factor-in-place: compute a Cholesky factor in the memory of its matrix, if that is overwritten afterwards.
//
//     L = cholesky(A)                                       A = potrf(A)                 in the lower triangle
//     map[i = 0:N, j = i + 1:N] { T[i, j] = A[i, j] }  ->   map[i = 0:N, j = i + 1:N] { T[i, j] = A[i, j] }
//     map[i = 0:N, j = 0:N] {                               map[i = 0:N, j = 0:N] {
//         A[i, j] = L[i, j] + T[i, j]                           A[i, j] = (A[i, j] if j <= i else 0) + T[i, j]
//     }                                                     }
//
// On a device, the factorisation needs a copy of A and a kernel that clears the upper triangle of L. Potrf leaves that triangle
// alone, so A keeps the values that are still read there, and the tasklets that read L select zeros themselves.
//
// Legal when:
//   1. L is a transient that only the node writes, and that only one tasklet in a parallel map of the same run reads;
//   2. the map runs over all elements of A, and the tasklet writes the element of A at the same indices as it reads of L;
//   3. up to the end of this map, everything else that uses the memory of A reads elements of the other triangle;
//   4. both are plain arrays of the same type and shape.
//
// The elements are computed by the same operations. A matrix that has no factor gives the same unfinished one.
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/LoopItems.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::Use;
using nest::UseKind;
using sym::Expr;

const LibraryNode *choleskyNode(const Item &i) {
    const auto *n = i.step && i.step->nodes.size() == 1 ? dyn_cast<LibraryNode>(i.step->nodes.front()) : nullptr;
    return n && analysis::has(*n, analysis::Trait::Triangle) ? n : nullptr;
}

/// One node, and what uses its factor.
class Factor {
public:
    Factor(std::vector<Item> &list, std::size_t at, SDFG &g, analysis::Memories &memories, const nest::Conflicts &items,
           const std::set<Name> &hidden, const std::map<Name, std::size_t> &uses)
        : list_(list), at_(at), node_(*choleskyNode(list[at])), g_(g), memories_(memories), items_(items), hidden_(hidden),
          uses_(uses) {}

    /// Why the factor stays apart from the matrix.
    Reason obstacle() {
        if (Reason why = findOperands())
            return why;
        if (Reason why = findReader())
            return why;
        for (std::size_t k = at_ + 1; k <= reader_; ++k)
            if (Reason why = whyInTheWay(list_[k]))
                return why;
        return {};
    }

    void change() {
        Item &reader = list_[reader_].map->body[readerStep_];
        reader.step = selection(*reader.step);
        list_[at_].step = factorisation();
    }

private:
    Reason findOperands() {
        for (const Use &u : list_[at_].step->uses) {
            const DataDesc *d = g_.desc(u.data);
            if (!analysis::isPlain(d) || !analysis::isOnHost(d) || !u.subset || u.memlet.dynamic || d->rank() != 2 ||
                !(*u.subset == d->fullSubset()) || u.kind == UseKind::Update || u.memlet.data != u.data)
                return {Why::Container, "`" + u.data.str() + "` is not an entire plain array"};
            (u.writes() ? factor_ : matrix_) = &u;
        }
        if (!matrix_ || !factor_ || list_[at_].step->uses.size() != 2)
            return {Why::Opaque, "its operands are not known"};
        const DataDesc &l = *g_.desc(factor_->data), &a = *g_.desc(matrix_->data);
        if (!nest::isScratch(l) || hidden_.count(factor_->data) || !(l.dtype == a.dtype) || l.shape != a.shape)
            return {Why::Container, "`" + factor_->data.str() + "` cannot be replaced with `" + matrix_->data.str() + "`"};
        return {};
    }

    Reason findReader() {
        const Reason other{Why::Shape, "more than one tasklet in a map over the entire matrix uses the factor"};
        const auto all = uses_.find(factor_->data);
        if (all == uses_.end() || all->second != 2)
            return other;
        for (reader_ = at_ + 1; reader_ < list_.size(); ++reader_) {
            const Map *m = list_[reader_].map.get();
            if (!m || m->entry->schedule != Schedule::CPU_Multicore || m->entry->ordered || !nest::canSplit(*m))
                continue;
            for (readerStep_ = 0; readerStep_ < m->body.size(); ++readerStep_)
                if (const Step *s = m->body[readerStep_].step.get(); s && mentions(*s, factor_->data))
                    return isReader(*m, *s) ? Reason() : other;
        }
        return other;
    }

    static bool mentions(const Step &s, Name data) {
        return std::any_of(s.uses.begin(), s.uses.end(), [data](const Use &u) { return u.data == data; });
    }

    /// Does a tasklet in a map over all elements read the factor where it writes the matrix?
    bool isReader(const Map &m, const Step &s) const {
        const auto *t = s.nodes.size() == 1 ? dyn_cast<Tasklet>(s.nodes.front()) : nullptr;
        const std::vector<Expr> &shape = g_.desc(matrix_->data)->shape;
        if (!t || !t->code.isPython() || s.effects || !s.renamed.empty() || m.params.size() != 2 || !t->code.block())
            return false;
        std::vector<Expr> index;
        for (const Expr size : shape) { // the parameters, in the order of the dimensions
            const std::size_t k = index.size();
            index.push_back(Expr::symbol(m.params[k]));
            if (!(m.ranges[k] == sym::Range{0, size - 1, 1, 1}))
                return false;
        }
        const sym::Subset element = sym::Subset::point(index);
        bool reads = false, writes = false;
        for (const Use &u : s.uses) {
            if (!u.subset || u.memlet.dynamic || u.memlet.data != u.data || !u.access || u.connector == m.params[0] ||
                u.connector == m.params[1])
                return false;
            if (!u.writes() && u.data == factor_->data)
                reads = *u.subset == element;
            else if (u.writes() && u.data == matrix_->data && !writes)
                writes = *u.subset == element && u.kind == UseKind::Write && u.certain;
            else if (u.writes())
                return false;
        }
        return reads && writes;
    }

    /// Uses of the matrix other than those of the tasklet.
    Reason whyInTheWay(const Item &i) const {
        const Step *tasklet = list_[reader_].map->body[readerStep_].step.get();
        const bool lower = isLower();
        const Name row("__row"), column("__column");
        const Expr r = Expr::symbol(row), c = Expr::symbol(column), n = g_.desc(matrix_->data)->shape[0];
        const analysis::AccessInstance triangle{
            sym::Subset::point(std::vector<Expr>{r, c}),
            {{row, {0, n - 1, 1, 1}}, {column, lower ? sym::Range{0, r, 1, 1} : sym::Range{r, n - 1, 1, 1}}}};
        for (const nest::PlacedUse &u : nest::usesOf(i)) {
            if (u.step == tasklet && (u.use->data == factor_->data || u.use->writes()))
                continue;
            if (u.use->data != matrix_->data && memories_.apart(u.use->place(), matrix_->place()))
                continue;
            if (u.use->writes() || u.use->data != matrix_->data || !u.instance.subset ||
                analysis::conflictOf(triangle, u.instance, 0, items_.facts()))
                return {Why::Dependence, "its matrix is used again before it is overwritten"};
        }
        return {};
    }

    bool isLower() const {
        const json::Value *p = node_.properties.find("lower");
        return !p || !p->isBool() || p->asBool();
    }

    std::unique_ptr<Step> factorisation() const {
        auto node = std::make_shared<LibraryNode>();
        node->label = node->name = node_.label;
        node->classPath = "dace.libraries.lapack.nodes.potrf.Potrf";
        node->schedule = node_.schedule;
        node->debugInfo = node_.debugInfo;
        if (node_.implementation == "pure")
            node->implementation = node_.implementation;
        node->properties.set("lower", json::Value(isLower()));
        auto step = std::make_unique<Step>();
        step->nodes.push_back(node.get());
        const Type pointer = Type::pointer(g_.desc(matrix_->data)->dtype);
        Use read = *matrix_, written = *matrix_;
        read.connector = node->addIn(Name("_xin"), pointer).name;
        written.connector = node->addOut(Name("_xout"), pointer).name;
        written.kind = UseKind::Write;
        written.access = factor_->access;
        read.node = written.node = 0;
        step->uses = {std::move(read), std::move(written)};
        step->made = std::move(node);
        return step;
    }

    /// The tasklet, which reads zeros in the triangle that a factor does not have.
    std::unique_ptr<Step> selection(const Step &s) const {
        const auto &t = *cast<Tasklet>(s.nodes.front());
        std::vector<Use> reads;
        Use written;
        std::map<Name, py::ExprRef> selected;
        for (const Use &u : s.uses) {
            if (u.writes()) {
                written = u;
                continue;
            }
            reads.push_back(u);
            if (u.data != factor_->data)
                continue;
            reads.back() = nest::ofElement(*matrix_, *u.subset, u.connector);
            reads.back().access = u.access;
            const std::string row = u.subset->dims[0].begin.str(), column = u.subset->dims[1].begin.str(),
                              type(scalarTypeName(g_.desc(u.data)->dtype.scalar()));
            selected.emplace(u.connector, *py::parseExpr(u.connector.str() + " if " + column + (isLower() ? " <= " : " >= ") + row +
                                                         " else dace." + type + "(0)")
                                               .value);
        }
        for (Use &u : reads)
            u.node = 0;
        written.node = 0;
        Item i = nest::taskletStep(t.label, py::print(py::substitute(*t.code.block(), selected)), std::move(reads),
                                   std::move(written), g_);
        i.step->ends = s.ends;
        return std::move(i.step);
    }

    std::vector<Item> &list_;
    const std::size_t at_;
    const LibraryNode &node_;
    SDFG &g_;
    analysis::Memories &memories_;
    const nest::Conflicts &items_;
    const std::set<Name> &hidden_;
    const std::map<Name, std::size_t> &uses_; // how often each container is used
    const Use *matrix_ = nullptr, *factor_ = nullptr;
    std::size_t reader_ = 0, readerStep_ = 0;
};

class FactorInPlace : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (!context.options.gpu())
            return false;
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            if (analysis::isInScope(g))
                return;
            const nest::Conflicts items(g, memories);
            const std::set<Name> hidden = nest::hiddenContainers(g, runs);
            std::map<Name, std::size_t> uses;
            for (const nest::Run &r : runs)
                for (const Item &i : r.items)
                    for (const nest::PlacedUse &u : nest::usesOf(i))
                        ++uses[u.use->data];
            for (nest::Run &run : runs)
                for (std::size_t at = 0; at < run.items.size(); ++at) {
                    if (!choleskyNode(run.items[at]))
                        continue;
                    const pass::Element where = elementOfItem(run.items[at], g);
                    Factor factor(run.items, at, g, memories, items, hidden, uses);
                    if (const Reason why = factor.obstacle()) {
                        context.missed(where, "has a factor apart from its matrix", why);
                    } else if (context.mayChange(where, "is factored in the memory of its matrix")) {
                        factor.change();
                        run.changed = true;
                    }
                }
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createFactorInPlace() { return std::make_unique<FactorInPlace>(); }

} // namespace sdfgc::transforms
