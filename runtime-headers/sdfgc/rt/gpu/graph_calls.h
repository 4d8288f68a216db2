// Library calls as nodes of graphs: a stream records the operations that a call queues.
//
// Rules: a call is recorded when its graph is made, and replayed with it. Its work on the host (handles, plans) must be done
// before, and nothing may be allocated while the stream records. So a library is lent a workspace while it is recorded: its own
// workspace may belong to a stream, and calls outside of graphs use that, too. The region keeps the workspace, since its graphs use
// it in every launch. All calls of all its graphs share it, because they never run concurrently.
#pragma once

#include "sdfgc/rt/gpu/graph_nodes.h"

#include <cstdio>
#include <vector>

namespace sdfgc::gpu {

class GraphCalls {
public:
    GraphCalls() noexcept = default;
    GraphCalls(const GraphCalls &) = delete;
    GraphCalls &operator=(const GraphCalls &) = delete;
    ~GraphCalls() { release(); }

    /// A plan of the operations that a call queues; the caller destroys it. Null on failure. `name` is used in reports.
    Status record(const CallTraits &call, void *object, const unsigned char *arguments, const char *name, GraphHandle &plan) {
        plan = nullptr;
        why_[0] = '\0';
        try {
            const size_t bytes = call.workspaceBytes(object); // makes the library's handle
            void *workspace = nullptr;
            if (const Status status = reserve(bytes, workspace); status != success)
                return status;
            const Loan loan(call, object, workspace, bytes);
            Recording recording;
            Status status = recording.begin();
            if (status != success)
                return status;
            call.run(object, recording.stream(), arguments);
            return recording.end(plan, name);
        } catch (const rt::Error &error) {
            std::snprintf(why_, sizeof why_, "%s", error.what());
            return invalidValue;
        }
    }
    /// The error that the latest call threw while it was recorded; "" if none.
    const char *why() const noexcept { return why_; }

    /// Releases the memory. No graph with calls may still be running.
    void release() noexcept {
        for (const Workspace &w : workspaces_)
            if (free(w.memory) != success)
                (void)getLastError(); // the device was reset
        workspaces_.clear();
    }

private:
    struct Workspace {
        int device;
        size_t bytes;
        void *memory;
    };

    Status reserve(size_t bytes, void *&memory) {
        int device = 0;
        Status status = bytes > 0 ? getDevice(device) : success;
        for (const Workspace &w : workspaces_)
            if (w.device == device && w.bytes >= bytes)
                memory = w.memory;
        if (status != success || bytes == 0 || memory)
            return status;
        status = malloc(&memory, bytes, "workspace of graphs");
        if (status == success)
            workspaces_.push_back({device, bytes, memory});
        return status;
    }

    /// While this lives, the library uses the memory as its workspace.
    struct Loan {
        Loan(const CallTraits &c, void *o, void *workspace, size_t bytes) : call(c), object(o) {
            call.lend(object, workspace, bytes);
        }
        Loan(const Loan &) = delete;
        Loan &operator=(const Loan &) = delete;
        ~Loan() { call.lend(object, nullptr, 0); }
        const CallTraits &call;
        void *object;
    };
    /// A stream that records until finished or destroyed.
    class Recording {
    public:
        Recording() noexcept = default;
        Recording(const Recording &) = delete;
        Recording &operator=(const Recording &) = delete;
        ~Recording() {
            GraphHandle rest = nullptr;
            if (records_ && streamEndCapture(stream_, rest) == success)
                (void)graphDestroy(rest);
            if (stream_)
                (void)streamDestroy(stream_);
        }
        Status begin() {
            Status status = streamCreate(stream_);
            if (status == success)
                status = streamBeginCapture(stream_);
            records_ = status == success;
            return status;
        }
        Status end(GraphHandle &plan, const char *name) {
            records_ = false;
            return streamEndCapture(stream_, plan, name);
        }
        Stream stream() const noexcept { return stream_; }

    private:
        Stream stream_ = nullptr;
        bool records_ = false;
    };

    std::vector<Workspace> workspaces_;
    char why_[256] = "";
};

} // namespace sdfgc::gpu
