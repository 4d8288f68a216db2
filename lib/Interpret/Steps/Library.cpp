// Library nodes by their definition (format reference section 7) rather than by expansion: the function that executes each class.
#include "Library/Nodes.h"

#include "sdfgc/Analysis/Device/Async.h"

namespace sdfgc::interpret {

namespace {

using Maker = std::unique_ptr<Step> (*)(NodeReader &r);

/// By class name, since classes keep their name when they move from one library to another.
const std::map<std::string, Maker, std::less<>> makers = {
    {"Reduce", makeReduce},
    {"AllNode", makeTest},
    {"AnyNode", makeTest},
    {"CopyLibraryNode", makeCopy},
    {"FillLibraryNode", makeFill},
    {"MemsetLibraryNode", makeMemset},
    {"Transpose", makeTranspose},
    {"TensorTranspose", makeTensorTranspose},
    {"MatMul", makeMatMul},
    {"BatchedMatMul", makeMatMul},
    {"Gemm", makeGemm},
    {"Gemv", makeGemv},
    {"Dot", makeDot},
    {"Ger", makeGer},
    {"Axpy", makeAxpy},
    {"Einsum", makeEinsum},
    {"TensorDot", makeTensorDot},
    {"Getrf", makeGetrf},
    {"Getrs", makeGetrs},
    {"Getri", makeGetri},
    {"Potrf", makePotrf},
    {"Trsm", makeTrsm},
    {"Solve", makeSolve},
    {"Inv", makeInv},
    {"Cholesky", makeCholesky},
    {"FFT", makeFourier},
    {"IFFT", makeFourier},
    {"CSRMM", makeSparse},
    {"CSRMV", makeSparse},
    {"Stencil", makeStencil},
};

/// Libraries whose nodes need other processes, or Python: some of their classes have the same names as those in the table.
bool isElsewhere(const std::string &library) {
    return library.empty() || library == "mpi" || library == "pblas" || library == "onnx" || library == "torch";
}

} // namespace

std::unique_ptr<Step> Planner::library(Scope &scope, const ir::LibraryNode &n) {
    if (analysis::asyncOp(n)) {
        NodeReader reader(*this, scope, n);
        return makeAsync(reader);
    }
    const auto maker = makers.find(n.className());
    if (maker == makers.end() || isElsewhere(n.libraryName())) {
        refuse(ir::elementName(n), "library nodes of class " + n.className());
        return nullptr;
    }
    NodeReader reader(*this, scope, n);
    std::unique_ptr<Step> step = maker->second(reader);
    return reader.refused() ? nullptr : std::move(step);
}

} // namespace sdfgc::interpret
