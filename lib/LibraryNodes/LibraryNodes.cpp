#include "Expanders.h"

#include "sdfgc/Analysis/Communication.h"
#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Analysis/Memory/Copies.h"

#include <algorithm>

namespace sdfgc::libnodes {

const std::vector<Definition> &all() {
    static const std::vector<Definition> table{
#define SDFGC_LIBRARY_NODE(Class, Library, Expander, Implementations, Summary)                                                     \
    {#Class, #Library, Summary, Implementations, Expander, ""
#define SDFGC_LIBRARY_NODE_FACTS(Pure, Types, Calls, When, Device) , Pure, Types, Calls, When, Device
#define SDFGC_LIBRARY_NODE_GRADIENT(Kind, Reverse, Tangent)                                                                        \
    , Gradient::Kind                                                                                                               \
    }                                                                                                                              \
    ,
#define SDFGC_LIBRARY_NODE_DECLARATION(Class, Library, Reason, Summary)                                                            \
    {.className = #Class, .library = #Library, .summary = Summary, .refusal = Reason, .declares = true},
#define SDFGC_LIBRARY_NODE_REFUSED(Class, Library, Reason, Summary) {#Class, #Library, Summary, "", nullptr, Reason},
#include "sdfgc/Analysis/LibraryNodes.def"
    };
    return table;
}

std::vector<std::string_view> formerLibraries(const Definition &d) {
    std::vector<std::string_view> out;
    for (const analysis::MovedNode &m : analysis::movedNodes())
        if (m.className == d.className && m.to == d.library)
            out.push_back(m.from);
    return out;
}

const Definition *find(std::string_view className, std::string_view library) {
    for (const analysis::MovedNode &m : analysis::movedNodes())
        if (m.className == className && m.from == library)
            library = m.to;
    const Definition *wholeLibrary = nullptr;
    for (const Definition &d : all()) {
        if (d.className == className && d.library == library)
            return &d;
        if (d.className == "*" && d.library == library)
            wholeLibrary = &d;
    }
    return wholeLibrary;
}

const Definition *find(const ir::LibraryNode &node) { return find(node.className(), node.libraryName()); }

Where whereIs(const ir::LibraryNode &n) {
    if (analysis::executorOf(n) != analysis::Executor::Host)
        return Where::Kernel;
    auto device = [&](const ir::Edge *e) {
        const ir::DataDesc *desc = e->memlet.data ? n.state()->sdfg()->desc(e->memlet.data) : nullptr;
        return desc && ir::isGpuStorage(desc->storage);
    };
    auto in = n.inEdges(), out = n.outEdges();
    const bool touches = std::any_of(in.begin(), in.end(), device) || std::any_of(out.begin(), out.end(), device);
    return touches || ir::isGpuSchedule(n.schedule) ? Where::Device : Where::Host;
}

bool overwrites(const ir::LibraryNode &n) {
    if (analysis::isCopyNode(n) || analysis::isFillNode(n))
        return true;
    if (const auto how = analysis::combinationOf(n))
        return !how->keepsOld();
    const Definition *d = find(n);
    // MPI nodes may not write on ranks that are not the root or not in the grid.
    return d && d->expand && !analysis::has(n, analysis::Trait::KeepsElements) && !analysis::communicationOf(n);
}

} // namespace sdfgc::libnodes
