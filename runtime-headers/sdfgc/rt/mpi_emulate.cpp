// The emulation of MPI, compiled into a program whose ranks are threads of one process (mpi/emulate.h).
#include "sdfgc/rt/mpi/emulated/forms.h"

#include <cstdio>

using namespace sdfgc::mpi::emulated;

namespace sdfgc::mpi {
void enterElement(const char *element) noexcept { me().element = element; }
} // namespace sdfgc::mpi

namespace sdfgc::mpi::emulated {

Type *basicType(Basic b) noexcept {
    static std::vector<Type> all = [] {
        std::vector<Type> out(std::size(sizes));
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i].runs = {{0, static_cast<Basic>(i), 1}};
            out[i].extent = static_cast<std::ptrdiff_t>(sizes[i]);
            out[i].isCommitted = out[i].isBasic = true;
        }
        return out;
    }();
    return &all[static_cast<std::size_t>(b)];
}

Operator *basicOperator(BasicOp op) noexcept {
    static std::vector<Operator> all = [] {
        std::vector<Operator> out(10);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i].basic = static_cast<BasicOp>(i);
        return out;
    }();
    return &all[static_cast<std::size_t>(op)];
}

namespace {
/// The world of the running job, created with it; outside of a job, a world of a single rank.
Comm *worldOfJob = nullptr;
Comm *worldOfOne() {
    static Comm comm({0});
    return &comm;
}

std::vector<Comm *> &fortranHandles() {
    static std::vector<Comm *> all;
    return all;
}

/// Objects that a job did not free.
std::string leftOver(Job &j) {
    std::string out;
    auto add = [&out](const std::string &what) { out += (out.empty() ? "" : "; ") + what; };
    for (const Request *q : posted())
        add(std::string(q->element) + " of rank " + std::to_string(q->owner) + ": " +
            (q->collective ? q->collective->kind : describe(*q)) +
            (q->collective || q->isDone ? " was never waited for" : " was never matched"));
    for (std::size_t r = 0; r < j.ranks.size(); ++r) {
        const Open &o = j.ranks[r].open;
        auto leak = [&](int n, const char *what) {
            if (n != 0)
                add("rank " + std::to_string(r) + " has not freed " + std::to_string(n) + " " + what);
        };
        leak(o.types, "types");
        leak(o.operators, "operators");
        leak(o.communicators, "communicators");
    }
    return out;
}
} // namespace

namespace {
/// Of the last job: a line `messages bytes messages-of-one-rank bytes-of-one-rank element` for each element that has sent
/// something.
std::string &lastSent() {
    static std::string text;
    return text;
}

std::string sentBy(const Job &j) {
    std::string out;
    for (const auto &[element, ranks] : j.sent) {
        Sent all, most;
        for (const Sent &one : ranks) {
            all.messages += one.messages;
            all.bytes += one.bytes;
            most.messages = std::max(most.messages, one.messages);
            most.bytes = std::max(most.bytes, one.bytes);
        }
        for (const std::int64_t n : {all.messages, all.bytes, most.messages, most.bytes})
            out += std::to_string(n) + " ";
        out += element + "\n";
    }
    return out;
}
} // namespace

Comm *world() noexcept { return running ? worldOfJob : worldOfOne(); }

} // namespace sdfgc::mpi::emulated

int sdfgc_mpi_emulate(int ranks, std::uint64_t seed, int (*body)(int, void *), void *data, char *report, std::size_t room) {
    Job j(ranks, seed);
    std::vector<int> all;
    for (int r = 0; r < ranks; ++r)
        all.push_back(r);
    Comm comm(all);
    worldOfJob = &comm;
    running = &j;
    std::vector<int> results(all.size(), 0);
    std::vector<std::thread> threads;
    for (const int r : all)
        threads.emplace_back([&, r] {
            myRank = r;
            results[std::size_t(r)] = body(r, data);
            const std::lock_guard held(j.lock);
            j.leave();
        });
    for (std::thread &t : threads)
        t.join();
    const int bad = static_cast<int>(std::count_if(results.begin(), results.end(), [](int code) { return code != 0; }));
    // Failing ranks leave many objects behind, which are not worth reporting.
    lastSent() = sentBy(j);
    const std::string wrong = bad ? "" : !j.broken.empty() ? j.broken : leftOver(j);
    for (Request *q : posted())
        delete q;
    posted().clear();
    running = nullptr;
    worldOfJob = nullptr;
    std::snprintf(report, room, "%s", wrong.c_str());
    return bad ? bad : wrong.empty() ? 0 : -1;
}

