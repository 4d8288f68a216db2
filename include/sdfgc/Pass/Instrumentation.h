// Observers of a pipeline run. Printing, dumping and tracing are observers; passes contain none of it.
#pragma once

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::pass {

/// A pass during a run.
struct Event {
    const PassInfo &pass;
    std::size_t position; // in the entire pipeline, from 1
    std::size_t total;    // number of passes in the entire pipeline
    int64_t round = 1;    // of the fixed-point group that contains the pass
};

/// Called by the manager on the thread that runs the passes. An observer that fails reports an error to context.diags,
/// which ends the run.
class Instrumentation {
public:
    virtual ~Instrumentation() = default;
    /// Before the first pass.
    virtual void begin(const Program &, Context &) {}
    virtual void before(const Program &, const Event &, Context &) {}
    /// Called after a pass and the verifier have succeeded. `changed`: the pass's return value.
    virtual void after(const Program &, const Event &, bool /*changed*/, Context &) {}
    /// After a pass that reported an error or broke the program.
    virtual void failed(const Program &, const Event &, Context &) {}
};

} // namespace sdfgc::pass
