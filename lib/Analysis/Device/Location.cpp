#include "sdfgc/Analysis/Device/Location.h"

#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Support/Text.h"

#include <array>
#include <optional>

namespace sdfgc::analysis {
namespace {

constexpr std::string_view kLocation = "location";
constexpr std::array<std::pair<std::string_view, GuardLevel>, 3> kGuards{
    {{"gpu_thread", GuardLevel::Thread}, {"gpu_warp", GuardLevel::Warp}, {"gpu_block", GuardLevel::Block}}};

std::optional<GuardLevel> levelOf(std::string_view key) {
    for (const auto &[name, level] : kGuards)
        if (key == name)
            return level;
    return std::nullopt;
}

std::optional<sym::Expr> expression(std::string_view text) { return sym::parse(text).expr; }

/// `2`, `N - 1`, `2:9`, `2:9:3`.
std::optional<sym::Range> rangeOf(const std::string &text) {
    const std::vector<std::string_view> parts = text::splitOutsideBrackets(text, ':');
    std::vector<sym::Expr> values;
    for (std::string_view part : parts) {
        const std::optional<sym::Expr> value = expression(part);
        if (!value)
            return std::nullopt;
        values.push_back(*value);
    }
    switch (values.size()) {
    case 1:
        return sym::Range{values[0], values[0], 1, 1};
    case 2:
        return sym::Range{values[0], values[1] - 1, 1, 1};
    case 3:
        return sym::Range{values[0], values[1] - 1, values[2], 1};
    default:
        return std::nullopt;
    }
}

/// A number, a text, or a range with an inclusive end as in memlets.
std::optional<sym::Range> rangeOf(const json::Value &v) {
    if (v.isNumber() || v.isString())
        return rangeOf(v.text());
    const json::Value *ranges = v.isObject() ? v.get("ranges") : nullptr;
    if (!ranges || !ranges->isArray() || ranges->items().size() != 1)
        return std::nullopt;
    const json::Value &one = ranges->items().front();
    std::array<std::optional<sym::Expr>, 3> parts;
    for (std::size_t k = 0; k < 3; ++k)
        if (const json::Value *part = one.get(std::array{"start", "end", "step"}[k]))
            parts[k] = expression(part->text());
    if (!parts[0] || !parts[1])
        return std::nullopt;
    return sym::Range{*parts[0], *parts[1], parts[2].value_or(1), 1};
}

/// The form of a value in diagnostics.
std::string textOf(const json::Value &v, const std::optional<sym::Range> &range) {
    if (v.isNumber() || v.isString())
        return v.text();
    return range ? range->begin.str() + ":" + (range->end + 1).str() : "...";
}

} // namespace

ThreadGuards threadGuardsOf(const ir::Node &n) {
    ThreadGuards out;
    const json::Value *location = n.extra.find(kLocation);
    if (!isa<ir::Tasklet>(&n) || !location || !location->isObject())
        return out;
    for (const auto &[key, value] : location->members()) {
        const std::optional<GuardLevel> level = levelOf(key);
        if (!level)
            continue;
        const std::optional<sym::Range> range = rangeOf(value);
        const std::string text = key + ": " + textOf(value, range);
        if (range)
            out.guards.push_back({*level, *range, text});
        else if (out.unreadable.empty())
            out.unreadable = text;
    }
    return out;
}

bool isInKernel(const ir::Node &n) {
    for (const ir::Node *at = &n; at; at = at->state()->sdfg()->parentNode)
        for (const ir::Node *around : ir::ScopeTree(*at->state()).enclosing(at))
            if (ir::isGpuSchedule(*ir::scheduleOf(around)))
                return true;
    return false;
}

std::vector<std::string> locationWithoutMeaning(const ir::Node &n) {
    std::vector<std::string> keys;
    const auto *library = dyn_cast<ir::LibraryNode>(&n);
    const json::Value *location = library ? library->properties.find(std::string(kLocation)) : n.extra.find(kLocation);
    if (!location || !location->isObject())
        return keys;
    for (const auto &[key, value] : location->members())
        if (!isa<ir::Tasklet>(&n) || !levelOf(key))
            keys.push_back(key);
    return keys;
}

void removeLocation(ir::Node &n) {
    ir::Extra rest;
    for (const auto &[key, value] : n.extra.all())
        if (key != kLocation)
            rest.add(key, value);
    n.extra = std::move(rest);
}

} // namespace sdfgc::analysis
