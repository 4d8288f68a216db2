#include "Build/Record.h"

#include "sdfgc/Support/Json.h"

namespace sdfgc::build {
namespace {

using json::Value;

constexpr int kFormat = 1; // a record of another format counts as absent

bool isOurs(const std::string &path) { return !path.starts_with('/'); }

std::string contentHash(const std::string &path) {
    const Result<std::string> content = file::readRegular(path);
    return content ? hashOf(*content).hex() : "";
}

/// Text of a string member, or an empty text.
std::string text(const Value &v, const char *key) {
    const Value *member = v.get(key);
    return member && member->isString() ? member->text() : "";
}

Value toJson(const RecordedStep &step) {
    Value inputs = Value::array();
    for (const Input &i : step.inputs)
        inputs.push(Value::array({i.path, i.stamp, i.hash}));
    Value v = Value::object();
    v.set("key", step.key);
    v.set("output", step.outputStamp);
    v.set("inputs", std::move(inputs));
    return v;
}

bool fromJson(const Value &v, RecordedStep &step) {
    step.key = text(v, "key");
    step.outputStamp = text(v, "output");
    const Value *inputs = v.get("inputs");
    if (step.key.empty() || step.outputStamp.empty() || !inputs)
        return false;
    for (const Value &i : inputs->items()) {
        if (i.items().size() != 3)
            return false;
        step.inputs.push_back({i.items()[0].text(), i.items()[1].text(), i.items()[2].text()});
    }
    return !step.inputs.empty();
}

} // namespace

Record readRecord(const std::string &path) {
    Record record;
    const Result<std::string> content = file::readRegular(path);
    const std::optional<Value> v = content ? json::parse(*content) : std::nullopt;
    if (!v || !v->get("format") || v->get("format")->asInt() != kFormat || !v->get("steps"))
        return record;
    for (const auto &[output, description] : v->get("steps")->members())
        if (RecordedStep step; fromJson(description, step))
            record.steps.emplace(output, std::move(step));
    return record;
}

Result<void> writeRecord(const std::string &path, const Record &record) {
    Value steps = Value::object();
    for (const auto &[output, step] : record.steps)
        steps.set(output, toJson(step));
    Value v = Value::object();
    v.set("format", kFormat);
    v.set("steps", std::move(steps));
    return file::writeAtomic(path, v.dump() + "\n", file::Links::Replace);
}

std::string stampText(const std::optional<file::Stamp> &s) {
    if (!s)
        return "";
    return std::to_string(s->size) + " " + std::to_string(s->modifiedNs) + " " + std::to_string(s->inode);
}

Input describeInput(const std::string &folder, const std::string &path, std::int64_t startNs) {
    const std::string whole = file::join(folder, path);
    const std::optional<file::Stamp> stamp = file::stamp(whole);
    if (!stamp || stamp->modifiedNs >= startNs)
        return {path, "", ""};
    return {path, stampText(stamp), isOurs(path) ? contentHash(whole) : ""};
}

Freshness check(const std::string &folder, const std::string &output, RecordedStep &step, const std::string &key) {
    if (step.key != key || step.outputStamp != stampText(file::stamp(file::join(folder, output))))
        return Freshness::Stale;
    return checkInputs(folder, step);
}

Freshness checkInputs(const std::string &folder, RecordedStep &step) {
    Freshness result = Freshness::Current;
    for (Input &input : step.inputs) {
        const std::string whole = file::join(folder, input.path);
        const std::string now = stampText(file::stamp(whole));
        if (!now.empty() && now == input.stamp)
            continue;
        if (now.empty() || input.hash.empty() || !isOurs(input.path) || contentHash(whole) != input.hash)
            return Freshness::Stale;
        input.stamp = now;
        result = Freshness::Touched;
    }
    return result;
}

} // namespace sdfgc::build
