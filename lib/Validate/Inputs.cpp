#include "sdfgc/Validate/Inputs.h"

#include "Validate/Values.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Support/File.h"

#include <algorithm>

namespace sdfgc::validate {
namespace {

using Sizes = std::map<Name, int64_t>;

constexpr std::size_t mostNamed = 20; // symbols in the name of an input

} // namespace

/// How the symbols of an input get their values.
struct InputMaker::Pattern {
    int64_t low, high; // equal: all have this value; otherwise each has a different one in between
    Values values;
    Name alone = {}; // the symbol whose value differs from all others: `value`
    int64_t value = 0;
};

InputMaker::Pattern InputMaker::patternOf(int number, run::Random &random) {
    // Programs with conditions on their symbols are more likely to accept equal ones.
    static constexpr struct {
        int64_t low, high;
        Values values;
    } beginning[] = {{5, 5, Values::Plain},   {17, 17, Values::Special}, {1, 1, Values::Real},  {2, 7, Values::Plain},
                     {3, 3, Values::Extreme}, {2, 2, Values::Ordered},   {8, 8, Values::Real},  {0, 0, Values::Plain},
                     {9, 9, Values::Special}, {1, 9, Values::Ordered},   {32, 32, Values::Real}};
    if (number < static_cast<int>(std::size(beginning)))
        return {beginning[number].low, beginning[number].high, beginning[number].values};
    const auto values = static_cast<Values>(random.next() % 5);
    switch (number % 4) {
    case 0:
        return {0, 4, values};
    case 1:
        return {1, 12, values};
    case 2:
        return {10, 40, values};
    default: {
        const auto size = static_cast<int64_t>(1 + random.next() % 40);
        return {size, size, values};
    }
    }
}

namespace {

bool isSymbolIn(const std::vector<sym::Expr> &list, Name symbol) {
    return std::any_of(list.begin(), list.end(), [&](sym::Expr e) { return e.dependsOn(symbol); });
}

std::optional<int64_t> packedStride(const ir::DataDesc &d, std::size_t dimension, const Sizes &sizes) {
    int64_t stride = 1;
    for (std::size_t inner = dimension + 1; inner < d.rank(); ++inner) {
        const std::optional<int64_t> extent = sym::evaluate(d.shape[inner], sizes);
        if (!extent)
            return std::nullopt;
        stride *= std::max<int64_t>(*extent, 1);
    }
    return stride;
}

/// The smallest extent other than 1, which indices may have to respect.
int64_t indicesOf(const run::Arguments &arguments) {
    int64_t least = 10;
    for (const run::Argument &a : arguments.all)
        for (int64_t extent : a.shape)
            if (extent > 1)
                least = std::min(least, extent);
    return least;
}

void addSymbol(tree::Module &interface, Name symbol, Type type) {
    const auto isIt = [&](const tree::Param &p) { return p.name == symbol; };
    if (std::none_of(interface.params.begin(), interface.params.end(), isIt) &&
        std::none_of(interface.init.begin(), interface.init.end(), isIt))
        interface.params.push_back({.name = symbol, .cName = symbol, .type = type});
}

/// Adds symbols that only sizes of arrays mention: the graph will use them once library nodes are expanded. `all`: the parameters
/// and their members.
void addSizes(tree::Module &interface, const std::vector<tree::Param> &all) {
    std::set<Name> sizes;
    for (const tree::Param &p : all)
        if (p.desc && p.desc->isArray())
            sizes.merge(p.desc->freeSymbols());
    for (Name symbol : sizes)
        addSymbol(interface, symbol, ScalarKind::Int64);
}

/// The interface with all symbols that the caller could set: library nodes mention some in their properties.
tree::Module interfaceOf(const ir::SDFG &graph) {
    tree::Module interface = run::interfaceOf(graph);
    std::set<Name> inside;
    for (const auto &[symbol, type] : analysis::definedSymbols(graph))
        inside.insert(symbol);
    for (const auto &[symbol, type] : graph.symbols)
        if (!inside.contains(symbol) && type.isNumeric())
            addSymbol(interface, symbol, type);
    return interface;
}

} // namespace

InputMaker::InputMaker(const ir::SDFG &graph, const InputOptions &options) : InputMaker(interfaceOf(graph), options) {
    for (const auto &[name, constant] : graph.constants)
        if (const auto number = run::parseNumber(constant.value.isObject() ? "" : constant.value.text());
            number && number->isInteger)
            constants_.emplace(name, number->integer);
}

InputMaker::InputMaker(tree::Module interface, const InputOptions &options) : interface_(std::move(interface)), options_(options) {
    all_ = run::withMembers(interface_);
    addSizes(interface_, all_);
    const auto onlyStride = [&](Name symbol) {
        bool stride = false;
        for (const tree::Param &p : all_)
            if (p.desc && p.desc->isArray()) {
                if (isSymbolIn(p.desc->shape, symbol))
                    return false;
                stride = stride || std::any_of(p.desc->strides.begin(), p.desc->strides.end(),
                                               [&](sym::Expr e) { return e.isSymbol(symbol); });
            }
        return stride;
    };
    for (const auto *list : {&interface_.params, &interface_.init})
        for (const tree::Param &p : *list)
            if (!p.desc && std::none_of(symbols_.begin(), symbols_.end(), [&](const auto *s) { return s->name == p.name; }))
                (onlyStride(p.name) ? strides_ : symbols_).push_back(&p);
}

std::optional<Input> InputMaker::next() {
    const bool takesNothing = interface_.params.empty() && interface_.init.empty();
    const int most = takesNothing ? 1 : options_.attempts;
    while (done_ < most || edgesDone_ < edges()) {
        const bool isEdge = edgesDone_ < edges() && done_ >= std::min(most, 3);
        if (std::optional<Input> made = isEdge ? edge(edgesDone_++) : attempt(done_++))
            return made;
    }
    return std::nullopt;
}

std::optional<run::Arguments> InputMaker::prepare(const run::ArgumentOptions &options) {
    diag::Engine diags;
    std::optional<run::Arguments> arguments = run::prepare(interface_, options, diags);
    if (!arguments)
        problem_ = diags.all().empty() ? "" : diags.all().front().message;
    return arguments;
}

std::optional<Input> InputMaker::given() {
    if (options_.folder.empty())
        return std::nullopt;
    const Result<std::vector<run::Given>> read = readInput(options_.folder);
    if (!read) {
        problem_ = read.error();
        return std::nullopt;
    }
    std::optional<run::Arguments> arguments = prepare({.given = *read, .otherwise = "zeros"});
    return arguments ? std::optional(Input{.name = options_.folder, .arguments = std::move(*arguments)}) : std::nullopt;
}

std::optional<Input> InputMaker::attempt(int number) {
    run::Random random(options_.seed * 1000003 + static_cast<uint64_t>(number));
    const Pattern pattern = patternOf(number, random);
    return make(pattern, random, number % 2 == 1);
}

/// One symbol is 0 or 1; all others are larger.
std::optional<Input> InputMaker::edge(std::size_t number) {
    run::Random random(options_.seed * 1000003 + 500000 + number);
    return make({5, 5, Values::Plain, symbols_[number / 2]->name, static_cast<int64_t>(number % 2)}, random, false);
}

std::optional<Input> InputMaker::make(const Pattern &pattern, run::Random &random, bool shares) {
    Input input;
    Sizes sizes;
    run::ArgumentOptions options;
    options.otherwise = "zeros";
    options.largest = options_.largest;
    const auto give = [&](const tree::Param &p, int64_t value) {
        const auto constant = constants_.find(p.name);
        const int64_t v = constant != constants_.end() ? constant->second : p.type.isBool() ? value % 2 : value;
        sizes.emplace(p.name, v);
        options.given.push_back({p.name.str(), std::to_string(v)});
        if (symbols_.size() + strides_.size() <= mostNamed)
            input.name += p.name.str() + "=" + std::to_string(v) + " ";
    };
    if (symbols_.size() + strides_.size() > mostNamed)
        input.name = std::to_string(symbols_.size() + strides_.size()) + " symbols from " + std::to_string(pattern.low) + " to " +
                     std::to_string(pattern.high) + ", ";
    for (const tree::Param *p : symbols_) {
        const int64_t drawn =
            pattern.low + static_cast<int64_t>(random.next() % static_cast<uint64_t>(pattern.high - pattern.low + 1));
        give(*p, p->name == pattern.alone ? pattern.value : drawn);
    }
    for (const tree::Param *p : strides_) {
        int64_t most = 1;
        for (const tree::Param &array : all_)
            for (std::size_t d = 0; array.desc && d < array.desc->strides.size(); ++d)
                if (array.desc->strides[d].isSymbol(p->name))
                    most = std::max(most, packedStride(*array.desc, d, sizes).value_or(1));
        give(*p, most);
    }
    std::optional<run::Arguments> arguments = prepare(options);
    if (!arguments)
        return std::nullopt;
    if (shares)
        share(*arguments, random, input.name);
    Filler filler(pattern.values, indicesOf(*arguments), options_.finite, random.next());
    for (run::Argument &a : arguments->all)
        if (!sizes.contains(a.name) && !a.isStructure)
            filler.fill(a);
    for (run::Argument &a : arguments->all)
        if (a.sharesWith)
            a.data = arguments->all[*a.sharesWith].data;
    input.name += std::string(name(pattern.values)) + " values";
    input.arguments = std::move(*arguments);
    input.exact = pattern.values == Values::Plain || pattern.values == Values::Ordered;
    return input;
}

/// Makes arrays that may share memory do so.
void InputMaker::share(run::Arguments &arguments, run::Random &random, std::string &name) const {
    const auto mayShare = [&](const run::Argument &a) {
        return a.isArray && !a.isNull && !a.sharesWith && !a.isStructure &&
               std::any_of(all_.begin(), all_.end(),
                           [&](const tree::Param &p) { return p.name == a.name && p.desc && p.desc->mayAlias; });
    };
    for (std::size_t i = 0; i < arguments.all.size(); ++i)
        for (std::size_t k = i + 1; k < arguments.all.size() && mayShare(arguments.all[i]); ++k) {
            const run::Argument &a = arguments.all[i];
            run::Argument &b = arguments.all[k];
            if (!mayShare(b) || a.type != b.type || a.lanes != b.lanes || a.elements != b.elements || random.next() % 3 == 0)
                continue;
            b.sharesWith = i;
            name += b.name.str() + "=same:" + a.name.str() + " ";
        }
}

Result<void> writeInput(const Input &input, const std::string &folder) {
    std::string values;
    for (const run::Argument &a : input.arguments.all) {
        const std::string &name = a.name.str();
        if (a.isStructure)
            continue;
        if (a.isNull)
            values += name + "=null\n";
        else if (a.sharesWith)
            values += name + "=same:" + input.arguments.all[*a.sharesWith].name.str() + "\n";
        else if (!a.isArray && !a.type.isComplex() && !a.type.isFloat())
            values += name + "=" + run::textOf(a.type, a.data) + "\n";
        else if (Result<void> done = file::writeAtomic(file::join(folder, name + ".npy"), run::npyText(run::gather(a, a.data)));
                 !done)
            return done;
    }
    return file::writeAtomic(file::join(folder, "values"), values);
}

Result<std::vector<run::Given>> readInput(const std::string &folder) {
    const Result<std::vector<std::string>> files = file::list(folder);
    if (!files)
        return Failure{files.error()};
    std::vector<run::Given> given;
    for (const std::string &f : *files)
        if (f.ends_with(".npy"))
            given.push_back({f.substr(0, f.size() - 4), file::join(folder, f)});
    if (std::find(files->begin(), files->end(), "values") == files->end())
        return given;
    const Result<std::string> values = file::read(file::join(folder, "values"));
    if (!values)
        return Failure{values.error()};
    for (std::size_t at = 0; at < values->size();) {
        const std::size_t end = std::min(values->find('\n', at), values->size());
        const std::string line = values->substr(at, end - at);
        const std::size_t equals = line.find('=');
        at = end + 1;
        if (equals != std::string::npos)
            given.push_back({line.substr(0, equals), line.substr(equals + 1)});
        else if (!line.empty())
            return Failure{file::join(folder, "values") + ": `" + line + "` should be NAME=VALUE"};
    }
    return given;
}

} // namespace sdfgc::validate
