// A program and its gradient, both in the interpreter.
#pragma once

#include "Graphs.h"

#include <map>
#include <random>

namespace sdfgc::test {

using Arrays = std::map<std::string, std::vector<double>>;

class Differentiated {
public:
    /// `names`: results and arguments, separated by blanks; `options` of the pass, with `prefix=...` last. Arguments of the graph
    /// are floating-point numbers or integers.
    Differentiated(const std::string &text, const std::string &of, const std::string &wrt, const std::string &options = "");

    /// Sets the value of a symbol, or of an argument that is not random. Random values are between 0.5 and 1.5, integers 0.
    Differentiated &set(const std::string &symbol, int64_t value);
    Differentiated &set(const std::string &argument, std::vector<double> values);

    /// Compares each element of each gradient with finite differences, for random weights of the results, and tangents with
    /// gradients. Fails with a description of the error.
    void check();
    /// The first part of check(), without tangents.
    void checkGradients();
    /// Compares tangents with gradients: <w, J v> = <J^T w, v> for random weights w of the results and directions v of the
    /// arguments. They must agree to 1e-12, in programs with float32 to 1e-5, with float16 to 2e-2.
    void checkTangents();
    /// Compares tangents for a random direction with finite differences.
    void checkTangentsByDifferences();
    /// The contents of arguments after a run, including gradients; `weights` of the results.
    Arrays run(const Arrays &input, const Arrays &weights);
    /// The contents of arguments after a run with tangents of arguments.
    Arrays tangent(const Arrays &directions);
    /// The initial contents of arguments.
    Arrays input();

    /// The program with the gradient; null after errors.
    const ir::SDFG *gradient() const { return gradient_.get(); }
    std::string text() const;
    /// The program with tangents, as text.
    std::string tangentText() const;
    /// The code of the only error, or all of them.
    std::string errors() const;
    /// The same for the program with tangents.
    std::string tangentErrors() const;
    /// The sizes of all tapes, in the order of their creation: `tape_s[T]`.
    std::string tapes() const;
    /// Bytes allocated for containers in the last run.
    int64_t memory() const { return memory_; }

private:
    Arrays call(const ir::SDFG &g, const Arrays &input);
    Arrays weightsOf(const std::vector<std::string> &names, const Arrays &like);
    std::size_t sizeOf(const ir::SDFG &g, Name argument) const;

    std::unique_ptr<ir::SDFG> primal_, gradient_, tangent_;
    std::vector<std::string> of_, wrt_;
    std::string prefix_ = "gradient_";
    std::map<Name, int64_t> symbols_;
    Arrays given_;
    int64_t memory_ = 0;
    diag::Engine diags_, ofTangent_;
    std::minstd_rand random_{11};
};

/// Checks the gradient with respect to A of a text whose result is `loss` or `__return`.
void checkGradient(const std::string &text, const std::map<std::string, int64_t> &symbols, const std::string &of = "out",
                   const std::string &wrt = "A");

} // namespace sdfgc::test
