#include "Driver/Compilation/SourceMap.h"
#include "sdfgc/Support/File.h"

namespace sdfgc::driver {
SourceMap::SourceMap(const Compiled &made) : entries_(made.sources.sourceMap) {
    if (made.graph)
        origins_.emplace(*made.graph);
}

diag::Location SourceMap::elementAt(const std::string &file, int line) const {
    const codegen::MapEntry *best = nullptr; // the smallest range that contains the line
    for (const codegen::MapEntry &e : entries_)
        if (e.file == file && e.from <= line && line <= e.to && (!best || e.to - e.from < best->to - best->from))
            best = &e;
    diag::Location found = best && origins_ ? origins_->placeOf(best->origin) : diag::Location();
    found.path.clear(); // in the lowered graph, which is not the user's
    return found;
}

void explainCompilerErrors(const Compiled &made, const std::vector<build::CompilerMessage> &messages, diag::Diagnostic &d) {
    constexpr std::size_t most = 5;
    const SourceMap map(made);
    std::string last;
    for (const build::CompilerMessage &m : messages) {
        if (!m.isError || d.notes.size() >= most)
            continue;
        diag::Location place = map.elementAt(m.file, m.line);
        if (place.element.empty() || place.element == last)
            continue;
        last = place.element;
        place.file = file::join(made.folder, m.file);
        place.line = m.line;
        place.column = m.column;
        d.notes.emplace_back(std::move(place), m.text);
    }
}

} // namespace sdfgc::driver
