// What identifies the program in a file.
//
// The text is hashed as JSON values, so white space does not count. In elements (objects with a type and attributes), members are left
// out that the reader drops. DaCe writes new identifiers whenever it copies a graph, and front ends write the absolute paths of their
// sources, so files of the same program differ in these. Everything else counts, whether it reaches the program or not: a difference
// that does not matter costs a compilation, and one that does would be a wrong library.
#include "sdfgc/Serialize/Serialize.h"

#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Gzip.h"
#include "sdfgc/Support/JsonText.h"

#include <algorithm>
#include <array>

namespace sdfgc::serialize {
namespace {

constexpr std::array<std::string_view, 4> kPresentation{"collapsed", "is_collapsed", "scope_dict", "guid"}; // of elements
constexpr std::array<std::string_view, 6> kIdentity{"guid",      "hash",        "is_collapsed", "transformation_hist",
                                                    "orig_sdfg", "build_folder"};
constexpr std::string_view kExternal = "ext_sdfg_path"; // a file, relative to the one that names it
constexpr std::size_t kMostFiles = 100;

template <std::size_t N> bool isOneOf(std::string_view key, const std::array<std::string_view, N> &list) {
    return std::find(list.begin(), list.end(), key) != list.end();
}

/// An object such as `{"type": "MapEntry", "attributes": {...}}`. A dictionary of containers with these names is none.
bool isElement(json::Ref object) {
    const json::Ref type = object.find("type"), attributes = object.find("attributes");
    return type && type.isString() && attributes && attributes.isObject();
}

class Hashing {
public:
    Hashing(ContentDigest &out, std::vector<std::string> &open, const Limits &limits) : out_(out), open_(open), limits_(limits) {}

    bool file(std::string text, const std::string &path) {
        if (gzip::isCompressed(text)) {
            Result<std::string> inflated = gzip::inflate(text, limits_.inflatedBytes);
            if (!inflated)
                return false;
            text = std::move(*inflated);
        }
        const std::size_t start = text.find_first_not_of(" \t\r\n");
        if (start == std::string::npos || text[start] != '{') { // a text form, which has no identifiers
            both(text);
            return text.find(kExternal) == std::string::npos;
        }
        path_ = path;
        json::Text parsed(std::move(text));
        if (parsed.parse(limits_.depth))
            return false;
        value(parsed.root(), false);
        return complete_;
    }
    void finish() {
        out_.program = program_.digest();
        out_.withLines = all_.digest();
    }

private:
    void both(std::string_view text) {
        all_.field(text);
        if (!inLines_)
            program_.field(text);
    }

    void value(json::Ref v, bool areAttributes) {
        switch (v.kind()) {
        case json::RefKind::Object:
            return object(v, areAttributes);
        case json::RefKind::Array:
            both("[");
            for (json::Ref item : v.items())
                value(item, false);
            return both("]");
        case json::RefKind::String:
            both("\"");
            return both(v.text());
        case json::RefKind::Number:
            return both(v.text());
        case json::RefKind::Null:
            return both("null");
        case json::RefKind::True:
            return both("true");
        case json::RefKind::False:
            return both("false");
        }
    }

    void object(json::Ref o, bool areAttributes) {
        const bool element = !areAttributes && isElement(o);
        both("{");
        for (auto [key, v] : o.members()) {
            const std::string_view name = key.text();
            if ((element && isOneOf(name, kPresentation)) || (areAttributes && isOneOf(name, kIdentity)))
                continue;
            const bool lines = !inLines_ && ((areAttributes && name == "debuginfo") || (element && name == "source_files"));
            inLines_ = inLines_ || lines;
            both(name);
            value(v, element && name == "attributes");
            if (lines)
                inLines_ = false;
            if (areAttributes && name == kExternal && v.isString() && !v.text().empty())
                external(std::string(v.text()));
            if (areAttributes && name == "sdfg" && v.isString() && v.text().find(kExternal) != std::string_view::npos)
                complete_ = false; // the text of a nested SDFG, as up to version 0.9
        }
        both("}");
    }

    /// The file of a nested SDFG.
    void external(const std::string &name) {
        const std::string path = file::join(file::folderOf(path_), name), whole = file::absolute(path);
        Result<std::string> text = file::readRegular(path, limits_.fileBytes);
        if (!text || open_.size() >= kMostFiles || std::find(open_.begin(), open_.end(), whole) != open_.end()) {
            complete_ = false;
            return;
        }
        out_.otherFiles.push_back(path);
        open_.push_back(whole);
        ContentDigest nested;
        Hashing hashing(nested, open_, limits_);
        complete_ = hashing.file(std::move(*text), path) && complete_;
        hashing.finish();
        open_.pop_back();
        out_.otherFiles.insert(out_.otherFiles.end(), nested.otherFiles.begin(), nested.otherFiles.end());
        program_.field(nested.program.hex());
        all_.field(nested.withLines.hex());
        complete_ = complete_ && out_.otherFiles.size() <= kMostFiles;
    }

    ContentDigest &out_;
    std::vector<std::string> &open_; // files that are being read, outermost first
    const Limits &limits_;
    std::string path_;
    Hasher program_, all_;
    bool inLines_ = false, complete_ = true;
};

} // namespace

std::optional<ContentDigest> contentDigest(std::string text, const std::string &path, const Limits &l) {
    ContentDigest out;
    std::vector<std::string> open{file::absolute(path)};
    Hashing hashing(out, open, l);
    if (!hashing.file(std::move(text), path))
        return std::nullopt;
    hashing.finish();
    return out;
}

} // namespace sdfgc::serialize
