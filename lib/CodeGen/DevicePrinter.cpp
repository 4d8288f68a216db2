// The part of BodyPrinter that GPU programs need: operations that the host queues, and what only kernels have.
#include "sdfgc/CodeGen/BodyPrinter.h"

#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::codegen {

std::string constantDefinition(const tree::ConstantDef &c) {
    std::string text = (c.type.isComplex() || c.type.isScalar() ? "constexpr " : "const ") + c.type.cppName() + " " + c.name.str();
    if (!c.isArray)
        return text + " = " + (c.values.empty() ? "0" : c.values[0]) + ";";
    text += "[] = {";
    for (std::size_t i = 0; i < c.values.size(); ++i)
        text += (i ? ", " : "") + c.values[i];
    return text + "};";
}

using namespace tree;

namespace {

constexpr const char *axisNames[] = {"x", "y", "z"};

std::string_view atomicName(py::Reduction r) {
    using py::Reduction;
    switch (r) {
    case Reduction::Sum:
        return "atomicSum";
    case Reduction::Sub:
        return "atomicDifference";
    case Reduction::Product:
        return "atomicProduct";
    case Reduction::Div:
        return "atomicQuotient";
    case Reduction::Min:
        return "atomicMin";
    case Reduction::Max:
        return "atomicMax";
    case Reduction::LogicalAnd:
        return "atomicLogicalAnd";
    case Reduction::LogicalOr:
        return "atomicLogicalOr";
    case Reduction::LogicalXor:
        return "atomicLogicalXor";
    case Reduction::BitAnd:
        return "atomicAnd";
    case Reduction::BitOr:
        return "atomicOr";
    case Reduction::BitXor:
        return "atomicXor";
    case Reduction::Exchange:
        return "atomicExchange";
    default:
        return "atomicUpdate";
    }
}

/// A literal of C++ for a name: what would end the string or the line is left out.
std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (char c : text)
        if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= ' ')
            out += c;
    return out + "\"";
}

} // namespace

bool BodyPrinter::onDevice() const { return f_.kernel || f_.device; }

/// `__global__ void __launch_bounds__(256) `: what stands in front of a kernel's name.
std::string BodyPrinter::kernelHead() const {
    use("gpu_program");
    if (!f_.kernel)
        return "static __device__ void ";
    std::string bounds;
    if (f_.kernel->maxRegisters > 0)
        bounds = "SDFGC_MAX_REGISTERS(" + std::to_string(f_.kernel->maxRegisters) + ") ";
    else if (f_.kernel->maxThreads > 0)
        bounds = "__launch_bounds__(" + std::to_string(f_.kernel->maxThreads) +
                 (f_.kernel->minBlocks > 0 ? ", " + std::to_string(f_.kernel->minBlocks) : "") + ") ";
    return "__global__ void " + bounds;
}

/// `{(N + 255) / 256, 1, 1}`
std::string BodyPrinter::dimensions(const std::array<sym::Expr, 3> &sizes) const {
    std::string text = "{";
    std::size_t used = 3;
    while (used > 1 && sizes[used - 1].isOne())
        --used;
    for (std::size_t i = 0; i < used; ++i)
        text += (i ? ", " : "") + sym(sizes[i]);
    return text + "}";
}

/// Arrays of the host cannot be indexed on a device: each kernel that uses a constant has it.
void BodyPrinter::kernelConstants() {
    for (const ConstantDef &c : m_.constants)
        if (c.isArray && std::any_of(f_.vars.begin(), f_.vars.end(),
                                     [&](const Variable &v) { return v.kind == VarKind::Constant && v.name == c.name; }))
            w_.line("static " + constantDefinition(c));
}

/// What an operation takes first: its stream, or the nodes that come before it.
std::string BodyPrinter::queuedOn(int stream, const GraphNode &g) const {
    if (!describing_)
        return std::to_string(stream);
    std::string text = "{";
    for (std::size_t i = 0; i < g.after.size(); ++i)
        text += (i ? ", " : "") + sym(g.after[i]);
    return text + "}";
}

