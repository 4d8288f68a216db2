// include/<name>.f90: interfaces with bind(C).
//
// Fortran ignores case and has no leading underscores, so arguments get different names; the array bounds show which is which. A
// row-major array has its extents in reverse, since Fortran sees the same memory that way.
#include "Formula.h"
#include "FortranNames.h"

#include "sdfgc/Package/Interface.h"
#include "sdfgc/Support/TextWriter.h"

#include <algorithm>
#include <functional>
#include <map>

namespace sdfgc::package {
namespace {

constexpr std::size_t lineWidth = 100; // without indentation; Fortran's limit is 132

class FortranModule {
public:
    explicit FortranModule(const Interface &i) : i_(i), prefix_(module_.declare(i.name).substr(0, 40)) {
        for (Type t : i.structs)
            structs_.emplace_back(t, module_.declare(t.name().str()));
        for (const Argument &s : i.sizes)
            setters_[s.name] = module_.declare(prefix_ + "_set_size_" + s.name);
    }

    std::string text() {
        const std::string &n = prefix_;
        w_.line("! " + i_.name + ".f90: Fortran interface of program `" + i_.name + "`, written by sdfgc.");
        w_.line("!");
        w_.line("! Initialise once, call the program as often as you like (not at the same time on one handle), finalise once. "
                "Row-major arrays");
        w_.line("! have their extents in reverse order here.");
        w_.line("module " + n + "_interface");
        w_.indent();
        w_.line("use, intrinsic :: iso_c_binding");
        w_.line("implicit none");
        w_.line("private");
        w_.line("public :: " + n + "_initialize, &");
        for (const char *name : {"_program", "_finalize", "_error"})
            w_.line("          " + n + name + ", &");
        w_.line("          " + n + "_message");
        w_.line();
        for (const auto &[type, name] : structs_)
            structure(type, name);
        if (!i_.graphs.empty())
            graphInfo();
        w_.line("interface");
        w_.indent();
        initialise();
        if (i_.sizes.empty())
            program(prefix_ + "_program");
        else
            program(call_ = module_.declare(prefix_ + "_call"));
        small();
        setters();
        externalMemory();
        if (i_.gpu)
            streams();
        if (i_.mpi)
            communicator();
        w_.dedent();
        w_.line("end interface");
        w_.line(public_);
        w_.dedent();
        w_.line("contains");
        w_.indent();
        message();
        if (!i_.sizes.empty())
            programWithSizes();
        w_.dedent();
        w_.line("end module");
        return w_.take();
    }

private:
    std::string typeOf(Type t) const {
        if (t.isVector())
            return typeOf(t.element());
        if (t.isStruct())
            for (const auto &[type, name] : structs_)
                if (type == t && !t.fields().empty())
                    return "type(" + name + ")";
        return t.isScalar() ? fortranScalar(t) : "type(c_ptr)";
    }

    void structure(Type t, const std::string &name) {
        if (t.fields().empty()) // Fortran has no such type; its objects are handled by address
            return;
        FortranNames fields;
        w_.line("type, bind(C), public :: " + name);
        w_.indent();
        for (const auto &[field, type] : t.fields())
            w_.line(typeOf(type) + " :: " + fields.declare(field.str()) +
                    (type.isVector() ? "(" + std::to_string(type.lanes()) + ")" : ""));
        w_.dedent();
        w_.line("end type");
        w_.line();
    }

    void head(const std::string &kind, const std::string &name, const std::vector<std::string> &arguments,
              const std::string &result, const std::string &symbol) {
        std::string list;
        for (const std::string &a : arguments)
            list += (list.empty() ? "" : ", ") + a;
        const std::string start = kind + " " + name + "(" + list + ")" + (result.empty() ? "" : " result(" + result + ")");
        const std::string bind = "bind(C, name=\"" + symbol + "\")";
        if (start.size() + bind.size() < lineWidth) {
            w_.line(start + " " + bind);
        } else {
            longLine(start + " &");
            w_.line("    " + bind);
        }
        w_.indent();
        w_.line("import");
    }
    void end(const std::string &kind) {
        w_.dedent();
        w_.line("end " + kind);
        w_.line();
    }

    struct Names {
        FortranNames scope;
        std::map<std::string, std::string> of; // by name in the graph
        std::vector<std::string> list;
    };
    /// Names of the arguments, following those that the function always has.
    Names names(const std::vector<Argument> &arguments, std::vector<std::string> first) const {
        Names out;
        for (const auto &[type, name] : structs_)
            out.scope.declare(name);
        for (const std::string &f : first)
            out.list.push_back(out.scope.declare(f));
        out.scope.declare(prefix_ + "_program"); // a function's name is reserved inside it
        for (const Argument &a : arguments) {
            const std::string wanted = a.isResult() ? "returned" + a.name.substr(8) : a.name;
            out.of[a.name] = out.scope.declare(wanted);
            out.list.push_back(out.of[a.name]);
        }
        return out;
    }

