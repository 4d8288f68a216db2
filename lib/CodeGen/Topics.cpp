// The headers that the text of a program needs.
#include "sdfgc/CodeGen/BodyPrinter.h"

namespace sdfgc::codegen {

namespace {

struct Topic {
    std::string_view topic, include;
};
constexpr Topic topicTable[] = {
    {"abi", "\"sdfgc/rt/abi.h\""},
    {"atomic", "\"sdfgc/rt/atomic.h\""},
    {"buffer", "\"sdfgc/rt/buffer.h\""},
    {"cmath", "<cmath>"},
    {"complex", "\"sdfgc/rt/complex.h\""},
    {"consume", "\"sdfgc/rt/consume.h\""},
    {"cstdint", "<cstdint>"},
    {"cstdio", "<cstdio>"},
    {"cstring", "<cstring>"},
    {"dace", "\"dace/dace.h\""},
    {"dacedevice", "\"dace/device.h\""},
    {"half", "\"sdfgc/rt/lowp.h\""},
    {"lowp", "\"sdfgc/rt/lowp.h\""},
    {"limits", "<limits>"},
    {"math", "\"sdfgc/rt/math.h\""},
    {"omp", "<omp.h>"},
    {"report", "\"sdfgc/rt/report.h\""},
    {"sizes", "\"sdfgc/rt/sizes.h\""},
    {"stream", "\"sdfgc/rt/stream.h\""},
    {"ufunc", "\"sdfgc/rt/ufunc.h\""},
    {"vec", "\"sdfgc/rt/vecmath.h\""},
    {"probe", "\"sdfgc/rt/probe.h\""},
    {"compat", "\"sdfgc/rt/compat.h\""},
    {"typeless", "\"sdfgc/rt/typeless.h\""},
    {"dacemath", "\"sdfgc/rt/dacemath.h\""},
    {"new", "<new>"},
    {"climits", "<climits>"},
    {"complexmath", "\"sdfgc/rt/complex.h\""},
    {"cfloat", "<cfloat>"},
    {"cassert", "<cassert>"},
    {"tuple", "<tuple>"},
    {"range", "\"sdfgc/rt/range.h\""},
    {"type_traits", "<type_traits>"},
    {"utility", "<utility>"},
};

} // namespace

std::string includeOf(std::string_view topic) {
    for (const Topic &t : topicTable)
        if (t.topic == topic)
            return std::string(t.include);
    return "\"sdfgc/rt/" + std::string(topic) + ".h\"";
}

std::vector<std::string> topicsOf(Type t) {
    if (t.isPointer())
        return topicsOf(t.element());
    if (t.isVector()) {
        std::vector<std::string> out = topicsOf(t.element());
        out.emplace_back("vec");
        return out;
    }
    if (t.isStruct()) {
        std::vector<std::string> out;
        for (const auto &[n, f] : t.fields())
            if (!(f.isPointer() && f.element() == t))
                for (std::string &s : topicsOf(f))
                    out.push_back(std::move(s));
        return out;
    }
    if (t.isComplex())
        return {"complex"};
    switch (t.scalar()) {
    case ScalarKind::Float16:
    case ScalarKind::BFloat16:
    case ScalarKind::Float8E4M3FN:
    case ScalarKind::Float8E5M2:
        return {"lowp"};
    default:
        return {};
    }
}

} // namespace sdfgc::codegen
