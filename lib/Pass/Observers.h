// The built-in observers of a pipeline run: printing and dumping.
#pragma once

#include "sdfgc/Pass/Instrumentation.h"
#include "sdfgc/Pass/Pipeline.h"

namespace sdfgc::pass {

/// Prints graphs before and after passes (printBefore, printAfter, printAfterAll, printAfterChange, printAfterFailure), each under
/// a line
/// `// ---- after infer-types (02 of 08) ----`. After a change: the difference to the graph before the pass, or that there is none.
class Printer : public Instrumentation {
public:
    explicit Printer(const RunOptions &o) : options_(o) {}
    void before(const ir::SDFG &, const Event &, Context &) override;
    void after(const ir::SDFG &, const Event &, bool changed, Context &) override;
    void failed(const ir::SDFG &, const Event &, Context &) override;

private:
    void print(const ir::SDFG &, const Event &, const char *when);
    const RunOptions &options_;
    std::string textBefore_; // only with printAfterChange
};

/// Writes the graph before the first pass and after each pass to numbered files in dumpDir.
class Dumper : public Instrumentation {
public:
    explicit Dumper(const RunOptions &o) : options_(o) {}
    void begin(const ir::SDFG &, Context &) override;
    void after(const ir::SDFG &, const Event &, bool changed, Context &) override;

private:
    const RunOptions &options_;
};

/// `05`: positions have two digits so that files sort; more when there are more than 99.
std::string positionText(std::size_t position);

} // namespace sdfgc::pass
