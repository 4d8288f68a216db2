// Reduce under expansion: the operands, the function, and the plans that Reduce.cpp (host, and inside of kernels) and
// ReduceDevice.cpp (entire device; ReduceLibrary.cpp with a library of primitives) choose from.
#pragma once

#include "Expansion.h"

#include <algorithm>
#include <map>

namespace sdfgc::libnodes {

class Reduce {
public:
    Reduce(ir::State &s, ir::LibraryNode &n, pass::Context &c) : x_(s, n, c) {}
    bool run();

private:
    bool readNode();
    bool inOrder() const;
    void copy();
    void direct();
    void inPlace();
    void accumulate();
    void onDevice();
    /// The name of an associative function in runtime-headers/sdfgc/rt/gpu_reduce.h.
    std::string operation() const;
    bool startsNeutral() const;
    diag::Reason whyNoPrimitive();
    void byPrimitive();
    bool isByBlock();
    void byBlock();
    /// An accumulation under construction.
    struct Loops {
        Expansion::Accumulation a;
        std::vector<std::size_t> outer;       // kept dimensions that get a parallel loop
        Expansion::Params leading;            // loops around those
        std::vector<sym::Expr> input, output; // indices
        /// Moves the range of a parameter.
        void shift(Name parameter, sym::Expr by) {
            std::map<Name, sym::Expr> moved{{parameter, sym::Expr::symbol(parameter) + by}};
            for (auto *index : {&input, &output})
                for (sym::Expr &e : *index)
                    e = sym::substitute(e, moved);
        }
    };
    Loops plainLoops();
    Loops cut(std::size_t dim, sym::Expr chunks, int64_t size);
    Loops overChunks(Name partial, sym::Expr chunks);
    void strip(Loops &l, std::size_t dim);
    void mergeReduced();
    bool coalescedOutputs() const;
    void byBlocks(Loops l, const char *label);
    void build(Loops l, const char *label);
    void applySchedule();
    std::optional<std::size_t> row() const;
    bool worthCutting() const;
    std::size_t dimensionToCut() const;
    sym::Expr product(const std::vector<std::size_t> &dims) const {
        sym::Expr p = 1;
        for (std::size_t d : dims)
            p *= in_.shape[d];
        return p;
    }
    /// `_o0`, `_r1`: the parameter of a dimension of the input.
    Name parameter(std::size_t dim) const {
        auto find = [&](const std::vector<std::size_t> &dims, const char *prefix) {
            auto at = std::find(dims.begin(), dims.end(), dim);
            return at == dims.end() ? Name() : Name(prefix + std::to_string(at - dims.begin()));
        };
        Name kept = find(kept_, "_o");
        return kept.empty() ? find(reduced_, "_r") : kept;
    }
    Expansion::Params params(std::vector<std::size_t> dims) const;
    std::vector<sym::Expr> index(const std::vector<std::size_t> &dims) const;
    std::vector<std::size_t> all() const {
        std::vector<std::size_t> dims(in_.rank());
        for (std::size_t i = 0; i < dims.size(); ++i)
            dims[i] = i;
        return dims;
    }

    Expansion x_;
    Operand in_, out_;
    std::vector<std::size_t> kept_, reduced_; // dimensions of the squeezed input
    std::string wcr_;
    std::optional<std::string> identity_;
    std::optional<std::string> neutral_; // of an associative function
    std::string outerWcr_;               // of the node's output
};

} // namespace sdfgc::libnodes
