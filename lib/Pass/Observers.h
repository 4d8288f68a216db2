// The built-in observers of a pipeline run: printing and dumping.
#pragma once

#include "sdfgc/Pass/Instrumentation.h"
#include "sdfgc/Pass/Pipeline.h"
#include "sdfgc/Support/File.h"

namespace sdfgc::pass {

/// Prints programs before and after passes (printBefore, printAfter, printAfterAll, printAfterChange, printAfterFailure), each
/// preceded by a line `// ---- after infer-types (02 of 08) ----`. After a change, prints the difference to the program before the
/// pass, or that there is none.
class Printer : public Instrumentation {
public:
    explicit Printer(const RunOptions &o) : options_(o) {}
    void before(const Program &, const Event &, Context &) override;
    void after(const Program &, const Event &, bool changed, Context &) override;
    void failed(const Program &, const Event &, Context &) override;

private:
    void print(const Program &, const Event &, const char *when);
    const RunOptions &options_;
    std::string textBefore_; // only with printAfterChange
};

/// Writes the program before the first pass and after each pass to numbered files in dumpDir. Removes dumps of an earlier run that
/// this one does not overwrite, i.e. of passes after the one at which it starts. Rejects a folder with other files, and one that
/// another run is writing to.
class Dumper : public Instrumentation {
public:
    explicit Dumper(const RunOptions &o) : options_(o) {}
    /// The run skips the first `steps` of the pipeline.
    void startAfter(std::size_t steps) { first_ = steps; }
    void begin(const Program &, Context &) override;
    void after(const Program &, const Event &, bool changed, Context &) override;

private:
    bool prepareFolder(Context &c);
    const RunOptions &options_;
    std::size_t first_ = 0;
    std::optional<file::Lock> lock_; // on the folder, while this run writes to it
};

/// `05`: positions have two digits so that files sort correctly; more if there are more than 99.
std::string positionText(std::size_t position);

} // namespace sdfgc::pass
