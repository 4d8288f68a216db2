// Contractions of one or two operands in device memory as calls of cuTENSOR or hipTensor, for contractions that are not matrix
// products.
//
//   'abc','cbd'->'adb'   contract: letters of two operands that the result lacks are summed
//   'abc'->'cba'         permute: a copy that reads or writes memory in columns, of more than two dimensions (a matrix is geam's)
//
// hipTensor supports less (see the table of data types in its API reference): no batches, and permutations of float32 only.
//
// A call of runtime-headers/sdfgc/rt/gpu_tensor.h, where every dimension has a letter, an extent and a stride: operands need not be
// packed. Neither library is part of a GPU toolkit: they are called if the toolchain has them, and never required.
#include "Contraction.h"

#include <algorithm>

namespace sdfgc::libnodes {

using namespace ir;

namespace {

constexpr int maxRank = 16; // of gpu_tensor.h
constexpr std::size_t mostHipDimensions = 6;
constexpr int64_t smallContraction = 4096; // multiplications that a kernel does as fast

class TensorCall {
public:
    TensorCall(Expansion &x, const Contraction &c, const Factor &target, bool overwrite)
        : x_(x), c_(c), target_(target), overwrite_(overwrite) {}

    std::optional<LibraryCall> run() {
        if (x_.where() != Where::Device || !x_.context().options.has("gputensor") || x_.node().implementation == "pure")
            return std::nullopt;
        if (!unfitForLibraries(c_, target_).empty() || !hasFormOfTensors())
            return std::nullopt;
        const bool hip = x_.context().options.vendor() == platform::Device::Hip;
        if (c_.factors.size() == 2 && isContraction() && (!hip || isHipContraction()))
            return call("contract", {c_.alpha.text, tensor("_in", c_.factors[0]), tensor("_in", c_.factors[1]),
                                     overwrite_ ? "0" : "1", tensor("_out", target_)});
        if (c_.factors.size() == 1 && isPermutation() && (!hip || isHipPermutation()))
            return call("permute", {c_.alpha.text, tensor("_in", c_.factors[0]), tensor("_out", target_)});
        return std::nullopt;
    }

private:
    static LibraryCall call(const std::string &name, std::vector<std::string> arguments) {
        LibraryCall c;
        c.environment = "GpuTensors";
        c.function = "gpuTensors." + name;
        c.arguments = std::move(arguments);
        return c;
    }
    std::vector<const Factor *> operands() const {
        std::vector<const Factor *> out{&target_};
        for (const Factor &f : c_.factors)
            out.push_back(&f);
        return out;
    }
    static int rank(const Factor &f) {
        return static_cast<int>(std::count_if(f.labels.begin(), f.labels.end(), [](int l) { return l != Factor::unit; }));
    }

    /// No repeated letter in an operand, no negative stride, and not too many dimensions.
    bool hasFormOfTensors() const {
        for (const Factor *f : operands()) {
            if (rank(*f) > maxRank || c_.sizes.size() > 26)
                return false;
            for (int l : f->labels)
                if (l != Factor::unit &&
                    (std::count(f->labels.begin(), f->labels.end(), l) > 1 || sym::isLess(f->stride(l), 1) == sym::Truth::True))
                    return false;
        }
        return true;
    }

    bool isContraction() const {
        sym::Expr work = 1;
        for (std::size_t l = 0; l < c_.sizes.size(); ++l) {
            const auto all = operands();
            const auto label = static_cast<int>(l);
            const auto uses = std::count_if(all.begin(), all.end(), [&](const Factor *f) { return f->has(label); });
            if (uses == 1)
                return false; // summed over one operand alone
            if (uses > 0)
                work *= c_.sizes[l];
        }
        const auto known = work.asInt();
        return !c_.summed().empty() && !(known && *known <= smallContraction);
    }

    /// One to six dimensions each for rows, columns and sums, and no dimension that all operands share.
    bool isHipContraction() const {
        std::size_t rows = 0, columns = 0, sums = 0;
        for (std::size_t l = 0; l < c_.sizes.size(); ++l) {
            const auto label = static_cast<int>(l);
            const bool a = c_.factors[0].has(label), b = c_.factors[1].has(label), c = target_.has(label);
            if (a && b && c)
                return false;
            rows += a && c ? 1 : 0;
            columns += b && c ? 1 : 0;
            sums += a && b ? 1 : 0;
        }
        auto fits = [](std::size_t n) { return n >= 1 && n <= mostHipDimensions; };
        return fits(rows) && fits(columns) && fits(sums);
    }
    bool isHipPermutation() const {
        return target_.operand.type == Type(ScalarKind::Float32) && rank(target_) <= static_cast<int>(mostHipDimensions);
    }

    bool isPermutation() const {
        auto inOrder = [](const Factor &f) {
            std::vector<int> labels = f.labels;
            std::erase(labels, Factor::unit);
            return labels;
        };
        const std::vector<int> from = inOrder(c_.factors[0]), to = inOrder(target_);
        const bool plain = overwrite_ && !(c_.addend.operand && !c_.beta.isZero());
        return plain && from.size() > 2 && from != to && std::is_permutation(from.begin(), from.end(), to.begin(), to.end());
    }

    std::string tensor(const char *direction, const Factor &f) const {
        std::string text = "tensor(" + (direction + f.connector.str());
        for (int l : f.labels)
            if (l != Factor::unit)
                text += ", " + cppWord({'\'', static_cast<char>('a' + l), '\''}) + ", " +
                        x_.word("n", c_.sizes[static_cast<std::size_t>(l)]) + ", " + x_.word("s", f.stride(l));
        return text + ")";
    }

    Expansion &x_;
    const Contraction &c_;
    const Factor &target_;
    bool overwrite_;
};

} // namespace

std::optional<LibraryCall> tensorProduct(Expansion &x, const Contraction &c, const Factor &target, bool overwrite) {
    return TensorCall(x, c, target, overwrite).run();
}

} // namespace sdfgc::libnodes