void sdfgc_mpi_sent(char *text, std::size_t room) { std::snprintf(text, room, "%s", lastSent().c_str()); }

// Start and end.

int MPI_Init(int *, char ***) { return MPI_SUCCESS; }
int MPI_Init_thread(int *, char ***, int, int *provided) {
    *provided = MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}
int MPI_Initialized(int *flag) {
    *flag = 1;
    return MPI_SUCCESS;
}
int MPI_Finalized(int *flag) {
    *flag = me().hasFinalised;
    return MPI_SUCCESS;
}
int MPI_Finalize() {
    me().hasFinalised = running != nullptr;
    return MPI_SUCCESS;
}
int MPI_Error_string(int code, char *text, int *length) {
    const std::string why = code == MPI_SUCCESS ? "no error" : lastError;
    std::snprintf(text, MPI_MAX_ERROR_STRING, "%s", why.c_str());
    *length = static_cast<int>(std::min<std::size_t>(why.size(), MPI_MAX_ERROR_STRING - 1));
    return MPI_SUCCESS;
}

// Communicators.

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
    *rank = comm->mine();
    return MPI_SUCCESS;
}
int MPI_Comm_size(MPI_Comm comm, int *size) {
    *size = comm->size();
    return MPI_SUCCESS;
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
    return makeComm("MPI_Comm_dup", comm, 0, comm ? comm->mine() : 0, made, [comm](int) { return comm->shape; });
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) {
    return makeComm("MPI_Comm_split", comm, color, key, made, [](int) { return std::vector<int>(); });
}
int MPI_Comm_free(MPI_Comm *comm) {
    const std::lock_guard held(job().lock);
    --me().open.communicators;
    if (--(*comm)->handles == 0)
        delete *comm;
    *comm = nullptr;
    return MPI_SUCCESS;
}
int MPI_Comm_compare(MPI_Comm a, MPI_Comm b, int *result) {
    const auto sorted = [](std::vector<int> members) {
        std::sort(members.begin(), members.end());
        return members;
    };
    *result = a == b                                     ? MPI_IDENT
              : a->members == b->members                 ? MPI_CONGRUENT
              : sorted(a->members) == sorted(b->members) ? MPI_SIMILAR
                                                         : MPI_UNEQUAL;
    return MPI_SUCCESS;
}
int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) { return MPI_SUCCESS; }
MPI_Comm MPI_Comm_f2c(MPI_Fint handle) {
    const std::lock_guard held(job().lock);
    const auto &all = fortranHandles();
    return handle == 0 ? world() : handle > 0 && std::size_t(handle) <= all.size() ? all[std::size_t(handle) - 1] : nullptr;
}
MPI_Fint MPI_Comm_c2f(MPI_Comm comm) {
    const std::lock_guard held(job().lock);
    if (comm == world())
        return 0;
    auto &all = fortranHandles();
    if (const auto at = std::find(all.begin(), all.end(), comm); at != all.end())
        return static_cast<int>(at - all.begin()) + 1;
    all.push_back(comm);
    return static_cast<int>(all.size());
}
int MPI_Cart_create(MPI_Comm comm, int n, const int *dims, const int *, int, MPI_Comm *made) {
    const std::vector<int> shape(dims, dims + n);
    int ranks = 1;
    for (const int d : shape)
        ranks *= d;
    if (ranks > comm->size())
        return fail("a grid of " + std::to_string(ranks) + " among " + std::to_string(comm->size()) + " ranks");
    const int mine = comm->mine();
    return makeComm("MPI_Cart_create", comm, mine < ranks ? 0 : MPI_UNDEFINED, mine, made, [shape](int) { return shape; });
}
int MPI_Cart_sub(MPI_Comm comm, const int *remain, MPI_Comm *made) {
    const std::vector<int> at = coordinatesOf(comm->shape, comm->mine());
    std::vector<int> shape;
    int color = 0, key = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
        (remain[d] ? key : color) = (remain[d] ? key : color) * comm->shape[d] + at[d];
        if (remain[d])
            shape.push_back(comm->shape[d]);
    }
    return makeComm("MPI_Cart_sub", comm, color, key, made, [shape](int) { return shape; });
}
int MPI_Cart_coords(MPI_Comm comm, int rank, int n, int *coords) {
    const std::vector<int> at = coordinatesOf(comm->shape, rank);
    std::copy_n(at.begin(), std::min(at.size(), std::size_t(n)), coords);
    return MPI_SUCCESS;
}
int MPI_Cart_get(MPI_Comm comm, int n, int *dims, int *periodic, int *coords) {
    for (int d = 0; d < std::min(n, static_cast<int>(comm->shape.size())); ++d) {
        dims[d] = comm->shape[static_cast<std::size_t>(d)];
        periodic[d] = 0;
    }
    return MPI_Cart_coords(comm, comm->mine(), n, coords);
}
int MPI_Cart_rank(MPI_Comm comm, const int *coords, int *rank) {
    *rank = 0;
    for (std::size_t d = 0; d < comm->shape.size(); ++d)
        *rank = *rank * comm->shape[d] + coords[d];
    return MPI_SUCCESS;
}

