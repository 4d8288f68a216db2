// Diagnostics: what went wrong or was decided, where, and what to do about it.
//
// Every kind is one row of Diagnostics.def (Kinds.h). An Engine collects diagnostics; consumers print them (terminal,
// JSON, SARIF). Reporting never throws and never fails, whatever the element is.
#pragma once

#include "sdfgc/Diag/Message.h"
#include "sdfgc/Support/Json.h"
#include "sdfgc/Support/Name.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::diag {

std::vector<Info> allKinds();
/// Returns the readable message or hint of a kind, with dots in place of values.
std::string pattern(std::string_view format);

/// A position in the user's program, as recorded in the graph (DebugInfo). Lines count from 1, columns from 0, as in
/// Python's syntax trees; the end column is one past the text. Consumers print columns from 1.
struct SourceLoc {
    Name file;
    int line = 0, column = 0, endLine = 0, endColumn = 0;
    bool known() const { return !file.empty() && line > 0; }
};

/// A location; any part may be empty.
struct Location {
    std::string file;         // the .sdfg, YAML or generated file
    int line = 0, column = 0; // in `file`, 1-based; 0 = unknown
    std::string path;         // JSON path: nodes[3].edges[0]
    std::string element;      // `f: state main, map _Mult_, tasklet mul`
    SourceLoc source;
};

struct Diagnostic {
    Id id;
    Severity severity;
    Location place;
    std::string message; // formatted
    std::string hint;
    std::vector<std::pair<Location, std::string>> notes;
};

class Engine {
public:
    /// Records a diagnostic and returns it for adding notes (valid until the next report).
    Diagnostic &report(Message message, Location place);
    /// The same with the arguments of the kind: `report(Id::CompileFailed, {}, source, reason, command)`.
    template <class... Args>
    Diagnostic &report(MessageKind<std::type_identity_t<Args>...> kind, Location place, const Args &...args) {
        return report(Message(kind, args...), std::move(place));
    }
    /// Records a diagnostic of an earlier run again.
    Diagnostic &repeat(Diagnostic d);
    bool hasErrors() const { return errors_ != 0; }
    std::size_t errorCount() const { return errors_; }
    const std::vector<Diagnostic> &all() const { return all_; }
    /// Stable order: by file, position, path, element, code. Duplicates are merged.
    std::vector<Diagnostic> sorted() const;
    void clear();
    /// Returns `2 errors and 1 warning (12 not shown)`, or an empty string if there are neither.
    std::string summary() const;
    /// Beyond this many errors, and this many others, further ones are counted but not stored (hostile input).
    std::size_t limit = 1000;

private:
    std::vector<Diagnostic> all_;
    std::size_t errors_ = 0, others_ = 0, dropped_ = 0;
    Diagnostic notStored_{}; // result of report() beyond the limit
};

// ---- consumers
struct TextOptions {
    bool color = false;
    bool hints = true;
};
/// Prints `prog.sdfg:12:5: error: message [SD1003]`, then the element, the source line with a caret if the file exists,
/// notes, and the hint. Control characters are printed as \xNN, so a label of a graph cannot control the terminal.
void printText(std::ostream &os, const std::vector<Diagnostic> &ds, const TextOptions &o);
/// Prints one JSON object per line.
void printJson(std::ostream &os, const std::vector<Diagnostic> &ds);
/// Prints a SARIF 2.1.0 log.
void printSarif(std::ostream &os, const std::vector<Diagnostic> &ds);

/// Returns the nearest known word for "did you mean", or an empty string if none is within a third of the word's length
/// (at least one edit). An edit inserts, deletes, replaces or swaps characters; case is ignored. Among equally near
/// words, the first in text order wins.
std::string nearest(std::string_view word, const std::vector<std::string> &known);

} // namespace sdfgc::diag
