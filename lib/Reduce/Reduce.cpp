#include "sdfgc/Reduce/Reduce.h"
#include "Reduce/Removals.h"
#include "sdfgc/Analysis/Verify.h"

#include <algorithm>
#include <map>

namespace sdfgc::reduce {
namespace {

class Search {
public:
    Search(const ir::SDFG &graph, const std::function<bool(const ir::SDFG &)> &fails, const Options &options, Summary &summary)
        : best_(ir::clone(graph)), fails_(fails), options_(options), summary_(summary), broken_(brokenRules(graph)) {}

    std::unique_ptr<ir::SDFG> run() {
        for (bool moved = true; moved && !stopped();) {
            moved = false;
            for (const RemovalKind &kind : kinds())
                moved = shrinkKind(kind) || moved;
        }
        return std::move(best_);
    }

private:
    static std::map<diag::Id, std::size_t> brokenRules(const ir::SDFG &graph) {
        diag::Engine d;
        analysis::verify(graph, ir::Level::Loaded, d);
        std::map<diag::Id, std::size_t> rules; // number of violations of each
        for (const diag::Diagnostic &x : d.all())
            if (x.severity == diag::Severity::Error)
                ++rules[x.id];
        return rules;
    }
    bool breaksMore(const ir::SDFG &candidate) const {
        const std::map<diag::Id, std::size_t> now = brokenRules(candidate);
        return std::any_of(now.begin(), now.end(), [&](const auto &rule) {
            const auto before = broken_.find(rule.first);
            return before == broken_.end() || rule.second > before->second;
        });
    }
    bool stopped() const { return options_.stop && options_.stop(); }

    bool shrinkKind(const RemovalKind &kind) {
        bool moved = false;
        std::size_t count = kind.remove(*best_, 0, 0);
        for (std::size_t size = count; size > 0; size /= 2) {
            for (std::size_t from = 0; from < count && !stopped();) {
                if (!attempt(kind, from, std::min(from + size, count))) {
                    from += size;
                    continue;
                }
                moved = true;
                count = kind.remove(*best_, 0, 0);
            }
            size = std::min(size, count);
        }
        return moved;
    }

    bool attempt(const RemovalKind &kind, std::size_t from, std::size_t to) {
        ++summary_.candidates;
        std::unique_ptr<ir::SDFG> candidate = ir::clone(*best_);
        const std::size_t before = kind.remove(*candidate, from, to);
        cleanUp(*candidate);
        if (kind.remove(*candidate, 0, 0) >= before || (options_.verify && breaksMore(*candidate)))
            return false;
        ++summary_.tests;
        if (!fails_(*candidate))
            return false;
        ++summary_.successes;
        best_ = std::move(candidate);
        if (options_.onSuccess)
            options_.onSuccess(*best_, std::to_string(to - from) + " " + kind.targets);
        return true;
    }

    std::unique_ptr<ir::SDFG> best_;
    const std::function<bool(const ir::SDFG &)> &fails_;
    const Options &options_;
    Summary &summary_;
    const std::map<diag::Id, std::size_t> broken_; // by the original graph
};

} // namespace

std::span<const RemovalKind> kinds() {
    static constexpr RemovalKind table[] = {
        {"blocks", removeBlocks},           {"scopes", removeScopes},         {"regions", unwrapRegions},
        {"branches", removeBranches},       {"nodes", removeNodes},           {"edges", removeEdges},
        {"assignments", removeAssignments}, {"conditions", removeConditions}, {"memlets", simplifyMemlets},
        {"tasklets", simplifyTasklets},     {"containers", removeContainers}, {"symbols", removeSymbols},
        {"pieces of code", removeCode},     {"ranges", shrinkRanges},         {"source lines", removeDebugInfo},
    };
    return table;
}

std::unique_ptr<ir::SDFG> shrink(const ir::SDFG &graph, const std::function<bool(const ir::SDFG &)> &fails, const Options &options,
                                 Summary *summary) {
    Summary unused;
    return Search(graph, fails, options, summary ? *summary : unused).run();
}

std::size_t elementCount(ir::SDFG &graph) {
    std::size_t count = 0;
    for (ir::SDFG *g : ir::allSDFGs(graph)) {
        count += g->arrays.size() + ir::allBlocks(*g).size();
        for (const ir::State *s : ir::allStates(*g))
            count += s->nodes().size() + s->edges().size();
    }
    return count;
}

} // namespace sdfgc::reduce
