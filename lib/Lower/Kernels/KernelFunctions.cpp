// Kernels as functions.
#include "KernelFunctions.h"

#include "Lower/Expressions/Symbols.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Outline.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>
#include <cstdlib>

namespace sdfgc::tree::lowering {

using ir::MapEntry;

namespace {

/// Functions, such as those of BLAS and LAPACK, that tasklets of expanded library nodes call but no GPU provides.
bool isOfHost(std::string_view function) {
    const platform::Environment *e = platform::environmentOfCall(function);
    return e && e->side == platform::Environment::Side::Host;
}

/// The library functions that the block calls.
void addLibraryFunctions(const Block &b, std::set<Name> &names) {
    for (const NodePtr &n : b.body) {
        if (const auto *call = dyn_cast<LibraryCall>(n.get()))
            names.insert(Name(call->function));
        forEachBlock(std::as_const(*n), [&](const Block &inner) { addLibraryFunctions(inner, names); });
    }
}

/// Names that may be functions called by the block: library calls, and names in C++ text.
std::set<Name> calledNames(const Function &f, Block &b) {
    EffectTable table(f);
    std::set<Name> names;
    for (const NodePtr &n : b.body) {
        const Effects &m = table.of(*n);
        names.insert(m.inText.begin(), m.inText.end());
    }
    addLibraryFunctions(b, names);
    return names;
}

/// Does C++ code of the graph mention `std::complex` in a block?
bool namesStdComplex(const Block &b) {
    return std::any_of(b.body.begin(), b.body.end(), [](const NodePtr &n) {
        const auto *raw = dyn_cast<RawTasklet>(n.get());
        bool found = raw && raw->text.find("std::complex") != std::string::npos;
        forEachBlock(std::as_const(*n), [&found](const Block &inner) { found = found || namesStdComplex(inner); });
        return found;
    });
}

} // namespace

KernelShape kernelShape(const Instance &in, const MapEntry &m) {
    KernelShape shape;
    shape.threadBlocks = analysis::runByBlocks(m);
    for (std::size_t axis = 0; m.gpuBlockSize && axis < std::min<std::size_t>(3, m.gpuBlockSize->size()); ++axis)
        shape.block[axis] = printable(in, inVariables(in, (*m.gpuBlockSize)[axis]));
    for (std::size_t axis = 0; axis < std::min<std::size_t>(3, m.gpuGridLimit.size()); ++axis)
        shape.most[axis] = m.gpuGridLimit[axis].asInt().value_or(0);
    return shape;
}

Name nameKernel(LoweredProgram &program, const MapEntry &m) {
    return program.functionNames.take(identifierOf(m.label, "kernel_"), "_kernel");
}

std::unique_ptr<Launch> launchOf(const Instance &in, const MapEntry &m, const KernelShape &shape) {
    auto launch = std::make_unique<Launch>();
    launch->element = elementName(m);
    launch->block = shape.block;
    launch->stream = m.stream.value_or(0);
    in.usesStream(launch->stream);
    return launch;
}

KernelInfo kernelInfo(const MapEntry &m, const KernelShape &shape, Block &body) {
    KernelInfo info;
    // C++ code of the graph may synchronise threads: dace::warpReduce, in code left by DaCe's expansions of reductions, does.
    info.barriers = shape.reduces || contains(body, TreeKind::Barrier) || contains(body, TreeKind::RawTasklet) ||
                    contains(body, TreeKind::LibraryCall);
    sym::Expr threads = shape.block[0] * shape.block[1] * shape.block[2];
    info.maxThreads = m.gpuLaunchBounds == "0" ? threads.asInt().value_or(0)
                                               : std::max<int64_t>(0, std::strtoll(m.gpuLaunchBounds.c_str(), nullptr, 10));
    info.minBlocks = m.gpuMinWarpsPerEu;
    info.maxRegisters = m.gpuMaxNReg;
    return info;
}

void finishKernel(const Instance &in, const MapEntry &m, Name name, Block body, const KernelInfo &info, Launch &launch) {
    auto typeOf = [&](Name n) {
        if (auto it = in.fn->facts.find(n); it != in.fn->facts.end() && in.fn->names.visible(n))
            return it->second.type;
        // A host scalar used in an index.
        const Table<VarId, Variable> &vars = in.function().vars;
        auto v = std::find_if(vars.begin(), vars.end(), [n](const Variable &x) { return x.name == n && x.kind == VarKind::Value; });
        return v != vars.end() && in.fn->names.visible(n) ? v->type : Type();
    };
    auto refuse = [&](const Variable &v, Obstacle why) {
        if (why == Obstacle::Written)
            in.error(diag::Id::KernelWritesValue, analysis::placeOf(m), m.label, v.name);
        else
            in.error(diag::Id::KernelVariable, analysis::placeOf(m), m.label, v.name);
    };
    if (!in.options().emulate)
        for (Name n : calledNames(in.function(), body))
            if (isOfHost(n.view()))
                in.error(diag::Id::KernelCallsHost, analysis::placeOf(m), m.label, n.str());
    if (!in.options().emulate && in.options().vendor() == platform::Device::Cuda && namesStdComplex(body))
        in.error(diag::Id::KernelNamesComplex, analysis::placeOf(m), m.label);
    Outlined outlined = outline(in.function(), std::move(body), name, typeOf, refuse);
    if (outlined.function->needsState)
        in.error(diag::Id::KernelVariable, analysis::placeOf(m), m.label, "__state");
    outlined.function->comment = "kernel " + m.label;
    outlined.function->kernel = info;
    launch.arguments = std::move(outlined.arguments);
    launch.function = in.module().functions.add(std::move(outlined.function));
}

} // namespace sdfgc::tree::lowering
