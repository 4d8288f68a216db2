#include "Transforms/Distribute/Make.h"

#include <algorithm>

namespace sdfgc::transforms::distribution {

using namespace ir;

namespace {

MapEntry *emptyMap(State &s, const std::string &label, std::vector<Name> params, std::vector<sym::Range> ranges) {
    auto *entry = s.add<MapEntry>();
    auto *exit = s.add<MapExit>();
    entry->label = exit->label = label;
    entry->exit = exit;
    exit->entry = entry;
    entry->params = std::move(params);
    entry->ranges = std::move(ranges);
    return entry;
}

Name connector(const char *prefix, Name data) { return Name(prefix + data.str()); }

} // namespace

Node *elementMap(State &s, const std::string &label, std::vector<Name> params, std::vector<sym::Range> ranges, const Operand *in,
                 const Operand &out, const std::string &code) {
    auto *t = s.add<Tasklet>();
    t->label = label;
    t->code = {code, Language::Python};
    const auto one = [](const Operand &o, const sym::Subset &subset) {
        Memlet m = Memlet::simple(o.node->data, subset);
        m.wcr = o.wcr;
        return m;
    };
    if (params.empty()) {
        if (in)
            s.connect(in->node, {}, t, "__inp", one(*in, in->element));
        s.connect(t, "__out", out.node, {}, one(out, out.element));
        return t;
    }
    MapEntry *entry = emptyMap(s, label, std::move(params), std::move(ranges));
    if (in) {
        s.connect(in->node, {}, entry, connector("IN_", in->node->data), one(*in, in->all));
        s.connect(entry, connector("OUT_", in->node->data), t, "__inp", one(*in, in->element));
    } else {
        s.connect(entry, {}, t, {}, Memlet::empty());
    }
    s.connect(t, "__out", entry->exit, connector("IN_", out.node->data), one(out, out.element));
    s.connect(entry->exit, connector("OUT_", out.node->data), out.node, {}, one(out, out.all));
    return entry;
}

LibraryNode *mpiNode(State &s, const std::string &className, AccessNode *from, const sym::Subset &read, AccessNode *to,
                     const sym::Subset &written) {
    auto *n = s.add<LibraryNode>();
    std::string module = className;
    std::transform(module.begin(), module.end(), module.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    n->classPath = "dace.libraries.mpi.nodes." + module + "." + className;
    n->label = n->name = module + "_" + from->data.str();
    s.connect(from, {}, n, "_inbuffer", Memlet::simple(from->data, read));
    s.connect(n, "_outbuffer", to, {}, Memlet::simple(to->data, written));
    return n;
}

MapEntry *wrap(State &s, Tasklet &t, Name parameter, const sym::Range &range) {
    MapEntry *entry = emptyMap(s, t.label, {parameter}, {range});
    int number = 0;
    for (Edge *e : std::vector<Edge *>(t.inEdges())) {
        const std::string name = std::to_string(number++);
        const bool isOrder = e->memlet.isEmpty();
        s.connect(e->src, e->srcConn, entry, isOrder ? Name() : Name("IN_" + name), e->memlet);
        s.setSource(e, entry, isOrder ? Name() : Name("OUT_" + name));
        if (!isOrder)
            entry->addOut(Name("OUT_" + name));
    }
    if (t.inEdges().empty())
        s.connect(entry, {}, &t, {}, Memlet::empty());
    for (Edge *e : std::vector<Edge *>(t.outEdges())) {
        const std::string name = std::to_string(number++);
        const bool isOrder = e->memlet.isEmpty();
        s.connect(entry->exit, isOrder ? Name() : Name("OUT_" + name), e->dst, e->dstConn, e->memlet);
        s.setDestination(e, entry->exit, isOrder ? Name() : Name("IN_" + name));
        if (!isOrder)
            entry->exit->addIn(Name("IN_" + name));
    }
    return entry;
}

} // namespace sdfgc::transforms::distribution
