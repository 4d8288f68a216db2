// Random regions with arguments that change from call to call: graph and host path give the same results for any set of absent
// nodes, and a graph is built at most once for each set of present nodes.
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
    std::vector<int> after; // reduced: transitive edges are omitted
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
            int after[8] = {}; // the length of an initializer_list is fixed in the source
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
    /// The host path.
    void queue(gpu::Program &program, const Inputs &in) const {
        for (const Node &node : nodes) {
            double *const to = in.array[node.to], *const from = in.array[node.from];
            const int64_t n = in.size[node.size];
            if (node.kind == Node::Combine)
                program.launch<combine>(0, {.name = "combine"}, gpu::blocks(n, 16), 16, from, to, in.factor, n);
            else if (node.kind == Node::Copy)
                program.copyOnDevice(0, to, from, n);
            else
                program.fill(0, to, n, 0.0);
        }
    }
    /// The contents of the arrays afterwards.
    void host(std::vector<std::vector<double>> &values, const int *place, const Inputs &in) const {
        for (const Node &node : nodes)
            for (int64_t i = 0; i < in.size[node.size]; ++i) {
                double &out = values[size_t(place[node.to])][size_t(i)];
                const double from = values[size_t(place[node.from])][size_t(i)];
                out = node.kind == Node::Fill ? 0 : node.kind == Node::Copy ? from : out * 0.5 + from * in.factor + 1;
            }
    }
    /// The set of present nodes.
    std::vector<bool> present(const Inputs &in) const {
        std::vector<bool> result;
        for (const Node &node : nodes)
            result.push_back(in.size[node.size] > 0);
        return result;
    }
};

/// A region with its device memory and the expected contents.
struct Calls {
    std::mt19937 random;
    Region region;
    gpu::Program program;
    gpu::Graph graph;
    std::vector<std::vector<double>> values{arrays, std::vector<double>(size_t(length), 1.0)};
    const Device<double> memory[arrays] = {{values[0], "A"}, {values[1], "B"}, {values[2], "C"}, {values[3], "D"}};
    int place[arrays] = {0, 1, 2, 3};
    int64_t hostPaths = 0;

    explicit Calls(unsigned seed, int entries) : random(seed), region(random), graph("region", entries) {
        program.open(1, 0);
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
    }

    Inputs inputs() {
        const int64_t lengths[] = {0, 5, 33, length};
        Inputs in{};
        std::shuffle(place, place + arrays, random);
        for (int i = 0; i < arrays; ++i)
            in.array[i] = memory[place[i]].data;
        for (int64_t &size : in.size)
            size = lengths[random() % 4];
        in.factor = double(random() % 3);
        return in;
    }
    void call(const Inputs &in) {
        graph.run(
            program, 0, in, [&](gpu::GraphNodes &g, const Inputs &now) { region.describe(g, now); },
            [&] {
                ++hostPaths;
                region.queue(program, in);
            });
        region.host(values, place, in);
    }
    void compare() {
        program.finish();
        for (int i = 0; i < arrays; ++i)
            CHECK(memory[i].get() == values[size_t(i)]);
        INFO("last report: " << gpu::emulate::lastReport());
        CHECK(gpu::emulate::reportCount() == 0);
    }
};

bool isAny(const std::vector<bool> &shape) { return std::find(shape.begin(), shape.end(), true) != shape.end(); }

} // namespace

TEST_CASE("random regions with random arguments") {
    for (unsigned seed = 0; seed < 120; ++seed) {
        INFO("region " << seed);
        const Fresh fresh(seed % 9);
        Calls calls(seed, 8);
        std::set<std::vector<bool>> shapes;
        for (int i = 0; i < 25; ++i) {
            const Inputs in = calls.inputs();
            if (isAny(calls.region.present(in)))
                shapes.insert(calls.region.present(in));
            calls.call(in);
        }
        calls.compare();
        CHECK(calls.hostPaths == 0);
        // At most 7 sets of nodes, so that none is evicted; different sets may give the same graph.
        const gpu::GraphInfo &info = calls.graph.info();
        CHECK(info.builds >= 1);
        CHECK(info.builds <= int64_t(shapes.size()));
        CHECK(info.evictions == 0);
    }
}

TEST_CASE("random regions in trouble: no memory for graphs, captures, evictions and new beginnings") {
    for (unsigned seed = 0; seed < 120; ++seed) {
        INFO("region " << seed);
        const Fresh fresh(seed % 9);
        Calls calls(seed, 1 + int(seed % 3));
        int64_t hostPaths = 0, launches = 0, nothing = 0;
        const gpu::GraphInfo &info = calls.graph.info();
        for (int i = 0; i < 40; ++i) {
            const Inputs in = calls.inputs();
            const unsigned trouble = calls.random() % 12;
            if (trouble == 0)
                setenv("SDFGC_EMULATE_GRAPHS", "fail-instantiate", 1);
            gpu::emulate::pretendCapture(calls.program.stream(0), trouble == 1);
            if (trouble == 2) {
                launches += info.launches;
                hostPaths += info.hostPath;
                calls.graph.reset();
            }
            const int64_t before = info.launches + info.hostPath;
            calls.call(in);
            nothing += info.launches + info.hostPath == before;
            CHECK(info.entries <= 1 + int(seed % 3));
            CHECK(info.builds - info.evictions >= info.entries);
            unsetenv("SDFGC_EMULATE_GRAPHS");
        }
        calls.compare();
        CHECK(calls.hostPaths == hostPaths + info.hostPath);
        CHECK(launches + info.launches + calls.hostPaths + nothing == 40);
        CHECK(gpu::getLastError() == gpu::success);
    }
}
