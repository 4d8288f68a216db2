#include "FieldReader.h"

#include <algorithm>

namespace sdfgc::serialize {
namespace {

/// Attributes of any class that do not affect the program: identity, presentation, history, results of analyses.
constexpr std::string_view kDropped[] = {"guid",
                                         "hash",
                                         "is_collapsed",
                                         "transformation_hist",
                                         "orig_sdfg",
                                         "build_folder",
                                         "pre_conditions",
                                         "post_conditions",
                                         "ranges",
                                         "invariant_conditions",
                                         "executions",
                                         "dynamic_executions",
                                         "logical_groups",
                                         "num_accesses",
                                         "src_subset",
                                         "dst_subset",
                                         "debuginfo2",
                                         "possible_reads",
                                         "possible_writes",
                                         "certain_reads",
                                         "certain_writes"};

/// Attributes that the format has but the IR does not model: kept without a warning.
struct Known {
    std::string_view className; // empty: any class
    std::string_view attribute;
};
constexpr Known kKept[] = {
    {"", "location"},
    {"Tasklet", "ip_cores"},
    {"Tasklet", "gradient"},
    {"SDFG", "gradient_rules"},
    {"FunctionCallRegion", "arguments"},
    {"ParameterArray", "gradient"},
    {"Tensor", "value_dtype"},
    {"Tensor", "tensor_shape"},
    {"Tensor", "indices"},
    {"Tensor", "index_ordering"},
    {"Tensor", "value_count"},
    {"ProcessGrid", "name"},
    {"ProcessGrid", "is_subgrid"},
    {"ProcessGrid", "parent_grid"},
    {"ProcessGrid", "color"},
    {"ProcessGrid", "exact_grid"},
    {"ProcessGrid", "root"},
    {"SubArray", "name"},
    {"SubArray", "subshape"},
    {"SubArray", "pgrid"},
    {"SubArray", "correspondence"},
    {"RedistrArray", "name"},
    {"RedistrArray", "array_a"},
    {"RedistrArray", "array_b"},
};

/// Attributes of old versions that later ones dropped because nothing depended on them.
constexpr Known kObsolete[] = {
    {"AccessNode", "access"},
    {"AccessNode", "label"},
    {"Tasklet", "language"},
    {"NestedSDFG", "schedule"},
    {"MapEntry", "is_async"},
    {"MapEntry", "flatten"},
    {"MapEntry", "fence_instrumentation"},
    {"MapEntry", "papi_counters"},
    {"ConsumeEntry", "language"},
    {"Array", "materialize_func"},
    {"Array", "access_order"},
    {"Stream", "strides"},
    {"Stream", "veclen"},
    {"SDFG", "arg_types"},
};

bool listed(std::string_view key) { return std::find(std::begin(kDropped), std::end(kDropped), key) != std::end(kDropped); }

template <std::size_t N> bool listed(const Known (&table)[N], std::string_view className, std::string_view key) {
    return std::any_of(std::begin(table), std::end(table),
                       [&](const Known &k) { return k.attribute == key && (k.className.empty() || k.className == className); });
}

bool isMeta(std::string_view key) { return key.substr(0, 5) == "_meta"; }

/// Is it an empty value of an attribute that would be kept without a warning, whatever its class, and so not worth keeping?
bool saysNothing(std::string_view key, Json v) {
    const bool isBlank = v.isNull() || ((v.isObject() || v.isArray() || v.isString()) && v.size() == 0);
    return isBlank && std::any_of(std::begin(kKept), std::end(kKept), [&](const Known &k) { return k.attribute == key; });
}

} // namespace

FieldReader::FieldReader(ValueReader &values, Json attributes) : values_(values) {
    if (!attributes || !values.expect("attributes", attributes, JsonKind::Object))
        return;
    members_.reserve(attributes.size());
    for (auto [key, value] : attributes.members())
        members_.push_back({key.text(), value.index(), false});
}

Json FieldReader::take(std::string_view key) {
    if (values_.document().isText())
        asked_.push_back(key);
    for (std::size_t n = 0; n < members_.size(); ++n, ++next_) {
        if (next_ >= members_.size())
            next_ = 0;
        Member &m = members_[next_];
        if (m.key != key)
            continue;
        ++next_;
        m.taken = true;
        return Json(values_.document(), m.value);
    }
    return Json();
}

void FieldReader::nullable(std::string_view key, std::string &out) {
    if (Json v = take(key); v && !v.isNull())
        values_.read(key, v, out);
}

void FieldReader::identifier(std::string_view key, Name &out) {
    Json v = take(key);
    if (v && !(v.isString() && v.size() == 0))
        out = values_.readIdentifier(key, v).value_or(out);
}

void FieldReader::identifier(std::string_view key, std::vector<Name> &out) {
    Json v = take(key);
    if (!v || !values_.expect(key, v, JsonKind::Array))
        return;
    for (Json item : v.items())
        if (auto name = values_.readIdentifier(key, item))
            out.push_back(*name);
}

void FieldReader::dataName(std::string_view key, Name &out) {
    if (Json v = take(key); v && !v.isNull())
        out = values_.readIdentifier("container", v, true).value_or(out);
}

void FieldReader::rest(std::string_view className, ir::Extra &extra) {
    for (const Member &m : members_) {
        if (m.taken || isMeta(m.key) || listed(m.key) || listed(kObsolete, className, m.key))
            continue;
        const Json value(values_.document(), m.value);
        if (saysNothing(m.key, value))
            continue;
        if (!listed(kKept, className, m.key))
            values_.reportOnce(diag::Id::UnknownAttribute, value, className, m.key);
        extra.add(std::string(m.key), value.value());
    }
}

void FieldReader::rest(OrderedMap<std::string, json::Value> &properties) {
    for (const Member &m : members_)
        if (!m.taken && !isMeta(m.key) && !listed(m.key))
            properties.set(std::string(m.key), Json(values_.document(), m.value).value());
}

void FieldReader::restOfText(const std::function<void(std::string_view, bool, Json)> &f) const {
    for (const Member &m : members_) {
        if (m.taken)
            continue;
        const bool isForeign = m.key.starts_with(Document::kForeign);
        const std::string_view key = m.key.substr(isForeign ? 1 : 0);
        const Json value(values_.document(), m.value);
        if (!isForeign || !saysNothing(key, value))
            f(key, isForeign, value);
    }
}

} // namespace sdfgc::serialize
