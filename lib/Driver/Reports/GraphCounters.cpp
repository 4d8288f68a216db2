#include "Driver/Reports/GraphCounters.h"

#include <algorithm>

namespace sdfgc::driver {
namespace {

using run::GraphCounters;

struct Column {
    const char *title, *key; // in JSON
    int64_t GraphCounters::*counter;
};

constexpr Column columns[] = {
    {"entries", "entries", &GraphCounters::entries},
    {"builds", "builds", &GraphCounters::builds},
    {"launches", "launches", &GraphCounters::launches},
    {"updates", "updates", &GraphCounters::updates},
    {"nodes", "nodesLast", &GraphCounters::nodesLast},
    {"used", "usedLast", &GraphCounters::usedLast},
    {"host path", "hostPath", &GraphCounters::hostPath},
    {"evictions", "evictions", &GraphCounters::evictions},
    {"iterations", "iterationsLast", &GraphCounters::iterationsLast}, // last, since it may be left out
};

std::string cell(const Column &c, const GraphCounters &g) {
    const int64_t value = g.*c.counter;
    if (c.counter == &GraphCounters::usedLast)
        return value ? "yes" : "no";
    return value < 0 ? "-" : std::to_string(value);
}

/// Names and reasons are left-aligned, numbers right-aligned.
std::string aligned(const std::vector<std::vector<std::string>> &rows) {
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const auto &row : rows)
        for (std::size_t c = 0; c < row.size(); ++c)
            widths[c] = std::max(widths[c], row[c].size());
    std::string out;
    for (const auto &row : rows) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string blanks(widths[c] - row[c].size(), ' ');
            const bool isText = c == 0 || c + 1 == row.size();
            line += (c == 0 ? "" : "  ") + (isText ? row[c] + blanks : blanks + row[c]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

} // namespace

std::string graphTable(const std::vector<GraphCounters> &graphs) {
    if (graphs.empty())
        return "no GPU graphs\n";
    const bool counted = std::any_of(graphs.begin(), graphs.end(), [](const GraphCounters &g) { return g.iterationsLast >= 0; });
    const auto last = std::end(columns) - (counted ? 0 : 1);
    std::vector<std::vector<std::string>> rows{{"GPU graph"}};
    std::for_each(std::begin(columns), last, [&rows](const Column &c) { rows.front().emplace_back(c.title); });
    rows.front().emplace_back("last reason for the host path");
    for (const GraphCounters &g : graphs) {
        rows.push_back({g.name});
        std::for_each(std::begin(columns), last, [&](const Column &c) { rows.back().push_back(cell(c, g)); });
        rows.back().push_back(g.lastReason.empty() ? "none" : g.lastReason);
    }
    return aligned(rows);
}

json::Value graphsJson(const std::vector<GraphCounters> &graphs) {
    json::Value list = json::Value::array();
    for (const GraphCounters &g : graphs) {
        json::Value v = json::Value::object();
        v.set("name", g.name);
        for (const Column &c : columns)
            v.set(c.key, g.*c.counter);
        v.set("lastReason", g.lastReason);
        list.push(std::move(v));
    }
    return list;
}

} // namespace sdfgc::driver
