// The edges of GPU graphs of random programs: every single one is needed, and none is implied by others.
#include "MakePass.h"
#include "PassRun.h"

#include "sdfgc/Tree/Verify.h"
#include "sdfgc/Tree/Walk.h"

#include <random>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Kernels, copies and fills of four arrays in device memory, in two states.
std::string operations(unsigned seed) {
    std::mt19937 random(seed);
    const auto name = [&random] { return "d" + std::to_string(random() % 4); };
    std::string body;
    int number = 0;
    for (const char *label : {"first", "second"}) {
        body += std::string("state ") + label + " {\n";
        for (unsigned i = 3 + random() % 6; i-- > 0;) {
            const std::string one = name(), two = name();
            std::string to = name();
            const std::string k = "k" + std::to_string(number++);
            if (random() % 4 == 0) {
                to = one == to ? "d" + std::to_string((to[1] - '0' + 1) % 4) : to;
                body += one + "[0:16] -> " + to + "[0:16] (Linear)\n";
            } else {
                body += "map " + k + "[i = 0:16] (GPU_Device) with IN_x: pointer(float64) <- " + one +
                        "[0:16], IN_z: pointer(float64) <- " + two + "[0:16]; OUT_y: pointer(float64) -> new " + to + "[0:16] {\n" +
                        k + ": y = x + z  with x: float64 <- " + one + "[i], z: float64 <- " + two + "[i]; y: float64 -> " + to +
                        "[i]\n}\n";
            }
        }
        body += "}\n";
    }
    return body;
}

struct Random : Graph {
    explicit Random(unsigned seed)
        : Graph(R"(
            sdfg f(d0, d1, d2, d3) (typed) {
              argument d0: float64[16] (GPU_Global)
              argument d1: float64[16] (GPU_Global)
              argument d2: float64[16] (GPU_Global)
              argument d3: float64[16] (GPU_Global)
              $body
            }
          )",
                {{"$body", operations(seed)}}) {}
};

/// The tree of a program whose operations are graphs.
std::unique_ptr<tree::Module> lowered(SDFG &g) {
    diag::Engine diags;
    pass::CompileOptions options;
    options.target = "cuda";
    options.gpuGraph = "auto";
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

void collect(tree::Block &b, std::vector<tree::GraphNode *> &nodes) {
    for (tree::NodePtr &n : b.body) {
        if (auto *l = dyn_cast<tree::Launch>(n.get()))
            nodes.push_back(l);
        else if (auto *c = dyn_cast<tree::DeviceCopy>(n.get()))
            nodes.push_back(c);
        tree::forEachBlock(*n, [&](tree::Block &inner) { collect(inner, nodes); });
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
bool isMinimal(const std::vector<tree::GraphNode *> &nodes) {
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
    int edges = 0, nodes = 0;
    for (unsigned seed = 1; seed <= 40; ++seed) {
        INFO("seed " << seed);
        Random program(seed);
        const std::unique_ptr<tree::Module> m = lowered(program.g);
        std::vector<tree::GraphNode *> all;
        for (auto &f : m->functions)
            if (tree::contains(f->body, tree::Kind::GraphRegion))
                collect(f->body, all);
        nodes += static_cast<int>(all.size());
        REQUIRE(all.size() >= 6);
        CHECK(holds(*m));
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
        // One more edge is one too many, where it says nothing new.
        for (tree::GraphNode *n : all) {
            if (n->after.empty() || all[static_cast<std::size_t>(*n->after[0].asInt())]->after.empty())
                continue;
            const std::vector<sym::Expr> before = n->after;
            n->after.insert(n->after.begin(), all[static_cast<std::size_t>(*n->after[0].asInt())]->after[0]);
            CHECK_FALSE(isMinimal(all));
            n->after = before;
        }
    }
    CHECK(edges > 300);
    CHECK(nodes > 300);
}
