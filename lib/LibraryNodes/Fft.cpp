// Fourier transforms: FFT and IFFT over all dimensions of the operand (format reference 7.8).
//
//   out[k] = factor * sum over j of in[j] * exp(-+ 2 pi i (j_0 k_0 / n_0 + j_1 k_1 / n_1 + ...))
//
// The inverse uses the other sign and does not divide. With FFTW the operand is copied to the result (or to a packed temporary when
// the result is not packed) and transformed there in place. Plans are made per call without measuring; FFTW's planner is not
// thread-safe, so plans are made and destroyed one at a time. On the device, its library does the same for up to three dimensions
// (runtime-headers/sdfgc/rt/gpu_fft.h). Without a library the sum is evaluated directly, in a register per element.
#include "Contraction.h"
#include "Expanders.h"
#include "OnDevice.h"

namespace sdfgc::libnodes {

using namespace ir;

namespace {

Expansion::Params params(const char *prefix, const Operand &o) {
    Expansion::Params out;
    for (std::size_t i = 0; i < o.rank(); ++i)
        out.emplace_back(Name(prefix + std::to_string(i)), o.shape[i]);
    return out;
}

struct Transform {
    Operand in, out;
    bool inverse;
    Coefficient factor;
};

void directSum(Expansion &x, const Transform &t) {
    auto k = params("_k", t.out), j = params("_j", t.in);
    std::string angle, type = typedLiteral(t.out.type, "");
    for (std::size_t d = 0; d < j.size(); ++d) {
        std::string n = "(" + t.in.shape[d].str() + ")";
        // The remainder keeps the angle small and thus the sine accurate.
        angle += (d ? " + " : "") + ("(" + j[d].first.str() + " * " + k[d].first.str() + ") % ") + n + " / " + n;
    }
    std::string cast = type.substr(0, type.find('('));
    Expansion::Accumulation a;
    a.outer = {{k}};
    a.inner = j;
    a.inputs = {{"i", "_inp", Expansion::elementAt(j), ""}};
    a.output = {"o", "_out", Expansion::elementAt(k), ""};
    a.wcr = "lambda a, b: a + b";
    a.start = typedLiteral(t.out.type, "0");
    a.code = "t = 2 * math.pi * (" + angle + ")\no = " + cast + "(cos(t), " + (t.inverse ? "" : "-") + "sin(t)) * " + cast + "(i)";
    if (!t.factor.isOne())
        a.write = "o = i * " + typedLiteral(t.out.type, t.factor.text);
    x.accumulated(x.addState("transform"), "transform", a);
}

/// A transform in place by FFTW, or by the device's library.
void callLibrary(Expansion &x, const Transform &t, Name work, const Expansion::Params &dims) {
    const bool device = x.where() == Where::Device;
    LibraryCall call;
    call.environment = device ? "GpuFft" : "FFTW";
    call.function = device ? "gpuFft.transform" : "fftw.transform";
    call.arguments.push_back(cppWord(device ? (t.inverse ? "sdfgc::gpu::Direction::Inverse" : "sdfgc::gpu::Direction::Forward")
                                            : (t.inverse ? "FFTW_BACKWARD" : "FFTW_FORWARD")));
    call.arguments.push_back("_out" + work.str());
    for (const auto &[name, size] : dims)
        call.arguments.push_back(x.word("n", size));
    x.call(x.addState("transform"), "transform", {work}, {work}, call);
}

void byLibrary(Expansion &x, const Transform &t) {
    const bool device = x.where() == Where::Device, packed = x.inner().desc("_out")->isPackedC();
    const Name work =
        packed ? Name("_out") : x.temporary("_work", t.out.type, t.out.shape, device ? Storage::GPU_Global : Storage::Default);
    auto j = params("_j", t.in);
    x.mapped(x.addState("copy"), "copy", j, {{"i", "_inp", Expansion::elementAt(j), ""}},
             {{"o", work, Expansion::elementAt(j), ""}}, "o = i");
    callLibrary(x, t, work, j);
    if (packed && t.factor.isOne())
        return;
    std::string scale = t.factor.isOne() ? "" : " * " + typedLiteral(t.out.type, t.factor.text);
    x.mapped(x.addState("scale"), "scale", j, {{"i", work, Expansion::elementAt(j), ""}},
             {{"o", "_out", Expansion::elementAt(j), ""}}, "o = i" + scale);
}

/// The library to use, or none with the reason.
std::pair<std::string, std::string> libraryFor(Expansion &x, const Transform &t) {
    const pass::CompileOptions &options = x.context().options;
    if (x.node().implementation == "pure")
        return {"", "the node requests it"};
    if (x.where() == Where::Kernel)
        return {"", "a kernel cannot call FFTW"};
    if (x.where() == Where::Host)
        return options.has("fftw3") ? std::pair("FFTW", "the toolchain has it") : std::pair("", "the toolchain has no FFTW");
    if (std::string why = whyNoDeviceTransform(x.node(), t.out.rank(), options); !why.empty())
        return {"", why};
    return {std::string(platform::titleOf("gpufft", options.vendor())), "in device memory"};
}

bool expand(State &s, LibraryNode &n, pass::Context &c, bool inverse) {
    Expansion x(s, n, c);
    Transform t{x.input("_inp"), x.output("_out"), inverse, coefficient(x, x.text("factor", "1"))};
    if (!t.in || !t.out)
        return x.refuse("an operand is missing");
    if (!t.out.type.isComplex())
        return x.refuse("its result must be complex, not " + t.out.type.str());
    if (t.in.rank() != t.out.rank() || t.in.rank() == 0)
        return x.refuse("its input and output must have the same dimensions");
    if (!t.out.edge->memlet.wcr.empty())
        return x.refuse("its output has conflict resolution");
    x.bind("_inp", t.in);
    x.bind("_out", t.out);
    const auto [library, why] = libraryFor(x, t);
    if (library.empty())
        directSum(x, t);
    else
        byLibrary(x, t);
    x.took(library.empty() ? "pure" : library, why);
    x.finish();
    return true;
}

} // namespace

bool expandFFT(State &s, LibraryNode &n, pass::Context &c) { return expand(s, n, c, false); }
bool expandIFFT(State &s, LibraryNode &n, pass::Context &c) { return expand(s, n, c, true); }

} // namespace sdfgc::libnodes
