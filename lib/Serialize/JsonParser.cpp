// Text to Document: RapidJSON decodes the strings in place and tells the values in order; UTF-8, depth and duplicate keys are
// checked here.
//
// RapidJSON's own asserts guard its 32-bit lengths; DocumentBuilder checks them instead, because input must never abort the tool.
#include "Document.h"

#define RAPIDJSON_ASSERT(x) ((void)0)
#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#elif defined(__ARM_NEON)
#define RAPIDJSON_NEON
#endif
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_set>

namespace sdfgc::serialize {

class DocumentBuilder {
public:
    DocumentBuilder(Document &doc, const Limits &limits) : doc_(doc), limits_(limits), stream_(doc.text_.data()) {}

    bool run(diag::Engine &d);

    // RapidJSON's handler interface.
    bool Null() { return token(JsonKind::Null, 4); }
    bool Bool(bool b) { return b ? token(JsonKind::True, 4) : token(JsonKind::False, 5); }
    bool RawNumber(const char *text, rapidjson::SizeType size, bool) { return textual(JsonKind::Number, text, size); }
    bool String(const char *text, rapidjson::SizeType size, bool) { return textual(JsonKind::String, text, size); }
    bool Key(const char *text, rapidjson::SizeType size, bool) { return keyWaits_ = append(JsonKind::String, offset(text), size); }
    bool StartObject() { return open(JsonKind::Object); }
    bool StartArray() { return open(JsonKind::Array); }
    bool EndObject(rapidjson::SizeType) {
        const uint32_t at = open_.back();
        close();
        return distinctKeys(Json(doc_, at));
    }
    bool EndArray(rapidjson::SizeType) {
        close();
        return true;
    }
    // Not called: numbers come as text.
    bool Int(int) { return false; }
    bool Uint(unsigned) { return false; }
    bool Int64(int64_t) { return false; }
    bool Uint64(uint64_t) { return false; }
    bool Double(double) { return false; }

private:
    uint64_t offset(const char *p) const { return static_cast<uint64_t>(p - doc_.text_.data()); }

    bool append(JsonKind kind, uint64_t start, uint64_t size) {
        // RapidJSON ends a decoded string with a NUL: where that is missing, the length did not fit.
        const bool tooLong = kind == JsonKind::String && doc_.text_[start + size] != '\0';
        if (tooLong || doc_.nodes_.size() >= UINT32_MAX - 1) {
            refuse({diag::Id::JsonTooLarge, tooLong ? "the length of a string" : "the number of values"}, start);
            return false;
        }
        const auto next = static_cast<uint32_t>(doc_.nodes_.size() + 1);
        doc_.nodes_.push_back({start, static_cast<uint64_t>(kind), static_cast<uint32_t>(size), next});
        return true;
    }
    /// Appends a value (not a key): one more child of the innermost open one.
    bool appendValue(JsonKind kind, uint64_t start, uint64_t size) {
        if (!append(kind, start, size))
            return false;
        keyWaits_ = false;
        if (!open_.empty())
            ++doc_.nodes_[open_.back()].size;
        return true;
    }
    bool token(JsonKind kind, uint64_t length) { return appendValue(kind, stream_.Tell() - length, 0); }
    bool textual(JsonKind kind, const char *text, uint64_t size) { return appendValue(kind, offset(text), size); }
    bool open(JsonKind kind) {
        if (open_.size() >= static_cast<std::size_t>(std::max(limits_.depth, 1))) {
            refuse({diag::Id::JsonTooDeep, limits_.depth}, stream_.Tell());
            return false;
        }
        const auto at = static_cast<uint32_t>(doc_.nodes_.size());
        if (!appendValue(kind, stream_.Tell(), 0)) // RapidJSON takes the bracket after this call
            return false;
        open_.push_back(at);
        return true;
    }
    void close() {
        doc_.nodes_[open_.back()].end = static_cast<uint32_t>(doc_.nodes_.size());
        open_.pop_back();
    }

    bool distinctKeys(Json object);
    bool duplicate(Json key) {
        refuse({diag::Id::DuplicateKey, key.text()}, doc_.node(key.index()).start - 1);
        return false;
    }
    void refuse(diag::Message message, uint64_t at) { refusal_ = Refusal{std::move(message), at}; }
    void reportAt(diag::Engine &d, diag::Message message, uint64_t at);
    void reportSyntax(diag::Engine &d, const rapidjson::ParseResult &result);

