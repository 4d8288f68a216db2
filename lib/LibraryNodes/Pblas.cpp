// Distributed linear algebra: the nodes of pblas (docs/user/mpi.md).
//
//   Pgemm    _a, _b, _a_block_sizes, _b_block_sizes -> _c; sizes m, n, k
//   Pgemv    the same, `_b` and `_c` vectors; sizes m, n; `transa`; optionally `_c_block_sizes`, the blocks of the result
//   BlockCyclicScatter, BlockCyclicGather    _inbuffer, _block_sizes -> _outbuffer [, _gdescriptor, _ldescriptor]
//
// Each becomes one call of sdfgc/rt/scalapack.h. The grid is the one at `_grid` (resolve-process-grids), else Px x Py ranks, from
// the symbols of these names, which DaCe's nodes do not mention. Only the ranks of the grid write, so outputs are dynamic.
#include "Expanders.h"
#include "MpiCall.h"

#include "sdfgc/Analysis/Symbols/PassSymbols.h"

#include <algorithm>

namespace sdfgc::libnodes {

using namespace ir;

namespace {

/// Adds a symbol of an outer SDFG to `g` if it is missing there.
bool reach(SDFG &g, Name symbol) {
    if (g.symbols.contains(symbol))
        return true;
    if (!g.parentNode || !reach(*g.parentNode->state()->sdfg(), symbol))
        return false;
    analysis::passSymbol(*g.parentNode, symbol, sym::Expr::symbol(symbol), *g.parentNode->state()->sdfg()->symbols.find(symbol));
    return true;
}

class PblasCall : public MpiCall {
public:
    using MpiCall::MpiCall;

    void processGrid() {
        if (const std::string given = x_.text("grid"); !given.empty())
            return arguments_.push_back("grid(" + given + ")");
        SDFG &g = *x_.state().sdfg();
        if (!reach(g, "Px") || !reach(g, "Py"))
            return refuse("it has no process grid: the program has no symbols Px and Py",
                          "connect a process grid to `_grid`, or declare both");
        arguments_.push_back("dims(" + x_.word("px", x_.inside(sym::Expr::symbol("Px"))) + ", " +
                             x_.word("py", x_.inside(sym::Expr::symbol("Py"))) + ")");
    }

    /// The global sizes, from properties.
    void sizes(std::initializer_list<const char *> properties) {
        std::string text;
        for (const char *property : properties) {
            const sym::ParseResult parsed = sym::parse(x_.text(property));
            if (!parsed.expr)
                return refuse("its property `" + std::string(property) + "` is not a size");
            text += (text.empty() ? "dims(" : ", ") + x_.word(property, x_.inside(*parsed.expr));
        }
        arguments_.push_back(text + ")");
    }

    void matrix(const char *connector, Side side) { operandOf(connector, side, 2); }
    void vector(const char *connector, Side side) { operandOf(connector, side, 1); }
    /// A matrix, or a vector: returns which.
    std::size_t either(const char *connector, Side side) {
        const Operand o = operand(connector, side);
        const std::size_t rank = o ? std::min<std::size_t>(std::max(o.rank(), o.subset.rank()), 2) : 0;
        operandOf(connector, side, rank < 2 ? 1 : 2);
        return rank < 2 ? 1 : 2;
    }

    /// One or two integers.
    void blockSizes(const char *connector) {
        const Operand o = operand(connector, In);
        if (refused_)
            return;
        if (!o.type.isInteger() || o.rank() > 1)
            return refuse("`" + std::string(connector) + "` must be integers, one for each dimension, not " + o.type.str() +
                          (o.rank() > 1 ? " in a matrix" : ""));
        std::string text = "block(" + pointer(connector, In, o);
        if (o.rank() == 1)
            text += ", " + x_.word("extent", o.shape[0]) + ", " + x_.word("stride", o.strides[0]);
        arguments_.push_back(text + ")");
    }

