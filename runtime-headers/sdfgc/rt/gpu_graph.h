// Regions of a program that are launched as one graph of the device: built on the first call and replayed by later calls.
//
// Rules: a region has two equivalent forms: a list of nodes (gpu/graph_nodes.h), and the host path, which queues the same
// operations one by one. The host path runs whenever a graph is not possible. The most recently used executable graphs are kept,
// keyed by everything that cannot be changed in them (GraphNodes::key); a call that differs only in arguments and sizes updates the
// nodes that differ. Every status is checked: an executable graph that refuses an update is rebuilt, and never launched half
// updated. The region is one operation of one stream, the caller's if the caller set one. A Graph belongs to one handle and, like
// the handle, is used by one thread at a time.
//   SDFGC_GPU_GRAPH=0   every region takes the host path
//   SDFGC_GPU_GRAPH=1   a region that would take the host path throws instead
// Other values are ignored, with one warning.
// SDFGC_GPU_GRAPH_LOG and SDFGC_GPU_GRAPH_DOT: gpu/graph_trace.h.
#pragma once

#include "sdfgc/rt/gpu/graph_maker.h"

#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace sdfgc::gpu {

/// Statistics of a region's calls, since its handle was made.
struct GraphInfo {
    const char *name = "";       // of the region
    int64_t entries = 0;         // executable graphs in the cache
    int64_t builds = 0;          // made so far
    int64_t launches = 0;        // calls that launched one
    int64_t updates = 0;         // nodes that were changed in one
    int64_t nodesLast = 0;       // nodes of the last call's graph; 0 for the host path
    int64_t usedLast = 0;        // 1: the last call did not take the host path
    int64_t hostPath = 0;        // calls that took it
    int64_t iterationsLast = 0;  // of all loops in the last call's graph; -1: there were none, or it took the host path
    int64_t evictions = 0;       // graphs that made room for others
    const char *lastReason = ""; // why the host path was last taken; "" if it never was
};

class Graph {
public:
    /// `name` identifies the region in reports and reasons, and must outlive the object. `entries` is the number of executable
    /// graphs to keep.
    explicit Graph(const char *name, int entries = 8) : name_(name), most_(entries > 0 ? static_cast<size_t>(entries) : 1) {
        reset();
    }
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;
    /// Waits for the device if a graph may still be running.
    ~Graph() { dropAll(); }

    /// Runs the region in the program's stream of this number: launches a graph, or calls `hostPath()`. `inputs` contains
    /// everything that the nodes depend on, including addresses of the program's own buffers. `nodes(GraphNodes &, const Inputs &)`
    /// describes the nodes, without other side effects. Passes on their exceptions, and throws rt::Error if a launch fails or,
    /// under SDFGC_GPU_GRAPH=1, if there is no graph.
    template <class Inputs, class Nodes, class HostPath>
    void run(Program &program, int stream, const Inputs &inputs, const Nodes &nodes, const HostPath &hostPath) {
        static_assert(std::is_trivially_copyable<Inputs>::value, "inputs are compared as bytes");
        const Call<Inputs, Nodes> call{nodes, inputs};
        const Describe describe = [](GraphNodes &list, const void *context) {
            const auto &made = *static_cast<const Call<Inputs, Nodes> *>(context);
            made.nodes(list, made.inputs);
        };
        if (!launch(program, program.stream(stream), &inputs, sizeof inputs, describe, &call))
            hostPath();
    }

    /// Counters; the object changes with every call. The last call must have ended, because its iterations are read from the
    /// device, once.
    const GraphInfo &info() const {
        if (const Entry *entry = std::exchange(uncounted_, nullptr))
            info_.iterationsLast = maker_.iterations(*entry);
        return info_;
    }

    /// Resets to the initial state. A handle's initialisation calls this, because the device may have been reset in between. Waits
    /// for the device if a graph may still be running.
    void reset() noexcept {
        dropAll();
        info_ = GraphInfo();
        info_.name = name_;
        info_.iterationsLast = -1;
        reason_[0] = '\0';
        info_.lastReason = reason_;
        const char *mode = std::getenv("SDFGC_GPU_GRAPH");
        required_ = mode && mode[0] == '1' && mode[1] == '\0';
        disabled_ = mode && mode[0] == '0' && mode[1] == '\0';
        static bool warned = false;
        if (mode && *mode && !required_ && !disabled_ && !warned) {
            warned = true;
            std::fprintf(stderr, "sdfgc: SDFGC_GPU_GRAPH is neither 0 nor 1, and is ignored\n");
        }
        inputs_.clear();
        refused_.clear();
        maker_.reset();
        trace_.begin(name_);
    }

private:
    template <class Inputs, class Nodes> struct Call {
        const Nodes &nodes;
        const Inputs &inputs;
    };
    using Describe = void (*)(GraphNodes &, const void *context);

