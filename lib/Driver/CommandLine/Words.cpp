#include "Driver/CommandLine/Words.h"

namespace sdfgc::driver {
namespace {

/// The words; `quote` is set to the quote that is still open at the end, or 0.
std::vector<std::string> split(std::string_view text, char &quote) {
    std::vector<std::string> words;
    std::string word;
    bool inWord = false;
    quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool blank = c == ' ' || c == '\t' || c == '\n';
        if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            word += text[++i];
            inWord = true;
        } else if (quote) {
            if (c == quote)
                quote = 0;
            else
                word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            inWord = true;
        } else if (!blank) {
            word += c;
            inWord = true;
        } else if (inWord) {
            words.push_back(std::move(word));
            word.clear();
            inWord = false;
        }
    }
    if (inWord)
        words.push_back(std::move(word));
    return words;
}

} // namespace

std::vector<std::string> splitWords(std::string_view text) {
    char quote = 0;
    return split(text, quote);
}

void requireClosed(CommandLine &line, const std::string &option, const std::string &field) {
    line.check([option, &field](diag::Engine &d) {
        char quote = 0;
        split(field, quote);
        if (quote)
            d.report(diag::Id::OptionMisused, {}, option + " has a quote that is not closed: " + field,
                     std::string("close it with `") + quote + "`, or write a backslash before it");
    });
}

} // namespace sdfgc::driver
