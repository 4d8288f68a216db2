// Memory of buffers that the handle keeps, and which buffers share memory.
#include "Transforms/Tree/RunPass.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Buffers of N elements, and loops that store to them.
struct Buffers : Body {
    Buffers() { size("N"); }
    VarId buffer(const char *name, Type type = ScalarKind::Float64) {
        return declared(var(name, VarKind::Buffer, type, symbol("N")));
    }
    void store(VarId v, bool parallel = false) {
        loop("i", parallel);
        assign(at(v, symbol("i")), python("1.0"));
        close();
    }
    bool planned() { return runPass(m, "plan-memory"); }
    bool has(const char *line) { return text().find(line) != std::string::npos; }
};

} // namespace

TEST_CASE("plan memory: a buffer becomes a pointer to memory of the state") {
    Buffers b;
    b.store(b.buffer("t"));
    CHECK(b.planned());
    CHECK(b.text() == "    allocate t_memory count N reserve\n"
                      "    declare t: restrict pointer float64 at &t_memory[0]\n"
                      "    for i: int64 from 0 to N - 1 {\n"
                      "      t[i] = 1.0\n"
                      "    }\n");
    REQUIRE(b.m.fields.size() == 1);
    CHECK(b.m.fields[0].count.isZero());
    CHECK(b.f->needsState);
    CHECK_FALSE(b.planned());
}

TEST_CASE("plan memory: buffers that are not live at the same time share memory, without restrict") {
    Buffers b;
    b.store(b.buffer("one"));
    b.store(b.buffer("two"));
    CHECK(b.planned());
    CHECK(b.m.fields.size() == 1);
    CHECK(b.has("declare one: pointer float64 at &one_memory[0]\n"));
    CHECK(b.has("declare two: pointer float64 at &one_memory[0]\n"));
}

TEST_CASE("plan memory: what is live at the same time has separate memory") {
    Buffers b;
    const VarId one = b.buffer("one"), two = b.buffer("two");
    b.store(one);
    b.store(two);
    b.store(one);
    CHECK(b.planned());
    CHECK(b.m.fields.size() == 2);
}

TEST_CASE("plan memory: other types and alignments are other memory") {
    Buffers b;
    b.store(b.buffer("one"));
    b.store(b.buffer("two", ScalarKind::Float32));
    const VarId three = b.buffer("three");
    b.f->vars[three].alignment = 128;
    b.store(three);
    CHECK(b.planned());
    CHECK(b.m.fields.size() == 3);
}

TEST_CASE("plan memory: a loop is one statement, so that buffers inside of it are live together") {
    Buffers b;
    b.loop("t");
    b.store(b.buffer("one"));
    b.store(b.buffer("two"));
    b.close();
    CHECK(b.planned());
    CHECK(b.m.fields.size() == 2);
}

TEST_CASE("plan memory: a buffer whose address something keeps, or any where there are jumps, is live until the end") {
    Buffers kept;
    const VarId one = kept.buffer("one"), view = kept.var("view", VarKind::Pointer);
    MemRef start;
    start.var = one;
    start.address = true;
    kept.add<Declare>(view)->target = kept.f->refs.add(start);
    kept.store(kept.buffer("two"));
    kept.store(view);
    CHECK(kept.planned());
    CHECK(kept.m.fields.size() == 2);
    CHECK(kept.has("declare one: pointer float64 at &one_memory[0]\n"));

    Buffers jumps;
    jumps.add<Label>()->label = "again";
    jumps.store(jumps.buffer("one"));
    jumps.store(jumps.buffer("two"));
    CHECK(jumps.planned());
    CHECK(jumps.m.fields.size() == 2);
}

TEST_CASE("plan memory: zero memory is zero in each call") {
    Buffers b;
    const VarId t = b.buffer("t");
    b.f->vars[t].zeroed = true;
    b.store(t);
    CHECK(b.planned());
    CHECK(b.has("allocate t_memory count N reserve zero\n"));
}

TEST_CASE("plan memory: memory of threads, late memory, and text as written are left alone") {
    Buffers threads;
    threads.loop("j", true);
    threads.store(threads.buffer("t"));
    threads.close();
    CHECK_FALSE(threads.planned());
    Buffers late;
    const VarId t = late.buffer("t");
    late.f->vars[t].countKnown = false;
    late.add<Allocate>(t, symbol("N"));
    late.store(t);
    CHECK_FALSE(late.planned());
    Buffers text;
    text.store(text.buffer("t"));
    text.add<RawTasklet>()->text = "t.zero();";
    CHECK_FALSE(text.planned());
}

TEST_CASE("plan memory: functions have memory of their own, and none where a team calls them") {
    for (bool inTeam : {false, true}) {
        Buffers callee;
        callee.store(callee.buffer("t"));
        auto program = std::make_unique<Function>();
        program->name = "program";
        program->vars.add({});
        auto *loop = program->body.add<For>();
        loop->var = VarId(0);
        if (inTeam)
            loop->omp.emplace();
        loop->body.add<Call>()->function = FunctionId(0);
        callee.m.functions.add(std::move(program));
        CHECK(callee.planned() == !inTeam);
        CHECK(callee.m.functions[FunctionId(1)]->needsState == !inTeam);
    }
}

TEST_CASE("plan memory: names of fields differ from those that there are") {
    Buffers b;
    StateField field;
    field.name = "t_memory";
    b.m.fields.push_back(field);
    b.store(b.buffer("t"));
    CHECK(b.planned());
    REQUIRE(b.m.fields.size() == 2);
    CHECK(b.m.fields[0].name != b.m.fields[1].name);
}