    /// A size, an array that it follows from, and the formula.
    struct Source {
        const Argument *size, *array;
        std::string value;
    };

    /// Declares values before arrays, whose bounds may mention them.
    void declare(const std::vector<Argument> &arguments, const Names &names, const std::vector<Source> &withExtents = {}) {
        for (const Argument &a : arguments)
            if (a.kind == ArgumentKind::Symbol || a.kind == ArgumentKind::Scalar)
                w_.line(typeOf(a.type) + ", value :: " + names.of.at(a.name));
        for (const Argument &a : arguments)
            if (a.kind == ArgumentKind::Callback)
                w_.line("type(c_funptr), value :: " + names.of.at(a.name));
            else if (a.kind == ArgumentKind::Stream || a.kind == ArgumentKind::ContainerArray ||
                     (a.isMemory() && (a.onDevice() || opaque(a))))
                w_.line("type(c_ptr), value :: " + names.of.at(a.name));
            else if (a.isMemory())
                longLine(
                    typeOf(a.type) + (a.readOnly() ? ", intent(in)" : ", intent(inout)") + (a.optional ? ", optional" : "") +
                    " :: " + names.of.at(a.name) +
                    (std::any_of(withExtents.begin(), withExtents.end(), [&](const Source &s) { return s.array->name == a.name; })
                         ? assumedShape(a)
                         : bounds(a, names)));
    }

    static std::string assumedShape(const Argument &a) {
        std::string out;
        for (std::size_t d = 0; d < a.shape.size() + (a.type.isVector() ? 1 : 0); ++d)
            out += out.empty() ? ":" : ", :";
        return "(" + out + ")";
    }

    /// A statement, continued after a comma before it gets too long.
    void longLine(std::string text) {
        while (text.size() > lineWidth) {
            const std::size_t comma = text.rfind(", ", lineWidth);
            if (comma == std::string::npos)
                break;
            w_.line(text.substr(0, comma + 2) + "&");
            text = "    " + text.substr(comma + 2);
        }
        w_.line(text);
    }

    /// Is it memory whose element type Fortran cannot express?
    static bool opaque(const Argument &a) { return a.type.isStruct() && a.type.fields().empty(); }

    /// How formulas spell symbols: those that are arguments.
    std::function<std::string(Name)> spelling(const Names &names) const {
        return [this, &names](Name symbol) -> std::string {
            for (const std::vector<Argument> *list : {&i_.arguments, &i_.sizes})
                for (const Argument &b : *list)
                    if (const auto known = names.of.find(b.name);
                        known != names.of.end() && b.name == symbol.str() && b.kind == ArgumentKind::Symbol && b.type.isInteger())
                        return known->second;
            return "";
        };
    }

    /// `(M, N)` for a row-major array [N, M]; `(*)` for other layouts and unknown extents.
    std::string bounds(const Argument &a, const Names &names) const {
        if (a.kind == ArgumentKind::Structure)
            return "";
        const auto spell = spelling(names);
        std::vector<sym::Expr> shape = a.shape, strides = a.strides;
        if (!packedFirst(shape, strides)) {
            std::reverse(shape.begin(), shape.end());
            std::reverse(strides.begin(), strides.end());
        }
        const std::string lanes = a.type.isVector() ? std::to_string(a.type.lanes()) + ", " : "";
        if (shape.empty() || !packedFirst(shape, strides))
            return a.type.isVector() ? "(" + lanes + "*)" : "(*)";
        std::string out = "(" + lanes;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            std::optional<std::string> extent = formula(shape[d], Language::Fortran, spell);
            if (!extent && d + 1 < shape.size())
                return a.type.isVector() ? "(" + lanes + "*)" : "(*)";
            out += (d ? ", " : "") + extent.value_or("*");
        }
        return out + ")";
    }

    /// Is the array packed with the first dimension varying fastest?
    static bool packedFirst(const std::vector<sym::Expr> &shape, const std::vector<sym::Expr> &strides) {
        sym::Expr expected = 1;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            if (strides[d] != expected)
                return false;
            expected *= shape[d];
        }
        return true;
    }

    void initialise() {
        w_.line("! A new instance of the program, or a null pointer when it cannot be set up.");
        Names all = names(i_.init, {});
        const std::string handle = all.scope.declare("handle");
        head("function", prefix_ + "_initialize", all.list, handle, i_.name + "_initialize");
        declare(i_.init, all);
        w_.line("type(c_ptr) :: " + handle);
        end("function");
    }

