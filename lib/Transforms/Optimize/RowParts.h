// Distributes the independent iterations of a loop over several maps, each of which has more threads than the loop has iterations:
//
//     for k = 0; k < N; k = k + 1 {                      map[k = 0:N, i = 0:M] { s = 2 * x[k];  B[k, i] = s * A[k, i] }
//         s = 2 * x[k]                            ->     map[k = 0:N, j = 0:M] { A[k, j] = B[k, M - 1 - j] }
//         map[i = 0:M] { B[k, i] = s * A[k, i] }
//         map[j = 0:M] { A[k, j] = B[k, M - 1 - j] }
//     }
//
// A block cannot share iteration k here, because its threads would need values of each other; kernels need not.
#pragma once

#include "sdfgc/Nest/Conflicts.h"

namespace sdfgc::transforms {

/// The parts of one loop, which has been read as a map with independent iterations.
class RowParts {
public:
    /// `rows`: with the variables of an iteration as locals.
    RowParts(const nest::Map &rows, const nest::Conflicts &items, const ir::SDFG &g);

    /// Can each part be a map that loses no threads? An inner map that passes no variable to other code becomes a part, with all its
    /// loops. Variables that it reads are computed again by each thread, in a few operations on values that the body does not change.
    /// Code that passes variables to other code stays together, in a thread for each iteration; maps in it only accumulate.
    bool arePossible() const { return possible_; }
    std::size_t count() const { return parts_.size(); }
    /// Makes the maps from the items of the map, with copies of an entry. `connectors`: names that no container may have
    /// (nest::connectorsOf).
    std::vector<nest::Item> make(nest::Map &rows, const ir::MapEntry &like, ir::SDFG &g, analysis::Memories &memories,
                                 const std::set<Name> &connectors) const;

private:
    struct Part {
        std::vector<std::size_t> items; // positions in the body, ascending
        std::set<std::size_t> computed; // those of steps that are repeated
        bool isMap = false;             // its only other item is a map, whose loops become those of the part
    };
    void findRepeatable();
    void findParts();
    bool canBeRepeated(std::size_t k) const;
    bool isOrdered() const;
    bool complete(Part &p) const;
    bool needs(std::size_t k, Part &p) const;

    const nest::Map &rows_;
    const nest::Conflicts &items_;
    const ir::SDFG &g_;
    std::vector<std::vector<nest::PlacedUse>> uses_;   // of the items
    std::map<Name, std::vector<std::size_t>> writers_; // of variables
    std::vector<bool> repeatable_;
    std::vector<Part> parts_;
    bool possible_ = false;
};

} // namespace sdfgc::transforms
