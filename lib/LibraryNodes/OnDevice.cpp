#include "OnDevice.h"

#include "Expansion.h"

#include "sdfgc/Analysis/Communication.h"
#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::libnodes {

std::string whyNoDeviceSolver(const ir::LibraryNode &n, Type t, const pass::CompileOptions &options) {
    if (n.implementation == "pure")
        return "the node requests it";
    if (options.vendor() == platform::Device::OpenCl)
        return "OpenCL has no solvers";
    const bool isBlas = n.libraryName() == "blas";
    if (options.emulate && !options.has(isBlas ? "openblas" : "lapacke"))
        return isBlas ? "the toolchain has no BLAS" : "the toolchain has no LAPACKE";
    return blasLetter(t) ? "" : (isBlas ? "BLAS" : "LAPACK") + std::string(" has no routine for ") + t.str();
}

std::string whyNoDeviceSparse(const ir::LibraryNode &n, const pass::CompileOptions &options) {
    if (n.implementation == "pure")
        return "the node requests it";
    if (options.vendor() == platform::Device::OpenCl)
        return "OpenCL has no sparse matrices";
    auto typeAt = [&](Name connector, bool input) {
        const ir::Edge *e = input ? n.inEdge(connector) : n.outEdge(connector);
        const ir::DataDesc *d = e ? n.state()->sdfg()->desc(e->memlet.data) : nullptr;
        return d ? d->dtype : Type();
    };
    const Type value = typeAt("_c", false), index = typeAt("_a_rows", true);
    if (!blasLetter(value) || typeAt("_a_vals", true) != value || typeAt("_b", true) != value ||
        (n.inEdge("_cin") && typeAt("_cin", true) != value))
        return "the device's library has no product for these types of elements";
    if (typeAt("_a_cols", true) != index || !(index == Type(ScalarKind::Int32) || index == Type(ScalarKind::Int64)))
        return "the device's library requires rows and columns of the same type, int32 or int64";
    return "";
}

std::string whyNoDeviceTransform(const ir::LibraryNode &n, std::size_t rank, const pass::CompileOptions &options) {
    if (n.implementation == "pure")
        return "the node requests it";
    if (options.vendor() == platform::Device::OpenCl)
        return "OpenCL has no Fourier transforms";
    if (options.emulate && !options.has("fftw3"))
        return "the toolchain has no FFTW";
    return rank <= 3 ? "" : "the device's library has no transforms of " + std::to_string(rank) + " dimensions";
}

namespace {

/// Nodes without a parallel expansion: sequences of dependent steps, or loops over rows of unknown length. A single GPU thread
/// would take far longer than the host.
enum class ExpansionKind { Parallel, Solver, Sparse, Transform };
struct DeviceRow {
    ExpansionKind kind = ExpansionKind::Parallel;
};
constexpr DeviceRow deviceRows[] = {
#define SDFGC_LIBRARY_NODE(Class, Library, Expander, Implementations, Summary) {
#define SDFGC_LIBRARY_NODE_DEVICE(Name) ExpansionKind::Name
#define SDFGC_LIBRARY_NODE_FACTS(Pure, Types, Calls, When, Device)                                                                 \
    }                                                                                                                              \
    ,
#include "sdfgc/Analysis/LibraryNodes.def"
};

std::size_t rankOf(const ir::Edge &written) {
    const auto subset = ir::destinationSubset(&written);
    return subset ? static_cast<std::size_t>(std::count_if(subset->dims.begin(), subset->dims.end(),
                                                           [](const sym::Range &r) { return !r.size().isOne(); }))
                  : 0;
}

} // namespace

std::string whyOnHost(const ir::LibraryNode &n, const pass::CompileOptions &options) {
    if (analysis::communicationOf(n))
        return "MPI sends and receives in host memory";
    const auto row = analysis::libraryRow(n);
    const ExpansionKind kind = row ? deviceRows[*row].kind : ExpansionKind::Parallel;
    if (kind == ExpansionKind::Parallel)
        return "";
    auto descOf = [&](const ir::Edge *e) { return e->memlet.data ? n.state()->sdfg()->desc(e->memlet.data) : nullptr; };
    auto isHosts = [](const ir::DataDesc *d) { return d && d->storage != ir::Storage::GPU_Global; };
    for (const ir::Edge *e : n.inEdges())
        if (isHosts(descOf(e)))
            return "`" + e->memlet.data.str() + "` is in host memory";
    for (const ir::Edge *e : n.outEdges())
        if (e->srcConn != "_ipiv" && e->srcConn != "_res" && isHosts(descOf(e))) // these are copied at the end
            return "`" + e->memlet.data.str() + "` is in host memory";
    if (kind == ExpansionKind::Sparse)
        return whyNoDeviceSparse(n, options);
    for (const ir::Edge *e : kind == ExpansionKind::Transform ? n.outEdges() : n.inEdges()) {
        const ir::DataDesc *d = descOf(e);
        if (!d || e->dstConn == "_ipiv")
            continue;
        const std::string why = kind == ExpansionKind::Transform ? whyNoDeviceTransform(n, rankOf(*e), options)
                                                                 : whyNoDeviceSolver(n, d->dtype, options);
        if (!why.empty())
            return why;
    }
    return "";
}

} // namespace sdfgc::libnodes
