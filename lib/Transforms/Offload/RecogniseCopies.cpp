// recognise-copies: turn kernels that only copy or clear memory into copies and fills.
//
//   before:  map[i = 0:N, j = 0:M] GPU_Device { B[i, j] = A[i, j] }        after:  A[0:N, 0:M] -> B[0:N, 0:M]
//            map[i = 0:N] GPU_Device { C[i] = 0 }                                  FillLibraryNode C[0:N] = 0
//
// A device's copy engine is faster than a kernel, needs no registers, and can run concurrently with kernels.
//
// Legal when:
//   1. the map is a separate kernel launched by the host and contains only a tasklet `out = in` or `out = 0`; the graph
//      does not request timing or a block size;
//   2. the containers read and written are different arrays in device memory with the same element type;
//   3. each parameter counts, by one, along one dimension of the read and one of the write, in the same order, and no
//      range depends on another parameter: the elements form a box, and the copy is not a transposition;
//   4. at most one dimension may be empty, given what is known about symbols: a copy of (-1) x (-1) elements would be a
//      copy of one element;
//   5. it is one run of memory, or has rows that are long enough (the table of sdfgc/Analysis/Memory/Copies.h). Copies that
//      need a kernel stay kernels.
//
// Not handled: fills with values other than zero, which would be kernels as well.
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

constexpr int64_t longRow = 64; // bytes: the minimum that a device reads

/// The right-hand side of `connector = ...`; nothing for other code.
std::optional<std::string> assigned(const Tasklet &t, Name connector) {
    if (!t.code.isPython())
        return std::nullopt;
    std::string text;
    for (char c : t.code.text())
        if (c != ' ' && c != '\t' && c != '\r' && (c != '\n' || !text.empty()))
            text += c;
    while (!text.empty() && (text.back() == '\n' || text.back() == ';'))
        text.pop_back();
    const std::string left = connector.str() + "=";
    return text.rfind(left, 0) == 0 ? std::optional(text.substr(left.size())) : std::nullopt;
}

/// The elements that a map's iterations access, and the parameters in the order of the dimensions that they count along.
struct Box {
    sym::Subset subset;
    std::vector<Name> order;
};

std::optional<Box> boxOf(const MapEntry &m, const Memlet &memlet) {
    if (!memlet.subset || memlet.otherSubset || memlet.dynamic || !memlet.wcr.empty())
        return std::nullopt;
    Box box;
    for (const sym::Range &dim : memlet.subset->dims) {
        if (dim.begin != dim.end || !dim.tile.isOne())
            return std::nullopt;
        sym::Range r{dim.begin, dim.begin, 1, 1};
        for (std::size_t d = 0; d < m.params.size(); ++d) {
            if (!dim.begin.dependsOn(m.params[d]))
                continue;
            const sym::Expr rest = dim.begin - sym::Expr::symbol(m.params[d]);
            if (std::any_of(m.params.begin(), m.params.end(), [&](Name p) { return rest.dependsOn(p); }))
                return std::nullopt;
            r = {m.ranges[d].begin + rest, m.ranges[d].end + rest, 1, 1};
            box.order.push_back(m.params[d]);
            break;
        }
        box.subset.dims.push_back(r);
    }
    return box.order.size() == m.params.size() && std::set<Name>(box.order.begin(), box.order.end()).size() == box.order.size()
               ? std::optional(box)
               : std::nullopt;
}

class Recognition {
public:
    Recognition(MapEntry &m, const sym::Assumptions &facts) : m_(m), s_(*m.state()), g_(*m.state()->sdfg()), facts_(facts) {}

