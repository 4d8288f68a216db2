// place-measurements: decide how each instrumented element is measured, and by what.
//
//     measure "Map m" by gpu_events { ... }      becomes   measure "Map m" by gpu_events streams 0 { launch m on 0 }
//     measure "State s" by papi { ... }                    measure "State s" by papi counters "PAPI_TOT_INS,..." team { ... }
//
// `lower` puts a statement around every element that is to be measured: those that the graph instruments, and with
// `--instrument all` those that the program has anyway. This pass knows where each runs, so it decides what works:
//
//     Timer            the time of the host, everywhere. An element that --instrument chose, and that uses streams, is measured
//                      with events instead, because the host only queues its operations. The program itself waits for them, so
//                      it is measured with the clock of the host, unless that of an emulated device is all that means something
//     GPU_Events       events before and after, on all streams that the element uses; it must use one
//     GPU_TX_MARKERS   ranges for the profilers of GPUs, in programs that use a GPU; the copies of a state get ranges of their own
//     PAPI_Counters    counters of each thread of the team if the element is outside of parallel code, else of its own thread.
//                      Not for kernels and copies, where they would count the queueing
//     LIKWID_CPU       a region in all threads, so outside of parallel code; not for kernels and copies either
//     LIKWID_GPU       a region, in programs for NVIDIA GPUs that are not emulated
//
// A measurement that is impossible is removed, with a warning (SD6023) if the graph asks for it. From here on, nothing decides
// about measurements: the printers print an object that measures while it lives.
//
// Runs first on the tree, while its statements are those of the graph's elements.
#include "sdfgc/Pass/Ignored.h"
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>
#include <map>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace tree;
using By = ir::Instrumentation;

/// The streams that statements use, including those of functions that they call.
class StreamsUsed {
public:
    explicit StreamsUsed(const Module &m) : m_(m) {}

    std::set<int> of(const Block &b) {
        std::set<int> all;
        add(b, all);
        return all;
    }

private:
    void add(const Block &b, std::set<int> &all) {
        for (const NodePtr &n : b.body) {
            add(*n, all);
            forEachBlock(std::as_const(*n), [&](const Block &inner) { add(inner, all); });
        }
    }
    void add(const Node &n, std::set<int> &all) {
        const auto put = [&all](int stream) {
            if (stream >= 0)
                all.insert(stream);
        };
        if (const auto *launch = dyn_cast<Launch>(&n))
            put(launch->stream);
        else if (const auto *copy = dyn_cast<DeviceCopy>(&n))
            put(copy->stream);
        else if (const auto *fill = dyn_cast<DeviceFill>(&n))
            put(fill->stream);
        else if (const auto *library = dyn_cast<LibraryCall>(&n))
            put(library->stream);
        else if (const auto *graph = dyn_cast<GraphRegion>(&n))
            put(graph->stream);
        else if (const auto *call = dyn_cast<Call>(&n)) {
            const std::set<int> &inside = of(*m_.functions[call->function]);
            all.insert(inside.begin(), inside.end());
        }
    }
    const std::set<int> &of(const Function &f) {
        const auto [at, isNew] = known_.try_emplace(&f);
        if (isNew)
            at->second = of(f.body);
        return at->second;
    }

    const Module &m_;
    std::map<const Function *, std::set<int>> known_; // looked up, never walked
};

/// Does the statement run its blocks in several threads, or in one of several?
bool isParallel(const Node &n) {
    const auto *loop = dyn_cast<For>(&n);
    return (loop && loop->omp) || n.kind == TreeKind::ParallelRegion || n.kind == TreeKind::Sections || n.kind == TreeKind::Consume;
}

class Placer {
public:
    Placer(Module &m, pass::Context &context) : m_(m), context_(context), streams_(m) {}

    bool run() {
        findThreads();
        for (auto &f : m_.functions) {
            f_ = f.get();
            block(f->body, inThreads_.contains(f.get()));
        }
        ignored_.report(context_.diags, context_.options.file);
        return changed_;
    }

private:
    // ---- functions that threads of a team call
    void findThreads() {
        for (std::size_t i = m_.functions.size(); i-- > 0;) { // callers come after the functions that they call
            const Function &f = *m_.functions[FunctionId(i)];
            calls(f.body, inThreads_.contains(&f));
        }
    }
    void calls(const Block &b, bool inThread) {
        for (const NodePtr &n : b.body) {
            if (const auto *call = dyn_cast<Call>(n.get()); call && inThread)
                inThreads_.insert(m_.functions[call->function].get());
            forEachBlock(std::as_const(*n), [&](const Block &inner) { calls(inner, inThread || isParallel(*n)); });
        }
    }

    // ---- statements
    /// `isMarked`: in a state whose copies get ranges.
    void block(Block &b, bool inThread, bool isMarked = false) {
        for (NodePtr &n : b.body) {
            auto *m = dyn_cast<Measure>(n.get());
            const bool marks = m ? m->by == By::GPU_TX_MARKERS && m->name.starts_with("State ") : isMarked;
            const bool isPlaced = !m || place(*m, inThread);
            forEachBlock(*n, [&](Block &inner) { block(inner, inThread || isParallel(*n), isPlaced && marks); });
            if (!isPlaced) {
                auto plain = std::make_unique<Block>(std::move(m->body));
                plain->origin = n->origin;
                plain->braces = true;
                n = std::move(plain);
                changed_ = true;
            } else if (isMarked && n->kind == TreeKind::DeviceCopy) {
                mark(n);
            }
        }
    }

