#include "Expanders.h"

namespace sdfgc::libnodes {

const std::vector<Definition> &all() {
    static const std::vector<Definition> table{
#define SDFGC_LIBRARY_NODE(Class, Library, Expander, Implementations, Summary) {#Class, #Library, Summary, Implementations, Expander, ""},
#define SDFGC_LIBRARY_NODE_REFUSED(Class, Library, Reason, Summary) {#Class, #Library, Summary, "", nullptr, Reason},
#include "sdfgc/LibraryNodes/LibraryNodes.def"
#undef SDFGC_LIBRARY_NODE
#undef SDFGC_LIBRARY_NODE_REFUSED
    };
    return table;
}

const Definition *find(std::string_view className, std::string_view library) {
    const Definition *wholeLibrary = nullptr;
    for (const Definition &d : all()) {
        if (d.className == className && (library.empty() || d.library == library))
            return &d;
        if (d.className == "*" && d.library == library)
            wholeLibrary = &d;
    }
    return wholeLibrary;
}

} // namespace sdfgc::libnodes
