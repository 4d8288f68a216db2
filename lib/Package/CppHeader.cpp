// include/<name>.hpp: a class that owns a handle, calls with containers, errors as exceptions.
#include "Formula.h"

#include "sdfgc/CodeGen/Interface.h"
#include "sdfgc/Package/Interface.h"
#include "sdfgc/Support/TextWriter.h"

#include <algorithm>

namespace sdfgc::package {
namespace {

/// The element type of an array argument; C spells vectors as their elements.
std::string elementType(const Argument &a) {
    const std::string type = codegen::cType(a.type);
    return a.readOnly() && type.back() != '*' ? "const " + type : type;
}

class CppHeader {
public:
    CppHeader(const Interface &i, std::string_view support) : i_(i), support_(support), class_(i.name + "Program") {}

    std::string text() {
        w_.line("// " + i_.name + ".hpp: C++ interface of program `" + i_.name + "`, written by sdfgc. For C++17 and later.");
        w_.line("#ifndef SDFGC_PROGRAM_" + i_.name + "_HPP");
        w_.line("#define SDFGC_PROGRAM_" + i_.name + "_HPP");
        w_.line();
        w_.line("#include \"" + i_.name + ".h\"");
        w_.line();
        w_.verbatim(support_);
        w_.line();
        w_.line("/// An instance of the program. Calls on one object must not run at the same time; two objects are independent.");
        w_.open("class " + class_);
        access("public:");
        ownership();
        call();
        setters();
        externalMemory();
        if (i_.gpu)
            streams();
        if (i_.mpi)
            communicator();
        w_.line("/// For the functions of " + i_.name + ".h; null after close().");
        w_.line(i_.name + "Handle_t handle() const noexcept { return this->handle_; }");
        w_.line();
        access("private:");
        w_.open("void check() const");
        w_.line("if (const int code = ::" + i_.name + "_error(this->handle_))");
        w_.line("    throw sdfgc_program::Error(code, ::" + i_.name + "_error_message(this->handle_));");
        w_.close();
        w_.line(i_.name + "Handle_t handle_ = nullptr;");
        w_.close(";");
        w_.line();
        w_.line("#endif");
        return w_.take();
    }

private:
    void access(const char *word) {
        w_.dedent();
        w_.line(word);
        w_.indent();
    }

    static std::string parameters(const std::vector<Argument> &list) {
        std::string out;
        for (const Argument &a : list)
            out += (out.empty() ? "" : ", ") + parameter(a);
        return out;
    }

    static std::string names(const std::vector<Argument> &list) {
        std::string out;
        for (const Argument &a : list)
            out += (out.empty() ? "" : ", ") + a.parameter;
        return out;
    }

    static bool isSpan(const Argument &a) { return a.kind == ArgumentKind::Array; }

    static std::string parameter(const Argument &a) {
        if (isSpan(a))
            return "sdfgc_program::Array<" + elementType(a) + "> " + a.parameter;
        if (a.kind == ArgumentKind::Structure && !a.optional)
            return elementType(a) + " &" + a.parameter;
        return a.declaration;
    }

    static std::string passed(const Argument &a) {
        if (isSpan(a))
            return "sdfgc_program::address(" + a.parameter + ")";
        return (a.kind == ArgumentKind::Structure && !a.optional ? "&" : "") + a.parameter;
    }

    void ownership() {
        const std::string &n = i_.name;
        w_.line("/// Throws sdfgc_program::Error when the program cannot be set up.");
        w_.open((i_.init.size() == 1 ? "explicit " : "") + class_ + "(" + parameters(i_.init) + ") : handle_(::" + n +
                "_initialize(" + names(i_.init) + "))");
        w_.line("if (!this->handle_)");
        w_.line("    throw sdfgc_program::Error(::" + n + "_error(nullptr), ::" + n + "_error_message(nullptr));");
        w_.close();
        w_.line(class_ + "(" + class_ + " &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}");
        w_.open(class_ + " &operator=(" + class_ + " &&other) noexcept");
        w_.line("std::swap(this->handle_, other.handle_);");
        w_.line("return *this;");
        w_.close();
        w_.line(class_ + "(const " + class_ + " &) = delete;");
        w_.line(class_ + " &operator=(const " + class_ + " &) = delete;");
        w_.line("~" + class_ + "() { ::" + n + "_finalize(this->handle_); }");
        w_.line();
        w_.line("/// Releases the instance now, and throws where the destructor would say nothing.");
        w_.open("void close()");
        w_.line("if (const int code = ::" + n + "_finalize(std::exchange(this->handle_, nullptr)))");
        w_.line("    throw sdfgc_program::Error(code, \"program " + n + " cannot be finalised\");");
        w_.close();
        w_.line();
    }

