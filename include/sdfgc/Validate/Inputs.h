// Small inputs for a program, made from its argument list.
//
// A series is decided by the graph and a seed alone. It begins with sizes and values that most programs take, and goes on with ones
// in which faults hide: sizes 1, 2, 0 and odd ones, all symbols equal (programs often couple them) and all different, each symbol
// alone 0 and 1; small numbers with many ties, real numbers, ordered ones (rows of sparse matrices, bounds of searches), infinities, NaN, signed zeros,
// subnormal and very large numbers, the largest integers; arrays that share memory where the graph says that they may. Sizes for which a shape
// would be negative or reach beyond its memory are left out. Whether a program can do anything with an input only its execution
// tells: ask for the next one where it cannot.
#pragma once

#include "sdfgc/Run/Arguments.h"
#include "sdfgc/Run/Values.h"

namespace sdfgc::validate {

struct InputOptions {
    uint64_t seed = 0;
    int attempts = 32;                   // members of the series, those that are left out included
    int64_t largest = int64_t(16) << 20; // bytes of one argument
    bool finite = false;                 // no infinities, no NaN, and no numbers of which sums or products are
};

struct Input {
    std::string name; // `N=5 M=5, ordered values`
    run::Arguments arguments;
    bool exact = false; // the values are small multiples of 1/4, of which sums are the same in any order
};

class InputMaker {
public:
    /// The series for a graph.
    InputMaker(const ir::SDFG &graph, const InputOptions &options);
    /// The same for an interface (run::interfaceOf, or a tree's).
    InputMaker(tree::Module interface, const InputOptions &options);
    /// The next input; nothing at the end of the series, or where no input can be made.
    std::optional<Input> next();
    /// Inputs of the series in which one symbol alone is 0 or 1: programs are executed on them beside as many others as are asked for.
    std::size_t edges() const { return symbols_.size() > 1 ? 2 * std::min(symbols_.size(), mostEdges) : 0; }
    /// Why the last input that was left out is none: `S is a structure`. Where there was none at all, this says why.
    const std::string &problem() const { return problem_; }

private:
    static constexpr std::size_t mostEdges = 8; // symbols that are 0 and 1 alone

    std::optional<Input> attempt(int number);
    std::optional<Input> edge(std::size_t number);
    struct Pattern;
    static Pattern patternOf(int number, run::Random &random);
    std::optional<Input> make(const Pattern &pattern, run::Random &random, bool shares);
    void share(run::Arguments &arguments, run::Random &random, std::string &name) const;
    tree::Module interface_;
    InputOptions options_;
    std::vector<const tree::Param *> symbols_, strides_;
    std::map<Name, int64_t> constants_; // of the graph: what it can be called with
    int done_ = 0;
    std::size_t edgesDone_ = 0;
    std::string problem_;
};

/// Writes an input into a folder that is there: NAME.npy for each array, and `values` with lines NAME=VALUE for all other arguments.
Result<void> writeInput(const Input &input, const std::string &folder);
/// What stands in such a folder, as the command line would give it (run::ArgumentOptions::given).
Result<std::vector<run::Given>> readInput(const std::string &folder);

} // namespace sdfgc::validate
