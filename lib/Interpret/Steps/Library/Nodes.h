// The library nodes that the interpreter executes: one function each, grouped by family.
#pragma once

#include "Elements.h"

namespace sdfgc::interpret {

// ---- Reduce.cpp
std::unique_ptr<Step> makeReduce(NodeReader &r);
std::unique_ptr<Step> makeTest(NodeReader &r); // AllNode, AnyNode

// ---- Moves.cpp
std::unique_ptr<Step> makeCopy(NodeReader &r);
std::unique_ptr<Step> makeFill(NodeReader &r);
std::unique_ptr<Step> makeMemset(NodeReader &r);
std::unique_ptr<Step> makeTranspose(NodeReader &r);
std::unique_ptr<Step> makeTensorTranspose(NodeReader &r);

// ---- Products.cpp
std::unique_ptr<Step> makeMatMul(NodeReader &r); // BatchedMatMul as well
std::unique_ptr<Step> makeGemm(NodeReader &r);
std::unique_ptr<Step> makeGemv(NodeReader &r);
std::unique_ptr<Step> makeDot(NodeReader &r);
std::unique_ptr<Step> makeGer(NodeReader &r);
std::unique_ptr<Step> makeAxpy(NodeReader &r);

// ---- Tensors.cpp
std::unique_ptr<Step> makeEinsum(NodeReader &r);
std::unique_ptr<Step> makeTensorDot(NodeReader &r);

// ---- LinearAlgebra.cpp
std::unique_ptr<Step> makeGetrf(NodeReader &r);
std::unique_ptr<Step> makeGetrs(NodeReader &r);
std::unique_ptr<Step> makeGetri(NodeReader &r);
std::unique_ptr<Step> makePotrf(NodeReader &r);
std::unique_ptr<Step> makeTrsm(NodeReader &r);
std::unique_ptr<Step> makeSolve(NodeReader &r);
std::unique_ptr<Step> makeInv(NodeReader &r);
std::unique_ptr<Step> makeCholesky(NodeReader &r);

// ---- Fourier.cpp, Sparse.cpp, Stencil.cpp
std::unique_ptr<Step> makeFourier(NodeReader &r); // FFT, IFFT
std::unique_ptr<Step> makeSparse(NodeReader &r);  // CSRMM, CSRMV
std::unique_ptr<Step> makeStencil(NodeReader &r);

// ---- Async.cpp
std::unique_ptr<Step> makeAsync(NodeReader &r); // nodes that passes add to order streams and to allocate

} // namespace sdfgc::interpret
