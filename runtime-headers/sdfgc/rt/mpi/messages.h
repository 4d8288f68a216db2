// Messages from one rank to another.
//
// Rules: a buffer with gaps goes as a derived type. A request belongs to the program that made it. It is null on a rank that is not
// in the communicator, and after its wait.
#pragma once

#include "sdfgc/rt/mpi/program.h"

namespace sdfgc::mpi {

class Messages : public Core {
public:
    template <class T, class On = World> void send(const char *element, const Block<T> &b, int64_t to, int64_t tag, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const Message m = types_.message(s, b);
        check(s, MPI_Send(m.data, m.count, m.type, int(to), int(tag), s.handle()), "MPI_Send");
    }
    template <class T, class On = World> void recv(const char *element, const Block<T> &b, int64_t from, int64_t tag, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const Message m = types_.message(s, b);
        check(s, MPI_Recv(m.data, m.count, m.type, int(from), int(tag), s.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
    }
    template <class T, class On = World>
    void isend(const char *element, const Block<T> &b, int64_t to, int64_t tag, MPI_Request *request, On on = {}) {
        const Scope s(*this, element, on);
        *request = MPI_REQUEST_NULL;
        if (!s)
            return;
        const Message m = types_.message(s, b);
        check(s, MPI_Isend(m.data, m.count, m.type, int(to), int(tag), s.handle(), request), "MPI_Isend");
    }
    template <class T, class On = World>
    void irecv(const char *element, const Block<T> &b, int64_t from, int64_t tag, MPI_Request *request, On on = {}) {
        const Scope s(*this, element, on);
        *request = MPI_REQUEST_NULL;
        if (!s)
            return;
        const Message m = types_.message(s, b);
        check(s, MPI_Irecv(m.data, m.count, m.type, int(from), int(tag), s.handle(), request), "MPI_Irecv");
    }
    template <class A, class B, class On = World>
    void sendrecv(const char *element, const Block<A> &out, int64_t to, int64_t sendTag, const Block<B> &in, int64_t from,
                  int64_t receiveTag, On on = {}) {
        const Scope s(*this, element, on);
        if (!s)
            return;
        const Message a = types_.message(s, out), b = types_.message(s, in);
        check(s,
              MPI_Sendrecv(a.data, a.count, a.type, int(to), int(sendTag), b.data, b.count, b.type, int(from), int(receiveTag),
                           s.handle(), MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
    }
    /// The buffers named by a wait are those that its requests transfer; they must not be accessed earlier. Tag and source of what
    /// was received go to `tag` and `source`, which may be null.
    template <class... Moved> void wait(const char *element, MPI_Request *request, int *tag, int *source, Moved...) {
        const Scope s(*this, element, World());
        MPI_Status status{};
        check(s, MPI_Wait(request, &status), "MPI_Wait");
        if (tag)
            *tag = status.MPI_TAG;
        if (source)
            *source = status.MPI_SOURCE;
    }
    template <class... Moved> void waitall(const char *element, MPI_Request *requests, int64_t count, Moved...) {
        const Scope s(*this, element, World());
        std::vector<MPI_Status> statuses(static_cast<std::size_t>(count));
        const int code = MPI_Waitall(static_cast<int>(count), requests, statuses.data());
        if (code != MPI_SUCCESS)
            for (const MPI_Status &one : statuses) // tells which one failed; MPI_Waitall does not
                check(s, one.MPI_ERROR, "MPI_Waitall");
        check(s, code, "MPI_Waitall");
    }
};

} // namespace sdfgc::mpi
