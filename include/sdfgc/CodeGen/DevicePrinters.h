// Printers for device programs: kernels, and host code that queues operations or describes them as a graph. The printers use names
// that all vendors share; runtime-headers/sdfgc/rt/gpu maps them to each vendor's runtime.
#pragma once

#include "sdfgc/CodeGen/HostPrinter.h"

namespace sdfgc::codegen {

/// The name of the function that bounds the indices of a kernel with two types of them.
inline std::string indexRangeName(const tree::Function &kernel) { return kernel.name.str() + "_range"; }

/// Host code that queues operations on streams. A function whose operations form a graph has two forms: a lambda that
/// describes the nodes (GraphPrinter), and one that queues the operations, for calls without a graph.
class QueuePrinter : public HostPrinter {
public:
    using HostPrinter::HostPrinter;

protected:
    using HostPrinter::print;
    void print(const tree::Allocate &a) override;
    void print(const tree::Release &r) override;
    void print(const tree::LibraryCall &c) override;
    void print(const tree::Launch &l) override;
    void print(const tree::DeviceCopy &c) override;
    void print(const tree::DeviceFill &f) override;
    void print(const tree::Synchronise &s) override;
    void print(const tree::EventRecord &r) override;
    void print(const tree::EventWait &e) override;
    std::string measurement(const tree::Measure &m) const override;
    void body() override;
    std::string functionName(Name n) const override;
    Owner owner(tree::VarKind kind) const override;

    // ---- how an operation is printed
    static std::string instances(const tree::Function &kernel);
    std::string indexRange(const tree::Launch &l, const tree::Function &kernel) const;
    /// `__state->gpu.launch<k>(0, ` + how: the beginning of a launch.
    virtual std::string launchCall(const tree::Launch &l, const std::string &kernel, const std::string &how) const;
    /// `__state->gpu.name(0`: the beginning of another operation.
    virtual std::string operation(const char *name, int stream, const tree::GraphNode &g) const;
    virtual void operationComment(const tree::Node &n, const tree::GraphNode &) { comment(n.comment); }
};

/// The operations of a function as nodes of a graph. Each takes the nodes that precede it instead of a stream.
class GraphPrinter final : public QueuePrinter {
public:
    GraphPrinter(const tree::Module &m, const tree::Function &f, const Output &out);
    /// The description of all nodes.
    void nodes() { statements(f_.body); }

protected:
    using QueuePrinter::print;
    void print(const tree::LibraryCall &c) override;
    void print(const tree::Loop &l) override;
    bool isLeftOut(const Block &b, std::size_t i) const override;
    std::string launchCall(const tree::Launch &l, const std::string &kernel, const std::string &how) const override;
    std::string operation(const char *name, int stream, const tree::GraphNode &g) const override;
    void operationComment(const tree::Node &n, const tree::GraphNode &g) override;

private:
    std::string after(const tree::GraphNode &g) const;
    bool bringsFlag(const tree::Node &n) const;

    std::set<tree::VarId> flags_; // host copies
};

/// Kernels, and functions that kernels call.
class KernelPrinter : public BodyPrinter {
public:
    KernelPrinter(const tree::Module &m, const tree::Function &f, const Output &out, bool inOpenCl = false)
        : BodyPrinter(m, f, out, inOpenCl) {
        values_.inKernel = true;
    }

protected:
    using BodyPrinter::print;
    void print(const tree::For &f) override;
    void print(const tree::Barrier &b) override;
    std::string head() const override;
    std::string templateHead() const override;
    void companions() override;
    std::string linkageOf(const std::string &) const override { return ""; }
    void body() override;
    std::string typeName(Type t) const override { return t.kernelName(); }
    void useType(Type t) const override;
    std::string functionName(Name n) const override;
    Owner owner(tree::VarKind) const override { return {"gpu_heap", "gpu::ThreadBuffer"}; }
    void atomicUpdate(const tree::Update &u) override;
    std::string unrolled(int64_t times) const override { return "SDFGC_UNROLL(" + std::to_string(times) + ")"; }
    /// The number of the block or thread that runs an iteration of a loop that is spread over them, and how many there are.
    virtual std::string hardwareIndex(const tree::Spread &s, const std::string &type) const;
    virtual std::string hardwareCount(const tree::Spread &s, const std::string &type) const;

private:
    void spreadLoop(const tree::For &f);
};

} // namespace sdfgc::codegen
