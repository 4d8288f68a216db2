// src/caller/<name>_main.cpp: a main function that calls the program with arguments from the command line and from files.
#include "Formula.h"

#include "sdfgc/CodeGen/Interface.h"
#include "sdfgc/Package/Interface.h"
#include "sdfgc/Support/TextWriter.h"

#include <algorithm>

namespace sdfgc::package {
namespace {

Type numberOf(const Argument &a) { return a.type.isVector() ? a.type.element() : a.type; }
bool isArray(const Argument &a) { return a.kind == ArgumentKind::Array; }
bool isNumber(const Argument &a) { return a.kind == ArgumentKind::Symbol || a.kind == ArgumentKind::Scalar; }
bool isNumeric(Type t) { return t.isScalar() && (t.isBool() || t.isInteger() || t.isFloat() || t.isComplex()); }
/// Can sizes depend on it?
bool isSize(const Argument &a) { return isNumber(a) && a.type.isInteger(); }

class CallerMain {
public:
    CallerMain(const Interface &i, diag::Engine &d) : i_(i), diags_(d) {
        all_ = i.arguments;
        for (const Argument &a : i.init)
            if (!argument(a.name))
                all_.push_back(a);
        all_.insert(all_.end(), i.sizes.begin(), i.sizes.end());
    }

    std::optional<std::string> text() {
        const std::size_t before = diags_.errorCount();
        for (const Argument &a : all_)
            checkKind(a);
        if (diags_.errorCount() != before)
            return std::nullopt;
        w_.wrapAt(codegen::lineWidth);
        head();
        arguments();
        w_.open("int main(int argc, char **argv)");
        w_.line("using namespace sdfgc::caller;");
        read();
        sizes();
        call();
        w_.line("return command.write();");
        w_.close();
        return diags_.errorCount() == before ? std::optional(w_.take()) : std::nullopt;
    }

private:
    const Argument *argument(std::string_view name) const {
        const auto found = std::find_if(all_.begin(), all_.end(), [&](const Argument &a) { return a.name == name; });
        return found == all_.end() ? nullptr : &*found;
    }

    void refuse(const Argument &a, const std::string &what) { diags_.report(diag::Id::ProgramArgumentKind, {}, a.name, what); }

    void checkKind(const Argument &a) {
        if (a.kind == ArgumentKind::Callback)
            refuse(a, "a callback");
        else if (a.kind == ArgumentKind::Stream)
            refuse(a, "a stream");
        else if (a.kind == ArgumentKind::Structure || a.kind == ArgumentKind::ContainerArray)
            refuse(a, "a structure");
        else if (!isNumeric(numberOf(a)) || (a.type.isVector() && !isArray(a)))
            refuse(a, "of type " + a.type.str());
    }

    void head() {
        const std::string &n = i_.name;
        w_.line("// " + n + "_main: calls the program `" + n +
                "` with arguments from the command line and from NumPy files; written by sdfgc.");
        w_.line("//");
        w_.line("//     " + n + "_main" + usage());
        w_.line("//");
        w_.line("// sdfgc/rt/caller.h says what values there are; symbols may follow from the shapes of files. The functions of "
                "the program");
        w_.line("// are those of " + n + ".h, as any caller in C or C++ uses them.");
        w_.line("#include \"" + n + ".h\"");
        w_.line();
        w_.line("#include \"sdfgc/rt/caller.h\"");
        w_.line();
    }

    std::string usage() const {
        std::string in, out;
        for (const Argument &a : all_) {
            if (isArray(a) && a.access.written)
                out += " --out " + a.name + "=" + a.name + ".npy";
            if (isArray(a) ? a.access.read || !a.access.written : a.kind == ArgumentKind::Scalar)
                in += " " + a.name + "=" + (isArray(a) ? a.name + ".npy" : "1");
        }
        return in + out;
    }

    void arguments() {
        w_.line("namespace {");
        w_.line();
        w_.line("/// The arguments, by the names of the parameters in C.");
        w_.open("struct Arguments");
        for (const Argument &a : all_)
            w_.line("sdfgc::caller::" + declaration(a) + ";");
        w_.close(";");
        w_.line();
        w_.line("} // namespace");
        w_.line();
    }

    static std::string declaration(const Argument &a) {
        const std::string type = "<" + codegen::cType(a.type) + "> ", name = "\"" + numberOf(a).str() + "\"";
        if (isArray(a)) {
            const char *access = !a.access.written ? "In" : a.access.read ? "InOut" : "Out";
            return "Array" + type + a.parameter + "{" + name + ", " + std::to_string(a.shape.size()) +
                   ", sdfgc::caller::" + access + (a.optional ? " | sdfgc::caller::Optional" : "") +
                   (a.type.isVector() ? ", " + std::to_string(a.type.lanes()) : "") + "}";
        }
        const char *kind = !isSize(a) ? "Scalar" : a.kind == ArgumentKind::Symbol ? "Symbol" : "Integer";
        return kind + type + a.parameter + "{" + name + "}";
    }

    void read() {
        w_.line("Arguments in;");
        std::string names;
        for (const Argument &a : all_)
            names += (names.empty() ? "" : ", ") + std::string("{\"") + a.name + "\", in." + a.parameter + "}";
        w_.line("Command command(\"" + i_.name + "\", {" + names + "});");
        w_.line("if (!command.read(argc, argv))");
        w_.line("    return command.status();");
        w_.line();
    }

