// Numbers that name entries of a table, and tables that are indexed by them.
//
// An Id<Of> is an index that no other number turns into by accident: a variable's number is no slot's number. A Table<I, T> is a
// vector that takes nothing but its own ids.
#pragma once

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace sdfgc {

/// The number of an entry of the table of `Of`s. Made by Table::add, or from an index that is known to be one.
template <class Of> struct Id {
    constexpr Id() = default;
    explicit constexpr Id(std::size_t i) : index(static_cast<int32_t>(i)) {}

    /// Does it name an entry at all?
    explicit constexpr operator bool() const { return index >= 0; }
    friend constexpr bool operator==(Id, Id) = default;
    friend constexpr auto operator<=>(Id, Id) = default;

    int32_t index = -1; // -1: none
};

/// Entries in the order in which they were added; their ids stay valid for its life.
template <class I, class T> class Table {
public:
    I add(T entry) {
        entries_.push_back(std::move(entry));
        return I(entries_.size() - 1);
    }
    /// The entry `id` names, which must be one of this table's.
    T &operator[](I id) { return entries_[position(id)]; }
    const T &operator[](I id) const { return entries_[position(id)]; }
    bool has(I id) const { return id && static_cast<std::size_t>(id.index) < entries_.size(); }

    auto begin() { return entries_.begin(); }
    auto end() { return entries_.end(); }
    auto begin() const { return entries_.begin(); }
    auto end() const { return entries_.end(); }
    T &back() { return entries_.back(); }
    const T &back() const { return entries_.back(); }
    std::size_t size() const { return entries_.size(); }
    bool empty() const { return entries_.empty(); }
    void clear() { entries_.clear(); }
    /// All ids, in order.
    auto ids() const { return Ids{entries_.size()}; }

private:
    /// What a loop needs, and no more: Clang 14 does not compile the views of libstdc++.
    struct Ids {
        struct Iterator {
            std::size_t at;
            I operator*() const { return I(at); }
            Iterator &operator++() { return ++at, *this; }
            friend bool operator==(Iterator, Iterator) = default;
        };
        std::size_t size;
        Iterator begin() const { return {0}; }
        Iterator end() const { return {size}; }
    };

    std::size_t position(I id) const {
        assert(has(id));
        return static_cast<std::size_t>(id.index);
    }
    std::vector<T> entries_;
};

} // namespace sdfgc

template <class Of> struct std::hash<sdfgc::Id<Of>> {
    std::size_t operator()(sdfgc::Id<Of> id) const { return std::hash<int32_t>()(id.index); }
};
