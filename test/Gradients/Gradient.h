// A program and its gradient, both in the interpreter.
#pragma once

#include "Graphs.h"

#include <map>
#include <random>

namespace sdfgc::test {

using Arrays = std::map<std::string, std::vector<double>>;

class Differentiated {
public:
    /// `names`: results and arguments, with blanks; `options` of the pass, `prefix=...` as the last one. Arguments of the graph are
    /// real numbers or integers.
    Differentiated(const std::string &text, const std::string &of, const std::string &wrt, const std::string &options = "");

    /// Values of symbols, and of arguments that are not random: between 0.5 and 1.5, integers 0.
    Differentiated &set(const std::string &symbol, int64_t value);
    Differentiated &set(const std::string &argument, std::vector<double> values);

    /// Compares each element of each gradient with differences, for random weights of the results, and tangents with gradients.
    /// Fails with what is wrong.
    void check();
    /// The first part of that, without tangents.
    void checkGradients();
    /// Compares tangents with gradients: <w, J v> = <J^T w, v> for random weights w of the results and directions v of the
    /// arguments. They agree to 1e-12, in programs with float32 to 1e-5, with float16 to 2e-2.
    void checkTangents();
    /// Compares tangents for a random direction with differences.
    void checkTangentsByDifferences();
    /// What is in arguments after a run, gradients too; `weights` of the results.
    Arrays run(const Arrays &input, const Arrays &weights);
    /// What is in arguments after a run with tangents of arguments.
    Arrays tangent(const Arrays &directions);
    /// Arguments as they are in the beginning.
    Arrays input();

    /// The program with the gradient; null after errors.
    const ir::SDFG *gradient() const { return gradient_.get(); }
    std::string text() const;
    /// The program with tangents, as text.
    std::string tangentText() const;
    /// The code of the only error, or all of them.
    std::string errors() const;
    /// The same of the program with tangents.
    std::string tangentErrors() const;
    /// Elements of all tapes, in the order in which they were made: `tape_s[T]`.
    std::string tapes() const;
    /// Bytes of containers that the last program that ran had allocated.
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

/// Of the gradient of a text with `loss` or `__return`, with respect to A: is it right?
void checkGradient(const std::string &text, const std::map<std::string, int64_t> &symbols, const std::string &of = "out",
                   const std::string &wrt = "A");

} // namespace sdfgc::test
