// Reduce on the device by CUB or rocPRIM, for nodes that request it (`CUDA (device)`, DaCe's name for its CUB expansion).
//
//   out[i] = sum over j of in[i, j]        gpu::reduce<gpu::Sum>(stream, in, rows, columns, out)
//
// The libraries reduce rows: elements that follow each other in memory, row after row, into elements of the same type. They start
// from the neutral value; another initial value, the output's old contents, and the output's conflict resolution are applied
// afterwards by a map over a temporary:
//
//   _total[:] = the library's reduction;   out[i] = f(out[i], _total[i])
//
// ReduceDevice.cpp handles everything else. The call is one of runtime-headers/sdfgc/rt/gpu_primitives.h.
#include "ReducePlan.h"

#include "sdfgc/Support/FloatText.h"

#include <limits>

namespace sdfgc::libnodes {

using namespace ir;

namespace {

/// A function in gpu_reduce.h, and its neutral value if that is a number.
struct Operation {
    py::Reduction kind;
    const char *name;
    std::optional<double> neutral;
};
constexpr Operation operations[] = {
    {py::Reduction::Sum, "Sum", 0},
    {py::Reduction::Product, "Product", 1},
    {py::Reduction::Min, "Min", std::nullopt},
    {py::Reduction::Max, "Max", std::nullopt},
    {py::Reduction::BitAnd, "And", std::nullopt},
    {py::Reduction::BitOr, "Or", 0},
    {py::Reduction::BitXor, "Xor", 0},
    {py::Reduction::LogicalAnd, "LogicalAnd", 1},
    {py::Reduction::LogicalOr, "LogicalOr", 0},
    {py::Reduction::LogicalXor, "LogicalXor", 0},
};
const Operation *operationOf(py::Reduction kind) {
    const auto *at =
        std::find_if(std::begin(operations), std::end(operations), [kind](const Operation &o) { return o.kind == kind; });
    return at == std::end(operations) ? nullptr : at;
}
const Operation *operationOf(const std::string &wcr) {
    const auto function = py::parseWcr(wcr);
    return function.value ? operationOf(function.value->kind) : nullptr;
}

bool isNumber(const std::string &text, std::optional<double> value) { return value && numberIn(text) == value; }

/// DaCe's front ends let minima and maxima start from the largest finite numbers; the library starts from infinities, which is what
/// they mean.
std::optional<double> finiteStart(py::Reduction kind, Type t) {
    if (kind != py::Reduction::Min && kind != py::Reduction::Max)
        return std::nullopt;
    const double sign = kind == py::Reduction::Min ? 1 : -1;
    if (t == Type(ScalarKind::Float32))
        return sign * std::numeric_limits<float>::max();
    return t == Type(ScalarKind::Float64) ? std::optional(sign * std::numeric_limits<double>::max()) : std::nullopt;
}

} // namespace

std::string_view deviceReduction(py::Reduction kind) {
    const Operation *operation = operationOf(kind);
    return operation ? operation->name : std::string_view();
}

std::string Reduce::operation() const { return operationOf(wcr_)->name; }

/// Does the reduction start from the neutral value?
bool Reduce::startsNeutral() const {
    const Operation *operation = operationOf(wcr_);
    return !identity_ || *identity_ == *neutral_ ||
           (operation &&
            (isNumber(*identity_, operation->neutral) || isNumber(*identity_, finiteStart(operation->kind, out_.type))));
}

diag::Reason Reduce::whyNoPrimitive() {
    using diag::Why;
    if (x_.context().options.vendor() == platform::Device::OpenCl)
        return {Why::Library, "OpenCL has no library of reductions"};
    if (inOrder())
        return {Why::Contract, "the library uses its own order"};
    if (!neutral_ || !operationOf(wcr_))
        return {Why::Library, "the library does not have its function"};
    if (in_.type != out_.type)
        return {Why::Layout, "input and output differ in type"};
    if (!in_.type.isInteger() && !in_.type.isBool() && !blasLetter(in_.type))
        return {Why::Library, "the library has no reduction for " + in_.type.str()};
    if (reduced_.size() != 1 || reduced_.front() + 1 != in_.rank() || !x_.inner().desc("_in")->isPackedC())
        return {Why::Layout, "the reduced elements are not contiguous rows"};
    if (!startsNeutral() && !outerWcr_.empty())
        return {Why::Update, "it has both an identity and conflict resolution"};
    return {};
}

void Reduce::byPrimitive() {
    const bool direct = outerWcr_.empty() && identity_ && startsNeutral() && x_.inner().desc("_out")->isPackedC();
    std::vector<sym::Expr> kept;
    for (std::size_t d : kept_)
        kept.push_back(in_.shape[d]);
    if (kept.empty())
        kept.emplace_back(1); // an array, which stays in device memory
    const Name target = direct ? Name("_out") : x_.temporary("_total", out_.type, kept, Storage::GPU_Global);
    LibraryCall call;
    call.environment = "GpuPrimitives";
    call.function = "gpuPrimitives.reduce";
    call.arguments = {cppWord("sdfgc::gpu::" + operation() + "()"), "_in_in", x_.word("rows", product(kept_)),
                      x_.word("size", product(reduced_)), "_out" + target.str()};
    x_.call(x_.addState("reduce"), "reduce", {"_in"}, {target}, call);
    if (!direct) {
        if (!startsNeutral())
            x_.mapped(x_.addState("init"), "init", params(kept_), {}, {{"o", "_out", index(kept_), ""}}, "o = " + *identity_);
        const bool overwrite = outerWcr_.empty() && identity_ && startsNeutral();
        x_.mapped(x_.addState("combine"), "combine", params(kept_), {{"i", target, index(kept_), ""}},
                  {{"o", "_out", index(kept_),
                    overwrite           ? ""
                    : outerWcr_.empty() ? wcr_
                                        : outerWcr_}},
                  "o = i");
    }
    x_.took(platform::titleOf("gpuprimitives", x_.context().options.vendor()), "the node requests it");
}

} // namespace sdfgc::libnodes