    /// Puts a range around a copy.
    void mark(NodePtr &n) {
        const auto &copy = static_cast<const DeviceCopy &>(*n);
        const auto nameOf = [this](RefId r) { return f_->vars[f_->refs[r].var].name.str(); };
        auto range = std::make_unique<Measure>();
        range->by = By::GPU_TX_MARKERS;
        range->name = "copy_" + nameOf(copy.source) + "_to_" + nameOf(copy.target);
        range->origin = n->origin;
        if (n->origin.size() >= 2) {
            range->cfg = n->origin[0];
            range->state = n->origin[1];
        }
        range->body.body.push_back(std::move(n));
        n = std::move(range);
        changed_ = true;
    }

    /// Decides how to measure; false if that is impossible.
    bool place(Measure &m, bool inThread) {
        changed_ = true;
        const std::set<int> streams = streams_.of(m.body);
        if (m.chosen && !streams.empty() && (context_.options.emulate || !isProgram(m)))
            m.by = By::GPU_Events;
        switch (m.by) {
        case By::GPU_Events:
            if (streams.empty())
                return refuse(m, "nothing in it runs on a device", "use `Timer`");
            m.streams.clear();
            for (const int stream : streams)
                m.streams.emplace_back(stream);
            return true;
        case By::GPU_TX_MARKERS:
            if (m_.streams == 0)
                return refuse(m, "it marks ranges for profilers of GPUs, and the program does not use one", "use `Timer`");
            m.name = rangeName(m);
            return true;
        case By::PAPI_Counters:
        case By::LIKWID_CPU:
            return placeCounters(m, inThread, streams);
        case By::LIKWID_GPU:
            if (m_.streams == 0 || context_.options.vendor() != platform::Device::Cuda || context_.options.emulate)
                return refuse(m, "LIKWID counts on NVIDIA GPUs, which the program does not use", "use `GPU_Events`");
            if (inThread)
                return refuse(m, "several threads run it", "measure what is around it");
            m.counters = context_.options.likwidEvents.empty() ? "FLOPS_SP" : context_.options.likwidEvents;
            return true;
        case By::FPGA:
            return refuse(m, "there is no FPGA", "use `Timer`");
        default:
            return true;
        }
    }

    bool placeCounters(Measure &m, bool inThread, const std::set<int> &streams) {
        if (m.node >= 0 && !streams.empty())
            return refuse(m, "it runs on a device, which the counters of the CPU do not see", "use `GPU_Events`");
        m.team = !inThread;
        if (m.by == By::PAPI_Counters) {
            m.counters = context_.options.papiCounters.empty() ? "PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L2_TCM,PAPI_L3_TCM"
                                                               : optionText(context_.options.papiCounters);
            return true;
        }
        if (inThread)
            return refuse(m, "LIKWID measures all threads together, and each of them runs it on its own", "use `PAPI_Counters`");
        m.counters = context_.options.likwidEvents.empty() ? "CLOCK" : context_.options.likwidEvents;
        return true;
    }

    static bool isProgram(const Measure &m) { return m.cfg == 0 && m.state < 0 && m.node < 0; }

    /// The name that DaCe gives the range of an element: `state_s`.
    static std::string rangeName(const Measure &m) {
        if (m.name.find(' ') == std::string::npos)
            return m.name; // it has that name already
        const std::string label = m.name.substr(m.name.find(' ') + 1);
        if (m.name.starts_with("SDFG "))
            return "sdfg_" + label;
        if (m.name.starts_with("State "))
            return "state_" + label;
        if (m.name.starts_with("Map ") || m.name.starts_with("Consume "))
            return "scope_" + label;
        return m.element.substr(m.element.find('`') + 1, m.element.size() - m.element.find('`') - 2);
    }

    bool refuse(const Measure &m, const std::string &why, const std::string &hint) {
        if (!m.chosen)
            ignored_.instrumentation("`" + std::string(ir::name(m.by)) + "`", m.element, placeOf(m), why, hint);
        return false;
    }
    /// The element's place in the graph, if there is one.
    diag::Location placeOf(const Measure &m) {
        std::vector<int> origin{m.cfg, m.state, m.node};
        origin.resize(m.node >= 0 ? 3 : 2);
        if (m.state >= 0 && context_.origins())
            return context_.origins()->placeOf(origin);
        return {"", 0, 0, "", m.element, {}};
    }

    Module &m_;
    pass::Context &context_;
    StreamsUsed streams_;
    std::set<const Function *> inThreads_;
    Function *f_ = nullptr;
    pass::IgnoredRequests ignored_;
    bool changed_ = false;
};

class PlaceMeasurements : public pass::TreePass {
    bool run(Module &m, pass::Context &context) override { return m.instrumented && Placer(m, context).run(); }
};

} // namespace

std::unique_ptr<pass::Pass> createPlaceMeasurements() { return std::make_unique<PlaceMeasurements>(); }

} // namespace sdfgc::transforms
