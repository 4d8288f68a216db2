// Observers of a pipeline run. Printing, dumping and tracing are observers; no pass contains any of it.
#pragma once

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::pass {

/// One pass of a run.
struct Event {
    const PassInfo &pass;
    std::size_t position; // in the whole pipeline, from 1
    std::size_t total;    // passes in the whole pipeline
    int64_t round = 1;    // of the fixed-point group that the pass is in
};

/// Called by the manager on the thread that runs the passes. An observer that fails reports an error to context.diags, which ends
/// the run.
class Instrumentation {
public:
    virtual ~Instrumentation() = default;
    /// Before the first pass.
    virtual void begin(const Program &, Context &) {}
    virtual void before(const Program &, const Event &, Context &) {}
    /// After a pass that succeeded, and after the verifier did. `changed`: what the pass says.
    virtual void after(const Program &, const Event &, bool /*changed*/, Context &) {}
    /// After a pass that reported an error or broke the program.
    virtual void failed(const Program &, const Event &, Context &) {}
};

} // namespace sdfgc::pass
