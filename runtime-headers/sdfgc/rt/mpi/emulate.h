// MPI's C interface for ranks that are threads of one process: the subset that programs use.
//
// Rules: names, arguments and results are those of MPI 3.1. sdfgc_mpi_emulate() runs a function on some ranks, each a thread;
// without it there is one rank. The emulation delays everything as long as the standard allows: a send waits for its receive, and a
// collective call for all ranks. Received data arrives at the wait, and until then the buffer holds NaN bytes. So programs that
// rely on more than the standard guarantees fail here. It reports, as the error of the call: a deadlock, with the element in which
// each rank waits; messages whose types or sizes do not fit; collective calls that differ; buffers that change while a request is
// open. Leaks at the end (messages, requests, types, communicators) are reported by sdfgc_mpi_emulate. A seed determines delays and
// the choice among senders. docs/user/mpi.md has the details.
#pragma once

#include "sdfgc/rt/abi.h"

#include <cstddef>
#include <cstdint>

namespace sdfgc::mpi::emulated {
struct Comm;
struct Type;
struct Request;
struct Operator;
} // namespace sdfgc::mpi::emulated

using MPI_Comm = sdfgc::mpi::emulated::Comm *;
using MPI_Datatype = sdfgc::mpi::emulated::Type *;
using MPI_Request = sdfgc::mpi::emulated::Request *;
using MPI_Op = sdfgc::mpi::emulated::Operator *;
using MPI_Errhandler = int;
using MPI_Aint = std::ptrdiff_t;
using MPI_Fint = int;
using MPI_User_function = void(void *, void *, int *, MPI_Datatype *);
struct MPI_Status {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR;
};

constexpr int MPI_SUCCESS = 0, MPI_ERR_IN_STATUS = 18, MPI_MAX_ERROR_STRING = 2048;
constexpr int MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -1, MPI_PROC_NULL = -2, MPI_UNDEFINED = -32766;
constexpr int MPI_IDENT = 0, MPI_CONGRUENT = 1, MPI_SIMILAR = 2, MPI_UNEQUAL = 3;
constexpr int MPI_THREAD_SINGLE = 0, MPI_THREAD_FUNNELED = 1, MPI_THREAD_SERIALIZED = 2, MPI_THREAD_MULTIPLE = 3;
constexpr MPI_Errhandler MPI_ERRORS_ARE_FATAL = 0, MPI_ERRORS_RETURN = 1;
#define MPI_COMM_NULL (static_cast<MPI_Comm>(nullptr))
#define MPI_DATATYPE_NULL (static_cast<MPI_Datatype>(nullptr))
#define MPI_REQUEST_NULL (static_cast<MPI_Request>(nullptr))
#define MPI_OP_NULL (static_cast<MPI_Op>(nullptr))
#define MPI_STATUS_IGNORE (static_cast<MPI_Status *>(nullptr))
#define MPI_STATUSES_IGNORE (static_cast<MPI_Status *>(nullptr))
#define MPI_IN_PLACE (reinterpret_cast<void *>(-1))

namespace sdfgc::mpi::emulated {

enum class Basic : std::uint8_t {
    Byte,
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float,
    Double,
    Complex,
    DoubleComplex
};
enum class BasicOp : std::uint8_t { Sum, Prod, Min, Max, LogicalAnd, LogicalOr, LogicalXor, BitAnd, BitOr, BitXor };
Type *basicType(Basic b) noexcept;
Operator *basicOperator(BasicOp op) noexcept;
Comm *world() noexcept;

} // namespace sdfgc::mpi::emulated

namespace sdfgc::mpi {
/// The next operation of the calling rank, for reports; the text must stay valid.
void enterElement(const char *element) noexcept;
} // namespace sdfgc::mpi

