// Options of a subcommand: declared once and bound to fields; parsing, help, suggestions and documentation are derived from them.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Support/OptionValues.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sdfgc::driver {

/// An option as shown by help and documentation.
struct OptionRow {
    std::string names, placeholder, help, group;
    std::vector<std::string> values; // for a choice
};

/// The options of one command line. Every bound field holds its default before parse() and its value afterwards. Help texts end
/// with the default in parentheses, unless they contain `(default` themselves.
class CommandLine {
public:
    /// `usage`: `sdfgc check PROG.sdfg [options]`.
    CommandLine(const std::string &usage, const std::string &description);
    ~CommandLine();
    CommandLine(const CommandLine &) = delete;

    /// Title for the following options in the help.
    void group(const std::string &title);
    /// `names`: `-v,--verbose`.
    void flag(const std::string &names, bool &field, const std::string &help);
    /// A flag that may be repeated (`-vv`); counts its occurrences.
    void count(const std::string &names, int &field, const std::string &help);
    void text(const std::string &names, std::string &field, const std::string &placeholder, const std::string &help);
    /// The same for a text that may be given but empty.
    void text(const std::string &names, std::optional<std::string> &field, const std::string &placeholder, const std::string &help);
    /// One of `values`; for any other word, suggests the most similar one.
    void choice(const std::string &names, std::string &field, const std::vector<std::string> &values, const std::string &help);
    /// One of the names of an enumeration's values.
    template <Choice E> void choice(const std::string &names, E &field, const std::string &help) {
        choice(names, wordsOf<E>(), std::string(word(field)), help,
               [&field](const std::string &w) { field = parseWord<E>(w).value(); });
    }
    template <Choice E> void choice(const std::string &names, std::optional<E> &field, const std::string &help) {
        choice(names, wordsOf<E>(), "", help, [&field](const std::string &w) { field = parseWord<E>(w); });
    }
    /// The same for any type: `set` takes one of `values`. `usual`: the default, if any.
    void choice(const std::string &names, const std::vector<std::string> &values, const std::string &usual, const std::string &help,
                std::function<void(const std::string &)> set);
    /// An integer >= `least`. A smaller default means that there is none.
    void number(const std::string &names, int &field, const std::string &placeholder, const std::string &help, int least = 1);
    void number(const std::string &names, std::optional<int> &field, const std::string &placeholder, const std::string &help,
                int least);
    void number(const std::string &names, std::optional<Positive> &field, const std::string &placeholder, const std::string &help,
                int least);
    /// A number >= 0, possibly with a fraction. The default 0 means none.
    void real(const std::string &names, double &field, const std::string &placeholder, const std::string &help);
    /// May be repeated; one occurrence may contain several values separated by commas.
    void list(const std::string &names, std::vector<std::string> &field, const std::string &placeholder, const std::string &help);
    /// May be repeated; every occurrence is one value.
    void texts(const std::string &names, std::vector<std::string> &field, const std::string &placeholder, const std::string &help);
    /// A positional argument, which is required unless `optional`.
    void argument(const std::string &name, std::string &field, const std::string &help, bool optional = false);

    /// The same, one of `values`.
    void argumentChoice(const std::string &name, std::string &field, const std::vector<std::string> &values,
                        const std::string &help);

    /// A rule that involves several options: `check` runs after a successful parse and reports errors.
    void check(std::function<void(diag::Engine &)> check);

    enum class Result { Ok, Help, Error };
    /// Parses; reports every error in the command line.
    Result parse(const std::vector<std::string> &arguments, diag::Engine &d);
    std::string help() const;
    const std::vector<OptionRow> &rows() const { return rows_; }
    /// Was an option given, with any value? `name`: `--target`. Available from parsing on, so also in checks.
    bool given(const std::string &name) const;

private:
    struct Impl;
    /// `usual`: the default as text, if any.
    void row(const std::string &names, const std::string &placeholder, const std::string &help, const std::string &usual = "",
             std::vector<std::string> values = {});
    void wholeNumber(const std::string &names, int least, std::function<void(int)> set);
    /// Is the word one of `values`? Reports any other word with the most similar value.
    bool accept(const std::string &word, const std::vector<std::string> &values, const std::string &name) const;
    void reportLeftOver(const std::vector<std::string> &words, diag::Engine &d) const;
    std::unique_ptr<Impl> impl_;
    std::string usage_, description_;
    std::vector<OptionRow> rows_;
};

} // namespace sdfgc::driver
