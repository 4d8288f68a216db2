#include "sdfgc/Nest/LiveAfter.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;
using analysis::AccessInstance;

namespace {

/// A walk from a block to the end of its SDFG, in search of reads of a container.
class Search {
public:
    Search(Summaries &summaries, analysis::Memory m) : summaries_(summaries), memory_(m) {}

    bool reads(Block &from) {
        for (Block *at = &from; !isa<SDFG>(at);) {
            if (ConditionalBlock *c = at->conditional()) {
                at = c;
                continue;
            }
            Region &r = *at->parent();
            // The next iteration, or blocks in an unknown order, begin with what the region reads.
            if (readsInRegion(*at, r) || (isa<LoopRegion>(&r) && isRead(summaries_.of(r))))
                return true;
            at = &r;
        }
        return false;
    }

private:
    bool readsInRegion(const Block &from, Region &r) {
        const BlockChain chain = summaries_.chainOf(r);
        if (!chain.ordered)
            return isRead(summaries_.ofContent(r));
        const auto at = std::find(chain.blocks.begin(), chain.blocks.end(), &from);
        for (auto b = at; b != chain.blocks.end(); ++b) {
            if (b != at && passes(summaries_.of(**b)))
                return true;
            for (const InterstateEdge *e : (*b)->outEdges())
                if (passes(summaries_.of(*e)))
                    return true;
        }
        return false;
    }

    bool isRead(const Summary &s) const {
        const auto exposed = s.exposed.find(memory_);
        return exposed != s.exposed.end() && std::any_of(exposed->second.begin(), exposed->second.end(), [this](const auto &read) {
                   return std::none_of(overwritten_.begin(), overwritten_.end(), [&](const AccessInstance &w) {
                       return analysis::isCovered(read, w, 0, summaries_.factsOf(memory_));
                   });
               });
    }

    /// Moves the point behind a piece. Does it read the container?
    bool passes(const Summary &s) {
        if (isRead(s))
            return true;
        const auto isOld = [&](const AccessInstance &w) { return s.assignsUnknown || mentions(w, s.assigned); };
        std::erase_if(overwritten_, isOld);
        if (const auto written = s.written.find(memory_); written != s.written.end())
            for (const AccessInstance &w : written->second)
                if (!isOld(w)) // its symbols have the values that they had before the piece
                    overwritten_.push_back(w);
        return false;
    }

    static bool mentions(const AccessInstance &a, const std::set<Name> &names) {
        const std::set<Name> free = freeSymbolsOf(a);
        return std::any_of(names.begin(), names.end(), [&free](Name n) { return free.count(n) != 0; });
    }

    Summaries &summaries_;
    const analysis::Memory memory_;
    std::vector<AccessInstance> overwritten_; // since the block, in terms of the symbols at the point
};

} // namespace

LiveAfter::Known::Known(SDFG &g, analysis::Memories &memories)
    : runs(readRuns(g, memories)), summaries(g, memories, runs), version(memories.version()) {}

void LiveAfter::forget(const LoopRegion &l) {
    if (!known_)
        return;
    known_->summaries.forget(l);
    for (const Block *b : allBlocks(l))
        known_->summaries.forget(*b);
}

bool LiveAfter::isLive(Block &b, Name container) {
    if (!known_ || known_->version != memories_.version())
        known_ = std::make_unique<Known>(g_, memories_);
    const analysis::Memory m = memories_.of(g_, container);
    return !known_->summaries.isTracked(m) || Search(known_->summaries, m).reads(b);
}

} // namespace sdfgc::nest
