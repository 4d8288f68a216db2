// nest-parallelism: which map of a nest has the team, and how many loops it collapses.
#include "Transforms/PassRun.h"

#include "sdfgc/Analysis/Verify.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

using Ranges = std::vector<std::string>; // `i = 0:2, j = 0:N` for each of the nested maps

/// B[i, j, ...] = code(A[i, j, ...]) with teams of threads, one for each of the maps m0, m1, ...; `body` is inside of them.
std::string textOf(const Ranges &nest, const std::string &code, bool writesAll, const std::string &body) {
    std::string shape, whole, element, written, maps, ends;
    for (std::size_t m = 0; m < nest.size(); ++m) {
        maps += "map m" + std::to_string(m) + "[" + nest[m] + "] (CPU_Multicore) with <- A[$whole]; -> B[$whole] {\n";
        ends += "}\n";
        for (const std::string &loop : split(nest[m], ',')) {
            const std::string parameter = loop.substr(0, 1), size = loop.substr(loop.find(':') + 1);
            const char *comma = shape.empty() ? "" : ", ";
            written = element + comma + (writesAll ? parameter : "0");
            shape += comma + size;
            whole += comma + ("0:" + size);
            element += comma + parameter;
        }
    }
    return replaced(R"(
        sdfg f(A, B) {
          symbol N: int64
          argument A: float64[$shape]
          argument B: float64[$shape]
          state main {
            $maps
            $body
            $ends
          }
        }
    )",
                    {{"$maps", maps},
                     {"$ends", ends},
                     {"$body", body},
                     {"$tasklet", "t: $code  with x: float64 <- A[$element]; y: float64 -> B[$written]"},
                     {"$shape", shape},
                     {"$whole", whole},
                     {"$element", element},
                     {"$written", written},
                     {"$code", code}});
}

struct Program : Graph {
    std::vector<MapEntry *> maps; // from the outside in

    explicit Program(const Ranges &nest, const std::string &code = "y = x + 1", bool writesAll = true,
                     const std::string &body = "$tasklet")
        : Graph(textOf(nest, code, writesAll, body)) {
        for (std::size_t m = 0; m < nest.size(); ++m)
            maps.push_back(node<MapEntry>("m" + std::to_string(m)));
    }

    bool run() {
        PassRun pass(transforms::createNestParallelism());
        pass.pass->options["few"] = int64_t(8);
        pass.pass->options["work"] = int64_t(65536);
        const bool changed = pass(g);
        diag::Engine diags;
        CHECK(analysis::verify(g, Level::Loaded, diags, "f"));
        return changed;
    }
    /// `Multicore 2 [i, j] > Sequential [k]`: schedule, collapse and parameters from the outside in.
    std::string nest() {
        run();
        std::string text;
        const analysis::ScopeTree scopes(*s);
        for (const Node *n : scopes.order()) {
            const auto *m = dyn_cast<MapEntry>(n);
            if (!m)
                continue;
            text += (text.empty() ? "" : " > ") + std::string(m->schedule == Schedule::Sequential ? "one" : "team");
            text += m->collapse > 1 ? " " + std::to_string(m->collapse) : "";
            for (std::size_t d = 0; d < m->params.size(); ++d)
                text += (d == 0 ? " " : ",") + m->params[d].str();
        }
        return text;
    }
};

std::string nestOf(const Ranges &nest, const std::string &code = "y = x + 1") { return Program(nest, code).nest(); }

} // namespace

TEST_CASE("nest-parallelism: one map of a nest has the team") {
    CHECK(nestOf({"i = 0:N"}) == "team i");
    CHECK(nestOf({"i = 0:N", "j = 0:N"}) == "team i > one j");
    CHECK(nestOf({"i = 0:N, j = 0:N", "k = 0:N", "l = 0:N"}) == "team i,j > one k > one l");
    CHECK(nestOf({"i = 0:8", "j = 0:N"}) == "team i > one j"); // enough
    CHECK(nestOf({"i = 0:1", "j = 0:N"}) == "one i > team j");
}

TEST_CASE("nest-parallelism: few iterations around an innermost loop run one after another") {
    CHECK(nestOf({"i = 0:2", "j = 0:N"}) == "one i > team j");
    CHECK(nestOf({"i = 0:2, j = 0:N"}) == "one i > team j");
    CHECK(nestOf({"i = 0:2, k = 0:3, j = 0:N"}) == "one i,k > team j");
    CHECK(nestOf({"i = 0:2", "k = 0:3, j = 0:N"}) == "one i > one k > team j");
    CHECK(nestOf({"i = 0:2, j = 0:1000000"}) == "one i > team j");
    CHECK(nestOf({"i = 0:3, j = 0:15000"}) == "team i,j");                  // 45000 operations each time: too little for a team
    CHECK(nestOf({"i = 0:2, j = 0:100"}) == "team i,j");                    // too little in total: guard-parallel-maps
    CHECK(nestOf({"i = 0:2, j = 0:N"}, "y = drand48() * x") == "team i,j"); // a call of unknown cost
}

