// Shell completion scripts. Each is a table from subcommand and option to the possible values, in the shell's own language.
#include "Driver/CommandLine/CommandTable.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Support/TextWriter.h"

#include <algorithm>

namespace sdfgc::driver {
namespace {

std::string joined(const std::vector<std::string> &words, std::string_view separator = " ") {
    return text::joined(words, separator);
}

/// Text for single quotes in a POSIX shell; `extra` characters also get a backslash.
std::string singleQuoted(const std::string &text, const std::string &extra = "") {
    std::string out = "'";
    for (char c : text) {
        if (extra.find(c) != std::string::npos)
            out += '\\';
        out += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return out + "'";
}

std::vector<std::string> allOptions(const CommandRows &command) {
    std::vector<std::string> out;
    for (const OptionRow &row : command.rows)
        for (const std::string &n : optionNames(row))
            out.push_back(n);
    return out;
}

/// A call of a function of the bash script below.
std::string bashAction(Completion c, const std::vector<std::string> &words) {
    switch (c) {
    case Completion::None:
        return ":";
    case Completion::Words:
        return "_sdfgc_words \"" + joined(words) + "\"";
    case Completion::Passes:
        return "_sdfgc_list \"" + joined(words) + "\"";
    case Completion::Pipelines:
        return "_sdfgc_words \"" + joined(words) + "\"; _sdfgc_files";
    case Completion::Files:
        return "_sdfgc_files";
    case Completion::Folders:
        return "_sdfgc_folders";
    case Completion::Graphs:
        return "_sdfgc_graphs";
    }
    return ":";
}

constexpr std::string_view bashFunctions = R"(_sdfgc_words() { COMPREPLY+=($(compgen -W "$1" -- "$cur")); }
# One or several words between commas.
_sdfgc_list() {
    local before=
    [[ $cur == *,* ]] && before=${cur%,*},
    COMPREPLY+=($(compgen -P "$before" -W "$1" -- "${cur##*,}"))
}
_sdfgc_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
}
_sdfgc_folders() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
}
_sdfgc_graphs() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur"; compgen -f -X '!*.sdfg' -- "$cur"; compgen -f -X '!*.sdfgz' -- "$cur"; compgen -f -X '!*.sdfgt' -- "$cur")
}
)";

/// The action of zsh's _arguments for a value.
std::string zshAction(Completion c, const std::vector<std::string> &words) {
    switch (c) {
    case Completion::None:
        return " ";
    case Completion::Words:
        return "(" + joined(words) + ")";
    case Completion::Passes:
        return "_sequence compadd - " + joined(words);
    case Completion::Pipelines:
        return "_alternative \"names:pipeline:(" + joined(words) + ")\" \"files:file:_files\"";
    case Completion::Files:
        return "_files";
    case Completion::Folders:
        return "_files -/";
    case Completion::Graphs:
        return "_files -g \"*.(sdfg|sdfgz|sdfgt)\"";
    }
    return " ";
}

/// Arguments of fish's `complete` for a value.
std::string fishAction(Completion c, const std::vector<std::string> &words) {
    switch (c) {
    case Completion::None:
        return " -x";
    case Completion::Words:
    case Completion::Passes:
        return " -x -a " + singleQuoted(joined(words));
    case Completion::Pipelines:
        return " -r -F -a " + singleQuoted(joined(words));
    case Completion::Files:
        return " -r -F";
    case Completion::Folders:
        return " -x -a '(__fish_complete_directories)'";
    case Completion::Graphs:
        return " -k -a '(__fish_complete_suffix .sdfg)'";
    }
    return "";
}

/// Between single quotes, fish only knows \' and \\.
std::string fishQuoted(const std::string &text) {
    std::string out = "'";
    for (char c : text)
        out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "'";
}

std::vector<std::string> subcommandNames() {
    std::vector<std::string> out;
    for (const SubcommandInfo &s : subcommands())
        out.push_back(s.name);
    return out;
}

} // namespace

std::string bashCompletion() {
    TextWriter w;
    w.line("# Completion of sdfgc for bash, written by `sdfgc completions bash`.");
    w.verbatim(bashFunctions);
    w.line("_sdfgc() {");
    w.indent();
    w.line("local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=");
    w.line("COMPREPLY=()");
    w.line("# `--option=value` arrives as three words.");
    w.line("if [[ $cur == = ]]; then cur=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi");
    w.line("if ((COMP_CWORD == 1)); then");
    w.line("    _sdfgc_words \"" + joined(subcommandNames()) + " --help --version -V\"");
    w.line("    return");
    w.line("fi");
    w.line("case ${COMP_WORDS[1]} in");
    for (const CommandRows &command : commandTable()) {
        w.line(command.info->name + ")");
        w.indent();
        w.line("options=\"" + joined(allOptions(command)) + "\"");
        w.line("case $before in");
        for (const OptionRow &row : command.rows)
            if (!row.placeholder.empty() && row.names[0] == '-')
                w.line(joined(optionNames(row), " | ") + ") " + bashAction(completionOf(row), completionWords(row)) +
                       "; return ;;");
        w.line("esac");
        w.line("[[ $cur == -* ]] || { " + bashAction(argumentCompletion(command), argumentWords(command)) + "; return; }");
        w.line(";;");
        w.dedent();
    }
    w.line("esac");
    w.line("_sdfgc_words \"$options\"");
    w.dedent();
    w.line("}");
    w.line("complete -F _sdfgc sdfgc");
    return w.take();
}

