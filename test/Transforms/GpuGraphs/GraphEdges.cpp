// The edges of GPU graphs of random programs, with and without loops: each is needed, and none is implied by others.
#include "Transforms/MakePass.h"
#include "Transforms/PassRun.h"

#include "sdfgc/Tree/Verify.h"
#include "sdfgc/Tree/Walk.h"

#include <random>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Kernels, copies and library calls on four arrays in device memory, in two states.
std::string operations(unsigned seed, bool loop) {
    std::mt19937 random(seed);
    const auto name = [&random] { return "d" + std::to_string(random() % 4); };
    std::string body;
    int number = 0;
    for (const char *label : {"first", "second"}) {
        if (loop && body.size() > 0)
            body += "state look {\ngo[0] -> host[0] (Linear)\n}\nwhile host {\n";
        body += std::string("state ") + label + " {\n";
        for (unsigned i = 3 + random() % 6; i-- > 0;) {
            const std::string one = name(), two = name();
            std::string to = name();
            const std::string k = "k" + std::to_string(number++);
            if (random() % 4 == 0) {
                to = one == to ? "d" + std::to_string((to[1] - '0' + 1) % 4) : to;
                body += one + "[0:16] -> " + to + "[0:16] (Linear)\n";
            } else if (random() % 4 == 0) {
                body += k + " (Library, environments = [GpuBlas]): gpuBlas.axpy(16, 1, x, 1, y, 1)  with x: pointer(float64) <- " +
                        one + "[0:16]; y: pointer(float64) -> new " + to + "[0:16]\n";
            } else {
                body += "map " + k + "[i = 0:16] (GPU_Device) with IN_x: pointer(float64) <- " + one +
                        "[0:16], IN_z: pointer(float64) <- " + two + "[0:16]; OUT_y: pointer(float64) -> new " + to + "[0:16] {\n" +
                        k + ": y = x + z  with x: float64 <- " + one + "[i], z: float64 <- " + two + "[i]; y: float64 -> " + to +
                        "[i]\n}\n";
            }
        }
        body += "}\n";
    }
    if (loop) // the loop condition depends on one of the arrays
        body +=
            "state step {\nmap step[i = 0:1] (GPU_Device) with IN_x: pointer(float64) <- d1[0]; OUT_y: pointer(bool) -> go[0] {\n"
            "step: y = x > 0  with x: float64 <- d1[0]; y: bool -> go[0]\n}\n}\n"
            "state look_again {\ngo[0] -> host[0] (Linear)\n}\n}\n";
    return body;
}

struct Random : Graph {
    explicit Random(unsigned seed, bool loop)
        : Graph(R"(
            sdfg f(d0, d1, d2, d3) (typed) {
              argument d0: float64[16] (GPU_Global)
              argument d1: float64[16] (GPU_Global)
              argument d2: float64[16] (GPU_Global)
              argument d3: float64[16] (GPU_Global)
              transient go: bool[1] (GPU_Global)
              transient host: bool (Register)
              $body
            }
          )",
                {{"$body", operations(seed, loop)}}) {}
};

/// The tree of a program whose operations are graphs.
std::unique_ptr<tree::Module> lowered(SDFG &g) {
    diag::Engine diags;
    pass::CompileOptions options;
    options.target = pass::Target("cuda");
    options.gpuGraph = pass::GpuGraphMode::Auto;
    pass::Context context(diags, options);
    pass::Program program{g, nullptr};
    for (const char *name : {"shape-kernels", "select-copies", "form-gpu-graphs", "allocate-containers", "place-in-memory",
                             "assign-streams", "order-streams", "lower"}) {
        const std::unique_ptr<pass::Pass> pass = makePass(name);
        if (name == std::string("form-gpu-graphs"))
            pass->options["min-nodes"] = int64_t(1);
        pass->run(program, context);
        INFO(name);
        REQUIRE(diags.errorCount() == 0);
    }
    return std::move(program.tree);
}

