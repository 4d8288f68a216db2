// Options of a subcommand: declared once, bound to fields, from which parsing, help, suggestions and documentation follow.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Support/OptionValues.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sdfgc::driver {

/// One option as help and documentation show it.
struct OptionRow {
    std::string names, placeholder, help, group;
    std::vector<std::string> values; // of a choice
};

/// The options of one command line. Every bound field holds its default before and its value after parse(). Help ends with the default
/// in parentheses; where a text says `(default` itself, nothing is added.
class CommandLine {
public:
    /// `usage`: `sdfgc check PROG.sdfg [options]`.
    CommandLine(const std::string &usage, const std::string &description);
    ~CommandLine();
    CommandLine(const CommandLine &) = delete;

    /// Title in the help for the options that follow.
    void group(const std::string &title);
    /// `names`: `-v,--verbose`.
    void flag(const std::string &names, bool &field, const std::string &help);
    /// A flag that may be repeated (`-vv`): how often.
    void count(const std::string &names, int &field, const std::string &help);
    void text(const std::string &names, std::string &field, const std::string &placeholder, const std::string &help);
    /// The same for a text that may be given and empty.
    void text(const std::string &names, std::optional<std::string> &field, const std::string &placeholder, const std::string &help);
    /// One of `values`; the nearest is suggested for another.
    void choice(const std::string &names, std::string &field, const std::vector<std::string> &values, const std::string &help);
    /// One of the words of an enumeration.
    template <Choice E> void choice(const std::string &names, E &field, const std::string &help) {
        choice(names, wordsOf<E>(), std::string(word(field)), help,
               [&field](const std::string &w) { field = parseWord<E>(w).value(); });
    }
    template <Choice E> void choice(const std::string &names, std::optional<E> &field, const std::string &help) {
        choice(names, wordsOf<E>(), "", help, [&field](const std::string &w) { field = parseWord<E>(w); });
    }
    /// The same for any type: `set` takes one of `values`. `usual`: the default, if there is one.
    void choice(const std::string &names, const std::vector<std::string> &values, const std::string &usual, const std::string &help,
                std::function<void(const std::string &)> set);
    /// A whole number >= `least`. A default below that stands for none.
    void number(const std::string &names, int &field, const std::string &placeholder, const std::string &help, int least = 1);
    void number(const std::string &names, std::optional<int> &field, const std::string &placeholder, const std::string &help,
                int least);
    void number(const std::string &names, std::optional<Positive> &field, const std::string &placeholder, const std::string &help,
                int least);
    /// A number >= 0, with a fraction if need be. The default 0 stands for none.
    void real(const std::string &names, double &field, const std::string &placeholder, const std::string &help);
    /// May be repeated; one occurrence may hold several values between commas.
    void list(const std::string &names, std::vector<std::string> &field, const std::string &placeholder, const std::string &help);
    /// May be repeated; every occurrence is one value.
    void texts(const std::string &names, std::vector<std::string> &field, const std::string &placeholder, const std::string &help);
    /// An argument without a name, which must be there unless it is optional.
    void argument(const std::string &name, std::string &field, const std::string &help, bool optional = false);

    /// The same, one of `values`.
    void argumentChoice(const std::string &name, std::string &field, const std::vector<std::string> &values,
                        const std::string &help);

    /// What several options say together: `check` runs after a parse that found no fault, and reports faults.
    void check(std::function<void(diag::Engine &)> check);

    enum class Result { Ok, Help, Error };
    /// Parses; every fault of the command line is reported.
    Result parse(const std::vector<std::string> &arguments, diag::Engine &d);
    std::string help() const;
    const std::vector<OptionRow> &rows() const { return rows_; }
    /// Was an option given, by whatever value? `name`: `--target`. Known from the parse on, so also in checks.
    bool given(const std::string &name) const;

private:
    struct Impl;
    /// `usual`: the default as its text, if there is one.
    void row(const std::string &names, const std::string &placeholder, const std::string &help, const std::string &usual = "",
             std::vector<std::string> values = {});
    void wholeNumber(const std::string &names, int least, std::function<void(int)> set);
    /// Is the word one of `values`? Reports another one with the nearest.
    bool accept(const std::string &word, const std::vector<std::string> &values, const std::string &name) const;
    void reportLeftOver(const std::vector<std::string> &words, diag::Engine &d) const;
    std::unique_ptr<Impl> impl_;
    std::string usage_, description_;
    std::vector<OptionRow> rows_;
};

} // namespace sdfgc::driver
