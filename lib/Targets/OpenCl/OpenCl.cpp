// Target opencl: the host's C++ program of the other GPU targets, with kernels in OpenCL C. NAME.cl has the kernels; NAME.cpp includes
// it as text, because the device's driver compiles it when the program starts.
//
// NAME.cl is read by two languages. For C++ it is one raw string, between two lines that OpenCL C skips:
//
//     #ifdef __cplusplus
//     R"sdfgc(
//     #endif
//     ...
//     #ifdef __cplusplus
//     )sdfgc"
//     #endif
//
// The text of the string begins with the first `#endif` and ends with the second `#ifdef`, which the runtime completes
// (sdfgc/rt/gpu/opencl.h).
#include "Targets/Gpu/GpuEmitter.h"

#include "sdfgc/CodeGen/OpenClPrinter.h"
#include "sdfgc/Pass/CompileOptions.h"

#include <set>

namespace sdfgc::targets {

namespace {

/// A kernel in the host's program: its parameters, to which a launch converts arguments. The name is that of a launch.
class KernelDeclaration final : public codegen::HostPrinter {
public:
    using codegen::HostPrinter::HostPrinter;
    void function(const std::string &) override {
        if (f_.kernel)
            w_.line(signature() + "; // OpenCL C");
    }
};

/// Words of OpenCL C that graphs may use as names.
bool isWordOfOpenCl(std::string_view name) {
    static const std::set<std::string_view> words{
        "half",       "kernel",     "global",   "local",     "constant",  "private",   "restrict",  "read_only",
        "write_only", "read_write", "uchar",    "ushort",    "uint",      "ulong",     "size_t",    "ptrdiff_t",
        "sampler_t",  "event_t",    "intptr_t", "uintptr_t", "image2d_t", "image3d_t", "image1d_t", "quad",
        "complex",    "imaginary",  "vec_step", "printf",    "unroll",    "pipe",      "generic",   "barrier"};
    if (words.count(name))
        return true;
    const std::size_t digits = name.find_first_of("0123456789");
    static const std::set<std::string_view> vectors{"char", "uchar", "short", "ushort", "int",  "uint",
                                                    "long", "ulong", "float", "double", "half", "bool"};
    return digits != std::string_view::npos && vectors.count(name.substr(0, digits)) &&
           name.find_first_not_of("0123456789", digits) == std::string_view::npos;
}

class OpenClEmitter final : public GpuEmitter {
public:
    OpenClEmitter(const tree::Module &m, const pass::CompileOptions &compile)
        : GpuEmitter(m, *compile.target.dialect()), compile_(compile), kernels_(kernels()) {}

private:
    std::string mainPath() const override { return "src/" + std::string(dialect_.name) + "/" + name_ + ".cpp"; }
    std::unique_ptr<codegen::BodyPrinter> printer(const tree::Function &f, const codegen::Output &out) const override {
        if (f.kernel || f.device)
            return std::make_unique<KernelDeclaration>(m_, f, out);
        return std::make_unique<codegen::QueuePrinter>(m_, f, out);
    }
    void needs() override {
        GpuEmitter::needs();
        link("OpenCL");
    }
    void acquire(TextWriter &w) const override {
        const auto uses = [this](const char *type) { return kernels_.find(type) != std::string::npos; };
        w.line("static const char kernels[] =");
        w.line("#include \"" + name_ + ".cl\"");
        w.line("    ;");
        const auto flag = [](bool is) { return std::string(is ? "true" : "false"); };
        const bool doubles = uses("double") || uses("SDFGC_NP_") || uses("float64") || uses("complex128");
        const bool wide = wideStructures_ || ((uses("sdfgc_atomic_") || uses("sdfgc_replace_")) &&
                                              (uses("int64_") || uses("float64_") || uses("complex128_")));
        w.line("sdfgc::gpu::loadKernels(kernels, \"" + options() + "\", {" + flag(doubles) + ", " + flag(wide) + ", " +
               flag(usesStructs_) + "}, {" + limits() + "});");
        GpuEmitter::acquire(w);
    }
    /// What the device must have for a block of each kernel, by name: `{"k", 256, 2048}`.
    std::string limits() const {
        std::string list;
        for (const auto &f : m_.functions)
            if (f->kernel)
                list += (list.empty() ? "" : ", ") + ("{\"" + f->name.str() + "\", " + std::to_string(f->kernel->maxThreads)) +
                        ", " + std::to_string(codegen::openClLocalBytes(*f)) + "}";
        return list;
    }
    /// Of the driver's compiler.
    std::string options() const {
        switch (compile_.fpModel) {
        case pass::FpModel::Fast:
            return "-cl-fast-relaxed-math";
        case pass::FpModel::Contract:
            return "-cl-mad-enable";
        default:
            return "";
        }
    }
    std::vector<std::string> furtherFiles() const override {
        return {"sdfgc/rt/gpu_opencl.cpp", "sdfgc/rt/gpu/opencl_device.h", "sdfgc/rt/gpu/opencl_structs.h"};
    }
    std::vector<codegen::SourceFile> furtherSources() const override {
        return {{"src/" + std::string(dialect_.name) + "/" + name_ + ".cl", kernels_, false}};
    }
    std::string kernels() {
        const std::vector<codegen::OpenClVariant> variants = codegen::openClVariants(m_);
        TextWriter functions;
        functions.wrapAt(codegen::lineWidth);
        constants(functions);
        std::set<std::string> topics;
        std::vector<codegen::MapEntry> map;
        for (const codegen::OpenClVariant &v : variants) {
            functions.line();
            codegen::OpenClPrinter(m_, v, {functions, topics, map, ""}).function("");
        }
        const std::string text = functions.take();
        const std::string structures = structuresOf(text), vectors = vectorsOf(structures + text);
        wideStructures_ = structures.find("SDFGC_REPLACE_STRUCT") != std::string::npos;
        for (const char *type : {"complex64", "complex128", "float16", "float8_"})
            usesStructs_ =
                usesStructs_ || !vectors.empty() || wideStructures_ || (structures + text).find(type) != std::string::npos;
        TextWriter w;
        w.wrapAt(codegen::lineWidth);
        w.line("// " + name_ + ".cl: kernels of program `" + name_ + "`, written by sdfgc. Edit the graph, not this file.");
        w.line("#ifdef __cplusplus");
        w.line("R\"sdfgc(");
        w.line("#endif");
        w.line("#ifndef SDFGC_OPENCL_DEVICE");
        w.line("#include \"sdfgc/rt/gpu/opencl_device.h\"");
        w.line("#endif");
        if (usesStructs_) {
            w.line("#ifndef SDFGC_OPENCL_STRUCTS");
            w.line("#include \"sdfgc/rt/gpu/opencl_structs.h\"");
            w.line("#endif");
        }
        w.line("#pragma OPENCL FP_CONTRACT " + std::string(compile_.fpModel == pass::FpModel::Strict ? "OFF" : "ON"));
        renamed(w, variants);
        return w.take() + vectors + structures + text + "#ifdef __cplusplus\n)sdfgc\"\n#endif\n";
    }
    /// The definitions of the vectors that kernels use, `sdfgc_float32x4`.
    static std::string vectorsOf(const std::string &text) {
        static constexpr std::string_view kinds[] = {"int8",   "int16",  "int32",  "int64",   "uint8",
                                                     "uint16", "uint32", "uint64", "float32", "float64"};
        std::set<std::string> lines;
        for (const std::string_view kind : kinds) {
            const std::string name = "sdfgc_" + std::string(kind) + "x";
            for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
                const std::size_t begin = at + name.size(), end = text.find_first_not_of("0123456789", begin);
                if (end != begin)
                    lines.insert(std::string(kind.starts_with("float") ? "SDFGC_FLOAT_VECTOR(" : "SDFGC_INTEGER_VECTOR(") +
                                 scalarTypeByName(kind)->openClName() + ", " + std::string(kind) + ", " +
                                 text.substr(begin, end - begin) + ")\n");
            }
        }
        std::string all;
        for (const std::string &line : lines)
            all += line;
        return all;
    }
    /// The program's structures that kernels use, and, if an update does, how one of 8 bytes is replaced.
    std::string structuresOf(const std::string &text) const {
        std::string all;
        for (const Type t : m_.structs) {
            const std::string name = t.openClName(), replaces = py::openClFunction("replace", t) + "_";
            if (name.empty())
                continue;
            all += "typedef struct {\n";
            for (const auto &[field, type] : t.fields())
                all += "    " + type.openClName() + " " + field.str() + ";\n";
            all += "} " + name + ";\n";
            for (const std::string space : {"global", "local"})
                if (text.find(replaces + space) != std::string::npos)
                    all += "SDFGC_REPLACE_STRUCT(" + name + ", " + t.str() + ", __" + space + ", " + space + ")\n";
        }
        return text.find("sdfgc_struct_") == std::string::npos ? "" : all;
    }
    void renamed(TextWriter &w, const std::vector<codegen::OpenClVariant> &variants) const {
        std::set<std::string> names;
        for (const codegen::OpenClVariant &v : variants)
            for (const tree::Variable &x : m_.functions[v.function]->vars)
                if (isWordOfOpenCl(x.name.view()))
                    names.insert(x.name.str());
        for (const Type t : m_.structs)
            for (const auto &[field, type] : t.fields())
                if (isWordOfOpenCl(field.view()))
                    names.insert(field.str());
        for (const std::string &n : names)
            w.line("#define " + n + " " + n + "_");
    }
    void constants(TextWriter &w) const {
        for (const tree::ConstantDef &c : m_.constants) {
            if (!py::isOpenClType(c.type) || py::isOpenClStruct(c.type))
                continue;
            if (!c.isArray) {
                w.line("#define " + c.name.str() + " ((" + c.type.openClName() + ")(" +
                       literal(c.values.empty() ? "0" : c.values[0]) + "))");
                continue;
            }
            std::string list;
            for (const std::string &v : c.values)
                list += (list.empty() ? "" : ", ") + literal(v);
            w.line("__constant " + c.type.openClName() + " " + c.name.str() + "[] = {" + list + "};");
        }
    }
    /// `long long` has 128 bits in OpenCL C.
    static std::string literal(std::string cpp) {
        while (cpp.ends_with("LL"))
            cpp.pop_back();
        return cpp;
    }

    const pass::CompileOptions &compile_;
    bool usesStructs_ = false, wideStructures_ = false; // set by kernels()
    const std::string kernels_;
};

} // namespace

codegen::Sources emitOpenCl(const tree::Module &m, const pass::CompileOptions &compile) {
    return m.streams > 0 ? OpenClEmitter(m, compile).emit() : emitCpu(m, compile);
}

} // namespace sdfgc::targets