    void program(const std::string &name) {
        w_.line("! Runs the program to its end.");
        Names all = names(i_.arguments, {"handle"});
        head("subroutine", name, all.list, "", i_.name + "_program");
        w_.line("type(c_ptr), value :: " + all.list[0]);
        declare(i_.arguments, all);
        end("subroutine");
    }

    const std::string &setter(const Argument &size) const { return setters_.at(size.name); }

    /// The first array from which each size follows, one size after the other, with a variable for each. Assumed-shape
    /// dummies have extents; so the layout must be packed.
    std::vector<Source> sources(Names &names) const {
        std::vector<Source> out;
        for (bool more = true; more;) {
            more = false;
            for (const Argument &s : i_.sizes)
                for (const Argument &a : i_.arguments)
                    if (const std::string value = names.of.count(s.name) ? "" : sizeFrom(s, a, names); !value.empty()) {
                        out.push_back({&s, &a, value});
                        names.of[s.name] = names.scope.declare("size_" + s.name);
                        more = true;
                    }
        }
        return out;
    }

    std::string sizeFrom(const Argument &size, const Argument &a, const Names &names) const {
        if (!hasExtents(a))
            return "";
        const bool isReversed = !packedFirst(a.shape, a.strides);
        for (std::size_t d = 0; d < a.shape.size(); ++d) {
            const auto parts = sym::affineIn(a.shape[d], Name(size.name));
            if (!parts || parts->first.isZero())
                continue;
            const auto factor = formula(parts->first, Language::Fortran, spelling(names)),
                       fixed = formula(parts->second, Language::Fortran, spelling(names));
            if (!factor || !fixed)
                continue;
            const std::size_t lanes = a.type.isVector() ? 1 : 0, dimension = lanes + (isReversed ? a.shape.size() - d : d + 1);
            const std::string extent = "size(" + names.of.at(a.name) + ", " + std::to_string(dimension) + ", c_int64_t)";
            const std::string rest = *fixed == "0" ? extent : "(" + extent + " - (" + *fixed + "))";
            if (parts->first.isOne())
                return rest;
            return rest + " / " + (parts->first.isInteger() ? *factor : "max(int(" + *factor + ", c_int64_t), 1_c_int64_t)");
        }
        return "";
    }

    /// Can the array be an assumed-shape dummy?
    static bool hasExtents(const Argument &a) {
        if (a.kind != ArgumentKind::Array || a.onDevice() || opaque(a) || a.shape.empty())
            return false;
        std::vector<sym::Expr> shape(a.shape.rbegin(), a.shape.rend()), strides(a.strides.rbegin(), a.strides.rend());
        return packedFirst(a.shape, a.strides) || packedFirst(shape, strides);
    }

    void setters() {
        for (const Argument &s : i_.sizes) {
            w_.line(
                "! A size that the program needs but has no argument for, where it does not follow from an array; 0 on success.");
            head("function", setter(s), {"handle", "value"}, "status", i_.setter(s));
            w_.line("type(c_ptr), value :: handle");
            w_.line("integer(c_int64_t), value :: value");
            w_.line("integer(c_int) :: status");
            end("function");
            public_ += "public :: " + setter(s) + "\n";
        }
    }

    /// The program with arrays that have extents, from which sizes are set before the call.
    void programWithSizes() {
        Names all = names(i_.arguments, {"handle"});
        const std::string status = all.scope.declare("status");
        const std::vector<Source> from = sources(all);
        w_.line("! Runs the program to its end.");
        std::string list;
        for (const std::string &a : all.list)
            list += (list.empty() ? "" : ", ") + a;
        longLine("subroutine " + prefix_ + "_program(" + list + ")");
        w_.indent();
        w_.line("type(c_ptr), value :: " + all.list[0]);
        declare(i_.arguments, all, from);
        if (!from.empty())
            w_.line("integer(c_int) :: " + status);
        for (const Source &s : from)
            w_.line("integer(c_int64_t) :: " + all.of.at(s.size->name));
        for (const Source &s : from) {
            const std::string &variable = all.of.at(s.size->name), &array = all.of.at(s.array->name);
            if (s.array->optional) {
                w_.line(variable + " = 0");
                longLine("if (present(" + array + ")) " + variable + " = " + s.value);
            } else {
                longLine(variable + " = " + s.value);
            }
            w_.line(status + " = " + setter(*s.size) + "(" + all.list[0] + ", " + variable + ")");
        }
        longLine("call " + call_ + "(" + list + ")");
        w_.dedent();
        w_.line("end subroutine");
    }