    struct Refusal {
        diag::Message message;
        uint64_t at;
    };
    Document &doc_;
    const Limits &limits_;
    rapidjson::InsituStringStream stream_;
    std::vector<uint32_t> open_;
    std::optional<Refusal> refusal_;
    bool keyWaits_ = false; // a key has come without its value
};

namespace {

/// Below this many members every pair is compared (mostly by length only), above a hash set is used.
constexpr std::size_t kFewMembers = 24;

/// Byte of the first sequence that is no UTF-8, or nothing. Fast over ASCII.
std::optional<std::size_t> firstInvalidUtf8(std::string_view s) {
    static constexpr uint64_t kHighBits = 0x8080808080808080u;
    auto continuation = [&](std::size_t i) { return i < s.size() && (static_cast<unsigned char>(s[i]) & 0xC0) == 0x80; };
    for (std::size_t i = 0; i < s.size();) {
        uint64_t word;
        if (i + 8 <= s.size() && (std::memcpy(&word, s.data() + i, 8), (word & kHighBits) == 0)) {
            i += 8;
            continue;
        }
        const auto c = static_cast<unsigned char>(s[i]);
        if (c < 0x80) {
            ++i;
            continue;
        }
        const std::size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
        if (c < 0xC2 || c > 0xF4)
            return i;
        for (std::size_t k = 1; k < length; ++k)
            if (!continuation(i + k))
                return i;
        const auto second = static_cast<unsigned char>(s[i + 1]);
        const bool overlong = (c == 0xE0 && second < 0xA0) || (c == 0xF0 && second < 0x90);
        const bool surrogate = c == 0xED && second >= 0xA0;
        const bool beyond = c == 0xF4 && second >= 0x90;
        if (overlong || surrogate || beyond)
            return i;
        i += length;
    }
    return std::nullopt;
}

std::string describeByte(char c) {
    static constexpr char digits[] = "0123456789abcdef";
    const auto b = static_cast<unsigned char>(c);
    return {'0', 'x', digits[b >> 4], digits[b & 15]};
}

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

} // namespace

bool DocumentBuilder::distinctKeys(Json object) {
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

/// Reports a place where parsing stopped; the path is that of the innermost value that had begun.
void DocumentBuilder::reportAt(diag::Engine &d, diag::Message message, uint64_t at) {
    if (keyWaits_) {
        const auto next = static_cast<uint32_t>(doc_.nodes_.size() + 1);
        doc_.nodes_.push_back({at, static_cast<uint64_t>(JsonKind::Null), 0, next});
    }
    while (!open_.empty())
        close();
    diag::Place place = doc_.placeOfByte(at);
    if (!doc_.nodes_.empty()) {
        const diag::Place last = doc_.place(Json(doc_, static_cast<uint32_t>(doc_.nodes_.size() - 1)));
        place.path = last.path;
        place.element = last.element;
    }
    d.report(std::move(message), std::move(place));
}

void DocumentBuilder::reportSyntax(diag::Engine &d, const rapidjson::ParseResult &result) {
    const uint64_t at = std::min<uint64_t>(result.Offset(), doc_.text_.size());
    switch (result.Code()) {
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
    case rapidjson::kParseErrorStringEscapeInvalid:
    case rapidjson::kParseErrorStringMissQuotationMark:
    case rapidjson::kParseErrorStringInvalidEncoding: {
        // What is decoded of this string may hold line ends that are not in the file.
        const uint64_t from = doc_.nodes_.empty() ? 0 : doc_.nodes_.back().start + doc_.nodes_.back().size + 1;
        doc_.brokenStringAt_ = std::min<uint64_t>(doc_.text_.find('"', std::min<uint64_t>(from, at)), at);
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
    const bool cut = at >= doc_.text_.size();
    reportAt(d, {diag::Id::JsonSyntax, what, cut ? "; the file ends here" : ""}, at);
}

bool DocumentBuilder::run(diag::Engine &d) {
    if (auto bad = firstInvalidUtf8(doc_.text_)) {
        d.report(diag::Id::InvalidUtf8, doc_.placeOfByte(*bad), describeByte(doc_.text_[*bad]));
        return false;
    }
    if (doc_.text_.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0)
        for (std::size_t i = 0; i < kByteOrderMark.size(); ++i)
            stream_.Take();
    constexpr unsigned flags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                               rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseNanAndInfFlag;
    rapidjson::Reader reader;
    const rapidjson::ParseResult result = reader.Parse<flags>(stream_, *this);
    if (refusal_) {
        reportAt(d, refusal_->message, refusal_->at);
        return false;
    }
    if (result.IsError()) {
        reportSyntax(d, result);
        return false;
    }
    if (stream_.Tell() < doc_.text_.size()) { // a NUL byte: RapidJSON takes it for the end
        reportAt(d, {diag::Id::JsonSyntax, "a NUL byte stands in the text", ""}, stream_.Tell());
        return false;
    }
    return true;
}

bool Document::parse(diag::Engine &d, const Limits &l) { return DocumentBuilder(*this, l).run(d); }

} // namespace sdfgc::serialize
