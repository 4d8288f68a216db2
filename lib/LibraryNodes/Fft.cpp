// Fourier transforms: FFT and IFFT over all dimensions of the operand (format reference 7.8).
//
//   out[k] = factor * sum over j of in[j] * exp(-+ 2 pi i (j_0 k_0 / n_0 + j_1 k_1 / n_1 + ...))
//
// The inverse has the other sign and no division of its own. With FFTW the operand is copied to the result (or to a packed temporary
// when the result is not packed) and transformed there in place. Plans are made per call without measuring; FFTW's planner is not
// thread-safe, so plans are made and destroyed one at a time. Without FFTW the sum is computed as it stands, each in a register.
#include "Contraction.h"
#include "Expanders.h"

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
        // The remainder keeps the angle small and so the sine exact.
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

void withFftw(Expansion &x, const Transform &t) {
    bool single = t.out.type == Type(ScalarKind::Complex64), packed = x.inner().desc("_out")->isPackedC();
    Name work = packed ? Name("_out") : x.temporary("_work", t.out.type, t.out.shape);
    auto j = params("_j", t.in);
    x.mapped(x.addState("copy"), "copy", j, {{"i", "_inp", Expansion::elementAt(j), ""}}, {{"o", work, Expansion::elementAt(j), ""}}, "o = i");
    std::string prefix = single ? "fftwf_" : "fftw_", sizes, data = "(" + prefix + "complex *)_out" + work.str();
    for (const auto &[name, size] : j)
        sizes += (sizes.empty() ? "" : ", ") + ("static_cast<int>(" + x.word("n", size)) + ")";
    x.call(x.addState("transform"), "transform", {work}, {work},
           "const int _n[] = {" + sizes + "};\n" + prefix + "plan _plan;\n#pragma omp critical(sdfgc_fftw)\n_plan = " + prefix + "plan_dft(" +
               std::to_string(j.size()) + ", _n, " + data + ", " + data + ", " + (t.inverse ? "FFTW_BACKWARD" : "FFTW_FORWARD") +
               ", FFTW_ESTIMATE);\nif (_plan)\n    " + prefix + "execute(_plan);\n#pragma omp critical(sdfgc_fftw)\n" + prefix +
               "destroy_plan(_plan);",
           {Name("FFTW")});
    if (packed && t.factor.isOne())
        return;
    std::string scale = t.factor.isOne() ? "" : " * " + typedLiteral(t.out.type, t.factor.text);
    x.mapped(x.addState("scale"), "scale", j, {{"i", work, Expansion::elementAt(j), ""}}, {{"o", "_out", Expansion::elementAt(j), ""}}, "o = i" + scale);
}

bool expand(State &s, LibraryNode &n, pass::Context &c, bool inverse) {
    Expansion x(s, n, c);
    Transform t{x.input("_inp"), x.output("_out"), inverse, coefficient(x, "factor", "1")};
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
    const bool host = x.where() == Where::Host;
    if (host && x.context().options.haveFftw && n.implementation != "pure") {
        withFftw(x, t);
        x.took("FFTW", "the toolchain has it");
    } else {
        directSum(x, t);
        x.took("pure", n.implementation == "pure" ? "the node asks for it" : host ? "the toolchain has no FFTW" : "FFTW cannot reach device memory");
    }
    x.finish();
    return true;
}

} // namespace

bool expandFFT(State &s, LibraryNode &n, pass::Context &c) { return expand(s, n, c, false); }
bool expandIFFT(State &s, LibraryNode &n, pass::Context &c) { return expand(s, n, c, true); }

} // namespace sdfgc::libnodes
