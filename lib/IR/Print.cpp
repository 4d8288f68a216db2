// Text form of an SDFG: header, containers, control flow.
#include "sdfgc/IR/Print.h"
#include "IR/PrintText.h"

#include <algorithm>

namespace sdfgc::ir {

namespace {

using namespace text;

std::string labelOf(const Block &b) { return b.label.empty() ? "#" + std::to_string(b.id()) : b.label; }

/// Blocks in the order in which they run, when the region is a chain of unconditional edges; else nothing.
std::vector<const Block *> chain(const Region &r, std::vector<const InterstateEdge *> &edges) {
    std::vector<const InterstateEdge *> out(r.blocks().size(), nullptr);
    for (const auto &e : r.edges()) {
        if (out[e->src->id()] || !e->isUnconditional())
            return {};
        out[e->src->id()] = e.get();
    }
    std::vector<const Block *> order;
    std::vector<bool> seen(r.blocks().size(), false);
    for (const Block *b = r.start(); b;) {
        if (seen[b->id()])
            return {};
        seen[b->id()] = true;
        order.push_back(b);
        edges.push_back(out[b->id()]);
        b = edges.back() ? edges.back()->dst : nullptr;
    }
    return order.size() == r.blocks().size() ? order : std::vector<const Block *>();
}

class Printer {
public:
    Printer(TextWriter &w, const PrintOptions &o) : w_(w), o_(o) {}

    void body(const SDFG &g) {
        structureTypes(g);
        symbols(g);
        for (const auto &[name, c] : g.constants)
            w_.line("constant " + name.str() + ": " + descriptor(c.desc) + " = " + shortened(c.value));
        for (const auto &[name, d] : g.arrays)
            if (d.transient)
                w_.line(word(d) + name.str() + ": " + descriptor(d) + placement(d) + comment(d.debugInfo));
        for (const auto &[where, codes] : {std::pair("global", &g.globalCode), {"init", &g.initCode}, {"exit", &g.exitCode}})
            for (const TargetCode &c : *codes)
                code(where, c);
        w_.blank();
        region(g);
    }

private:
    /// One line per type, in order of first appearance: large programs declare hundreds of sizes.
    void symbols(const SDFG &g) {
        OrderedMap<Type, std::vector<std::string>> byType;
        for (const auto &[name, type] : g.symbols)
            byType[type].push_back(name.str());
        for (const auto &[type, names] : byType)
            fillList(w_, "symbol ", names, ": " + type.str());
    }

    void structureTypes(const SDFG &g) {
        for (const auto &[name, members] : structures(g)) {
            const std::string line = "struct " + name + " {" + join(members) + "}";
            if (line.size() <= 100) {
                w_.line(line);
                continue;
            }
            w_.open("struct " + name);
            for (const std::string &m : members)
                w_.line(m);
            w_.close();
        }
    }

    static std::string word(const DataDesc &d) { return d.isView() ? "view " : d.isReference() ? "reference " : "transient "; }
    std::string comment(const DebugInfo &d) const { return o_.debugInfo ? source(d) : ""; }

    /// Long tables of constants are cut: the text form is for reading.
    static std::string shortened(const json::Value &v) {
        const json::Value *data = v.get("data");
        std::string text = (data ? *data : v).dump();
        return text.size() <= 60 ? text : text.substr(0, 57) + "...";
    }

    void code(const char *where, const TargetCode &c) {
        std::vector<std::string> lines = statements(c.code);
        if (lines.empty())
            return;
        w_.open(std::string(where) + " code " + c.target.str());
        for (const std::string &line : lines)
            w_.line(line);
        w_.close();
    }

    // ---- control flow
    void region(const Region &r) {
        std::vector<const InterstateEdge *> edges;
        std::vector<const Block *> order = chain(r, edges);
        if (order.empty())
            return graph(r);
        for (std::size_t i = 0; i < order.size(); ++i) {
            block(*order[i]);
            if (edges[i])
                for (const auto &[target, value] : edges[i]->assignments)
                    w_.line(target.str() + " = " + expression(value));
        }
    }

    /// Arbitrary edges: every block is followed by where it goes.
    void graph(const Region &r) {
        std::vector<std::vector<const InterstateEdge *>> out(r.blocks().size());
        for (const auto &e : r.edges())
            out[e->src->id()].push_back(e.get());
        std::vector<const Block *> order;
        for (const auto &b : r.blocks())
            order.push_back(b.get());
        if (const Block *start = r.start())
            std::stable_partition(order.begin(), order.end(), [&](const Block *b) { return b == start; });
        for (const Block *b : order) {
            block(*b);
            for (const InterstateEdge *e : out[b->id()])
                jump(*e);
        }
    }