    void small() {
        w_.line("! Releases everything; 0 on success.");
        head("function", prefix_ + "_finalize", {"handle"}, "status", i_.name + "_finalize");
        w_.line("type(c_ptr), value :: handle");
        w_.line("integer(c_int) :: status");
        end("function");
        w_.line("! The code of the last call's error, 0 for none.");
        head("function", prefix_ + "_error", {"handle"}, "code", i_.name + "_error");
        w_.line("type(c_ptr), value :: handle");
        w_.line("integer(c_int) :: code");
        end("function");
        head("function", prefix_ + "_text", {"handle"}, "text", i_.name + "_error_message");
        w_.line("type(c_ptr), value :: handle");
        w_.line("type(c_ptr) :: text");
        end("function");
        head("function", "c_length", {"text"}, "length", "strlen");
        w_.line("type(c_ptr), value :: text");
        w_.line("integer(c_size_t) :: length");
        end("function");
    }

    void externalMemory() {
        for (ir::Storage s : i_.external) {
            const std::string storage(ir::name(s));
            w_.line("! Bytes of memory in " + storage +
                    " that the caller provides, and the call that hands it over: before the first run.");
            Names size = names(i_.init, {"handle"});
            const std::string result = size.scope.declare("bytes");
            head("function", prefix_ + "_size_" + storage, size.list, result, "__dace_get_external_memory_size_" + storage);
            w_.line("type(c_ptr), value :: " + size.list[0]);
            declare(i_.init, size);
            w_.line("integer(c_size_t) :: " + result);
            end("function");
            Names set = names(i_.init, {"handle", "memory"});
            head("subroutine", prefix_ + "_set_" + storage, set.list, "", "__dace_set_external_memory_" + storage);
            w_.line("type(c_ptr), value :: " + set.list[0] + ", " + set.list[1]);
            declare(i_.init, set);
            end("subroutine");
            public_ += "public :: " + prefix_ + "_size_" + storage + ", " + prefix_ + "_set_" + storage + "\n";
        }
    }

    void graphInfo() {
        w_.line("! What became of a GPU graph since the handle was made; names and reasons are text of C.");
        w_.line("type, bind(c), public :: " + prefix_ + "_graph_info");
        w_.indent();
        w_.line("type(c_ptr) :: name");
        w_.line("integer(c_int64_t) :: entries, builds, launches, updates, nodes_last, used_last, host_path, iterations_last, "
                "evictions");
        w_.line("type(c_ptr) :: last_reason");
        w_.dedent();
        w_.line("end type");
        w_.line();
    }

    void communicator() {
        w_.line("! The ranks that call later initialisers: a communicator; else all of the job.");
        head("subroutine", prefix_ + "_set_communicator", {"communicator"}, "", i_.name + "_set_communicator");
        w_.line("integer(c_int), value :: communicator");
        end("subroutine");
        public_ += "public :: " + prefix_ + "_set_communicator\n";
    }

    void streams() {
        w_.line("! All work of the program on a stream of the caller.");
        head("subroutine", prefix_ + "_set_all_streams", {"handle", "stream"}, "", "__dace_gpu_set_all_streams");
        w_.line("type(c_ptr), value :: handle, stream");
        end("subroutine");
        public_ += "public :: " + prefix_ + "_set_all_streams\n";
        if (i_.graphs.empty())
            return;
        w_.line("! Counters of the program's GPU graphs: the address of `count` structures, for c_f_pointer.");
        head("function", prefix_ + "_gpu_graphs", {"handle", "count"}, "graphs", i_.name + "_gpu_graphs");
        w_.line("type(c_ptr), value :: handle");
        w_.line("integer(c_int), intent(out) :: count");
        w_.line("type(c_ptr) :: graphs");
        end("function");
        public_ += "public :: " + prefix_ + "_gpu_graphs\n";
    }

    void message() {
        w_.line("! The text of the last call's error.");
        w_.line("function " + prefix_ + "_message(handle) result(message)");
        w_.indent();
        w_.line("type(c_ptr), intent(in) :: handle");
        w_.line("character(len=:), allocatable :: message");
        w_.line("type(c_ptr) :: text");
        w_.line("character(kind=c_char), pointer :: characters(:)");
        w_.line("integer :: k");
        w_.line("text = " + prefix_ + "_text(handle)");
        w_.line("call c_f_pointer(text, characters, [c_length(text)])");
        w_.line("allocate(character(len=size(characters)) :: message)");
        w_.line("do k = 1, size(characters)");
        w_.line("    message(k:k) = characters(k)");
        w_.line("end do");
        w_.dedent();
        w_.line("end function");
    }

    const Interface &i_;
    FortranNames module_;
    std::string prefix_;
    std::string call_;                           // the program without sizes
    std::map<std::string, std::string> setters_; // by name of the size
    std::vector<std::pair<Type, std::string>> structs_;
    std::string public_;
    TextWriter w_;
};

} // namespace

std::string fortranModule(const Interface &i) { return FortranModule(i).text(); }

} // namespace sdfgc::package
