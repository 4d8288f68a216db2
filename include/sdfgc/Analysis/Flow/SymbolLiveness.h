// Liveness of symbols: which of them may code read that runs after a block, before it assigns them again?
//
// A symbol that a loop's body assigns can be private to each iteration only if nothing reads its last value. Blocks have
// summaries (what they read before they assign it, what they certainly assign), which are composed along chains of
// blocks. Regions of another form, and jumps, count as if everything in them could run next.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <set>
#include <unordered_map>

namespace sdfgc::analysis {

/// The liveness of the symbols that edges and loops of one SDFG assign. Stays valid while loops become maps whose
/// symbols are private: summaries may then contain reads that are gone, but lack none.
class SymbolLiveness {
public:
    explicit SymbolLiveness(const ir::SDFG &g);
    /// Returns the symbols that may be read after a block before they are assigned again.
    std::set<Name> after(const ir::Block &b);
    /// Returns the symbols that a block may read before it assigns them.
    std::set<Name> readBy(const ir::Block &b) { return of(b).exposed; }
    /// For the text of a remark: a block that may read a symbol after another block, or the edge behind it. None if it is unknown.
    struct Reader {
        const ir::Block *block = nullptr;
        bool isBehind = false; // the edge
    };
    Reader readerAfter(const ir::Block &b, Name symbol);
    /// Must be called before a loop is replaced: its blocks go, and new ones may get their addresses.
    void forget(const ir::LoopRegion &l);

private:
    struct Summary {
        std::set<Name> exposed;  // may be read before they are assigned
        std::set<Name> assigned; // on all paths to the end of the block
        bool jumps = false;      // contains a break, continue or return
        /// Puts a piece in front.
        void precede(const Summary &earlier);
    };
    const Summary &of(const ir::Block &b);
    Summary make(const ir::Block &b);
    Summary ofState(const ir::State &s) const;
    Summary ofLoop(const ir::LoopRegion &l);
    Summary ofBranches(const ir::ConditionalBlock &c);
    Summary ofContent(const ir::Region &r);
    Summary of(const ir::InterstateEdge &e) const;
    Summary headerOf(const ir::LoopRegion &l) const;
    Summary anyOrder(const ir::Region &r);
    Summary following(const ir::Block &b);
    void read(const std::set<Name> &names, Summary &s) const;

    const ir::SDFG &g_;
    const std::set<Name> tracked_;
    std::unordered_map<const ir::Block *, Summary> known_;
};

} // namespace sdfgc::analysis
