// Reporting and plain values.
#include "ValueReader.h"
#include "sdfgc/IR/Identifier.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace sdfgc::serialize {

using diag::Id;

namespace {

/// Maximum number of reports, for files that are wrong everywhere: computing a location walks the document.
constexpr std::size_t kMaxReports = 500;

std::string quotedStart(std::string_view text) {
    constexpr std::size_t kShown = 40;
    return std::string(text.substr(0, kShown)) + (text.size() > kShown ? "..." : "");
}

std::string found(Json v) {
    if (v.isString())
        return "the string `" + quotedStart(v.text()) + "`";
    if (v.isNumber())
        return "the number " + quotedStart(v.text());
    return std::string(describe(v.kind()));
}

} // namespace

// ---- reporting
void ValueReader::report(diag::Message message, Json at) {
    errors_ += diag::info(message.id).severity == diag::Severity::Error;
    if (reports_++ < kMaxReports)
        diags_.report(std::move(message), doc_.place(at));
}

void ValueReader::reportOnce(diag::Message message, Json at) {
    if (reportedOnce_.insert(std::string(diag::info(message.id).code) + message.text + "\n" + message.hint).second)
        report(std::move(message), at);
}

void ValueReader::wrongKind(std::string_view key, Json v, std::string_view expected) {
    report(Id::WrongJsonKind, v, key, expected, found(v));
}

bool ValueReader::expect(std::string_view key, Json v, JsonKind kind) {
    if (v.kind() == kind)
        return true;
    wrongKind(key, v, describe(kind));
    return false;
}

// ---- plain values
void ValueReader::read(std::string_view key, Json v, bool &out) {
    if (v.isBool())
        out = v.kind() == JsonKind::True;
    else
        wrongKind(key, v, "true or false");
}

