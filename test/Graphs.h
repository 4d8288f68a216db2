// Graphs in a few lines, for unit tests: read from their text, built, or both.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Serialize/Serialize.h"

#include <stdexcept>

namespace sdfgc::test {

using namespace sdfgc::ir;

inline sym::Expr expr(std::string_view text) {
    auto r = sym::parse(text);
    if (!r.expr)
        throw std::runtime_error("no expression: " + std::string(text));
    return *r.expr;
}

/// The text form of a graph from a single line: `|` ends a line, and so do `{`, `}` (but not `{}` and `} else {`) and `then`.
inline std::string lines(std::string_view text) {
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const bool empty = text.substr(k, 2) == "{}" || (k > 0 && text.substr(k - 1, 2) == "{}");
        if (text.substr(k, 6) == " then ") {
            out += "\nthen\n";
            k += 5;
        } else if (text[k] == '|') {
            out += '\n';
        } else if (text[k] == '{' && !empty) {
            out += "{\n";
        } else if (text[k] == '}' && !empty) {
            out += text.substr(k, 6) == "} else" ? "\n}" : "\n}\n";
        } else {
            out += text[k];
        }
    }
    return out;
}

inline std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    int depth = 0;
    std::string part;
    for (char c : text) {
        depth += (c == '(') - (c == ')');
        if (c == separator && depth == 0) {
            parts.push_back(part);
            part.clear();
        } else if (c != ' ' || !part.empty()) {
            part += c;
        }
    }
    if (!part.empty() || !parts.empty())
        parts.push_back(part);
    return parts;
}

/// `i`, `0:N`, `0:N:2`: ends are exclusive, as people write them.
inline sym::Range range(std::string_view text) {
    auto parts = split(text, ':');
    if (parts.size() == 1)
        return {expr(parts[0]), expr(parts[0])};
    return {expr(parts[0]), expr(parts[1]) - 1, parts.size() > 2 ? expr(parts[2]) : sym::Expr(1)};
}

inline sym::Subset subset(std::string_view text) {
    sym::Subset s;
    for (const std::string &part : split(text, ','))
        s.dims.push_back(range(part));
    return s;
}

/// `A[i, 0:N]`, `A` (the whole container, subset left out), empty (no data).
inline Memlet memlet(std::string_view text) {
    Memlet m;
    auto open = text.find('[');
    m.data = Name(text.substr(0, open));
    if (open != std::string_view::npos)
        m.subset = subset(text.substr(open + 1, text.size() - open - 2));
    if (m.subset)
        m.volume = m.subset->numElements();
    return m;
}

/// `A[0:N] -> [5]`: subset of the data, and of the other side.
inline Memlet copy(std::string_view data, std::string_view other) {
    Memlet m = memlet(data);
    m.otherSubset = subset(other);
    return m;
}

/// Words of a text and what stands in their place: `{{"$size", "N"}}`. No word begins with another one.
using Values = std::vector<std::pair<std::string, std::string>>;

inline std::string replaced(std::string text, const Values &values) {
    for (const auto &[word, value] : values)
        for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += value.size())
            text.replace(at, word.size(), value);
    return text;
}

/// The graph that a text says (docs/user/graph-text.md).
inline std::unique_ptr<SDFG> readGraph(const std::string &text) {
    diag::Engine diags;
    std::unique_ptr<SDFG> g = serialize::readText(text, "test.sdfgt", diags);
    std::string faults;
    for (const diag::Diagnostic &d : diags.all())
        faults += std::to_string(d.place.line) + ": " + d.message + "\n";
    if (!g)
        throw std::runtime_error("no graph: " + faults + text);
    return g;
}

struct Graph {
    std::unique_ptr<SDFG> sdfg; // null for a graph in another one
    SDFG &g;
    State *s = nullptr; // where nodes are added

    Graph() : Graph(std::make_unique<SDFG>("f")) { state("main"); }
    explicit Graph(std::unique_ptr<SDFG> graph) : sdfg(std::move(graph)), g(*sdfg) {}
    explicit Graph(const std::string &text, const Values &values = {}) : Graph(readGraph(replaced(text, values))) {
        s = dyn_cast<State>(g.start());
    }
    /// A nested SDFG, which gets a state where `label` names one.
    explicit Graph(SDFG &inner, const std::string &label = "") : g(inner) {
        if (!label.empty())
            state(label);
    }

