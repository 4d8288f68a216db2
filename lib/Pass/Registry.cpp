#include "sdfgc/Pass/Pass.h"

namespace sdfgc::pass {

std::string str(const OptionValue &v) {
    if (const bool *b = std::get_if<bool>(&v))
        return *b ? "true" : "false";
    if (const int64_t *i = std::get_if<int64_t>(&v))
        return std::to_string(*i);
    return std::get<std::string>(v);
}

std::string describeValues(const OptionInfo &o) {
    if (std::holds_alternative<bool>(o.defaultValue))
        return "`true` or `false`";
    if (o.choices.empty())
        return std::holds_alternative<int64_t>(o.defaultValue) ? "an integer" : "a text";
    std::string out;
    for (std::size_t i = 0; i < o.choices.size(); ++i)
        out += (i == 0 ? "`" : i + 1 == o.choices.size() ? " or `" : ", `") + o.choices[i] + "`";
    return out;
}

bool FunctionPass::run(tree::Module &module, Context &context) {
    bool changed = false;
    for (auto &f : module.functions)
        changed = run(*f, module, context) || changed;
    return changed;
}

const OptionInfo *PassInfo::option(std::string_view optionName) const {
    for (const OptionInfo &o : options)
        if (o.name == optionName)
            return &o;
    return nullptr;
}

PassInfo &Registry::add(PassInfo info) {
    std::vector<PassInfo> &list = info.name.starts_with("test-") ? tests_ : passes_;
    return list.emplace_back(std::move(info));
}

const PassInfo *Registry::find(std::string_view name) const {
    for (const std::vector<PassInfo> *list : {&passes_, &tests_})
        for (const PassInfo &p : *list)
            if (p.name == name)
                return &p;
    return nullptr;
}

std::string Registry::suggestion(std::string_view unknownName) const {
    std::vector<std::string> names;
    for (const PassInfo &p : passes_)
        names.push_back(p.name);
    std::string near = diag::nearest(unknownName, names);
    return near.empty() ? "`sdfgc passes` lists the passes" : "did you mean `" + near + "`?";
}

} // namespace sdfgc::pass
