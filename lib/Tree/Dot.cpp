// GPU graphs in the language of Graphviz.
#include "sdfgc/Tree/Dot.h"

#include "sdfgc/Support/Dot.h"
#include "sdfgc/Support/TextWriter.h"
#include "sdfgc/Tree/Walk.h"

#include <functional>

namespace sdfgc::tree {
namespace {

/// Calls f(statement, node) for the operations of a graph or of a loop in it, in numeric order.
void forEachNode(const Block &b, const std::function<void(const Node &, const GraphNode &)> &f) {
    for (const NodePtr &n : b.body) {
        if (const auto *l = dyn_cast<Launch>(n.get()))
            f(*l, *l);
        else if (const auto *c = dyn_cast<DeviceCopy>(n.get()))
            c->node >= 0 ? f(*c, *c) : void(); // unnumbered ones belong to the host path
        else if (const auto *loop = dyn_cast<Loop>(n.get()))
            f(*loop, *loop);
        else if (const auto *s = dyn_cast<DeviceFill>(n.get()))
            f(*s, *s);
        else if (const auto *call = dyn_cast<LibraryCall>(n.get()))
            f(*call, *call);
        else
            forEachBlock(std::as_const(*n), [&f](const Block &inner) { forEachNode(inner, f); });
    }
}

void collect(const Function &f, const Block &b, std::vector<GraphBody> &out) {
    for (const NodePtr &n : b.body) {
        if (const auto *g = dyn_cast<GraphRegion>(n.get()))
            out.push_back({g->name, g->comment, &f, &g->body});
        else
            forEachBlock(std::as_const(*n), [&](const Block &inner) { collect(f, inner, out); });
    }
}

class GraphPrinter {
public:
    GraphPrinter(const Module &m, const GraphBody &graph) : m_(m), graph_(graph) {}

    /// `id` is a prefix that is unique to the graph within the picture.
    void print(TextWriter &w, const std::string &id) const {
        const std::string of =
            graph_.comment.empty() || graph_.comment == "graph " + graph_.name.str() ? "" : "\n" + graph_.comment;
        w.line("label=" + dot::quoted(graph_.name.str() + of) + ";");
        nodes(w, *graph_.body, id);
    }

private:
    /// The contents of a loop are drawn in a separate box.
    void nodes(TextWriter &w, const Block &body, const std::string &id) const {
        forEachNode(body, [&](const Node &n, const GraphNode &g) {
            const std::string name = id + std::to_string(g.node);
            const auto *loop = dyn_cast<Loop>(&n);
            w.line(name + " [" + (loop ? "shape=diamond, " : "") + "label=" + dot::quoted(label(n, g)) + "];");
            for (sym::Expr before : g.after)
                w.line(id + before.str() + " -> " + name + ";");
            if (!loop)
                return;
            w.open("subgraph cluster_" + name);
            w.line("label=" + dot::quoted("in " + std::to_string(g.node)) + ";");
            nodes(w, loop->body, name + "_");
            w.close();
        });
    }
    std::string label(const Node &n, const GraphNode &g) const {
        const std::string number = std::to_string(g.node) + ": ", of = n.comment.empty() ? "" : n.comment + "\n";
        switch (n.kind) {
        case TreeKind::Launch:
            return number + kernel(static_cast<const Launch &>(n));
        case TreeKind::Loop:
            return number + (static_cast<const Loop &>(n).form == Loop::Once ? "if\n" : "while\n") +
                   place(static_cast<const Loop &>(n).flag) + "\n" + of;
        case TreeKind::DeviceCopy:
            return number + copy(static_cast<const DeviceCopy &>(n)) + of;
        case TreeKind::LibraryCall:
            return number + call(static_cast<const LibraryCall &>(n));
        default:
            return number + fill(static_cast<const DeviceFill &>(n)) + of;
        }
    }

    std::string kernel(const Launch &l) const {
        return m_.functions[l.function]->name.str() + "\n" + (l.element.empty() ? "" : l.element + "\n") + "grid " + sizes(l.grid) +
               ", block " + sizes(l.block) + "\n";
    }
    std::string copy(const DeviceCopy &c) const {
        constexpr const char *directions[] = {"from host to device", "from device to host", "on the device", "on the host"};
        std::string count = size(c.width);
        for (sym::Expr more : {c.rows, c.slices})
            count = more.isOne() ? count : size(more) + " x " + count;
        return std::string("copy ") + directions[c.direction] + "\n" + place(c.source) + " to " + place(c.target) + "\n" + count +
               " of " + c.type.str() + "\n";
    }
    static std::string call(const LibraryCall &c) {
        return "call " + c.function.substr(c.function.rfind('.') + 1) + "\n" + (c.element.empty() ? "" : c.element + "\n");
    }
    std::string fill(const DeviceFill &f) const {
        return "fill\n" + place(f.target) + "\n" + size(f.count) + " of " + f.type.str() + "\n";
    }

    std::string place(RefId r) const {
        const MemRef &ref = graph_.function->refs[r];
        return graph_.function->vars[ref.var].name.str() + (ref.offset.isZero() ? "" : "[" + size(ref.offset) + "]");
    }
    static std::string sizes(const std::array<sym::Expr, 3> &three) {
        return "(" + size(three[0]) + ", " + size(three[1]) + ", " + size(three[2]) + ")";
    }
    /// Values known only to the target have names that no container can have: `__blocks(N, 256)`.
    static std::string size(sym::Expr e) {
        std::string text = e.str();
        for (std::size_t at = 0; (at = text.find(number::blocks.str() + "(", at)) != std::string::npos;)
            text.erase(at, 2);
        return text;
    }

    const Module &m_;
    const GraphBody &graph_;
};

void open(TextWriter &w, const std::string &name) {
    w.open("digraph " + dot::quoted(name));
    w.line("node [shape=box, fontname=\"Helvetica\", fontsize=10];");
}

} // namespace

namespace {

int countNodes(const Block &body) {
    int count = 0;
    forEachNode(body, [&count](const Node &n, const GraphNode &) {
        const auto *loop = dyn_cast<Loop>(&n);
        count += 1 + (loop ? countNodes(loop->body) : 0);
    });
    return count;
}

} // namespace

int GraphBody::nodes() const { return countNodes(*body); }

std::vector<GraphBody> graphsOf(const Module &m) {
    std::vector<GraphBody> out;
    for (const auto &f : m.functions) {
        if (f->graph)
            out.push_back({f->name, f->comment, f.get(), &f->body});
        else
            collect(*f, f->body, out);
    }
    return out;
}

std::string printDot(const Module &m, const GraphBody &graph) {
    TextWriter w;
    open(w, graph.name.str());
    GraphPrinter(m, graph).print(w, "n");
    w.close();
    return w.take();
}

std::string printGraphsDot(const Module &m) {
    TextWriter w;
    open(w, m.name.str());
    int number = 0;
    for (const GraphBody &graph : graphsOf(m)) {
        const std::string id = "g" + std::to_string(number++);
        w.open("subgraph cluster_" + id);
        GraphPrinter(m, graph).print(w, id + "_");
        w.close();
    }
    w.close();
    return w.take();
}

} // namespace sdfgc::tree
