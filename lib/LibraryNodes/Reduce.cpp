// Reduce: combines the elements of some dimensions of its input (format reference 7.6).
//
//   identity given      out[o] = identity; then f over the reduced dimensions
//   identity absent     the result is combined with the output's old contents, or with the neutral element if there are none
//   no axis left        a plain copy
//
// Loop structure; the first that applies:
//
//   copy       nothing is reduced
//   direct     one element is left: a parallel map with conflict resolution, which lowering makes an OpenMP reduction
//   in place   neither neutral element nor identity: a parallel map around a sequential one that updates the output
//   register   a parallel map over what is kept, a sequential one inside that accumulates in a register
//
// Two refinements of the last. If the contiguous dimension is kept, the register is a strip of neighbours, so rows are read in
// order. If there is little other parallelism, one reduced dimension is cut into chunks, and a second reduction combines their
// results. Chunks depend only on the size, so the result does not depend on the number of threads.
//   block      the node asks for `CUDA (block)` in a thread-block map: each thread combines its own elements, then the threads of
//              the block their results, which all of them get (DaCe: ExpandReduceCUDABlock in libraries/standard/nodes/reduce.py,
//              where only the first thread gets it)
//
// If the order of sums must not change (--reductions ordered), each output has one accumulator that receives its elements in index
// order: there are no chunks, reduced dimensions keep their order, and without an identity the output itself is the accumulator. On
// the device, each thread computes one output. Functions that are independent of the order are planned as usual.
//
// On the device: ReduceDevice.cpp.
//
//   out[j] = sum over i of in[i, j]
//   parallel map c, s { acc[j] = 0; map i, j { acc[j] += in[i + 128 * c, j + 2048 * s] }; map j { partial[c, j + 2048 * s] = acc[j] } }
//   parallel map s    { acc[j] = 0; map c, j { acc[j] += partial[c, j + 2048 * s] };             map j { out[j + 2048 * s] = acc[j] } }
#include "Expanders.h"
#include "ReducePlan.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