    /// What the graph, or one in it, has under a label; the second of them where `number` says so.
    template <class T> T *node(std::string_view label, int number = 1) {
        for (SDFG *each : allSDFGs(g))
            for (State *in : allStates(*each))
                for (const auto &n : in->nodes())
                    if (auto *found = dyn_cast<T>(n.get()); found && found->label == label && --number == 0)
                        return found;
        throw std::runtime_error("no node " + std::string(label));
    }
    template <class T> T *block(std::string_view label) {
        for (SDFG *each : allSDFGs(g))
            for (Block *b : allBlocks(*each))
                if (auto *found = dyn_cast<T>(b); found && found->label == label)
                    return found;
        throw std::runtime_error("no block " + std::string(label));
    }
    DataDesc &desc(std::string_view name) { return *g.desc(Name(name)); }

    State *state(const std::string &label, Region *in = nullptr) {
        State *added = (in ? in : &g)->add<State>();
        added->label = label;
        s = added;
        return added;
    }
    DataDesc &array(std::string_view name, std::string_view shape, Type t = ScalarKind::Float64) {
        std::vector<sym::Expr> dims;
        for (const std::string &d : split(shape, ','))
            dims.push_back(expr(d));
        return g.arrays.set(Name(name), DataDesc::array(t, dims));
    }
    DataDesc &transient(std::string_view name, std::string_view shape, Type t = ScalarKind::Float64) {
        DataDesc &d = array(name, shape, t);
        d.transient = true;
        return d;
    }
    DataDesc &view(std::string_view name, std::string_view shape) {
        DataDesc &d = transient(name, shape);
        d.alias = AliasKind::View;
        return d;
    }
    DataDesc &scalar(std::string_view name, Type t = ScalarKind::Float64) { return g.arrays.set(Name(name), DataDesc::scalar(t)); }
    void symbol(std::string_view name, Type t = ScalarKind::Int64) { g.symbols.set(Name(name), t); }

    AccessNode *access(std::string_view data) {
        auto *n = s->add<AccessNode>(Name(data));
        n->label = std::string(data);
        return n;
    }
    Tasklet *tasklet(const std::string &code, const std::string &label = "t", Language language = Language::Python) {
        auto *n = s->add<Tasklet>();
        n->label = label;
        n->code = {code, language};
        return n;
    }
    std::pair<MapEntry *, MapExit *> map(std::string_view param, std::string_view values, const std::string &label = "m") {
        auto *entry = s->add<MapEntry>();
        auto *exit = s->add<MapExit>();
        entry->label = label;
        for (const std::string &p : split(param, ','))
            entry->params.emplace_back(p);
        for (const std::string &r : split(values, ','))
            entry->ranges.push_back(range(r));
        entry->exit = exit;
        exit->entry = entry;
        return {entry, exit};
    }
    /// A map that runs in a certain way: its entry.
    MapEntry *map(Schedule schedule, std::string_view param, std::string_view values, const std::string &label = "m") {
        MapEntry *entry = map(param, values, label).first;
        entry->schedule = schedule;
        return entry;
    }
    NestedSDFGNode *nested(const std::string &label = "inner") {
        auto *n = s->add<NestedSDFGNode>();
        n->label = label;
        n->sdfg = std::make_unique<SDFG>(Name(label));
        n->sdfg->parentNode = n;
        return n;
    }
    LibraryNode *library(const std::string &classPath, const std::string &label) {
        auto *n = s->add<LibraryNode>();
        n->classPath = classPath;
        n->label = n->name = label;
        return n;
    }
    /// `edge(a, "", t, "x", "A[i]")`; `-` as memlet: empty.
    Edge *edge(Node *src, std::string_view srcConn, Node *dst, std::string_view dstConn, std::string_view m) {
        return s->connect(src, Name(srcConn), dst, Name(dstConn), m == "-" ? Memlet::empty() : memlet(m));
    }
    /// One whose values are combined with those that are there.
    Edge *update(Node *src, std::string_view srcConn, Node *dst, std::string_view dstConn, std::string_view m,
                 std::string_view wcr = "lambda a, b: a + b") {
        Edge *e = edge(src, srcConn, dst, dstConn, m);
        e->memlet.wcr = wcr;
        return e;
    }
    Edge *order(Node *src, Node *dst) { return edge(src, "", dst, "", "-"); }

    /// A[i] -> tasklet -> B[i] in a map over 0:N; returns the tasklet.
    Tasklet *elementwise(std::string_view from, std::string_view to, const std::string &code = "b = a + 1",
                         std::string_view size = "N") {
        auto *a = access(from), *b = access(to);
        auto [entry, exit] = map("i", "0:" + std::string(size));
        auto *t = tasklet(code);
        std::string in(from), out(to), all = "[0:" + std::string(size) + "]";
        edge(a, "", entry, "IN_" + in, in + all);
        edge(entry, "OUT_" + in, t, "a", in + "[i]");
        edge(t, "b", exit, "IN_" + out, out + "[i]");
        edge(exit, "OUT_" + out, b, "", out + all);
        return t;
    }
};

} // namespace sdfgc::test
