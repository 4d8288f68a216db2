// What nested SDFGs access of their arguments. Their memlets often pass whole arrays; the blocks inside say which elements
// are used:
//
//     nested c[p = i] with x <- A[0:N], idx <- idx[0:N]; y -> B[0:N] {
//         k = idx[p]
//         y[p] = x[p - 1] + x[k]                 reads A[i - 1] and A[0:N], writes B[i]
//     }
#pragma once

#include "sdfgc/Nest/CallBlocks.h"

namespace sdfgc::nest {

/// The accesses of one call, in terms of its surroundings when it was read. They are found when they are first asked for, because
/// most passes only ask about few calls.
class CallElements {
public:
    /// Of a step of an SDFG whose only node is a nested SDFG, as read. The arguments must live as long as they may be asked for.
    CallElements(std::vector<Use> uses, const ir::NestedSDFGNode &node, ir::SDFG &g, analysis::Memories &memories);
    /// Of uses of a call of part of the body of a loop over `variable`, which has been read.
    CallElements(const std::vector<Use> &uses, Name variable, const Stretch &part, const LoopBody &body, const ir::SDFG &g);

    /// Returns the accesses that a use, by its position, stands for: those of the blocks, with the loops around them. Nothing if they
    /// are not known, because the nested SDFG has too many blocks or cannot be read (readCall), or if the use is no array or has
    /// one element. Indices with values that only the nested SDFG knows may be any.
    const std::vector<analysis::AccessInstance> &of(std::size_t use);

private:
    void find();

    struct Unread {
        std::vector<Use> uses;
        const ir::NestedSDFGNode *node;
        ir::SDFG *g;
        analysis::Memories *memories;
    };
    std::optional<Unread> unread_;
    std::vector<std::vector<analysis::AccessInstance>> found_;
};

/// Gives the uses of a call their accesses (Use::call).
void describeCall(Step &call, std::shared_ptr<CallElements> elements);

/// Returns what a use of a step accesses, in terms of the loops around the step: its subset, or the accesses of the nested SDFG that
/// the step calls.
std::vector<analysis::AccessInstance> accessesOf(const Use &u, const Step &s);
/// The same with the surrounding loops.
std::vector<analysis::AccessInstance> accessesOf(const PlacedUse &u);

} // namespace sdfgc::nest
