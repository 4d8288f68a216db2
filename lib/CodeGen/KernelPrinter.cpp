#include "sdfgc/CodeGen/DevicePrinters.h"

#include "Updates.h"

#include <algorithm>

namespace sdfgc::codegen {

using namespace tree;

std::string KernelPrinter::functionName(Name n) const {
    const std::pair<Name, const char *> numbers[] = {
        {number::threadInGrid, "sdfgc::gpu::threadInGrid"},
        {number::threadInBlock, "sdfgc::gpu::threadInBlock"},
        {number::blockInGrid, "sdfgc::gpu::blockInGrid"},
        {number::threadX, "threadIdx.x"},
        {number::threadY, "threadIdx.y"},
        {number::threadZ, "threadIdx.z"},
    };
    for (const auto &[name, spelling] : numbers)
        if (n == name)
            return spelling;
    return BodyPrinter::functionName(n);
}

void KernelPrinter::useType(Type t) const {
    for (const std::string &topic : topicsOf(t))
        use(topic == "complex" ? "gpu_complex" : topic);
}

/// `__global__ void __launch_bounds__(256) `: the text before a kernel's name.
std::string KernelPrinter::head() const {
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

std::string KernelPrinter::templateHead() const {
    return f_.kernel && f_.kernel->index ? "template <class " + f_.kernel->index.str() + ">" : "";
}

/// The function that bounds the indices of a kernel with two types of them.
void KernelPrinter::companions() {
    if (!f_.kernel || !f_.kernel->index)
        return;
    std::string parameters;
    for (const Name n : f_.kernel->range.freeSymbols())
        parameters += (parameters.empty() ? "" : ", ") + ("sdfgc::gpu::Magnitude " + n.str());
    const std::string stride = f_.kernel->stride > 1 ? ", " + std::to_string(f_.kernel->stride) : "";
    w_.line();
    w_.line("// Bounds the indices of " + f_.name.str() + ".");
    w_.open("static sdfgc::gpu::IndexRange " + indexRangeName(f_) + "(" + parameters + ")");
    w_.line("return {" + sym(f_.kernel->range) + stride + "};");
    w_.close();
}

/// Kernels cannot index arrays of the host, so each kernel defines the constants that it uses.
void KernelPrinter::body() {
    for (const ConstantDef &c : m_.constants)
        if (c.isArray && std::any_of(f_.vars.begin(), f_.vars.end(),
                                     [&](const Variable &v) { return v.kind == VarKind::Constant && v.name == c.name; }))
            w_.line("static " + constantDefinition(c));
    statements(f_.body);
}

void KernelPrinter::print(const Barrier &b) {
    if (b.ofGrid)
        use("gpu_grid");
    w_.line(b.ofGrid ? "sdfgc::gpu::gridSync();" : "__syncthreads();");
}

void KernelPrinter::print(const For &f) {
    if (f.spread)
        spreadLoop(f);
    else
        BodyPrinter::print(f);
}

namespace {

constexpr const char *axisNames[] = {"x", "y", "z"};

} // namespace

std::string KernelPrinter::hardwareIndex(const Spread &s, const std::string &type) const {
    if (s.axis < 0)
        return s.level == Spread::Block ? "sdfgc::gpu::threadInBlock()" : "sdfgc::gpu::threadInGrid()";
    const std::string axis = axisNames[s.axis], block = type + "(blockIdx." + axis + ")", thread = "threadIdx." + axis;
    switch (s.level) {
    case Spread::Grid:
        return block;
    case Spread::Block:
        return type + "(" + thread + ")";
    case Spread::Threads:
        return block + " * blockDim." + axis + " + " + thread;
    }
    return "";
}

std::string KernelPrinter::hardwareCount(const Spread &s, const std::string &type) const {
    if (s.axis < 0)
        return s.level == Spread::Block ? "sdfgc::gpu::threadsInBlock()" : "sdfgc::gpu::threadsInGrid()";
    const std::string axis = axisNames[s.axis], blocks = type + "(gridDim." + axis + ")";
    switch (s.level) {
    case Spread::Grid:
        return blocks;
    case Spread::Block:
        return type + "(blockDim." + axis + ")";
    case Spread::Threads:
        return blocks + " * blockDim." + axis;
    }
    return "";
}

/// A loop whose iterations are distributed over blocks or threads: the loop variable is computed from the hardware's indices.
void KernelPrinter::spreadLoop(const For &f) {
    const Spread &s = *f.spread;
    const std::string name = var(f.var).name.str(), type = typeOf(var(f.var));
    const std::string index = hardwareIndex(s, type), stride = hardwareCount(s, type);
    const bool sum = index.find(" + ") != std::string::npos;
    std::string begin = index, step = stride;
    if (!f.step.isOne()) {
        begin = sym(f.step, Precedence::Multiplicative) + " * " + (sum ? "(" + index + ")" : index);
        step = sym(f.step, Precedence::Multiplicative) + " * " +
               (stride.find(" * ") == std::string::npos ? stride : "(" + stride + ")");
    }
    if (!f.begin.isZero())
        begin = sym(f.begin, Precedence::Additive) + " + " + begin;
    comment(f.comment);
    if (!s.once) {
        w_.line(unrolled(1)); // otherwise nvcc makes four copies of the body, and divides to count their iterations
        w_.open("for (" + type + " " + name + " = " + begin + "; " + condition(f) + "; " + name + " += " + step + ")");
    } else {
        w_.line("const " + type + " " + name + " = " + begin + ";");
        if (s.exact) {
            statements(f.body);
            return;
        }
        w_.open("if (" + condition(f) + ")");
    }
    statements(f.body);
    w_.close();
}

/// `target op= value` by each thread, or once for each block.
void KernelPrinter::atomicUpdate(const Update &u) {
    use(u.byBlock ? "gpu_reduce" : "gpu_atomic");
    const std::string function = (u.byBlock ? "block" : "atomic") + std::string(spellingOf(u.reduction).onDevice);
    w_.line((u.old ? varText(u.old) + " = " : "") + "sdfgc::gpu::" + function + "(&" + elementOf(u.target, u.targetIndices) + ", " +
            value(u.value) + (isCustom(u) ? ", " + value(u.lambda) : "") + ");");
}

} // namespace sdfgc::codegen