void BodyPrinter::nodeComment(const Node &n, const GraphNode &g) {
    comment(describing_ ? "node " + std::to_string(g.node) + (n.comment.empty() ? "" : ": " + n.comment) : n.comment);
}

void BodyPrinter::launch(const Launch &l) {
    const Function &kernel = *m_.functions[l.function];
    const std::string how = "{" + quoted(kernel.name.str()) + ", " + quoted(l.element) +
                            (kernel.kernel && kernel.kernel->persistent ? ", sdfgc::gpu::withBarriers, sdfgc::gpu::allAtOnce"
                             : kernel.kernel && kernel.kernel->barriers ? ", sdfgc::gpu::withBarriers"
                                                                        : "") +
                            "}";
    std::string text = describing_ ? "graph.kernel<" + kernel.name.str() + ">(" + how + ", " + queuedOn(l.stream, l)
                                   : "__state->gpu.launch<" + kernel.name.str() + ">(" + queuedOn(l.stream, l) + ", " + how;
    text += ", " + dimensions(l.grid) + ", " + dimensions(l.block);
    for (const Call::Argument &a : l.arguments)
        text += ", " + (a.expr ? value(a.expr) : !a.ref ? sym(a.value) : memory(a.ref));
    nodeComment(l, l);
    w_.line(text + ");");
}

void BodyPrinter::deviceCopy(const DeviceCopy &c) {
    constexpr const char *directions[] = {"ToDevice", "ToHost", "OnDevice", "OnHost"};
    std::string text = std::string(describing_ ? "graph" : "__state->gpu") + ".copy" + directions[c.direction] + "(" +
                       queuedOn(c.stream, c) + ", " + addressOf(c.target) + ", " + addressOf(c.source) + ", " + sym(c.width);
    if (!c.rows.isOne() || !c.slices.isOne())
        text += ", sdfgc::gpu::Rows{" + sym(c.rows) + ", " + sym(c.targetPitch) + ", " + sym(c.sourcePitch) + "}";
    if (!c.slices.isOne())
        text += ", sdfgc::gpu::Rows{" + sym(c.slices) + ", " + sym(c.targetSlice) + ", " + sym(c.sourceSlice) + "}";
    nodeComment(c, c);
    w_.line(text + ");");
}

void BodyPrinter::deviceFill(const DeviceFill &f) {
    nodeComment(f, f);
    w_.line(std::string(describing_ ? "graph" : "__state->gpu") + ".fill(" + queuedOn(f.stream, f) + ", " + addressOf(f.target) +
            ", " + sym(f.count) + ", " + typeName(f.type) + "(" + value(f.value) + "));");
}

/// A call that a graph records.
void BodyPrinter::recordedCall(const LibraryCall &c) {
    const std::size_t dot = c.function.rfind('.');
    const std::string object = c.function.substr(0, dot), name = c.function.substr(dot + 1);
    const platform::Environment *environment = platform::environmentOfCall(object.substr(object.find_last_of('>') + 1) + ".");
    std::string text = "graph.call({" + quoted(name) + ", " + quoted(c.element) + "}, " + queuedOn(c.stream, c) + ", " + object +
                       ", " + std::string(platform::recordedIn(*environment)) + "::" + name;
    for (const LibraryCall::Argument &a : c.arguments)
        text += ", " + argument(a);
    nodeComment(c, c);
    w_.line(text + ");");
}

namespace {

/// What transfers without a number bring to the host.
void targetsOfLooks(const Function &f, const Block &b, std::set<VarId> &out) {
    for (const NodePtr &n : b.body) {
        if (const auto *c = dyn_cast<DeviceCopy>(n.get()); c && c->node < 0)
            out.insert(rootOf(f, f.refs[c->target].var));
        forEachBlock(std::as_const(*n), [&](const Block &inner) { targetsOfLooks(f, inner, out); });
    }
}

} // namespace

