// Text form of an SDFG: header, symbols, containers, global code.
#include "Serialize/DescriptorClass.h"
#include "Serialize/Fields.h"
#include "Serialize/Text/Printer.h"

#include "sdfgc/Support/Text.h"

namespace sdfgc::serialize::text {

using sdfgc::text::joined;

namespace {

constexpr std::size_t kWidest = 120;

/// ` 3 0-2`: a range for every run of consecutive numbers.
std::string runs(const std::vector<uint32_t> &numbers) {
    std::string out;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        out += ' ';
        out += std::to_string(numbers[i]);
        if (last > i)
            out += "-" + std::to_string(numbers[last]);
        i = last + 1;
    }
    return out;
}

} // namespace

// ---- lines
void Printer::line(std::string_view s) {
    text_.append(static_cast<std::size_t>(depth_) * 2, ' ');
    text_ += s;
    text_ += '\n';
}

void Printer::withItems(const std::string &head, const std::vector<std::vector<std::string>> &groups, bool opens) {
    std::vector<std::string> texts;
    std::size_t width = static_cast<std::size_t>(depth_) * 2 + head.size() + 6;
    for (const auto &items : groups)
        if (!items.empty()) {
            texts.push_back(joined(items, ", "));
            width += texts.back().size() + 2;
        }
    std::string all = joined(texts, "; ");
    if (width > kWidest && groups.size() > 0) {
        const std::string between = "\n" + std::string(static_cast<std::size_t>(depth_) * 2 + 4, ' ');
        texts.clear();
        for (const auto &items : groups)
            if (!items.empty())
                texts.push_back(joined(items, "," + between));
        all = joined(texts, ";" + between);
    }
    const std::string text = all.empty() ? head.substr(0, head.find_last_not_of(' ') + 1) : head + " with " + all;
    opens ? open(text) : line(text);
}

void Printer::code(std::string_view lines) {
    for (std::size_t from = 0;;) {
        const std::size_t end = lines.find('\n', from);
        const std::string_view one = lines.substr(from, end == std::string_view::npos ? end : end - from);
        one.empty() ? text_ += '\n', void() : line(one);
        if (end == std::string_view::npos)
            break;
        from = end + 1;
    }
}

void Printer::order(std::string_view what, const std::vector<uint32_t> &positions) {
    for (std::size_t i = 0; options_.orders && i < positions.size(); ++i)
        if (positions[i] != i)
            return line("order " + std::string(what) + runs(positions));
}

void Printer::location(AttributeText &a, const ir::DebugInfo &d, const ir::DebugInfo &otherwise) {
    if (!options_.debugInfo || d == otherwise)
        return;
    if (d == ir::DebugInfo())
        return a.add("at none");
    std::string text = "at ";
    if (d.file != file_) {
        file_ = d.file;
        text += quoted(d.file.view()) + ":";
    }
    text += std::to_string(d.startLine);
    if (d.startColumn != 0 || d.endColumn != 0)
        text += ":" + std::to_string(d.startColumn);
    if (d.endLine != d.startLine)
        text += "-" + std::to_string(d.endLine) + (d.startColumn != 0 || d.endColumn != 0 ? ":" + std::to_string(d.endColumn) : "");
    else if (d.endColumn != 0)
        text += "-" + std::to_string(d.endColumn);
    a.add(text);
}

// ---- SDFGs
void Printer::graph(const ir::SDFG &g) {
    ValueText values(g);
    ValueText *outer = std::exchange(values_, &values);
    static const std::unique_ptr<ir::SDFG> defaults = [] {
        auto d = std::make_unique<ir::SDFG>(Name());
        d->usesExplicitControlFlow = true;
        return d;
    }();
    AttributeText a(values);
    if (g.level != ir::Level::Loaded)
        a.add(ir::name(g.level));
    a.without({"arg_names", "global_code", "init_code", "exit_code", "_meta_sdfgc_level"});
    graphFields(a, g, std::as_const(*defaults));
    a.extra(g.extra);
    location(a, g.debugInfo);
    const std::string arguments = joined(g.argNames);
    open("sdfg " + g.name.str() + (arguments.empty() ? "" : "(" + arguments + ")") + a.take());
    declarations(g);
    region(g);
    close();
    values_ = outer;
}

void Printer::stateAlone(const ir::SDFG &g, const ir::State &s) {
    ValueText values(g);
    values_ = &values;
    block(s);
    values_ = nullptr;
}

