// CLI11 sorts the words of a command line into options and arguments; it is a large header and only used in this file. Conversions
// and checks are done here, so that all errors in a command line are reported at once, as diagnostics with suggestions.
#include "Driver/CommandLine/CommandLine.h"
#include "sdfgc/Support/Text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

namespace sdfgc::driver {

struct CommandLine::Impl {
    CLI::App app;
    std::string group = "General options";
    struct Argument {
        std::string name;
        const std::string *field;
    };
    std::vector<Argument> arguments;
    std::vector<std::string> names; // of all options, for suggestions
    std::vector<std::function<void(diag::Engine &)>> checks;
    diag::Engine *diags = nullptr; // while parsing

    CLI::Option *add(const std::string &optionNames, CLI::callback_t callback) {
        // The last of several occurrences wins, so that a Makefile can append to a command line.
        return app.add_option(optionNames, std::move(callback))->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
};

namespace {

using text::quotedList;

/// The longest name of `-o,--output`, as used in messages.
std::string longName(const std::string &names) { return names.substr(names.rfind(',') + 1); }

} // namespace

CommandLine::CommandLine(const std::string &usage, const std::string &description)
    : impl_(std::make_unique<Impl>()), usage_(usage), description_(description) {
    impl_->app.allow_extras();
    impl_->app.set_help_flag("-h,--help");
    row("-h,--help", "", "print this help");
}
CommandLine::~CommandLine() = default;

void CommandLine::group(const std::string &title) { impl_->group = title; }

void CommandLine::row(const std::string &names, const std::string &placeholder, const std::string &help, const std::string &usual,
                      std::vector<std::string> values) {
    for (std::size_t at = 0; names[0] == '-' && at < names.size();) {
        std::size_t end = std::min(names.find(',', at), names.size());
        impl_->names.push_back(names.substr(at, end - at));
        at = end + 1;
    }
    const bool isAdded = !usual.empty() && help.find("(default") == std::string::npos;
    rows_.push_back({names, placeholder, isAdded ? help + " (default: " + usual + ")" : help, impl_->group, std::move(values)});
}

void CommandLine::flag(const std::string &names, bool &field, const std::string &help) {
    row(names, "", help);
    impl_->app.add_flag_callback(names, [&field] { field = true; });
}

void CommandLine::count(const std::string &names, int &field, const std::string &help) {
    row(names, "", help);
    impl_->app.add_flag(names, field);
}

void CommandLine::text(const std::string &names, std::string &field, const std::string &placeholder, const std::string &help) {
    row(names, placeholder, help, field);
    impl_->add(names, [&field](const CLI::results_t &words) {
        field = words.back();
        return true;
    });
}

void CommandLine::text(const std::string &names, std::optional<std::string> &field, const std::string &placeholder,
                       const std::string &help) {
    row(names, placeholder, help);
    impl_->add(names, [&field](const CLI::results_t &words) {
        field = words.back();
        return true;
    });
}

void CommandLine::choice(const std::string &names, std::string &field, const std::vector<std::string> &values,
                         const std::string &help) {
    choice(names, values, field, help, [&field](const std::string &w) { field = w; });
}

void CommandLine::choice(const std::string &names, const std::vector<std::string> &values, const std::string &usual,
                         const std::string &help, std::function<void(const std::string &)> set) {
    row(names, text::joined(values, "|"), help, usual, values);
    impl_->add(names, [this, set = std::move(set), values, names](const CLI::results_t &words) {
        if (accept(words.back(), values, longName(names)))
            set(words.back());
        return true;
    });
}

bool CommandLine::accept(const std::string &word, const std::vector<std::string> &values, const std::string &name) const {
    if (std::find(values.begin(), values.end(), word) != values.end())
        return true;
    constexpr std::size_t few = 8; // among few short words, a guess is more often wrong than right (`-O4`, `--target gpu`)
    const std::string near = values.size() > few ? diag::nearest(word, values) : "";
    impl_->diags->report(diag::Id::OptionValueUnknown, {}, word, name,
                         near.empty() ? "its values are " + quotedList(values) : "did you mean `" + near + "`?");
    return false;
}

void CommandLine::number(const std::string &names, int &field, const std::string &placeholder, const std::string &help, int least) {
    row(names, placeholder, help, field < least ? "" : std::to_string(field));
    wholeNumber(names, least, [&field](int v) { field = v; });
}

void CommandLine::number(const std::string &names, std::optional<int> &field, const std::string &placeholder,
                         const std::string &help, int least) {
    row(names, placeholder, help);
    wholeNumber(names, least, [&field](int v) { field = v; });
}

void CommandLine::number(const std::string &names, std::optional<Positive> &field, const std::string &placeholder,
                         const std::string &help, int least) {
    row(names, placeholder, help);
    wholeNumber(names, least, [&field](int v) { field = Positive(v); });
}

void CommandLine::wholeNumber(const std::string &names, int least, std::function<void(int)> set) {
    impl_->add(names, [this, set = std::move(set), names, least](const CLI::results_t &words) {
        const std::string &word = words.back();
        int value = 0;
        auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || value < least)
            impl_->diags->report(diag::Id::OptionValueUnknown, {}, word, longName(names),
                                 "its value is an integer from " + std::to_string(least));
        else
            set(value);
        return true;
    });
}

void CommandLine::list(const std::string &names, std::vector<std::string> &field, const std::string &placeholder,
                       const std::string &help) {
    row(names, placeholder, help);
    impl_
        ->add(names,
              [&field](const CLI::results_t &words) {
                  field.clear(); // the default
                  for (const std::string &word : words)
                      for (std::size_t at = 0; at <= word.size();) {
                          std::size_t end = std::min(word.find(',', at), word.size());
                          if (end > at)
                              field.push_back(word.substr(at, end - at));
                          at = end + 1;
                      }
                  return true;
              })
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
}

void CommandLine::real(const std::string &names, double &field, const std::string &placeholder, const std::string &help) {
    row(names, placeholder, help, field > 0 ? optionText(field) : "");
    impl_->add(names, [this, &field, names](const CLI::results_t &words) {
        const std::string &word = words.back();
        double value = 0;
        auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || !(value >= 0))
            impl_->diags->report(diag::Id::OptionValueUnknown, {}, word, longName(names), "its value is a number from 0");
        else
            field = value;
        return true;
    });
}

