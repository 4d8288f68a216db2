#include "sdfgc/CodeGen/DevicePrinters.h"

#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::codegen {

using namespace tree;

std::string QueuePrinter::functionName(Name n) const {
    if (n == number::blocks)
        return "sdfgc::gpu::blocks";
    return n == number::residentBlocks ? "__state->gpu.resident<" : HostPrinter::functionName(n);
}

BodyPrinter::Owner QueuePrinter::owner(VarKind kind) const {
    if (kind == VarKind::Buffer)
        return HostPrinter::owner(kind);
    return {"gpu_program",
            kind == VarKind::DeviceBuffer ? "gpu::Buffer"
            : kind == VarKind::PoolBuffer ? "gpu::PoolBuffer"
                                          : "gpu::PinnedBuffer",
            true};
}

// ---------------------------------------------------------------------------------------------------- graphs

namespace {

/// Is there a persistent kernel, which queries how many blocks the device can run at once?
bool fillsTheDevice(const Block &b) {
    bool found = false;
    for (const NodePtr &n : b.body) {
        if (const auto *l = dyn_cast<Launch>(n.get()))
            found = found || (l->grid[0].kind() == sym::SymbolicKind::Call && l->grid[0].name() == number::residentBlocks);
        forEachBlock(std::as_const(*n), [&](const Block &inner) { found = found || fillsTheDevice(inner); });
    }
    return found;
}

} // namespace

/// The inputs of the nodes, the nodes, and the operations for calls without a graph. The nodes see only their inputs, because they
/// are described again only when an input changes.
void QueuePrinter::body() {
    if (!f_.graph)
        return HostPrinter::body();
    use("gpu_graph");
    std::string names;
    w_.open("struct Inputs");
    for (VarId p : f_.params) {
        w_.line(declarator(var(p)) + ";");
        names += (names.empty() ? "" : ", ") + var(p).name.str();
    }
    w_.close(";");
    // Library objects and device properties are members of the handle, which never moves, so they need not be inputs.
    const std::string state = contains(f_.body, TreeKind::LibraryCall) || fillsTheDevice(f_.body) ? "__state" : "";
    w_.open("const auto nodes = [" + state + "](sdfgc::gpu::GraphNodes &graph, [[maybe_unused]] const Inputs &in)");
    if (!names.empty())
        w_.line("const auto &[" + names + "] = in;");
    GraphPrinter(m_, f_, out_).nodes();
    w_.close(";");
    w_.open("const auto queue = [&]");
    statements(f_.body);
    w_.close(";");
    w_.line("__state->" + f_.name.str() + ".run(__state->gpu, " + std::to_string(f_.graph->stream) + ", Inputs{" + names +
            "}, nodes, queue);");
}

// ---------------------------------------------------------------------------------------------------- operations

std::string QueuePrinter::operation(const char *name, int stream, const GraphNode &) const {
    return std::string("__state->gpu.") + name + "(" + std::to_string(stream);
}

std::string QueuePrinter::launchCall(const Launch &l, const std::string &kernel, const std::string &how) const {
    return "__state->gpu.launch<" + kernel + ">(" + std::to_string(l.stream) + ", " + how;
}

/// The kernel, or its versions for indices of 32 and 64 bits.
std::string QueuePrinter::instances(const Function &kernel) {
    const std::string name = kernel.name.str();
    return kernel.kernel && kernel.kernel->index ? name + "<int32_t>, " + name + "<int64_t>" : name;
}

/// The bound that chooses among the versions.
std::string QueuePrinter::indexRange(const Launch &l, const Function &kernel) const {
    if (!kernel.kernel || !kernel.kernel->index)
        return "";
    std::string sizes;
    for (const Name n : kernel.kernel->range.freeSymbols())
        for (std::size_t i = 0; i < kernel.params.size(); ++i)
            if (kernel.vars[kernel.params[i]].name == n)
                sizes += (sizes.empty() ? "" : ", ") + argument(l.arguments[i]);
    return ", " + indexRangeName(kernel) + "(" + sizes + ")";
}

