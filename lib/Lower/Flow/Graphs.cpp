// Regions that are launched as one GPU graph.
//
// An edge stands where one operation uses memory that an earlier one uses too, and one of them writes it; of these edges only those that
// no path over others implies. Memory is what streams go by (sdfgc/Analysis/Streams.h): a container behind its views.
#include "Graphs.h"

#include "ControlFlow.h"

#include "sdfgc/Analysis/GraphRegions.h"
#include "sdfgc/Tree/Effects.h"

#include <algorithm>
#include <map>

namespace sdfgc::tree::lowering {

using analysis::MemoryUse;

namespace {

/// What there is in a region.
struct Content {
    std::vector<GraphNode *> operations; // in the order of the host
    std::vector<NodePtr> memory;         // that the host must have, taken out
    bool isGraph = true;                 // besides operations there are only declarations
};

class Collector {
public:
    explicit Collector(const Function &f) : table_(f) {}

    Content run(Block &b) {
        block(b);
        return std::move(content_);
    }

private:
    void block(Block &b) {
        for (NodePtr &n : b.body)
            statement(n);
        std::erase_if(b.body, [](const NodePtr &n) { return !n; });
    }
    void statement(NodePtr &n) {
        switch (n->kind) {
        case Kind::Block:
            return block(static_cast<Block &>(*n));
        case Kind::Comment:
            return;
        case Kind::Declare:
            declared_.insert(table_.own(*n).declared.begin(), table_.own(*n).declared.end());
            return;
        case Kind::Launch:
            content_.operations.push_back(static_cast<Launch *>(n.get()));
            return;
        case Kind::DeviceCopy:
            content_.operations.push_back(static_cast<DeviceCopy *>(n.get()));
            return;
        case Kind::DeviceFill:
            content_.operations.push_back(static_cast<DeviceFill *>(n.get()));
            return;
        case Kind::Allocate:
            if (static_cast<Allocate &>(*n).reserve && !usesDeclared(*n)) {
                content_.memory.push_back(std::move(n));
                return;
            }
            [[fallthrough]];
        default:
            content_.isGraph = false;
        }
    }
    bool usesDeclared(const Node &n) {
        const Effects &e = table_.of(n);
        return std::any_of(declared_.begin(), declared_.end(), [&e](Name d) { return e.has(d); });
    }

    EffectTable table_;
    Content content_;
    std::set<Name> declared_;
};

/// The edges of a graph, node after node.
class Edges {
public:
    /// Numbers of the nodes that the next one, with these uses, comes after.
    std::vector<sym::Expr> next(const std::vector<MemoryUse> &uses) {
        const int now = static_cast<int>(ancestors_.size());
        std::set<int> before;
        for (MemoryUse u : uses) {
            const Last &last = last_[u.memory];
            if (last.writer >= 0)
                before.insert(last.writer);
            if (u.write)
                before.insert(last.readers.begin(), last.readers.end());
        }
        for (MemoryUse u : uses)
            if (u.write)
                last_[u.memory] = {now, {}};
        for (MemoryUse u : uses)
            if (Last &last = last_[u.memory]; last.writer != now)
                last.readers.push_back(now);
        return reduced(before);
    }

private:
    struct Last {
        int writer = -1;
        std::vector<int> readers = {}; // since then
    };

    std::vector<sym::Expr> reduced(const std::set<int> &before) {
        std::vector<bool> all(ancestors_.size(), false);
        std::vector<sym::Expr> out;
        for (auto b = before.rbegin(); b != before.rend(); ++b) { // later ones imply earlier ones
            const auto at = static_cast<std::size_t>(*b);
            if (all[at])
                continue;
            out.emplace_back(*b);
            all[at] = true;
            for (std::size_t i = 0; i < ancestors_[at].size(); ++i)
                all[i] = all[i] || ancestors_[at][i];
        }
        std::reverse(out.begin(), out.end());
        ancestors_.push_back(std::move(all));
        return out;
    }

    std::map<analysis::Memory, Last> last_;
    std::vector<std::vector<bool>> ancestors_; // of each node, by number
};

} // namespace

void lowerGraph(Instance &in, ir::Region &formed, tree::Block &out) {
    auto region = std::make_unique<GraphRegion>();
    in.fn->names.open();
    lowerRegion(in, formed, region->body);
    in.fn->names.close();
    std::vector<std::vector<MemoryUse>> uses;
    forEachGraphOperation(formed, in.program().steps(), [&](const analysis::StreamStep &step, ir::State &) {
        region->stream = step.stream;
        uses.push_back(step.uses);
    });
    Content content = Collector(in.function()).run(region->body);
    for (NodePtr &n : content.memory)
        out.body.push_back(std::move(n));
    if (!content.isGraph || content.operations.size() != uses.size()) {
        in.program().context.missed(elementName(formed), "no GPU graph",
                                    {diag::Why::Allocation, "the host has to do something between its operations"});
        region->body.braces = true;
        out.body.push_back(std::make_unique<tree::Block>(std::move(region->body)));
        return;
    }
    Edges edges;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        content.operations[i]->node = static_cast<int>(i);
        content.operations[i]->after = edges.next(uses[i]);
    }
    region->name = in.program().functionNames.take(identifierOf(formed.label, "graph_"), "_graph");
    region->comment = "graph " + formed.label;
    out.body.push_back(std::move(region));
}

} // namespace sdfgc::tree::lowering
