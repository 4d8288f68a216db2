#include "sdfgc/Run/Arguments.h"
#include "Run/Generated.h"
#include "Run/Sizes.h"
#include "sdfgc/Run/Values.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Symbolic/Rounding.h"
#include "sdfgc/Types/Layout.h"

#include <algorithm>

namespace sdfgc::run {
namespace {

using diag::Id;

/// A parameter, or a member of one, and its value on the command line.
struct Entry {
    const tree::Param *param;
    std::string value = {};            // as given; empty: not given
    std::optional<NpyArray> file = {}; // read from `value`
    std::optional<Number> number = {};
    std::vector<Field> fields = {}; // of a structure
    bool isMember = false;
    Type type() const { return param->desc ? param->desc->dtype : param->type; }
    bool isArray() const { return param->desc && !param->desc->isScalar(); }
    bool isStructure() const { return param->desc && param->desc->isStructure(); }
    /// An array of structures can only be null.
    bool isOnlyNull() const { return param->desc && param->desc->isContainerArray(); }
};

class Preparer {
public:
    Preparer(const tree::Module &m, const ArgumentOptions &o, diag::Engine &d) : module_(m), options_(o), diags_(d) {}

    std::optional<Arguments> run() {
        const std::size_t errorsBefore = diags_.errorCount();
        auto failed = [&] { return diags_.errorCount() != errorsBefore; };
        collect();
        assign();
        for (Entry &e : entries_)
            interpret(e);
        if (failed())
            return std::nullopt;
        sizes();
        if (failed())
            return std::nullopt;
        for (const Entry &e : entries_)
            out_.all.push_back(e.isStructure() ? structure(e) : e.isArray() ? array(e) : value(e));
        for (std::size_t i = 0; i < entries_.size(); ++i)
            if (isShared(entries_[i].value))
                share(entries_[i], out_.all[i]);
        return failed() ? std::nullopt : std::optional(std::move(out_));
    }

private:
    void collect() {
        for (const tree::Param &p : params_)
            if (!find(p.name))
                entries_.push_back({.param = &p});
        const auto index = [&](const tree::Param &p) { return static_cast<std::size_t>(find(p.name) - entries_.data()); };
        for (const tree::Param &p : module_.params)
            (p.onHandle ? out_.sizes : out_.program).push_back(index(p));
        for (const tree::Param &p : module_.init)
            out_.init.push_back(index(p));
        for (Entry &e : entries_)
            if (e.isStructure())
                addFields(e);
        for (const Entry &e : entries_)
            checkKind(e);
    }

    Entry *find(Name name) {
        const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry &e) { return e.param->name == name; });
        return at != entries_.end() ? &*at : nullptr;
    }

    void addFields(Entry &e) {
        const Type type = structOf(e);
        for (const auto &[name, desc] : e.param->desc->members) {
            Entry &member = *find(Name(e.param->name.str() + "." + name.str()));
            const std::optional<int64_t> offset = type.isStruct() ? offsetOf(type, name) : std::nullopt;
            if (!offset || (desc->isArray() && !type.field(name)->isPointer())) {
                diags_.report(Id::ProgramArgumentKind, {}, member.param->name.str(), "a member of unknown place");
                continue;
            }
            member.isMember = true;
            e.fields.push_back({*offset, type.field(name)->isPointer(), static_cast<std::size_t>(&member - entries_.data())});
        }
    }

    static Type structOf(const Entry &e) { return e.type().isPointer() ? e.type().element() : e.type(); }

    void checkKind(const Entry &e) {
        const Type t = e.type(), number = t.isVector() ? t.element() : t;
        std::string what;
        if (t.isCallback())
            what = "a callback";
        else if (e.param->desc && e.param->desc->isStream())
            what = "a stream";
        else if (e.isOnlyNull() || (e.isStructure() && e.fields.size() == structOf(e).fields().size()))
            return;
        else if (e.param->desc && e.isArray() && !e.param->desc->isArray())
            what = "a structure with members that the program does not name";
        else if (!dtypeOf(number) || (t.isVector() && !e.isArray()))
            what = "of type " + t.str();
        if (!what.empty())
            diags_.report(Id::ProgramArgumentKind, {}, e.param->name.str(), what);
    }