    bool run() {
        if (!isPlainKernel() || !isBox() || !findTasklet() || !findEnds())
            return false;
        const auto written = boxOf(m_, write_->memlet);
        if (!written)
            return false;
        if (!read_)
            return fill(*written);
        const auto taken = boxOf(m_, read_->memlet);
        return taken && taken->order == written->order && copy(*taken, *written);
    }

private:
    bool isPlainKernel() const {
        return m_.schedule == Schedule::GPU_Device && !m_.gpuBlockSize && m_.instrument == Instrumentation::No_Instrumentation &&
               m_.exit && analysis::executorOf(m_) == analysis::Executor::Host;
    }
    /// Rules 3 and 4 for the ranges.
    bool isBox() const {
        int perhapsEmpty = 0;
        for (const sym::Range &r : m_.ranges) {
            if (!r.step.isOne() || !r.tile.isOne())
                return false;
            perhapsEmpty += sym::isNonNegative(r.steps(), facts_) != sym::Truth::True;
        }
        return perhapsEmpty <= 1 && analysis::isBox(m_.params, m_.ranges);
    }
    /// Rule 1.
    bool findTasklet() {
        const analysis::ScopeTree scopes(s_);
        if (!scopes.enclosing(&m_).empty())
            return false;
        const auto &inside = scopes.children(&m_);
        const auto isTasklet = [](const Node *n) { return isa<Tasklet>(n); };
        if (std::count_if(inside.begin(), inside.end(), isTasklet) != 1 ||
            std::any_of(inside.begin(), inside.end(), [](const Node *n) { return !isa<Tasklet>(n) && !n->isExit(); }))
            return false;
        auto *t = static_cast<Tasklet *>(*std::find_if(inside.begin(), inside.end(), isTasklet));
        if (t->outEdges().size() != 1 || t->inEdges().size() != 1 || t->instrument != Instrumentation::No_Instrumentation ||
            t->sideEffects == true)
            return false;
        write_ = t->outEdges().front();
        read_ = t->inEdges().front()->memlet.isEmpty() ? nullptr : t->inEdges().front();
        const auto value = assigned(*t, write_->srcConn);
        const bool isZero = value == "0" || value == "0.0" || value == "0." || value == "False";
        return value && (read_ ? *value == read_->dstConn.str() : isZero) && keepsType(*t, write_->srcConn, false) &&
               (!read_ || keepsType(*t, read_->dstConn, true));
    }
    bool keepsType(const Tasklet &t, Name connector, bool in) const {
        const Connector *c = in ? t.inConnector(connector) : t.outConnector(connector);
        const DataDesc *d = g_.desc((in ? read_ : write_)->memlet.data);
        return c && d && (c->type == Type() || c->type == d->dtype);
    }
    /// Rule 2; also checks that nothing else passes through the map.
    bool findEnds() {
        for (Edge *e : m_.inEdges())
            if (!e->memlet.isEmpty())
                (from_ ? tooMany_ : from_) = e;
        for (Edge *e : m_.exit->outEdges())
            if (!e->memlet.isEmpty())
                (to_ ? tooMany_ : to_) = e;
        if (tooMany_ || !to_ || !from_ != !read_ || !isArray(to_->dst, *write_) || to_->dstConn)
            return false;
        return !from_ || (isArray(from_->src, *read_) && !from_->srcConn && isScopeInput(from_->dstConn) &&
                          read_->memlet.data != write_->memlet.data &&
                          g_.desc(read_->memlet.data)->dtype == g_.desc(write_->memlet.data)->dtype);
    }
    bool isArray(const Node *n, const Edge &use) const {
        const auto *a = dyn_cast<AccessNode>(n);
        const DataDesc *d = a && a->data == use.memlet.data ? g_.arrays.find(a->data) : nullptr;
        return d && d->isArray() && !d->isView() && !d->isReference() && d->storage == Storage::GPU_Global;
    }

    bool copy(const Box &taken, const Box &written) {
        const DataDesc &source = *g_.desc(read_->memlet.data), &target = *g_.desc(write_->memlet.data);
        const analysis::CopyShape shape =
            analysis::copyShape(analysis::axesOf(source.strides, taken.subset), analysis::axesOf(target.strides, written.subset));
        analysis::CopyEnds ends;
        ends.fromDevice = ends.toDevice = true;
        const CopyMethod method = analysis::chooseCopy(ends, shape);
        const bool rows = method == CopyMethod::Pitched && shape.inRows() &&
                          shape.dims.back().size.asInt().value_or(longRow) * source.dtype.bytes().value_or(1) >= longRow;
        if (method != CopyMethod::Linear && !rows)
            return false;
        Memlet memlet = Memlet::simple(read_->memlet.data, taken.subset);
        memlet.otherSubset = written.subset;
        s_.connect(from_->src, {}, to_->dst, {}, memlet);
        replaceBy(*to_->dst);
        return true;
    }
    bool fill(const Box &written) {
        const DataDesc &target = *g_.desc(write_->memlet.data);
        if (!(target.dtype.isScalar() || target.dtype.isComplex()) ||
            !analysis::isRun(analysis::axesOf(target.strides, written.subset)))
            return false;
        auto *node = s_.add<LibraryNode>();
        node->classPath = "dace.libraries.standard.nodes.fill.node.FillLibraryNode";
        node->name = node->label = m_.label;
        node->schedule = Schedule::GPU_Device;
        node->debugInfo = m_.debugInfo;
        node->properties.set("value", json::Value("0"));
        node->addOut("_fill_out", Type::pointer(target.dtype));
        s_.connect(node, "_fill_out", to_->dst, {}, Memlet::simple(write_->memlet.data, written.subset));
        replaceBy(*node);
        return true;
    }
    /// Predecessors of the map become predecessors of the new element, and its successors follow the written container.
    void replaceBy(Node &element) {
        for (const Edge *e : std::vector<Edge *>(m_.inEdges().begin(), m_.inEdges().end()))
            if (e->memlet.isEmpty())
                s_.connect(e->src, {}, &element, {}, Memlet::empty());
        for (const Edge *e : std::vector<Edge *>(m_.exit->outEdges().begin(), m_.exit->outEdges().end()))
            if (e->memlet.isEmpty())
                s_.connect(to_->dst, {}, e->dst, {}, Memlet::empty());
        s_.removeNodes({&m_, m_.exit, write_->src});
    }

    MapEntry &m_;
    State &s_;
    SDFG &g_;
    const sym::Assumptions &facts_;
    Edge *read_ = nullptr, *write_ = nullptr;                   // of the tasklet
    Edge *from_ = nullptr, *to_ = nullptr, *tooMany_ = nullptr; // of the map
};

class RecogniseCopies : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        for (SDFG *g : allSDFGs(root)) {
            const sym::Assumptions facts = analysis::factsOf(*g);
            for (State *s : allStates(*g)) {
                for (MapEntry *m : nodesOf<MapEntry>(*s)) {
                    const pass::Element element(*m);
                    if (!Recognition(*m, facts).run())
                        continue;
                    context.done(element, "only moves memory: not a kernel");
                    changed = true;
                }
            }
        }
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createRecogniseCopies() { return std::make_unique<RecogniseCopies>(); }

} // namespace sdfgc::transforms
