#include "Driver/Compilation/DiagnosticJson.h"

#include "sdfgc/Diag/Explain.h"

namespace sdfgc::driver {
namespace {

using json::Value;

constexpr std::string_view kInput = "<input>"; // in place of the program's path

Value toJson(const diag::Location &l, const std::string &input) {
    Value v = Value::array({l.file == input ? std::string(kInput) : l.file, l.line, l.column, l.path, l.element});
    if (l.source.known())
        for (const Value &part : {Value(l.source.file.str()), Value(l.source.line), Value(l.source.column), Value(l.source.endLine),
                                  Value(l.source.endColumn)})
            v.push(part);
    return v;
}

int intOf(const Value &v) { return static_cast<int>(v.asInt().value_or(0)); }

diag::Location locationFrom(const Value &v, const std::string &input) {
    diag::Location l;
    const std::vector<Value> &parts = v.items();
    if (parts.size() < 5)
        return l;
    l.file = parts[0].text() == kInput ? input : parts[0].text();
    l.line = intOf(parts[1]);
    l.column = intOf(parts[2]);
    l.path = parts[3].text();
    l.element = parts[4].text();
    if (parts.size() == 10)
        l.source = {Name(parts[5].text()), intOf(parts[6]), intOf(parts[7]), intOf(parts[8]), intOf(parts[9])};
    return l;
}

} // namespace

Value toJson(const diag::Diagnostic &d, const std::string &input) {
    Value v = Value::object(), notes = Value::array();
    v.set("kind", diag::info(d.id).name);
    v.set("severity", static_cast<int>(d.severity));
    v.set("place", toJson(d.place, input));
    v.set("message", d.message);
    v.set("hint", d.hint);
    for (const auto &[place, text] : d.notes)
        notes.push(Value::array({toJson(place, input), text}));
    v.set("notes", std::move(notes));
    return v;
}

std::optional<diag::Diagnostic> diagnosticFrom(const Value &v, const std::string &input) {
    const Value *kind = v.get("kind"), *place = v.get("place"), *message = v.get("message"), *hint = v.get("hint"),
                *notes = v.get("notes"), *severity = v.get("severity");
    const std::optional<diag::Id> id = kind ? diag::findKind(kind->text()) : std::nullopt;
    if (!id || !place || !message || !hint || !notes || !severity)
        return std::nullopt;
    diag::Diagnostic d{
        *id, static_cast<diag::Severity>(intOf(*severity)), locationFrom(*place, input), message->text(), hint->text(), {}};
    for (const Value &note : notes->items())
        if (note.items().size() == 2)
            d.notes.emplace_back(locationFrom(note.items()[0], input), note.items()[1].text());
    return d;
}

} // namespace sdfgc::driver
