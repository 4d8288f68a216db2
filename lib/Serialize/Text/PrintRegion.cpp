// Text form of control flow: blocks, each followed by its out-edges.
#include "Serialize/Fields.h"
#include "Serialize/Text/Printer.h"
#include "sdfgc/Support/Text.h"

#include <algorithm>
#include <vector>

namespace sdfgc::serialize::text {
namespace {

/// The blocks in textual order: in execution order if they form a chain, otherwise as in the list, with the start block first.
std::vector<const ir::Block *> textOrder(const ir::Region &r) {
    std::vector<const ir::Block *> next(r.blocks().size(), nullptr), order;
    bool isChain = true;
    for (const auto &e : r.edges()) {
        isChain = isChain && !next[e->src->id()];
        next[e->src->id()] = e->dst;
    }
    std::vector<bool> seen(r.blocks().size(), false);
    for (const ir::Block *b = r.start(); isChain && b && !seen[b->id()]; b = next[b->id()]) {
        seen[b->id()] = true;
        order.push_back(b);
    }
    if (order.size() == r.blocks().size())
        return order;
    order.clear();
    for (const auto &b : r.blocks())
        order.push_back(b.get());
    if (const ir::Block *start = r.start())
        std::stable_partition(order.begin(), order.end(), [&](const ir::Block *b) { return b == start; });
    return order;
}

const ir::Code kAlways{"1", ir::Language::Python};

} // namespace

void Printer::region(const ir::Region &r) {
    const std::vector<const ir::Block *> order = textOrder(r);
    std::unordered_map<std::string_view, std::size_t> count;
    std::vector<std::size_t> ordinal(r.blocks().size());
    for (const ir::Block *b : order)
        ordinal[b->id()] = ++count[b->label];
    auto name = [&](const ir::Block &b) {
        return label(b.label) + (ordinal[b.id()] > 1 ? "#" + std::to_string(ordinal[b.id()]) : "");
    };
    std::vector<std::vector<const ir::InterstateEdge *>> out(r.blocks().size());
    std::unordered_map<const ir::InterstateEdge *, uint32_t> number; // lookups only
    for (const auto &e : r.edges()) {
        number[e.get()] = static_cast<uint32_t>(number.size());
        out[e->src->id()].push_back(e.get());
    }
    if (!r.start() && !r.blocks().empty())
        line("start none");
    std::vector<uint32_t> blocks, edgeNumbers;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const ir::Block &b = *order[i];
        block(b);
        edges(b, i + 1 < order.size() ? order[i + 1] : nullptr, out[b.id()], name);
        blocks.push_back(b.id());
        for (const ir::InterstateEdge *e : out[b.id()])
            edgeNumbers.push_back(number[e]);
    }
    this->order("blocks", blocks);
    this->order("edges", edgeNumbers);
}

void Printer::edges(const ir::Block &from, const ir::Block *next, const std::vector<const ir::InterstateEdge *> &out,
                    const std::function<std::string(const ir::Block &)> &name) {
    static const ir::InterstateEdge defaults;
    if (out.empty() && next && !isJump(from.kind()))
        line("stop");
    for (const ir::InterstateEdge *e : out) {
        AttributeText a(*values_);
        const bool plain = e->condition.isPython() && !e->condition.empty();
        a.without({"assignments", "debuginfo", plain ? "condition" : ""});
        interstateFields(a, *e, defaults);
        a.extra(e->extra);
        location(a, e->debugInfo);
        const std::string attributes = a.take();
        const bool always = e->condition == kAlways;
        const bool falls = out.size() == 1 && e->dst == next && always && attributes.empty();
        if (!falls)
            line("goto " + name(*e->dst) + attributes +
                 (always || !plain ? "" : " if " + serialize::text::line(e->condition.text())));
        else if (isJump(from.kind()) && e->assignments.empty())
            line("then");
        for (const auto &[target, value] : e->assignments)
            line(target.str() + " = " + serialize::text::line(value));
    }
}

std::string Printer::blockAttributes(const ir::Block &b, std::initializer_list<std::string_view> without) {
    AttributeText a(*values_);
    a.without(without);
    if (auto *s = dyn_cast<ir::State>(&b)) {
        static const ir::State defaults;
        stateFields(a, *s, defaults);
    } else if (auto *l = dyn_cast<ir::LoopRegion>(&b)) {
        static const ir::LoopRegion defaults;
        loopFields(a, *l, defaults);
    } else if (auto *r = dyn_cast<ir::Region>(&b)) {
        static const ir::Region defaults;
        regionFields(a, *r, defaults);
    }
    a.extra(b.extra);
    location(a, b.debugInfo);
    return a.take();
}

