#include "Transforms/Normalise/FlowInterpreter.h"
#include "Transforms/PassRun.h"

#include <random>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A state machine.
struct Machine : Graph {
    Region *in = &g; // the region to which states are added

    Machine() : Graph(std::make_unique<SDFG>("machine")) {}
    /// `work`: the state has a node, so that the interpreter records it and the pass must keep it.
    State *state(const std::string &label, bool work = false) {
        State *added = Graph::state(label, in);
        if (work)
            tasklet("");
        return added;
    }
    void edge(Block *a, Block *b, const std::string &condition = "1", std::vector<std::pair<Name, std::string>> assignments = {}) {
        in->connect(a, b, {condition, Language::Python}, std::move(assignments));
    }
    bool raise() {
        PassRun pass(transforms::createRaiseControlFlow());
        const bool changed = pass(g);
        CHECK_FALSE(pass.diags.hasErrors());
        return changed;
    }
};

template <class T> std::vector<T *> blocksOfKind(SDFG &g) {
    std::vector<T *> out;
    for (Block *b : allBlocks(g))
        if (auto *t = dyn_cast<T>(b))
            out.push_back(t);
    return out;
}

std::size_t unstructuredRegions(SDFG &g) {
    std::size_t n = 0;
    for (Block *b : allBlocks(g))
        n += b->kind() == BlockKind::Unstructured;
    return n;
}

/// Checks the result of the pass: at most one unconditional outgoing edge, no cycles.
void checkStructured(SDFG &g) {
    for (Region *r : allRegions(g)) {
        if (r->kind() == BlockKind::Unstructured)
            continue;
        std::vector<int> out(r->blocks().size(), 0), in(r->blocks().size(), 0);
        for (const auto &e : r->edges()) {
            CHECK(e->isUnconditional());
            CHECK(++out[e->src->id()] == 1);
            CHECK(++in[e->dst->id()] == 1);
        }
        CHECK(r->edges().size() + 1 == r->blocks().size());
        CHECK(r->start() != nullptr);
    }
}

void checkSameBehaviour(const SDFG &before, SDFG &after, int steps, const std::map<std::string, int64_t> &symbols) {
    auto a = test::interpret(before, steps, symbols);
    auto b = test::interpret(after, 8 * steps, symbols);
    if (a.finished) {
        CHECK(b.finished);
        CHECK(a.trace == b.trace);
        CHECK(a.symbols == b.symbols);
    } else {
        // Both run forever; structured code takes more steps for the same work, so the longer trace starts with the shorter one.
        std::size_t n = std::min(a.trace.size(), b.trace.size());
        CHECK(std::equal(a.trace.begin(), a.trace.begin() + static_cast<std::ptrdiff_t>(n), b.trace.begin()));
    }
}

void buildCountingLoop(Machine &m, bool guardWorks) {
    State *init = m.state("init", true), *guard = m.state("guard", guardWorks), *body = m.state("body", true),
          *end = m.state("end", true);
    m.edge(init, guard, "1", {{"i", "0"}, {"other", "7"}});
    m.edge(guard, body, "i < N");
    m.edge(guard, end, "not (i < N)", {{"after", "i"}});
    m.edge(body, guard, "1", {{"i", "i + 1"}, {"sum", "sum + 2"}});
}

} // namespace

TEST_CASE("a guarded counting loop becomes a for loop") {
    Machine m;
    buildCountingLoop(m, false);
    auto before = clone(m.g);
    CHECK(m.raise());
    checkStructured(m.g);
    auto loops = blocksOfKind<LoopRegion>(m.g);
    REQUIRE(loops.size() == 1);
    CHECK(loops[0]->variable == Name("i"));
    CHECK(loops[0]->init->text() == "i = 0");
    CHECK(loops[0]->condition->text() == "i < N");
    CHECK(loops[0]->update->text() == "i = i + 1");
    CHECK_FALSE(loops[0]->inverted);
    CHECK(m.g.edges().front()->assignments.size() == 1); // `other` remains on the edge into the loop
    CHECK(m.g.edges().back()->assignments.front().first == Name("after"));
    CHECK(m.g.usesExplicitControlFlow);
    checkSameBehaviour(*before, m.g, 1000, {{"N", 5}});
    checkSameBehaviour(*before, m.g, 1000, {{"N", 0}});
    CHECK_FALSE(m.raise()); // nothing is left to do
}

