// SD2162, SD2163: operations are queued on streams that the program has, and device memory is not released while its users may
// still be running: the host has waited (its owner's block ends), or the stream that releases it has (memory of a pool).
#include "Forward.h"

#include <map>

namespace sdfgc::tree::rules {
namespace {

constexpr int host = -1;

using Waiters = std::set<int>;                   // streams
using Work = std::map<int, Waiters>;             // stream with the work -> those that wait for it before they continue
using Covered = std::set<std::pair<VarId, int>>; // work on arrays, by stream

/// The facts at a point: for each array, which streams were given work on it, and who has waited for them since. Work that the host
/// has waited for is removed: anything it queues afterwards comes later.
struct Queued {
    std::map<VarId, Work> work;    // of arrays
    std::map<int, Covered> events; // work that an event covers
    friend bool operator==(const Queued &, const Queued &) = default;

    bool has(VarId v, int stream) const {
        auto at = work.find(v);
        return at != work.end() && at->second.count(stream) != 0;
    }
    bool covers(int event, const std::pair<VarId, int> &w) const {
        auto at = events.find(event);
        return at != events.end() && at->second.count(w) != 0;
    }
};

class Streams : Forward<Queued> {
public:
    explicit Streams(Report &r) : r_(r) {}

    void run() {
        numbers(r_.f.body);
        if (r_.m.streams > 0 && !r_.f.kernel && !r_.f.device)
            walk(r_.f.body, {});
    }

private:
    /// Work from either path may be running, and only those that wait on both paths have waited. An event covers the work that it
    /// covers on each path with such work.
    Queued meet(const Queued &a, const Queued &b) const override {
        Queued out = a;
        for (const auto &[v, work] : b.work)
            for (const auto &[stream, waiters] : work) {
                auto [at, isNew] = out.work[v].try_emplace(stream, waiters);
                if (!isNew)
                    std::erase_if(at->second, [&other = waiters](int who) { return !other.count(who); });
            }
        for (auto &[event, covered] : out.events)
            std::erase_if(covered, [&b, &event = event](const auto &w) { return b.has(w.first, w.second) && !b.covers(event, w); });
        for (const auto &[event, covered] : b.events)
            for (const auto &w : covered)
                if (!a.has(w.first, w.second))
                    out.events[event].insert(w);
        return out;
    }
    void reach(const Node &n, Queued &now) override {
        queue(n, now);
        order(n, now);
    }
    void leave(const Declare &d, Queued &now) override {
        auto at = now.work.find(d.var);
        if (at == now.work.end())
            return;
        if (r_.var(d.var).kind != VarKind::PoolBuffer)
            for (const auto &[stream, waiters] : at->second)
                early(d, d.var, stream);
        now.work.erase(at);
    }

    void numbers(const Block &b) {
        for (const NodePtr &n : b.body) {
            number(*n);
            forEachBlock(std::as_const(*n), [this](const Block &inner) { numbers(inner); });
        }
    }
    void number(const Node &n) {
        visit(n, [&](const auto &x) {
            forEachField(x, [&](const auto &each, const auto &owner) {
                constexpr Role role = std::decay_t<decltype(each)>::role;
                if constexpr (role == Role::Stream || role == Role::Event) {
                    const int v = each.of(owner), count = role == Role::Stream ? r_.m.streams : r_.m.events;
                    const bool mayBeNone =
                        n.kind == TreeKind::Synchronise || n.kind == TreeKind::EventWait || n.kind == TreeKind::LibraryCall;
                    const bool other = v == -1 && mayBeNone && role == Role::Stream;
                    const bool ofHost = n.kind == TreeKind::Allocate && v == 0; // not memory of a pool
                    if ((v < 0 || v >= count) && !other && !ofHost)
                        r_.fault(diag::Id::TreeStream, n, role == Role::Stream ? "stream" : "event", std::to_string(v),
                                 std::to_string(count));
                }
            });
        });
    }

    /// Adds the statement's work to its stream, on the arrays that it mentions. Work that an event was recorded for came before.
    void queue(const Node &n, Queued &now) {
        int stream;
        if (n.kind == TreeKind::Launch)
            stream = static_cast<const Launch &>(n).stream;
        else if (n.kind == TreeKind::DeviceCopy)
            stream = static_cast<const DeviceCopy &>(n).stream;
        else if (n.kind == TreeKind::DeviceFill)
            stream = static_cast<const DeviceFill &>(n).stream;
        else if (n.kind == TreeKind::LibraryCall && static_cast<const LibraryCall &>(n).stream != LibraryCall::host)
            stream = static_cast<const LibraryCall &>(n).stream;
        else
            return;
        forEachVariable(r_.f, n, [&](VarId v) {
            const VarId root = rootOf(r_.f, v);
            if (!isDeviceOwned(r_.var(root).kind))
                return;
            now.work[root][stream] = {stream};
            for (auto &[event, covered] : now.events)
                covered.erase({root, stream});
        });
    }
    void order(const Node &n, Queued &now) {
        if (const auto *s = dyn_cast<Synchronise>(&n))
            return waitFor(*s, now);
        if (const auto *e = dyn_cast<EventRecord>(&n)) {
            Covered &covered = now.events[e->event];
            covered.clear();
            for (const auto &[v, work] : now.work)
                for (const auto &[stream, waiters] : work)
                    if (waiters.count(e->stream))
                        covered.insert({v, stream});
        } else if (const auto *w = dyn_cast<EventWait>(&n)) {
            for (const auto &[v, stream] : now.events[w->event])
                if (now.has(v, stream)) {
                    if (w->stream == host)
                        now.work[v].erase(stream);
                    else
                        now.work[v][stream].insert(w->stream);
                }
        } else if (const auto *r = dyn_cast<Release>(&n)) {
            for (const auto &[stream, waiters] : now.work[r->var])
                if (!waiters.count(r->stream))
                    early(n, r->var, stream);
            now.work.erase(r->var);
        }
    }
    static void waitFor(const Synchronise &s, Queued &now) {
        for (auto &[v, work] : now.work)
            std::erase_if(work, [&s](const auto &w) { return s.stream == Synchronise::all || w.second.count(s.stream); });
    }
    void early(const Node &n, VarId v, int stream) {
        if (reporting() && reported_.insert(&n).second)
            r_.fault(diag::Id::TreeReleasedEarly, n, r_.var(v).name.str(), std::to_string(stream));
    }

    Report &r_;
    std::set<const Node *> reported_;
};

} // namespace

void streams(Report &r) { Streams(r).run(); }

} // namespace sdfgc::tree::rules
