// Text of control flow: blocks, each followed by its out-edges.
#include "Serialize/Fields.h"
#include "Serialize/Text/TextReader.h"

#include "sdfgc/IR/Identifier.h"
#include "sdfgc/Support/Text.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace sdfgc::serialize::text {

using diag::Id;

/// An edge from the previous block; its target is known once the region has been read.
struct TextReader::PendingEdge {
    std::size_t from = 0, at = 0;
    bool toNext = false;
    std::string label;
    std::size_t ordinal = 1;
    ir::InterstateEdge edge;
    std::unordered_set<Name> assigned;
};

struct TextReader::RegionText {
    std::vector<std::unique_ptr<ir::Block>> blocks;
    std::vector<PendingEdge> edges;
    std::vector<ir::Block *> unlabelled; // their text omits the label
    bool leavesLabelOut = false;         // the current block omits it; an error in the block may be its end
    bool startsNowhere = false;
    bool decided = true;                              // the text states where the last block leads, or need not
    std::optional<std::size_t> blockOrder, edgeOrder; // positions of the numbers in `order` lines
};

void TextReader::region(ir::Region &r, bool isGraph) {
    RegionText t;
    statements([&] { regionStatement(t, isGraph); });
    finishRegion(t, r);
}

void TextReader::regionStatement(RegionText &t, bool isGraph) {
    const std::size_t start = c_.at;
    const std::string_view word = c_.peek() == '"' ? std::string_view() : c_.word();
    c_.blanks();
    if (!word.empty() && c_.peek() == '=' && c_.peek(1) != '=')
        return assignment(t, start, word);
    if (word == "goto" || word == "then")
        return edge(t, start, word == "then");
    if (word == "stop") {
        t.decided = true;
        return endLine();
    }
    if (word == "start") {
        if (!c_.acceptWord("none"))
            expected("`none`", "a region starts with the first block of its text, or has no known start: `start none`");
        t.startsNowhere = true;
        return endLine();
    }
    if (word == "order")
        return orderLine("blocks", t.blockOrder, t.edgeOrder);
    if (isGraph && c_.peek() != ':' && c_.peek() != '(' && declaration(word))
        return;
    if (!t.decided)
        addEdge(t, start, true);
    t.leavesLabelOut = false;
    std::unique_ptr<ir::Block> b = block(t, word, start);
    if (!b) {
        c_.at = start;
        b = labelled();
    }
    t.decided = isJump(b->kind());
    t.blocks.push_back(std::move(b));
    if (t.leavesLabelOut)
        t.unlabelled.push_back(t.blocks.back().get());
}

// ---- edges
/// From the last block to the next one, or to one whose label is still to be read.
TextReader::PendingEdge &TextReader::addEdge(RegionText &t, std::size_t start, bool toNext) {
    if (t.blocks.empty())
        fail(Id::GraphTextSyntax, start, "a block", c_.describe(start), "edges come after the block that they leave");
    PendingEdge e;
    e.from = t.blocks.size() - 1;
    e.at = start;
    e.toNext = toNext;
    t.decided = true;
    t.edges.push_back(std::move(e));
    return t.edges.back();
}

/// `i = i + 1`, starting at the sign: an assignment on the previous edge, or on the edge to the next block.
void TextReader::assignment(RegionText &t, std::size_t start, std::string_view name) {
    ++c_.at;
    const bool follows = t.decided && !t.edges.empty() && t.edges.back().from + 1 == t.blocks.size();
    PendingEdge &e = follows ? t.edges.back() : addEdge(t, start, true);
    std::string value = rawText(false);
    endLine();
    const Name target(name);
    if (!e.assigned.insert(target).second)
        report(Id::GraphTextTwice, start, "assignment to", target.str());
    e.edge.assignments.emplace_back(target, std::move(value));
}

/// `goto body#2 (...) if i < N` or `then`, after the word.
void TextReader::edge(RegionText &t, std::size_t start, bool toNext) {
    PendingEdge &e = addEdge(t, start, toNext);
    if (!toNext) {
        e.label = label("the label of a block");
        e.ordinal = ordinal();
    }
    Attributes a = attributes();
    fields(
        a, "an edge", [&](FieldReader &r) { interstateFields(r, e.edge); }, e.edge.extra);
    locate(a, e.edge.debugInfo);
    if (c_.acceptWord("if"))
        e.edge.condition = {rawText(false), ir::Language::Python};
    endLine();
}

