#include "sdfgc/Analysis/Communication.h"

#include "sdfgc/Analysis/Indexing.h"

#include <optional>

namespace sdfgc::analysis {

using namespace ir;

namespace {

constexpr std::optional<Communication> communicationRows[] = {
#define SDFGC_LIBRARY_NODE(Class, Library, Expander, Implementations, Summary) std::optional<Communication>(
#define SDFGC_LIBRARY_NODE_RANKS(M, P, Root)                                                                                       \
    { Messages::M, Parts::P, Root }
#define SDFGC_LIBRARY_NODE_FACTS(Pure, Types, Calls, When, Device) ),
#include "sdfgc/Analysis/LibraryNodes.def"
};

} // namespace

bool Communication::isForRoot(Name connector) const {
    return (" " + std::string(root) + " ").find(" " + connector.str() + " ") != std::string::npos;
}

const Communication *communicationOf(const LibraryNode &n) {
    const auto row = libraryRow(n);
    return row && communicationRows[*row] ? &*communicationRows[*row] : nullptr;
}

bool isDeclaration(const LibraryNode &n) {
#define SDFGC_LIBRARY_NODE_DECLARATION(Class, Library, Reason, Summary)                                                            \
    if (n.className() == #Class && n.libraryName() == #Library)                                                                    \
        return true;
#include "sdfgc/Analysis/LibraryNodes.def"
    return false;
}

} // namespace sdfgc::analysis
