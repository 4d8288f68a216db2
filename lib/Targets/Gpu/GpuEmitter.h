// The base of GPU targets: a program of the host that queues operations on streams, and kernels. As it is, kernels are C++ in the
// same source, as cuda and hip have them; OpenCl/OpenCl.cpp derives from it.
#pragma once

#include "Targets/Cxx/Emitter.h"

#include "sdfgc/CodeGen/AsyncCall.h"
#include "sdfgc/CodeGen/DevicePrinters.h"
#include "sdfgc/CodeGen/Interface.h"
#include "sdfgc/Platform/Dialects.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::targets {

class GpuEmitter : public CxxEmitter {
public:
    /// `async`: also with a call that does not wait, which codegen::asyncCall() allows.
    GpuEmitter(const tree::Module &m, const platform::Dialect &dialect, bool async = false)
        : CxxEmitter(m), dialect_(dialect), waits_(async ? codegen::asyncCall(m).waits : std::vector<const tree::Node *>()),
          async_(async) {}

protected:
    std::string mainPath() const override {
        return "src/" + std::string(dialect_.name) + "/" + name_ + std::string(dialect_.suffix);
    }
    std::unique_ptr<codegen::BodyPrinter> printer(const tree::Function &f, const codegen::Output &out) const override {
        if (f.kernel || f.device)
            return std::make_unique<codegen::KernelPrinter>(m_, f, out);
        if (&f == m_.functions.back().get() && async_)
            return std::make_unique<WithoutLastWaits>(m_, f, out, waits_);
        return std::make_unique<codegen::QueuePrinter>(m_, f, out);
    }
    void needs() override {
        use("gpu_program");
        if (m_.rawCpp)
            use("dacedevice");
    }
    bool serves(const platform::Environment &) const override { return true; }
    std::string bufferClass(const tree::StateField &f) const override {
        return f.storage == ir::Storage::GPU_Global   ? "sdfgc::gpu::Buffer"
               : f.storage == ir::Storage::CPU_Pinned ? "sdfgc::gpu::PinnedBuffer"
                                                      : CxxEmitter::bufferClass(f);
    }
    /// Reports of the emulation include the container's name.
    std::string bufferInit(const tree::StateField &f) const override {
        const bool isOfDriver = f.storage == ir::Storage::GPU_Global || f.storage == ir::Storage::CPU_Pinned;
        return isOfDriver ? "{\"" + f.name.str() + "\"}" : "";
    }
    /// The functions that are GPU graphs.
    std::vector<const tree::Function *> graphs() const {
        std::vector<const tree::Function *> out;
        for (const auto &f : m_.functions)
            if (f->graph)
                out.push_back(f.get());
        return out;
    }
    void stateFields(TextWriter &w) const override {
        w.line("sdfgc::gpu::Program gpu; // streams and events");
        if (uses("gpu_report"))
            w.line("sdfgc::gpu::Times times; // measured with events");
        for (const tree::Function *f : graphs())
            w.line("sdfgc::gpu::Graph " + f->name.str() + "{\"" + f->name.str() + "\"" +
                   (f->graph->entries == 8 ? "" : ", " + std::to_string(f->graph->entries)) + "};");
        if (!graphs().empty())
            w.line(name_ + "_graph_info gpu_graphs[" + std::to_string(graphs().size()) + "]; // as " + name_ +
                   "_gpu_graphs gave them last");
    }
    bool hasResources() const override { return true; }
    void acquire(TextWriter &w) const override {
        w.line("__state->gpu.open(" + std::to_string(m_.streams) + ", " + std::to_string(m_.events) + ");");
        if (m_.anyMemory)
            w.line("__state->gpu.copyFromAnywhere();");
        if (const std::string range = marker("init_"); !range.empty())
            w.line(range);
    }
    void release(TextWriter &w) const override {
        if (const std::string range = marker("exit_"); range.empty()) {
            w.line("const int unfinished = sdfgc::rt::guard(__state->error, [&] { __state->gpu.finish(); });");
        } else {
            w.open("const int unfinished = sdfgc::rt::guard(__state->error, [&]");
            w.line(range);
            w.line("__state->gpu.finish();");
            w.close(");");
        }
        w.line("if (__err == 0)");
        w.line("    __err = unfinished;");
    }
    /// A range to the end of the block, if the program itself is marked.
    std::string marker(const std::string &what) const {
        const auto isRoot = [](const tree::NodePtr &n) {
            const auto *m = dyn_cast<tree::Measure>(n.get());
            return m && m->by == ir::Instrumentation::GPU_TX_MARKERS && m->cfg == 0 && m->state < 0;
        };
        const tree::Block &body = m_.functions.back()->body;
        return std::any_of(body.body.begin(), body.body.end(), isRoot)
                   ? "const sdfgc::gpu::Marker marker(__state->report, \"" + what + name_ + "\", {0, -1, -1});"
                   : "";
    }
    std::string beginCall() const override { return "__state->gpu.begin(); "; }
    /// The waits of the program, if its function leaves them to the entry points.
    std::string endCall() const override {
        std::string out;
        for (const tree::Node *n : waits_) {
            if (const auto *event = dyn_cast<tree::EventWait>(n))
                out += " __state->gpu.synchroniseEvent(" + std::to_string(event->event) + ");";
            else if (const int stream = cast<tree::Synchronise>(n)->stream; stream == tree::Synchronise::all)
                out += " __state->gpu.synchroniseAll();";
            else
                out += " __state->gpu.synchronise(" + std::to_string(stream) + ");";
        }
        return out;
    }
    /// The emulation, so that the folder can be built with or without a GPU.
    std::vector<std::string> furtherFiles() const override {
        std::vector<std::string> files = {"sdfgc/rt/gpu_emulate.cpp"};
        if (hasGraphLoops())
            files.push_back("sdfgc/rt/gpu_loops.h");
        return files;
    }
    /// Does a graph contain a loop?
    bool hasGraphLoops() const {
        const std::vector<const tree::Function *> all = graphs();
        return std::any_of(all.begin(), all.end(),
                           [](const tree::Function *f) { return tree::contains(f->body, tree::TreeKind::Loop); });
    }
    /// The code that sets loop conditions is separate from the program's kernels, since older drivers cannot load it.
    std::vector<codegen::SourceFile> furtherSources() const override {
        if (!hasGraphLoops())
            return {};
        const std::string main = mainPath();
        const std::size_t dot = main.rfind('.');
        TextWriter w;
        w.line("// Conditions of the loops in GPU graphs. Written by sdfgc; it is the same for all programs.");
        w.line("#include \"sdfgc/rt/gpu_loops.h\"");
        return {{main.substr(0, dot) + "_loops" + main.substr(dot), w.take(), true}};
    }
    /// The device pass of a GPU compiler does not see the target of an alias, so here a call forwards.
    std::string alias(const std::string &head, const std::string &of, const std::string &values) const override {
        return head + " { return " + of + "(" + values + "); }";
    }
    /// Streams of the caller, errors of the device, device memory for callers (C3).
    std::vector<codegen::EntryPoint> furtherEntryPoints() const override {
        using Entries = std::vector<codegen::EntryPoint>;
        const std::string failed = "sdfgc::gpu::success ? memory : nullptr;";
        Entries out{
            {"bool",
             "__dace_gpu_set_stream",
             true,
             {{"int streamid", "streamid"}, {"void *stream", "stream"}},
             {"return __state->gpu.setStream(streamid, static_cast<sdfgc::gpu::Stream>(stream));"}},
            {"void",
             "__dace_gpu_set_all_streams",
             true,
             {{"void *stream", "stream"}},
             {"__state->gpu.setAllStreams(static_cast<sdfgc::gpu::Stream>(stream));"}},
            {"int", "__dace_gpu_last_error", true, {}, {"return __state->gpu.takeError();"}},
            {"void", "__dace_gpu_drain_error", true, {}, {"__state->gpu.drainError();"}},
            {"void *",
             name_ + "_device_alloc",
             false,
             {{"size_t bytes", "bytes"}},
             {"char *memory = nullptr;", "return sdfgc::gpu::malloc(&memory, bytes, \"memory of the caller\") == " + failed}},
            {"void", name_ + "_device_free", false, {{"void *memory", "memory"}}, {"(void)sdfgc::gpu::free(memory);"}},
            {"int",
             name_ + "_device_copy",
             false,
             {{"void *to", "to"}, {"const void *from", "from"}, {"size_t bytes", "bytes"}},
             {"const sdfgc::gpu::Status copied = sdfgc::gpu::memcpySync(to, from, bytes, sdfgc::gpu::CopyKind::Any);",
              "// A copy from pageable memory may return before it has arrived.",
              "return static_cast<int>(copied == sdfgc::gpu::success ? sdfgc::gpu::streamSynchronize(nullptr) : copied);"}}};
        if (codegen::takesPinnedMemory(m_)) {
            out.push_back({"void *",
                           name_ + "_pinned_alloc",
                           false,
                           {{"size_t bytes", "bytes"}},
                           {"char *memory = nullptr;",
                            "return sdfgc::gpu::mallocHost(&memory, bytes, \"memory of the caller\") == " + failed}});
            out.push_back(
                {"void", name_ + "_pinned_free", false, {{"void *memory", "memory"}}, {"(void)sdfgc::gpu::freeHost(memory);"}});
        }
        if (async_)
            out.push_back(asyncCall());
        if (!graphs().empty())
            out.push_back(
                {"const " + name_ + "_graph_info *", name_ + "_gpu_graphs", true, {{"int *count", "count"}}, graphCounters()});
        return out;
    }
    /// The caller's stream takes all work of the call, so its order is that of the program.
    codegen::EntryPoint asyncCall() const {
        std::vector<std::pair<std::string, std::string>> parameters;
        for (const tree::Param &p : m_.params)
            if (!p.onHandle)
                parameters.emplace_back(codegen::cParameter(p), p.cName.str());
        parameters.emplace_back("void *__stream", "__stream");
        std::vector<std::string> body = {"__state->error.clear();", "sdfgc::rt::guard(__state->error, [&] {"};
        for (const std::string &line :
             checkedCall("const sdfgc::gpu::OnStream all(__state->gpu, static_cast<sdfgc::gpu::Stream>(__stream)); ", ""))
            body.push_back("    " + line);
        body.emplace_back("});");
        return {"void", codegen::asyncName(m_), true, std::move(parameters), std::move(body)};
    }
    std::vector<std::string> graphCounters() const {
        std::string all;
        for (const tree::Function *f : graphs())
            all += (all.empty() ? "&__state->" : ", &__state->") + f->name.str();
        return {name_ + "_graph_info *next = __state->gpu_graphs;",
                "for (const sdfgc::gpu::Graph *graph : {" + all + "}) {",
                "    const sdfgc::gpu::GraphInfo &i = graph->info();",
                "    *next++ = {i.name, i.entries, i.builds, i.launches, i.updates, i.nodesLast, i.usedLast, i.hostPath, "
                "i.iterationsLast, i.evictions, i.lastReason};",
                "}",
                "*count = " + std::to_string(graphs().size()) + ";",
                "return __state->gpu_graphs;"};
    }
    void entryPointDeclarations(TextWriter &w) const override {
        const std::string handle = name_ + "Handle_t";
        w.line("/* Puts the work of one of the program's streams, or of all, on a stream of the caller (cudaStream_t or "
               "hipStream_t). */");
        w.line("bool __dace_gpu_set_stream(" + handle + " handle, int streamid, void *stream);");
        w.line("void __dace_gpu_set_all_streams(" + handle + " handle, void *stream);");
        if (async_) {
            const std::string all = codegen::cParameters(m_.params);
            w.line(
                "/* Queues the program on a stream of the caller (cudaStream_t or hipStream_t) and does not wait for it. Until the "
                "stream has");
            w.line(" * done the work, arrays are in use, and other calls with the handle must be on the same stream. */");
            w.line("void " + codegen::asyncName(m_) + "(" + handle + " handle" + (all.empty() ? "" : ", " + all) +
                   ", void *__stream);");
        }
        w.line("/* The device's error code since the last look (which clears it), and a call that only clears it. */");
        w.line("int __dace_gpu_last_error(" + handle + " handle);");
        w.line("void __dace_gpu_drain_error(" + handle + " handle);");
        w.line("/* Device memory for callers without a GPU runtime of their own, null when there is none left; and a copy between "
               "any two places");
        w.line(" * that returns when it is done, 0 on success. */");
        w.line("void *" + name_ + "_device_alloc(size_t bytes);");
        w.line("void " + name_ + "_device_free(void *memory);");
        w.line("int " + name_ + "_device_copy(void *to, const void *from, size_t bytes);");
        if (codegen::takesPinnedMemory(m_)) {
            w.line("/* Page-locked host memory for such callers, null when there is none left. */");
            w.line("void *" + name_ + "_pinned_alloc(size_t bytes);");
            w.line("void " + name_ + "_pinned_free(void *memory);");
        }
        if (graphs().empty())
            return;
        w.line("/* Counters of a GPU graph since the handle was created. */");
        w.open("typedef struct");
        w.line("const char *name;");
        w.line("int64_t entries; /* executable graphs that are kept */");
        w.line("int64_t builds; /* made so far */");
        w.line("int64_t launches; /* calls that launched a graph */");
        w.line("int64_t updates; /* nodes that were changed in one */");
        w.line("int64_t nodes_last; /* of the last call's graph, with those that set conditions; 0: it took the host path, or had "
               "nothing to do */");
        w.line("int64_t used_last; /* 1: the last call launched a graph, or had nothing to do; 0: it took the host path */");
        w.line("int64_t host_path; /* calls that queued the operations one by one */");
        w.line(
            "int64_t iterations_last; /* of all loops in the last call's graph; -1: there were none, or it took the host path */");
        w.line("int64_t evictions; /* graphs that were removed for others */");
        w.line("const char *last_reason; /* why the host path was taken the last time; empty if it never was */");
        w.close(" " + name_ + "_graph_info;");
        w.line("/* The program's graphs, *count of them; valid until the next call of this function or the handle's end. */");
        w.line("const " + name_ + "_graph_info *" + name_ + "_gpu_graphs(" + handle + " handle, int *count);");
    }

    /// The program's function without the waits at its end.
    class WithoutLastWaits final : public codegen::QueuePrinter {
    public:
        WithoutLastWaits(const tree::Module &m, const tree::Function &f, const codegen::Output &out,
                         const std::vector<const tree::Node *> &waits)
            : QueuePrinter(m, f, out), waits_(waits) {}

    protected:
        bool isLeftOut(const tree::Block &b, std::size_t i) const override {
            return std::find(waits_.begin(), waits_.end(), b.body[i].get()) != waits_.end();
        }

    private:
        const std::vector<const tree::Node *> &waits_;
    };

    const platform::Dialect &dialect_;
    const std::vector<const tree::Node *> waits_; // that end the program, if the entry points make them
    const bool async_;
};

} // namespace sdfgc::targets