void QueuePrinter::print(const Launch &l) {
    const Function &kernel = *m_.functions[l.function];
    const std::string how = "{" + textLiteral(kernel.name.str()) + ", " + textLiteral(l.element) +
                            (kernel.kernel && kernel.kernel->persistent ? ", sdfgc::gpu::withBarriers, sdfgc::gpu::allAtOnce"
                             : kernel.kernel && kernel.kernel->barriers ? ", sdfgc::gpu::withBarriers"
                                                                        : "") +
                            "}";
    const auto dimensions = [this](const std::array<sym::Expr, 3> &sizes) { // `{(N + 255) / 256}`: trailing ones are omitted
        std::size_t used = 3;
        while (used > 1 && sizes[used - 1].isOne())
            --used;
        return list(std::span(sizes).first(used));
    };
    std::string text =
        launchCall(l, instances(kernel), how) + indexRange(l, kernel) + ", " + dimensions(l.grid) + ", " + dimensions(l.block);
    for (const Call::Argument &a : l.arguments)
        text += ", " + argument(a);
    operationComment(l, l);
    w_.line(text + ");");
}

void QueuePrinter::print(const DeviceCopy &c) {
    constexpr const char *names[] = {"copyToDevice", "copyToHost", "copyOnDevice", "copyOnHost"};
    std::string text =
        operation(names[c.direction], c.stream, c) + ", " + addressOf(c.target) + ", " + addressOf(c.source) + ", " + sym(c.width);
    if (!c.rows.isOne() || !c.slices.isOne())
        text += ", sdfgc::gpu::Rows" + list(std::array{c.rows, c.targetPitch, c.sourcePitch});
    if (!c.slices.isOne())
        text += ", sdfgc::gpu::Rows" + list(std::array{c.slices, c.targetSlice, c.sourceSlice});
    operationComment(c, c);
    w_.line(text + ");");
}

void QueuePrinter::print(const DeviceFill &f) {
    operationComment(f, f);
    w_.line(operation("fill", f.stream, f) + ", " + addressOf(f.target) + ", " + sym(f.count) + ", " + typeName(f.type) + "(" +
            value(f.value) + "));");
}

void QueuePrinter::print(const LibraryCall &c) {
    libraryCall(c, c.stream == LibraryCall::host ? "" : "__state->gpu.stream(" + std::to_string(c.stream) + ")");
}

void QueuePrinter::print(const Allocate &a) {
    const Variable &v = var(a.var);
    if (v.kind != VarKind::PoolBuffer)
        return HostPrinter::print(a);
    const std::string pool = std::to_string(a.stream) + ", " + varText(a.var);
    comment(a.comment);
    w_.line("__state->gpu.allocate(" + pool + ", " + allocation(v, a.count) + ");");
    if (a.zero)
        w_.line("__state->gpu.zero(" + pool + ");");
}

void QueuePrinter::print(const Release &r) {
    w_.line("__state->gpu.release(" + std::to_string(r.stream) + ", " + varText(r.var) + ");");
}

void QueuePrinter::print(const Synchronise &s) {
    w_.line(s.stream == Synchronise::all ? "__state->gpu.synchroniseAll();"
                                         : "__state->gpu.synchronise(" + std::to_string(s.stream) + ");");
}

void QueuePrinter::print(const EventRecord &r) {
    w_.line("__state->gpu.record(" + std::to_string(r.event) + ", " + std::to_string(r.stream) + ");");
}

void QueuePrinter::print(const EventWait &e) {
    w_.line(e.stream < 0 ? "__state->gpu.synchroniseEvent(" + std::to_string(e.event) + ");"
                         : "__state->gpu.wait(" + std::to_string(e.stream) + ", " + std::to_string(e.event) + ");");
}

std::string QueuePrinter::measurement(const Measure &m) const {
    switch (m.by) {
    case ir::Instrumentation::GPU_Events: {
        use("gpu_report");
        const bool isKnown = !m.bytes.isZero() || !m.operations.isZero();
        return "const sdfgc::gpu::Timer timer(__state->gpu, __state->times, " + measured(m) + ", " + list(m.streams) +
               (isKnown ? ", {" + sym(m.bytes) + ", " + sym(m.operations) + "}" : "") + ");";
    }
    case ir::Instrumentation::GPU_TX_MARKERS:
        use("gpu_marker");
        return "const sdfgc::gpu::Marker marker(" + measured(m) + ");";
    case ir::Instrumentation::LIKWID_GPU:
        use("likwid");
        return "const sdfgc::rt::LikwidGpuRegion region(" + measured(m) + ", " + textLiteral(m.counters) + ");";
    default:
        return HostPrinter::measurement(m);
    }
}

} // namespace sdfgc::codegen
