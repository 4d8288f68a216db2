// C++ and its relatives for GPUs: the source file around the function bodies: includes, types, constants, the program's state, the
// C interface.
#include "sdfgc/Targets/Cxx.h"

#include "DeviceLibraries.h"

#include "sdfgc/CodeGen/BodyPrinter.h"
#include "sdfgc/CodeGen/Interface.h"

#include <algorithm>

namespace sdfgc::targets {

using namespace tree;
using codegen::SourceFile;

namespace {

class CxxEmitter {
public:
    CxxEmitter(const Module &m, const pass::CompileOptions &compile, const codegen::Options &o)
        : m_(m), options_(o), name_(m.name.str()), target_(compile.target), gpu_(m.streams > 0) {}

    codegen::Sources emit() {
        functions("static ");
        std::string tail = frameTail();
        interfaceTopics();
        if (isLarge())
            severalFiles(tail);
        else
            oneFile(tail);
        finish();
        return std::move(out_);
    }

private:
    static constexpr const char *emulation = "sdfgc/rt/gpu_emulate.cpp";

    /// A GPU program is one file: kernels, and the host code that starts them.
    std::string mainPath() const {
        if (!gpu_)
            return "src/cpu/" + name_ + ".cpp";
        return target_ == "hip" ? "src/hip/" + name_ + ".hip" : "src/cuda/" + name_ + ".cu";
    }

    /// Bodies first: they say what the file must include.
    void functions(const std::string &linkage) {
        bodies_.clear();
        signatures_.clear();
        map_.clear();
        mapRanges_.clear();
        for (const auto &f : m_.functions) {
            TextWriter w;
            codegen::BodyPrinter printer(m_, *f, w, topics_, map_, mainPath());
            signatures_.push_back(printer.signature());
            std::size_t begin = map_.size();
            printer.function(linkage);
            mapRanges_.emplace_back(begin, map_.size());
            bodies_.push_back(w.take());
        }
        usesOpenmp_ = std::any_of(bodies_.begin(), bodies_.end(), [](const std::string &b) {
            return b.find("#pragma omp") != std::string::npos || b.find("omp_get_") != std::string::npos ||
                   b.find("rt::consume(") != std::string::npos;
        });
    }

    /// Do the functions deserve files of their own? Code of the user at file scope must not be there twice, and kernels stay with
    /// the host code that starts them.
    bool isLarge() const {
        std::size_t bytes = 0;
        for (const std::string &b : bodies_)
            bytes += b.size();
        return bytes > options_.splitBytes && bodies_.size() > 1 && m_.globalCode.empty() && !gpu_;
    }

    void interfaceTopics() {
        if (gpu_ && m_.rawCpp)
            deviceLibraries_ = mentionedLibraries({bodies_, m_.rawFields, m_.initCode, m_.exitCode, m_.globalCode});
        services_ = neededServices(m_.environments);
        topics_.insert("abi");
        for (const Param &p : m_.params)
            for (const std::string &t : codegen::topicsOf(p.desc ? p.desc->dtype : p.type))
                topics_.insert(t);
        for (const StateField &f : m_.fields) {
            if (!f.isScalar && f.lifetime != ir::Lifetime::External)
                topics_.insert(f.isStream ? "stream" : "buffer");
            for (const std::string &t : codegen::topicsOf(f.type))
                topics_.insert(t);
        }
        for (const ConstantDef &c : m_.constants)
            for (const std::string &t : codegen::topicsOf(c.type))
                topics_.insert(t);
        for (const Param &p : m_.params)
            if (p.desc && p.desc->isStream())
                topics_.insert("stream");
        if (gpu_)
            topics_.insert("gpu_program");
        for (const DeviceService &service : services_)
            topics_.insert(std::string(service.topic));
        if (m_.instrumented)
            topics_.insert("report");
        if (m_.dataInstrumented)
            topics_.insert("probe");
        if (m_.rawCpp)
            topics_.insert("dace");
    }

    void banner(TextWriter &w, const std::string &path) {
        std::string from = m_.source.empty() ? "" : " from " + m_.source.substr(m_.source.rfind('/') + 1);
        w.line("// " + path.substr(path.rfind('/') + 1) + ": program `" + name_ + "`, written by sdfgc" + from +
               ". Edit the graph, not this file.");
    }