    void jump(const InterstateEdge &e) {
        std::vector<std::string> assignments;
        for (const auto &[target, value] : e.assignments)
            assignments.push_back(target.str() + " = " + expression(value));
        w_.line("goto " + labelOf(*e.dst) + (e.isUnconditional() ? "" : " if " + expression(e.condition)) +
                (assignments.empty() ? "" : " with " + join(assignments)));
    }

    void block(const Block &b) {
        switch (b.kind()) {
        case BlockKind::State:
            return state(static_cast<const State &>(b));
        case BlockKind::Loop:
            return loop(static_cast<const LoopRegion &>(b));
        case BlockKind::Conditional:
            return conditional(static_cast<const ConditionalBlock &>(b));
        case BlockKind::Break:
            return w_.line("break");
        case BlockKind::Continue:
            return w_.line("continue");
        case BlockKind::Return:
            return w_.line("return");
        case BlockKind::Unstructured:
            return enclosed("unstructured ", static_cast<const Region &>(b));
        case BlockKind::Named:
            return enclosed("named ", static_cast<const Region &>(b));
        case BlockKind::FunctionCall:
            return enclosed("call ", static_cast<const Region &>(b));
        default:
            return enclosed("region ", static_cast<const Region &>(b));
        }
    }

    void enclosed(const char *word, const Region &r) {
        w_.open(word + labelOf(r));
        region(r);
        w_.close();
    }

    void state(const State &s) {
        if (s.nodes().empty())
            return w_.line("state " + labelOf(s) + " {}" + comment(s.debugInfo));
        w_.open("state " + labelOf(s) + (s.nosync ? " (nosync)" : "") + comment(s.debugInfo));
        printState(w_, s, o_);
        w_.close();
    }

    void loop(const LoopRegion &l) {
        std::string label = l.label.empty() ? "" : l.label + ": ";
        std::string unroll = !l.unroll ? "" : l.unrollFactor ? " (unroll " + std::to_string(l.unrollFactor) + ")" : " (unroll)";
        std::string init = expression(l.init), condition = expression(l.condition), update = expression(l.update);
        std::string where = comment(l.debugInfo);
        if (l.inverted)
            w_.open(label + "do" + (init.empty() ? "" : " " + init) + unroll + where);
        else if (init.empty() && update.empty())
            w_.open(label + "while " + condition + unroll + where);
        else
            w_.open(label + "for " + init + "; " + condition + "; " + update + unroll + where);
        region(l);
        if (!l.inverted)
            return w_.close();
        std::string test = " while " + condition;
        if (!update.empty())
            test = l.updateBeforeCondition ? " then " + update + test : test + " then " + update;
        w_.close(test);
    }

    void conditional(const ConditionalBlock &c) {
        bool first = true;
        for (const auto &branch : c.branches()) {
            std::string head = branch.condition ? "if " + expression(branch.condition) : "else";
            if (first)
                w_.open(head + comment(c.debugInfo));
            else
                w_.reopen((branch.condition ? "else " : "") + head);
            first = false;
            region(*branch.region);
        }
        if (!first)
            w_.close();
    }

    TextWriter &w_;
    const PrintOptions &o_;
};

} // namespace

std::vector<std::string> printArguments(const SDFG &g) {
    std::vector<std::pair<Name, const DataDesc *>> arrays, scalars;
    for (const auto &[name, d] : g.arrays)
        if (!d.transient)
            (d.isScalar() ? scalars : arrays).emplace_back(name, &d);
    std::sort(arrays.begin(), arrays.end());
    std::sort(scalars.begin(), scalars.end());
    std::vector<std::string> items;
    for (const auto *list : {&arrays, &scalars})
        for (const auto &[name, d] : *list)
            items.push_back(name.str() + ": " + descriptor(*d) + placement(*d));
    return items;
}

void printBody(TextWriter &w, const SDFG &g, const PrintOptions &o) { Printer(w, o).body(g); }

std::string print(const SDFG &g, const PrintOptions &o) {
    TextWriter w("  ");
    text::openList(w, "sdfg " + g.name.str(), printArguments(g), "");
    printBody(w, g, o);
    w.close();
    return w.take();
}

} // namespace sdfgc::ir
