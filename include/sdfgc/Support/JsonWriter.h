// Writes JSON text piece by piece: the one writer of JSON. The caller says values and brackets; commas, line ends and indentation
// are added here.
//
// The relaxed form is that of values in the text form of graphs (docs/user/graph-text.md): one line, blanks after commas and colons, and
// strings that are words without quotes.
#pragma once

#include "sdfgc/Support/Json.h"

#include <charconv>
#include <string>
#include <string_view>

namespace sdfgc::json {

class Writer {
public:
    /// `indent` below 0: everything on one line.
    explicit Writer(std::string &out, int indent = -1) : out_(out), indent_(indent) {}
    struct Relaxed {
        bool (*isWord)(std::string_view); // does the string stand for itself, without quotes?
    };
    Writer(std::string &out, Relaxed r) : out_(out), indent_(-1), relaxed_(true), isWord_(r.isWord) {}

    void beginObject() { open('{'); }
    void endObject() { close('}'); }
    void beginArray() { open('['); }
    void endArray() { close(']'); }
    /// The key of the next value; keys need no escapes.
    void key(std::string_view k) {
        if (relaxed_)
            return anyKey(k);
        separate();
        out_ += '"';
        out_ += k;
        out_ += indent_ < 0 ? "\":" : "\": ";
        afterKey_ = true;
    }
    /// A key that comes from the graph.
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
    /// A string that needs no escapes.
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
    /// A position as edges and scopes have it: a string.
    void position(uint32_t v) {
        char digits[12];
        plain({digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, v).ptr - digits)});
    }
    void boolean(bool v) { raw(v ? "true" : "false"); }
    void null() { raw("null"); }
    /// JSON text as it is.
    void raw(std::string_view text) {
        separate();
        out_ += text;
    }
    /// A value with all its parts.
    void value(const Value &v);

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
    bool empty_ = true;     // nothing stands in the innermost bracket yet
    bool afterKey_ = false; // the next value belongs to the key just written
};

} // namespace sdfgc::json
