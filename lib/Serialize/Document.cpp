#include "Document.h"

#include <charconv>

namespace sdfgc::serialize {
Document::Document(std::string text, std::string name) : json::Text(std::move(text)), name_(std::move(name)) {}

bool Document::parse(diag::Engine &d, const Limits &l) {
    const std::optional<json::ParseError> error = json::Text::parse(l.depth);
    if (!error)
        return true;
    diag::Location place = placeOfByte(error->byte);
    if (nodeCount() != 0) { // the path is that of the innermost value that was started
        const diag::Location last = this->place(Json(*this, static_cast<uint32_t>(nodeCount() - 1)));
        place.path = last.path;
        place.element = last.element;
    }
    switch (error->reason) {
    case json::ParseError::Reason::NotUtf8:
        d.report(diag::Id::InvalidUtf8, place, error->what);
        break;
    case json::ParseError::Reason::Syntax:
        d.report(diag::Id::JsonSyntax, place, error->what);
        break;
    case json::ParseError::Reason::TooDeep:
        d.report(diag::Id::JsonTooDeep, place, l.depth);
        break;
    case json::ParseError::Reason::TooLarge:
        d.report(diag::Id::JsonTooLarge, place, error->what);
        break;
    case json::ParseError::Reason::DuplicateKey:
        d.report(diag::Id::DuplicateKey, place, error->what);
        break;
    }
    return false;
}

void Document::setHolder(diag::Location holder) {
    held_ = true;
    holder_ = std::move(holder);
}

diag::Location Document::placeOfByte(uint64_t at) const {
    if (isText())
        return origin_.place(origin_.at);
    if (held_)
        return holder_;
    const json::Position where = position(at);
    diag::Location p;
    p.file = name_;
    p.line = where.line;
    p.column = where.column;
    return p;
}

// ---- from a value to the graph element that contains it
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

/// Collects, on the way down from the root, the words for ir::elementName and the nearest debug info.
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

/// Both texts joined by `between`, or the one that is not empty.
std::string joined(const std::string &a, const char *between, const std::string &b) {
    return a + (a.empty() || b.empty() ? "" : between) + b;
}

} // namespace

diag::Location Document::placeInText(Json value) const {
    std::size_t i = 0;
    for (auto [key, member] : root().members()) {
        if (i < origin_.keys.size() && value.index() >= key.index() && value.index() < node(member.index()).end)
            return origin_.place(origin_.keys[i]);
        ++i;
    }
    return origin_.place(origin_.at);
}

diag::Location Document::place(Json value) const {
    if (isText())
        return placeInText(value);
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

    diag::Location p = placeOfByte(node(target).start - (value.isString() ? 1 : 0));
    p.path = joined(p.path, ".", path); // after those of the holder, if any
    p.element = joined(p.element, ": ", trail.text());
    p.source = trail.location();
    return p;
}

} // namespace sdfgc::serialize
