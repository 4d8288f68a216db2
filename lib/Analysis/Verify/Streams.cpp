// The scheduled level: every two conflicting accesses are ordered by a stream, an event or a wait of the host
// (sdfgc/Analysis/Streams/Streams.h).
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Analysis/Streams/Streams.h"

namespace sdfgc::analysis {

using namespace ir;

namespace {

std::string nameOf(const Node *node, const Edge *edge) {
    return edge ? elementName(*edge) : node ? elementName(*node) : "a branch of a GPU graph";
}

/// Whatever is beyond the table of streams; the walk would not know it.
bool validStream(int stream, int lowest) { return stream >= lowest && stream < maxStreams; }

} // namespace

bool Verifier::streamNumbers(SDFG &root, StreamSteps &steps) {
    bool valid = true;
    for (SDFG *g : allSDFGs(root))
        for (State *s : allStates(*g))
            for (const StreamStep &step : steps.of(*s)) {
                const bool async = step.kind == StreamStep::Async;
                const int stream = async ? step.async.stream : step.stream;
                const bool hostMayWait = async && step.async.kind == AsyncOp::Wait;
                if ((async || step.kind == StreamStep::Operation) && !validStream(stream, hostMayWait ? -1 : 0)) {
                    report(diag::Id::StreamNumber, *step.node, stream, maxStreams - 1);
                    valid = false;
                }
            }
    return valid;
}

void Verifier::streams(const SDFG &constRoot) {
    SDFG &root = unchanged(constRoot);
    StreamSteps steps(root);
    if (!streamNumbers(root, steps))
        return;
    StreamOrder(root, steps).look([&](const StreamConflict &c) {
        const bool atEnd = c.step == c.steps->size();
        const std::string later = c.graph          ? elementName(*c.graph)
                                  : c.endOfProgram ? "the end of the program"
                                  : atEnd          ? "the end of " + elementName(*c.state)
                                                   : nameOf((*c.steps)[c.step].node, (*c.steps)[c.step].edge);
        const diag::Message message(diag::Id::StreamsUnordered, later, nameOf(c.what.node, c.what.edge),
                                    c.earlier.use.write ? "write" : "read", steps.name(c.earlier.use.memory));
        if (c.graph)
            report(message, placeOf(*c.graph));
        else if (atEnd)
            report(message, placeOf(*c.state));
        else if (const Edge *e = (*c.steps)[c.step].edge)
            report(message, placeOf(*e));
        else
            report(message, placeOf(*(*c.steps)[c.step].node));
    });
}

} // namespace sdfgc::analysis