TEST_CASE("a guard with dataflow runs before every test") {
    Machine m;
    buildCountingLoop(m, true);
    auto before = clone(m.g);
    m.raise();
    checkStructured(m.g);
    auto loops = blocksOfKind<LoopRegion>(m.g);
    REQUIRE(loops.size() == 1);
    CHECK(loops[0]->condition->text() == "True");
    CHECK(blocksOfKind<BreakBlock>(m.g).size() == 1);
    checkSameBehaviour(*before, m.g, 1000, {{"N", 3}});
    CHECK(test::interpret(m.g, 1000, {{"N", 1}}).trace == std::vector<std::string>{"init", "guard", "body", "guard", "end"});
}

TEST_CASE("a loop tested at its end becomes an inverted loop") {
    Machine m;
    State *init = m.state("init"), *body = m.state("body", true), *latch = m.state("latch", true), *end = m.state("end");
    m.edge(init, body, "1", {{"i", "0"}});
    m.edge(body, latch);
    m.edge(latch, body, "i < N", {{"i", "i + 1"}});
    m.edge(latch, end, "i >= N");
    auto before = clone(m.g);
    m.raise();
    checkStructured(m.g);
    auto loops = blocksOfKind<LoopRegion>(m.g);
    REQUIRE(loops.size() == 1);
    CHECK(loops[0]->inverted);
    CHECK_FALSE(loops[0]->updateBeforeCondition);
    CHECK(loops[0]->update->text() == "i = i + 1");
    checkSameBehaviour(*before, m.g, 1000, {{"N", 4}});
    checkSameBehaviour(*before, m.g, 1000, {{"N", -1}});
}

TEST_CASE("a state that jumps to itself") {
    Machine m;
    State *init = m.state("init"), *body = m.state("body", true), *end = m.state("end");
    m.edge(init, body);
    m.edge(body, body, "i < 3", {{"i", "i + 1"}, {"j", "j + 2"}});
    m.edge(body, end, "not (i < 3)");
    auto before = clone(m.g);
    m.raise();
    checkStructured(m.g);
    CHECK(blocksOfKind<LoopRegion>(m.g).size() == 1);
    checkSameBehaviour(*before, m.g, 1000, {});
}

TEST_CASE("branches become one conditional block with else-if") {
    Machine m;
    State *a = m.state("a"), *x = m.state("x", true), *test = m.state("test"), *y = m.state("y", true), *z = m.state("z", true),
          *merge = m.state("merge", true);
    m.edge(a, x, "c == 0", {{"p", "1"}});
    m.edge(a, test, "not (c == 0)");
    m.edge(test, y, "c == 1");
    m.edge(test, z, "c != 1");
    m.edge(x, merge);
    m.edge(y, merge, "1", {{"p", "2"}});
    m.edge(z, merge);
    auto before = clone(m.g);
    m.raise();
    checkStructured(m.g);
    auto conditionals = blocksOfKind<ConditionalBlock>(m.g);
    REQUIRE(conditionals.size() == 1);
    CHECK(conditionals[0]->branches().size() == 3);
    CHECK_FALSE(conditionals[0]->branches()[2].condition.has_value());
    for (int c = 0; c < 3; ++c)
        checkSameBehaviour(*before, m.g, 100, {{"c", c}});
}

