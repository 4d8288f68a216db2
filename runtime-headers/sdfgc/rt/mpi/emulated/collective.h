// Collective calls of the emulation: transfers between ranks, and reductions.
#pragma once

#include "sdfgc/rt/mpi/emulated/communicator.h"

namespace sdfgc::mpi::emulated {

struct Operator {
    BasicOp basic = BasicOp::Sum;
    MPI_User_function *function = nullptr; // of one that the program made
};

/// The pieces of a call: rank `from` sends to rank `to`.
enum class Pattern { FromRoot, ToRoot, ToAll, Exchange };

inline bool sends(Pattern p, int root, int from, int to) {
    return p == Pattern::FromRoot ? from == root : p == Pattern::ToRoot ? to == root : true;
}

/// Moves every piece. The sender has one piece for all ranks (`wholeSend`), or one for each; the receiver likewise.
inline std::string move(Comm &comm, std::vector<Entry> &entries, Pattern p, bool wholeSend, bool wholeReceive) {
    const int n = comm.size(), root = entries[0].root;
    for (int from = 0; from < n; ++from)
        for (int to = 0; to < n; ++to) {
            if (!sends(p, root, from, to))
                continue;
            const Side &a = entries[std::size_t(from)].send, &b = entries[std::size_t(to)].receive;
            if (from == to && entries[std::size_t(from)].keepsOwn)
                continue;
            const std::int64_t count = a.countOf(wholeSend ? 0 : to);
            const Signature sent = signatureOf(*a.type, count), taken = signatureOf(*b.type, b.countOf(wholeReceive ? 0 : from));
            if (sent != taken)
                return describe(entries[std::size_t(from)], from) + " sends " + text(sent) + " to rank " + std::to_string(to) +
                       ", which takes " + text(taken) + " in " + entries[std::size_t(to)].element;
            std::vector<char> bytes = packed(a.at(to, wholeSend), count, *a.type);
            if (from != to)
                job().count(entries[std::size_t(from)].element, comm.members[std::size_t(from)], 1, bytes.size());
            entries[std::size_t(to)].deliveries.push_back(
                {b.at(from, wholeReceive), b.countOf(wholeReceive ? 0 : from), *b.type, std::move(bytes)});
        }
    return "";
}

template <class T> void combineNumbers(BasicOp op, const T *in, T *out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        if (op == BasicOp::Sum)
            out[i] = static_cast<T>(in[i] + out[i]);
        else if (op == BasicOp::Prod)
            out[i] = static_cast<T>(in[i] * out[i]);
        else if constexpr (std::is_arithmetic_v<T>) {
            if (op == BasicOp::Min)
                out[i] = in[i] < out[i] ? in[i] : out[i];
            else if (op == BasicOp::Max)
                out[i] = in[i] > out[i] ? in[i] : out[i];
            else if constexpr (std::is_integral_v<T>) {
                const bool a = in[i] != T(0), b = out[i] != T(0);
                switch (op) {
                case BasicOp::LogicalAnd:
                    out[i] = static_cast<T>(a && b);
                    break;
                case BasicOp::LogicalOr:
                    out[i] = static_cast<T>(a || b);
                    break;
                case BasicOp::LogicalXor:
                    out[i] = static_cast<T>(a != b);
                    break;
                case BasicOp::BitAnd:
                    out[i] = static_cast<T>(in[i] & out[i]);
                    break;
                case BasicOp::BitOr:
                    out[i] = static_cast<T>(in[i] | out[i]);
                    break;
                default:
                    out[i] = static_cast<T>(in[i] ^ out[i]);
                    break;
                }
            }
        }
    }
}

inline void combineBasic(BasicOp op, Basic basic, const char *in, char *out, std::size_t n) {
    auto as = [&](auto zero) {
        using T = decltype(zero);
        combineNumbers(op, reinterpret_cast<const T *>(in), reinterpret_cast<T *>(out), n);
    };
    switch (basic) {
    case Basic::Bool:
        return as(false);
    case Basic::Int8:
        return as(std::int8_t());
    case Basic::Int16:
        return as(std::int16_t());
    case Basic::Int32:
        return as(std::int32_t());
    case Basic::Int64:
        return as(std::int64_t());
    case Basic::Byte:
    case Basic::UInt8:
        return as(std::uint8_t());
    case Basic::UInt16:
        return as(std::uint16_t());
    case Basic::UInt32:
        return as(std::uint32_t());
    case Basic::UInt64:
        return as(std::uint64_t());
    case Basic::Float:
        return as(float());
    case Basic::Double:
        return as(double());
    case Basic::Complex:
        return as(std::complex<float>());
    case Basic::DoubleComplex:
        return as(std::complex<double>());
    }
}

/// Counts the messages of ranks that send to a root, and of the root to all, by the model of docs/user/mpi.md. `root` < 0: rank 0,
/// and it answers.
inline void countToRoot(const Comm &comm, const std::vector<Entry> &entries, int root, std::size_t bytes) {
    for (int r = 0; r < comm.size(); ++r) {
        const bool isRoot = r == std::max(root, 0);
        if (!isRoot || root < 0)
            job().count(entries[std::size_t(r)].element, comm.members[std::size_t(r)], isRoot ? comm.size() - 1 : 1, bytes);
    }
}

/// The work of a barrier.
inline std::string meetOnly(Comm &comm, std::vector<Entry> &entries) {
    countToRoot(comm, entries, -1, 0);
    return "";
}

/// Combines all ranks' elements in the order of ranks; every rank that wants the result gets it.
inline std::string reduceAll(Comm &comm, std::vector<Entry> &entries) {
    const Entry &first = entries[0];
    const Signature wanted = signatureOf(*first.send.type, first.send.count);
    std::vector<char> result;
    for (int r = 0; r < comm.size(); ++r) {
        const Entry &e = entries[std::size_t(r)];
        const Signature mine = signatureOf(*e.send.type, e.send.count);
        if (mine != wanted)
            return describe(e, r) + " has " + text(mine) + ", and " + describe(first, 0) + " has " + text(wanted);
        std::vector<char> bytes = packed(e.send.data, e.send.count, *e.send.type);
        if (r == 0) {
            result = std::move(bytes);
        } else if (e.op->function) {
            int count = static_cast<int>(e.send.count);
            Type *type = e.send.type;
            e.op->function(bytes.data(), result.data(), &count, &type);
        } else {
            std::size_t at = 0;
            for (const auto &[basic, count] : mine) {
                combineBasic(e.op->basic, basic, bytes.data() + at, result.data() + at, count);
                at += count * sizeOf(basic);
            }
        }
    }
    countToRoot(comm, entries, first.root, result.size());
    for (int r = 0; r < comm.size(); ++r)
        if (Entry &e = entries[std::size_t(r)]; e.root < 0 || e.root == r)
            e.deliveries.push_back({const_cast<void *>(e.receive.data), e.send.count, *e.send.type, result});
    return "";
}

} // namespace sdfgc::mpi::emulated
