// Legal when, in all functions of the host:
//   - each wait is among the last statements of the program, with nothing but releases of pool memory behind it;
//   - no copy has the host on one side: pageable memory makes the call wait, and memory of the call itself would be released too early;
//   - no memory of the device or page-locked memory belongs to a call: the driver waits when it is freed;
//   - no page-locked memory is used: the host of the next call could write to it before kernels of this one have read it;
//   - no memory of the handle is cleared in the call, for which the host waits;
//   - nothing is measured, saved or restored: reports need results and times at the end of the call;
//   - no function of a solver is called: some copy lists of pointers, and wait.
#include "sdfgc/CodeGen/AsyncCall.h"

#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::codegen {

using namespace tree;

namespace {

bool isWait(const Node &n) {
    const auto *event = dyn_cast<EventWait>(&n);
    return n.kind == TreeKind::Synchronise || (event && event->stream < 0);
}

/// Finds the first obstacle in a function of the host.
class Search {
public:
    Search(const Function &f, AsyncCall &out) : f_(f), out_(out) {}

    void run() {
        for (const Variable &v : f_.vars)
            if (v.kind == VarKind::DeviceBuffer || v.kind == VarKind::PinnedBuffer)
                refuse("`" + v.name.str() + "` is allocated and freed in each call, for which the driver waits",
                       "leave out `plan-memory.for=call`");
        visit(f_.body);
    }

private:
    void refuse(std::string what, std::string hint) {
        if (out_.obstacle.empty()) {
            out_.obstacle = std::move(what);
            out_.hint = std::move(hint);
        }
    }

    void visit(const Block &b) {
        for (const NodePtr &n : b.body) {
            check(*n);
            forEachBlock(std::as_const(*n), [this](const Block &inner) { visit(inner); });
        }
    }

    void check(const Node &n) {
        const bool isLast = std::find(out_.waits.begin(), out_.waits.end(), &n) != out_.waits.end();
        if (isWait(n) && !isLast)
            refuse("the host waits for results of the device before the program ends",
                   "`--remarks -` and `sdfgc print --tree` show where; `--place device` moves host code to the device");
        if (const auto *c = dyn_cast<DeviceCopy>(&n); c && c->direction != DeviceCopy::DeviceToDevice)
            refuse(
                "`" +
                    f_.vars[rootOf(f_, f_.refs[c->direction == DeviceCopy::DeviceToHost ? c->target : c->source].var)].name.str() +
                    "` is copied between the host and the device",
                "with `--arguments device`, callers pass pointers to device memory");
        if (const auto *l = dyn_cast<LibraryCall>(&n); l && l->function.find("gpuSolver") != l->function.npos)
            refuse("it calls " + l->function + ", which may wait", "call the program without --async");
        if (const auto *a = dyn_cast<Allocate>(&n); a && a->zero && f_.vars[a->var].kind == VarKind::StateField)
            refuse("`" + f_.vars[a->var].name.str() + "` is cleared in each call, for which the host waits",
                   "fill it with a map, or leave out `setzero`");
        if (n.kind == TreeKind::Measure || n.kind == TreeKind::DataProbe)
            refuse("it is instrumented", "`--instrument none` leaves out the measurements");
    }

    const Function &f_;
    AsyncCall &out_;
};

void usesPinned(Name container, AsyncCall &out) {
    if (!out.obstacle.empty())
        return;
    out.obstacle = "`" + container.str() + "` is in page-locked memory, which the host of the next call could change too early";
    out.hint = "keep it in device memory";
}

} // namespace

AsyncCall asyncCall(const Module &m) {
    AsyncCall out;
    const Block &program = m.functions.back()->body;
    for (std::size_t i = program.body.size(); i-- > 0;) {
        const Node &n = *program.body[i];
        if (isWait(n))
            out.waits.insert(out.waits.begin(), &n);
        else if (n.kind != TreeKind::Release && n.kind != TreeKind::Comment)
            break;
    }
    if (m.instrumented || m.dataInstrumented) {
        out.obstacle = "it is instrumented";
        out.hint = "`--instrument none` leaves out the measurements";
    }
    for (const auto &f : m.functions)
        if (!f->kernel && !f->device)
            Search(*f, out).run();
    for (const StateField &f : m.fields)
        if (f.storage == ir::Storage::CPU_Pinned)
            usesPinned(f.name, out);
    for (const Param &p : m.params)
        if (p.desc && p.desc->storage == ir::Storage::CPU_Pinned)
            usesPinned(p.name, out);
    return out;
}

std::string asyncName(const Module &m) { return m.name.str() + "_program_async"; }

} // namespace sdfgc::codegen
