#include "sdfgc/Targets/Targets.h"
#include "Ignored.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/CodeGen/AsyncCall.h"
#include "sdfgc/CodeGen/OpenClPrinter.h"
#include "sdfgc/Pass/TargetTraits.h"

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

const TargetInfo *find(const pass::Target &target) {
    for (const TargetInfo &t : all())
        if (t.name == target.name())
            return &t;
    return nullptr;
}

namespace {

/// `build it with `--target cuda` or `--target hip``
std::string targetsOf(pass::Family family) {
    std::string out;
    for (const TargetInfo &t : all())
        if (pass::Target(t.name).family() == family)
            out += (out.empty() ? "build it with `--target " : " or `--target ") + t.name + "`";
    return out;
}

/// Nothing if targets of the family accept it.
template <class E> std::optional<std::string> whyNot(E what, pass::Family family) {
    const pass::Acceptance a = pass::accepted(what, family);
    if (a.isFine())
        return std::nullopt;
    return a.kind == pass::Acceptance::Other ? targetsOf(a.family) : std::string(pass::insteadOf(what));
}

std::optional<Refusal> refusal(const ir::SDFG &g, const ir::Node &n, pass::Family family) {
    const auto refused = [&](auto value, const std::string &what) -> std::optional<Refusal> {
        const std::optional<std::string> hint = whyNot(value, family);
        return hint ? std::optional(Refusal{what, *hint, analysis::placeOf(n)}) : std::nullopt;
    };
    if (const auto *m = dyn_cast<ir::MapEntry>(&n))
        return refused(m->schedule, "a map with schedule " + std::string(ir::name(m->schedule)));
    if (const auto *c = dyn_cast<ir::ConsumeEntry>(&n))
        return refused(c->schedule, "a consume scope with schedule " + std::string(ir::name(c->schedule)));
    if (const auto *t = dyn_cast<ir::Tasklet>(&n); t && !t->code.empty())
        return refused(t->code.language(), "a tasklet in " + std::string(ir::name(t->code.language())));
    const auto *a = dyn_cast<ir::AccessNode>(&n);
    const ir::DataDesc *d = a ? g.desc(a->data) : nullptr;
    if (!d)
        return std::nullopt;
    return refused(d->storage, "container `" + a->data.str() + "` in " + std::string(ir::name(d->storage)) + " memory");
}

} // namespace

/// Only used containers count: simplification leaves unused ones behind.
std::optional<Refusal> refusal(ir::SDFG &graph, const pass::Target &target) {
    const pass::Family family = target.family();
    for (ir::SDFG *g : ir::allSDFGs(graph))
        for (const ir::State *s : ir::allStates(*g))
            for (const auto &n : s->nodes())
                if (std::optional<Refusal> found = refusal(*g, *n, family))
                    return found;
    return std::nullopt;
}

bool accepts(ir::SDFG &graph, const pass::CompileOptions &compile, diag::Engine &diags) {
    std::optional<Refusal> found = refusal(graph, compile.target);
    const bool isOpenCl = compile.gpu() && compile.vendor() == platform::Device::OpenCl;
    if (!found && isOpenCl && compile.gpuGraph == pass::GpuGraphMode::Require)
        found = Refusal{
            "--gpu-graph require for the target " + compile.target.name(), "OpenCL has no graphs; leave out the option", {}};
    if (!found && compile.emulate && isOpenCl)
        found = Refusal{"--emulate for the target " + compile.target.name(),
                        "use `--target cuda --emulate`, or run the program on the CPU by PoCL (docs/user/opencl.md)",
                        {}};
    if (!found) {
        reportIgnored(graph, compile, diags);
        return true;
    }
    found->place.file = compile.file;
    diags.report(diag::Id::LowerUnsupported, found->place, found->what, found->hint);
    return false;
}

bool accepts(const tree::Module &module, const pass::CompileOptions &compile, diag::Engine &diags) {
    if (compile.gpu() && compile.vendor() == platform::Device::OpenCl && module.streams > 0)
        if (const std::optional<codegen::OpenClRefusal> found = codegen::openClRefusal(module)) {
            diags.report(diag::Id::LowerUnsupported, diag::Location{compile.file},
                         found->what + " (kernel `" + found->function + "`)",
                         "OpenCL C cannot express it (docs/user/opencl.md): build it with `--target cuda` or `--target hip`");
            return false;
        }
    if (compile.gpu() || module.streams == 0)
        return true;
    diags.report(diag::Id::LowerUnsupported, diag::Location{compile.file}, "a program with streams of a device",
                 targetsOf(pass::Family::Gpu));
    return false;
}

bool acceptsAsync(const tree::Module &module, const pass::CompileOptions &compile, diag::Engine &diags) {
    codegen::AsyncCall call;
    if (!compile.gpu() || compile.vendor() == platform::Device::OpenCl)
        call = {"the target " + compile.target.name() + " has none", "add `--target cuda` or `--target hip`", {}};
    else if (module.streams == 0)
        call = {"all of the program stays on the host", "`--place device` moves it to the device", {}};
    else
        call = codegen::asyncCall(module);
    if (call.obstacle.empty())
        return true;
    diags.report(diag::Id::LowerUnsupported, diag::Location{compile.file},
                 "a call without a wait (--async): " + call.obstacle + ", so it", call.hint);
    return false;
}

} // namespace sdfgc::targets
