// Buffers of messages: elements of one type anywhere in memory, described to MPI.
//
// Rules: sizes and strides are 64-bit numbers of elements. A buffer without gaps is described by a count; others, and those of more
// than 2^31 - 1 elements, by derived types, which are made once per form, kept in the program's state and freed with it.
// Reductions, and collective calls that distribute a buffer over ranks, need elements without gaps, so they pack buffers with gaps.
#pragma once

#include "sdfgc/rt/mpi/types.h"

#include <array>
#include <climits>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

namespace sdfgc::mpi {

constexpr int maxRank = 16;

/// `extents[d]` elements in dimension d, outermost first, `strides[d]` elements apart.
template <class T> struct Block {
    T *data = nullptr;
    int rank = 0;
    std::array<int64_t, maxRank> extents{}, strides{};

    int64_t count() const {
        int64_t n = 1;
        for (int d = 0; d < rank; ++d)
            n *= extents[d];
        return n;
    }
    /// Are the elements contiguous?
    bool isPacked() const {
        int64_t expected = 1;
        for (int d = rank; d-- > 0;) {
            if (extents[d] != 1 && strides[d] != expected)
                return false;
            expected *= extents[d];
        }
        return true;
    }
    /// The same elements in memory without gaps.
    template <class U> Block<U> of(U *packed) const {
        Block<U> out;
        out.data = packed;
        out.rank = rank;
        out.extents = extents;
        int64_t stride = 1;
        for (int d = rank; d-- > 0;) {
            out.strides[d] = stride;
            stride *= extents[d];
        }
        return out;
    }
    /// Calls visit(pointer) for each element in row-major order.
    template <class Visit> void forEach(Visit visit) const {
        std::array<int64_t, maxRank> index{};
        T *at = data;
        for (int64_t left = count(); left > 0; --left) {
            visit(at);
            for (int d = rank; d-- > 0;) {
                at += strides[d];
                if (++index[d] < extents[d])
                    break;
                at -= strides[d] * extents[d];
                index[d] = 0;
            }
        }
    }
};

/// block(data, extent, stride, extent, stride, ...): a single element without extents.
template <class T, class... Sizes> Block<T> block(T *data, Sizes... sizes) {
    static_assert(sizeof...(sizes) % 2 == 0 && sizeof...(sizes) / 2 <= maxRank);
    Block<T> b;
    b.data = data;
    b.rank = static_cast<int>(sizeof...(sizes) / 2);
    const int64_t all[] = {static_cast<int64_t>(sizes)..., 0};
    for (int d = 0; d < b.rank; ++d) {
        b.extents[d] = all[2 * d];
        b.strides[d] = all[2 * d + 1];
    }
    return b;
}

/// A buffer as MPI takes it.
struct Message {
    void *data;
    int count;
    MPI_Datatype type;
};

/// The derived types and operators of a program: each made once.
class Types {
public:
    Types() = default;
    Types(const Types &) = delete;
    Types &operator=(const Types &) = delete;

    /// The type of one element.
    template <class T> MPI_Datatype element(const Caller &c) {
        if constexpr (detail::hasBasicType<std::remove_const_t<T>>)
            return detail::basicType<std::remove_const_t<T>>();
        else
            return bytes(c, sizeof(T));
    }

    template <class T> Message message(const Caller &c, const Block<T> &b) {
        void *data = const_cast<std::remove_const_t<T> *>(b.data);
        const MPI_Datatype type = element<T>(c);
        if (const int64_t n = b.count(); n == 0 || (b.isPacked() && n <= INT_MAX))
            return {data, static_cast<int>(n), type};
        return {data, 1, form(c, type, sizeof(T), b)};
    }
    /// `count` elements without gaps as one item, as scatters of blocks need it.
    template <class T> MPI_Datatype run(const Caller &c, int64_t count) {
        return form(c, element<T>(c), sizeof(T), block(static_cast<T *>(nullptr), count, 1));
    }

    template <class T> MPI_Op op(const Caller &c, Op which) {
        if constexpr (detail::hasBasicType<T>)
            return detail::basicOperator(which);
        else
            switch (which) {
            case Op::Sum:
                return made(c, detail::combine<T, Op::Sum>);
            case Op::Prod:
                return made(c, detail::combine<T, Op::Prod>);
            case Op::Min:
                return made(c, detail::combine<T, Op::Min>);
            case Op::Max:
                return made(c, detail::combine<T, Op::Max>);
            default:
                fail(c, "no such reduction of this type of elements");
            }
    }

