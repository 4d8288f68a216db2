#include "Driver/Reports/Messages.h"

#include "Driver/Reports/Table.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Support/CppWords.h"
#include "sdfgc/Symbolic/Factor.h"

#include <algorithm>

namespace sdfgc::driver {
namespace {

using analysis::SizeExpr;
constexpr std::size_t gap = 2; // between columns

std::optional<int64_t> valueOf(const SizeExpr &e, const std::map<Name, int64_t> &values) {
    const Result<int64_t> number = analysis::evaluate(e, {values, nullptr});
    return number ? std::optional(*number) : std::nullopt;
}

/// As a product if possible: `8*N*(P - 1)`.
std::string textOf(const SizeExpr &size) {
    const std::optional<sym::Expr> plain = size.plain();
    if (!plain || plain->kind() != sym::SymbolicKind::Add)
        return size.str();
    sym::Expr rest = *plain;
    std::vector<sym::Expr> parts;
    if (const int64_t content = sym::integerContent(rest); content > 1) {
        parts.emplace_back(content);
        rest = rest / sym::Expr(content);
    }
    for (const Name n : plain->freeSymbols())
        for (sym::Expr next = rest / sym::Expr::symbol(n); sym::asFraction(next).second.isOne();
             next = rest / sym::Expr::symbol(n)) {
            parts.push_back(sym::Expr::symbol(n));
            rest = next;
        }
    const std::vector<sym::Expr> sums = sym::factors(rest);
    parts.insert(parts.end(), sums.begin(), sums.end());
    if (parts.size() == 1)
        return size.str();
    std::string out;
    for (const sym::Expr &part : parts)
        out += (out.empty() ? "" : "*") + (part.kind() == sym::SymbolicKind::Add ? "(" + part.str() + ")" : part.str());
    return out;
}

/// `8*N = 8000`; only the number if the formula is too long to read.
std::string cell(const SizeExpr &e, const std::map<Name, int64_t> &values) {
    const std::optional<int64_t> number = valueOf(e, values);
    const std::string formula = textOf(e);
    constexpr std::size_t longest = 80;
    if (number && formula.size() > longest)
        return std::to_string(*number);
    return number && std::to_string(*number) != formula ? formula + " = " + std::to_string(*number) : formula;
}

json::Value cellJson(const SizeExpr &e, const std::map<Name, int64_t> &values) {
    json::Value v = json::Value::object();
    v.set("formula", textOf(e));
    if (const std::optional<int64_t> number = valueOf(e, values))
        v.set("number", *number);
    return v;
}

Name symbolForRanks(const ir::SDFG &graph) {
    for (const char *name : {"P", "ranks"})
        if (const Name n(name); !graph.symbols.contains(n) && !graph.arrays.contains(n) && !analysis::freeSymbols(graph).count(n))
            return n;
    return Name("number_of_ranks");
}

std::vector<std::string> row(const std::string &name, const analysis::Traffic &t, const std::map<Name, int64_t> &values) {
    return {name, cell(t.messages, values), cell(t.bytes, values), cell(t.mostMessages, values), cell(t.mostBytes, values)};
}

/// User code, or the expansion of a node.
bool callsMpi(const ir::Tasklet &t) {
    for (const Name environment : t.environments)
        if (environment.view() == "MPI" || environment.view().ends_with(".MPI"))
            return true;
    for (const CppWord &w : cppWords(t.code.text()))
        if (!t.code.isPython() && w.where == CppWord::Code && w.text.starts_with("MPI_"))
            return true;
    return false;
}

const std::vector<std::string> titles{"", "messages", "bytes", "messages of one rank", "bytes of one rank"};

} // namespace

std::string sentTable(const std::vector<run::SentMessages> &sent) {
    Table table(gap);
    table.row(titles);
    run::SentMessages all;
    for (const run::SentMessages &s : sent) {
        table.row({s.element, std::to_string(s.messages), std::to_string(s.bytes), std::to_string(s.mostMessages),
                   std::to_string(s.mostBytes)});
        all.messages += s.messages;
        all.bytes += s.bytes;
    }
    table.row({"together", std::to_string(all.messages), std::to_string(all.bytes)});
    return "messages that were sent:\n" + table.str();
}

json::Value sentJson(const std::vector<run::SentMessages> &sent) {
    json::Value list = json::Value::array();
    for (const run::SentMessages &s : sent) {
        json::Value v = json::Value::object();
        v.set("element", s.element);
        v.set("messages", s.messages);
        v.set("bytes", s.bytes);
        v.set("mostMessages", s.mostMessages);
        v.set("mostBytes", s.mostBytes);
        list.push(std::move(v));
    }
    return list;
}

MessageCosts::MessageCosts(ir::SDFG &graph, int64_t count, std::map<Name, int64_t> given)
    : ranks(symbolForRanks(graph)), values(std::move(given)) {
    nodes = analysis::trafficOf(graph, ranks);
    values[ranks] = count;
}

void MessageCosts::addCalls(const ir::SDFG &graph) {
    for (const ir::SDFG *g : ir::allSDFGs(graph))
        for (const ir::State *state : ir::allStates(*g))
            for (const ir::Tasklet *t : ir::nodesOf<ir::Tasklet>(*state))
                if (callsMpi(*t)) {
                    analysis::NodeTraffic one;
                    one.element = ir::elementName(*t);
                    one.uncounted = "is not counted: it calls MPI itself, like an expanded node";
                    nodes.push_back(std::move(one));
                }
}

analysis::Traffic MessageCosts::total() const {
    analysis::Traffic all;
    for (const analysis::NodeTraffic &n : nodes) {
        all.messages = all.messages + n.traffic.messages;
        all.bytes = all.bytes + n.traffic.bytes;
    }
    return all;
}

std::string MessageCosts::text() const {
    std::string known, notes;
    for (const auto &[name, value] : values)
        known += (known.empty() ? "" : ", ") + name.str() + " = " + std::to_string(value);
    Table table(gap);
    table.row(titles);
    bool isBound = false, isWhole = true;
    for (const analysis::NodeTraffic &n : nodes) {
        std::vector<std::string> cells = row(n.element, n.traffic, values);
        if (n.uncounted.starts_with("is not counted"))
            std::fill(cells.begin() + 1, cells.end(), "-");
        for (std::size_t c = n.atMost ? 1 : n.mostIsBound ? 3 : cells.size(); c < cells.size(); ++c)
            if (cells[c] != "0")
                cells[c] = "<= " + cells[c];
        table.row(std::move(cells));
        if (!n.uncounted.empty())
            notes += "  " + n.element + " " + n.uncounted + "\n";
        isBound = isBound || n.atMost;
        isWhole = isWhole && n.uncounted.empty();
    }
    std::vector<std::string> sum = row("together", total(), values);
    sum.resize(3); // the rank that sends most differs between nodes
    for (std::size_t c = 1; c < sum.size() && isBound; ++c)
        sum[c] = "<= " + sum[c];
    table.row(std::move(sum));
    return "\nmessages on " + ranks.str() + " ranks (" + known + ")" + (isWhole ? "" : ", in part") + ":\n" +
           (nodes.empty() ? "  none\n" : table.str()) + notes;
}

json::Value MessageCosts::json() const {
    json::Value v = json::Value::object(), list = json::Value::array();
    const auto add = [&](json::Value &to, const analysis::Traffic &t) {
        to.set("messages", cellJson(t.messages, values));
        to.set("bytes", cellJson(t.bytes, values));
    };
    for (const analysis::NodeTraffic &n : nodes) {
        json::Value one = json::Value::object();
        one.set("element", n.element);
        add(one, n.traffic);
        one.set("mostMessages", cellJson(n.traffic.mostMessages, values));
        one.set("mostBytes", cellJson(n.traffic.mostBytes, values));
        one.set("atMost", n.atMost);
        one.set("mostIsBound", n.mostIsBound);
        if (!n.uncounted.empty())
            one.set("uncounted", n.uncounted);
        list.push(std::move(one));
    }
    v.set("ranks", values.at(ranks));
    v.set("symbol", ranks.str());
    v.set("nodes", std::move(list));
    add(v, total());
    return v;
}

} // namespace sdfgc::driver