void Printer::declarations(const ir::SDFG &g) {
    symbols(g);
    hints(g);
    for (const auto &[name, c] : g.constants)
        container("constant", name, c.desc, std::string(values_->of(c.value)));
    for (const auto &[name, d] : g.arrays)
        container(d.isView() ? "view" : d.isReference() ? "reference" : d.transient ? "transient" : "argument", name, d);
    for (const auto &[where, codes] : {std::pair("global", &g.globalCode), {"init", &g.initCode}, {"exit", &g.exitCode}})
        for (const ir::TargetCode &c : *codes)
            globalCode(where, c);
}

/// One line per run of symbols of one type, which keeps their order.
void Printer::symbols(const ir::SDFG &g) {
    for (auto it = g.symbols.begin(); it != g.symbols.end();) {
        const Type type = it->second;
        std::string names;
        for (; it != g.symbols.end() && it->second == type && names.size() < kWidest - 20; ++it)
            names += (names.empty() ? "" : ", ") + it->first.str();
        line("symbol " + names + ": " + typeText(type, *values_));
    }
}

void Printer::hints(const ir::SDFG &g) {
    for (const auto &[name, f] : g.symbolHints) {
        AttributeText a(*values_);
        for (const auto &[holds, word] :
             {std::pair(f.nonnegative, "nonnegative"), {f.positive, "positive"}, {f.nonzero, "nonzero"}})
            if (holds)
                a.add(word);
        for (const auto &[key, value] : f.other)
            a.add(quoted(key), value);
        line("assume " + name.str() + (f.type ? ": " + typeText(f.type, *values_) : "") + a.take());
    }
}

std::string Printer::typeText(Type t, ValueText &values) {
    switch (t.kind()) {
    case TypeKind::Scalar:
        return std::string(scalarTypeName(t.scalar()));
    case TypeKind::Vector:
        return "vector(" + typeText(t.element(), values) + ", " + t.lanesText() + ")";
    case TypeKind::Pointer:
        return "pointer(" + typeText(t.element(), values) + ")";
    case TypeKind::Opaque:
        return "opaque(" + quoted(t.name().view()) + ")";
    case TypeKind::Struct:
    case TypeKind::Callback:
        break;
    }
    return values.of(t);
}

/// `transient A: float64[N, M] (GPU_Global, strides = [1, N])`; classes other than Scalar and Array are named before the element
/// type.
void Printer::container(std::string_view word, Name name, const ir::DataDesc &d, const std::string &value) {
    ir::DataDesc defaults;
    defaults.kind = d.kind;
    ir::DataDesc dense = ir::DataDesc::array(d.dtype, d.shape);
    defaults.strides = std::move(dense.strides);
    defaults.offset = std::move(dense.offset);
    defaults.totalSize = dense.totalSize;
    defaults.transient = word != "argument" && word != "constant";
    const std::string_view className = descriptorClassName(d), plain = descriptorClassName(defaults);
    const bool one = d.shape.size() == 1 && d.shape[0].isOne();
    const bool isPlain = d.isArray() || (d.isScalar() && one); // an element type with a shape means an array
    std::string type = typeText(d.dtype, *values_);
    if (!((d.isScalar() || d.isStructure()) && one))
        type += "[" + values_->exprs.of(d.shape) + "]";
    const bool aliased = (word == "view" || word == "reference") && d.className.empty();
    if (!isPlain || (className != plain && !aliased))
        type = label(aliased ? plain : className) + " " + type;
    AttributeText a(*values_);
    if (d.storage != ir::Storage::Default)
        a.add(ir::name(d.storage));
    if (d.lifetime != ir::Lifetime::Scope)
        a.add(ir::name(d.lifetime));
    a.without({"dtype", "shape", "storage", "lifetime"});
    descriptorFields(a, d, std::as_const(defaults));
    a.extra(d.extra);
    location(a, d.debugInfo);
    line(std::string(word) + " " + label(name.view()) + ": " + type + a.take() + (value.empty() ? "" : " = " + value));
}

void Printer::globalCode(const char *where, const ir::TargetCode &c) {
    std::string head = std::string(where) + " " + label(c.target.view());
    if (c.code.language() != ir::Language::CPP)
        head += " (" + std::string(ir::name(c.code.language())) + ")";
    if (hasControls(c.code.text()) || c.code.text().empty())
        return line(head + ": " + quoted(c.code.text()));
    open(head);
    code(c.code.text());
    close();
}

} // namespace sdfgc::serialize::text

namespace sdfgc::serialize {

std::string print(const ir::SDFG &g, const PrintOptions &o) {
    text::Printer p(o);
    p.graph(g);
    return p.take();
}

} // namespace sdfgc::serialize
