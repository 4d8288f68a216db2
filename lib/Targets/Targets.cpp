#include "sdfgc/Targets/Targets.h"
#include "sdfgc/Analysis/Verify.h"

namespace sdfgc::targets {

#define SDFGC_TARGET(Name, Emit, Summary, Description) codegen::Sources Emit(const tree::Module &, const pass::CompileOptions &);
#include "sdfgc/Targets/Targets.def"
#undef SDFGC_TARGET

const std::vector<TargetInfo> &all() {
    static const std::vector<TargetInfo> table{
#define SDFGC_TARGET(Name, Emit, Summary, Description) {Name, Emit, Summary, Description},
#include "sdfgc/Targets/Targets.def"
#undef SDFGC_TARGET
    };
    return table;
}

const TargetInfo *find(const std::string &name) {
    for (const TargetInfo &t : all())
        if (t.name == name)
            return &t;
    return nullptr;
}

namespace {

using Found = std::optional<std::pair<std::string, diag::Location>>;

Found onDevice(const ir::SDFG &g, const ir::Node &n) {
    if (const auto *m = dyn_cast<ir::MapEntry>(&n); m && ir::isGpuSchedule(m->schedule))
        return std::pair("a map with schedule " + std::string(ir::name(m->schedule)), analysis::placeOf(n));
    const auto *a = dyn_cast<ir::AccessNode>(&n);
    const ir::DataDesc *d = a ? g.desc(a->data) : nullptr;
    if (d && ir::isGpuStorage(d->storage))
        return std::pair("container `" + a->data.str() + "` in " + std::string(ir::name(d->storage)) + " memory",
                         analysis::placeOf(n));
    return std::nullopt;
}

/// What of an SDFG is on a GPU, and where: the first container that it uses, or scope. Simplification leaves containers that
/// nothing uses.
Found onDevice(ir::SDFG &g) {
    for (const ir::State *s : ir::allStates(g))
        for (const auto &n : s->nodes())
            if (Found found = onDevice(g, *n))
                return found;
    return std::nullopt;
}

} // namespace

bool accepts(ir::SDFG &graph, const pass::CompileOptions &compile, diag::Engine &diags) {
    if (compile.gpu())
        return true;
    for (ir::SDFG *g : ir::allSDFGs(graph))
        if (Found found = onDevice(*g)) {
            found->second.file = compile.file;
            diags.report(diag::Id::LowerUnsupported, found->second, found->first,
                         "build it with `--target cuda` or `--target hip`");
            return false;
        }
    return true;
}

bool accepts(const tree::Module &module, const pass::CompileOptions &compile, diag::Engine &diags) {
    if (compile.gpu() || module.streams == 0)
        return true;
    diags.report(diag::Id::LowerUnsupported, diag::Location{compile.file}, "a program with streams of a device",
                 "build it with `--target cuda` or `--target hip`");
    return false;
}

} // namespace sdfgc::targets