/// The target of an edge that names a block; if there is no such block, reports this and returns null.
ir::Block *TextReader::namedBlock(const PendingEdge &e, const std::vector<ir::Block *> &blocks, const BlocksByLabel &byLabel) {
    auto at = byLabel.find(e.label);
    if (at != byLabel.end() && e.ordinal >= 1 && e.ordinal <= at->second.size())
        return at->second[e.ordinal - 1];
    std::vector<std::string> labels;
    for (const ir::Block *b : blocks)
        labels.push_back(b->label);
    const std::string near = diag::nearest(e.label, labels);
    report(Id::GraphTextName, e.at, "block", e.label,
           near.empty() ? "blocks of the same region can be reached" : "did you mean `" + near + "`?");
    return nullptr;
}

/// Blocks without a label are named after their kind: `loop`, `loop_2`, unless the region itself uses the name.
void TextReader::labelBlocks(RegionText &t) {
    std::set<std::string> taken;
    for (const auto &b : t.blocks)
        taken.insert(b->label);
    for (ir::Block *b : t.unlabelled) {
        const std::string kind = b->kind() == ir::BlockKind::Loop          ? "loop"
                                 : b->kind() == ir::BlockKind::Conditional ? "branch"
                                 : b->kind() == ir::BlockKind::Break       ? "break"
                                 : b->kind() == ir::BlockKind::Continue    ? "continue"
                                 : b->kind() == ir::BlockKind::Return      ? "return"
                                                                           : "region";
        b->label = kind;
        for (std::size_t count = 2; !taken.insert(b->label).second; ++count)
            b->label = kind + "_" + std::to_string(count);
    }
}

void TextReader::finishRegion(RegionText &t, ir::Region &r) {
    labelBlocks(t);
    std::vector<ir::Block *> blocks;
    BlocksByLabel byLabel;
    for (const auto &b : t.blocks) {
        blocks.push_back(b.get());
        byLabel[b->label].push_back(b.get());
    }
    for (uint32_t i : ordered(t.blockOrder, blocks.size(), "blocks"))
        r.adopt(std::move(t.blocks[i]));
    if (!blocks.empty() && !t.startsNowhere)
        r.setStart(blocks[0]);
    for (uint32_t i : ordered(t.edgeOrder, t.edges.size(), "edges")) {
        PendingEdge &e = t.edges[i];
        ir::Block *to = nullptr;
        if (!e.toNext)
            to = namedBlock(e, blocks, byLabel);
        else if (e.from + 1 < blocks.size())
            to = blocks[e.from + 1];
        else
            report(Id::GraphTextSyntax, e.at, "a block after this edge", "the end of the region",
                   "`goto LABEL` leads to another block");
        if (!to)
            continue;
        ir::InterstateEdge *made = r.connect(blocks[e.from], to, std::move(e.edge.condition), std::move(e.edge.assignments));
        made->debugInfo = e.edge.debugInfo;
        made->extra = std::move(e.edge.extra);
    }
}

// ---- blocks
void TextReader::blockRest(Attributes &a, std::string_view element, ir::Block &b) {
    fields(
        a, element,
        [&](FieldReader &r) {
            if (auto *s = dyn_cast<ir::State>(&b))
                stateFields(r, *s);
            else if (auto *l = dyn_cast<ir::LoopRegion>(&b))
                loopFields(r, *l);
            else if (auto *region = dyn_cast<ir::Region>(&b))
                regionFields(r, *region);
        },
        b.extra);
    locate(a, b.debugInfo);
}

/// A block that begins with a keyword; null for any other word.
std::unique_ptr<ir::Block> TextReader::block(RegionText &t, std::string_view word, std::size_t start) {
    auto unlabelled = [&](std::unique_ptr<ir::Block> b) {
        t.leavesLabelOut = true;
        return b;
    };
    auto named = [&](std::unique_ptr<ir::Block> b, const char *element) {
        c_.blanks();
        if (c_.peek() == '"' || wordLength(c_.text().substr(c_.at)) > 0)
            b->label = label("a label");
        else
            t.leavesLabelOut = true;
        Attributes a = attributes();
        blockRest(a, element, *b);
        return b;
    };
    if (word == "state")
        return state();
    if (word == "break" || word == "continue" || word == "return") {
        auto b = named(word == "break"      ? std::unique_ptr<ir::Block>(std::make_unique<ir::BreakBlock>())
                       : word == "continue" ? std::unique_ptr<ir::Block>(std::make_unique<ir::ContinueBlock>())
                                            : std::make_unique<ir::ReturnBlock>(),
                       "this block");
        endLine();
        return b;
    }
    if (word == "conditional") {
        auto b = named(std::make_unique<ir::ConditionalBlock>(), "a conditional block");
        endLine();
        return b;
    }
    const std::optional<ir::BlockKind> kind = word == "region"         ? std::optional(ir::BlockKind::Region)
                                              : word == "named"        ? std::optional(ir::BlockKind::Named)
                                              : word == "call"         ? std::optional(ir::BlockKind::FunctionCall)
                                              : word == "unstructured" ? std::optional(ir::BlockKind::Unstructured)
                                                                       : std::nullopt;
    if (kind) {
        auto b = named(std::make_unique<ir::Region>(*kind), "a region");
        Inside inside(*this, "region " + b->label);
        expect("{");
        region(static_cast<ir::Region &>(*b), false);
        return b;
    }
    if (word == "for" || word == "while")
        return unlabelled(loop("", {}, word == "for"));
    if (word == "if" || word == "else") {
        c_.at = start;
        return unlabelled(conditional("", {}));
    }
    return nullptr;
}

