// Machine-readable output: JSON lines and SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0).
#include "SeverityWord.h"

#include "sdfgc/Diag/MachineForms.h"

#include <ostream>

namespace sdfgc::diag {
namespace {

using json::Value;

void setText(Value &object, const char *key, const std::string &text) {
    if (!text.empty())
        object.set(key, text);
}

void setNumber(Value &object, const char *key, int number) {
    if (number > 0)
        object.set(key, number);
}

void addPlace(Value &object, const Location &p) {
    setText(object, "file", p.file);
    setNumber(object, "line", p.line);
    setNumber(object, "column", p.column);
    setText(object, "path", p.path);
    setText(object, "element", p.element);
    if (p.source.known())
        object.set("source", sourceJson(p.source));
}

Value toJson(const Diagnostic &d) {
    Value v = Value::object();
    v.set("severity", std::string(severityWord(d.severity)));
    v.set("code", info(d.id).code);
    v.set("name", info(d.id).name);
    v.set("message", d.message);
    setText(v, "hint", d.hint);
    addPlace(v, d.place);
    if (!d.notes.empty()) {
        Value notes = Value::array();
        for (const auto &[place, message] : d.notes) {
            Value note = Value::object();
            note.set("message", message);
            addPlace(note, place);
            notes.push(std::move(note));
        }
        v.set("notes", std::move(notes));
    }
    return v;
}

// ---- SARIF

/// A path as a URI reference (RFC 3986): everything except unreserved characters and `/` is percent-encoded.
std::string uri(const std::string &path) {
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string out = path.starts_with('/') ? "file://" : "";
    for (const char c : path) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                           std::string_view("-._~/").find(c) != std::string_view::npos;
        const auto byte = static_cast<unsigned char>(c);
        if (plain)
            out += c;
        else
            out.append("%").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    }
    return out;
}

Value physical(const std::string &file, int line, int column, int endLine, int endColumn) {
    Value v = single("artifactLocation", single("uri", uri(file)));
    if (line > 0) {
        Value region = single("startLine", line);
        setNumber(region, "startColumn", column);
        if (endLine >= line)
            region.set("endLine", endLine);
        if (endColumn > 0 && (endLine > line || endColumn >= column))
            region.set("endColumn", endColumn);
        v.set("region", std::move(region));
    }
    return v;
}

Value location(const Location &p) {
    Value v = Value::object();
    if (!p.file.empty())
        v.set("physicalLocation", physical(p.file, p.line, p.column, 0, 0));
    Value logical = Value::array();
    if (!p.element.empty())
        logical.push(single("fullyQualifiedName", p.element));
    if (!p.path.empty())
        logical.push(single("fullyQualifiedName", p.path));
    if (!logical.items().empty())
        v.set("logicalLocations", std::move(logical));
    return v;
}

Value sourceLocation(const SourceLoc &s) { return single("physicalLocation", sarifPhysical(s)); }

void completeResult(Value &v, const Diagnostic &d) {
    v.set("level", d.severity == Severity::Error ? "error" : d.severity == Severity::Warning ? "warning" : "note");
    v.set("message", single("text", d.hint.empty() ? d.message : d.message + "\n" + d.hint));
    if (Value where = location(d.place); !where.members().empty())
        v.set("locations", Value::array({std::move(where)}));
    Value related = Value::array();
    if (d.place.source.known())
        related.push(sourceLocation(d.place.source));
    for (const auto &[place, message] : d.notes) {
        Value note = location(place);
        note.set("message", single("text", message));
        related.push(std::move(note));
        if (place.source.known())
            related.push(sourceLocation(place.source));
    }
    if (!related.items().empty())
        v.set("relatedLocations", std::move(related));
}

Value rule(const Info &kind) {
    Value v = Value::object();
    v.set("id", kind.code);
    v.set("name", kind.name);
    v.set("shortDescription", single("text", pattern(kind.message)));
    if (!kind.hint.empty())
        v.set("help", single("text", pattern(kind.hint)));
    return v;
}

} // namespace

Value single(const char *key, Value v) {
    Value object = Value::object();
    object.set(key, std::move(v));
    return object;
}

Value sourceJson(const SourceLoc &s) {
    Value source = Value::object();
    source.set("file", s.file.str());
    source.set("line", s.line);
    source.set("column", s.column + 1);
    setNumber(source, "endLine", s.endLine);
    if (s.endColumn > 0)
        source.set("endColumn", s.endColumn + 1);
    return source;
}

Value sarifPhysical(const SourceLoc &s) {
    const int endColumn = s.endColumn > 0 ? s.endColumn + 1 : 0;
    return physical(s.file.str(), s.line, s.column + 1, s.endLine, endColumn);
}

Value SarifLog::result(const std::string &ruleId, const std::function<Value()> &rule) {
    const auto [at, isNew] = indexOf_.emplace(ruleId, static_cast<int>(indexOf_.size()));
    if (isNew)
        rules_.push(rule());
    Value v = single("ruleId", ruleId);
    v.set("ruleIndex", at->second);
    return v;
}

void SarifLog::add(const std::vector<Diagnostic> &ds) {
    for (const Diagnostic &d : ds) {
        Value v = result(std::string(info(d.id).code), [&d] { return rule(info(d.id)); });
        completeResult(v, d);
        add(std::move(v));
    }
}

std::string SarifLog::text() && {
    Value driver = Value::object();
    driver.set("name", "sdfgc");
    driver.set("version", SDFGC_VERSION);
    driver.set("rules", std::move(rules_));
    Value run = single("tool", single("driver", std::move(driver)));
    run.set("results", std::move(results_));
    Value log = Value::object();
    log.set("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    log.set("version", "2.1.0");
    log.set("runs", Value::array({std::move(run)}));
    return log.dump(1) + "\n";
}

void printJson(std::ostream &os, const std::vector<Diagnostic> &ds) {
    for (const Diagnostic &d : ds)
        os << toJson(d).dump() << '\n';
}

void printSarif(std::ostream &os, const std::vector<Diagnostic> &ds) {
    SarifLog log;
    log.add(ds);
    os << std::move(log).text();
}

} // namespace sdfgc::diag
