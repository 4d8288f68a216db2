// The text form of pipelines: a,b{k=v,flag},c[property],fixed-point{limit=9}(d,e)
#include "Pass/Options.h"

namespace sdfgc::pass {
namespace {

constexpr std::string_view fileName = "--passes";

bool isBare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+./:").find(c) != std::string_view::npos;
}

class Parser {
public:
    Parser(std::string_view text, const Registry &r, diag::Engine &d) : text_(text), registry_(r), diags_(d) {}

    std::optional<Pipeline> parse() {
        std::size_t errorsBefore = diags_.errorCount();
        pipeline_.name = fileName;
        skipBlanks();
        if (at_ == text_.size())
            return pipeline_; // no passes
        do {
            if (!parseStep())
                return std::nullopt;
        } while (take(','));
        if (at_ != text_.size())
            expected("`,` or the end");
        if (diags_.errorCount() != errorsBefore)
            return std::nullopt;
        return std::move(pipeline_);
    }

private:
    /// False if the syntax is broken and parsing cannot continue; unknown names are reported and skipped.
    bool parseStep() {
        skipBlanks();
        diag::Location place = here();
        std::string name = word();
        if (name.empty())
            return expected("the name of a pass");
        if (name == groupWord)
            return parseGroup(place);
        PipelineStep step{name, {}, std::string(fileName), place.line, place.column};
        const PassInfo *info = findPass(registry_, name, place, diags_);
        if (take('{') && !parseOptions(step, info))
            return false;
        while (take('['))
            if (!parseCondition(step))
                return false;
        pipeline_.steps.push_back(std::move(step));
        return true;
    }

    bool parseGroup(const diag::Location &place) {
        if (inGroup_) {
            diags_.report(diag::Id::NestedGroup, place);
            return false;
        }
        Group group;
        group.first = pipeline_.steps.size();
        group.file = place.file;
        group.line = place.line;
        group.column = place.column;
        if (take('{')) {
            skipBlanks();
            const diag::Location at = here();
            std::string limit;
            if (word() != "limit" || !take('=') || !parseValue(limit) || !take('}')) {
                diags_.report(diag::Id::PipelineText, at, "`{limit=N}`", "something else");
                return false;
            }
            if (!readLimit(group, limit, at, diags_))
                return false;
        }
        if (!take('('))
            return expected("`(`");
        inGroup_ = true;
        do {
            if (!parseStep())
                return false;
        } while (take(','));
        inGroup_ = false;
        group.last = pipeline_.steps.size();
        pipeline_.groups.push_back(std::move(group));
        return take(')') || expected("`,` or `)`");
    }

    /// After `[`.
    bool parseCondition(PipelineStep &step) {
        GraphCondition condition;
        condition.wanted = !take('!');
        do {
            skipBlanks();
            const diag::Location place = here();
            if (!addProperty(condition, word(), place, diags_))
                return false;
        } while (take('|'));
        step.conditions.push_back(std::move(condition));
        return take(']') || expected("`|` or `]`");
    }

    bool parseOptions(PipelineStep &step, const PassInfo *info) {
        if (take('}'))
            return true;
        do {
            skipBlanks();
            diag::Location place = here();
            std::string key = word(), value = "true";
            if (key.empty())
                return expected("the name of an option");
            if (take('=') && !parseValue(value))
                return false;
            if (info)
                addOption(step, *info, key, value, place, diags_);
        } while (take(','));
        return take('}') || expected("`,` or `}`");
    }

    bool parseValue(std::string &value) {
        skipBlanks();
        if (at_ < text_.size() && text_[at_] == '\'')
            return parseQuoted(value);
        value = word();
        return !value.empty() || expected("a value");
    }

    bool parseQuoted(std::string &value) {
        value.clear();
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] != '\'') {
                value += text_[at_];
            } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '\'') {
                value += '\'';
                ++at_;
            } else {
                ++at_;
                return true;
            }
        }
        return expected("a closing quote");
    }

    std::string word() {
        std::size_t from = at_;
        while (at_ < text_.size() && isBare(text_[at_]))
            ++at_;
        return std::string(text_.substr(from, at_ - from));
    }
    void skipBlanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
            ++at_;
    }
    bool take(char c) {
        skipBlanks();
        if (at_ == text_.size() || text_[at_] != c)
            return false;
        ++at_;
        return true;
    }
    diag::Location here() const { return {std::string(fileName), 1, static_cast<int>(at_) + 1, {}, {}, {}}; }
    bool expected(std::string what) {
        skipBlanks();
        std::string found = at_ == text_.size() ? "the end" : "`" + std::string(1, text_[at_]) + "`";
        diags_.report(diag::Id::PipelineText, here(), std::move(what), std::move(found));
        return false;
    }

    std::string_view text_;
    const Registry &registry_;
    diag::Engine &diags_;
    std::size_t at_ = 0;
    bool inGroup_ = false;
    Pipeline pipeline_;
};

std::string printValue(const OptionValue &v) {
    std::string text = str(v), quoted = "'";
    bool bare = !text.empty();
    for (char c : text) {
        bare = bare && isBare(c);
        quoted += c == '\'' ? "''" : std::string(1, c);
    }
    return bare ? text : quoted + "'";
}

} // namespace

std::optional<Pipeline> parsePipeline(std::string_view text, const Registry &r, diag::Engine &d) {
    std::optional<Pipeline> p = Parser(text, r, d).parse();
    if (p)
        shareOptions(*p, r);
    return p;
}

namespace {

std::string print(const PipelineStep &step) {
    std::string out = step.pass;
    char open = '{';
    for (const auto &[key, value] : step.options) {
        out += open + key + "=" + printValue(value);
        open = ',';
    }
    if (!step.options.empty())
        out += '}';
    for (const GraphCondition &c : step.conditions) {
        std::string properties;
        for (const std::string &p : c.anyOf)
            properties += (properties.empty() ? "" : "|") + p;
        out += (c.wanted ? "[" : "[!") + properties + "]";
    }
    return out;
}

} // namespace

std::string print(const Pipeline &p) {
    std::string out;
    std::size_t group = 0;
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
        const bool opens = group < p.groups.size() && p.groups[group].first == i;
        out += i ? "," : "";
        if (opens)
            out += std::string(groupWord) + "{limit=" + std::to_string(p.groups[group].limit) + "}(";
        out += print(p.steps[i]);
        if (group < p.groups.size() && p.groups[group].last == i + 1) {
            out += ")";
            ++group;
        }
    }
    return out;
}

} // namespace sdfgc::pass
