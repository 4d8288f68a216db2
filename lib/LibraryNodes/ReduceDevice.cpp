// Reduce on the device: which threads read what.
//
//   a thread per output      neighbouring threads read neighbouring elements: the contiguous dimension is kept,
//                            and there are many outputs; or there is little to reduce; or blocks cannot combine such values
//   a block per output       everything else. The threads of a block read neighbouring elements along one reduced dimension, each
//                            combines every 256th of them in a register; then warps combine the registers of their lanes, and the
//                            block its warps
//   two of them              few outputs and much to reduce: a first kernel with a block per chunk, a second one for the chunks
//   a library                the node asks for it: ReduceLibrary.cpp
//
// No atomic operations are used, and chunks depend only on sizes, so every run gives the same result.
#include "ReducePlan.h"

namespace sdfgc::libnodes {

using namespace ir;

namespace {

constexpr int64_t threads = 256;           // of a block
constexpr int64_t perBlock = 16 * threads; // elements that a block of the first kernel combines
constexpr int64_t fewBlocks = 64;          // blocks that leave most of a device idle
constexpr int64_t littleToReduce = 32;     // elements that one thread combines as fast as a block
constexpr int64_t manyOutputs = 4096;      // threads that fill a device
const Name thread("_thread");

/// Is it known to be at most this much?
bool atMost(sym::Expr e, int64_t bound) {
    auto known = e.asInt();
    return known && *known <= bound;
}

} // namespace

/// Merges reduced dimensions that are laid out like one.
void Reduce::mergeReduced() {
    auto isReduced = [&](std::size_t d) { return std::find(reduced_.begin(), reduced_.end(), d) != reduced_.end(); };
    Operand merged = in_;
    merged.shape.clear();
    merged.strides.clear();
    std::vector<std::size_t> kept, reduced;
    for (std::size_t d = 0; d < in_.rank(); ++d) {
        const bool continues = d > 0 && isReduced(d) && isReduced(d - 1) && merged.strides.back() == in_.strides[d] * in_.shape[d];
        if (continues) {
            merged.shape.back() *= in_.shape[d];
            merged.strides.back() = in_.strides[d];
            continue;
        }
        (isReduced(d) ? reduced : kept).push_back(merged.rank());
        merged.shape.push_back(in_.shape[d]);
        merged.strides.push_back(in_.strides[d]);
    }
    in_ = std::move(merged);
    kept_ = std::move(kept);
    reduced_ = std::move(reduced);
}

/// Would threads with one output each read neighbouring elements, and are there enough outputs?
bool Reduce::coalescedOutputs() const {
    auto next = row();
    return next && !atMost(product(kept_), manyOutputs);
}

/// Distributes a reduced loop over the threads of a block: the one along contiguous elements, else the longest.
void Reduce::byBlocks(Loops l, const char *label) {
    Expansion::Level grid{l.leading, Schedule::GPU_Device};
    for (auto &p : params(l.outer))
        grid.params.push_back(p);
    if (grid.params.empty())
        grid.params.emplace_back("_block", 1);
    l.a.outer = {grid};
    l.a.begin = sym::Expr::symbol(thread); // of the loop along neighbours, which params() has last
    l.a.step = threads;
    if (l.a.inputs.empty())
        l.a.inputs = {{"i", "_in", {}, ""}};
    l.a.inputs.front().index = l.input;
    l.a.output.index = l.output;
    if (startsNeutral())
        l.a.start = *neutral_;
    else if (l.a.start != *neutral_)
        l.a.start = "(" + l.a.start + ") if " + thread.str() + " == 0 else (" + *neutral_ + ")";
    l.a.combine = operation();
    x_.accumulatedByBlock(x_.addState(label), label, l.a, thread, threads);
}

void Reduce::onDevice() {
    if (x_.node().implementation == "CUDA (device)") {
        const diag::Reason why = whyNoPrimitive();
        if (!why)
            return byPrimitive();
        x_.missed("no call of CUB or rocPRIM", why);
    }
    const sym::Expr elements = product(reduced_);
    const bool combines = neutral_ && !out_.type.isVector(); // gpu_reduce.h's operations are those of single values
    if (inOrder() || !combines || coalescedOutputs() || atMost(elements, littleToReduce)) {
        build(plainLoops(), "reduce");
        return x_.took("pure", "a thread for each output");
    }
    if (!atMost(product(kept_), fewBlocks) || atMost(elements, 2 * perBlock)) {
        byBlocks(plainLoops(), "reduce");
        return x_.took("pure", "a block of threads for each output");
    }
    const std::size_t dim = dimensionToCut();
    const sym::Expr chunks = sym::ceilDiv(in_.shape[dim], perBlock);
    Loops first = cut(dim, chunks, perBlock);
    const Name partial = first.a.output.data;
    byBlocks(std::move(first), "reduce");
    byBlocks(overChunks(partial, chunks), "combine");
    x_.took("pure", "a block of threads for each chunk, then one for each output");
}

} // namespace sdfgc::libnodes
