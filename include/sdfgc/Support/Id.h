// Typed indices, and tables that are indexed by them.
//
// An Id<Of> is an index that cannot be mixed up with other numbers, such as a variable's number with a slot's. A
// Table<I, T> is a vector that accepts only its own ids.
#pragma once

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace sdfgc {

/// The index of an entry in the table of `Of`s. Created by Table::add, or from an index that is known to be valid.
template <class Of> struct Id {
    constexpr Id() = default;
    explicit constexpr Id(std::size_t i) : index(static_cast<int32_t>(i)) {}

    /// Does it refer to an entry?
    explicit constexpr operator bool() const { return index >= 0; }
    friend constexpr bool operator==(Id, Id) = default;
    friend constexpr auto operator<=>(Id, Id) = default;

    int32_t index = -1; // -1: none
};

/// Entries in insertion order; ids remain valid during the table's lifetime.
template <class I, class T> class Table {
public:
    I add(T entry) {
        entries_.push_back(std::move(entry));
        return I(entries_.size() - 1);
    }
    /// Returns the entry of `id`, which must belong to this table.
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
    /// The minimum that a range-based for loop needs, since Clang 14 does not compile libstdc++'s views.
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
