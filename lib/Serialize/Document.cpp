#include "Document.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace sdfgc::serialize {
namespace {

/// RapidJSON's vector loads read up to this many bytes behind the end, in the same aligned block; they should be ours.
constexpr std::size_t kPadding = 16;

} // namespace

std::string_view describe(JsonKind k) {
    switch (k) {
    case JsonKind::Null:
        return "null";
    case JsonKind::False:
        return "false";
    case JsonKind::True:
        return "true";
    case JsonKind::Number:
        return "a number";
    case JsonKind::String:
        return "a string";
    case JsonKind::Array:
        return "an array";
    case JsonKind::Object:
        return "an object";
    }
    return "a value";
}

Json Json::find(std::string_view key) const {
    for (auto [k, v] : members())
        if (k.text() == key)
            return v;
    return Json();
}

Document::Document(std::string text, std::string name) : text_(std::move(text)), name_(std::move(name)) {
    text_.reserve(text_.size() + kPadding);
}

void Document::setHolder(diag::Place holder) {
    held_ = true;
    holder_ = std::move(holder);
}

void Document::indexLines() const {
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
        if (static_cast<JsonKind>(n.kind) != JsonKind::String)
            continue;
        lines(cursor, n.start);
        cursor = n.start + n.size;
    }
    lines(cursor, std::min<uint64_t>(brokenStringAt_, text_.size()));
}

diag::Place Document::placeOfByte(uint64_t at) const {
    if (held_)
        return holder_;
    if (lineStarts_.empty())
        indexLines();
    auto line = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), at);
    diag::Place p;
    p.file = name_;
    p.line = static_cast<int>(line - lineStarts_.begin());
    p.column = static_cast<int>(at - line[-1]) + 1;
    return p;
}

// ---- from a value to the element of the graph that holds it
namespace {

std::string attribute(Json object, std::string_view key) {
    Json a = object.find("attributes");
    Json v = a ? a.find(key) : Json();
    return v ? std::string(v.text()) : std::string();
}

std::string labelOf(Json object) {
    std::string label = attribute(object, "label");
    if (label.empty())
        if (Json l = object.find("label"))
            label = l.text();
    if (label.empty())
        if (Json id = object.find("id"))
            label = "#" + std::string(id.text());
    return label;
}

/// Collects, on the way down from the root, the words of ir::elementName and the nearest debug info.
struct ElementTrail {
    std::string graph, block, node;
    Json debugInfo, sourceFiles;

    void pass(Json object) {
        Json typeMember = object.find("type");
        if (!typeMember || !typeMember.isString())
            return;
        const std::string_view type = typeMember.text();
        if (Json attributes = object.find("attributes"))
            if (Json info = attributes.find("debuginfo"); info && info.isObject())
                debugInfo = info;
        if (type == "SDFG") {
            graph = text().empty() ? attribute(object, "name") : text() + ": " + attribute(object, "name");
            block = node = "";
            if (Json files = object.find("source_files"))
                sourceFiles = files;
        } else if (std::string_view word = blockWord(type); !word.empty()) {
            block = std::string(word) + " " + labelOf(object);
            node = "";
        } else if (std::string text = nodeText(type, object); !text.empty()) {
            node = std::move(text);
        }
    }
    std::string text() const { return graph + (block.empty() ? "" : ": " + block) + (node.empty() ? "" : ", " + node); }

    static std::string_view blockWord(std::string_view type) {
        static constexpr std::pair<std::string_view, std::string_view> words[] = {{"SDFGState", "state"},
                                                                                  {"LoopRegion", "loop"},
                                                                                  {"ConditionalBlock", "conditional"},
                                                                                  {"ControlFlowRegion", "region"},
                                                                                  {"NamedRegion", "region"},
                                                                                  {"FunctionCallRegion", "region"},
                                                                                  {"BreakBlock", "break"},
                                                                                  {"ContinueBlock", "continue"},
                                                                                  {"ReturnBlock", "return"},
                                                                                  {"UnstructuredControlFlow", "region"}};
        for (const auto &[name, word] : words)
            if (name == type)
                return word;
        return {};
    }
    static std::string nodeText(std::string_view type, Json object) {
        if (type == "AccessNode")
            return "access node " + attribute(object, "data");
        static constexpr std::pair<std::string_view, std::string_view> words[] = {
            {"Tasklet", "tasklet "},          {"EmptyTasklet", "tasklet "},
            {"NestedSDFG", "nested SDFG "},   {"MapEntry", "map "},
            {"MapExit", "exit of map "},      {"ConsumeEntry", "consume scope "},
            {"LibraryNode", "library node "}, {"ConsumeExit", "exit of consume scope "}};
        for (const auto &[name, word] : words)
            if (name == type)
                return std::string(word) + labelOf(object);
        return {};
    }

    diag::SourceLoc location() const {
        diag::SourceLoc loc;
        if (!debugInfo)
            return loc;
        auto number = [&](std::string_view key) {
            int n = 0;
            if (Json v = debugInfo.find(key))
                std::from_chars(v.text().data(), v.text().data() + v.text().size(), n);
            return n;
        };
        loc.line = number("start_line");
        loc.column = number("start_column");
        loc.endLine = number("end_line");
        loc.endColumn = number("end_column");
        if (Json file = debugInfo.find("filename"); file && file.isString())
            loc.file = Name(file.text());
        else if (Json index = debugInfo.find("file_index"); index && sourceFiles) {
            auto wanted = static_cast<unsigned>(number("file_index"));
            for (Json file : sourceFiles.items())
                if (wanted-- == 0)
                    loc.file = Name(file.text());
        }
        return loc;
    }
};

} // namespace

diag::Place Document::place(Json value) const {
    const uint32_t target = value.index();
    ElementTrail trail;
    std::string path;
    auto inside = [&](Json v) { return target >= v.index() && target < node(v.index()).end; };
    Json at = root();
    while (at.index() != target) {
        trail.pass(at);
        Json next;
        std::size_t i = 0;
        for (Json item : at.items()) {
            if (inside(item)) {
                path += "[" + std::to_string(i) + "]";
                next = item;
                break;
            }
            ++i;
        }
        for (auto [key, member] : at.members()) {
            if (!inside(member) && target != key.index())
                continue;
            path += (path.empty() ? "" : ".") + std::string(key.text());
            next = target == key.index() ? key : member;
            break;
        }
        if (!next)
            break;
        at = next;
    }
    trail.pass(at);

    diag::Place p = placeOfByte(node(target).start - (value.isString() ? 1 : 0));
    p.path = held_ ? p.path + "." + path : path;
    p.element = held_ ? p.element + ": " + trail.text() : trail.text();
    p.source = trail.location();
    return p;
}

} // namespace sdfgc::serialize
