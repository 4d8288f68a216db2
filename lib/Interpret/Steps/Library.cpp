// Library nodes by their definition (format reference section 7) rather than by expansion: the function that executes each class.
#include "Library/Nodes.h"

#include "sdfgc/Analysis/Device/Async.h"
#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Analysis/Memory/Copies.h"

namespace sdfgc::interpret {

namespace {

using Maker = std::unique_ptr<NodeStep> (*)(NodeReader &r);

struct InterpreterRow {
    Maker make = nullptr;
};
constexpr InterpreterRow interpreterRows[] = {
#define SDFGC_LIBRARY_NODE(Class, Library, Expander, Implementations, Summary) {
#define SDFGC_LIBRARY_NODE_INTERPRETER(Maker) Maker
#define SDFGC_LIBRARY_NODE_FACTS(Pure, Types, Calls, When, Device)                                                                 \
    }                                                                                                                              \
    ,
#include "sdfgc/Analysis/LibraryNodes.def"
};

/// Null for nodes that need other processes or Python, and for unknown ones.
Maker makerOf(const ir::LibraryNode &n) {
    if (analysis::asyncOp(n))
        return makeAsync;
    if (analysis::isCopyNode(n))
        return makeCopy;
    if (analysis::isFillNode(n))
        return makeFill;
    const auto row = analysis::libraryRow(n);
    return row ? interpreterRows[*row].make : nullptr;
}

} // namespace

std::unique_ptr<NodeStep> Planner::library(Scope &scope, const ir::LibraryNode &n) {
    const Maker make = makerOf(n);
    if (!make) {
        refuse(ir::elementName(n), "library nodes of class " + n.className());
        return nullptr;
    }
    NodeReader reader(*this, scope, n);
    std::unique_ptr<NodeStep> step = make(reader);
    return reader.refused() ? nullptr : std::move(step);
}

} // namespace sdfgc::interpret
