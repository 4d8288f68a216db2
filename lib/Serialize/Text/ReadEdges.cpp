// Text of a state: the edges in the lines of its nodes, and copies.
#include "Serialize/Fields.h"
#include "Serialize/RangeText.h"
#include "Serialize/Text/Keys.h"
#include "Serialize/Text/StateReader.h"

#include "sdfgc/IR/Identifier.h"
#include "sdfgc/IR/ScopeConnectors.h"

#include <algorithm>

namespace sdfgc::serialize::text {

using diag::Id;

// ---- ends
/// `@label#2`: the node; for a scope, its entry.
ir::Node *StateReader::handle() {
    const std::size_t start = c_.at;
    r_.expect("@");
    const std::string label = r_.label("the label of a node");
    const std::size_t number = r_.ordinal();
    if (ir::Node *n = names_.find(Name(label), number))
        return n;
    const std::string shown = "@" + label + (number == 1 ? "" : "#" + std::to_string(number));
    std::vector<std::string> known;
    for (const auto &n : nodes_)
        known.push_back(StateNames::nameOf(*n).str());
    const std::string near = diag::nearest(label, known);
    r_.fail(Id::GraphTextName, start, "node", shown,
            near.empty() || near == label ? "nodes are named after their line, and in their own state"
                                          : "did you mean `@" + near + "`?");
}

std::optional<sym::Subset> StateReader::subset() {
    if (c_.peek() != '[')
        return std::nullopt;
    return sym::Subset{r_.ranges(r_.bracketed())};
}

/// `A[0:N]`, `@B#2:views B[0:N]`, `new A[i]`, `none`
StateReader::EndText StateReader::end() {
    c_.blanks();
    EndText e;
    e.at = c_.at;
    auto connector = [&] {
        if (c_.peek() == ':' && wordLength(c_.text().substr(c_.at + 1)) > 0) {
            ++c_.at;
            e.connector = r_.identifier("connector", "a connector", true);
        }
    };
    if (c_.peek() == '@') {
        e.handle = handle();
        connector();
        if (c_.peek() == ' ' && (wordLength(c_.text().substr(c_.at + 1)) > 0 || c_.peek(1) == '"'))
            e.data = r_.dataName();
        e.subset = subset();
        return e;
    }
    const std::size_t afterNew = c_.at + 4;
    if (c_.startsWith("new ") && (wordLength(c_.text().substr(afterNew)) > 0 || c_.text().substr(afterNew, 1) == "\"")) {
        c_.at = afterNew;
        e.made = e.data = r_.dataName();
        connector();
        if (c_.startsWith(" -") && !c_.startsWith(" ->")) {
            c_.at += 2;
            e.data = Name();
        } else if (c_.peek() == ' ' && (wordLength(c_.text().substr(c_.at + 1)) > 0 || c_.peek(1) == '"')) {
            e.data = r_.dataName();
        }
        e.subset = subset();
        return e;
    }
    if (c_.acceptWord("none")) {
        e.isNone = true;
        return e;
    }
    e.data = r_.dataName("a container, or `@` and the label of a node");
    e.subset = subset();
    return e;
}

/// A new access node for a declared container.
ir::Node *StateReader::madeAccess(Name data, std::size_t at) {
    const Name first = ir::ownerOf(data);
    if (!r_.graph().arrays.contains(first) && !r_.graph().constants.contains(first)) {
        std::vector<std::string> known;
        for (const auto &[container, d] : r_.graph().arrays)
            known.push_back(container.str());
        const std::string near = diag::nearest(first.view(), known);
        r_.fail(Id::GraphTextName, at, "container", first.str(),
                near.empty() ? "containers are declared before the first block: `argument " + first.str() + ": float64[N]`"
                             : "did you mean `" + near + "`?");
    }
    auto n = std::make_unique<ir::AccessNode>(data);
    n->label = data.str();
    n->debugInfo = said_;
    ir::Node *p = n.get();
    nodes_.push_back(std::move(n));
    names_.add(p);
    return p;
}

End StateReader::source(const EndText &e) {
    if (e.handle)
        return {names_.isOpen(e.handle) ? e.handle : ir::exitOf(e.handle), e.connector};
    if (e.made)
        return {madeAccess(e.made, e.at), e.connector};
    End found = names_.source(e.data);
    if (found.node)
        return found;
    if (names_.depth() > 0)
        r_.fail(Id::GraphTextName, e.at, "way for container", e.data.str(),
                "add `<- " + e.data.str() + "[...]` to the line of the scope");
    return {madeAccess(e.data, e.at), Name()};
}

End StateReader::destination(const EndText &e) {
    if (e.handle)
        return {names_.isOpen(e.handle) ? ir::exitOf(e.handle) : e.handle, e.connector};
    if (e.made)
        return {madeAccess(e.made, e.at), e.connector};
    End found = names_.destination(e.data);
    return found.node ? found : End{madeAccess(e.data, e.at), Name()};
}

// ---- edges
void StateReader::connect(End from, End to, ir::Memlet m) {
    ++counts_[from.node].out;
    ++counts_[to.node].in;
    edges_.push_back({from, to, std::move(m)});
}

void StateReader::annotate(ir::Node &n, bool in, Name connector, Type t) {
    if (connector && t)
        types_[in ? 1 : 0][&n].emplace(connector, t);
}

void StateReader::memletAttributes(Attributes &a, ir::Memlet &m) {
    a.take([&](std::string_view w) {
        if (const std::string_view lambda = wcrLambda(w); !lambda.empty())
            return m.wcr = lambda, true;
        if (auto mode = parseWcrMode(w))
            return m.wcrMode = *mode, true;
        if (auto method = ir::parseEnum<ir::CopyMethod>(w); method && method != ir::CopyMethod::Undecided)
            return m.copy = *method, true;
        return false;
    });
    const bool hasVolume = std::any_of(a.keys.begin(), a.keys.end(), [](const Attributes::Key &k) { return k.text == "volume"; });
    r_.fields(
        a, "a memlet", [&](FieldReader &r) { memletFields(r, m); }, m.extra);
    if (!hasVolume)
        m.volume = m.subset ? m.subset->numElements() : sym::Expr(0);
    if (m.volume.overflowed())
        r_.fail(Id::BadExpression, c_.at, std::string("subset"), std::string(tooManyElements));
    TextReader::locate(a, m.debugInfo);
}

/// `with a <- A[i], b <- @t:c; c -> C[i]`, or nothing.
void StateReader::items(ir::Node &inputsOf, ir::Node &outputsOf) {
    const std::size_t inputsBefore = counts_[&inputsOf].in;
    const auto edgesBefore = static_cast<std::ptrdiff_t>(edges_.size());
    if (c_.acceptWord("with")) {
        do {
            c_.lines();
            item(inputsOf, outputsOf);
        } while (c_.accept(",") || c_.accept(";"));
    }
    // The entry precedes everything in its scope.
    if (open_.empty() || isa<ir::AccessNode>(&inputsOf) || counts_[&inputsOf].in != inputsBefore)
        return;
    connect({open_.back().entry, Name()}, {&inputsOf, Name()}, {});
    std::rotate(edges_.begin() + edgesBefore, edges_.end() - 1, edges_.end());
}

void StateReader::item(ir::Node &inputsOf, ir::Node &outputsOf) {
    const std::size_t start = c_.at;
    Name connector;
    Type type;
    bool isUsual = true; // no connector is named
    if (c_.acceptWord("after")) {
        const EndText e = end();
        return connect(source(e), {&inputsOf, Name()}, {});
    }
    if (!c_.startsWith("->") && !c_.startsWith("<-")) {
        isUsual = false;
        if (!c_.accept("-"))
            connector = r_.identifier("connector", "`<-`, `->`, a connector or `after`", true);
        if (c_.accept(":"))
            type = r_.type();
    }
    const bool isInput = c_.accept("<-");
    if (!isInput && !c_.accept("->"))
        r_.expected("`<-` or `->`", "an input is `connector <- A[i]`, an output `connector -> A[i]`");
    const EndText e = end();
    if (e.isNone) {
        if (isInput)
            r_.fail(Id::GraphTextSyntax, start, "`-> none`", "`<- none`", "");
        counts_[&outputsOf].noOutput = true;
        return;
    }
    ir::Memlet m;
    m.data = e.data;
    m.subset = e.subset;
    const End other = isInput ? source(e) : destination(e);
    if (isInput && c_.accept("->")) {
        c_.blanks();
        if (!(m.otherSubset = subset()))
            r_.expected("`[`", "what follows is the subset on the other side");
    }
    Attributes a = r_.attributes();
    memletAttributes(a, m);
    if (isInput) {
        if (isUsual && inputsOf.isEntry() && m.data)
            connector = ir::scopeInput(m.data);
        annotate(inputsOf, true, connector, type);
        if (inputsOf.isEntry())
            names_.declareInput(m.data, connector);
        return connect(other, {&inputsOf, connector}, std::move(m));
    }
    if (isUsual && outputsOf.isExit() && m.data)
        connector = ir::scopeOutput(m.data);
    annotate(outputsOf, false, connector, type);
    if (outputsOf.isExit())
        names_.declareOutput(m.data, connector);
    connect({&outputsOf, connector}, other, std::move(m));
}

/// `A[0:N] -> B[5:N + 5]`: a copy, or the memory that a view or reference refers to. The memlet belongs to the side with a subset,
/// or to the source if both or neither have one; the attributes `source` and `destination` override this.
void StateReader::copy(EndText from) {
    said_ = {};
    const End source = this->source(from);
    r_.expect("->", "a copy is `A[0:N] -> B[0:N]`, a tasklet `label: code`");
    const EndText to = end();
    const End destination = this->destination(to);
    Attributes a = r_.attributes();
    bool own = from.data && (from.subset || !to.subset || !to.data);
    if (a.takeWord("source"))
        own = true;
    else if (a.takeWord("destination"))
        own = false;
    ir::Memlet m;
    m.data = own ? from.data : to.data;
    m.subset = own ? from.subset : to.subset;
    m.otherSubset = own ? to.subset : from.subset;
    memletAttributes(a, m);
    r_.endLine();
    connect(source, destination, std::move(m));
}

} // namespace sdfgc::serialize::text
