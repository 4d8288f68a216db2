#include "Pass/Options.h"

#include <algorithm>
#include <charconv>

namespace sdfgc::pass {
namespace {

/// Parses `text` as a value of the same type as `like`; nothing if it has another type.
std::optional<OptionValue> parseValue(const OptionValue &like, const std::string &text) {
    if (std::holds_alternative<std::string>(like))
        return text;
    if (std::holds_alternative<bool>(like)) {
        if (text == "true" || text == "false")
            return text == "true";
        return std::nullopt;
    }
    int64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::string optionSuggestion(const PassInfo &pass, const std::string &key) {
    if (pass.options.empty())
        return "the pass has no options";
    std::vector<std::string> names;
    std::string list;
    for (const OptionInfo &o : pass.options) {
        names.push_back(o.name);
        list += (list.empty() ? "`" : ", `") + o.name + "`";
    }
    std::string near = diag::nearest(key, names);
    return near.empty() ? "its options are " + list : "did you mean `" + near + "`?";
}

} // namespace

const PassInfo *findPass(const Registry &r, std::string_view name, const diag::Location &place, diag::Engine &d) {
    const PassInfo *info = r.find(name);
    if (!info)
        d.report(diag::Id::UnknownPass, place, name, r.suggestion(name));
    return info;
}

bool addOption(PipelineStep &step, const PassInfo &pass, const std::string &key, const std::string &text,
               const diag::Location &place, diag::Engine &d) {
    const OptionInfo *info = pass.option(key);
    if (!info) {
        d.report(diag::Id::UnknownPassOption, place, pass.name, key, optionSuggestion(pass, key));
        return false;
    }
    std::optional<OptionValue> value = parseValue(info->defaultValue, text);
    const bool isChoice = !info->choices.empty() && value != info->defaultValue;
    if (!value || (isChoice && std::find(info->choices.begin(), info->choices.end(), text) == info->choices.end())) {
        d.report(diag::Id::PassOptionType, place, key, pass.name, describeValues(*info), text);
        return false;
    }
    if (const int64_t *number = std::get_if<int64_t>(&*value); number && *number < info->least) {
        d.report(diag::Id::PassOptionType, place, key, pass.name, std::to_string(info->least) + " or more", text);
        return false;
    }
    if (!step.options.emplace(key, *value).second) {
        d.report(diag::Id::PassOptionTwice, place, "option `" + key + "`");
        return false;
    }
    return true;
}

namespace {

/// Returns the next step of a pass or, if there is none, the last one before; null if there is neither.
const PipelineStep *nearest(const Pipeline &p, std::size_t step, const std::string &pass) {
    const PipelineStep *out = nullptr;
    for (std::size_t i = 0; i < p.steps.size() && !(out && i > step); ++i)
        if (i != step && p.steps[i].pass == pass)
            out = &p.steps[i];
    return out;
}

/// Calls a function with each option that belongs to another pass, and its value in the nearest step of that pass, or null.
template <class F> void eachShared(Pipeline &p, const Registry &r, F &&f) {
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
        const PassInfo *info = r.find(p.steps[i].pass);
        for (const OptionInfo &o : info ? info->options : std::vector<OptionInfo>()) {
            const PipelineStep *owner = o.of.empty() ? nullptr : nearest(p, i, o.of);
            if (!owner)
                continue;
            const auto value = owner->options.find(o.name);
            f(p.steps[i], o, value == owner->options.end() ? nullptr : &value->second);
        }
    }
}

} // namespace

void shareOptions(Pipeline &p, const Registry &r) {
    eachShared(p, r, [](PipelineStep &step, const OptionInfo &o, const OptionValue *value) {
        if (value)
            step.options.emplace(o.name, *value);
    });
}

bool setOption(Pipeline &p, const std::string &text, const Registry &r, diag::Engine &d) {
    diag::Location place;
    place.file = "--pass-option";
    const std::size_t equals = text.find('='), dot = text.find('.');
    if (dot == 0 || dot >= equals || equals == std::string::npos) {
        d.report(diag::Id::PipelineShape, place, "`" + text + "`", "`PASS.OPTION=VALUE`");
        return false;
    }
    const std::string name = text.substr(0, dot), key = text.substr(dot + 1, equals - dot - 1), value = text.substr(equals + 1);
    const PassInfo *info = findPass(r, name, place, d);
    bool found = false, ok = info != nullptr;
    // Steps with the old value get their value from here.
    eachShared(p, r, [&](PipelineStep &step, const OptionInfo &o, const OptionValue *old) {
        if (const auto it = step.options.find(key);
            old && o.of == name && o.name == key && it != step.options.end() && it->second == *old)
            step.options.erase(it);
    });
    for (PipelineStep &step : p.steps) {
        if (!ok || step.pass != name)
            continue;
        found = true;
        step.options.erase(key);
        ok = addOption(step, *info, key, value, place, d);
    }
    if (ok && !found)
        d.report(diag::Id::PassNotInPipeline, place, name, p.name, "its passes are " + print(p));
    shareOptions(p, r);
    return ok && found;
}

bool readLimit(Group &group, const std::string &text, const diag::Location &place, diag::Engine &d) {
    const std::optional<OptionValue> value = parseValue(OptionValue(int64_t(1)), text);
    constexpr int64_t most = 10000;
    if (!value || std::get<int64_t>(*value) < 1 || std::get<int64_t>(*value) > most) {
        d.report(diag::Id::PipelineShape, place, "`limit`", "an integer from 1 to " + std::to_string(most));
        return false;
    }
    group.limit = std::get<int64_t>(*value);
    return true;
}

bool addProperty(GraphCondition &c, const std::string &property, const diag::Location &place, diag::Engine &d) {
    std::vector<std::string> names;
    std::string list;
    for (const auto &[name, meaning] : graphProperties()) {
        names.push_back(name);
        list += (list.empty() ? "`" : ", `") + name + "`";
    }
    if (std::find(names.begin(), names.end(), property) != names.end()) {
        c.anyOf.push_back(property);
        return true;
    }
    const std::string near = diag::nearest(property, names);
    d.report(diag::Id::PipelineKey, place, property, "the properties of a graph",
             near.empty() ? "they are " + list : "did you mean `" + near + "`?");
    return false;
}

} // namespace sdfgc::pass
