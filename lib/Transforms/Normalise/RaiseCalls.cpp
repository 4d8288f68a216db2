// raise-calls: turn calls of BLAS and memcpy back into the library nodes that they came from.
//
//   before:  tasklet (Library)  cblas_dgemm("CblasColMajor", "CblasNoTrans", "CblasNoTrans", N, M, K, "double(1)",
//                                           _b, N, _a, K, "double(0)", _c, N)
//   after:   library blas.Gemm  with _a <- A[0:M, 0:K], _b <- B[0:K, 0:N]; _c -> C[0:M, 0:N]
//
// Graphs that DaCe has compiled contain its expansions, for example `program.sdfg` in a build folder. The arguments
// determine what such a call computes, so passes that know library nodes by their meaning (differentiate) need not know
// calls.
//
// Legal when the node, with the memlets of the tasklet, is exactly that call:
//   1. each operand is memory that starts where its memlet does, and the sizes and leading dimensions of the call are
//      the sizes and strides of the memlet: op(A) is m by k, its rows are consecutive, and so on;
//   2. the old contents are overwritten (beta is 0), and the factor is a number;
//   3. types are those of the function: `cblas_dgemm` multiplies float64.
//
// `memcpy(_out, _in, 32 * sizeof(double))`, which is still C++, becomes a copy node if both memlets are contiguous runs
// of 32 numbers of that type.
//
// A column-major matrix is the transpose of a row-major one, so a column-major product becomes a row-major one with the
// operands exchanged.
//
// Not handled: all other calls, which stay calls.
#include "Transforms/Edits/Completion.h"

#include "sdfgc/Analysis/LibraryCalls.h"
#include "sdfgc/Analysis/Memory/Axes.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Support/FloatText.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {
namespace {

using namespace ir;
using analysis::Axis;
using analysis::LibraryArgument;

/// The library node of a call, if there is one.
class Raising {
public:
    explicit Raising(Tasklet &t) : t_(t) {}

    bool product(const analysis::LibraryCall &call) {
        const std::string &f = call.function;
        call_ = &call;
        next_ = call.arguments.begin();
        if (!call.loops.empty() || (!f.starts_with("cblas_s") && !f.starts_with("cblas_d")))
            return false;
        type_ = Type(f[6] == 's' ? ScalarKind::Float32 : ScalarKind::Float64);
        const std::string_view name = std::string_view(f).substr(7);
        const bool known = name == "gemm" ? gemm() : name == "gemv" ? gemv() : name == "dot" && dot();
        if (!known || !isPlain_ || !allUsed())
            return false;
        replace();
        return true;
    }

    /// `memcpy(_out, _in, 32 * sizeof(double));`
    bool copy() {
        const std::string_view text = text::trimmed(t_.code.text()), function = "memcpy(";
        if (!text.starts_with(function) || !text.ends_with("));") || t_.inEdges().size() != 1 || t_.outEdges().size() != 1 ||
            !t_.codeGlobal.empty())
            return false;
        const auto arguments = text::splitOutsideBrackets(text.substr(function.size(), text.size() - function.size() - 2), ',');
        const std::size_t bytes = arguments.size() == 3 ? arguments[2].rfind(" * sizeof(") : std::string_view::npos;
        const DataDesc *from = t_.state()->sdfg()->desc(t_.inEdges()[0]->memlet.data);
        if (bytes == std::string_view::npos || !from || arguments[2].substr(bytes) != " * sizeof(" + from->dtype.cppName() + ")")
            return false;
        type_ = from->dtype;
        const Size n = sym::parse(arguments[2].substr(0, bytes)).expr;
        node("dace.libraries.standard.nodes.copy.node.CopyLibraryNode", 1, 0);
        if (!isRun("_cpy_out", Name(arguments[0]), n) || !isRun("_cpy_in", Name(arguments[1]), n))
            return false;
        replace();
        return true;
    }

private:
    using Size = std::optional<sym::Expr>;

    /// Memory, and the stride of its rows or elements.
    struct Operand {
        Name connector;
        Size distance;
    };

