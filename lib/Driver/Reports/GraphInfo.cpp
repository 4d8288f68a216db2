#include "Driver/Reports/GraphInfo.h"

#include "sdfgc/Analysis/Device/GraphRegions.h"
#include "sdfgc/Tree/Dot.h"
#include "sdfgc/Tree/Walk.h"

#include <map>
#include <optional>
#include <set>

namespace sdfgc::driver {
namespace {

bool isOfDevice(const tree::StateField &f) { return f.storage == ir::Storage::GPU_Global || f.storage == ir::Storage::CPU_Pinned; }

/// The program memory passed to calls of graphs, and its size.
class Keepers {
public:
    explicit Keepers(const tree::Module &m) : m_(m) {
        for (const tree::StateField &f : m.fields)
            if (isOfDevice(f))
                counts_[f.name] = f.count.isZero() ? std::nullopt : std::optional(f.count);
        for (const auto &f : m.functions)
            block(*f, f->body);
    }

    void describe(const tree::Function &graph, LaunchedGraph &out) const {
        sym::Expr sum = 0;
        bool isKnown = true;
        const auto found = fields_.find(&graph);
        for (const tree::StateField &f : m_.fields) { // in declaration order
            if (found == fields_.end() || !found->second.count(f.name))
                continue;
            out.memory.push_back(f.name.str());
            const std::optional<sym::Expr> count = counts_.at(f.name);
            const std::optional<int64_t> size = f.type.bytes();
            isKnown = isKnown && count && size;
            sum = isKnown ? sum + *count * sym::Expr(*size) : sum;
        }
        out.bytes = out.memory.empty() || !isKnown ? "" : sum.str();
    }

private:
    void block(const tree::Function &f, const tree::Block &b) {
        for (const tree::NodePtr &n : b.body) {
            if (const auto *a = dyn_cast<tree::Allocate>(n.get()))
                allocation(f, *a);
            if (const auto *c = dyn_cast<tree::Call>(n.get()); c && m_.functions[c->function]->graph)
                for (const tree::Call::Argument &given : c->arguments)
                    if (given.ref)
                        use(f, given.ref, *m_.functions[c->function]);
            forEachBlock(std::as_const(*n), [&](const tree::Block &inner) { block(f, inner); });
        }
    }
    void use(const tree::Function &f, tree::RefId r, const tree::Function &graph) {
        const tree::Variable &v = f.vars[rootOf(f, f.refs[r].var)];
        if (v.kind == tree::VarKind::StateField && counts_.count(v.name))
            fields_[&graph].insert(v.name);
    }
    /// Memory reserved in one place, or in several with the same size.
    void allocation(const tree::Function &f, const tree::Allocate &a) {
        const tree::Variable &v = f.vars[a.var];
        const auto field = v.kind == tree::VarKind::StateField ? counts_.find(v.name) : counts_.end();
        if (field == counts_.end())
            return;
        const bool isFirst = reserved_.insert(v.name).second;
        if (isFirst)
            field->second = a.count;
        else if (field->second != a.count)
            field->second = std::nullopt;
    }

    const tree::Module &m_;
    std::map<Name, std::optional<sym::Expr>> counts_; // elements of the fields that are device memory
    std::set<Name> reserved_;
    std::map<const tree::Function *, std::set<Name>> fields_; // passed to graphs
};

/// The number of operations, including loops and those inside them.
int countOf(const std::vector<analysis::GraphOperation> &operations) {
    int count = 0;
    for (const analysis::GraphOperation &x : operations)
        count += 1 + countOf(x.inside);
    return count;
}

} // namespace

std::vector<MarkedRegion> markedRegions(ir::SDFG &root) {
    std::vector<MarkedRegion> out;
    std::optional<analysis::GraphBlockers> blockers; // only if there are formed regions
    for (ir::SDFG *g : ir::allSDFGs(root))
        for (ir::Region *r : ir::allRegions(*g)) {
            if (r->graph == ir::GraphMark::Unmarked)
                continue;
            out.push_back({elementName(*r), std::string(ir::name(r->graph))});
            if (r->graph != ir::GraphMark::Formed)
                continue;
            if (!blockers)
                blockers.emplace(root);
            out.back().operations = countOf(analysis::GraphOperations(*r, blockers->steps(), blockers->loops()).all());
        }
    return out;
}

std::vector<LaunchedGraph> launchedGraphs(const tree::Module &m) {
    const Keepers keepers(m);
    std::vector<LaunchedGraph> out;
    for (const tree::GraphBody &graph : graphsOf(m)) {
        out.push_back({graph.name.str(), graph.nodes(), {}, ""});
        keepers.describe(*graph.function, out.back());
    }
    return out;
}

json::Value graphsJson(const std::vector<MarkedRegion> &regions) {
    json::Value list = json::Value::array();
    for (const MarkedRegion &r : regions) {
        json::Value v = json::Value::object();
        v.set("element", r.element);
        v.set("mark", r.mark);
        if (r.operations >= 0)
            v.set("operations", r.operations);
        list.push(std::move(v));
    }
    return list;
}

json::Value graphsJson(const std::vector<LaunchedGraph> &graphs) {
    json::Value list = json::Value::array();
    for (const LaunchedGraph &g : graphs) {
        json::Value v = json::Value::object();
        v.set("name", g.name);
        v.set("nodes", g.nodes);
        v.set("memory", json::Value::array({g.memory.begin(), g.memory.end()}));
        v.set("bytes", g.bytes);
        list.push(std::move(v));
    }
    return list;
}

} // namespace sdfgc::driver
