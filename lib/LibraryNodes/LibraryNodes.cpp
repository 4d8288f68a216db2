#include "Expanders.h"

namespace sdfgc::libnodes {

const std::vector<Definition> &all() {
    static const std::vector<Definition> table{
#define SDFGC_LIBRARY_NODE(Class, Library, Expander, Implementations, Summary) {#Class, #Library, Summary, Implementations, Expander, ""},
#define SDFGC_LIBRARY_NODE_REFUSED(Class, Library, Reason, Summary) {#Class, #Library, Summary, "", nullptr, Reason},
#include "sdfgc/LibraryNodes/LibraryNodes.def"
    };
    return table;
}

namespace {

/// Where earlier versions had a class.
struct Moved {
    std::string_view className, from, to;
};
constexpr Moved moved[] = {
#define SDFGC_LIBRARY_NODE_MOVED(Class, From, To) {#Class, From, To},
#include "sdfgc/LibraryNodes/LibraryNodes.def"
};

} // namespace

const Definition *find(std::string_view className, std::string_view library) {
    for (const Moved &m : moved)
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

} // namespace sdfgc::libnodes
