// Prints host functions: C++ with OpenMP pragmas, instrumentation, consume scopes.
#pragma once

#include "sdfgc/CodeGen/BodyPrinter.h"

namespace sdfgc::codegen {

class HostPrinter : public BodyPrinter {
public:
    using BodyPrinter::BodyPrinter;

protected:
    using BodyPrinter::print;
    void print(const tree::For &f) override;
    void print(const tree::ParallelRegion &p) override;
    void print(const tree::Sections &s) override;
    void print(const tree::Consume &c) override;
    void print(const tree::Measure &m) override;
    void print(const tree::DataProbe &p) override;
    std::string functionName(Name n) const override;
    Owner owner(tree::VarKind kind) const override;
    void atomicUpdate(const tree::Update &u) override;

    /// The object that measures while it lives, as a declaration: `const sdfgc::rt::Timer timer(...);`
    virtual std::string measurement(const tree::Measure &m) const;
    /// `__state->report, "Map m", {0, 1, 2}`: what all such objects are made from.
    std::string measured(const tree::Measure &m) const;

private:
    std::string pragma(const tree::Omp &o) const;
    std::string team(sym::Expr numThreads, sym::Expr onlyIf, bool simd = false) const;
    std::string reductions(const std::vector<tree::Omp::Reduction> &list) const;
};

} // namespace sdfgc::codegen