void Printer::block(const ir::Block &b) {
    const std::string name = " " + label(b.label);
    auto enclosed = [&](const char *word) {
        open(word + name + blockAttributes(b));
        region(static_cast<const ir::Region &>(b));
        close();
    };
    switch (b.kind()) {
    case ir::BlockKind::State: {
        auto &s = static_cast<const ir::State &>(b);
        const std::string head = "state" + name + blockAttributes(b);
        if (s.nodes().empty())
            return line(head + " {}");
        open(head);
        state(s);
        return close();
    }
    case ir::BlockKind::Loop:
        return loop(static_cast<const ir::LoopRegion &>(b));
    case ir::BlockKind::Conditional:
        return conditional(static_cast<const ir::ConditionalBlock &>(b));
    case ir::BlockKind::Break:
        return line("break" + name + blockAttributes(b));
    case ir::BlockKind::Continue:
        return line("continue" + name + blockAttributes(b));
    case ir::BlockKind::Return:
        return line("return" + name + blockAttributes(b));
    case ir::BlockKind::Unstructured:
        return enclosed("unstructured");
    case ir::BlockKind::Named:
        return enclosed("named");
    case ir::BlockKind::FunctionCall:
        return enclosed("call");
    case ir::BlockKind::Region:
    case ir::BlockKind::SDFG:
        return enclosed("region");
    }
}

namespace {

/// A part of a loop header: Python on one line, not empty. `none` denotes a missing part.
bool fitsLoop(const std::optional<ir::Code> &c) { return !c || (c->isPython() && fitsHead(c->text())); }

/// `i = 0; i < N; i = i + 1`; none if it would be parsed as another loop: code with a `;` or an open bracket, or a missing counter
/// where `init` assigns a symbol.
std::optional<std::string> forHead(const ir::LoopRegion &l) {
    if (!fitsLoop(l.init) || !fitsLoop(l.condition) || !fitsLoop(l.update))
        return std::nullopt;
    auto text = [](const std::optional<ir::Code> &c) { return c ? c->text() : std::string(); };
    const std::vector<std::string> parts = {text(l.init), text(l.condition), text(l.update)};
    if (l.variable.empty() && parseAssignment(parts[0]))
        return std::nullopt;
    const std::string head = sdfgc::text::joined(parts, "; ");
    if (!std::ranges::equal(sdfgc::text::splitOutsideBrackets(head, ';'), parts))
        return std::nullopt;
    return head;
}

} // namespace

/// `i: for i = 0; i < N; i = i + 1 {`, `w: while x > 0 {`
void Printer::loop(const ir::LoopRegion &l) {
    const bool isWhile = !l.init && !l.update && l.condition && fitsLoop(l.condition);
    const std::optional<std::string> written = isWhile ? "while " + l.condition->text() : forHead(l);
    const bool fits = written.has_value();
    const auto start = fits && l.init ? parseAssignment(l.init->text()) : std::nullopt;
    const bool variableIsTarget = l.variable.view() == (start ? start->name : std::string_view());
    const std::string attributes = blockAttributes(l, {fits ? "init_statement" : "", fits ? "loop_condition" : "",
                                                       fits ? "update_statement" : "", variableIsTarget ? "loop_variable" : ""});
    open(startLabel(l.label) + attributes + ": " + (isWhile ? "" : "for ") + written.value_or("; ;"));
    region(l);
    close();
}

/// `c: if x > 0 body {`, `} else if ... {`, `} else {`: labels of branches follow two blanks.
void Printer::conditional(const ir::ConditionalBlock &c) {
    const std::string name = startLabel(c.label) + blockAttributes(c);
    if (c.branches().empty())
        return line("conditional " + name);
    bool first = true;
    for (const auto &branch : c.branches()) {
        const ir::Region &r = *branch.region;
        std::string head = branch.condition ? "if " : "else";
        if (branch.condition && branch.condition->isPython())
            head += serialize::text::head(branch.condition->text());
        else if (branch.condition)
            head += quoted(branch.condition->text()) + " " + std::string(ir::name(branch.condition->language()));
        const char *kind = r.kind() == ir::BlockKind::Named          ? "named "
                           : r.kind() == ir::BlockKind::FunctionCall ? "call "
                           : r.kind() == ir::BlockKind::Unstructured ? "unstructured "
                                                                     : "";
        const std::string own = blockAttributes(r);
        if (!r.label.empty() || *kind || !own.empty())
            head += "  " + std::string(kind) + (*kind ? label(r.label) : startLabel(r.label)) + own;
        if (first) {
            open(name + ": " + head);
        } else {
            --depth_;
            open("} " + std::string(branch.condition ? "else " : "") + head);
        }
        first = false;
        region(r);
    }
    close();
}

} // namespace sdfgc::serialize::text
