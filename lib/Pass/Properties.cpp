// Properties of graphs that steps of a pipeline can depend on.
#include "sdfgc/Pass/Pipeline.h"

#include <algorithm>

namespace sdfgc::pass {
namespace {

using namespace ir;

template <class T> bool anyBlock(const SDFG &root) {
    for (const SDFG *g : allSDFGs(root))
        for (const Block *b : allBlocks(*g))
            if (isa<T>(b))
                return true;
    return false;
}

template <class Test> bool anyNode(const SDFG &root, Test test) {
    for (const SDFG *g : allSDFGs(root))
        for (const State *s : allStates(*g))
            if (std::any_of(s->nodes().begin(), s->nodes().end(), [&](const auto &n) { return test(*n); }))
                return true;
    return false;
}

template <class Test> bool anyContainer(const SDFG &root, Test test) {
    for (const SDFG *g : allSDFGs(root))
        for (const auto &[name, desc] : g->arrays)
            if (test(desc))
                return true;
    return false;
}

bool hasUnstructured(const SDFG &root) {
    for (const SDFG *g : allSDFGs(root))
        for (const Block *b : allBlocks(*g))
            if (b->kind() == BlockKind::Unstructured)
                return true;
    return false;
}

bool hasWcr(const SDFG &root) {
    return anyNode(root, [](const Node &n) {
        return std::any_of(n.outEdges().begin(), n.outEdges().end(), [](const Edge *e) { return !e->memlet.wcr.empty(); });
    });
}

struct Property {
    const char *name, *meaning;
    bool (*holds)(const SDFG &);
};

constexpr Property properties[] = {
    {"library-nodes", "there are library nodes",
     [](const SDFG &g) { return anyNode(g, [](const Node &n) { return isa<LibraryNode>(&n); }); }},
    {"nested-sdfgs", "there are nested SDFGs", [](const SDFG &g) { return allSDFGs(g).size() > 1; }},
    {"maps", "there are maps", [](const SDFG &g) { return anyNode(g, [](const Node &n) { return isa<MapEntry>(&n); }); }},
    {"loops", "there are loop regions", anyBlock<LoopRegion>},
    {"conditionals", "there are conditional blocks", anyBlock<ConditionalBlock>},
    {"unstructured", "there are regions that could not be raised to loops and branches", hasUnstructured},
    {"streams", "there are streams", [](const SDFG &g) { return anyContainer(g, [](const DataDesc &d) { return d.isStream(); }); }},
    {"views", "there are views", [](const SDFG &g) { return anyContainer(g, [](const DataDesc &d) { return d.isView(); }); }},
    {"wcr", "there are writes with conflict resolution", hasWcr},
    {"gpu", "something is stored on a GPU or runs there", mentionsGpu},
};

} // namespace

const std::vector<std::pair<std::string, std::string>> &graphProperties() {
    static const std::vector<std::pair<std::string, std::string>> list = [] {
        std::vector<std::pair<std::string, std::string>> out;
        for (const Property &p : properties)
            out.emplace_back(p.name, p.meaning);
        return out;
    }();
    return list;
}

bool hasProperty(const SDFG &root, const std::string &property) {
    return std::any_of(std::begin(properties), std::end(properties),
                       [&](const Property &p) { return p.name == property && p.holds(root); });
}

} // namespace sdfgc::pass
