#include "Driver/Reports/ProgramInfo.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Targets/Targets.h"

#include <algorithm>
#include <set>

namespace sdfgc::driver {
namespace {

using namespace ir;

/// Counters of named things, printed in declaration order.
class Counter {
public:
    explicit Counter(std::vector<std::string> names) {
        for (std::string &n : names)
            rows_.emplace_back(std::move(n), 0);
    }
    void add(std::string_view name, int count = 1) {
        for (auto &[n, c] : rows_)
            if (n == name)
                c += count;
    }
    std::vector<std::pair<std::string, int>> nonZero() const {
        std::vector<std::pair<std::string, int>> out;
        for (const auto &row : rows_)
            if (row.second != 0)
                out.push_back(row);
        return out;
    }

private:
    std::vector<std::pair<std::string, int>> rows_;
};

std::vector<std::string> scheduleNames() {
    std::vector<std::string> names;
#define SDFGC_NAME(N) names.emplace_back(#N);
    SDFGC_SCHEDULES(SDFGC_NAME)
#undef SDFGC_NAME
    return names;
}

/// Process grids and blocks of arrays are objects in the program's state, regardless of the shapes that they describe.
bool isDescriptor(const DataDesc &d) {
    return d.kind == DataKind::ProcessGrid || d.kind == DataKind::SubArray || d.kind == DataKind::RedistrArray;
}

/// Is it a node that sdfgc knows but expands for no target? Nodes of process grids are removed together with what they describe.
bool isRefused(const LibraryNode &n) {
    const libnodes::Definition *d = libnodes::find(n);
    return d && !d->expand && !d->declares;
}

class ProgramInfoCollector {
public:
    ProgramInfo collect(SDFG &root) {
        for (SDFG *g : allSDFGs(root)) {
            containers(*g);
            controlFlow(*g);
            for (State *s : allStates(*g))
                state(*s);
        }
        info_.name = root.name.str();
        info_.daceVersion = root.daceVersion;
        info_.arguments = analysis::argumentList(root);
        info_.access = analysis::containerAccess(root);
        info_.elements = elements_.nonZero();
        info_.schedules = schedules_.nonZero();
        info_.libraryNodes.assign(libraries_.begin(), libraries_.end());
        info_.environments.assign(environments_.begin(), environments_.end());
        info_.devices.assign(devices_.begin(), devices_.end());
        for (const targets::TargetInfo &t : targets::all())
            if (!hasRefusedNodes_ && !targets::refusal(root, pass::Target(t.name)))
                info_.targets.push_back(t.name);
        return std::move(info_);
    }

private:
    void containers(SDFG &g) {
        if (!g.isRoot())
            elements_.add("nested SDFGs");
        for (const auto &[name, desc] : g.arrays) {
            storage(desc.storage);
            if (desc.transient && desc.alias == AliasKind::None && !desc.isStream() && !isDescriptor(desc))
                info_.transients.push_back({name, &desc, &g, desc.isScalar() ? sym::Expr(1) : desc.totalSize});
        }
    }

    void controlFlow(SDFG &g) {
        for (const Block *b : allBlocks(g)) {
            if (isa<LoopRegion>(b))
                elements_.add("loops");
            else if (isa<ConditionalBlock>(b))
                elements_.add("conditionals");
        }
    }

    void state(State &s) {
        elements_.add("states");
        elements_.add("edges", static_cast<int>(s.edges().size()));
        for (const auto &n : s.nodes())
            node(*n);
    }

    void node(const Node &n) {
        for (Name e : n.environments)
            environments_.insert(e.str());
        switch (n.kind()) {
        case NodeKind::Access:
            elements_.add("access nodes");
            break;
        case NodeKind::Tasklet:
            elements_.add("tasklets");
            break;
        case NodeKind::MapEntry:
            elements_.add("maps");
            schedule(static_cast<const MapEntry &>(n).schedule);
            break;
        case NodeKind::ConsumeEntry:
            elements_.add("consume scopes");
            schedule(static_cast<const ConsumeEntry &>(n).schedule);
            break;
        case NodeKind::Library:
            elements_.add("library nodes");
            schedule(static_cast<const LibraryNode &>(n).schedule);
            libraries_.insert(static_cast<const LibraryNode &>(n).classPath);
            hasRefusedNodes_ = hasRefusedNodes_ || isRefused(static_cast<const LibraryNode &>(n));
            break;
        case NodeKind::NestedSDFG: // counted together with its SDFG
        case NodeKind::MapExit:
        case NodeKind::ConsumeExit:
            break;
        }
    }

    void schedule(Schedule s) {
        schedules_.add(ir::name(s));
        if (isGpuSchedule(s))
            devices_.insert("gpu");
        else if (s == Schedule::FPGA_Device || s == Schedule::FPGA_Multi_Pumped)
            devices_.insert("fpga");
        else if (s == Schedule::Snitch || s == Schedule::Snitch_Multicore)
            devices_.insert("snitch");
    }
    void storage(Storage s) {
        if (isGpuStorage(s))
            devices_.insert("gpu");
        else if (ir::name(s).starts_with("FPGA"))
            devices_.insert("fpga");
        else if (ir::name(s).starts_with("Snitch"))
            devices_.insert("snitch");
    }

    ProgramInfo info_;
    Counter elements_{{"nested SDFGs", "states", "loops", "conditionals", "maps", "consume scopes", "tasklets", "library nodes",
                       "access nodes", "edges"}};
    Counter schedules_{scheduleNames()};
    std::set<std::string> libraries_, environments_, devices_;
    bool hasRefusedNodes_ = false;
};

} // namespace

std::string ContainerInfo::bytes() const {
    if (std::optional<int64_t> size = desc->dtype.bytes())
        return (elements * sym::Expr(*size)).str();
    return elements.isOne() ? "sizeof(" + desc->dtype.str() + ")" : "(" + elements.str() + ") * sizeof(" + desc->dtype.str() + ")";
}

ProgramInfo collectInfo(SDFG &root) { return ProgramInfoCollector().collect(root); }

} // namespace sdfgc::driver
