// Tasklets.
#include "Tasklets.h"

#include "LibraryCalls.h"
#include "Lower/Flow/Blocks.h"
#include "Lower/Program/UserCode.h"
#include "TaskletConnections.h"
#include "TaskletCpp.h"
#include "TaskletPython.h"

#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Pass/TargetTraits.h"

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

/// The code of a tasklet whose code blocks have already been added.
void lowerCode(Instance &in, Tasklet &t, tree::Block &out) {
    if (t.code.text().find("__state") != std::string::npos)
        in.function().needsState = true;
    TaskletConnections connections(in, t);
    if (!connections.connect(out))
        return;
    switch (t.code.language()) {
    case Language::Python:
        if (const auto &parsed = t.code.asBlock(); !parsed.value)
            in.error(diag::Id::BadCode, analysis::placeOf(t), parsed.error.message);
        else if (const Name n = unknownOnHost(in, t, *parsed.value))
            in.error(diag::Id::BadCode, analysis::placeOf(t),
                     "it calls `" + n.str() + "`, which " +
                         (in.options().emulate ? "is not emulated" : "host code does not support"));
        else
            lowerPython(in, t, connections, std::move(*parsed.value), out);
        return;
    case Language::CPP:
        return lowerCpp(in, t, connections, out);
    case Language::Library:
        return lowerLibraryCall(in, t, connections, out);
    default:
        in.error(diag::Id::LowerUnsupported, analysis::placeOf(t), "a tasklet in " + std::string(name(t.code.language())),
                 std::string(pass::insteadOf(t.code.language())));
    }
}

} // namespace

void lowerTasklet(Instance &in, Tasklet &t, tree::Block &out) {
    // An unlabelled or empty tasklet emits nothing (format reference 6.3).
    if (t.label.empty() || t.code.empty())
        return;
    takeTaskletBlocks(in.program(), t);
    lowerCode(in, t, out);
}

} // namespace sdfgc::tree::lowering