    /// Includes, the state, constants, code of the user at file scope.
    void declarations(TextWriter &w) {
        w.line("#include \"" + name_ + ".h\"");
        w.line();
        std::vector<std::string> own, standard;
        for (const std::string &t : topics_) {
            std::string inc = codegen::includeOf(t);
            auto &list = inc[0] == '<' ? standard : own;
            if (std::find(list.begin(), list.end(), inc) == list.end())
                list.push_back(inc);
        }
        auto shipped = [&](std::string include) {
            out_.runtimeHeaders.push_back(include.substr(1, include.size() - 2));
            own.push_back(std::move(include));
        };
        if (gpu_ && m_.rawCpp)
            shipped("\"dace/device.h\"");
        for (const DeviceLibrary &l : deviceLibraries_) {
            if (l.include[0] == '"')
                shipped(std::string(l.include));
            else
                standard.emplace_back(l.include);
            out_.libraries.emplace_back(l.library);
        }
        for (const DeviceService &service : services_)
            if (!service.library.empty())
                out_.libraries.emplace_back(service.library);
        for (Name e : m_.environments)
            environment(e.str(), standard);
        std::sort(own.begin(), own.end());
        for (const std::string &i : own)
            w.line("#include " + i);
        if (!standard.empty())
            w.line();
        for (const std::string &i : standard)
            w.line("#include " + i);
        w.line();
        state(w);
        constants(w);
        for (const std::string &code : m_.globalCode)
            w.verbatim(code);
    }

    /// May the sources use names of this beginning? Macros of the user may.
    bool mentions(const char *prefix) const {
        auto has = [&](const std::string &text) { return text.find(prefix) != std::string::npos; };
        auto any = [&](const auto &list) { return std::any_of(list.begin(), list.end(), has); };
        return any(bodies_) || any(m_.initCode) || any(m_.exitCode) || !m_.globalCode.empty();
    }

    /// Headers and libraries of an environment (format reference 7.10).
    void environment(const std::string &path, std::vector<std::string> &includes) {
        std::string name = path.substr(path.rfind('.') + 1);
        auto add = [](std::vector<std::string> &list, const std::string &what) {
            if (std::find(list.begin(), list.end(), what) == list.end())
                list.push_back(what);
        };
        if (name == "OpenBLAS") {
            if (mentions("cblas_"))
                add(includes, "<cblas.h>");
            add(out_.libraries, "openblas");
            if (mentions("LAPACK")) {
                add(includes, "<lapacke.h>");
                add(out_.libraries, "lapacke");
            }
        } else if (name == "BLAS") {
            add(includes, "<cblas.h>");
            add(out_.libraries, "openblas");
        } else if (name == "FFTW") {
            add(includes, "<fftw3.h>");
            add(out_.libraries, "fftw3");
            add(out_.libraries, "fftw3f");
        }
    }

    static const char *bufferClass(const StateField &f) {
        return f.storage == ir::Storage::GPU_Global   ? "sdfgc::gpu::Buffer"
               : f.storage == ir::Storage::CPU_Pinned ? "sdfgc::gpu::PinnedBuffer"
                                                      : "sdfgc::rt::Buffer";
    }

    void state(TextWriter &w) {
        w.line("// What lives as long as a handle.");
        w.open("struct " + name_ + "_state_t");
        for (const StateField &f : m_.fields) {
            std::string type = f.type.cppName(), field = f.name.str();
            if (f.isStream)
                w.line("sdfgc::rt::Stream<" + type + "> " + field + ";");
            else if (f.isScalar)
                w.line(type + " " + field + "{};");
            else if (f.lifetime == ir::Lifetime::External)
                w.line(type + " *" + field + " = nullptr; // " + f.comment);
            else
                w.line(std::string(bufferClass(f)) + "<" + type + "> " + field + "; // " + f.comment);
        }
        if (gpu_)
            w.line("sdfgc::gpu::Program gpu; // streams and events");
        for (const DeviceService &service : services_)
            if (!service.field.empty())
                w.line(std::string(service.field));
        for (const DeviceLibrary &l : deviceLibraries_)
            if (!l.field.empty())
                w.line(l.field);
        for (const std::string &f : m_.rawFields)
            w.line(f);
        w.line("sdfgc::rt::ErrorState error;");
        if (m_.instrumented)
            w.line("sdfgc::rt::Report report;");
        if (m_.dataInstrumented)
            w.line("sdfgc::rt::DataReport data;");
        w.close(";");
        w.line("using State = " + name_ + "_state_t;");
        w.line();
    }

