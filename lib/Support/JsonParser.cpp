// RapidJSON decodes the strings in place and reports the values in order; UTF-8, depth and duplicate keys are checked here.
//
// RapidJSON's own asserts guard its 32-bit lengths; the parser checks them instead, because input must never abort the tool.
#include "sdfgc/Support/JsonText.h"
#include "sdfgc/Support/Utf8.h"

#define RAPIDJSON_ASSERT(x) ((void)0)
#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#elif defined(__ARM_NEON)
#define RAPIDJSON_NEON
#endif
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace sdfgc::json {

class Parser {
public:
    Parser(Text &text, int depth) : text_(text), depth_(static_cast<std::size_t>(std::max(depth, 1))), stream_(text.text_.data()) {}

    std::optional<ParseError> run();

    // RapidJSON's handler interface.
    bool Null() { return token(RefKind::Null, 4); }
    bool Bool(bool b) { return b ? token(RefKind::True, 4) : token(RefKind::False, 5); }
    bool RawNumber(const char *text, rapidjson::SizeType size, bool) { return textual(RefKind::Number, text, size); }
    bool String(const char *text, rapidjson::SizeType size, bool) { return textual(RefKind::String, text, size); }
    bool Key(const char *text, rapidjson::SizeType size, bool) { return keyWaits_ = append(RefKind::String, offset(text), size); }
    bool StartObject() { return open(RefKind::Object); }
    bool StartArray() { return open(RefKind::Array); }
    bool EndObject(rapidjson::SizeType) {
        const uint32_t at = open_.back();
        close();
        return distinctKeys(Ref(text_, at));
    }
    bool EndArray(rapidjson::SizeType) {
        close();
        return true;
    }
    // Not called, since numbers are passed as text.
    bool Int(int) { return false; }
    bool Uint(unsigned) { return false; }
    bool Int64(int64_t) { return false; }
    bool Uint64(uint64_t) { return false; }
    bool Double(double) { return false; }

private:
    uint64_t offset(const char *p) const { return static_cast<uint64_t>(p - text_.text_.data()); }

    bool append(RefKind kind, uint64_t start, uint64_t size) {
        // RapidJSON terminates a decoded string with NUL: if that is missing, the length overflowed.
        const bool tooLong = kind == RefKind::String && text_.text_[start + size] != '\0';
        if (tooLong || text_.nodes_.size() >= UINT32_MAX - 1) {
            refuse(ParseError::Reason::TooLarge, start, tooLong ? "the length of a string" : "the number of values");
            return false;
        }
        const auto next = static_cast<uint32_t>(text_.nodes_.size() + 1);
        text_.nodes_.push_back({start, static_cast<uint64_t>(kind), static_cast<uint32_t>(size), next});
        return true;
    }
    /// Appends a value (not a key): one more child of the innermost open one.
    bool appendValue(RefKind kind, uint64_t start, uint64_t size) {
        if (!append(kind, start, size))
            return false;
        keyWaits_ = false;
        if (!open_.empty())
            ++text_.nodes_[open_.back()].size;
        return true;
    }
    bool token(RefKind kind, uint64_t length) { return appendValue(kind, stream_.Tell() - length, 0); }
    bool textual(RefKind kind, const char *text, uint64_t size) { return appendValue(kind, offset(text), size); }
    bool open(RefKind kind) {
        if (open_.size() >= depth_) {
            refuse(ParseError::Reason::TooDeep, stream_.Tell(), "");
            return false;
        }
        const auto at = static_cast<uint32_t>(text_.nodes_.size());
        if (!appendValue(kind, stream_.Tell(), 0)) // RapidJSON consumes the bracket after this call
            return false;
        open_.push_back(at);
        return true;
    }
    void close() {
        text_.nodes_[open_.back()].end = static_cast<uint32_t>(text_.nodes_.size());
        open_.pop_back();
    }

    bool distinctKeys(Ref object);
    bool duplicate(Ref key) {
        refuse(ParseError::Reason::DuplicateKey, text_.node(key.index()).start - 1, std::string(key.text()));
        return false;
    }
    void refuse(ParseError::Reason reason, uint64_t at, std::string what) { refusal_ = ParseError{reason, at, std::move(what)}; }
    void closeAll(uint64_t at);
    ParseError syntaxError(const rapidjson::ParseResult &result);

    Text &text_;
    std::size_t depth_;
    rapidjson::InsituStringStream stream_;
    std::vector<uint32_t> open_;
    std::optional<ParseError> refusal_;
    bool keyWaits_ = false; // a key without its value yet
};

namespace {

/// With fewer members than this, all pairs are compared (mostly by length only); otherwise a hash set is used.
constexpr std::size_t kFewMembers = 24;

} // namespace

bool Parser::distinctKeys(Ref object) {
    if (object.size() > kFewMembers) {
        std::unordered_set<std::string_view> seen;
        for (auto [key, value] : object.members())
            if (!seen.insert(key.text()).second)
                return duplicate(key);
        return true;
    }
    std::string_view seen[kFewMembers];
    std::size_t n = 0;
    for (auto [key, value] : object.members()) {
        const std::string_view text = key.text();
        if (std::find(seen, seen + n, text) != seen + n)
            return duplicate(key);
        seen[n++] = text;
    }
    return true;
}

/// Parsing stopped at a byte: closes all open values, so that the path to the innermost one is known.
void Parser::closeAll(uint64_t at) {
    if (keyWaits_) {
        const auto next = static_cast<uint32_t>(text_.nodes_.size() + 1);
        text_.nodes_.push_back({at, static_cast<uint64_t>(RefKind::Null), 0, next});
    }
    while (!open_.empty())
        close();
}

ParseError Parser::syntaxError(const rapidjson::ParseResult &result) {
    const uint64_t at = std::min<uint64_t>(result.Offset(), text_.text_.size());
    switch (result.Code()) {
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
    case rapidjson::kParseErrorStringEscapeInvalid:
    case rapidjson::kParseErrorStringMissQuotationMark:
    case rapidjson::kParseErrorStringInvalidEncoding: {
        // The part of this string that was decoded may contain line ends that are not in the file.
        const uint64_t from = text_.nodes_.empty() ? 0 : text_.nodes_.back().start + text_.nodes_.back().size + 1;
        text_.brokenStringAt_ = std::min<uint64_t>(text_.text_.find('"', std::min<uint64_t>(from, at)), at);
        break;
    }
    default:
        break;
    }
    std::string what = rapidjson::GetParseError_En(result.Code());
    while (!what.empty() && what.back() == '.')
        what.pop_back();
    if (!what.empty() && what[0] >= 'A' && what[0] <= 'Z')
        what[0] = static_cast<char>(what[0] - 'A' + 'a');
    if (at >= text_.text_.size())
        what += "; the file ends here";
    return {ParseError::Reason::Syntax, at, std::move(what)};
}

std::optional<ParseError> Parser::run() {
    if (auto bad = firstInvalidUtf8(text_.text_))
        return ParseError{ParseError::Reason::NotUtf8, *bad, describeByte(text_.text_[*bad])};
    for (std::size_t i = 0; i < startOfText(text_.text_); ++i)
        stream_.Take();
    constexpr unsigned flags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                               rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseNanAndInfFlag;
    rapidjson::Reader reader;
    const rapidjson::ParseResult result = reader.Parse<flags>(stream_, *this);
    std::optional<ParseError> error = std::move(refusal_);
    if (!error && result.IsError())
        error = syntaxError(result);
    else if (!error && stream_.Tell() < text_.text_.size()) // a NUL byte: RapidJSON takes it as the end
        error = ParseError{ParseError::Reason::Syntax, stream_.Tell(), "the text contains a NUL byte"};
    if (error)
        closeAll(error->byte);
    return error;
}

/// RapidJSON's vector loads read up to this many bytes past the end, within the same aligned block; these bytes should be ours.
constexpr std::size_t kPadding = 16;

Text::Text(std::string text) : text_(std::move(text)) { text_.reserve(text_.size() + kPadding); }

std::optional<ParseError> Text::parse(int depth) { return Parser(*this, depth).run(); }

} // namespace sdfgc::json
