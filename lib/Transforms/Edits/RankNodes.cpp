#include "Transforms/Edits/RankNodes.h"

#include "sdfgc/IR/ScopeConnectors.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

Node *elementMap(State &s, const std::string &label, std::vector<Name> params, std::vector<sym::Range> ranges, const Operand *in,
                 const Operand &out, const std::string &code) {
    Tasklet *t = s.addTasklet(label, {code});
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
    MapEntry *entry = s.addMap(label, std::move(params), std::move(ranges));
    if (in) {
        s.connect(in->node, {}, entry, scopeInput(in->node->data), one(*in, in->all));
        s.connect(entry, scopeOutput(in->node->data), t, "__inp", one(*in, in->element));
    } else {
        s.connect(entry, {}, t, {}, Memlet::empty());
    }
    s.connect(t, "__out", entry->exit, scopeInput(out.node->data), one(out, out.element));
    s.connect(entry->exit, scopeOutput(out.node->data), out.node, {}, one(out, out.all));
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

} // namespace sdfgc::transforms