    void constants(TextWriter &w) {
        for (const ConstantDef &c : m_.constants)
            w.line(codegen::constantDefinition(c));
        if (!m_.constants.empty())
            w.line();
    }

    std::string frameTail() {
        TextWriter w;
        w.wrapAt(codegen::lineWidth);
        std::string init = codegen::cParameters(m_.init), all = codegen::cParameters(m_.params);
        const Function &program = *m_.functions.back();
        w.line();
        w.line("// ---- C interface");
        w.line();
        initialise(w, init);
        w.line();
        w.open("SDFGC_EXPORT void __program_" + name_ + "(State *__state" + (all.empty() ? "" : ", " + all) + ")");
        w.line("__state->error.clear();");
        if (m_.instrumented)
            w.line("__state->report.reset();");
        std::string args = program.needsState ? "__state" : "";
        for (const Param &p : m_.params)
            args += (args.empty() ? "" : ", ") + codegen::toProgram(p);
        w.line("sdfgc::rt::guard(__state->error, [&] { " + program.name.str() + "(" + args + "); });");
        if (m_.instrumented)
            w.line("__state->report.save(sdfgc::rt::buildFolder() + \"/perf\");");
        w.close();
        w.line();
        finalise(w);
        external(w, init);
        if (gpu_)
            gpuInterface(w);
        aliases(w, init, all);
        return w.take();
    }

    void initialise(TextWriter &w, const std::string &init) {
        topics_.insert("new");
        w.open("SDFGC_EXPORT State *__dace_init_" + name_ + "(" + init + ")");
        bool work = !m_.initCode.empty() || gpu_;
        for (const StateField &f : m_.fields)
            work |= !f.isScalar && !f.isStream && f.lifetime != ir::Lifetime::External;
        if (!work)
            w.line("return new (std::nothrow) State();");
        if (work) {
            w.line("auto *__state = new (std::nothrow) State();");
            w.line("if (!__state)");
            w.line("    return nullptr;");
            if (!m_.initCode.empty())
                w.line("[[maybe_unused]] int __result = 0; // for the code of the user");
            w.open("sdfgc::rt::guard(__state->error, [&]");
            if (gpu_)
                w.line("__state->gpu.open(" + std::to_string(m_.streams) + ", " + std::to_string(m_.events) + ");");
            for (const std::string &code : m_.initCode) {
                w.open();
                w.line(code);
                w.close();
            }
            codegen::SymPrinter symbols([this](std::string_view t) { topics_.insert(std::string(t)); });
            for (const StateField &f : m_.fields) {
                if (f.isScalar || f.isStream || f.lifetime == ir::Lifetime::External)
                    continue;
                std::string arguments = symbols.print(f.count);
                if (!f.startOffset.isZero() || f.alignment > 0)
                    arguments += ", " + symbols.print(f.startOffset);
                if (f.alignment > 0)
                    arguments += ", " + std::to_string(f.alignment);
                w.line("__state->" + f.name.str() + ".allocate(" + arguments + ");");
                if (f.zeroed)
                    w.line("__state->" + f.name.str() + ".zero();");
            }
            w.close(");");
            w.open(m_.initCode.empty() ? "if (__state->error.failed())" : "if (__result != 0 || __state->error.failed())");
            w.line("delete __state;");
            w.line("return nullptr;");
            w.close();
            w.line("return __state;");
        }
        w.close();
    }

    void finalise(TextWriter &w) {
        w.open("SDFGC_EXPORT int __dace_exit_" + name_ + "(State *__state)");
        if (m_.exitCode.empty() && !gpu_) {
            w.line("delete __state;");
            w.line("return 0;");
            w.close();
            return;
        }
        w.line("if (!__state)");
        w.line("    return 0;");
        w.line("int __err = 0;");
        if (!m_.exitCode.empty()) {
            w.line("__state->error.clear();");
            w.open("const int failed = sdfgc::rt::guard(__state->error, [&]");
            for (const std::string &code : m_.exitCode) {
                w.open();
                w.line(code);
                w.close();
            }
            w.close(");");
            w.line("if (__err == 0)");
            w.line("    __err = failed;");
        }
        if (gpu_) {
            w.line("const int unfinished = sdfgc::rt::guard(__state->error, [&] { __state->gpu.finish(); });");
            w.line("if (__err == 0)");
            w.line("    __err = unfinished;");
        }
        w.line("delete __state;");
        w.line("return __err;");
        w.close();
    }