/// The nodes of one graph, or of one loop in it.
using NodeLevel = std::vector<tree::GraphNode *>;

/// Adds the nodes of a block to the last level, with levels for inner loops before it.
void collect(tree::Block &b, std::vector<NodeLevel> &levels, NodeLevel &nodes) {
    for (tree::NodePtr &n : b.body) {
        if (auto *l = dyn_cast<tree::Launch>(n.get()))
            nodes.push_back(l);
        else if (auto *c = dyn_cast<tree::DeviceCopy>(n.get()); c && c->node >= 0)
            nodes.push_back(c);
        else if (auto *call = dyn_cast<tree::LibraryCall>(n.get()))
            nodes.push_back(call);
        auto *loop = dyn_cast<tree::Loop>(n.get());
        NodeLevel inside;
        if (loop)
            nodes.push_back(loop);
        tree::forEachBlock(*n, [&](tree::Block &inner) { collect(inner, levels, loop ? inside : nodes); });
        if (loop)
            levels.push_back(std::move(inside));
    }
}

bool holds(const tree::Module &m) {
    diag::Engine diags;
    const bool good = tree::verify(m, diags);
    for (const auto &d : diags.all())
        CHECK(d.id == diag::Id::TreeGraph);
    return good;
}

/// Is one of the edges of a node implied by the others?
bool isMinimal(const NodeLevel &nodes) {
    std::vector<std::set<int64_t>> ancestors;
    for (const tree::GraphNode *n : nodes) {
        std::set<int64_t> all, direct;
        for (sym::Expr e : n->after) {
            direct.insert(*e.asInt());
            const auto &further = ancestors[static_cast<std::size_t>(*e.asInt())];
            all.insert(further.begin(), further.end());
        }
        for (int64_t e : direct)
            if (all.count(e))
                return false;
        all.insert(direct.begin(), direct.end());
        ancestors.push_back(std::move(all));
    }
    return true;
}

} // namespace

TEST_CASE("edges of graphs: each of forty random programs needs every one, and has no other") {
    int edges = 0, nodes = 0, loops = 0;
    for (unsigned seed = 1; seed <= 40; ++seed) {
        INFO("seed " << seed);
        Random program(seed, seed % 2 == 0);
        const std::unique_ptr<tree::Module> m = lowered(program.g);
        std::vector<NodeLevel> levels;
        NodeLevel outermost;
        for (auto &f : m->functions)
            if (tree::contains(f->body, tree::TreeKind::GraphRegion))
                collect(f->body, levels, outermost);
        levels.push_back(std::move(outermost));
        CHECK(holds(*m));
        loops += static_cast<int>(levels.size()) - 1;
        for (const NodeLevel &all : levels) {
            nodes += static_cast<int>(all.size());
            REQUIRE(all.size() >= 3);
            CHECK(isMinimal(all));
            for (tree::GraphNode *n : all)
                for (std::size_t i = 0; i < n->after.size(); ++i) {
                    const std::vector<sym::Expr> before = n->after;
                    n->after.erase(n->after.begin() + static_cast<std::ptrdiff_t>(i));
                    INFO("node " << n->node << " without " << before[i].str());
                    CHECK_FALSE(holds(*m));
                    n->after = before;
                    ++edges;
                }
            // An additional edge without new information is rejected.
            for (tree::GraphNode *n : all) {
                if (n->after.empty() || all[static_cast<std::size_t>(*n->after[0].asInt())]->after.empty())
                    continue;
                const std::vector<sym::Expr> before = n->after;
                n->after.insert(n->after.begin(), all[static_cast<std::size_t>(*n->after[0].asInt())]->after[0]);
                CHECK_FALSE(isMinimal(all));
                n->after = before;
            }
        }
    }
    CHECK(loops == 20);
    CHECK(edges > 300);
    CHECK(nodes > 300);
}