// Types and operators.

namespace {
int made(Type type, MPI_Datatype *out) {
    type.isCommitted = type.isBasic = false;
    *out = new Type(std::move(type));
    const std::lock_guard held(job().lock);
    ++me().open.types;
    return MPI_SUCCESS;
}
} // namespace

int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype item, MPI_Datatype *out) {
    Type t;
    std::ptrdiff_t lower = 0, upper = 0;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < length; ++k) {
            const std::ptrdiff_t at = i * stride + k * item->extent;
            t.append(*item, at);
            lower = std::min(lower, at);
            upper = std::max(upper, at + item->extent);
        }
    t.extent = upper - lower;
    return made(std::move(t), out);
}
int MPI_Type_vector(int count, int length, int stride, MPI_Datatype item, MPI_Datatype *out) {
    return MPI_Type_create_hvector(count, length, stride * item->extent, item, out);
}
int MPI_Type_contiguous(int count, MPI_Datatype item, MPI_Datatype *out) {
    return MPI_Type_create_hvector(count, 1, item->extent, item, out);
}
int MPI_Type_create_struct(int count, const int *lengths, const MPI_Aint *places, const MPI_Datatype *items, MPI_Datatype *out) {
    Type t;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < lengths[i]; ++k) {
            t.append(*items[i], places[i] + k * items[i]->extent);
            t.extent = std::max(t.extent, places[i] + (k + 1) * items[i]->extent);
        }
    return made(std::move(t), out);
}
int MPI_Type_create_subarray(int n, const int *sizesOf, const int *subsizes, const int *starts, int order, MPI_Datatype item,
                             MPI_Datatype *out) {
    if (order != MPI_ORDER_C)
        return fail("a subarray in another order than that of C");
    Type t;
    std::ptrdiff_t elements = 1, whole = 1;
    for (int d = 0; d < n; ++d) {
        elements *= subsizes[d];
        whole *= sizesOf[d];
    }
    for (std::ptrdiff_t e = 0; e < elements; ++e) {
        std::ptrdiff_t rest = e, at = 0, stride = 1;
        for (int d = n; d-- > 0;) {
            at += (rest % subsizes[d] + starts[d]) * stride;
            rest /= subsizes[d];
            stride *= sizesOf[d];
        }
        t.append(*item, at * item->extent);
    }
    t.extent = whole * item->extent;
    return made(std::move(t), out);
}
int MPI_Type_create_resized(MPI_Datatype item, MPI_Aint, MPI_Aint extent, MPI_Datatype *out) {
    Type t = *item;
    t.extent = extent;
    return made(std::move(t), out);
}
int MPI_Type_dup(MPI_Datatype item, MPI_Datatype *out) { return made(*item, out); }
int MPI_Type_commit(MPI_Datatype *type) {
    (*type)->isCommitted = true;
    return MPI_SUCCESS;
}
int MPI_Type_free(MPI_Datatype *type) {
    if (!*type || (*type)->isBasic)
        return fail("a basic type cannot be freed");
    delete *type;
    *type = nullptr;
    const std::lock_guard held(job().lock);
    --me().open.types;
    return MPI_SUCCESS;
}
int MPI_Op_create(MPI_User_function *function, int, MPI_Op *op) {
    // The same function must be the same operator on all ranks, because collective calls compare operators.
    static std::map<MPI_User_function *, Operator> all;
    const std::lock_guard held(job().lock);
    *op = &all[function];
    (*op)->function = function;
    ++me().open.operators;
    return MPI_SUCCESS;
}
int MPI_Op_free(MPI_Op *op) {
    *op = nullptr;
    const std::lock_guard held(job().lock);
    --me().open.operators;
    return MPI_SUCCESS;
}