    /// Streams of the caller, and errors of the device (C3).
    void gpuInterface(TextWriter &w) {
        w.line();
        w.line("SDFGC_EXPORT bool __dace_gpu_set_stream(State *__state, int streamid, void *stream) { return "
               "__state->gpu.setStream(streamid, static_cast<sdfgc::gpu::Stream>(stream)); }");
        w.line("SDFGC_EXPORT void __dace_gpu_set_all_streams(State *__state, void *stream) { "
               "__state->gpu.setAllStreams(static_cast<sdfgc::gpu::Stream>(stream)); }");
        w.line("SDFGC_EXPORT int __dace_gpu_last_error(State *__state) { return __state->gpu.takeError(); }");
        w.line("SDFGC_EXPORT void __dace_gpu_drain_error(State *__state) { __state->gpu.drainError(); }");
        w.line();
        w.open("SDFGC_EXPORT void *" + name_ + "_device_alloc(size_t bytes)");
        w.line("char *memory = nullptr;");
        w.line("return sdfgc::gpu::malloc(&memory, bytes, \"memory of the caller\") == sdfgc::gpu::success ? memory : nullptr;");
        w.close();
        w.line("SDFGC_EXPORT void " + name_ + "_device_free(void *memory) { (void)sdfgc::gpu::free(memory); }");
        w.open("SDFGC_EXPORT int " + name_ + "_device_copy(void *to, const void *from, size_t bytes)");
        w.line("const sdfgc::gpu::Status copied = sdfgc::gpu::memcpySync(to, from, bytes, sdfgc::gpu::CopyKind::Any);");
        w.line("// A copy from pageable memory may return before it has arrived.");
        w.line("return static_cast<int>(copied == sdfgc::gpu::success ? sdfgc::gpu::streamSynchronize(nullptr) : copied);");
        w.close();
    }

    void external(TextWriter &w, const std::string &init) {
        std::string params = init.empty() ? "" : ", " + init;
        codegen::SymPrinter symbols([this](std::string_view t) { topics_.insert(std::string(t)); });
        for (ir::Storage s : codegen::externalStorages(m_)) {
            std::string storage(ir::name(s));
            w.line();
            w.open("SDFGC_EXPORT size_t __dace_get_external_memory_size_" + storage + "(State *" + params + ")");
            std::string sum;
            for (const StateField &f : m_.fields)
                if (f.lifetime == ir::Lifetime::External && f.storage == s)
                    sum += (sum.empty() ? "" : " + ") + symbols.print(f.count, codegen::Precedence::Multiplicative) + " * sizeof(" +
                           f.type.cppName() + ")";
            w.line("return " + sum + ";");
            w.close();
            w.line();
            w.open("SDFGC_EXPORT void __dace_set_external_memory_" + storage + "(State *__state, char *memory" + params + ")");
            for (const StateField &f : m_.fields)
                if (f.lifetime == ir::Lifetime::External && f.storage == s) {
                    std::string shift =
                        f.startOffset.isZero() ? "" : " + " + symbols.print(f.startOffset, codegen::Precedence::Multiplicative);
                    w.line("__state->" + f.name.str() + " = reinterpret_cast<" + f.type.cppName() + " *>(memory)" + shift + ";");
                    w.line("memory += " + symbols.print(f.count, codegen::Precedence::Multiplicative) + " * sizeof(" +
                           f.type.cppName() + ");");
                }
            w.close();
        }
    }

    /// Second names for the same functions, and the error of the last call.
    void aliases(TextWriter &w, const std::string &init, const std::string &all) {
        w.line();
        // A device pass of a GPU compiler does not see what an alias stands for, so there a call forwards.
        auto alias = [&](const std::string &result, const std::string &name, const std::string &params, const std::string &of,
                         const std::string &values) {
            const std::string head = "SDFGC_EXPORT " + result + name + "(" + params + ")";
            w.line(gpu_ ? head + " { return " + of + "(" + values + "); }" : head + " __attribute__((alias(\"" + of + "\")));");
        };
        auto names = [](const std::vector<Param> &list, std::string out) {
            for (const Param &p : list)
                out += (out.empty() ? "" : ", ") + p.cName.str();
            return out;
        };
        alias("State *", name_ + "_initialize", init, "__dace_init_" + name_, names(m_.init, ""));
        alias("void ", name_ + "_program", "State *__state" + (all.empty() ? "" : ", " + all), "__program_" + name_,
              names(m_.params, "__state"));
        alias("int ", name_ + "_finalize", "State *__state", "__dace_exit_" + name_, "__state");
        w.line("SDFGC_EXPORT int " + name_ + "_error(State *__state) { return __state->error.code; }");
        w.line("SDFGC_EXPORT const char *" + name_ + "_error_message(State *__state) { return __state->error.message; }");
    }

