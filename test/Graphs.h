// Graphs in a few lines, for unit tests.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <stdexcept>

namespace sdfgc::test {

using namespace sdfgc::ir;

inline sym::Expr expr(std::string_view text) {
    auto r = sym::parse(text);
    if (!r.expr)
        throw std::runtime_error("no expression: " + std::string(text));
    return *r.expr;
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

struct Graph {
    std::unique_ptr<SDFG> sdfg = std::make_unique<SDFG>("f");
    State *s = nullptr;

    Graph() { s = state("main"); }
    explicit Graph(std::unique_ptr<SDFG> g) : sdfg(std::move(g)) {}
    SDFG &g() { return *sdfg; }

    State *state(const std::string &label, Region *in = nullptr) {
        State *added = (in ? in : sdfg.get())->add<State>();
        added->label = label;
        s = added;
        return added;
    }
    DataDesc &array(std::string_view name, std::string_view shape, Type t = ScalarKind::Float64) {
        std::vector<sym::Expr> dims;
        for (const std::string &d : split(shape, ','))
            dims.push_back(expr(d));
        return sdfg->arrays.set(Name(name), DataDesc::array(t, dims));
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
    DataDesc &scalar(std::string_view name, Type t = ScalarKind::Float64) {
        return sdfg->arrays.set(Name(name), DataDesc::scalar(t));
    }
    void symbol(std::string_view name, Type t = ScalarKind::Int64) { sdfg->symbols.set(Name(name), t); }

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
