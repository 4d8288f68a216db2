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
    using Waiters = std::set<int>;                   // streams, or the host
    using Work = std::map<int, Waiters>;             // stream that was given work -> who waits for it before going on
    using Covered = std::set<std::pair<VarId, int>>; // work on arrays, by stream

    /// What is known at a place.
    struct State {
        bool reached = true;
        std::map<VarId, Work> work;    // of arrays
        std::map<int, Covered> events; // what an event stands for
    } now_;
    std::set<const Node *> reported_;

    /// Where two ways meet, work of either may be under way, and only who waits on both has waited.
    static State meet(const State &a, const State &b) {
        if (!a.reached || !b.reached)
            return a.reached ? a : b;
        State out = a;
        for (const auto &[v, work] : b.work)
            for (const auto &[stream, waiters] : work) {
                auto [at, isNew] = out.work[v].try_emplace(stream, waiters);
                if (!isNew)
                    std::erase_if(at->second, [&other = waiters](int who) { return !other.count(who); });
            }
        for (auto &[event, covered] : out.events) {
            auto other = b.events.find(event);
            std::erase_if(covered, [&](const auto &w) { return other == b.events.end() || !other->second.count(w); });
        }
        return out;
    }

    void body(const Block &b) {
        for (const NodePtr &n : b.body) {
            number(*n);
            queue(*n);
            order(*n);
            if (n->kind == Kind::Return)
                now_.reached = false;
            else if (const auto *branch = dyn_cast<If>(n.get()))
                branches(*branch);
            else if (n->kind == Kind::For || n->kind == Kind::Loop)
                loop(*n);
            else
                forEachBlock(std::as_const(*n), [this](const Block &inner) { body(inner); });
        }
        for (const NodePtr &n : b.body)
            if (const auto *d = dyn_cast<Declare>(n.get()))
                end(*d);
    }
    void branches(const If &x) {
        const State before = now_;
        State after;
        after.reached = false;
        bool hasElse = false;
        for (const If::Branch &b : x.branches) {
            now_ = before;
            body(*b.body);
            after = meet(after, now_);
            hasElse = hasElse || !b.condition;
        }
        now_ = hasElse ? after : meet(after, before);
    }
    void loop(const Node &n) {
        for (int round = 0; round < 2; ++round) {
            const State before = now_;
            forEachBlock(n, [this](const Block &inner) { body(inner); });
            now_ = meet(now_, before);
        }
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
                now_.work[root][stream] = {stream};
        });
    }
    void order(const Node &n) {
        if (const auto *s = dyn_cast<Synchronise>(&n))
            return wait(host, [s](const Waiters &w) { return s->stream == Synchronise::all || w.count(s->stream) != 0; });
        if (const auto *e = dyn_cast<EventRecord>(&n)) {
            auto &covered = now_.events[e->event];
            covered.clear();
            for (const auto &[v, work] : now_.work)
                for (const auto &[stream, waiters] : work)
                    if (waiters.count(e->stream))
                        covered.insert({v, stream});
        } else if (const auto *w = dyn_cast<EventWait>(&n)) {
            for (const auto &[v, stream] : now_.events[w->event])
                if (auto at = now_.work[v].find(stream); at != now_.work[v].end())
                    at->second.insert(w->stream);
        } else if (const auto *r = dyn_cast<Release>(&n)) {
            for (const auto &[stream, waiters] : now_.work[r->var])
                if (!waiters.count(host) && !waiters.count(r->stream))
                    early(n, r->var, stream);
            now_.work.erase(r->var);
        }
    }
    template <class F> void wait(int who, F &&covers) {
        for (auto &[v, work] : now_.work)
            for (auto &[stream, waiters] : work)
                if (covers(waiters))
                    waiters.insert(who);
    }
    /// The block of a declaration is over.
    void end(const Declare &d) {
        auto at = now_.work.find(d.var);
        if (at == now_.work.end() || !now_.reached)
            return;
        if (r_.var(d.var).kind != VarKind::PoolBuffer)
            for (const auto &[stream, waiters] : at->second)
                if (!waiters.count(host))
                    early(d, d.var, stream);
        now_.work.erase(at);
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
