// SD2162, SD2163: operations are queued on streams that the program has, and memory of the device is not given back while something
// that uses it may still run: the host has waited (its owner's block ends), or the stream that releases it has (memory of a pool).
//
// The walk remembers, for each array, which streams were given work on it, and who has waited for them since. Loops are walked
// twice, so that what an iteration leaves behind meets the next one.
#include "Rules.h"

#include <map>

namespace sdfgc::tree::rules {
namespace {

constexpr int host = -1;

class Streams {
public:
    explicit Streams(Report &r) : r_(r) {}

    void run() {
        if (!r_.f.kernel && !r_.f.device)
            body(r_.f.body);
        else
            numbers(r_.f.body);
    }

private:
    using Waiters = std::set<int>;                          // streams, or the host
    using Work = std::map<int, Waiters>;                    // stream that was given work -> who waits for it before going on
    std::map<VarId, Work> work_;                            // of arrays
    std::map<int, std::set<std::pair<VarId, int>>> events_; // what an event stands for: work on arrays, by stream
    std::set<const Node *> reported_;

    void body(const Block &b) {
        for (const NodePtr &n : b.body) {
            number(*n);
            queue(*n);
            order(*n);
            const bool repeats = n->kind == Kind::For || n->kind == Kind::Loop;
            for (int round = 0; round < (repeats ? 2 : 1); ++round)
                forEachBlock(std::as_const(*n), [this](const Block &inner) { body(inner); });
        }
        for (const NodePtr &n : b.body)
            if (const auto *d = dyn_cast<Declare>(n.get()))
                end(*d);
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
                    const bool other =
                        v == -1 && (n.kind == Kind::Synchronise || n.kind == Kind::EventWait) && role == Role::Stream;
                    const bool ofHost = n.kind == Kind::Allocate && v == 0; // no memory of a pool
                    if ((v < 0 || v >= count) && !other && !ofHost)
                        r_.fault(diag::Id::TreeStream, n, role == Role::Stream ? "stream" : "event", std::to_string(v),
                                 std::to_string(count));
                }
            });
        });
    }

    bool isOfDevice(VarId v) const {
        const VarKind k = r_.var(v).kind;
        return k == VarKind::DeviceBuffer || k == VarKind::PinnedBuffer || k == VarKind::PoolBuffer;
    }
    /// Work that the statement gives to its stream, on the arrays that it mentions.
    void queue(const Node &n) {
        int stream;
        if (n.kind == Kind::Launch)
            stream = static_cast<const Launch &>(n).stream;
        else if (n.kind == Kind::DeviceCopy)
            stream = static_cast<const DeviceCopy &>(n).stream;
        else if (n.kind == Kind::DeviceFill)
            stream = static_cast<const DeviceFill &>(n).stream;
        else
            return;
        forEachVariable(r_.f, n, [&](VarId v) {
            const VarId root = r_.root(v);
            if (isOfDevice(root))
                work_[root][stream] = {stream};
        });
    }
    void order(const Node &n) {
        if (const auto *s = dyn_cast<Synchronise>(&n))
            return wait(host, [s](const Waiters &w) { return s->stream == Synchronise::all || w.count(s->stream) != 0; });
        if (const auto *e = dyn_cast<EventRecord>(&n)) {
            auto &covered = events_[e->event];
            covered.clear();
            for (const auto &[v, work] : work_)
                for (const auto &[stream, waiters] : work)
                    if (waiters.count(e->stream))
                        covered.insert({v, stream});
        } else if (const auto *w = dyn_cast<EventWait>(&n)) {
            for (const auto &[v, stream] : events_[w->event])
                if (auto at = work_[v].find(stream); at != work_[v].end())
                    at->second.insert(w->stream);
        } else if (const auto *r = dyn_cast<Release>(&n)) {
            for (const auto &[stream, waiters] : work_[r->var])
                if (!waiters.count(host) && !waiters.count(r->stream))
                    early(n, r->var, stream);
            work_.erase(r->var);
        }
    }
    template <class F> void wait(int who, F &&covers) {
        for (auto &[v, work] : work_)
            for (auto &[stream, waiters] : work)
                if (covers(waiters))
                    waiters.insert(who);
    }
    /// The block of a declaration is over.
    void end(const Declare &d) {
        auto at = work_.find(d.var);
        if (at == work_.end())
            return;
        if (r_.var(d.var).kind != VarKind::PoolBuffer)
            for (const auto &[stream, waiters] : at->second)
                if (!waiters.count(host))
                    early(d, d.var, stream);
        work_.erase(at);
    }
    void early(const Node &n, VarId v, int stream) {
        if (reported_.insert(&n).second)
            r_.fault(diag::Id::TreeReleasedEarly, n, r_.var(v).name.str(), std::to_string(stream));
    }

    Report &r_;
};

} // namespace

void streams(Report &r) { Streams(r).run(); }

} // namespace sdfgc::tree::rules
