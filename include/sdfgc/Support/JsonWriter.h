// Writes JSON text incrementally: the only JSON writer. The caller emits values and brackets; the writer adds commas,
// line ends and indentation.
//
// The relaxed form is that of values in the text form of graphs (docs/user/graph-text.md): one line, blanks after
// commas and colons, and unquoted strings if they are words.
#pragma once

#include "sdfgc/Support/Json.h"

#include <charconv>
#include <string>
#include <string_view>

namespace sdfgc::json {

class Writer {
public:
    /// A negative `indent` writes everything on one line.
    explicit Writer(std::string &out, int indent = -1) : out_(out), indent_(indent) {}
    struct Relaxed {
        bool (*isWord)(std::string_view); // can the string be written without quotes?
    };
    Writer(std::string &out, Relaxed r) : out_(out), indent_(-1), relaxed_(true), isWord_(r.isWord) {}

    void beginObject() { open('{'); }
    void endObject() { close('}'); }
    void beginArray() { open('['); }
    void endArray() { close(']'); }
    /// Writes the key of the next value; the key needs no escapes.
    void key(std::string_view k) {
        if (relaxed_)
            return anyKey(k);
        separate();
        out_ += '"';
        out_ += k;
        out_ += indent_ < 0 ? "\":" : "\": ";
        afterKey_ = true;
    }
    /// Writes a key that comes from the graph.
    void anyKey(std::string_view k) {
        separate();
        quote(k);
        out_ += indent_ < 0 && !relaxed_ ? ":" : ": ";
        afterKey_ = true;
    }
    void string(std::string_view s) {
        separate();
        quote(s);
    }
    /// Writes a string that needs no escapes.
    void plain(std::string_view s) {
        if (relaxed_)
            return string(s);
        separate();
        out_ += '"';
        out_ += s;
        out_ += '"';
    }
    void integer(int64_t v) {
        separate();
        char digits[24];
        out_.append(digits, std::to_chars(digits, digits + sizeof digits, v).ptr);
    }
    /// Writes a position as in edges and scopes: as a string.
    void position(uint32_t v) {
        char digits[12];
        plain({digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, v).ptr - digits)});
    }
    void boolean(bool v) { raw(v ? "true" : "false"); }
    void null() { raw("null"); }
    /// Writes JSON text unchanged.
    void raw(std::string_view text) {
        separate();
        out_ += text;
    }
    /// Writes a value with all its parts.
    void value(const Value &v);
    /// Does the text of a value not depend on where it is?
    bool isCompact() const { return indent_ < 0 && !relaxed_; }

private:
    void quote(std::string_view s) {
        if (isWord_ && isWord_(s))
            out_ += s;
        else
            appendQuoted(out_, s);
    }
    void open(char bracket) {
        separate();
        out_ += bracket;
        ++depth_;
        empty_ = true;
    }
    void close(char bracket) {
        --depth_;
        if (!empty_)
            newLine();
        out_ += bracket;
        empty_ = false;
    }
    void separate() {
        if (afterKey_) {
            afterKey_ = false;
            return;
        }
        if (depth_ == 0)
            return;
        if (!empty_)
            out_ += relaxed_ ? ", " : ",";
        empty_ = false;
        newLine();
    }
    void newLine() {
        if (indent_ < 0)
            return;
        out_ += '\n';
        out_.append(static_cast<std::size_t>(depth_) * static_cast<std::size_t>(indent_), ' ');
    }

    std::string &out_;
    int indent_;
    bool relaxed_ = false;
    bool (*isWord_)(std::string_view) = nullptr;
    int depth_ = 0;
    bool empty_ = true;     // the innermost bracket is still empty
    bool afterKey_ = false; // the next value belongs to the key just written
};

} // namespace sdfgc::json
