// Kernels as functions: the names that a body uses become parameters, and no others.
#include "Tree/Fixture.h"

#include "sdfgc/Tree/Outline.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

struct Kernel {
    Body b;
    std::vector<std::string> refused;

    Outlined make(Block body) {
        auto typeOf = [&](Name n) {
            for (const Variable &v : b.f->vars)
                if (v.name == n && v.kind == VarKind::Value)
                    return v.type;
            return Type();
        };
        return outline(*b.f, std::move(body), "k", typeOf, [&](const Variable &v, Obstacle) { refused.push_back(v.name.str()); });
    }
    static std::string parameters(const Outlined &o) {
        std::string text;
        for (VarId p : o.function->params) {
            const Variable &v = o.function->vars[p];
            text += (text.empty() ? "" : " ") + std::string(v.isConst ? "const " : "") + v.name.str();
        }
        return text;
    }
};

} // namespace

TEST_CASE("outline: what the body mentions is passed once, what it does not is not") {
    Kernel k;
    VarId A = k.b.param("A"), B = k.b.param("B");
    k.b.param("unused");
    k.b.size("N");
    k.b.size("M"); // the size of `unused`
    Block body;
    k.b.open.push_back(&body);
    k.b.assign(k.b.at(B, symbol("N")), k.b.at(A));
    k.b.assign(k.b.at(B), k.b.at(A, symbol("N") - 1));
    k.b.open.pop_back();
    CHECK(Kernel::parameters(k.make(std::move(body))) == "const A B N");
    CHECK(k.refused.empty());
}

TEST_CASE("outline: what is declared inside stays inside, also when the host has the same name") {
    Kernel k;
    VarId A = k.b.param("A");
    k.b.integer("i"); // on the host
    VarId inner = k.b.integer("i");
    Block body;
    k.b.open.push_back(&body);
    k.b.declared(inner);
    k.b.assign(k.b.at(A, symbol("i")), python("1"));
    k.b.open.pop_back();
    CHECK(Kernel::parameters(k.make(std::move(body))) == "A");
}

TEST_CASE("outline: the variables of regions and of workers stay inside") {
    Kernel k;
    VarId A = k.b.param("A");
    k.b.size("N");
    Block body;
    k.b.open.push_back(&body);
    auto *region = k.b.add<ParallelRegion>();
    region->threadVar = k.b.integer("thread");
    region->teamSizeVar = k.b.integer("team");
    k.b.open.push_back(&region->body);
    k.b.assign(k.b.at(A, symbol("thread") + symbol("N")), k.b.at(region->teamSizeVar));
    k.b.close();
    VarId queue = k.b.declared(k.b.var("queue", VarKind::Stream, ScalarKind::Float64, 1));
    auto *consume = k.b.add<Consume>();
    consume->stream = refOf(*k.b.at(queue));
    consume->peVar = k.b.integer("worker");
    consume->elementVar = k.b.var("element", VarKind::Reference);
    k.b.open.push_back(&consume->body);
    k.b.assign(k.b.at(A, symbol("worker")), k.b.at(consume->elementVar));
    k.b.close();
    k.b.open.pop_back();
    CHECK(Kernel::parameters(k.make(std::move(body))) == "A N");
    CHECK(k.refused.empty());
}

TEST_CASE("outline: a value of the host that a kernel would change is refused") {
    Kernel k;
    VarId count = k.b.integer("count");
    Block body;
    k.b.open.push_back(&body);
    k.b.assign(k.b.at(count), python("1"));
    k.b.open.pop_back();
    k.make(std::move(body));
    CHECK(k.refused == std::vector<std::string>{"count"});
}