    /// A size as C++ text. Reports sizes that C++ cannot express, or that depend on more than the arguments.
    std::string size(const Argument &a, sym::Expr e) {
        const std::optional<std::string> text = formula(e, Language::Cpp, [this](Name symbol) -> std::string {
            const Argument *s = argument(symbol.view());
            return s && isSize(*s) ? "in." + s->parameter + ".number()" : "";
        });
        if (!text)
            refuse(a, "an array with a size (" + e.str() + ") that its caller cannot compute");
        for (const std::string &function : formulaFunctions(text.value_or("")))
            functions_.insert(function);
        return text.value_or("");
    }

    std::string list(const Argument &a, const std::vector<sym::Expr> &sizes) {
        std::string out;
        for (sym::Expr e : sizes)
            out += (out.empty() ? "" : ", ") + size(a, e);
        return "{" + out + "}";
    }

    void sizes() {
        std::vector<std::string> requirements, allocations;
        std::string symbols;
        for (const Argument &a : all_) {
            for (std::size_t d = 0; isArray(a) && d < a.shape.size(); ++d)
                requirements.push_back("sizes.require(in." + a.parameter + ", " + std::to_string(d) + ", \"" + a.shape[d].str() +
                                       "\", {" + unknowns(a.shape[d]) + "}, [&] { return " + asNumber(size(a, a.shape[d])) +
                                       "; });");
            if (isArray(a))
                allocations.push_back("in." + a.parameter + ".allocate(command, " + list(a, a.shape) + ", " + list(a, a.strides) +
                                      ", " + size(a, a.totalSize) + ");");
            if (isArray(a) && !special(a.storage).empty())
                allocations.push_back("in." + a.parameter + ".toDevice(command, " + special(a.storage) + ", " + i_.name +
                                      "_device_copy);");
            if (isSize(a))
                symbols += (symbols.empty() ? "&in." : ", &in.") + a.parameter;
        }
        for (const std::string &f : functions_)
            w_.line("using formula::" + f + ";");
        if (!requirements.empty() || !symbols.empty()) {
            w_.line("// Symbols that are not given follow from the shapes of files.");
            w_.line("Sizes sizes(command);");
            requirements.push_back("if (!sizes.solve({" + symbols + "}))");
            requirements.emplace_back("    return command.status();");
            lines(requirements);
        }
        if (!allocations.empty()) {
            allocations.emplace_back("if (command.status() != 0)");
            allocations.emplace_back("    return command.status();");
            lines(allocations);
        }
    }

    void lines(const std::vector<std::string> &list) {
        for (const std::string &line : list)
            w_.line(line);
        w_.line();
    }

    /// A plain integer would have another type.
    static std::string asNumber(const std::string &text) {
        return text.find("number()") == std::string::npos ? "std::int64_t(" + text + ")" : text;
    }

    std::string unknowns(sym::Expr e) const {
        std::string out;
        for (Name n : e.freeSymbols())
            if (const Argument *s = argument(n.view()); s && isSize(*s)) {
                const std::string name = "in." + s->parameter;
                out += (out.empty() ? "" : ", ") + (sym::affineIn(e, n) ? name : "other(" + name + ")");
            }
        return out;
    }

    /// The function that allocates memory for a storage that requires special memory; empty for others.
    std::string special(ir::Storage storage) const {
        if (storage == ir::Storage::GPU_Global)
            return i_.name + "_device_alloc";
        return storage == ir::Storage::CPU_Pinned && i_.pinned ? i_.name + "_pinned_alloc" : "";
    }

    static std::string values(const std::vector<Argument> &list, const std::string &start) {
        std::string out = start;
        for (const Argument &a : list)
            out += (out.empty() ? "in." : ", in.") + a.parameter + (isArray(a) ? ".data()" : "");
        return out;
    }

    void call() {
        const std::string &n = i_.name;
        w_.line(n + "Handle_t handle = " + n + "_initialize(" + values(i_.init, "") + ");");
        w_.line("if (!handle)");
        w_.line("    return command.failed(" + n + "_error_message(nullptr));");
        for (ir::Storage s : i_.external) {
            const std::string storage(ir::name(s));
            const std::string bytes = "__dace_get_external_memory_size_" + storage + "(" + values(i_.init, "handle") + ")";
            const std::string memory =
                special(s).empty() ? "command.memory(" + bytes + ")" : "static_cast<char *>(" + special(s) + "(" + bytes + "))";
            w_.line("__dace_set_external_memory_" + storage + "(" + values({}, "handle") + ", " + memory +
                    (i_.init.empty() ? "" : ", " + values(i_.init, "")) + ");");
        }
        for (const Argument &s : i_.sizes) {
            w_.line("if (" + i_.setter(s) + "(handle, in." + s.parameter + ") != 0)");
            w_.line("    return command.failed(\"the size `" + s.name + "` is too large\");");
        }
        w_.line(n + "_program(" + values(i_.arguments, "handle") + ");");
        w_.line("if (" + n + "_error(handle) != 0)");
        w_.line("    return command.failed(" + n + "_error_message(handle));");
        for (const Argument &a : all_)
            if (isArray(a) && !special(a.storage).empty() && a.access.written)
                w_.line("in." + a.parameter + ".toHost(command, " + n + "_device_copy);");
        w_.line("if (" + n + "_finalize(handle) != 0)");
        w_.line("    return command.failed(\"its finaliser reported an error\");");
    }

    const Interface &i_;
    diag::Engine &diags_;
    std::vector<Argument> all_;       // every parameter once
    std::set<std::string> functions_; // of formulas
    TextWriter w_;
};

} // namespace

std::optional<std::string> callerMain(const Interface &i, diag::Engine &diags) { return CallerMain(i, diags).text(); }

} // namespace sdfgc::package