    // ---- the functions

    /// op(A) op(B), m by k times k by n.
    bool gemm() {
        const bool byRows = word() == "CblasRowMajor";
        bool first = flag(), second = flag();
        Size m = size(), n = size(), k = size();
        const std::optional<double> alpha = number();
        Operand a = memory(), b = memory();
        const std::optional<double> beta = number();
        const Operand c = memory();
        if (!byRows) {
            std::swap(first, second);
            std::swap(m, n);
            std::swap(a, b);
        }
        node("dace.libraries.blas.nodes.gemm.Gemm", alpha, beta);
        set("transA", first);
        set("transB", second);
        return isMatrix("_a", a, first ? k : m, first ? m : k) && isMatrix("_b", b, second ? n : k, second ? k : n) &&
               isMatrix("_c", c, m, n);
    }
    /// op(A) x.
    bool gemv() {
        const bool byRows = word() == "CblasRowMajor";
        bool transposed = flag();
        Size rows = size(), columns = size();
        const std::optional<double> alpha = number();
        const Operand a = memory(), x = memory();
        const std::optional<double> beta = number();
        const Operand y = memory();
        if (!byRows) {
            transposed = !transposed;
            std::swap(rows, columns);
        }
        node("dace.libraries.blas.nodes.gemv.Gemv", alpha, beta);
        set("transA", transposed);
        return isMatrix("_A", a, rows, columns) && isVector("_x", x, transposed ? rows : columns) &&
               isVector("_y", y, transposed ? columns : rows);
    }
    bool dot() {
        const Size n = size();
        const Operand x = memory(), y = memory();
        node("dace.libraries.blas.nodes.dot.Dot", 1, 0);
        return isVector("_x", x, n) && isVector("_y", y, n) && isResult("_result");
    }

    // ---- arguments of the call, one after the other

    const LibraryArgument *next() { return next_ == call_->arguments.end() ? nullptr : &*next_++; }
    bool allUsed() const {
        return next_ == call_->arguments.end() && connectors_.size() == t_.inConnectors.size() + t_.outConnectors.size();
    }
    std::string word() {
        const LibraryArgument *a = next();
        return a && a->kind == LibraryArgument::Word ? a->word : "";
    }
    /// Is it transposed? Numbers are real, so conjugation has no effect.
    bool flag() {
        const std::string w = word();
        return w == "CblasTrans" || w == "CblasConjTrans";
    }
    Size size() {
        const LibraryArgument *a = next();
        return a && a->kind == LibraryArgument::Value ? sym::parse(py::print(*a->value)).expr : std::nullopt;
    }
    /// `1.0`, `"double(1)"`
    std::optional<double> number() {
        const LibraryArgument *a = next();
        if (!a || (a->kind != LibraryArgument::Word && a->kind != LibraryArgument::Value))
            return std::nullopt;
        std::string text = a->kind == LibraryArgument::Value ? py::print(*a->value) : a->word;
        if (const std::size_t open = text.find('('); open != std::string::npos && text.ends_with(')'))
            text = text.substr(open + 1, text.size() - open - 2);
        return numberIn(text);
    }
    Operand memory() {
        const LibraryArgument *a = next();
        const bool isWhole = a && a->kind == LibraryArgument::Memory && !a->value;
        return {isWhole ? a->name : Name(), size()};
    }

    // ---- does the memlet match the call?

