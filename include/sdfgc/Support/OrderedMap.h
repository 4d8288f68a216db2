// A map that preserves insertion order, like a JSON object. Lookup is O(1); erase is O(n). Insertion keeps references
// to values valid; erase invalidates them.
#pragma once

#include <cstddef>
#include <deque>
#include <unordered_map>
#include <utility>

namespace sdfgc {

template <class K, class V> class OrderedMap {
public:
    using Item = std::pair<K, V>;

    V *find(const K &k) {
        auto it = index_.find(k);
        return it == index_.end() ? nullptr : &items_[it->second].second;
    }
    const V *find(const K &k) const { return const_cast<OrderedMap *>(this)->find(k); }
    bool contains(const K &k) const { return index_.count(k) != 0; }

    /// Returns the value of `k`, appending a default-constructed one if absent.
    V &operator[](const K &k) {
        if (V *v = find(k))
            return *v;
        return append(k, V());
    }
    /// Appends the value, or overwrites it in place; returns the stored value.
    V &set(const K &k, V v) {
        if (V *old = find(k))
            return *old = std::move(v);
        return append(k, std::move(v));
    }
    /// Removes `k`; returns whether it existed.
    bool erase(const K &k) {
        auto it = index_.find(k);
        if (it == index_.end())
            return false;
        std::size_t at = it->second;
        items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(at));
        index_.erase(it);
        for (auto &entry : index_)
            if (entry.second > at)
                --entry.second;
        return true;
    }

    std::size_t size() const { return items_.size(); }
    bool empty() const { return items_.empty(); }
    void clear() {
        items_.clear();
        index_.clear();
    }
    auto begin() { return items_.begin(); }
    auto end() { return items_.end(); }
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }

private:
    V &append(const K &k, V v) {
        index_.emplace(k, items_.size());
        items_.emplace_back(k, std::move(v));
        return items_.back().second;
    }
    std::deque<Item> items_;
    std::unordered_map<K, std::size_t> index_;
};

} // namespace sdfgc