std::string zshCompletion() {
    const std::string special = "[]:\\";
    TextWriter w;
    w.line("#compdef sdfgc");
    w.line("# Completion of sdfgc for zsh, written by `sdfgc completions zsh`.");
    w.line("_sdfgc() {");
    w.indent();
    w.line("if ((CURRENT == 2)); then");
    w.indent();
    w.line("local -a subcommands=(");
    for (const SubcommandInfo &s : subcommands())
        w.line("    " + singleQuoted(s.name + ":" + s.summary));
    w.line(")");
    w.line("_describe subcommand subcommands");
    w.line("_arguments '--help[print the help]' '(-V --version)'{-V,--version}'[print the version]'");
    w.line("return");
    w.dedent();
    w.line("fi");
    w.line("local subcommand=$words[2]");
    w.line("shift words; ((CURRENT--))");
    w.line("case $subcommand in");
    for (const CommandRows &command : commandTable()) {
        w.line(command.info->name + ")");
        w.indent();
        w.line("_arguments -S \\");
        for (const OptionRow &row : command.rows)
            for (const std::string &n : optionNames(row)) {
                std::string spec = n + (row.placeholder.empty() ? "" : n.starts_with("--") ? "=" : "+") + "[";
                std::string line = singleQuoted(spec), help = singleQuoted(row.help, special);
                line.pop_back();
                line += help.substr(1, help.size() - 2) + "]";
                if (!row.placeholder.empty()) {
                    std::string value =
                        singleQuoted(":" + row.placeholder + ":" + zshAction(completionOf(row), completionWords(row)));
                    line += value.substr(1, value.size() - 2);
                }
                w.line("    " + line + "' \\");
            }
        const Completion argument = argumentCompletion(command);
        w.line("    " + (argument == Completion::None
                             ? "'*: :'"
                             : singleQuoted("1:" + command.info->arguments + ":" + zshAction(argument, argumentWords(command)))));
        w.line(";;");
        w.dedent();
    }
    w.line("esac");
    w.dedent();
    w.line("}");
    w.line("if [ \"$funcstack[1]\" = _sdfgc ]; then _sdfgc \"$@\"; else compdef _sdfgc sdfgc; fi");
    return w.take();
}

std::string fishCompletion() {
    TextWriter w;
    w.line("# Completion of sdfgc for fish, written by `sdfgc completions fish`.");
    w.line("complete -c sdfgc -f");
    const std::string none = "complete -c sdfgc -n __fish_use_subcommand ";
    for (const SubcommandInfo &s : subcommands())
        w.line(none + "-a " + s.name + " -d " + fishQuoted(s.summary));
    w.line(none + "-l help -d 'print the help'");
    w.line(none + "-s V -l version -d 'print the version'");
    for (const CommandRows &command : commandTable()) {
        const std::string start = "complete -c sdfgc -n '__fish_seen_subcommand_from " + command.info->name + "'";
        for (const OptionRow &row : command.rows) {
            std::string names;
            for (const std::string &n : optionNames(row))
                names += n.starts_with("--") ? " -l " + n.substr(2) : " -s " + n.substr(1);
            if (!names.empty())
                w.line(start + names + (row.placeholder.empty() ? "" : fishAction(completionOf(row), completionWords(row))) +
                       " -d " + fishQuoted(row.help));
        }
        if (const Completion argument = argumentCompletion(command); argument != Completion::None)
            w.line(start + (argument == Completion::Files ? " -F" : fishAction(argument, argumentWords(command))));
    }
    return w.take();
}

namespace {

class Completions : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argumentChoice("SHELL", shell_, {"bash", "zsh", "fish"}, "shell to complete for: bash, zsh or fish");
        line.group("Output");
        line.text("-o,--output", output_, "FILE", "file for the script (default: standard output)");
    }
    void run(Session &s) override {
        s.writeOutput(output_, shell_ == "bash" ? bashCompletion() : shell_ == "zsh" ? zshCompletion() : fishCompletion());
    }
    std::string shell_, output_ = "-";
};

} // namespace

std::unique_ptr<Subcommand> createCompletions() { return std::make_unique<Completions>(); }

} // namespace sdfgc::driver