// From one rank to another.

namespace {
int now(bool isSend, const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status) {
    int code = MPI_SUCCESS;
    Request *q = post(isSend, data, count, type, peer, tag, comm, code);
    if (!q && status && code == MPI_SUCCESS)
        *status = {MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS};
    return q ? complete(q, false, status) : code;
}
} // namespace

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return now(true, data, count, type, to, tag, comm, nullptr);
}
int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
    return now(false, data, count, type, from, tag, comm, status);
}
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
    int code = MPI_SUCCESS;
    *request = post(true, data, count, type, to, tag, comm, code);
    return code;
}
int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
    int code = MPI_SUCCESS;
    *request = post(false, data, count, type, from, tag, comm, code);
    if (*request)
        poisonBuffer(**request);
    return code;
}
int MPI_Sendrecv(const void *out, int outCount, MPI_Datatype outType, int to, int sendTag, void *in, int inCount,
                 MPI_Datatype inType, int from, int receiveTag, MPI_Comm comm, MPI_Status *status) {
    int code = MPI_SUCCESS;
    Request *send = post(true, out, outCount, outType, to, sendTag, comm, code);
    if (code != MPI_SUCCESS)
        return code;
    const int received = now(false, in, inCount, inType, from, receiveTag, comm, status);
    const std::string why = lastError;
    const int sent = send ? complete(send, false, nullptr) : MPI_SUCCESS;
    return received != MPI_SUCCESS ? fail(why) : sent;
}
int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    Request *q = *request;
    *request = nullptr;
    if (!q && status)
        *status = {MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS};
    return !q ? MPI_SUCCESS : q->collective ? end(q) : complete(q, true, status);
}
int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
    int code = MPI_SUCCESS;
    std::string why;
    for (int i = 0; i < count; ++i) {
        const int one = MPI_Wait(&requests[i], statuses ? &statuses[i] : nullptr);
        if (statuses)
            statuses[i].MPI_ERROR = one;
        if (one != MPI_SUCCESS && code == MPI_SUCCESS) {
            code = one;
            why = lastError;
        }
    }
    return code == MPI_SUCCESS ? code : fail(why);
}

// All ranks together.

