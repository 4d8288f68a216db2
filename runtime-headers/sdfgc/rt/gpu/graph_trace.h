// Diagnostics of a region's graphs, enabled by environment variables: lines on the standard error stream, and drawings.
//
// Rules: without these variables, nothing is printed and there is no cost. Addresses are omitted, so the output is the same in
// every run. If a file cannot be written, that is reported once, and the program continues.
//   SDFGC_GPU_GRAPH_LOG=1     a line for each graph that is built or evicted, and for each reason to take the host path
//   SDFGC_GPU_GRAPH_DOT=DIR   a drawing of each graph that is built, for Graphviz: DIR/<region>.<number>.dot
#pragma once

#include "sdfgc/rt/gpu/graph_nodes.h"

#include <cstdio>
#include <cstdlib>

namespace sdfgc::gpu {

class GraphTrace {
public:
    /// Reads the environment. `region` must live as long as the object.
    void begin(const char *region) noexcept {
        region_ = region;
        const char *log = std::getenv("SDFGC_GPU_GRAPH_LOG");
        logs_ = log && log[0] == '1' && log[1] == '\0';
        folder_ = std::getenv("SDFGC_GPU_GRAPH_DOT");
        if (folder_ && !*folder_)
            folder_ = nullptr;
        reason_[0] = '\0';
    }

    /// The name of a node in messages: "kernel k (state s, map m)".
    struct NodeName {
        char text[256];
    };
    static NodeName nameOf(const GraphNodes::Node &node) noexcept {
        const Launch &how = node.kernel.how;
        const bool isNamed = how.name[0] && node.kind != GraphNodes::Kind::Set;
        NodeName name;
        std::snprintf(name.text, sizeof name.text,
                      !isNamed         ? "%s"
                      : how.element[0] ? "%s %s (%s)"
                                       : "%s %s",
                      kindOf(node.kind), how.name, how.element);
        return name;
    }

    /// Graph `number`, from 1, was built of these nodes.
    void built(const GraphNodes &list, int64_t number) {
        if (logs_)
            std::fprintf(stderr, "sdfgc: graph %s: built number %lld of %d nodes\n", region_, static_cast<long long>(number),
                         list.size());
        if (folder_)
            draw(list, number);
    }
    void evicted(int nodes) const {
        if (logs_)
            std::fprintf(stderr, "sdfgc: graph %s: evicted one of %d nodes\n", region_, nodes);
    }
    /// The host path is taken. Reported again only if the reason changes.
    void refused(const char *reason) {
        if (!logs_ || __builtin_strcmp(reason, reason_) == 0)
            return;
        std::snprintf(reason_, sizeof reason_, "%s", reason);
        std::fprintf(stderr, "sdfgc: graph %s: host path: %s\n", region_, reason);
    }

private:
    static const char *kindOf(GraphNodes::Kind kind) noexcept {
        switch (kind) {
        case GraphNodes::Kind::Kernel:
            return "kernel";
        case GraphNodes::Kind::Call:
            return "call";
        case GraphNodes::Kind::Loop:
            return "loop";
        case GraphNodes::Kind::Branch:
            return "branch";
        case GraphNodes::Kind::Set:
            return "a condition";
        case GraphNodes::Kind::Copy:
            return "a copy";
        case GraphNodes::Kind::Fill:
            return "a fill";
        }
        return "a node";
    }
    void draw(const GraphNodes &list, int64_t number) {
        char path[1024];
        const int length = std::snprintf(path, sizeof path, "%s/", folder_);
        std::snprintf(path + length, sizeof path - static_cast<size_t>(length), "%s.%lld.dot", region_,
                      static_cast<long long>(number));
        for (char *c = path + length; *c; ++c)
            if (*c == '/')
                *c = '_';
        std::FILE *file = std::fopen(path, "w");
        if (!file) {
            std::fprintf(stderr, "sdfgc: graph %s: cannot write %s\n", region_, path);
            folder_ = nullptr;
            return;
        }
        write(file, list);
        std::fclose(file);
    }
    void write(std::FILE *file, const GraphNodes &list) const {
        std::fprintf(file, "digraph \"%s\" {\n    node [shape=box];\n", region_);
        nodes(file, list, 0, list.nodes_.size(), 4);
        std::fprintf(file, "}\n");
    }
    /// The nodes of a loop or branch are in a box after it.
    static void nodes(std::FILE *file, const GraphNodes &list, size_t first, size_t end, int indent) {
        for (size_t i = first; i < end; ++i) {
            const GraphNodes::Node &node = list.nodes_[i];
            const bool whole = node.kind == GraphNodes::Kind::Loop || node.kind == GraphNodes::Kind::Branch;
            std::fprintf(file, "%*sn%zu [%slabel=\"", indent, "", i, whole ? "shape=diamond, " : "");
            label(file, node);
            std::fprintf(file, "\"];\n");
            for (size_t e = 0; e < node.edges; ++e)
                std::fprintf(file, "%*sn%d -> n%zu;\n", indent, "", list.edges_[node.firstEdge + e], i);
            if (!whole)
                continue;
            std::fprintf(file, "%*ssubgraph cluster_n%zu {\n%*slabel=\"in n%zu\";\n", indent, "", i, indent + 4, "", i);
            nodes(file, list, i + 1, node.end, indent + 4);
            std::fprintf(file, "%*s}\n", indent, "");
            i = node.end - 1;
        }
    }
    static void label(std::FILE *file, const GraphNodes::Node &node) {
        static const char *const directions[] = {"host to host", "host to device", "device to host", "device to device", "copy"};
        const Dim3 &grid = node.kernel.grid, &block = node.kernel.block;
        switch (node.kind) {
        case GraphNodes::Kind::Kernel:
            text(file, node.kernel.how.name);
            std::fprintf(file, "\\n");
            text(file, node.kernel.how.element);
            std::fprintf(file, "%s(%u, %u, %u) x (%u, %u, %u)", node.kernel.how.element[0] ? "\\n" : "", grid.x, grid.y, grid.z,
                         block.x, block.y, block.z);
            break;
        case GraphNodes::Kind::Call:
            std::fprintf(file, "call ");
            text(file, node.kernel.how.name);
            std::fprintf(file, "%s", node.kernel.how.element[0] ? "\\n" : "");
            text(file, node.kernel.how.element);
            break;
        case GraphNodes::Kind::Loop:
        case GraphNodes::Kind::Branch:
            std::fprintf(file, node.kind == GraphNodes::Kind::Loop ? "while\\n" : "if\\n");
            text(file, node.kernel.how.name);
            break;
        case GraphNodes::Kind::Set:
            std::fprintf(file, "condition of n%d", node.sets);
            break;
        case GraphNodes::Kind::Copy:
            std::fprintf(file, "%s\\n%zu bytes", directions[static_cast<int>(node.direction)],
                         node.copy.width * node.copy.height * node.copy.depth);
            break;
        case GraphNodes::Kind::Fill:
            std::fprintf(file, "fill\\n%zu bytes", node.fill.width * node.fill.elementSize);
            break;
        }
    }
    /// Escapes text for a quoted string.
    static void text(std::FILE *file, const char *s) {
        for (; *s; ++s) {
            if (*s == '"' || *s == '\\')
                std::fputc('\\', file);
            std::fputc(*s, file);
        }
    }

    const char *region_ = "", *folder_ = nullptr;
    bool logs_ = false;
    char reason_[512] = "";
};

} // namespace sdfgc::gpu
