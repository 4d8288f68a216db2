// Text of a state: its nodes. Each statement is one node or one copy.
#include "Serialize/Fields.h"
#include "Serialize/Text/Keys.h"
#include "Serialize/Text/StateReader.h"

#include "sdfgc/Support/Text.h"

#include <algorithm>
#include <set>

namespace sdfgc::serialize::text {

using diag::Id;

/// `state main (nosync) {`, after the word.
std::unique_ptr<ir::State> TextReader::state() {
    auto s = std::make_unique<ir::State>();
    s->label = label("the label of the state");
    Inside inside(*this, "state " + s->label);
    Attributes a = attributes();
    blockRest(a, "a state", *s);
    expect("{");
    StateReader(*this, *s).read();
    return s;
}

void StateReader::read() {
    r_.statements([&] { statement(); });
    finish();
}

void StateReader::statement() {
    const std::size_t start = c_.at;
    if (c_.peek() == '@')
        return copy(end());
    if (c_.peek() == '"')
        return tasklet(start, r_.quotedText());
    const std::string_view word = c_.word(true);
    if (word == "access")
        return access();
    if (word == "map" || word == "consume")
        return map(word == "consume");
    if (word == "library")
        return library();
    if (word == "nested")
        return nested();
    if (word == "order")
        return r_.orderLine("nodes", nodeOrder_, edgeOrder_);
    if (word == "after") {
        if (open_.empty())
            r_.fail(Id::GraphTextSyntax, start, "a node or a copy", "`after`",
                    "outside of scopes `after` comes after the `with` of a node");
        const EndText e = end();
        return connect(source(e), {open_.back().exit, Name()}, {});
    }
    if (word == "new") {
        c_.at = start;
        return copy(end());
    }
    if (word.empty())
        r_.expected("a node or a copy", "such as `map`, `access`, `library`, `nested`, `label: code` or `A[0:N] -> B[0:N]`");
    tasklet(start, std::string(word));
}

// ---- nodes
template <class T> T *StateReader::make(std::string label) {
    auto n = std::make_unique<T>();
    n->label = std::move(label);
    T *p = n.get();
    nodes_.push_back(std::move(n));
    return p;
}

/// Starts the line of a node: nodes created by its items come after it.
void StateReader::begin(ir::Node *n) {
    names_.add(n);
    said_ = n->debugInfo;
    if (!open_.empty())
        open_.back().lines.push_back(n->isEntry() ? nodes_.back().get() : n);
}

void StateReader::nodeRest(Attributes &a, ir::Node &n, std::string_view element, const std::function<void(FieldReader &)> &f,
                           const ir::DebugInfo &otherwise) {
    for (const Attributes::Key &k : a.keys) {
        if (k.text == "in_connectors")
            listed_[1].insert(&n);
        if (k.text == "out_connectors")
            listed_[0].insert(&n);
    }
    auto all = [&](FieldReader &r) {
        f(r);
        nodeFields(r, n);
    };
    if (auto *l = dyn_cast<ir::LibraryNode>(&n))
        r_.fields(
            a, element, all, [&](std::string key, json::Value v) { l->properties.set(key, std::move(v)); }, true);
    else
        r_.fields(a, element, all, n.extra);
    TextReader::locate(a, n.debugInfo, otherwise);
}

/// `access A (setzero)` creates a node, `access @A (...)` adds attributes to one; `after` lists its predecessors.
void StateReader::access() {
    c_.blanks();
    ir::AccessNode *n = nullptr;
    ir::DebugInfo otherwise;
    if (c_.peek() == '@') {
        const std::size_t start = c_.at;
        n = dyn_cast<ir::AccessNode>(handle());
        if (!n)
            r_.fail(Id::GraphTextSyntax, start, "an access node", "another node", "");
        otherwise = n->debugInfo;
    } else {
        const std::size_t start = c_.at;
        n = static_cast<ir::AccessNode *>(madeAccess(r_.dataName(), start));
        n->debugInfo = {};
    }
    Attributes a = r_.attributes();
    nodeRest(
        a, *n, "an access node", [&](FieldReader &r) { accessFields(r, *n); }, otherwise);
    said_ = n->debugInfo;
    items(*n, *n);
    r_.endLine();
}

/// The code of a tasklet in its line. Without the second blank, a list of connectors would become part of it.
std::string StateReader::taskletLine() {
    c_.blanks();
    const std::size_t start = c_.at;
    const bool quoted = c_.peek() == '"';
    std::string code = r_.rawText(false);
    if (const std::size_t with = swallowedItems(code); !quoted && with != std::string::npos)
        r_.fail(Id::GraphTextSyntax, start + with, "two blanks before `with`", "one",
                "code ends at two blanks or the end of the line; in quotes it may contain anything");
    return code;
}

void StateReader::tasklet(std::size_t start, std::string label) {
    c_.blanks();
    if (c_.peek() == '[' || c_.startsWith("->")) { // it is a copy after all
        c_.at = start;
        return copy(end());
    }
    TextReader::Inside inside(r_, "tasklet " + label);
    auto *t = make<ir::Tasklet>(std::move(label));
    auto language = ir::Language::Python;
    Attributes a = r_.attributes();
    a.take([&](std::string_view w) {
        const auto named = ir::parseEnum<ir::Language>(w);
        language = named.value_or(language);
        return named.has_value();
    });
    nodeRest(a, *t, "a tasklet", [&](FieldReader &r) { taskletFields(r, *t); });
    begin(t);
    t->code = {c_.accept(":") ? taskletLine() : std::string(), language};
    items(*t, *t);
    if (t->code.empty() && c_.accept("{"))
        t->code = {r_.codeBlock(start), language};
    else
        r_.endLine();
}

/// `library blas.MatMul mm (pure, alpha = 2) with ...`
void StateReader::library() {
    const std::string path = fullClass(r_.label("the class of a library node"));
    auto *n = make<ir::LibraryNode>(r_.label("the label of the library node"));
    TextReader::Inside inside(r_, "library node " + n->label);
    n->classPath = path;
    n->name = n->label;
    Attributes a = r_.attributes();
    a.take([&](std::string_view w) {
        auto schedule = ir::parseEnum<ir::Schedule>(w);
        n->schedule = schedule.value_or(n->schedule);
        return schedule.has_value();
    });
    nodeRest(a, *n, "a library node", [&](FieldReader &r) { libraryFields(r, *n); });
    begin(n);
    items(*n, *n);
    r_.endLine();
}

/// One item of a list in brackets.
Assignment StateReader::assignment(std::string_view one, std::string_view form) {
    auto a = parseAssignment(one);
    if (!a) {
        c_.at = static_cast<std::size_t>(one.data() - c_.text().data());
        r_.expected(form);
    }
    return *a;
}

/// `nested inner[N = M + 1] with a <- A[0:M] {`, the SDFG and `}`
void StateReader::nested() {
    const std::size_t start = c_.at;
    auto *n = make<ir::NestedSDFGNode>(r_.label("the label of the nested SDFG"));
    TextReader::Inside inside(r_, "nested SDFG " + n->label);
    if (c_.peek() == '[') {
        const std::string_view list = r_.bracketed();
        std::set<Name> seen;
        for (std::string_view one : sdfgc::text::splitOutsideBrackets(list, ',')) {
            const Assignment mapped = assignment(one, "`symbol = expression`");
            const Name symbol(mapped.name);
            if (!seen.insert(symbol).second)
                r_.report(diag::Id::GraphTextTwice, static_cast<std::size_t>(one.data() - c_.text().data()), "value of symbol",
                          symbol.str());
            n->symbolMapping.emplace_back(symbol, r_.expr(mapped.rest));
        }
    }
    Attributes a = r_.attributes();
    nodeRest(a, *n, "a nested SDFG", [&](FieldReader &r) { nestedFields(r, *n); });
    begin(n);
    items(*n, *n);
    if (c_.accept("{")) {
        c_.lines();
        n->sdfg = r_.nestedGraph();
        c_.lines();
        r_.expect("}", "a nested node holds one SDFG");
    } else if (!n->externalPath.empty()) {
        n->sdfg = r_.external(n->externalPath, start);
    } else {
        r_.expected("`{`", "the SDFG, or `ext_sdfg_path = \"file\"` among the attributes");
    }
}

// ---- scopes
void StateReader::map(bool isConsume) {
    const std::size_t start = c_.at;
    std::string label = r_.label(isConsume ? "the label of the consume scope" : "the label of the map");
    TextReader::Inside inside(r_, (isConsume ? "consume scope " : "map ") + label);
    c_.blanks();
    if (c_.peek() != '[')
        r_.expected("`[`", isConsume ? "a consume scope has workers: `consume c[p = P]`" : "a map has ranges: `map m[i = 0:N]`");
    std::vector<std::pair<Name, std::string_view>> ranges;
    const std::string_view list = r_.bracketed();
    for (std::string_view one : sdfgc::text::splitOutsideBrackets(list, ',')) {
        const Assignment range = assignment(one, "`parameter = range`");
        ranges.emplace_back(Name(range.name), range.rest);
    }
    if (isConsume && ranges.size() != 1)
        r_.fail(Id::GraphTextSyntax, start, "one range of workers", std::to_string(ranges.size()), "");
    ir::Node *entry = nullptr, *exit = nullptr;
    std::function<void(FieldReader &)> visit;
    if (isConsume) {
        auto *c = make<ir::ConsumeEntry>(label);
        auto *x = make<ir::ConsumeExit>(label);
        c->exit = x;
        x->entry = c;
        c->peIndex = ranges[0].first;
        c->numPes = r_.expr(ranges[0].second);
        visit = [c](FieldReader &r) { consumeFields(r, *c); };
        entry = c, exit = x;
    } else {
        auto *m = make<ir::MapEntry>(label);
        auto *x = make<ir::MapExit>(label);
        m->exit = x;
        x->entry = m;
        for (const auto &[parameter, text] : ranges) {
            m->params.push_back(parameter);
            m->ranges.push_back(r_.range(text));
        }
        visit = [m](FieldReader &r) { mapFields(r, *m); };
        entry = m, exit = x;
    }
    Attributes a = r_.attributes();
    a.take([&](std::string_view w) {
        auto schedule = ir::parseEnum<ir::Schedule>(w);
        *ir::scheduleOf(entry) = schedule.value_or(*ir::scheduleOf(entry));
        return schedule.has_value();
    });
    nodeRest(a, *entry, isConsume ? "a consume scope" : "a map", visit);
    exit->debugInfo = entry->debugInfo;
    begin(entry);
    items(*entry, *exit);
    r_.expect("{");
    names_.enter(entry, exit);
    open_.push_back({entry, exit, {}});
    r_.statements([&] { statement(); });
    leave();
}

void StateReader::leave() {
    const Scope scope = std::move(open_.back());
    for (ir::Node *n : scope.lines)
        if (Counts &c = counts_[n]; c.out == 0 && !c.noOutput)
            connect({n, Name()}, {scope.exit, Name()}, {});
    open_.pop_back();
    names_.leave();
    Attributes a = r_.attributes();
    nodeRest(
        a, *scope.exit, "the end of a scope", [](FieldReader &) {}, scope.entry->debugInfo);
    r_.endLine();
}

// ---- the end
void StateReader::finish() {
    connectors();
    for (uint32_t i : r_.ordered(nodeOrder_, nodes_.size(), "nodes"))
        state_.adopt(std::move(nodes_[i]));
    for (uint32_t i : r_.ordered(edgeOrder_, edges_.size(), "edges")) {
        PendingEdge &e = edges_[i];
        state_.connectListed(e.from.node, e.from.connector, e.to.node, e.to.connector, std::move(e.memlet));
    }
}

/// The connectors of a node are those of its edges, by name.
void StateReader::connectors() {
    std::unordered_map<const ir::Node *, std::vector<Name>> names[2];
    for (const PendingEdge &e : edges_) {
        if (e.from.connector)
            names[0][e.from.node].push_back(e.from.connector);
        if (e.to.connector)
            names[1][e.to.node].push_back(e.to.connector);
    }
    for (int in : {0, 1})
        for (const auto &n : nodes_) {
            std::vector<ir::Connector> &list = in ? n->inConnectors : n->outConnectors;
            std::vector<Name> &own = names[in][n.get()];
            std::sort(own.begin(), own.end());
            own.erase(std::unique(own.begin(), own.end()), own.end());
            const bool isListed = listed_[in].contains(n.get());
            for (Name name : own) {
                if (isListed) {
                    in ? n->addIn(name) : n->addOut(name);
                    continue;
                }
                Type t;
                if (auto at = types_[in].find(n.get()); at != types_[in].end())
                    if (auto type = at->second.find(name); type != at->second.end())
                        t = type->second;
                list.push_back({name, t});
            }
        }
    // A container passed through a scope has the same type on both sides.
    for (const auto &n : nodes_) {
        const bool isEntry = n->isEntry();
        if (!isEntry && !n->isExit())
            continue;
        std::vector<ir::Connector> &inner = isEntry ? n->outConnectors : n->inConnectors;
        const std::vector<ir::Connector> &outer = isEntry ? n->inConnectors : n->outConnectors;
        std::unordered_map<Name, Type> types;
        for (const ir::Connector &c : outer)
            types.emplace(c.name, c.type);
        for (ir::Connector &c : inner)
            if (auto at = types.find(otherSide(c.name)); at != types.end() && !listed_[isEntry ? 0 : 1].contains(n.get()))
                c.type = at->second;
    }
}

} // namespace sdfgc::serialize::text