void ValueReader::read(std::string_view key, Json v, std::optional<int> &out) {
    if (v.isNull())
        return;
    int64_t number = 0;
    read(key, v, number);
    out = static_cast<int>(std::clamp<int64_t>(number, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

void ValueReader::read(std::string_view key, Json v, std::optional<bool> &out) {
    out.reset();
    if (!v.isNull())
        read(key, v, out.emplace());
}

void ValueReader::read(std::string_view key, Json v, int64_t &out) {
    const std::string_view t = v.text(); // old versions write some numbers as strings
    int64_t n = 0;
    auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), n);
    if (!t.empty() && error == std::errc() && end == t.data() + t.size())
        out = n;
    else if (v.isNumber() || v.isString())
        report(Id::BadNumber, v, key, found(v));
    else
        wrongKind(key, v, "an integer");
}

void ValueReader::read(std::string_view key, Json v, std::string &out) {
    if (v.isString() || v.isNumber()) // a launch bound or a user's property may be a number
        out = v.text();
    else
        wrongKind(key, v, "a string");
}

void ValueReader::read(std::string_view key, Json v, Name &out) {
    if (expect(key, v, JsonKind::String))
        out = Name(v.text());
}

void ValueReader::read(std::string_view key, Json v, std::vector<Name> &out) {
    if (!expect(key, v, JsonKind::Array))
        return;
    out.clear();
    for (Json item : v.items())
        read(key, item, out.emplace_back());
}

void ValueReader::read(std::string_view key, Json v, std::vector<std::string> &out) {
    if (!expect(key, v, JsonKind::Array))
        return;
    out.clear();
    for (Json item : v.items())
        read(key, item, out.emplace_back());
}

std::optional<Name> ValueReader::readIdentifier(std::string_view what, Json v, bool dotted) {
    if (!expect(what, v, JsonKind::String))
        return std::nullopt;
    if (!ir::isIdentifier(v.text(), dotted)) {
        report(Id::BadName, v, what, quotedStart(v.text()));
        return std::nullopt;
    }
    return Name(v.text());
}

std::optional<uint32_t> ValueReader::readPosition(std::string_view key, Json v, std::size_t count, std::string_view things) {
    int64_t n = -1;
    const std::size_t before = errors_;
    read(key, v, n);
    if (errors_ != before)
        return std::nullopt;
    if (n >= 0 && static_cast<uint64_t>(n) < count)
        return static_cast<uint32_t>(n);
    report(Id::BadReference, v, key, n, count, things);
    return std::nullopt;
}

void ValueReader::read(std::string_view key, Json v, ir::DebugInfo &out) {
    if (v.isNull() || !expect(key, v, JsonKind::Object))
        return;
    auto number = [&](std::string_view part, int32_t otherwise) {
        Json n = v.find(part);
        int64_t value = otherwise;
        if (n && !n.isNull())
            read(part, n, value);
        return static_cast<int32_t>(std::clamp<int64_t>(value, INT32_MIN, INT32_MAX));
    };
    out.startLine = number("start_line", 0);
    out.endLine = number("end_line", out.startLine);
    out.startColumn = number("start_column", 0);
    out.endColumn = number("end_column", 0);
    if (Json index = v.find("file_index"); index && !index.isNull()) {
        if (auto i = readPosition("file_index", index, sourceFiles.size(), "source files"))
            out.file = sourceFiles[*i];
    } else if (Json file = v.find("filename"); file && !file.isNull()) {
        read("filename", file, out.file);
    }
}

// ---- code
void ValueReader::read(std::string_view key, Json v, ir::Code &out) {
    if (v.isString()) { // old: the context determines the language
        out = {std::string(v.text()), out.language()};
        return;
    }
    if (v.isNull()) {
        out = {"", out.language()};
        return;
    }
    if (!expect(key, v, JsonKind::Object))
        return;
    out = {"", ir::Language::Python};
    if (Json language = v.find("language"); language && !language.isNull()) {
        if (!expect("language", language, JsonKind::String) || language.text() == "NoCode")
            return;
        auto parsed = ir::parseEnum<ir::Language>(language.text());
        if (!parsed)
            return report(Id::UnknownEnumerator, language, "language", language.text(), "");
        out = {"", *parsed};
    }
    if (Json text = v.find("string_data"); !text)
        report(Id::MissingKey, v, "`" + std::string(key) + "`", "string_data");
    else if (!text.isNull() && expect("string_data", text, JsonKind::String))
        out = {std::string(text.text()), out.language()};
}

void ValueReader::read(std::string_view key, Json v, std::optional<ir::Code> &out) {
    out.reset();
    Json language = v.find("language");
    if (!v.isNull() && !(language && language.text() == "NoCode"))
        read(key, v, out.emplace());
}

void ValueReader::read(std::string_view key, Json v, std::vector<ir::TargetCode> &out) {
    out.clear();
    auto add = [&](Name target, Json code) {
        ir::TargetCode entry{target, {"", ir::Language::CPP}};
        read(key, code, entry.code);
        if (!entry.code.empty()) // DaCe always writes an empty `frame`
            out.push_back(std::move(entry));
    };
    if (v.isString() || v.find("string_data")) // up to 0.9: one text for the main file
        return add("frame", v);
    if (v.isNull() || !expect(key, v, JsonKind::Object))
        return;
    for (auto [target, code] : v.members())
        add(target.text() == "None" ? Name("null") : Name(target.text()), code);
}

void ValueReader::read(std::string_view key, Json v, std::vector<std::pair<Name, std::string>> &out) {
    if (!expect(key, v, JsonKind::Object))
        return;
    out.clear();
    for (auto [name, text] : v.members()) {
        auto id = readIdentifier(key, name);
        if (!id)
            continue;
        out.emplace_back(*id, "");
        if (text.isBool())
            out.back().second = text.kind() == JsonKind::True ? "True" : "False";
        else
            read(name.text(), text, out.back().second);
    }
}

// ---- enumerations
namespace {

#define SDFGC_TEXT(N) #N,
template <class E> std::vector<std::string> enumerators();
template <> std::vector<std::string> enumerators<ir::Storage>() { return {SDFGC_STORAGES(SDFGC_TEXT)}; }
template <> std::vector<std::string> enumerators<ir::Schedule>() { return {SDFGC_SCHEDULES(SDFGC_TEXT)}; }
template <> std::vector<std::string> enumerators<ir::Lifetime>() { return {SDFGC_LIFETIMES(SDFGC_TEXT)}; }
template <> std::vector<std::string> enumerators<ir::OmpSchedule>() { return {SDFGC_OMP_SCHEDULES(SDFGC_TEXT)}; }
#undef SDFGC_TEXT

/// The name in an enumeration's value: plain, or `{type: "ScheduleType.Name"}` for an extensible one without parameters.
std::optional<std::string_view> enumText(Json v) {
    if (v.isString())
        return v.text();
    Json type = v.find("type");
    if (!type || !type.isString())
        return std::nullopt;
    return type.text().substr(type.text().rfind('.') + 1);
}

constexpr std::string_view kEnumKind = "the name of a value";

} // namespace

template <class E> void ValueReader::readEnum(std::string_view key, Json v, E &out) {
    auto text = enumText(v);
    if (!text)
        return wrongKind(key, v, kEnumKind);
    if (auto parsed = ir::parseEnum<E>(*text)) {
        out = *parsed;
        return;
    }
    std::string near = diag::nearest(*text, enumerators<E>());
    report(Id::UnknownEnumerator, v, key, quotedStart(*text), near.empty() ? "" : "did you mean `" + near + "`?");
}

void ValueReader::read(std::string_view key, Json v, ir::Storage &out) { readEnum(key, v, out); }
void ValueReader::read(std::string_view key, Json v, ir::Schedule &out) { readEnum(key, v, out); }
void ValueReader::read(std::string_view key, Json v, ir::Lifetime &out) { readEnum(key, v, out); }
void ValueReader::read(std::string_view key, Json v, ir::OmpSchedule &out) { readEnum(key, v, out); }

void ValueReader::read(std::string_view key, Json v, ir::Instrumentation &out) {
    auto text = enumText(v);
    if (!text)
        return wrongKind(key, v, kEnumKind);
    if (auto parsed = ir::parseEnum<ir::Instrumentation>(*text))
        out = *parsed;
    else // users register their own; they do not affect the program's results
        reportOnce(Id::UnknownInstrumentation, v, quotedStart(*text));
}

void ValueReader::read(std::string_view key, Json v, ir::DataInstrumentation &out) {
    auto text = enumText(v);
    if (!text)
        return wrongKind(key, v, kEnumKind);
    if (auto parsed = ir::parseEnum<ir::DataInstrumentation>(*text))
        out = *parsed;
    else
        reportOnce(Id::UnknownInstrumentation, v, quotedStart(*text));
}

template <class E> void ValueReader::readWord(std::string_view key, Json v, E &out, std::string_view what) {
    const auto text = enumText(v);
    if (auto parsed = text ? ir::parseEnum<E>(*text) : std::nullopt)
        out = *parsed;
    else
        wrongKind(key, v, what);
}

void ValueReader::read(std::string_view key, Json v, ir::CopyMethod &out) {
    auto text = enumText(v);
    auto parsed = text ? ir::parseEnum<ir::CopyMethod>(*text) : std::nullopt;
    if (parsed && *parsed != ir::CopyMethod::Kernel && *parsed != ir::CopyMethod::Staged)
        out = *parsed;
    else
        wrongKind(key, v, "a method of copying");
}

void ValueReader::read(std::string_view key, Json v, ir::GraphMark &out) { readWord(key, v, out, "`off`, `auto` or `require`"); }

void ValueReader::read(std::string_view key, Json v, ir::MemoryKind &out) { readWord(key, v, out, "a kind of memory"); }

void ValueReader::read(std::string_view key, Json v, ir::WcrMode &out) {
    int64_t n = 0;
    read(key, v, n);
    if (n >= 0 && n <= static_cast<int64_t>(ir::WcrMode::Reduction))
        out = static_cast<ir::WcrMode>(n);
    else
        report(Id::BadNumber, v, key, found(v));
}

void ValueReader::read(std::string_view key, Json v, ir::Level &out) {
    if (auto level = ir::parseLevel(v.text()))
        out = *level;
    else
        report(Id::UnknownEnumerator, v, key, quotedStart(v.text()), "");
}

} // namespace sdfgc::serialize