/// `LABEL (attributes): for ...`, `while ...` or `if ...`
std::unique_ptr<ir::Block> TextReader::labelled() {
    const std::size_t start = c_.at;
    std::string name = label("a block");
    Attributes a = attributes();
    if (!c_.accept(":")) {
        const std::string near = diag::nearest(name, regionWords());
        fail(Id::GraphTextSyntax, start, "a block or a declaration", c_.describe(start),
             near.empty() ? "such as `state`, `for`, `while`, `if`, `goto`" : "did you mean `" + near + "`?");
    }
    if (c_.acceptWord("for"))
        return loop(std::move(name), std::move(a), true);
    if (c_.acceptWord("while"))
        return loop(std::move(name), std::move(a), false);
    c_.blanks();
    if (c_.startsWith("if") || c_.startsWith("else"))
        return conditional(std::move(name), std::move(a));
    expected("`for`, `while` or `if`");
}

/// `for i = 0; i < N; i = i + 1 {` or `while x > 0 {`
std::unique_ptr<ir::Block> TextReader::loop(std::string name, Attributes a, bool isFor) {
    auto l = std::make_unique<ir::LoopRegion>();
    l->label = std::move(name);
    Inside inside(*this, "loop " + l->label);
    c_.blanks();
    const std::size_t start = c_.at;
    auto python = [](std::string_view text) {
        return text.empty() ? std::nullopt : std::optional(ir::Code{std::string(text), ir::Language::Python});
    };
    const std::string head = rawText(true);
    if (isFor) {
        const std::vector<std::string_view> parts = sdfgc::text::splitOutsideBrackets(head, ';');
        if (parts.size() != 3)
            fail(Id::GraphTextSyntax, start, "`for INIT; CONDITION; UPDATE {`", std::to_string(parts.size()) + " parts",
                 "a part may be empty");
        l->init = python(parts[0]);
        l->condition = python(parts[1]);
        l->update = python(parts[2]);
        if (auto init = parseAssignment(parts[0]))
            l->variable = Name(init->name);
    } else {
        l->condition = python(head);
    }
    blockRest(a, "a loop", *l);
    expect("{");
    region(*l, false);
    return l;
}

/// `if x > 0  body {`, `} else if y {`, `} else {`
std::unique_ptr<ir::Block> TextReader::conditional(std::string name, Attributes a) {
    auto c = std::make_unique<ir::ConditionalBlock>();
    c->label = std::move(name);
    blockRest(a, "a conditional block", *c);
    Inside inside(*this, "conditional " + c->label);
    do {
        const bool isElse = c_.acceptWord("else");
        std::optional<ir::Code> condition;
        if (c_.acceptWord("if")) {
            c_.blanks();
            const bool isQuoted = c_.peek() == '"';
            condition = ir::Code(rawText(true));
            if (isQuoted) {
                const std::size_t at = c_.at;
                if (auto language = ir::parseEnum<ir::Language>(c_.word()))
                    condition = {condition->text(), *language};
                else
                    c_.at = at;
            }
        } else if (!isElse) {
            expected("`if` or `else`");
        }
        ir::BlockKind kind = ir::BlockKind::Region;
        const std::size_t at = c_.at;
        const std::string_view word = c_.word();
        if (word == "named" || word == "call" || word == "unstructured")
            kind = word == "named"  ? ir::BlockKind::Named
                   : word == "call" ? ir::BlockKind::FunctionCall
                                    : ir::BlockKind::Unstructured;
        else
            c_.at = at;
        auto r = std::make_unique<ir::Region>(kind);
        c_.blanks();
        if (c_.peek() == '"' || wordLength(c_.text().substr(c_.at)) > 0)
            r->label = label("the label of the branch");
        Attributes own = attributes();
        blockRest(own, "a branch", *r);
        expect("{");
        region(*r, false);
        c->addBranch(std::move(condition), std::move(r));
        c_.blanks();
    } while (c_.startsWith("else"));
    return c;
}

} // namespace sdfgc::serialize::text
