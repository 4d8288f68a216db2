// Values of a parsed text, and the lines of its bytes; the parser is JsonParser.cpp.
#include "sdfgc/Support/JsonText.h"

#include <algorithm>
#include <cstring>

namespace sdfgc::json {

std::string_view describe(RefKind k) {
    switch (k) {
    case RefKind::Null:
        return "null";
    case RefKind::False:
        return "false";
    case RefKind::True:
        return "true";
    case RefKind::Number:
        return "a number";
    case RefKind::String:
        return "a string";
    case RefKind::Array:
        return "an array";
    case RefKind::Object:
        return "an object";
    }
    return "a value";
}

Ref Ref::find(std::string_view key) const {
    for (auto [k, v] : members())
        if (k.text() == key)
            return v;
    return Ref();
}

Value Ref::value() const {
    switch (kind()) {
    case RefKind::Null:
        return {};
    case RefKind::False:
        return false;
    case RefKind::True:
        return true;
    case RefKind::Number:
        return Value::number(std::string(text()));
    case RefKind::String:
        return text();
    case RefKind::Array: {
        std::vector<Value> list;
        list.reserve(size());
        for (Ref item : items())
            list.push_back(item.value());
        return Value::array(std::move(list));
    }
    case RefKind::Object: {
        std::vector<Value::Member> list;
        list.reserve(size());
        for (auto [key, member] : members())
            list.emplace_back(key.text(), member.value());
        return Value::object(std::move(list));
    }
    }
    return {};
}

void Text::indexLines() const {
    lineStarts_.assign(1, 0);
    auto lines = [&](uint64_t from, uint64_t to) {
        const char *const end = text_.data() + to;
        const char *at = text_.data() + from;
        while (at < end && (at = static_cast<const char *>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)))))
            lineStarts_.push_back(static_cast<uint64_t>(++at - text_.data()));
    };
    // Line ends inside decoded strings were escapes in the file.
    uint64_t cursor = 0;
    for (const Node &n : nodes_) {
        if (static_cast<RefKind>(n.kind) != RefKind::String)
            continue;
        lines(cursor, n.start);
        cursor = n.start + n.size;
    }
    lines(cursor, std::min<uint64_t>(brokenStringAt_, text_.size()));
}

Position Text::position(uint64_t byte) const {
    if (lineStarts_.empty())
        indexLines();
    const auto line = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), byte);
    return {static_cast<int>(line - lineStarts_.begin()), static_cast<int>(byte - line[-1]) + 1};
}

std::optional<Value> parse(std::string_view text, std::string *error, std::size_t *offset, int maxDepth) {
    Text parsed{std::string(text)};
    const std::optional<ParseError> failed = parsed.parse(maxDepth);
    if (!failed)
        return parsed.root().value();
    if (offset)
        *offset = failed->byte;
    if (!error)
        return std::nullopt;
    switch (failed->reason) {
    case ParseError::Reason::NotUtf8:
        *error = "bytes that are not UTF-8";
        break;
    case ParseError::Reason::Syntax:
        *error = failed->what;
        break;
    case ParseError::Reason::TooDeep:
        *error = "nested too deeply";
        break;
    case ParseError::Reason::TooLarge:
        *error = failed->what + " exceeds the range of 32 bits";
        break;
    case ParseError::Reason::DuplicateKey:
        *error = "the key `" + failed->what + "` appears twice in one object";
        break;
    }
    return std::nullopt;
}

} // namespace sdfgc::json