    /// Adds functions first..last to a file, and makes the lines of their elements those of the file.
    void addBodies(TextWriter &w, const std::string &path, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            if (i > first)
                w.line();
            for (std::size_t k = mapRanges_[i].first; k < mapRanges_[i].second; ++k) {
                map_[k].file = path;
                map_[k].from += w.nextLine() - 1;
                map_[k].to += w.nextLine() - 1;
            }
            w.verbatim(bodies_[i]);
        }
    }

    void oneFile(const std::string &tail) {
        TextWriter w;
        banner(w, mainPath());
        declarations(w);
        addBodies(w, mainPath(), 0, bodies_.size());
        out_.files.push_back({mainPath(), w.take() + tail, true});
    }

    /// Functions in files of about the same size, in order, and a header for what they share. The program itself, which comes last,
    /// stays with the C interface.
    void severalFiles(const std::string &tail) {
        const std::string folder = "src/cpu/", shared = name_ + "_parts.h", space = name_ + "_parts";
        functions("");
        TextWriter header;
        header.wrapAt(codegen::lineWidth);
        banner(header, shared);
        header.line("#pragma once");
        header.line();
        declarations(header);
        header.line("namespace " + space + " {");
        for (std::size_t i = 0; i + 1 < signatures_.size(); ++i)
            header.line(signatures_[i] + ";");
        header.line("} // namespace " + space);
        out_.files.push_back({folder + shared, header.take(), false});
        const std::size_t program = bodies_.size() - 1;
        for (std::size_t first = 0, last = 0; first < program; first = last) {
            for (std::size_t bytes = 0; last < program && (last == first || bytes + bodies_[last].size() <= options_.splitBytes);
                 ++last)
                bytes += bodies_[last].size();
            const std::string path = folder + name_ + "_" + std::to_string(++parts_) + ".cpp";
            TextWriter w;
            partHead(w, path, shared);
            w.line("namespace " + space + " {");
            w.line();
            addBodies(w, path, first, last);
            w.line();
            w.line("} // namespace " + space);
            out_.files.push_back({path, w.take(), true});
        }
        TextWriter w;
        partHead(w, mainPath(), shared);
        w.line("using namespace " + space + ";");
        w.line();
        addBodies(w, mainPath(), program, program + 1);
        out_.files.push_back({mainPath(), w.take() + tail, true});
    }
    void partHead(TextWriter &w, const std::string &path, const std::string &shared) {
        banner(w, path);
        w.line("#include \"" + shared + "\"");
        w.line();
    }

    void finish() {
        out_.files.push_back({"include/" + name_ + ".h", codegen::header(m_), false});
        out_.sourceMap = std::move(map_);
        out_.openmp = usesOpenmp_;
        for (const std::string &t : topics_) {
            std::string inc = codegen::includeOf(t);
            if (inc[0] == '"')
                out_.runtimeHeaders.push_back(inc.substr(1, inc.size() - 2));
        }
        if (gpu_)
            out_.runtimeHeaders.push_back(emulation); // so that the folder can be built with or without a GPU
        std::sort(out_.runtimeHeaders.begin(), out_.runtimeHeaders.end());
        out_.runtimeHeaders.erase(std::unique(out_.runtimeHeaders.begin(), out_.runtimeHeaders.end()), out_.runtimeHeaders.end());
    }

    const Module &m_;
    const codegen::Options &options_;
    std::string name_, target_;
    bool gpu_;
    codegen::Sources out_;
    std::set<std::string> topics_;
    std::vector<codegen::MapEntry> map_;
    std::vector<std::string> bodies_, signatures_;
    std::vector<std::pair<std::size_t, std::size_t>> mapRanges_;
    int parts_ = 0;
    bool usesOpenmp_ = false;
    std::vector<DeviceLibrary> deviceLibraries_;
    std::vector<DeviceService> services_;
};

} // namespace

codegen::Sources emitCxx(const Module &m, const pass::CompileOptions &compile, const codegen::Options &o) {
    return CxxEmitter(m, compile, o).emit();
}

} // namespace sdfgc::targets