TEST_CASE("assignments on an edge straight to the merge block are kept") {
    Machine m;
    State *a = m.state("a"), *x = m.state("x", true), *merge = m.state("merge", true);
    m.edge(a, x, "c == 0");
    m.edge(a, merge, "not (c == 0)", {{"p", "5"}});
    m.edge(x, merge);
    m.raise();
    checkStructured(m.g);
    CHECK(test::interpret(m.g, 100, {{"c", 1}}).symbols["p"] == 5);
}

TEST_CASE("a single conditional edge that is false finishes the SDFG") {
    Machine m;
    State *a = m.state("a", true), *b = m.state("b", true), *c = m.state("c", true);
    m.edge(a, b, "go == 1");
    m.edge(b, c);
    m.raise();
    checkStructured(m.g);
    CHECK(test::interpret(m.g, 100, {{"go", 0}}).trace == std::vector<std::string>{"a"});
    CHECK(test::interpret(m.g, 100, {{"go", 1}}).trace == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("an early return does not wrap what follows into a branch") {
    Machine m;
    State *a = m.state("a"), *stop = m.state("stop", true), *b = m.state("b", true), *c = m.state("c"), *d = m.state("d", true),
          *e = m.state("e", true);
    m.edge(a, b, "x == 0");
    m.edge(a, e, "not (x == 0)");
    m.edge(b, stop, "y == 0");
    m.edge(b, c, "not (y == 0)");
    m.edge(c, d);
    m.edge(e, d);
    auto before = clone(m.g);
    m.raise();
    checkStructured(m.g);
    CHECK(unstructuredRegions(m.g) == 0);
    CHECK(blocksOfKind<ReturnBlock>(m.g).size() == 1);
    for (int x = 0; x < 2; ++x)
        for (int y = 0; y < 2; ++y)
            checkSameBehaviour(*before, m.g, 100, {{"x", x}, {"y", y}});
}

TEST_CASE("break with cleanup, continue and return in a loop") {
    Machine m;
    State *init = m.state("init"), *guard = m.state("guard"), *body = m.state("body", true), *cleanup = m.state("cleanup", true),
          *rest = m.state("rest", true), *more = m.state("more", true), *end = m.state("end", true), *ret = m.state("ret", true);
    m.edge(init, guard, "1", {{"i", "0"}});
    m.edge(guard, body, "i < 10");
    m.edge(guard, end, "not (i < 10)");
    m.edge(body, cleanup, "i == a");
    m.edge(body, rest, "not (i == a)");
    m.edge(cleanup, end, "1", {{"broke", "1"}});
    m.edge(rest, guard, "i == b", {{"i", "i + 1"}});
    m.edge(rest, ret, "i == c");
    m.edge(rest, more);
    m.edge(more, guard, "1", {{"i", "i + 1"}});
    auto before = clone(m.g);
    m.raise();
    checkStructured(m.g);
    CHECK(unstructuredRegions(m.g) == 0);
    auto loops = blocksOfKind<LoopRegion>(m.g);
    REQUIRE(loops.size() == 1);
    CHECK(loops[0]->variable == Name("i"));
    CHECK(blocksOfKind<BreakBlock>(m.g).size() == 1);
    CHECK(blocksOfKind<ReturnBlock>(m.g).size() == 1);
    for (int a = 0; a < 12; a += 3)
        for (int c = 0; c < 12; c += 4)
            checkSameBehaviour(*before, m.g, 1000, {{"a", a}, {"b", 2}, {"c", c}});
}

TEST_CASE("nested loops whose guards are shared states") {
    Machine m;
    State *init = m.state("init"), *g1 = m.state("g1"), *g2 = m.state("g2"), *body = m.state("body", true),
          *end = m.state("end", true);
    m.edge(init, g1, "1", {{"i", "0"}});
    m.edge(g1, g2, "i < 4", {{"j", "i"}});
    m.edge(g1, end, "not (i < 4)");
    m.edge(g2, body, "j < 6");
    m.edge(g2, g1, "not (j < 6)", {{"i", "i + 1"}});
    m.edge(body, g2, "1", {{"j", "j + 1"}});
    auto before = clone(m.g);
    m.raise();
    checkStructured(m.g);
    auto loops = blocksOfKind<LoopRegion>(m.g);
    REQUIRE(loops.size() == 2);
    CHECK(loops[0]->variable == Name("i"));
    CHECK(loops[1]->variable == Name("j"));
    CHECK(loops[1]->parent() == loops[0]);
    checkSameBehaviour(*before, m.g, 1000, {});
}

TEST_CASE("a cycle with two entries stays as jumps") {
    Machine m;
    State *a = m.state("a"), *x = m.state("x", true), *y = m.state("y", true), *end = m.state("end", true);
    m.edge(a, x, "c == 0");
    m.edge(a, y, "not (c == 0)");
    m.edge(x, y, "1", {{"n", "n + 1"}});
    m.edge(y, x, "n < 5");
    m.edge(y, end, "not (n < 5)", {{"out", "n"}});
    auto before = clone(m.g);
    m.raise();
    checkStructured(m.g);
    CHECK(unstructuredRegions(m.g) == 1);
    CHECK(blocksOfKind<LoopRegion>(m.g).empty());
    for (int c = 0; c < 2; ++c)
        checkSameBehaviour(*before, m.g, 1000, {{"c", c}});
}

TEST_CASE("conditional edges in the body of a loop region") {
    Machine m;
    auto *loop = m.g.add<LoopRegion>();
    loop->label = "loop";
    loop->variable = "i";
    loop->init = Code{"i = 0"};
    loop->condition = Code{"i < 6"};
    loop->update = Code{"i = i + 1"};
    auto add = [&](const char *label) {
        State *s = loop->add<State>();
        s->label = label;
        s->add<Tasklet>();
        return s;
    };
    State *a = add("a"), *b = add("b"), *c = add("c");
    loop->connect(a, b, {"i % 2 == 0"});
    loop->connect(b, c, {"i % 3 == 0"});
    auto before = clone(m.g);
    m.raise();
    checkStructured(m.g);
    CHECK(blocksOfKind<LoopRegion>(m.g).size() == 1);
    checkSameBehaviour(*before, m.g, 1000, {});
}

TEST_CASE("opposite comparisons of floating-point values are two tests") {
    auto build = [](Type t) {
        Machine m;
        m.g.symbols.set("x", t);
        State *a = m.state("a"), *b = m.state("b", true), *c = m.state("c", true), *d = m.state("d", true);
        m.edge(a, b, "x < 1");
        m.edge(a, c, "x >= 1");
        m.edge(b, d);
        m.edge(c, d);
        m.raise();
        return blocksOfKind<ConditionalBlock>(m.g)[0]->branches().size();
    };
    CHECK(build(ScalarKind::Int64) == 2);
    CHECK(build(ScalarKind::Float64) == 3); // NaN satisfies neither: the SDFG returns
}

TEST_CASE("deep chains neither overflow nor nest without limit") {
    Machine m;
    Block *last = m.state("start");
    State *end = m.state("end", true);
    for (int i = 0; i < 3000; ++i) {
        State *next = m.state("s" + std::to_string(i), i % 100 == 0);
        m.edge(last, next, "c != " + std::to_string(i));
        m.edge(last, end, "c == " + std::to_string(i));
        last = next;
    }
    m.edge(last, end);
    auto before = clone(m.g);
    m.raise();
    checkStructured(m.g);
    for (int c : {0, 1500, 3001})
        checkSameBehaviour(*before, m.g, 10000, {{"c", c}});
}

/// Puts the following states into a loop body, a plain region or a branch, between two states that are always visited.
static void surround(Machine &m, int how) {
    if (how == 0)
        return;
    Block *first = m.state("first", true), *last = m.state("last", true), *middle = nullptr;
    Region *inner = nullptr;
    if (how == 1) {
        auto *loop = m.g.add<LoopRegion>();
        loop->init = Code{"i = 0"};
        loop->condition = Code{"i < 3"};
        loop->update = Code{"i = i + 1"};
        middle = inner = loop;
    } else if (how == 2) {
        middle = inner = m.g.add<Region>();
    } else {
        auto *c = m.g.add<ConditionalBlock>();
        inner = c->addBranch(Code{"s < 25"}, std::make_unique<Region>());
        middle = c;
    }
    m.edge(first, middle);
    m.edge(middle, last);
    m.in = inner;
}

TEST_CASE("random control flow behaves as before") {
    std::size_t withLoops = 0, withJumps = 0, ended = 0;
    for (unsigned seed = 0; seed < 1500; ++seed) {
        std::mt19937 random(seed);
        auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
        Machine m;
        surround(m, pick(4));
        int n = 3 + pick(9);
        std::vector<Block *> states;
        for (int i = 0; i < n; ++i) {
            bool leave = m.in->kind() == BlockKind::Loop && pick(8) == 0;
            if (leave && pick(2))
                states.push_back(m.in->add<BreakBlock>());
            else if (leave)
                states.push_back(m.in->add<ContinueBlock>());
            else
                states.push_back(m.state("s" + std::to_string(i), pick(3) != 0));
        }
        m.in->setStart(states[0]);
        // Most edges lead a little forward, some back, so that both structured and irregular graphs occur.
        auto target = [&](int i) {
            int t = pick(4) == 0 ? pick(n) : i + 1 + pick(3);
            return states[static_cast<std::size_t>(std::min(t, n - 1))];
        };
        auto assignments = [&] {
            std::vector<std::pair<Name, std::string>> out{{"k", "k + 1"}};
            if (pick(2))
                out.emplace_back("s", "s * 3 + " + std::to_string(pick(9)));
            return pick(3) ? out : std::vector<std::pair<Name, std::string>>{};
        };
        for (int i = 0; i < n; ++i) {
            std::string c = "(k * 5 + s) % " + std::to_string(2 + pick(4)) + " == " + std::to_string(pick(3));
            Block *s = states[static_cast<std::size_t>(i)];
            switch (pick(6)) {
            case 0:
                break;
            case 1:
                m.edge(s, target(i), c, assignments());
                break;
            case 2:
                m.edge(s, target(i), "1", assignments());
                break;
            case 3:
                m.edge(s, target(i), c, assignments());
                m.edge(s, target(i), "1", assignments());
                break;
            default:
                m.edge(s, target(i), c, assignments());
                m.edge(s, target(i), "not (" + c + ")", assignments());
                break;
            }
        }
        if (!m.in->start())
            continue;
        auto before = clone(m.g);
        bool wasStructured = !m.raise();
        INFO("seed " << seed);
        if (!wasStructured)
            checkStructured(m.g);
        checkSameBehaviour(*before, m.g, 400, {{"s", pick(50)}});
        withLoops += !blocksOfKind<LoopRegion>(m.g).empty();
        withJumps += unstructuredRegions(m.g) != 0;
        ended += test::interpret(*before, 400).finished;
    }
    // The graphs must be varied enough for the test to be meaningful.
    CHECK(withLoops > 200);
    CHECK(withJumps > 50);
    CHECK(ended > 500);
}

TEST_CASE("a region that could start anywhere is refused") {
    Machine m;
    State *a = m.state("a", true), *b = m.state("b", true);
    m.edge(a, b);
    m.edge(b, a);
    diag::Engine diags;
    pass::CompileOptions options;
    pass::Context context(diags, options);
    REQUIRE(m.g.start() == nullptr);
    pass::Program program{m.g, nullptr};
    transforms::createRaiseControlFlow()->run(program, context);
    REQUIRE(diags.all().size() == 1);
    CHECK(diags.all()[0].id == diag::Id::StartBlockUnknown);
}
