// Which values does an iteration of a loop read from other iterations? For containers that may become private to each
// iteration (LoopBody.h).
//
//     for b {                                 a private container: each element that an iteration reads was
//         s[0] = ..                           written before by the same iteration
//         for k = 1:n {
//             s[k] = s[k - 1] + ..            s[k - 1]: by the previous iteration of the inner loop, or by the first step
//         }
//         for k = 0:n { .. = s[k] }           s[k]: by the first step or by the inner loop
//     }
//
// The elements of a read are divided among the writes that certainly happen before it (isCoveredTogether):
//   - writes that precede it in the same iterations of the loops around both;
//   - writes in earlier iterations of an inner loop around both, unless its iterations may run in any order, or a jump or
//     a condition in it may prevent them;
//   - elements that each arm of a conditional block writes.
// A write under a guard counts if the read has the same guard.
#pragma once

#include "sdfgc/Nest/LoopBody.h"

namespace sdfgc::nest {

class BodyCover {
public:
    BodyCover(const LoopBody &body, const ir::SDFG &g, const sym::Assumptions &facts) : body_(body), g_(g), facts_(facts) {}

    /// Does no iteration read an element of a container that another iteration writes, unless it overwrites it before? With
    /// `uninitialised`, elements have no values when the loop begins, so reads of elements that no iteration writes do not count.
    bool holds(Name data, analysis::Memory memory, bool uninitialised) const;

private:
    /// A write of all elements of an instance, unless guards prevent it.
    struct Write {
        analysis::AccessInstance instance;
        std::vector<int> loops;    // that the instance has in common with other uses
        std::vector<Guard> guards; // outermost first
        std::size_t last = 0;      // the use by which it has happened
    };
    std::vector<Write> writesOf(Name data) const;
    void joinArms(std::vector<Write> &writes) const;
    void joinArms(int block, int arms, std::vector<Write> &writes) const;
    std::vector<analysis::SharedAccess> before(const BodyUse &read, std::size_t at, const std::vector<Write> &writes) const;
    std::optional<analysis::SharedAccess> inEarlierIteration(const Write &w, std::size_t level, int number) const;
    analysis::SharedAccess shared(const Write &w, std::size_t common, int number) const;
    std::map<Name, sym::Expr> valuesInside(Name variable, const std::string &suffix) const;

    const LoopBody &body_;
    const ir::SDFG &g_;
    const sym::Assumptions &facts_;
};

} // namespace sdfgc::nest