void CommandLine::texts(const std::string &names, std::vector<std::string> &field, const std::string &placeholder,
                        const std::string &help) {
    row(names, placeholder, help);
    impl_
        ->add(names,
              [&field](const CLI::results_t &words) {
                  field = words;
                  return true;
              })
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
}

void CommandLine::argument(const std::string &name, std::string &field, const std::string &help, bool optional) {
    rows_.push_back({name, "", help, "Arguments", {}});
    if (!optional)
        impl_->arguments.push_back({name, &field});
    impl_->add(name, [&field](const CLI::results_t &words) {
        field = words.back();
        return true;
    });
}

void CommandLine::argumentChoice(const std::string &name, std::string &field, const std::vector<std::string> &values,
                                 const std::string &help) {
    rows_.push_back({name, "", help, "Arguments", values});
    impl_->arguments.push_back({name, &field});
    impl_->add(name, [this, &field, values, name](const CLI::results_t &words) {
        if (accept(words.back(), values, name))
            field = words.back();
        return true;
    });
}

namespace {

/// Removes `--`: the words after it are files even if they start with a dash, which `./` expresses, too (CLI11 2.1 does not support
/// this together with extra words). `--option=` is `--option ""`: CLI11 would not accept the missing value.
std::vector<std::string> plainWords(const std::vector<std::string> &arguments) {
    std::vector<std::string> words;
    bool files = false;
    for (const std::string &a : arguments) {
        if (!files && a == "--")
            files = true;
        else if (!files && a.size() > 3 && a.compare(0, 2, "--") == 0 && a.find('=') == a.size() - 1) {
            words.push_back(a.substr(0, a.size() - 1));
            words.emplace_back();
        } else
            words.push_back(files && a.size() > 1 && a[0] == '-' ? "./" + a : a);
    }
    return words;
}

} // namespace

bool CommandLine::given(const std::string &name) const { return impl_->app.count(name) > 0; }

void CommandLine::check(std::function<void(diag::Engine &)> check) { impl_->checks.push_back(std::move(check)); }

CommandLine::Result CommandLine::parse(const std::vector<std::string> &arguments, diag::Engine &d) {
    std::size_t errorsBefore = d.errorCount();
    impl_->diags = &d;
    try {
        std::vector<std::string> words = plainWords(arguments);
        impl_->app.parse(std::vector<std::string>(words.rbegin(), words.rend())); // CLI11 expects the words in reverse order
    } catch (const CLI::CallForHelp &) {
        return Result::Help;
    } catch (const CLI::ParseError &e) { // an option without its value, a flag with one
        d.report(diag::Id::OptionMisused, {}, e.what(), "usage: " + usage_);
        return Result::Error;
    }
    reportLeftOver(impl_->app.remaining(), d);
    if (d.errorCount() == errorsBefore)
        for (const Impl::Argument &a : impl_->arguments)
            if (a.field->empty())
                d.report(diag::Id::ArgumentMissing, {}, a.name, usage_);
    if (d.errorCount() == errorsBefore)
        for (const auto &check : impl_->checks)
            check(d);
    return d.errorCount() == errorsBefore ? Result::Ok : Result::Error;
}

/// Words that CLI11 could not assign. The word after an unknown option may be its value, so in that case only options are reported.
void CommandLine::reportLeftOver(const std::vector<std::string> &words, diag::Engine &d) const {
    bool anyOption = false;
    for (const std::string &word : words) {
        if (word.size() < 2 || word[0] != '-' || word == "--")
            continue;
        anyOption = true;
        std::string near = diag::nearest(word.substr(0, word.find('=')), impl_->names);
        d.report(diag::Id::OptionUnknown, {}, word,
                 near.empty() ? "`" + usage_.substr(0, usage_.find(' ', usage_.find(' ') + 1)) + " --help` lists the options"
                              : "did you mean `" + near + "`?");
    }
    for (const std::string &word : words)
        if (!anyOption && word != "--") // CLI11 leaves the `--` itself over
            d.report(diag::Id::ArgumentUnexpected, {}, word, usage_);
}

} // namespace sdfgc::driver