    /// Frees everything; MPI must still be running.
    void free() noexcept {
        for (auto &[key, type] : forms_)
            MPI_Type_free(&type);
        for (auto &[function, op] : operators_)
            MPI_Op_free(&op);
        forms_.clear();
        operators_.clear();
    }

private:
    using Key = std::vector<int64_t>; // bytes of an element, its basic type by number, extents and strides

    MPI_Datatype bytes(const Caller &c, int64_t size) {
        MPI_Datatype &type = forms_.try_emplace(Key{-size}, MPI_DATATYPE_NULL).first->second;
        if (type == MPI_DATATYPE_NULL) {
            check(c, MPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &type), "MPI_Type_contiguous");
            check(c, MPI_Type_commit(&type), "MPI_Type_commit");
        }
        return type;
    }

    template <class T> MPI_Datatype form(const Caller &c, MPI_Datatype element, int64_t size, const Block<T> &b) {
        Key key{size, static_cast<int64_t>(kindOf<std::remove_const_t<T>>())};
        for (int d = 0; d < b.rank; ++d)
            if (b.extents[d] != 1)
                key.insert(key.end(), {b.extents[d], b.strides[d]});
        MPI_Datatype &type = forms_.try_emplace(std::move(key), MPI_DATATYPE_NULL).first->second;
        if (type != MPI_DATATYPE_NULL)
            return type;
        check(c, MPI_Type_dup(element, &type), "MPI_Type_dup");
        for (int d = b.rank; d-- > 0;)
            if (b.extents[d] != 1)
                type = replaced(type, repeated(c, type, b.extents[d], b.strides[d] * size));
        check(c, MPI_Type_commit(&type), "MPI_Type_commit");
        return type;
    }

    static MPI_Datatype replaced(MPI_Datatype old, MPI_Datatype made) {
        MPI_Type_free(&old);
        return made;
    }

    /// `count` items `stride` bytes apart; counts beyond MPI's int in two steps and a rest.
    static MPI_Datatype repeated(const Caller &c, MPI_Datatype item, int64_t count, int64_t stride) {
        constexpr int64_t chunk = int64_t(1) << 30;
        MPI_Datatype type;
        if (count <= INT_MAX) {
            check(c, MPI_Type_create_hvector(static_cast<int>(count), 1, stride, item, &type), "MPI_Type_create_hvector");
            return type;
        }
        MPI_Datatype part = repeated(c, item, chunk, stride);
        MPI_Datatype parts[2] = {repeated(c, part, count / chunk, stride * chunk), repeated(c, item, count % chunk, stride)};
        MPI_Aint places[2] = {0, static_cast<MPI_Aint>(count / chunk * chunk * stride)};
        int lengths[2] = {1, 1};
        check(c, MPI_Type_create_struct(2, lengths, places, parts, &type), "MPI_Type_create_struct");
        MPI_Type_free(&part);
        MPI_Type_free(&parts[0]);
        MPI_Type_free(&parts[1]);
        return type;
    }

    template <class T> static constexpr int kindOf() {
        return std::is_same_v<T, bool>       ? 1
               : std::is_integral_v<T>       ? (std::is_signed_v<T> ? 2 : 3)
               : std::is_floating_point_v<T> ? 4
               : detail::hasBasicType<T>     ? 5
                                             : 6;
    }

    MPI_Op made(const Caller &c, MPI_User_function *function) {
        MPI_Op &op = operators_.try_emplace(function, MPI_OP_NULL).first->second;
        if (op == MPI_OP_NULL)
            check(c, MPI_Op_create(function, 1, &op), "MPI_Op_create");
        return op;
    }

    std::map<Key, MPI_Datatype> forms_;
    std::map<MPI_User_function *, MPI_Op> operators_;
};

/// The elements of a block without gaps: in place, or in a packed copy.
template <class T> class Packed {
    using Element = std::remove_const_t<T>;

public:
    /// With `filled`, the copy is initialised with the block's elements.
    Packed(const Block<T> &b, bool filled) : block_(b) {
        if (b.isPacked())
            return;
        own_.reset(new Element[static_cast<std::size_t>(b.count())]);
        if (filled) {
            Element *to = own_.get();
            b.forEach([&](T *from) { *to++ = *from; });
        }
    }
    Element *data() const { return own_ ? own_.get() : const_cast<Element *>(block_.data); }
    /// Puts them back where they belong.
    void unpack() const {
        if (const Element *from = own_.get())
            block_.forEach([&](T *to) { *to = *from++; });
    }

private:
    Block<T> block_; // may be a temporary of the caller
    std::unique_ptr<Element[]> own_;
};

} // namespace sdfgc::mpi