    using Entry = GraphEntry;
    struct Owner {
        Entry *entry;
        ~Owner() { delete entry; }
    };
    /// A graph that may still be running; destroyed when `behind` is done.
    struct Retired {
        GraphHandle plan;
        GraphExec exec;
        const int64_t *counters;
        Event behind;
    };

    /// False: take the host path.
    bool launch(Program &program, Stream stream, const void *inputs, size_t bytes, Describe describe, const void *context) {
        int device = 0;
        info_.usedLast = info_.nodesLast = 0;
        info_.iterationsLast = -1;
        uncounted_ = nullptr;
        if (!usable(stream, device))
            return false;
        if (Entry *entry = unchanged(device, inputs, bytes)) {
#ifdef SDFGC_GPU_EMULATE // does `inputs` contain everything that the nodes depend on?
            now_.begin(device);
            describe(now_, context);
            maker_.verify(*entry, now_);
#endif
            replay(*entry, program, stream);
            return true;
        }
        now_.begin(device);
        describe(now_, context);
        if (now_.size() == 0) // all operations are empty
            return info_.usedLast = 1, true;
        if (now_.hasConditions() && support_ != GraphSupport::Loops)
            return refuse("the device's driver has no loops or branches in graphs", success);
        Entry *const entry = current(stream);
        if (!entry)
            return false;
        remember(device, *entry, inputs, bytes);
#ifdef SDFGC_GPU_EMULATE
        maker_.verify(*entry, entry->held);
#endif
        replay(*entry, program, stream);
        return true;
    }

    /// Are graphs possible at all in this stream?
    bool usable(Stream stream, int &device) {
        if (disabled_)
            return refuse("SDFGC_GPU_GRAPH is 0", success);
        bool capturing = false;
        if (const Status status = streamIsCapturing(stream, capturing); status != success)
            return refuse("asking whether the stream is captured", status);
        if (capturing)
            return refuse("the caller captures the stream", success);
        if (const Status status = getDevice(device); status != success)
            return refuse("asking for the device", status);
        if (device != supportedOn_) {
            if (const Status status = graphSupport(support_); status != success)
                return refuse("asking for the driver", status);
            if (support_ == GraphSupport::None)
                return refuse("the device's driver has no graphs", success);
            supportedOn_ = device;
        }
        return true;
    }

    /// The entry of the previous call, if this one does the same.
    Entry *unchanged(int device, const void *inputs, size_t bytes) const {
        const bool same = last_ && device == lastDevice_ && bytes == inputs_.size() &&
                          (bytes == 0 || __builtin_memcmp(inputs, inputs_.data(), bytes) == 0);
        return same ? last_ : nullptr;
    }
    void remember(int device, Entry &entry, const void *inputs, size_t bytes) {
        const auto *from = static_cast<const unsigned char *>(inputs);
        inputs_.assign(from, from + bytes);
        last_ = &entry;
        lastDevice_ = device;
    }

    /// An entry that matches the description: updated, or built. Null if none can be made.
    Entry *current(Stream stream) {
        last_ = nullptr;
        for (size_t i = 0; i < entries_.size(); ++i) {
            Entry &entry = *entries_[i];
            if (!(entry.key == now_.key()))
                continue;
            if (maker_.update(entry, now_, info_.updates))
                return &entry;
            (void)getLastError();
            retire(i, stream);
            break;
        }
        for (const GraphKey &key : refused_)
            if (key == now_.key())
                return refuse(nullptr, success), nullptr; // the reason has not changed
        return build(stream);
    }

    // Builds

    Entry *build(Stream stream) {
        reap();
        Owner owner{new Entry};
        Entry *const entry = owner.entry;
        const Status status = maker_.make(*entry, now_, name_, stream);
        if (status != success) {
            (void)getLastError();
            maker_.giveBack(entry->counters);
            if (refused_.size() == most_)
                refused_.erase(refused_.begin());
            refused_.push_back(now_.key());
            return refuse(maker_.why(), maker_.hasReason() ? success : status), nullptr;
        }
        while (entries_.size() >= most_)
            evict(stream);
        entries_.push_back(entry);
        owner.entry = nullptr;
        info_.entries = static_cast<int64_t>(entries_.size());
        trace_.built(now_, ++info_.builds);
        std::swap(entry->held, now_);
        return entry;
    }

