// Which parallel loops get private copies of the arrays that they update atomically.
#include "Transforms/Tree/RunPass.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// `Buffer hist[bins]; parallel for i in 0:N { for j in 0:M: hist[i] += A[i] atomically }`
struct Histogram : Body {
    VarId A, N, bins, hist;
    For *loop = nullptr, *inner = nullptr;
    Update *u = nullptr;

    explicit Histogram(sym::Expr count = symbol("bins"), py::Reduction kind = py::Reduction::Sum, Type type = ScalarKind::Float64) {
        A = param("A");
        N = size("N");
        bins = size("bins");
        hist = declared(var("hist", VarKind::Buffer, type, count));
        loop = parallelLoop("i", "N");
        open.push_back(&loop->body);
        inner = add<For>();
        inner->var = integer("j");
        inner->begin = 0;
        inner->end = 99;
        open.push_back(&inner->body);
        update(at(hist, symbol("i")), at(A, symbol("i")), kind);
        u = static_cast<Update *>(inner->body.body.back().get());
        u->atomic = true;
        open.resize(1);
    }
    For *parallelLoop(const char *variable, const char *end) {
        auto *out = add<For>();
        out->var = integer(variable);
        out->begin = 0;
        out->end = symbol(end) - 1;
        out->omp.emplace();
        return out;
    }
    bool runs() { return runPass(m, "privatise-histograms"); }
};

} // namespace

TEST_CASE("privatise-histograms: what is not known is asked when the program runs") {
    Histogram h;
    REQUIRE(h.runs());
    CHECK(h.text() == "    declare hist: heap float64 count bins\n"
                      "    if bins >= 1 and bins <= 2048 and 100 * N >= 16 * bins {\n"
                      "      declare hist_acc: stack float64 count 2048\n"
                      "      fill &hist_acc[0] count bins of float64 with 0.0\n"
                      "      for i: int64 from 0 to N - 1 parallel reduce sum hist_acc count bins {\n"
                      "        for j: int64 from 0 to 99 {\n"
                      "          update hist_acc[i] with A[i] by sum\n"
                      "        }\n"
                      "      }\n"
                      "      for k: int64 from 0 to bins - 1 {\n"
                      "        update hist[k] with hist_acc[k] by sum\n"
                      "      }\n"
                      "    } else {\n"
                      "      for i: int64 from 0 to N - 1 parallel {\n"
                      "        for j: int64 from 0 to 99 {\n"
                      "          update hist[i] with A[i] by sum atomic\n"
                      "        }\n"
                      "      }\n"
                      "    }\n");
}

TEST_CASE("privatise-histograms: sizes that are known ask nothing, or say no") {
    CHECK_FALSE(Histogram(4096).runs()); // too long for the stack
    Histogram few(8);
    few.loop->end = 0;
    few.inner->end = 7;
    CHECK_FALSE(few.runs()); // one update per element
    Histogram fits(8);
    fits.loop->end = 99;
    CHECK(fits.runs());
    CHECK(fits.text().find("if ") == std::string::npos);
}

TEST_CASE("privatise-histograms: arrays that have no copies") {
    SECTION("without a clause of OpenMP") {
        CHECK_FALSE(Histogram(symbol("bins"), py::Reduction::Sum, ScalarKind::Complex128).runs());
        CHECK_FALSE(Histogram(symbol("bins"), py::Reduction::Custom).runs());
    }
    SECTION("two operations") {
        Histogram h;
        h.open.push_back(&h.loop->body);
        h.update(h.at(h.hist), h.at(h.A), py::Reduction::Max);
        static_cast<Update &>(*h.loop->body.body.back()).atomic = true;
        CHECK_FALSE(h.runs());
    }
    SECTION("read in the loop") {
        Histogram h;
        h.open.push_back(&h.loop->body);
        h.assign(h.at(h.A), h.at(h.hist));
        CHECK_FALSE(h.runs());
    }
    SECTION("read for the value of an update") {
        Histogram h;
        h.u->value = h.at(h.hist, 1);
        CHECK_FALSE(h.runs());
    }
    SECTION("an update that is not atomic, of another element") {
        Histogram h;
        h.open.push_back(&h.loop->body);
        h.update(h.at(h.hist), h.at(h.A));
        static_cast<Update &>(*h.loop->body.body.back()).atomic = false;
        CHECK_FALSE(h.runs());
    }
    SECTION("reached by a pointer") {
        Histogram h;
        auto *d = h.add<Declare>(h.var("p", VarKind::Pointer));
        MemRef r;
        r.var = h.hist;
        r.address = true;
        d->target = h.f->refs.add(std::move(r));
        CHECK_FALSE(h.runs());
    }
    SECTION("of a size that changes") {
        Histogram h;
        h.assign(py::name("bins", ScalarKind::Int64), python("3"));
        CHECK_FALSE(h.runs());
    }
    SECTION("of a size that is no parameter") { CHECK_FALSE(Histogram(symbol("other")).runs()); }
    SECTION("a team that is awake already") {
        Histogram h;
        h.loop->omp->inParallelRegion = true;
        CHECK_FALSE(h.runs());
    }
    SECTION("an argument whose size nobody knows") {
        Histogram h;
        h.f->vars[h.hist].kind = VarKind::Pointer;
        h.f->vars[h.hist].isRestrict = true;
        CHECK_FALSE(h.runs());
    }
}

TEST_CASE("privatise-histograms: arguments have the size that the interface says") {
    Histogram h;
    h.f->name = "program";
    h.f->vars[h.hist].kind = VarKind::Pointer;
    h.f->vars[h.hist].isRestrict = true;
    Param size;
    size.name = "n";
    size.cName = "bins";
    h.m.params.push_back(size);
    Param array;
    array.name = array.cName = "hist";
    array.desc = std::make_shared<ir::DataDesc>(ir::DataDesc::array(ScalarKind::Float64, {2 * symbol("n")}, false));
    h.m.params.push_back(array);
    REQUIRE(h.runs());
    CHECK(h.text().find("2 * bins <= 2048") != std::string::npos);
}