namespace sdfgc::libnodes {

using namespace ir;

namespace {

constexpr int64_t stripWidth =
    2048; // elements that are accumulated together: rows are read in long runs, and the strip stays in cache
constexpr int64_t chunkSize = 128; // elements of a reduced dimension that one thread accumulates
constexpr int64_t fewOutputs = 64; // chunks are worthwhile up to this many outputs
const Name chunk("_chunk");

bool isAssociative(py::Reduction r) {
    switch (r) {
    case py::Reduction::Custom:
    case py::Reduction::Exchange:
    case py::Reduction::MinLocation:
    case py::Reduction::MaxLocation:
    case py::Reduction::Sub:
    case py::Reduction::Div:
        return false;
    default:
        return true;
    }
}

} // namespace

bool Reduce::readNode() {
    const analysis::Indexed indexing = x_.indexing();
    if (!indexing)
        return x_.refuse(indexing.why, indexing.hint);
    const analysis::IndexedOperand &from = indexing->factors.front();
    in_ = x_.input(from.connector);
    out_ = x_.output(indexing->result.connector);
    outerWcr_ = out_.edge->memlet.wcr;
    wcr_ = indexing->how.function;
    identity_ = indexing->how.start;
    const SDFG &outer = *x_.state().sdfg();
    for (Name used : identity_ ? analysis::namesInCode({*identity_, Language::Python}, outer) : std::set<Name>())
        if (!analysis::symbolType(outer, used))
            return x_.refuse("its identity `" + *identity_ + "` reads `" + used.str() + "`, which is not a symbol");
    auto function = py::parseWcr(wcr_);
    if (!function.value)
        return x_.refuse("its function cannot be translated: " + function.error.message);
    for (const Name read : py::freeNames(*function.value->lambda))
        if (!outer.constant(read))
            return x_.refuse("its function reads `" + read.str() + "`, which is neither a parameter nor a constant");
    if (isAssociative(function.value->kind))
        if (auto neutral = py::reductionIdentity(function.value->kind, out_.type))
            neutral_ = py::print(**neutral);
    if (!identity_ && outerWcr_.empty() && x_.writesFirst(out_))
        identity_ = neutral_;
    for (std::size_t i = 0; i < in_.rank(); ++i)
        (indexing->result.has(from.labels[in_.dims[i]]) ? kept_ : reduced_).push_back(i);
    if (!identity_ && !neutral_ && !outerWcr_.empty() && outerWcr_ != wcr_)
        return x_.refuse("its function has no neutral element, and its output combines with another function",
                         "give the node an identity");
    return true;
}

/// Must elements be combined in the order of their indices?
bool Reduce::inOrder() const {
    return !x_.context().allows(pass::FloatClass::F1) && py::orderCounts(py::parseWcr(wcr_).value->kind, out_.type);
}

/// One parameter per dimension; the contiguous dimension is the innermost loop if the order may change.
Expansion::Params Reduce::params(std::vector<std::size_t> dims) const {
    if (dims != reduced_ || !inOrder())
        std::stable_partition(dims.begin(), dims.end(), [&](std::size_t d) { return !in_.strides[d].isOne(); });
    Expansion::Params out;
    for (std::size_t d : dims)
        out.emplace_back(parameter(d), in_.shape[d]);
    return out;
}

std::vector<sym::Expr> Reduce::index(const std::vector<std::size_t> &dims) const {
    std::vector<sym::Expr> out;
    for (std::size_t d : dims)
        out.push_back(sym::Expr::symbol(parameter(d)));
    if (out.empty())
        out.emplace_back(0);
    return out;
}

void Reduce::copy() {
    x_.mapped(x_.addState("copy"), "copy", params(kept_), {{"i", "_in", index(all()), ""}},
              {{"o", "_out", index(kept_), outerWcr_}}, "o = i");
    x_.took("pure", "no dimension is left to reduce, a copy");
}

void Reduce::direct() {
    Name target = outerWcr_.empty() ? Name("_out") : x_.temporary("_total", out_.type, {});
    if (identity_ || !outerWcr_.empty())
        x_.mapped(x_.addState("init"), "init", {}, {}, {{"o", target, {0}, ""}}, "o = " + (identity_ ? *identity_ : *neutral_));
    x_.mapped(x_.addState("reduce"), "reduce", params(reduced_), {{"i", "_in", index(all()), ""}}, {{"o", target, {0}, wcr_}},
              "o = i");
    if (!outerWcr_.empty())
        x_.mapped(x_.addState("combine"), "combine", {}, {{"i", target, {0}, ""}}, {{"o", "_out", {0}, outerWcr_}}, "o = i");
    x_.took("pure", "one map with conflict resolution");
}

void Reduce::inPlace() {
    x_.nested(x_.addState("reduce"), "reduce", {{params(kept_)}, {params(reduced_), Schedule::Sequential}},
              {{"i", "_in", index(all()), ""}}, {{"o", "_out", index(kept_), wcr_}}, "o = i");
    x_.took("pure", neutral_ ? "updates the output in order" : "updates the output in order: its function has no neutral element");
}

/// The kept dimension that is contiguous in memory.
std::optional<std::size_t> Reduce::row() const {
    auto at = std::find_if(kept_.begin(), kept_.end(), [&](std::size_t d) { return in_.strides[d].isOne(); });
    return at == kept_.end() ? std::nullopt : std::optional(*at);
}

/// Are there too few outputs for parallelism, as far as is known, and many elements for each? A contiguous row does not count,
/// because its elements are accumulated together.
bool Reduce::worthCutting() const {
    std::vector<std::size_t> outputs = kept_;
    if (auto r = row())
        std::erase(outputs, *r);
    auto count = product(outputs).asInt(), elements = product(reduced_).asInt();
    return x_.parallel() && neutral_ && !inOrder() && count && *count <= fewOutputs && (!elements || *elements > chunkSize);
}

/// The outermost reduced dimension of unknown size, else the longest one.
std::size_t Reduce::dimensionToCut() const {
    std::size_t longest = reduced_.front();
    for (std::size_t d : reduced_) {
        auto size = in_.shape[d].asInt();
        if (!size)
            return d;
        if (*size > *in_.shape[longest].asInt())
            longest = d;
    }
    return longest;
}

Reduce::Loops Reduce::plainLoops() {
    Loops l;
    l.outer = kept_;
    l.input = index(all());
    l.output = index(kept_);
    l.a.wcr = wcr_;
    l.a.code = "o = i";
    l.a.inner = params(reduced_);
    l.a.start = identity_ ? *identity_ : *neutral_;
    l.a.output = {"o", "_out", {}, !outerWcr_.empty() ? outerWcr_ : identity_ ? "" : wcr_};
    return l;
}

/// Chunk c has the elements c * size ... of the longest dimension; the results go to `_partial[c, ...]`.
Reduce::Loops Reduce::cut(std::size_t dim, sym::Expr chunks, int64_t size) {
    Loops l = plainLoops();
    const sym::Expr number = sym::Expr::symbol(chunk), length = in_.shape[dim], begin = size * number;
    for (auto &[name, count] : l.a.inner)
        if (name == parameter(dim))
            count = sym::min({sym::Expr(size), length - begin});
    l.shift(parameter(dim), begin);
    l.leading.emplace_back(chunk, chunks);
    std::vector<sym::Expr> shape{chunks};
    for (std::size_t d : kept_)
        shape.push_back(in_.shape[d]);
    l.output.resize(kept_.size()); // without the 0 of a scalar
    l.output.insert(l.output.begin(), number);
    l.a.output = {"o", x_.temporary("_partial", out_.type, shape), {}, ""};
    l.a.start = *neutral_;
    return l;
}

Reduce::Loops Reduce::overChunks(Name partial, sym::Expr chunks) {
    Loops l = plainLoops();
    l.a.inner = {{chunk, chunks}};
    l.a.inputs = {{"i", partial, {}, ""}};
    l.input = l.output;
    l.input.resize(kept_.size());
    l.input.insert(l.input.begin(), sym::Expr::symbol(chunk));
    return l;
}

/// Accumulates neighbours along a dimension together.
void Reduce::strip(Loops &l, std::size_t dim) {
    sym::Expr length = in_.shape[dim];
    auto known = length.asInt();
    std::erase(l.outer, dim);
    l.a.strip = {parameter(dim), known ? std::min(*known, stripWidth) : stripWidth, length};
    if (known && *known <= stripWidth)
        return;
    sym::Expr begin = stripWidth * sym::Expr::symbol("_strip");
    l.a.strip.size = sym::min({sym::Expr(stripWidth), length - begin});
    l.shift(parameter(dim), begin);
    l.leading.emplace_back("_strip", sym::ceilDiv(length, stripWidth));
}

void Reduce::build(Loops l, const char *label) {
    Expansion::Level parallel{l.leading};
    for (auto &p : params(l.outer))
        parallel.params.push_back(p);
    l.a.outer = {parallel};
    if (l.a.inputs.empty())
        l.a.inputs = {{"i", "_in", {}, ""}};
    l.a.inputs.front().index = l.input;
    l.a.output.index = l.output;
    x_.accumulated(x_.addState(label), label, l.a);
}

void Reduce::accumulate() {
    const bool chunked = worthCutting();
    std::string how = chunked ? "accumulates chunks in parallel" : "accumulates in registers";
    std::size_t longest = dimensionToCut();
    sym::Expr chunks = sym::ceilDiv(in_.shape[longest], chunkSize);
    Loops first = chunked ? cut(longest, chunks, chunkSize) : plainLoops();
    if (auto r = x_.where() == Where::Host ? row() : std::nullopt) { // a strip is too large for a thread of a kernel
        strip(first, *r);
        how += ", neighbours together";
    }
    build(first, "reduce");
    if (chunked) {
        Loops second = overChunks(first.a.output.data, chunks);
        if (!kept_.empty())
            strip(second, kept_.back());
        build(second, "combine");
    }
    x_.took("pure", how);
}

/// The node's own schedule is that of the outermost map (7.5).
void Reduce::applySchedule() {
    Schedule schedule = x_.node().schedule;
    if (schedule == Schedule::Default)
        return;
    for (State *s : allStates(x_.inner()))
        for (const auto &node : s->nodes())
            if (auto *m = dyn_cast<MapEntry>(node.get()); m && m->schedule == Schedule::Default)
                m->schedule = schedule;
}

/// Do the threads of a block reduce together? Each thread's elements are private, in registers.
bool Reduce::isByBlock() {
    const LibraryNode &n = x_.node();
    if (n.implementation != "CUDA (block)" && n.implementation != "CUDA (block allreduce)")
        return false;
    const std::vector<Node *> around = analysis::ScopeTree(*n.state()).enclosing(&n);
    const bool inBlock = std::any_of(around.begin(), around.end(), [](const Node *scope) {
        const auto *m = dyn_cast<MapEntry>(scope);
        return m && isThreadBlock(m->schedule);
    });
    return inBlock && kept_.empty() && neutral_ && !inOrder();
}

void Reduce::byBlock() {
    const Name mine = x_.temporary("_mine", out_.type, {});
    x_.mapped(x_.addState("init"), "init", {}, {}, {{"o", mine, {0}, ""}}, "o = " + *neutral_);
    x_.mapped(x_.addState("reduce"), "reduce", params(reduced_), {{"i", "_in", index(all()), ""}}, {{"o", mine, {0}, wcr_}},
              "o = i");
    const std::string kind(py::reductionName(py::parseWcr(wcr_).value->kind));
    x_.code(x_.addState("block"), "block", {mine}, {"_out"},
            "_out_out = dace::blockReduce<dace::ReductionType::" + kind + ">(_in_mine);");
    x_.took("CUDA (block)", "the threads of the block reduce together");
}

bool Reduce::run() {
    if (!readNode())
        return false;
    const bool device = x_.where() == Where::Device;
    if (device)
        mergeReduced();
    x_.bind("_in", in_);
    x_.bind("_out", out_);
    if (reduced_.empty())
        copy();
    else if (isByBlock())
        byBlock();
    else if (!identity_ && (!neutral_ || (inOrder() && outerWcr_.empty())))
        inPlace();
    else if (device)
        onDevice();
    else if (kept_.empty() && neutral_ && x_.parallel())
        direct();
    else
        accumulate();
    applySchedule();
    x_.finish("_in", "_out");
    return true;
}

bool expandReduce(State &s, LibraryNode &n, pass::Context &c) { return Reduce(s, n, c).run(); }

} // namespace sdfgc::libnodes
