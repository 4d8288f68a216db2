// python/<name>.py: the interface as data, followed by code that is the same for every program (bindings/values.py,
// bindings/program.py).
#include "Formula.h"
#include "PythonNames.h"

#include "sdfgc/Package/Interface.h"
#include "sdfgc/Support/TextWriter.h"

#include <algorithm>
#include <span>

namespace sdfgc::package {
namespace {

/// JSON in Python syntax.
std::string literal(const json::Value &v) {
    std::string out;
    switch (v.kind()) {
    case json::Value::Kind::Null:
        return "None";
    case json::Value::Kind::Bool:
        return v.asBool() ? "True" : "False";
    case json::Value::Kind::Array:
        for (const json::Value &item : v.items())
            out += (out.empty() ? "" : ", ") + literal(item);
        return "[" + out + "]";
    case json::Value::Kind::Object:
        for (const auto &[key, member] : v.members())
            out += (out.empty() ? "" : ", ") + json::Value(key).dump() + ": " + literal(member);
        return "{" + out + "}";
    default:
        return v.dump();
    }
}

bool isOneOf(std::span<const std::string_view> words, std::string_view name) {
    return std::find(words.begin(), words.end(), name) != words.end();
}

// clang-format off
constexpr std::string_view keywords[] = {
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
    "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise",
    "return", "try", "while", "with", "yield"};
/// Modules imported by this one, by NumPy or when Python starts: a file with one of these names would shadow them if the folder is
/// searched first.
constexpr std::string_view modules[] = {
    "abc", "argparse", "array", "ast", "atexit", "base64", "binascii", "bisect", "builtins", "bz2", "calendar", "cmath", "codecs",
    "collections", "concurrent", "contextlib", "contextvars", "copy", "copyreg", "csv", "ctypes", "dataclasses", "datetime", "decimal",
    "difflib", "dis", "email", "encodings", "enum", "errno", "fnmatch", "fractions", "functools", "gc", "genericpath", "getpass",
    "glob", "gzip", "hashlib", "heapq", "hmac", "html", "http", "importlib", "inspect", "io", "itertools", "json", "keyword",
    "linecache", "locale", "logging", "lzma", "math", "mmap", "multiprocessing", "ntpath", "numbers", "numpy", "opcode", "operator",
    "os", "pathlib", "pickle", "platform", "posix", "posixpath", "pprint", "queue", "random", "re", "readline", "reprlib", "sched",
    "secrets", "select", "selectors", "shutil", "signal", "site", "socket", "stat", "statistics", "string", "stringprep", "struct",
    "subprocess", "symtable", "sys", "sysconfig", "tarfile", "tempfile", "textwrap", "threading", "time", "timeit", "token",
    "tokenize", "traceback", "types", "typing", "unicodedata", "unittest", "urllib", "uuid", "warnings", "weakref", "xml", "zipfile",
    "zipimport", "zlib"};
constexpr std::string_view functionsOfFormulas[] = {"min", "max", "abs", "ceil_div"};
// clang-format on

/// Parsed by bindings/values.py.
std::string symbolInFormula(const std::string &name) {
    const std::size_t end = name.find_last_not_of('_');
    const std::string stem = end == std::string::npos ? name : name.substr(0, end + 1);
    return isOneOf(keywords, stem) || isOneOf(functionsOfFormulas, stem) ? name + "__" : name;
}

json::Value formulas(const std::vector<sym::Expr> &es) {
    json::Value out = json::Value::array();
    for (sym::Expr e : es) {
        const std::optional<std::string> text = pythonFormula(e);
        out.push(text ? json::Value(*text) : json::Value());
    }
    return out;
}

std::string describe(const Argument &a) {
    std::string shape;
    for (sym::Expr s : a.shape)
        shape += (shape.empty() ? "" : ", ") + s.str();
    std::string text = a.name + ": " + std::string(name(a.kind)) + (a.shape.empty() ? " " : " of ") + a.type.str() +
                       (a.shape.empty() ? "" : "[" + shape + "]");
    if (a.isMemory())
        text += ", " + a.access.str();
    if (a.onDevice())
        text += ", in device memory";
    return text + (a.optional ? ", or None" : "");
}

/// The docstring is arbitrary text from the graph: it must not end the string.
std::string docLine(std::string text) {
    for (char &c : text)
        if (c == '\\' || c == '"' || c == '\n')
            c = '\'';
    return text;
}

} // namespace

std::vector<std::string> pythonPositions(const Interface &i) {
    std::vector<std::string> out;
    auto add = [&](const std::string &name) {
        if (std::find(out.begin(), out.end(), name) == out.end())
            out.push_back(name);
    };
    for (const std::string &n : i.order)
        add(n);
    for (const Argument &a : i.arguments)
        if (!a.isResult())
            add(a.name);
    return out;
}

bool isPythonKeyword(std::string_view name) { return isOneOf(keywords, name); }

std::optional<std::string> pythonFormula(sym::Expr e) {
    return formula(e, Language::Python, [](Name n) { return symbolInFormula(n.str()); });
}

std::string pythonModuleName(const std::string &program) {
    return isOneOf(keywords, program) || isOneOf(modules, program) ? program + "_program" : program;
}

std::string pythonModule(const Interface &i, std::string_view support) {
    TextWriter w;
    w.line("\"\"\"Program `" + i.name + "`, compiled by sdfgc, for Python. Needs NumPy and lib" + i.name +
           ".so; edit the graph, not this file.");
    w.line();
    const std::string module = pythonModuleName(i.name);
    w.line("    import " + module);
    w.line("    with " + module + ".Program() as program:");
    std::string call;
    for (const std::string &n : pythonPositions(i))
        if (std::none_of(i.arguments.begin(), i.arguments.end(),
                         [&](const Argument &a) { return a.name == n && a.kind == ArgumentKind::Symbol; }))
            call += (call.empty() ? "" : ", ") + n + "=" + n;
    const bool results = std::any_of(i.arguments.begin(), i.arguments.end(), [](const Argument &a) { return a.isResult(); });
    w.line(docLine(std::string("        ") + (results ? "result = " : "") + "program(" + call + ")"));
    w.line();
    w.line("Arguments, in the order of the C call (symbols follow from shapes where they can):");
    w.line();
    for (const Argument &a : i.arguments)
        w.line(docLine("    " + describe(a)));
    w.line("\"\"\"");
    for (const char *module :
         {"builtins", "ctypes", "hashlib", "inspect", "keyword", "operator", "os", "sys", "types", "typing", "weakref"})
        w.line(std::string("import ") + module);
    w.line();
    w.line("import numpy as np");
    w.line();
    w.open("INTERFACE =");
    w.line("\"name\": \"" + i.name + "\",");
    json::Value all = toJson(i);
    for (const auto &[key, value] : all.members()) {
        if (key != "arguments" && key != "init_arguments") {
            w.line("\"" + key + "\": " + literal(value) + ",");
            continue;
        }
        const std::vector<Argument> &list = key == "arguments" ? i.arguments : i.init;
        w.line("\"" + key + "\": [");
        w.indent();
        for (std::size_t k = 0; k < list.size(); ++k) {
            json::Value a = value.items()[k];
            if (list[k].kind == ArgumentKind::Array) {
                a.set("shape_formulas", formulas(list[k].shape));
                a.set("stride_formulas", formulas(list[k].strides));
                a.set("size_formula", formulas({list[k].totalSize}).items()[0]);
            }
            w.line(literal(a) + ",");
        }
        w.dedent();
        w.line("],");
    }
    w.close();
    json::Value order = json::Value::array();
    for (const std::string &n : pythonPositions(i))
        order.push(n);
    w.line("ORDER = " + literal(order) + "  # of positional arguments");
    w.line();
    w.verbatim(support);
    return w.take();
}

} // namespace sdfgc::package
