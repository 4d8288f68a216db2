// Random graphs: the emulation reports exactly the pairs of nodes that access the same element without an order, and graphs with
// all necessary edges give the results of executing the nodes in the order in which they were added.
#include "GraphFixture.h"

#include <random>

namespace {

template <class T> SDFGC_KERNEL void move(const T *in, T *out, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = static_cast<T>(in[i] * 3 + 1);
}
/// In one thread; a compiler may use wide instructions for it.
template <class T> SDFGC_KERNEL void moveInOne(const T *in, T *out, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
        out[i] = static_cast<T>(in[i] * 3 + 1);
}

struct Piece {
    int array = 0;
    int64_t begin = 0, count = 0;
    bool meets(const Piece &other) const {
        return array == other.array && begin < other.begin + other.count && other.begin < begin + count;
    }
};

struct Node {
    enum Kind { Kernel, One, Copy, Fill } kind = Kernel;
    Piece read, write; // a fill reads nothing
    std::vector<size_t> after;
    bool meets(const Node &other) const {
        return write.meets(other.write) || (other.kind != Fill && write.meets(other.read)) ||
               (kind != Fill && other.write.meets(read));
    }
};

template <class T> class RandomGraph {
public:
    RandomGraph(unsigned seed, int64_t length) : random_(seed), length_(length) {
        const size_t count = 2 + below(7);
        for (size_t i = 0; i < count; ++i) {
            Node node;
            node.kind = static_cast<typename Node::Kind>(below(4));
            node.read = piece();
            node.write = piece();
            node.read.count = node.write.count = std::min(node.read.count, node.write.count);
            if (node.kind == Node::Copy && node.read.meets(node.write))
                node.kind = Node::Kernel;
            if ((node.kind == Node::Kernel || node.kind == Node::One) && node.read.meets(node.write))
                node.read = node.write; // the order among its own threads is irrelevant
            for (size_t before = 0; before < i; ++before)
                if (below(4) == 0)
                    node.after.push_back(before);
            nodes_.push_back(node);
        }
    }

    /// The number of pairs that need an edge and have no path between them.
    int missing() const {
        int count = 0;
        std::vector<std::vector<bool>> before(nodes_.size(), std::vector<bool>(nodes_.size()));
        for (size_t i = 0; i < nodes_.size(); ++i) {
            for (const size_t a : nodes_[i].after)
                for (size_t j = 0; j < nodes_.size(); ++j)
                    before[i][j] = before[i][j] || j == a || before[a][j];
            for (size_t j = 0; j < i; ++j)
                count += !before[i][j] && nodes_[i].meets(nodes_[j]);
        }
        return count;
    }
    void addEdges() {
        for (size_t i = 0; i < nodes_.size(); ++i)
            for (size_t j = 0; j < i; ++j)
                if (nodes_[i].meets(nodes_[j]) &&
                    std::find(nodes_[i].after.begin(), nodes_[i].after.end(), j) == nodes_[i].after.end())
                    nodes_[i].after.push_back(j);
    }

    /// The arrays after a launch.
    std::vector<T> run() const {
        std::vector<T> initial(size_t(length_), T(1));
        const Device<T> arrays[2] = {Device<T>(initial, "A"), Device<T>(initial, "B")};
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        Plan plan;
        std::vector<gpu::GraphNode> made;
        for (const Node &node : nodes_) {
            std::vector<gpu::GraphNode> after;
            for (const size_t before : node.after)
                after.push_back(made[before]);
            made.push_back(add(plan, node, after, arrays[node.read.array].data + node.read.begin,
                               arrays[node.write.array].data + node.write.begin));
        }
        plan.instantiate();
        plan.launch();
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        std::vector<T> result = arrays[0].get();
        const std::vector<T> second = arrays[1].get();
        result.insert(result.end(), second.begin(), second.end());
        return result;
    }
    /// The same on the host, sequentially.
    std::vector<T> expected() const {
        std::vector<T> all(size_t(2 * length_), T(1));
        for (const Node &node : nodes_) {
            const T *in = all.data() + node.read.array * length_ + node.read.begin;
            T *out = all.data() + node.write.array * length_ + node.write.begin;
            for (int64_t i = 0; i < node.write.count; ++i)
                out[i] = node.kind == Node::Fill ? T(0) : node.kind == Node::Copy ? in[i] : static_cast<T>(in[i] * 3 + 1);
        }
        return all;
    }

private:
    size_t below(size_t n) { return random_() % n; }
    Piece piece() {
        const int64_t begin = int64_t(below(size_t(length_)));
        return {static_cast<int>(below(2)), begin, 1 + int64_t(below(size_t(std::min<int64_t>(length_ - begin, 1 + length_ / 3))))};
    }
    static gpu::GraphNode add(Plan &plan, const Node &node, const std::vector<gpu::GraphNode> &after, const T *in, T *out) {
        gpu::GraphNode made = nullptr;
        const size_t bytes = size_t(node.write.count) * sizeof(T);
        const auto kernel = [&](const gpu::KernelNodeParams &params) {
            return gpu::graphAddKernelNode(made, plan.graph, after.data(), after.size(), params);
        };
        gpu::Status status = gpu::success;
        const gpu::Launch how{.name = "k"};
        if (node.kind == Node::Kernel)
            status = kernel(Arguments<move<T>>(in, out, node.write.count).node(how, gpu::blocks(node.write.count, 64), 64));
        else if (node.kind == Node::One)
            status = kernel(Arguments<moveInOne<T>>(in, out, node.write.count).node(how, 1, 1));
        else if (node.kind == Node::Copy)
            status = gpu::graphAddMemcpyNode1D(made, plan.graph, after.data(), after.size(), out, in, bytes,
                                               gpu::CopyKind::DeviceToDevice);
        else
            status = gpu::graphAddMemsetNode(made, plan.graph, after.data(), after.size(), {out, 0, 0, 1, bytes, 1});
        REQUIRE(status == gpu::success);
        return made;
    }

    std::mt19937 random_;
    int64_t length_;
    std::vector<Node> nodes_;
};

/// The total number of missing edges.
template <class T> int compare(int64_t length, unsigned graphs) {
    int missing = 0;
    for (unsigned number = 0; number < graphs; ++number) {
        INFO("graph " << number << " of " << length << " elements of " << sizeof(T) << " bytes");
        RandomGraph<T> graph(number, length);
        missing += graph.missing();
        {
            const Fresh fresh(number % 9);
            (void)graph.run();
            INFO(gpu::emulate::lastReport());
            CHECK(gpu::emulate::reportCount() == graph.missing());
        }
        graph.addEdges();
        const Fresh fresh(number % 9);
        CHECK(graph.run() == graph.expected());
        CHECK(gpu::emulate::reportCount() == 0);
    }
    return missing;
}

} // namespace

TEST_CASE("random graphs: missing edges are all reported, and nothing else is") {
    CHECK(compare<double>(12, 150) > 100);
    CHECK(compare<float>(40, 150) > 100);
    CHECK(compare<int8_t>(40, 150) > 100);
    CHECK(compare<int64_t>(3000, 60) > 50); // several pages
}