    /// The number of elements in C that an array must have.
    static sym::Expr elements(const Argument &a) { return a.totalSize * sym::Expr(a.type.isVector() ? a.type.lanes() : 1); }

    /// A formula over the arguments, and over sizes that are known; nothing if they do not determine it.
    std::optional<std::string> evaluated(sym::Expr e, const std::vector<const Argument *> &sizes = {}) const {
        const auto spell = [&](Name symbol) -> std::string {
            for (const Argument *s : sizes)
                if (s->name == symbol.str())
                    return extent(*s) + ".value()";
            for (const Argument &b : i_.arguments)
                if (b.name == symbol.str() && (b.kind == ArgumentKind::Symbol || b.kind == ArgumentKind::Scalar) &&
                    b.type.isInteger())
                    return b.type == Type(ScalarKind::Int64) ? b.parameter : "std::int64_t(" + b.parameter + ")";
            return "";
        };
        return formula(e, Language::Cpp, spell, "sdfgc_program::formula::"); // arguments may have the names of its functions
    }

    /// The variable for a size that follows from arrays. No argument has such a name, since names are those of C.
    static std::string extent(const Argument &size) { return "size_of__" + size.parameter; }

    /// Sizes on the handle follow from the spans, one after the other: an array gives the only size that its number of
    /// elements needs and that is not known before.
    void setSizes() {
        std::vector<const Argument *> known;
        for (bool more = true; more;) {
            more = false;
            for (const Argument &s : i_.sizes) {
                if (std::find(known.begin(), known.end(), &s) != known.end())
                    continue;
                std::vector<std::string> lines;
                for (const Argument &a : i_.arguments)
                    if (isSpan(a))
                        limit(s, a, known, lines);
                if (lines.empty())
                    continue;
                w_.line("sdfgc_program::Extent " + extent(s) + ";");
                for (const std::string &line : lines)
                    w_.line(line);
                w_.line("if (" + extent(s) + ".known())");
                w_.line("    this->setSize_" + s.name + "(" + extent(s) + ".value());");
                known.push_back(&s);
                more = true;
            }
        }
    }

    void limit(const Argument &size, const Argument &a, const std::vector<const Argument *> &known,
               std::vector<std::string> &lines) const {
        const auto parts = sym::affineIn(elements(a), Name(size.name));
        if (!parts || parts->first.isZero())
            return;
        const auto factor = evaluated(parts->first, known), fixed = evaluated(parts->second, known);
        if (!factor || !fixed)
            return;
        std::string when = a.optional ? "sdfgc_program::address(" + a.parameter + ")" : "";
        for (const Argument *k : known)
            if (elements(a).dependsOn(Name(k->name)))
                when += (when.empty() ? "" : " && ") + extent(*k) + ".known()";
        if (!when.empty())
            lines.push_back("if (" + when + ")");
        lines.push_back((when.empty() ? "" : "    ") + extent(size) + ".limit(sdfgc_program::sizeOf(" + a.parameter + "), " +
                        *fixed + ", " + *factor + ");");
        if (a.optional) {
            lines.push_back("if (!sdfgc_program::address(" + a.parameter + "))");
            lines.push_back("    " + extent(size) + ".leaveOut();");
        }
    }

