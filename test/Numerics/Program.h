// Graphs of library nodes that are compiled and called, and interpreted, and compared with plain loops.
//
//   compiled("products", [](Program &p) {
//       Tensor A = p.array("A", "4, 5"), B = p.array("B", "5, 6"), C = p.array("C", "4, 6");
//       p.node("dace.libraries.blas.nodes.gemm.Gemm").in("_a", A).in("_b", B).out("_c", C).set("alpha", 2);
//       p.expect(C, [=](const Index &i) { return 2.0 * sum(5, [&](int64_t k) { return A({i[0], k}) * B({k, i[1]}); }); });
//   });
//
// Every node gets its own state and all containers are arguments, so that many nodes share one compilation. Values are small
// integers, so that sums and products are exact in every type.
#pragma once

#include "Graphs.h"

#include <complex>
#include <functional>
#include <map>
#include <memory>

namespace sdfgc::test {

using Number = std::complex<double>;
using Index = std::vector<int64_t>;

/// A container of the program and its contents before and after the call. Copies share the content.
class Tensor {
public:
    struct Content {
        std::string name;
        Type type;
        Index shape, strides;
        std::vector<Number> before, after; // by position in memory
        std::size_t position(const Index &i) const;
    };
    explicit Tensor(std::shared_ptr<Content> c) : content_(std::move(c)) {}
    const std::string &name() const { return content_->name; }
    const Index &shape() const { return content_->shape; }
    Content &content() const { return *content_; }
    /// An element before the call.
    Number operator()(const Index &i) const { return content_->before[content_->position(i)]; }
    /// Sets an element before the call.
    void set(const Index &i, Number v) const { content_->before[content_->position(i)] = v; }
    /// Calls a function with every index.
    void each(const std::function<void(const Index &)> &f) const;

private:
    std::shared_ptr<Content> content_;
};

/// A library node under construction.
class NodeBuilder {
public:
    NodeBuilder(Graph &g, LibraryNode *n) : graph_(g), node_(n) {}
    /// `subset` empty: the whole container.
    NodeBuilder &in(const std::string &connector, const Tensor &t, const std::string &subset = "");
    NodeBuilder &out(const std::string &connector, const Tensor &t, const std::string &subset = "", const std::string &wcr = "");
    NodeBuilder &set(const std::string &property, json::Value v);
    LibraryNode &node() { return *node_; }

private:
    Graph &graph_;
    LibraryNode *node_;
};

enum class Mode { Default, Pure, Emulated, Interpreted };

class Program {
public:
    Program(std::string name, Mode mode) : name_(std::move(name)), mode_(mode) { graph_.sdfg->name = Name(name_); }
    Mode mode() const { return mode_; }
    Graph &graph() { return graph_; }
    void symbol(const std::string &name, int64_t value);
    /// Shape and strides may use symbols; without strides it is packed in row-major order.
    Tensor array(const std::string &name, const std::string &shape, Type t = ScalarKind::Float64, const std::string &strides = "");
    NodeBuilder node(const std::string &classPath);
    /// The value that every element of the container must have after the call. `tolerance` is relative to the largest element.
    void expect(const Tensor &t, std::function<Number(const Index &)> value, double tolerance = 0);
    /// A condition that the contents must fulfil after the call.
    void check(std::function<bool()> condition, std::string what);
    /// Builds, calls, compares. Returns the errors, one per line.
    std::vector<std::string> run();

private:
    Index evaluate(const std::string &list) const;
    std::string build(const std::string &folder);
    std::string call(const std::string &library);
    std::string buildAndCall();
    /// Executes the unchanged graph; any report of the interpreter is an error of the graph.
    std::string interpret();

    std::string name_;
    Mode mode_;
    Graph graph_;
    bool first_ = true;
    std::map<std::string, int64_t> symbols_;
    std::map<std::string, Tensor> tensors_;
    std::vector<std::function<void(std::vector<std::string> &)>> checks_;
};

/// Runs the program built by `fill` with the libraries of the toolchain, with pure expansions, and interpreted.
void compiled(const std::string &name, const std::function<void(Program &)> &fill);
/// Runs it on the emulated device.
void emulated(const std::string &name, const std::function<void(Program &)> &fill);

/// The sum of f(0) ... f(n - 1).
Number sum(int64_t n, const std::function<Number(int64_t)> &f);

} // namespace sdfgc::test
