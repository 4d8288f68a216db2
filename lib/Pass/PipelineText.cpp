// The text form of pipelines: a,b{k=v,flag},c
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
    /// False when the syntax is broken and reading on makes no sense; unknown names are reported and passed over.
    bool parseStep() {
        skipBlanks();
        diag::Place place = here();
        std::string name = word();
        if (name.empty())
            return expected("the name of a pass");
        Step step{name, {}, std::string(fileName), place.line, place.column};
        const PassInfo *info = findPass(registry_, name, place, diags_);
        if (take('{') && !parseOptions(step, info))
            return false;
        pipeline_.steps.push_back(std::move(step));
        return true;
    }

    bool parseOptions(Step &step, const PassInfo *info) {
        if (take('}'))
            return true;
        do {
            skipBlanks();
            diag::Place place = here();
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
    diag::Place here() const { return {std::string(fileName), 1, static_cast<int>(at_) + 1, {}, {}, {}}; }
    bool expected(std::string what) {
        skipBlanks();
        std::string found = at_ == text_.size() ? "the end" : "`" + std::string(1, text_[at_]) + "`";
        diags_.report(diag::Id::PipelineText, here(), {std::move(what), std::move(found)});
        return false;
    }

    std::string_view text_;
    const Registry &registry_;
    diag::Engine &diags_;
    std::size_t at_ = 0;
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
    return Parser(text, r, d).parse();
}

std::string print(const Pipeline &p) {
    std::string out;
    for (const Step &step : p.steps) {
        out += (out.empty() ? "" : ",") + step.pass;
        char open = '{';
        for (const auto &[key, value] : step.options) {
            out += open + key + "=" + printValue(value);
            open = ',';
        }
        if (!step.options.empty())
            out += '}';
    }
    return out;
}

} // namespace sdfgc::pass