#define MPI_COMM_WORLD (sdfgc::mpi::emulated::world())
#define SDFGC_MPI_BASIC(Kind) (sdfgc::mpi::emulated::basicType(sdfgc::mpi::emulated::Basic::Kind))
#define MPI_BYTE SDFGC_MPI_BASIC(Byte)
#define MPI_CHAR SDFGC_MPI_BASIC(Int8)
#define MPI_C_BOOL SDFGC_MPI_BASIC(Bool)
#define MPI_INT SDFGC_MPI_BASIC(Int32)
#define MPI_INT8_T SDFGC_MPI_BASIC(Int8)
#define MPI_INT16_T SDFGC_MPI_BASIC(Int16)
#define MPI_INT32_T SDFGC_MPI_BASIC(Int32)
#define MPI_INT64_T SDFGC_MPI_BASIC(Int64)
#define MPI_LONG_LONG SDFGC_MPI_BASIC(Int64)
#define MPI_UINT8_T SDFGC_MPI_BASIC(UInt8)
#define MPI_UINT16_T SDFGC_MPI_BASIC(UInt16)
#define MPI_UINT32_T SDFGC_MPI_BASIC(UInt32)
#define MPI_UINT64_T SDFGC_MPI_BASIC(UInt64)
#define MPI_FLOAT SDFGC_MPI_BASIC(Float)
#define MPI_DOUBLE SDFGC_MPI_BASIC(Double)
#define MPI_C_FLOAT_COMPLEX SDFGC_MPI_BASIC(Complex)
#define MPI_C_DOUBLE_COMPLEX SDFGC_MPI_BASIC(DoubleComplex)
#define SDFGC_MPI_OPERATOR(Kind) (sdfgc::mpi::emulated::basicOperator(sdfgc::mpi::emulated::BasicOp::Kind))
#define MPI_SUM SDFGC_MPI_OPERATOR(Sum)
#define MPI_PROD SDFGC_MPI_OPERATOR(Prod)
#define MPI_MIN SDFGC_MPI_OPERATOR(Min)
#define MPI_MAX SDFGC_MPI_OPERATOR(Max)
#define MPI_LAND SDFGC_MPI_OPERATOR(LogicalAnd)
#define MPI_LOR SDFGC_MPI_OPERATOR(LogicalOr)
#define MPI_LXOR SDFGC_MPI_OPERATOR(LogicalXor)
#define MPI_BAND SDFGC_MPI_OPERATOR(BitAnd)
#define MPI_BOR SDFGC_MPI_OPERATOR(BitOr)
#define MPI_BXOR SDFGC_MPI_OPERATOR(BitXor)

/// Calls body(rank, data) on `ranks` threads, one job at a time; a result other than 0 counts as a failed rank. Writes errors of
/// the job as a whole to `report` (at most `room` bytes with the terminator; empty if there are none). Returns the number of failed
/// ranks, or -1 if there is a report but no rank failed.
extern "C" __attribute__((visibility("default"))) int sdfgc_mpi_emulate(int ranks, std::uint64_t seed, int (*body)(int, void *),
                                                                        void *data, char *report, std::size_t room);
/// What the ranks of the last job sent, as docs/user/mpi.md counts it: a line for each element, `messages bytes` of all ranks,
/// `messages bytes` of the ranks that sent most of each, and the element's name. At most `room` bytes with the end.
extern "C" __attribute__((visibility("default"))) void sdfgc_mpi_sent(char *text, std::size_t room);

int MPI_Init(int *, char ***);
int MPI_Init_thread(int *, char ***, int required, int *provided);
int MPI_Initialized(int *flag);
int MPI_Finalized(int *flag);
int MPI_Finalize();
int MPI_Error_string(int code, char *text, int *length);