    void assign() {
        const std::set<Name> known = valuesOf(module_);
        std::vector<std::string> names;
        for (const Entry &e : entries_)
            names.push_back(e.param->name.str());
        for (const Given &g : options_.given) {
            const auto at = std::find(names.begin(), names.end(), g.name);
            if (at != names.end()) {
                entries_[static_cast<std::size_t>(at - names.begin())].value = g.value;
                continue;
            }
            if (known.count(Name(g.name))) {
                ofShapes_.push_back(g);
                continue;
            }
            std::string list;
            for (const std::string &n : names)
                list += (list.empty() ? "`" : ", `") + n + "`";
            const std::string near = diag::nearest(g.name, names);
            diags_.report(Id::ProgramArgumentUnknown, {}, g.name,
                          !near.empty() ? "did you mean `" + near + "`?" : "its arguments are " + (list.empty() ? "none" : list));
        }
    }

    /// Reads the file or number of a value; chooses values for arguments that are not given.
    void interpret(Entry &e) {
        if (e.isStructure()) {
            if (!e.value.empty())
                wrong(e, "a structure has no value itself",
                      e.fields.empty() ? "" : "give its members, as in " + howToGive(entries_[e.fields[0].argument]));
            return;
        }
        if (e.isOnlyNull()) {
            if (e.value.empty() && !options_.otherwise.empty())
                e.value = "null";
            if (e.value != "null")
                diags_.report(Id::ProgramArgumentKind, {}, e.param->name.str(), "an array of structures").hint =
                    "if the program does not use it: --arg " + e.param->name.str() + "=null";
            return;
        }
        if (e.value.empty() && e.param->desc)
            e.value = !options_.otherwise.empty()                              ? options_.otherwise
                      : e.isArray() && isWrittenFirst(e)                       ? "zeros"
                      : e.isArray() && e.param->desc->optional.value_or(false) ? "null"
                                                                               : "";
        if (e.value.empty()) {
            if (e.param->desc)
                diags_.report(Id::ProgramArgumentMissing, {}, e.param->name.str(), howToGive(e));
            return; // the value of a symbol may follow from shapes
        }
        if (e.value.ends_with(".npy"))
            readFile(e);
        else if (isGenerator(e.value))
            checkGenerator(e);
        else if (!(e.number = parseNumber(e.value)))
            wrong(e,
                  "`" + e.value + "` is neither a file .npy, nor a number, nor `zeros`, `range`, `random`, `same:NAME` or `null`",
                  howToGive(e));
    }

    /// Return values of the program are in the caller's memory, which has no content before the call.
    bool isWrittenFirst(const Entry &e) const {
        return options_.written.count(e.param->name) != 0 || e.param->name.view().starts_with("__return");
    }

    void checkGenerator(const Entry &e) {
        if (e.value == "null" && !e.isArray())
            wrong(e, "only an array can be `null`", howToGive(e));
        if (isShared(e.value) && !e.isArray())
            wrong(e, "only an array can have the memory of another one", howToGive(e));
        if (e.value.starts_with("random:") && !boundsOf(e.value))
            wrong(e, "`" + e.value + "` should be random:LOW:HIGH with LOW < HIGH", "for instance random:-1:1");
    }

    static std::string howToGive(const Entry &e) {
        const std::string &name = e.param->name.str();
        return e.isArray() ? "--arg " + name + "=FILE.npy, or --arg " + name + "=random" : "--arg " + name + "=1";
    }

    void wrong(const Entry &e, const std::string &what, const std::string &hint = "") {
        diags_.report(Id::ProgramArgumentValue, {}, e.param->name.str(), what, hint);
    }

