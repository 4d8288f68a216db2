// Code blocks of the user (global, init and exit code): C++ that is copied into the program as it stands.
#include "Lowering.h"

#include <algorithm>
#include <cctype>

namespace sdfgc::tree {

using namespace ir;

namespace {

bool isWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Words of C++ text that stand for themselves: not in comments, literals or preprocessor lines, not members (`a.x`, `a->x`, `A::x`), each
/// with the last character in front of it that is no space (0: none).
struct Word {
    std::string_view text;
    char before;
};

class WordScanner {
public:
    explicit WordScanner(std::string_view text) : text_(text) {}

    std::vector<Word> scan() {
        while (at_ < text_.size()) {
            char c = text_[at_];
            if (skipComment() || skipDirective() || (std::isspace(static_cast<unsigned char>(c)) && ++at_))
                continue;
            if (c == '"' || c == '\'')
                literal(c);
            else if (isWordStart(c))
                word();
            else if (std::isdigit(static_cast<unsigned char>(c)))
                number();
            else
                punctuation(c);
        }
        return std::move(words_);
    }

private:
    bool startsWith(std::string_view s) const { return text_.substr(at_, s.size()) == s; }
    bool skipComment() {
        const bool line = startsWith("//");
        if (!line && !startsWith("/*"))
            return false;
        std::size_t end = text_.find(line ? "\n" : "*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + (line ? 1 : 2);
        return true;
    }
    bool skipDirective() {
        if (text_[at_] != '#')
            return false;
        at_ = std::min(text_.find('\n', at_), text_.size());
        return true;
    }
    void literal(char quote) {
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_)
            if (text_[at_] == '\\')
                ++at_;
        at_ = std::min(at_ + 1, text_.size());
        before_ = quote;
        member_ = false;
    }
    void word() {
        std::size_t begin = at_;
        while (at_ < text_.size() && isWord(text_[at_]))
            ++at_;
        if (!member_)
            words_.push_back({text_.substr(begin, at_ - begin), before_});
        before_ = 'a';
        member_ = false;
    }
    void number() {
        while (at_ < text_.size() && (isWord(text_[at_]) || text_[at_] == '.'))
            ++at_;
        before_ = '0';
        member_ = false;
    }
    void punctuation(char c) {
        member_ = c == '.' || (c == '>' && before_ == '-') || (c == ':' && before_ == ':');
        before_ = c;
        ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    char before_ = 0;
    bool member_ = false;
    std::vector<Word> words_;
};

/// Can a word after this character be the name in a declaration (`int x`, `T *x`, `T &x`, `vector<T> x`, `int y, x`, `auto [x]`)?
bool mayDeclare(char before) { return isWord(before) || std::string_view("*&<>,[").find(before) != std::string_view::npos; }

} // namespace

/// The initialiser receives symbols only and the finaliser nothing (format reference 8.1), so a container among the arguments of the
/// program is out of reach for their code. Code that declares something of that name itself is left to the C++ compiler.
void Lowering::checkReach(const std::vector<TargetCode> &codes, const char *what) {
    std::set<std::string_view> known;
    for (const std::string &code : module_->globalCode)
        for (const Word &w : WordScanner(code).scan())
            known.insert(w.text);
    std::set<std::string_view> reported;
    for (const TargetCode &c : codes)
        for (const Word &w : WordScanner(c.code.text).scan()) {
            auto isIt = [&](const Param &p) { return p.desc && p.name.str() == w.text; };
            if (known.count(w.text) || std::none_of(module_->params.begin(), module_->params.end(), isIt))
                continue;
            if (mayDeclare(w.before))
                known.insert(w.text);
            else if (reported.insert(w.text).second)
                error(diag::Id::CodeBeyondReach, {"", 0, 0, "", elementName(root_), {}}, {what, std::string(w.text)});
        }
}

void Lowering::userCode() {
    auto forUs = [](const TargetCode &c) {
        bool target = c.target == Name("frame") || c.target == Name("openmp") || c.target == Name("null") || c.target == Name("None") ||
                      c.target.empty();
        return target && c.code.text.find_first_not_of(" \t\r\n") != std::string::npos;
    };
    auto collect = [&](const std::vector<TargetCode> &codes, std::vector<std::string> &out) {
        std::vector<TargetCode> ours;
        std::copy_if(codes.begin(), codes.end(), std::back_inserter(ours), forUs);
        for (const TargetCode &c : ours) {
            out.push_back(c.code.text);
            module_->rawCpp = true;
        }
        return ours;
    };
    for (SDFG *g : allSDFGs(root_))
        collect(g->globalCode, module_->globalCode);
    for (SDFG *g : allSDFGs(root_)) {
        checkReach(collect(g->initCode, module_->initCode), "init_code");
        checkReach(collect(g->exitCode, module_->exitCode), "exit_code");
    }
}

} // namespace sdfgc::tree