int MPI_Comm_rank(MPI_Comm, int *);
int MPI_Comm_size(MPI_Comm, int *);
int MPI_Comm_dup(MPI_Comm, MPI_Comm *);
int MPI_Comm_split(MPI_Comm, int color, int key, MPI_Comm *);
int MPI_Comm_compare(MPI_Comm, MPI_Comm, int *result);
int MPI_Comm_free(MPI_Comm *);
int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler);
MPI_Comm MPI_Comm_f2c(MPI_Fint);
MPI_Fint MPI_Comm_c2f(MPI_Comm);
int MPI_Cart_create(MPI_Comm, int n, const int *dims, const int *periodic, int reorder, MPI_Comm *);
int MPI_Cart_sub(MPI_Comm, const int *remain, MPI_Comm *);
int MPI_Cart_coords(MPI_Comm, int rank, int n, int *coords);
int MPI_Cart_get(MPI_Comm, int n, int *dims, int *periodic, int *coords);
int MPI_Cart_rank(MPI_Comm, const int *coords, int *rank);

int MPI_Type_contiguous(int count, MPI_Datatype, MPI_Datatype *);
int MPI_Type_vector(int count, int length, int stride, MPI_Datatype, MPI_Datatype *);
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype, MPI_Datatype *);
int MPI_Type_create_struct(int count, const int *lengths, const MPI_Aint *places, const MPI_Datatype *, MPI_Datatype *);
int MPI_Type_create_subarray(int n, const int *sizes, const int *subsizes, const int *starts, int order, MPI_Datatype,
                             MPI_Datatype *);
int MPI_Type_create_resized(MPI_Datatype, MPI_Aint lower, MPI_Aint extent, MPI_Datatype *);
int MPI_Type_dup(MPI_Datatype, MPI_Datatype *);
int MPI_Type_commit(MPI_Datatype *);
int MPI_Type_free(MPI_Datatype *);
int MPI_Op_create(MPI_User_function *, int commutes, MPI_Op *);
int MPI_Op_free(MPI_Op *);
constexpr int MPI_ORDER_C = 56;

int MPI_Send(const void *, int, MPI_Datatype, int to, int tag, MPI_Comm);
int MPI_Recv(void *, int, MPI_Datatype, int from, int tag, MPI_Comm, MPI_Status *);
int MPI_Isend(const void *, int, MPI_Datatype, int to, int tag, MPI_Comm, MPI_Request *);
int MPI_Irecv(void *, int, MPI_Datatype, int from, int tag, MPI_Comm, MPI_Request *);
int MPI_Sendrecv(const void *, int, MPI_Datatype, int to, int sendTag, void *, int, MPI_Datatype, int from, int receiveTag,
                 MPI_Comm, MPI_Status *);
int MPI_Wait(MPI_Request *, MPI_Status *);
int MPI_Waitall(int, MPI_Request *, MPI_Status *);

int MPI_Barrier(MPI_Comm);
int MPI_Bcast(void *, int, MPI_Datatype, int root, MPI_Comm);
int MPI_Scatter(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int root, MPI_Comm);
int MPI_Scatterv(const void *, const int *, const int *, MPI_Datatype, void *, int, MPI_Datatype, int root, MPI_Comm);
int MPI_Gather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int root, MPI_Comm);
int MPI_Gatherv(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, int root, MPI_Comm);
int MPI_Allgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int MPI_Allgatherv(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, MPI_Comm);
int MPI_Alltoall(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int MPI_Alltoallv(const void *, const int *, const int *, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, MPI_Comm);
int MPI_Reduce(const void *, void *, int, MPI_Datatype, MPI_Op, int root, MPI_Comm);
int MPI_Allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

int MPI_Ibarrier(MPI_Comm, MPI_Request *);
int MPI_Ibcast(void *, int, MPI_Datatype, int root, MPI_Comm, MPI_Request *);
int MPI_Iscatter(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int root, MPI_Comm, MPI_Request *);
int MPI_Igather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int root, MPI_Comm, MPI_Request *);
int MPI_Iallgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Request *);
int MPI_Ialltoall(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Request *);
int MPI_Ireduce(const void *, void *, int, MPI_Datatype, MPI_Op, int root, MPI_Comm, MPI_Request *);
int MPI_Iallreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);
