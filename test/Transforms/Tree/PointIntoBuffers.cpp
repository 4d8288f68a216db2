// Local pointers to the memory of buffers with one-byte elements that teams of threads use.
#include "Transforms/Tree/RunPass.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// `mask` of `type`, and a loop that stores to it.
struct Mask : Body {
    VarId mask;

    explicit Mask(Type type = ScalarKind::Bool) {
        size("N");
        mask = declared(var("mask", VarKind::Buffer, type, symbol("N")));
    }
    void store(bool parallel = true) {
        loop("i", parallel);
        assign(at(mask, symbol("i")), python("1"));
        close();
    }
};

} // namespace

TEST_CASE("point into buffers: the pointer gets the name of the buffer, and all references") {
    Mask b;
    b.store();
    CHECK(runPass(b.m, "point-into-buffers"));
    CHECK(b.text() == "    declare mask_buffer: heap bool count N\n"
                      "    declare mask: pointer bool at &mask_buffer[0]\n"
                      "    for i: int64 from 0 to N - 1 parallel {\n"
                      "      mask[i] = 1\n"
                      "    }\n");
    CHECK_FALSE(runPass(b.m, "point-into-buffers"));
}

TEST_CASE("point into buffers: a name that something else has is not taken") {
    Mask b;
    b.declared(b.var("mask_buffer"));
    b.store();
    CHECK(runPass(b.m, "point-into-buffers"));
    CHECK(b.text().find("declare mask_buffer: float64\n") != std::string::npos);
    CHECK(b.text().find("declare mask: pointer bool at &mask_buffer_") != std::string::npos);
}

TEST_CASE("point into buffers: a store of a byte stands against all buffers of the function, wherever the byte is") {
    Body b;
    b.param("bytes", VarKind::Pointer, ScalarKind::UInt8);
    b.size("N");
    const VarId t = b.declared(b.var("t", VarKind::Buffer, ScalarKind::Float64, symbol("N")));
    b.loop("i", true);
    b.assign(b.at(t, symbol("i")), python("1.0"));
    b.close();
    CHECK(runPass(b.m, "point-into-buffers"));
    CHECK(b.text().find("declare t: pointer float64 at &t_buffer[0]\n") != std::string::npos);
}

TEST_CASE("point into buffers: no elements of one byte, or no team of threads") {
    Mask wide(ScalarKind::Float64);
    wide.store();
    CHECK_FALSE(runPass(wide.m, "point-into-buffers"));
    Mask alone;
    alone.store(false);
    CHECK_FALSE(runPass(alone.m, "point-into-buffers"));
}

TEST_CASE("point into buffers: buffers that a thread of a team declares are its own") {
    Body b;
    b.size("N");
    b.loop("i", true);
    const VarId mask = b.declared(b.var("mask", VarKind::Buffer, ScalarKind::Bool, symbol("N")));
    b.assign(b.at(mask, symbol("i")), python("1"));
    b.close();
    CHECK_FALSE(runPass(b.m, "point-into-buffers"));
}

TEST_CASE("point into buffers: memory that comes later or changes, and text as written") {
    Mask late;
    late.f->vars[late.mask].countKnown = false;
    late.add<Allocate>(late.mask, symbol("N"));
    late.store();
    CHECK_FALSE(runPass(late.m, "point-into-buffers"));
    Mask grows;
    grows.store();
    grows.add<Allocate>(grows.mask, 2 * symbol("N"));
    CHECK_FALSE(runPass(grows.m, "point-into-buffers"));
    Mask text;
    text.store();
    text.add<RawTasklet>()->text = "mask.zero();";
    CHECK_FALSE(runPass(text.m, "point-into-buffers"));
}