    /// The only edge of a connector, if it is plain memory of the type; also records its name at the node.
    const Edge *edgeOf(Name connector, Name atNode) {
        const Edge *found = nullptr;
        for (const auto *edges : {&t_.inEdges(), &t_.outEdges()})
            for (const Edge *e : *edges)
                if ((e->dst == &t_ ? e->dstConn : e->srcConn) == connector && (found = found ? nullptr : e) == nullptr)
                    return nullptr;
        const DataDesc *d = found ? t_.state()->sdfg()->desc(found->memlet.data) : nullptr;
        if (!d || d->dtype != type_ || !found->memlet.subset || found->memlet.otherSubset || found->memlet.dynamic ||
            !found->memlet.wcr.empty() || !connectors_.emplace(connector, atNode).second)
            return nullptr;
        return found;
    }
    std::optional<std::vector<Axis>> axesOf(Name connector, Name atNode) {
        const Edge *e = connector ? edgeOf(connector, atNode) : nullptr;
        if (!e)
            return std::nullopt;
        return analysis::axesOf(t_.state()->sdfg()->desc(e->memlet.data)->strides, *e->memlet.subset);
    }
    bool isMatrix(std::string_view name, const Operand &o, const Size &rows, const Size &columns) {
        const auto axes = axesOf(o.connector, Name(name));
        return axes && axes->size() == 2 && rows && columns && o.distance && (*axes)[0].size == *rows &&
               (*axes)[1].size == *columns && (*axes)[0].stride == *o.distance && (*axes)[1].stride.isOne();
    }
    bool isVector(std::string_view name, const Operand &o, const Size &size) {
        const auto axes = axesOf(o.connector, Name(name));
        return axes && axes->size() == 1 && size && o.distance && (*axes)[0].size == *size && (*axes)[0].stride == *o.distance;
    }
    bool isResult(std::string_view name) {
        const auto axes = axesOf(call_->result, Name(name));
        return axes && axes->empty();
    }
    bool isRun(std::string_view name, Name connector, const Size &size) {
        const auto axes = axesOf(connector, Name(name));
        sym::Expr elements = 1;
        for (const Axis &a : axes.value_or(std::vector<Axis>()))
            elements *= a.size;
        return axes && size && elements == *size && analysis::isRun(*axes);
    }

    // ---- the node

    void node(const char *classPath, std::optional<double> alpha, std::optional<double> beta) {
        node_.classPath = classPath;
        isPlain_ = alpha && beta && *beta == 0;
        if (alpha && *alpha != 1)
            node_.properties.set("alpha", json::Value(*alpha));
    }
    void set(const char *property, bool value) {
        if (value)
            node_.properties.set(property, json::Value(true));
    }

    void replace() {
        State &s = *t_.state();
        auto *n = s.add<LibraryNode>(node_);
        n->name = n->label = t_.label;
        n->debugInfo = t_.debugInfo;
        for (const Connector &c : t_.inConnectors)
            n->addIn(connectors_.at(c.name), c.type);
        for (const Connector &c : t_.outConnectors)
            n->addOut(connectors_.at(c.name), c.type);
        for (Edge *e : std::vector<Edge *>(t_.inEdges().begin(), t_.inEdges().end()))
            s.setDestination(e, n, e->dstConn ? connectors_.at(e->dstConn) : Name());
        for (Edge *e : std::vector<Edge *>(t_.outEdges().begin(), t_.outEdges().end()))
            s.setSource(e, n, e->srcConn ? connectors_.at(e->srcConn) : Name());
        s.removeNode(&t_);
    }

    Tasklet &t_;
    const analysis::LibraryCall *call_ = nullptr;
    std::vector<LibraryArgument>::const_iterator next_;
    Type type_;
    LibraryNode node_;
    bool isPlain_ = false;
    std::map<Name, Name> connectors_; // of the tasklet, and their names at the node
};

class RaiseCalls : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g))
                for (Tasklet *t : nodesOf<Tasklet>(*s))
                    changed |= raise(*t, context);
        if (changed) {
            root.renumber();
            decideDefaults(root, context); // schedules of the nodes
        }
        return changed;
    }

private:
    static bool raise(Tasklet &t, pass::Context &context) {
        const pass::Element element(t);
        if (t.code.language() == Language::CPP) {
            if (!Raising(t).copy())
                return false;
            context.done(element, "a copy: `memcpy`");
            return true;
        }
        std::string why;
        const auto call = t.code.language() == Language::Library ? analysis::libraryCall(t, why) : std::nullopt;
        if (!call || !Raising(t).product(*call))
            return false;
        context.done(element, "a library node: `" + call->function + "`");
        return true;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createRaiseCalls() { return std::make_unique<RaiseCalls>(); }

} // namespace sdfgc::transforms