TEST_CASE("nest-parallelism: a team shares several loops where the outermost one is short") {
    CHECK(nestOf({"i = 0:2, j = 0:N, k = 0:N"}) == "team 2 i,j,k");
    CHECK(nestOf({"i = 0:2, j = 0:3, k = 0:N, l = 0:N"}) == "team 3 i,j,k,l");
    CHECK(nestOf({"i = 0:4, j = 0:4, k = 0:N"}) == "team 2 i,j,k");
    CHECK(nestOf({"i = 0:4", "j = 0:4, k = 0:N"}) == "team 2 i,j,k"); // one map
    CHECK(nestOf({"i = 0:4", "j = 0:4", "k = 0:N"}) == "team 2 i,j > one k");
    CHECK(nestOf({"i = 0:4, j = 0:1, k = 0:4, l = 0:N"}) == "team 2 i,j,k,l"); // loops of one iteration do not count
}

TEST_CASE("nest-parallelism: loops become shared only where each iteration writes what no other one does") {
    CHECK(Program(Ranges{"i = 0:2, j = 0:N"}, "y = x + 1", false).nest() == "team i,j");
    CHECK(Program(Ranges{"i = 0:2, k = 0:N, j = 0:N"}, "y = x + 1", false).nest() == "team 2 i,k,j");
    Program dynamic(Ranges{"i = 0:2, j = 0:N"});
    dynamic.node<Tasklet>("t")->outEdges().front()->memlet.dynamic = true;
    CHECK(dynamic.nest() == "team i,j");
}

TEST_CASE("nest-parallelism: what the graph asks for stays") {
    for (auto ask : {+[](MapEntry &m) { m.ompNumThreads = 2; }, +[](MapEntry &m) { m.ompSchedule = OmpSchedule::Dynamic; },
                     +[](MapEntry &m) { m.ompChunkSize = 4; }, +[](MapEntry &m) { m.instrument = Instrumentation::Timer; }}) {
        Program p(Ranges{"i = 0:2", "j = 0:N"});
        ask(*p.maps[0]);
        CHECK(p.nest() == "team i > one j");
    }
    Program shared(Ranges{"i = 0:2, k = 0:2, j = 0:N"});
    shared.maps[0]->collapse = 2;
    CHECK(shared.nest() == "team 2 i,k,j");
    Program own(Ranges{"i = 0:2, j = 0:N"});
    own.g.desc("B")->transient = true;
    own.g.desc("B")->storage = Storage::CPU_ThreadLocal;
    CHECK(own.nest() == "team i,j");
}

TEST_CASE("nest-parallelism: a triangle is no box") {
    Program p(Ranges{"i = 0:2, j = 0:N, k = 0:N"});
    p.maps[0]->ranges[1] = range("0:i + 1");
    CHECK(p.nest() == "team i,j,k");
}

TEST_CASE("nest-parallelism: few iterations around maps that are worth a team each") {
    auto around = [](const std::string &size) {
        return Program(Ranges{"i = 0:2", "j = 0:" + size}, "y = x + 1", true, R"($tasklet
            }
            map second[k = 0:N] (CPU_Multicore) with <- A[i, 0:N]; -> B[i, 0:N] {
              u: y = x  with x <- A[i, k]; y -> B[i, k]
        )")
            .nest();
    };
    CHECK(around("N") == "one i > team j > team k");
    CHECK(around("100") == "one i > team j > team k"); // guard-parallel-maps will find it too small
}

TEST_CASE("nest-parallelism: teams are seen through nested SDFGs, sections of one are given up") {
    Program p(Ranges{"i = 0:N"}, "", true, R"(
        nested inner with a <- A[i]; b -> B[i] {
          sdfg inner (openmp_sections) {
            argument a: float64[1]
            argument b: float64[1]
            state main {
              map inner[k = 0:1001] (CPU_Multicore) with <- a[0]; -> b[0] {
                t: y = x  with x <- a[0]; y -> b[0]
              }
            }
          }
        }
    )");
    CHECK(p.run());
    CHECK(p.node<MapEntry>("inner")->schedule == Schedule::Sequential);
    CHECK_FALSE(p.node<NestedSDFGNode>("inner")->sdfg->openmpSections);
    CHECK(p.maps[0]->schedule == Schedule::CPU_Multicore);
}

TEST_CASE("nest-parallelism: in a kernel, and in a persistent map") {
    Program kernel(Ranges{"i = 0:N", "j = 0:N"});
    kernel.maps[0]->schedule = Schedule::GPU_Device;
    kernel.run();
    CHECK(kernel.maps[1]->schedule == Schedule::Sequential);

    Program persistent(Ranges{"i = 0:4", "j = 0:N", "k = 0:N"});
    persistent.maps[0]->schedule = Schedule::CPU_Persistent;
    persistent.run();
    CHECK(persistent.maps[1]->schedule == Schedule::CPU_Multicore); // the team shares its iterations
    CHECK(persistent.maps[2]->schedule == Schedule::Sequential);
}

TEST_CASE("nest-parallelism: independent parts of a state are sections, whose maps have no teams") {
    Program p(Ranges{"i = 0:N"});
    p.array("C", "N");
    MapEntry *m = p.map(Schedule::CPU_Multicore, "i", "0:N");
    Tasklet *t = p.tasklet("y = 1");
    p.order(m, t);
    p.edge(t, "y", m->exit, "IN_C", "C[i]");
    p.edge(m->exit, "OUT_C", p.access("C"), "", "C[0:N]");
    p.g.openmpSections = true;
    p.g.renumber();
    p.run();
    CHECK(m->schedule == Schedule::Sequential);
    CHECK(p.maps[0]->schedule == Schedule::Sequential);
    CHECK(p.g.openmpSections);
}
