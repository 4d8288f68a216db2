// Random numbers that are the same everywhere (std::uniform_int_distribution differs between libraries).
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace sdfgc::test {

class RandomNumbers {
public:
    explicit RandomNumbers(uint64_t seed) : engine_(seed) {}
    /// A number below `bound`, which is not 0.
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
    /// A number from `low` to `high`, both included.
    int64_t between(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(below(static_cast<std::size_t>(high - low + 1)));
    }
    bool oneIn(std::size_t n) { return below(n) == 0; }
    template <class List> auto &pick(List &list) { return list[below(std::size(list))]; }
    uint64_t next() { return engine_(); }

private:
    std::mt19937_64 engine_;
};

} // namespace sdfgc::test
