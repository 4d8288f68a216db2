// Runs a pass on a graph in a test.
#pragma once

#include "../Graphs.h"
#include "MakePass.h"

#include "sdfgc/Analysis/Scopes.h"

namespace sdfgc::test {

/// A pass run, with its diagnostics and remarks.
struct PassRun {
    explicit PassRun(std::unique_ptr<pass::Pass> p) : pass(std::move(p)), context(diags, options) {}
    /// With the defaults of the pass's options.
    explicit PassRun(std::string_view name) : PassRun(makePass(name)) {}
    bool operator()(SDFG &g) {
        pass::Program program{g, nullptr};
        return pass->run(program, context);
    }
    bool reported(diag::Id id) const {
        for (const auto &d : diags.all())
            if (d.id == id)
                return true;
        return false;
    }
    /// The code of the last remark about a refusal.
    diag::Why why() const {
        for (auto r = context.remarks.rbegin(); r != context.remarks.rend(); ++r)
            if (r->missed())
                return r->why;
        return diag::Why::None;
    }
    diag::Engine diags;
    pass::CompileOptions options;
    std::unique_ptr<pass::Pass> pass;
    pass::Context context;
};

} // namespace sdfgc::test
