// The graph in the language of Graphviz.
#include "IR/PrintText.h"
#include "sdfgc/IR/Dot.h"
#include "sdfgc/Support/Dot.h"
#include "sdfgc/Support/TextWriter.h"

namespace sdfgc::ir {
namespace {

using dot::quoted;

class DotPrinter {
public:
    std::string print(const SDFG &g) {
        w_.open("digraph " + quoted(g.name.str()));
        w_.line("compound=true;");
        w_.line("node [fontname=\"Helvetica\", fontsize=10];");
        w_.line("edge [fontname=\"Helvetica\", fontsize=9];");
        region(g, "r");
        w_.close();
        return w_.take();
    }

private:
    /// Blocks of a region as clusters, each with an anchor for edges. `id` is a prefix unique to the region.
    void region(const Region &r, const std::string &id) {
        for (const auto &b : r.blocks())
            block(*b, id + "_" + std::to_string(b->id()));
        for (const auto &e : r.edges()) {
            std::string label = e->isUnconditional() ? "" : text::expression(e->condition);
            for (const auto &[symbol, value] : e->assignments)
                label += (label.empty() ? "" : "\n") + symbol.str() + " = " + text::expression(value);
            const std::string from = id + "_" + std::to_string(e->src->id()), to = id + "_" + std::to_string(e->dst->id());
            w_.line(from + " -> " + to + " [ltail=cluster_" + from + ", lhead=cluster_" + to +
                    ", color=blue, label=" + quoted(label) + "];");
        }
    }

    void block(const Block &b, const std::string &id) {
        w_.open("subgraph cluster_" + id);
        std::string title = elementName(b);
        w_.line("label=" + quoted(title.substr(title.rfind(": ") == std::string::npos ? 0 : title.rfind(": ") + 2)) + ";");
        w_.line(id + " [shape=point, style=invis];");
        if (const auto *state = dyn_cast<State>(&b)) {
            w_.line("style=filled; fillcolor=\"#eef4ff\";");
            dataflow(*state, id);
        } else if (const auto *conditional = dyn_cast<ConditionalBlock>(&b)) {
            int number = 0;
            for (const ConditionalBlock::Branch &branch : conditional->branches()) {
                const std::string inner = id + "_b" + std::to_string(number++);
                w_.open("subgraph cluster_" + inner);
                w_.line("label=" + quoted(branch.condition ? "if " + text::expression(branch.condition) : "else") + ";");
                region(*branch.region, inner);
                w_.close();
            }
        } else if (const auto *inner = dyn_cast<Region>(&b)) {
            region(*inner, id);
        }
        w_.close();
    }

    void dataflow(const State &s, const std::string &id) {
        const ScopeTree scopes(s);
        scope(scopes, id);
        for (const auto &e : s.edges()) {
            const Memlet &m = e->memlet;
            const std::string label = m.isEmpty() ? "" : text::access(m.data, m.subset, *s.sdfg());
            w_.line(node(*e->src, id) + " -> " + node(*e->dst, id) + " [label=" + quoted(label) +
                    (m.isEmpty()     ? ", style=dotted"
                     : m.wcr.empty() ? ""
                                     : ", color=red") +
                    "];");
        }
    }

    void scope(const ScopeTree &scopes, const std::string &id) {
        std::vector<std::pair<const Node *, std::size_t>> open{{nullptr, 0}}; // a stack, since the input determines the depth
        while (!open.empty()) {
            const Node *around = open.back().first;
            const std::vector<Node *> &children = scopes.children(around);
            if (open.back().second == children.size()) {
                if (around) {
                    if (const Node *exit = scopes.exitOf(around))
                        describe(*exit, id);
                    w_.close();
                }
                open.pop_back();
                continue;
            }
            const Node &n = *children[open.back().second++];
            if (n.isEntry()) {
                w_.open("subgraph cluster_" + node(n, id));
                describe(n, id);
                open.emplace_back(&n, 0);
            } else {
                describe(n, id);
            }
        }
    }

    void describe(const Node &n, const std::string &id) {
        std::string label = elementName(n);
        label = label.substr(label.rfind(", ") == std::string::npos ? 0 : label.rfind(", ") + 2);
        const char *shape = "box";
        if (const auto *a = dyn_cast<AccessNode>(&n)) {
            label = a->data.str();
            shape = "ellipse";
        } else if (const auto *t = dyn_cast<Tasklet>(&n)) {
            label = t->label + "\n" + t->code.text() + "\n";
            shape = "octagon";
        } else if (const auto *map = dyn_cast<MapEntry>(&n)) {
            label = map->label;
            for (std::size_t d = 0; d < map->params.size() && d < map->ranges.size(); ++d)
                label += (d ? ", " : "[") + map->params[d].str() + " = " + sym::Subset{{map->ranges[d]}}.str();
            label += "]";
            shape = "trapezium";
        } else if (n.isExit()) {
            shape = "invtrapezium";
        }
        w_.line(node(n, id) + " [shape=" + shape + ", label=" + quoted(label) + "];");
        if (const auto *nested = dyn_cast<NestedSDFGNode>(&n); nested && nested->sdfg) {
            const std::string inner = node(n, id) + "_n";
            w_.open("subgraph cluster_" + inner);
            w_.line("label=" + quoted(nested->sdfg->name.str()) + ";");
            region(*nested->sdfg, inner);
            w_.close();
        }
    }

    static std::string node(const Node &n, const std::string &id) { return id + "_n" + std::to_string(n.id()); }

    TextWriter w_;
};

} // namespace

std::string printDot(const SDFG &g) { return DotPrinter().print(g); }

} // namespace sdfgc::ir