/// In a graph: what brings flags of loops to the host. The device looks at them itself.
bool BodyPrinter::isOfHostPath(const Node &n) const {
    if (const auto *d = dyn_cast<Declare>(&n))
        return looked_.count(d->var) != 0;
    if (const auto *b = dyn_cast<Block>(&n))
        return std::all_of(b->body.begin(), b->body.end(), [this](const NodePtr &inner) { return isOfHostPath(*inner); });
    const auto *c = dyn_cast<DeviceCopy>(&n);
    return n.kind == Kind::Synchronise || (c && c->node < 0);
}

/// A loop or branch that the device decides on. Its nodes have numbers of their own.
void BodyPrinter::graphLoop(const Loop &l) {
    const std::string name = l.comment.starts_with("loop ") ? l.comment.substr(5) : l.form == Loop::Once ? "branch" : "loop";
    nodeComment(l, l);
    w_.line(std::string("graph.") + (l.form == Loop::Once ? "branch" : "loop") + "({" + quoted(name) + "}, " + queuedOn(0, l) +
            ", " + addressOf(l.flag) + ");");
    w_.open();
    statements(l.body);
    w_.close();
    w_.line("graph.end();");
}

/// A function whose operations are one graph: what they depend on, the nodes that they are, and the operations themselves for where
/// there are no graphs. The nodes see their inputs only, since they are described anew when these have changed.
namespace {

/// Is there a persistent kernel, which asks the device how many blocks it holds at once?
bool fillsTheDevice(const Block &b) {
    bool found = false;
    for (const NodePtr &n : b.body) {
        if (const auto *l = dyn_cast<Launch>(n.get()))
            found = found || (l->grid[0].kind() == sym::Kind::Call && l->grid[0].name() == number::residentBlocks);
        forEachBlock(std::as_const(*n), [&](const Block &inner) { found = found || fillsTheDevice(inner); });
    }
    return found;
}

} // namespace

void BodyPrinter::graphFunction(const std::string &linkage) {
    use("gpu_graph");
    std::string names;
    comment(f_.comment);
    w_.wrapAt(lineWidth);
    w_.open(linkage + signature());
    w_.open("struct Inputs");
    for (VarId p : f_.params) {
        w_.line(declarator(var(p)) + ";");
        names += (names.empty() ? "" : ", ") + var(p).name.str();
    }
    w_.close(";");
    // What the handle has stays where it is: libraries, and what is known of the device.
    const std::string state = contains(f_.body, Kind::LibraryCall) || fillsTheDevice(f_.body) ? "__state" : "";
    w_.open("const auto nodes = [" + state + "](sdfgc::gpu::GraphNodes &graph, [[maybe_unused]] const Inputs &in)");
    if (!names.empty())
        w_.line("const auto &[" + names + "] = in;");
    targetsOfLooks(f_, f_.body, looked_);
    describing_ = true;
    statements(f_.body);
    describing_ = false;
    w_.close(";");
    w_.open("const auto queue = [&]");
    statements(f_.body);
    w_.close(";");
    w_.line("__state->" + f_.name.str() + ".run(__state->gpu, " + std::to_string(f_.graph->stream) + ", Inputs{" + names +
            "}, nodes, queue);");
    w_.close();
}

bool BodyPrinter::deviceOperation(const Node &n) {
    switch (n.kind) {
    case Kind::Launch:
        launch(static_cast<const Launch &>(n));
        return true;
    case Kind::DeviceCopy:
        deviceCopy(static_cast<const DeviceCopy &>(n));
        return true;
    case Kind::DeviceFill:
        deviceFill(static_cast<const DeviceFill &>(n));
        return true;
    case Kind::Synchronise: {
        const int stream = static_cast<const Synchronise &>(n).stream;
        w_.line(stream == Synchronise::all ? "__state->gpu.synchroniseAll();"
                                           : "__state->gpu.synchronise(" + std::to_string(stream) + ");");
        return true;
    }
    case Kind::EventRecord: {
        const auto &r = static_cast<const EventRecord &>(n);
        w_.line("__state->gpu.record(" + std::to_string(r.event) + ", " + std::to_string(r.stream) + ");");
        return true;
    }
    case Kind::EventWait: {
        const auto &wait = static_cast<const EventWait &>(n);
        w_.line(wait.stream < 0 ? "__state->gpu.synchroniseEvent(" + std::to_string(wait.event) + ");"
                                : "__state->gpu.wait(" + std::to_string(wait.stream) + ", " + std::to_string(wait.event) + ");");
        return true;
    }
    case Kind::Release:
        w_.line("__state->gpu.release(" + std::to_string(static_cast<const Release &>(n).stream) + ", " +
                varText(static_cast<const Release &>(n).var) + ");");
        return true;
    case Kind::Barrier:
        if (static_cast<const Barrier &>(n).ofGrid)
            use("gpu_grid");
        w_.line(static_cast<const Barrier &>(n).ofGrid ? "sdfgc::gpu::gridSync();" : "__syncthreads();");
        return true;
    default:
        return false;
    }
}