    /// ScaLAPACK's descriptor of nine numbers, if an output requests it.
    void descriptor(const char *connector) {
        if (refused_ || !x_.node().outEdge(connector))
            return arguments_.push_back(cppWord("nullptr"));
        const Operand o = operand(connector, Out);
        if (!refused_ &&
            (!(o.type == Type(ScalarKind::Int32)) || o.rank() != 1 || !o.strides[0].isOne() || !(o.shape[0] == sym::Expr(9))))
            return refuse("`" + std::string(connector) + "` must be nine contiguous int32");
        arguments_.push_back(pointer(connector, Out, o));
    }

    void transposition() {
        const std::string given = x_.text("transa", "N");
        if (given != "N" && given != "T")
            refuse("`transa` is `" + given + "`", "N for the matrix itself, T for the transposed one");
        arguments_.push_back(cppWord(given == "T" ? "true" : "false"));
    }

    /// Replaces the node. All operands must have the same type.
    bool finish(const std::string &function) {
        for (std::size_t i = 1; i < types_.size(); ++i)
            if (!(types_[i] == types_[0]))
                refuse("its operands are of types " + types_[0].str() + " and " + types_[i].str() + ": PBLAS does not convert");
        return MpiCall::finish(function, "scalapack", "ScaLAPACK");
    }

private:
    void operandOf(const char *connector, Side side, std::size_t rank) {
        const Operand o = operand(connector, side);
        if (refused_)
            return;
        const std::string name = "`" + std::string(connector) + "`";
        if (!o.type.isScalar() || !blasLetter(o.type))
            return refuse("PBLAS has no routines for elements of type " + o.type.str() + ", which " + name + " has",
                          "float32, float64, complex64 or complex128");
        // A matrix may have one row or column; other dimensions of one element do not count.
        std::vector<std::size_t> dims = o.dims;
        if (rank == 2 && dims.size() < 2 && o.subset.rank() == 2)
            dims = {0, 1};
        if (dims.size() > rank || (rank == 2 && dims.size() < 2))
            return refuse(name + " must be a " + (rank == 2 ? "matrix" : "vector") + ", and has " + std::to_string(dims.size()) +
                          (dims.size() == 1 ? " dimension" : " dimensions"));
        std::string text = "block(" + pointer(connector, side, o);
        for (const std::size_t d : dims)
            text += ", " + x_.word("extent", o.subset.dims[d].size()) + ", " + x_.word("stride", o.allStrides[d]);
        arguments_.push_back(text + ")");
        types_.push_back(o.type);
    }
};

} // namespace

bool expandPblas(State &s, LibraryNode &n, pass::Context &c) {
    PblasCall call(s, n, c);
    const std::string name = n.className();
    call.processGrid();
    if (name == "Pgemm" || name == "Pgemv") {
        const bool isVector = name == "Pgemv";
        if (isVector) {
            call.transposition();
            call.sizes({"m", "n"});
        } else {
            call.sizes({"m", "n", "k"});
        }
        call.matrix("_a", MpiCall::In);
        call.blockSizes("_a_block_sizes");
        isVector ? call.vector("_b", MpiCall::In) : call.matrix("_b", MpiCall::In);
        call.blockSizes("_b_block_sizes");
        isVector ? call.vector("_c", MpiCall::Out) : call.matrix("_c", MpiCall::Out);
        if (isVector && n.inEdge("_c_block_sizes"))
            call.blockSizes("_c_block_sizes");
        return call.finish(isVector ? "gemv" : "gemm");
    }
    const std::size_t in = call.either("_inbuffer", MpiCall::In);
    call.blockSizes("_block_sizes");
    if (call.either("_outbuffer", MpiCall::Out) != in)
        call.refuse("one of its buffers is a vector and the other a matrix");
    if (name == "BlockCyclicGather")
        return call.finish("gather");
    call.descriptor("_gdescriptor");
    call.descriptor("_ldescriptor");
    return call.finish("scatter");
}

} // namespace sdfgc::libnodes