    void setters() {
        for (const Argument &s : i_.sizes) {
            w_.line("/// A size that the program needs but has no argument for. A call sets it itself where it follows from arrays "
                    "of known size.");
            w_.open("void setSize_" + s.name + "(std::int64_t value)");
            w_.line("if (const int code = ::" + i_.setter(s) + "(this->handle_, value))");
            w_.line("    throw sdfgc_program::Error(code, \"the size " + s.name + " does not fit into its type\");");
            w_.close();
            w_.line();
        }
    }

    void call() {
        w_.line("/// Runs the program to its end. Throws sdfgc_program::Error when an array is too small or the program fails.");
        w_.open("void operator()(" + parameters(i_.arguments) + ")");
        std::string checks;
        for (const Argument &a : i_.arguments)
            if (std::optional<std::string> n = isSpan(a) ? evaluated(elements(a)) : std::nullopt)
                checks += std::string(a.optional ? "if (sdfgc_program::address(" + a.parameter + "))\n    " : "") +
                          "sdfgc_program::checkSize(\"" + a.parameter + "\", sdfgc_program::sizeOf(" + a.parameter + "), " + *n +
                          ");\n";
        if (!checks.empty()) {
            checks.pop_back();
            w_.line(checks);
        }
        setSizes();
        std::string arguments = "this->handle_";
        for (const Argument &a : i_.arguments)
            arguments += ", " + passed(a);
        w_.line("::" + i_.name + "_program(" + arguments + ");");
        w_.line("this->check();");
        w_.close();
        w_.line();
    }

    void externalMemory() {
        const std::string rest = i_.init.empty() ? "" : ", " + names(i_.init),
                          declared = i_.init.empty() ? "" : ", " + parameters(i_.init);
        for (ir::Storage s : i_.external) {
            const std::string storage(ir::name(s));
            w_.line("/// Bytes of memory in " + storage +
                    " that the program needs from its caller, and the call that hands it over: before the first run.");
            w_.line("std::size_t externalMemorySize_" + storage + "(" + parameters(i_.init) +
                    ") const { return ::__dace_get_external_memory_size_" + storage + "(this->handle_" + rest + "); }");
            w_.line("void setExternalMemory_" + storage + "(void *memory" + declared + ") { ::__dace_set_external_memory_" +
                    storage + "(this->handle_, static_cast<char *>(memory)" + rest + "); }");
            w_.line();
        }
    }

    void communicator() {
        w_.line("/// The ranks that make later programs: a communicator as Fortran's handle (MPI_Comm_c2f); else all of the job.");
        w_.line("static void setCommunicator(int handle) { ::" + i_.name + "_set_communicator(handle); }");
        w_.line();
    }

    void streams() {
        w_.line("/// Gives the program a stream of the caller (cudaStream_t or hipStream_t): one of its streams, or all of them.");
        w_.line("bool setStream(int index, void *stream) { return ::__dace_gpu_set_stream(this->handle_, index, stream); }");
        w_.line("void setAllStreams(void *stream) { ::__dace_gpu_set_all_streams(this->handle_, stream); }");
        if (!i_.graphs.empty()) {
            w_.line("/// Counters of the program's GPU graphs, `count` of them; valid until the next call of this function.");
            w_.line("const " + i_.name + "_graph_info *gpuGraphs(int &count) const { return ::" + i_.name +
                    "_gpu_graphs(this->handle_, &count); }");
        }
        w_.line();
    }

    const Interface &i_;
    std::string_view support_;
    std::string class_;
    TextWriter w_;
};

} // namespace

std::string cppHeader(const Interface &i, std::string_view support) {
    std::string text = CppHeader(i, support).text();
    // The C function of a program named `sdfgc` has the name of the namespace.
    if (i.name == "sdfgc")
        for (const auto &[from, to] : {std::pair<std::string, std::string>{"sdfgc_program::", "sdfgc_program_support::"},
                                       {"namespace sdfgc_program", "namespace sdfgc_program_support"},
                                       {"SDFGC_PROGRAM_SUPPORT_1", "SDFGC_PROGRAM_SUPPORT_OF_SDFGC"}})
            for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
                text.replace(at, from.size(), to);
    return text;
}

} // namespace sdfgc::package