    // Launching and destroying

    void replay(Entry &entry, Program &program, Stream stream) {
        if (const Status status = graphLaunch(entry.exec, stream); status != success) {
            char what[128];
            std::snprintf(what, sizeof what, "launching graph %s", name_);
            program.done(status, what);
        }
        entry.lastStream = stream;
        entry.lastUse = ++info_.launches;
        info_.nodesLast = entry.held.size();
        info_.usedLast = 1;
        uncounted_ = &entry;
    }

    /// Evicts the least recently used entry.
    void evict(Stream stream) {
        size_t oldest = 0;
        for (size_t i = 1; i < entries_.size(); ++i)
            if (entries_[i]->lastUse < entries_[oldest]->lastUse)
                oldest = i;
        trace_.evicted(entries_[oldest]->held.size());
        retire(oldest, stream);
        ++info_.evictions;
    }
    /// Retires an entry whose last launch may still be running: it is destroyed after an event in the stream of that launch. If
    /// that stream was the caller's and no longer exists, waits for the device.
    void retire(size_t index, Stream stream) {
        Entry *const entry = entries_[index];
        entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index));
        info_.entries = static_cast<int64_t>(entries_.size());
        if (last_ == entry)
            last_ = nullptr;
        Event behind = nullptr;
        if (entry->lastUse != 0 && entry->lastStream == stream && eventCreate(behind) == success &&
            eventRecord(behind, stream) == success) {
            retired_.push_back({std::exchange(entry->plan, nullptr), std::exchange(entry->exec, nullptr), entry->counters, behind});
        } else {
            if (behind)
                (void)eventDestroy(behind);
            if (entry->lastUse != 0)
                (void)deviceSynchronize();
            maker_.giveBack(entry->counters);
        }
        delete entry;
    }
    /// Destroys retired graphs that are done.
    void reap() {
        size_t kept = 0;
        for (const Retired &r : retired_) {
            if (eventQuery(r.behind) == notReady) {
                retired_[kept++] = r;
                continue;
            }
            (void)eventDestroy(r.behind);
            destroyGraph(r.plan, r.exec);
            maker_.giveBack(r.counters);
        }
        retired_.resize(kept);
    }
    void dropAll() noexcept {
        if (!entries_.empty() || !retired_.empty())
            (void)deviceSynchronize();
        for (const Entry *entry : entries_)
            delete entry;
        for (const Retired &r : retired_) {
            (void)eventDestroy(r.behind);
            destroyGraph(r.plan, r.exec);
        }
        entries_.clear();
        retired_.clear();
        maker_.release();
        last_ = nullptr;
        uncounted_ = nullptr;
        supportedOn_ = -1;
    }
    /// Keeps the reason, unless it is null, counts, and returns false; throws when a graph is required.
    bool refuse(const char *why, Status status) {
        if (why && status == success)
            std::snprintf(reason_, sizeof reason_, "%s", why);
        else if (why)
            std::snprintf(reason_, sizeof reason_, "%s: %s (%s)", why, getErrorString(status), getErrorName(status));
        ++info_.hostPath;
        trace_.refused(reason_);
        if (required_) {
            char text[sizeof reason_ + 64];
            std::snprintf(text, sizeof text, "graph %s: %s", name_, reason_);
            throw rt::Error(rt::DeviceError, text);
        }
        return false;
    }

    const char *name_;
    size_t most_;
    bool required_ = false, disabled_ = false;
    mutable GraphInfo info_; // iterations are read on request
    char reason_[512] = "";
    GraphTrace trace_;

    GraphMaker maker_;
    GraphNodes now_;                           // the description of this call
    std::vector<unsigned char> inputs_;        // of the last call that had a graph
    Entry *last_ = nullptr;                    // which launched this entry
    mutable const Entry *uncounted_ = nullptr; // the entry of the last launch, until its iterations are asked for
    int lastDevice_ = -1, supportedOn_ = -1;
    GraphSupport support_ = GraphSupport::None; // there
    std::vector<Entry *> entries_;
    std::vector<Retired> retired_;
    std::vector<GraphKey> refused_; // lists that no graph could be built for, the latest ones
};

} // namespace sdfgc::gpu
