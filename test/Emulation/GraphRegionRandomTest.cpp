// Random regions with arguments that change from call to call: a graph gives what the host path gives, whatever nodes are absent, and
// is built at most once for each set of nodes that are present.
#include "GraphFixture.h"

#include "sdfgc/rt/gpu_graph.h"

#include <random>
#include <set>

namespace {

constexpr int arrays = 4, sizes = 3;
constexpr int64_t length = 40;

SDFGC_KERNEL void combine(const double *in, double *out, double factor, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = out[i] * 0.5 + in[i] * factor + 1;
}

struct Inputs {
    double *array[arrays];
    int64_t size[sizes];
    double factor;
};

struct Node {
    enum Kind { Combine, Copy, Fill } kind;
    int from, to, size;
    std::vector<int> after; // reduced: what others lead to is left out
};

struct Region {
    std::vector<Node> nodes;

    explicit Region(std::mt19937 &random) {
        const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
        std::vector<std::set<int>> before;
        for (int i = 0, count = 3 + below(7); i < count; ++i) {
            Node node{static_cast<Node::Kind>(below(3)), below(arrays), below(arrays), below(sizes), {}};
            if (node.from == node.to)
                node.from = (node.to + 1) % arrays;
            before.emplace_back();
            for (int j = i; j-- > 0;) {
                const Node &other = nodes[static_cast<size_t>(j)];
                const bool reads = node.kind != Node::Fill && node.from == other.to;
                const bool isRead = other.kind != Node::Fill && other.from == node.to;
                if ((!reads && !isRead && node.to != other.to) || before.back().count(j) != 0)
                    continue;
                node.after.push_back(j);
                before.back().insert(j);
                before.back().insert(before[static_cast<size_t>(j)].begin(), before[static_cast<size_t>(j)].end());
            }
            nodes.push_back(node);
        }
    }

    void describe(gpu::GraphNodes &g, const Inputs &in) const {
        std::vector<int> numbers;
        for (const Node &node : nodes) {
            int after[8] = {}; // an initializer_list has its length from the source
            size_t count = 0;
            for (const int before : node.after)
                after[count++] = numbers[static_cast<size_t>(before)];
            double *const to = in.array[node.to], *const from = in.array[node.from];
            const int64_t n = in.size[node.size];
            const auto add = [&](gpu::GraphNodes::After list) {
                if (node.kind == Node::Combine)
                    return g.kernel<combine>({.name = "combine"}, list, gpu::blocks(n, 16), 16, from, to, in.factor, n);
                return node.kind == Node::Copy ? g.copyOnDevice(list, to, from, n) : g.fill(list, to, n, 0.0);
            };
            switch (count) {
            case 0:
                numbers.push_back(add({}));
                break;
            case 1:
                numbers.push_back(add({after[0]}));
                break;
            case 2:
                numbers.push_back(add({after[0], after[1]}));
                break;
            default: // repeated numbers count once
                numbers.push_back(add({after[0], after[1], after[2], after[3 % count], after[4 % count], after[5 % count],
                                       after[6 % count], after[7 % count]}));
            }
        }
    }
    void host(std::vector<std::vector<double>> &values, const int *place, const Inputs &in) const {
        for (const Node &node : nodes)
            for (int64_t i = 0; i < in.size[node.size]; ++i) {
                double &out = values[size_t(place[node.to])][size_t(i)];
                const double from = values[size_t(place[node.from])][size_t(i)];
                out = node.kind == Node::Fill ? 0 : node.kind == Node::Copy ? from : out * 0.5 + from * in.factor + 1;
            }
    }
    /// Which nodes are there.
    std::vector<bool> present(const Inputs &in) const {
        std::vector<bool> result;
        for (const Node &node : nodes)
            result.push_back(in.size[node.size] > 0);
        return result;
    }
};

void callOften(unsigned seed) {
    const Fresh fresh(seed % 9);
    std::mt19937 random(seed);
    const Region region(random);
    gpu::Program program;
    program.open(1, 0);
    gpu::Graph graph("region");
    std::vector<std::vector<double>> values(arrays, std::vector<double>(size_t(length), 1.0));
    const Device<double> memory[arrays] = {Device<double>(values[0], "A"), Device<double>(values[1], "B"),
                                           Device<double>(values[2], "C"), Device<double>(values[3], "D")};
    REQUIRE(gpu::deviceSynchronize() == gpu::success);
    std::set<std::vector<bool>> shapes;
    const int64_t lengths[] = {0, 5, 33, length};
    for (int call = 0; call < 25; ++call) {
        int place[arrays] = {0, 1, 2, 3};
        std::shuffle(place, place + arrays, random);
        Inputs in{};
        for (int i = 0; i < arrays; ++i)
            in.array[i] = memory[place[i]].data;
        for (int64_t &size : in.size)
            size = lengths[random() % 4];
        in.factor = double(random() % 3);
        const std::vector<bool> shape = region.present(in);
        if (std::find(shape.begin(), shape.end(), true) != shape.end())
            shapes.insert(shape);
        graph.run(
            program, 0, in, [&](gpu::GraphNodes &g, const Inputs &now) { region.describe(g, now); }, [] { FAIL("the host path"); });
        region.host(values, place, in);
    }
    program.finish();
    for (int i = 0; i < arrays; ++i)
        CHECK(memory[i].get() == values[size_t(i)]);
    // At most 7 sets of nodes, so that none is evicted; different sets may make the same graph.
    CHECK(graph.info().builds >= 1);
    CHECK(graph.info().builds <= int64_t(shapes.size()));
    CHECK(graph.info().evictions == 0);
    INFO("last report: " << gpu::emulate::lastReport());
    CHECK(gpu::emulate::reportCount() == 0);
}

} // namespace

TEST_CASE("random regions with random arguments") {
    for (unsigned seed = 0; seed < 120; ++seed) {
        INFO("region " << seed);
        callOften(seed);
    }
}