int MPI_Barrier(MPI_Comm comm) { return meet(comm, entry("MPI_Barrier"), meetOnly); }
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    return moved(comm, broadcasting("MPI_Bcast", data, count, type, root), broadcast);
}
int MPI_Scatter(const void *from, int sent, MPI_Datatype sendType, void *to, int taken, MPI_Datatype type, int root,
                MPI_Comm comm) {
    return moved(comm, dealing("MPI_Scatter", from, sent, sendType, to, taken, type, root), scattering);
}
int MPI_Scatterv(const void *from, const int *counts, const int *places, MPI_Datatype sendType, void *to, int taken,
                 MPI_Datatype type, int root, MPI_Comm comm) {
    Entry e = dealing("MPI_Scatterv", from, 0, sendType, to, taken, type, root);
    e.send.counts = counts;
    e.send.places = places;
    return moved(comm, e, scattering);
}
int MPI_Gather(const void *from, int sent, MPI_Datatype sendType, void *to, int taken, MPI_Datatype type, int root, MPI_Comm comm) {
    return moved(comm, dealing("MPI_Gather", from, sent, sendType, to, taken, type, root), gathering);
}
int MPI_Gatherv(const void *from, int sent, MPI_Datatype sendType, void *to, const int *counts, const int *places,
                MPI_Datatype type, int root, MPI_Comm comm) {
    Entry e = dealing("MPI_Gatherv", from, sent, sendType, to, 0, type, root);
    e.receive.counts = counts;
    e.receive.places = places;
    return moved(comm, e, gathering);
}
int MPI_Allgather(const void *from, int sent, MPI_Datatype sendType, void *to, int taken, MPI_Datatype type, MPI_Comm comm) {
    return moved(comm, dealing("MPI_Allgather", from, sent, sendType, to, taken, type), gatheringAll);
}
int MPI_Allgatherv(const void *from, int sent, MPI_Datatype sendType, void *to, const int *counts, const int *places,
                   MPI_Datatype type, MPI_Comm comm) {
    Entry e = dealing("MPI_Allgatherv", from, sent, sendType, to, 0, type);
    e.receive.counts = counts;
    e.receive.places = places;
    return moved(comm, e, gatheringAll);
}
int MPI_Alltoall(const void *from, int sent, MPI_Datatype sendType, void *to, int taken, MPI_Datatype type, MPI_Comm comm) {
    return moved(comm, dealing("MPI_Alltoall", from, sent, sendType, to, taken, type), exchange);
}
int MPI_Alltoallv(const void *from, const int *counts, const int *places, MPI_Datatype sendType, void *to, const int *takenCounts,
                  const int *takenPlaces, MPI_Datatype type, MPI_Comm comm) {
    Entry e = entry("MPI_Alltoallv");
    e.send = {from, sendType, 0, counts, places};
    e.receive = {to, type, 0, takenCounts, takenPlaces};
    return moved(comm, e, exchange);
}
int MPI_Reduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    return reduced("MPI_Reduce", from, to, count, type, op, root, comm);
}
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return reduced("MPI_Allreduce", from, to, count, type, op, -1, comm);
}

// Collective calls that return at once and end in a wait.

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
    auto o = std::make_shared<Ongoing>();
    o->comm = comm;
    return begin(std::move(o), entry("MPI_Ibarrier"), meetOnly, request);
}
int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request) {
    return moved(comm, broadcasting("MPI_Ibcast", data, count, type, root), broadcast, request);
}
int MPI_Iscatter(const void *from, int sent, MPI_Datatype sendType, void *to, int taken, MPI_Datatype type, int root, MPI_Comm comm,
                 MPI_Request *request) {
    return moved(comm, dealing("MPI_Iscatter", from, sent, sendType, to, taken, type, root), scattering, request);
}
int MPI_Igather(const void *from, int sent, MPI_Datatype sendType, void *to, int taken, MPI_Datatype type, int root, MPI_Comm comm,
                MPI_Request *request) {
    return moved(comm, dealing("MPI_Igather", from, sent, sendType, to, taken, type, root), gathering, request);
}
int MPI_Iallgather(const void *from, int sent, MPI_Datatype sendType, void *to, int taken, MPI_Datatype type, MPI_Comm comm,
                   MPI_Request *request) {
    return moved(comm, dealing("MPI_Iallgather", from, sent, sendType, to, taken, type), gatheringAll, request);
}
int MPI_Ialltoall(const void *from, int sent, MPI_Datatype sendType, void *to, int taken, MPI_Datatype type, MPI_Comm comm,
                  MPI_Request *request) {
    return moved(comm, dealing("MPI_Ialltoall", from, sent, sendType, to, taken, type), exchange, request);
}
int MPI_Ireduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request *request) {
    return reduced("MPI_Ireduce", from, to, count, type, op, root, comm, request);
}
int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
    return reduced("MPI_Iallreduce", from, to, count, type, op, -1, comm, request);
}