    void readFile(Entry &e) {
        Result<std::string> text = file::read(e.value);
        if (!text)
            return wrong(e, text.error());
        Result<NpyArray> read = parseNpy(*text);
        if (!read)
            return wrong(e, e.value + ": " + read.error());
        const Type number = e.type().isVector() ? e.type().element() : e.type();
        const Dtype wanted = *dtypeOf(number), got = read->dtype;
        if (got != wanted && !(got.kind == 'V' && wanted.kind == 'u' && got.size == wanted.size))
            return wrong(e, e.value + " holds " + got.name() + ", the program takes " + number.str(),
                         "in Python: numpy.save(file, array.astype('" + wanted.name() + "'))");
        e.file = std::move(*read);
        if (!e.isArray()) {
            if (e.file->elements() != 1)
                wrong(e, e.value + " holds " + std::to_string(e.file->elements()) + " elements, a scalar is one");
            return;
        }
        fitRank(e);
    }

    /// The shape of the file in the program's elements: vectors are one element, and an array of one element may have any rank.
    void fitRank(Entry &e) {
        std::vector<int64_t> &shape = e.file->shape;
        const std::size_t rank = e.param->desc->rank();
        if (e.type().isVector()) {
            const int64_t lanes = e.type().lanes();
            if (shape.size() == rank + 1 && shape.back() == lanes)
                shape.pop_back();
            else if (!shape.empty() && shape.back() % lanes == 0)
                shape.back() /= lanes;
            else
                return wrong(e, e.value + " has the shape " + shapeText(shape) + ", but elements are vectors of " +
                                    std::to_string(lanes));
        }
        if (shape.size() != rank && e.file->elements() == 1)
            shape.assign(rank, 1);
        if (shape.size() != rank)
            wrong(e, e.value + " has " + std::to_string(shape.size()) + " dimensions, the program's array has " +
                         std::to_string(rank));
    }

    // ---- sizes
    void sizes() {
        SizeSolver solver;
        for (const Entry &e : entries_)
            if (!e.isMember && (!e.param->desc || e.param->desc->isScalar()))
                if (std::optional<int64_t> known = integerOf(e))
                    solver.know(e.param->name, *known, "--arg " + e.param->name.str());
        for (const Given &g : ofShapes_) {
            const std::optional<Number> number = parseNumber(g.value);
            if (number && number->isInteger)
                solver.know(Name(g.name), number->integer, "--arg " + g.name);
            else
                diags_.report(Id::ProgramArgumentValue, {}, g.name, "`" + g.value + "` is not an integer",
                              "--arg " + g.name + "=1");
        }
        for (const Entry &e : entries_)
            if (e.file && e.isArray())
                for (std::size_t d = 0; d < e.file->shape.size(); ++d)
                    solver.require(e.param->desc->shape[d], e.file->shape[d], "dimension " + std::to_string(d) + " of " + e.value);
        solver.solve(diags_);
        out_.symbols = solver.values();
        for (const Entry &e : entries_)
            if (!e.param->desc && !e.number && !e.file && !out_.symbols.count(e.param->name) && e.value.empty())
                diags_.report(Id::ProgramArgumentMissing, {}, e.param->name.str(), howToGive(e));
    }

    static std::optional<int64_t> integerOf(const Entry &e) {
        if (e.number && e.number->isInteger)
            return e.number->integer;
        if (e.file && !e.isArray() && !e.type().isComplex() && e.file->dtype.kind != 'f')
            return static_cast<int64_t>(valueOf(e.type(), e.file->data));
        return std::nullopt;
    }

    // ---- contents
    Argument describe(const Entry &e) const {
        Argument a;
        a.name = e.param->name;
        a.isArray = e.isArray();
        a.isMember = e.isMember;
        if (e.isOnlyNull()) {
            a.dtype = *dtypeOf(a.type = ScalarKind::UInt8);
            return a;
        }
        const Type t = e.type();
        a.type = t.isVector() ? t.element() : t;
        a.lanes = t.isVector() ? t.lanes() : 1;
        a.dtype = *dtypeOf(a.type);
        return a;
    }

