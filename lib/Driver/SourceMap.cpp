#include "Driver/SourceMap.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Support/File.h"

namespace sdfgc::driver {
namespace {

/// The state or node at {region, state, node, ...} (of several nodes the first one counts), or nothing.
diag::Location placeOfOrigin(ir::SDFG &root, const std::vector<int> &origin) {
    if (origin.size() < 2)
        return {};
    for (ir::SDFG *g : ir::allSDFGs(root))
        for (ir::Region *r : ir::allRegions(*g)) {
            if (r->cfgId != origin[0])
                continue;
            const auto block = static_cast<std::size_t>(origin[1]);
            if (origin[1] < 0 || block >= r->blocks().size())
                return {};
            const auto *state = dyn_cast<ir::State>(r->blocks()[block].get());
            const auto node = origin.size() > 2 ? static_cast<std::size_t>(origin[2]) : SIZE_MAX;
            if (!state || node >= state->nodes().size())
                return analysis::placeOf(*r->blocks()[block]);
            return analysis::placeOf(*state->nodes()[node]);
        }
    return {};
}

} // namespace

diag::Location elementAt(const Compiled &made, const std::string &file, int line) {
    const codegen::MapEntry *best = nullptr; // the smallest range around the line
    for (const codegen::MapEntry &e : made.sources.sourceMap)
        if (e.file == file && e.from <= line && line <= e.to && (!best || e.to - e.from < best->to - best->from))
            best = &e;
    diag::Location found = best && made.graph ? placeOfOrigin(*made.graph, best->origin) : diag::Location();
    found.path.clear(); // of the lowered graph, which is not the user's
    return found;
}

void explainCompilerErrors(const Compiled &made, const std::vector<build::CompilerMessage> &messages, diag::Diagnostic &d) {
    constexpr std::size_t most = 5;
    std::string last;
    for (const build::CompilerMessage &m : messages) {
        if (!m.isError || d.notes.size() >= most)
            continue;
        diag::Location place = elementAt(made, m.file, m.line);
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
