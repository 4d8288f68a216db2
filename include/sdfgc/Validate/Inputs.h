// Small inputs for a program, generated from its argument list.
//
// A series depends only on the graph and a seed. It starts with sizes and values that most programs accept, and
// continues with ones that reveal faults: sizes 1, 2, 0 and odd ones, all symbols equal (programs often couple them) or
// all different, each symbol alone 0 and 1; small numbers with many ties, real numbers, ordered ones (rows of sparse
// matrices, bounds of searches), infinities, NaN, signed zeros, subnormal and very large numbers, the largest integers;
// arrays that share memory if the graph allows it. Sizes for which a shape would be negative, or would exceed its
// memory, are skipped. Only executing the program shows whether it can use an input: request the next one if it cannot.
#pragma once

#include "sdfgc/Run/Arguments.h"
#include "sdfgc/Run/Values.h"

namespace sdfgc::validate {

struct InputOptions {
    std::string folder = {}; // of an input of the user (InputMaker::given)
    uint64_t seed = 0;
    int attempts = 32;                   // members of the series, including skipped ones
    int64_t largest = int64_t(16) << 20; // maximum bytes of one argument
    bool finite = false;                 // exclude infinities, NaN, and numbers whose sums or products become infinite
};

struct Input {
    std::string name; // `N=5 M=5, ordered values`
    run::Arguments arguments;
    bool exact = false; // the values are small multiples of 1/4, whose sums are exact in any order
};

class InputMaker {
public:
    /// Creates the series for a graph.
    InputMaker(const ir::SDFG &graph, const InputOptions &options);
    /// The same for an interface (run::interfaceOf, or a tree's).
    InputMaker(tree::Module interface, const InputOptions &options);
    /// Returns the input in InputOptions::folder (readInput), in which missing arguments are zero; nothing if it does not fit, or if
    /// there is no folder.
    std::optional<Input> given();
    /// Returns the next input; nothing at the end of the series, or if no input can be generated.
    std::optional<Input> next();
    /// The number of inputs in which a single symbol is 0 or 1. Programs are executed on them in addition to the
    /// requested number of others.
    std::size_t edges() const { return symbols_.size() > 1 ? 2 * std::min(symbols_.size(), mostEdges) : 0; }
    /// Returns why the last skipped input is invalid, or the given one. If there was no input at all, this is the reason.
    const std::string &problem() const { return problem_; }

private:
    static constexpr std::size_t mostEdges = 8; // symbols tried as 0 and 1 alone

    std::optional<run::Arguments> prepare(const run::ArgumentOptions &options);
    std::optional<Input> attempt(int number);
    std::optional<Input> edge(std::size_t number);
    struct Pattern;
    static Pattern patternOf(int number, run::Random &random);
    std::optional<Input> make(const Pattern &pattern, run::Random &random, bool shares);
    void share(run::Arguments &arguments, run::Random &random, std::string &name) const;
    tree::Module interface_;
    std::vector<tree::Param> all_; // its parameters and their members
    InputOptions options_;
    std::vector<const tree::Param *> symbols_, strides_;
    std::map<Name, int64_t> constants_; // of the graph: required for a call
    int done_ = 0;
    std::size_t edgesDone_ = 0;
    std::string problem_;
};

/// Writes an input to an existing folder: NAME.npy for each array, and `values` with lines NAME=VALUE for all other
/// arguments.
Result<void> writeInput(const Input &input, const std::string &folder);
/// Reads such a folder into command-line values (run::ArgumentOptions::given).
Result<std::vector<run::Given>> readInput(const std::string &folder);

} // namespace sdfgc::validate