    /// Its memory, to be filled in for a call.
    static Argument structure(const Entry &e) {
        Argument a;
        a.name = e.param->name;
        a.isArray = a.isStructure = true;
        a.isMember = e.isMember;
        a.fields = e.fields;
        a.type = ScalarKind::UInt8;
        a.dtype = *dtypeOf(a.type);
        a.elements = sizeOf(structOf(e));
        a.shape = {a.elements};
        a.strides = {1};
        a.data.assign(static_cast<std::size_t>(a.elements), '\0');
        return a;
    }

    Argument value(const Entry &e) {
        Argument a = describe(e);
        a.elements = 1;
        Number n;
        if (e.file) {
            a.data = e.file->data;
            return a;
        }
        if (e.number)
            n = *e.number;
        else if (auto known = out_.symbols.find(a.name); known != out_.symbols.end())
            n = {true, known->second, static_cast<double>(known->second)};
        else if (Random random(seedOf(options_.seed, a.name.str())); e.value.starts_with("random"))
            n = drawn(e.value, a.type, random);
        else
            n = {true, 0, 0};
        if (!store(a.type, n, a.data))
            wrong(e, "`" + e.value + "` is not a value of type " + a.type.str());
        return a;
    }

    std::optional<int64_t> extent(const Entry &e, sym::Expr expression) {
        const std::optional<int64_t> v = sym::evaluate(sym::inIntegers(expression), out_.symbols);
        if (!v) {
            std::string unknown;
            for (Name n : expression.freeSymbols())
                if (!out_.symbols.count(n))
                    unknown += (unknown.empty() ? "`" : ", `") + n.str() + "`";
            wrong(e, "its size " + expression.str() + " is not known" + (unknown.empty() ? "" : " without " + unknown));
        }
        return v;
    }

    Argument array(const Entry &e) {
        Argument a = describe(e);
        const ir::DataDesc &d = *e.param->desc;
        a.isDevice = d.storage == ir::Storage::GPU_Global;
        a.isPinned = d.storage == ir::Storage::CPU_Pinned;
        a.isNull = e.value == "null";
        if (a.isNull)
            return a;
        for (std::size_t i = 0; i < d.rank(); ++i) {
            const auto size = extent(e, d.shape[i]), stride = extent(e, d.strides[i]);
            if (!size || !stride)
                return a;
            a.shape.push_back(*size);
            a.strides.push_back(*stride);
        }
        const auto total = extent(e, d.totalSize);
        if (!total)
            return a;
        a.elements = *total;
        if (const std::string problem = layoutProblem(a); !problem.empty()) {
            wrong(e, problem);
            return a;
        }
        a.data.assign(static_cast<std::size_t>(a.elements) * bytes(a), '\0');
        fill(e, a);
        return a;
    }

    static std::size_t bytes(const Argument &a) {
        return static_cast<std::size_t>(a.dtype.size) * static_cast<std::size_t>(a.lanes);
    }

    /// Reports sizes that are negative or too large, and shapes that exceed the memory described by strides and total size.
    std::string layoutProblem(const Argument &a) const {
        int64_t last = 0, first = 0;
        bool empty = false;
        for (std::size_t d = 0; d < a.shape.size(); ++d) {
            if (a.shape[d] < 0 || a.shape[d] > options_.largest)
                return "its shape would be " + shapeText(a.shape);
            empty = empty || a.shape[d] == 0;
            int64_t span = 0;
            if (a.shape[d] > 0 && __builtin_mul_overflow(a.shape[d] - 1, a.strides[d], &span))
                return "its strides would be " + shapeText(a.strides);
            if (__builtin_add_overflow(span > 0 ? last : first, span, span > 0 ? &last : &first))
                return "its strides would be " + shapeText(a.strides);
        }
        if (a.elements < 0 || a.elements > options_.largest / static_cast<int64_t>(bytes(a)))
            return "it would have " + std::to_string(a.elements) + " elements";
        if (!empty && (first < 0 || last >= a.elements))
            return "shape " + shapeText(a.shape) + " with strides " + shapeText(a.strides) + " does not fit into its " +
                   std::to_string(a.elements) + " elements";
        return {};
    }