/// A loop whose iterations are spread over blocks or threads: the loop variable is computed from the hardware's indices.
void BodyPrinter::spreadLoop(const For &f) {
    const Spread &s = *f.spread;
    const std::string name = var(f.var).name.str();
    std::string index, stride;
    if (s.axis < 0) {
        const bool block = s.level == Spread::Block;
        index = block ? "sdfgc::gpu::threadInBlock()" : "sdfgc::gpu::threadInGrid()";
        stride = block ? "sdfgc::gpu::threadsInBlock()" : "sdfgc::gpu::threadsInGrid()";
    } else {
        const std::string axis = axisNames[s.axis], block = "int64_t(blockIdx." + axis + ")", thread = "threadIdx." + axis;
        switch (s.level) {
        case Spread::Grid:
            index = block;
            stride = "int64_t(gridDim." + axis + ")";
            break;
        case Spread::Block:
            index = "int64_t(" + thread + ")";
            stride = "int64_t(blockDim." + axis + ")";
            break;
        case Spread::Threads:
            index = block + " * blockDim." + axis + " + " + thread;
            stride = "int64_t(gridDim." + axis + ") * blockDim." + axis;
            break;
        }
    }
    const bool sum = index.find(" + ") != std::string::npos;
    std::string begin = index, step = stride;
    if (!f.step.isOne()) {
        begin = sym(f.step, Precedence::Multiplicative) + " * " + (sum ? "(" + index + ")" : index);
        step = sym(f.step, Precedence::Multiplicative) + " * " +
               (stride.find(" * ") == std::string::npos ? stride : "(" + stride + ")");
    }
    if (!f.begin.isZero())
        begin = sym(f.begin, Precedence::Additive) + " + " + begin;
    std::string test =
        f.descending ? name + " >= " + sym(f.end, Precedence::Shift) : name + " < " + sym(f.end + sym::Expr(1), Precedence::Shift);
    comment(f.comment);
    if (!s.once) {
        w_.open("for (int64_t " + name + " = " + begin + "; " + test + "; " + name + " += " + step + ")");
    } else {
        w_.line("const int64_t " + name + " = " + begin + ";");
        if (s.exact) {
            statements(f.body);
            return;
        }
        w_.open("if (" + test + ")");
    }
    statements(f.body);
    w_.close();
}

/// `target op= value` by all threads that come by, or once for each block of them.
void BodyPrinter::deviceUpdate(const Update &u) {
    use(u.byBlock ? "gpu_reduce" : "gpu_atomic");
    const bool custom = u.reduction == py::Reduction::Custom || u.reduction == py::Reduction::MinLocation ||
                        u.reduction == py::Reduction::MaxLocation;
    std::string name(atomicName(u.reduction));
    if (u.byBlock)
        name.replace(0, 6, "block");
    std::string text = "sdfgc::gpu::" + name + "(&" + elementOf(u.target, u.targetIndices) + ", " + value(u.value);
    if (custom)
        text += ", " + value(u.lambda);
    w_.line((u.old ? varText(u.old) + " = " : "") + text + ");");
}

} // namespace sdfgc::codegen