    void share(const Entry &e, Argument &a) {
        const std::string name = e.value.substr(5);
        const Argument *other = out_.find(name);
        if (!other || !other->isArray || other->isNull || other == &a || other->sharesWith)
            return wrong(e, "`" + name + "` is not an array with its own memory", howToGive(e));
        if (other->type != a.type || other->lanes != a.lanes || other->elements != a.elements)
            return wrong(e, "`" + name + "` is not of the same type and size");
        a.data = other->data;
        a.sharesWith = static_cast<std::size_t>(other - out_.all.data());
    }

    void fill(const Entry &e, Argument &a) {
        if (e.value == "zeros" || isShared(e.value))
            return;
        const std::size_t size = bytes(a);
        Random random(seedOf(options_.seed, a.name.str()));
        int64_t count = 0;
        bool fits = true;
        forEachElement(a.shape, a.strides, [&](int64_t offset) {
            char *to = a.data.data() + static_cast<std::size_t>(offset) * size;
            if (e.file) {
                std::copy_n(e.file->data.data() + static_cast<std::size_t>(count++) * size, size, to);
                return;
            }
            std::string text;
            for (int64_t lane = 0; lane < a.lanes; ++lane, ++count)
                fits = store(a.type,
                             e.number             ? *e.number
                             : e.value == "range" ? counted(a.type, count)
                                                  : drawn(e.value, a.type, random),
                             text) &&
                       fits;
            std::copy_n(text.data(), std::min(size, text.size()), to);
        });
        if (!fits)
            wrong(e, "`" + e.value + "` contains values that " + a.type.str() + " cannot hold");
    }

    const tree::Module &module_;
    const std::vector<tree::Param> params_ = withMembers(module_);
    const ArgumentOptions &options_;
    diag::Engine &diags_;
    std::vector<Entry> entries_;
    std::vector<Given> ofShapes_; // values of symbols that are no arguments
    Arguments out_;
};

} // namespace

const Argument *Arguments::find(std::string_view name) const {
    for (const Argument &a : all)
        if (a.name.view() == name)
            return &a;
    return nullptr;
}

std::set<Name> valuesOf(const tree::Module &interface) {
    std::set<Name> out;
    for (const tree::Param &p : withMembers(interface)) {
        out.insert(p.name);
        if (p.desc && p.desc->isArray())
            out.merge(p.desc->freeSymbols());
    }
    return out;
}

std::optional<Arguments> prepare(const tree::Module &module, const ArgumentOptions &options, diag::Engine &diags) {
    return Preparer(module, options, diags).run();
}

std::optional<Arguments> inOrderOf(const tree::Module &module, Arguments arguments) {
    const auto indices = [&](const std::vector<tree::Param> &list, bool onHandle, std::vector<std::size_t> &out) {
        out.clear();
        for (const tree::Param &p : list) {
            if (p.onHandle != onHandle)
                continue;
            const Argument *a = arguments.find(p.name.view());
            if (!a)
                return false;
            out.push_back(static_cast<std::size_t>(a - arguments.all.data()));
        }
        return true;
    };
    if (!indices(module.params, false, arguments.program) || !indices(module.params, true, arguments.sizes) ||
        !indices(module.init, false, arguments.init))
        return std::nullopt;
    return arguments;
}

NpyArray gather(const Argument &a, std::string_view memory) {
    NpyArray out{a.dtype, a.shape, {}};
    const std::size_t size = static_cast<std::size_t>(a.dtype.size) * static_cast<std::size_t>(a.lanes);
    forEachElement(a.shape, a.strides,
                   [&](int64_t offset) { out.data += memory.substr(static_cast<std::size_t>(offset) * size, size); });
    if (a.lanes > 1)
        out.shape.push_back(a.lanes);
    return out;
}

} // namespace sdfgc::run
