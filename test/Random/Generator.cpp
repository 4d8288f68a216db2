#include "Generator.h"

#include "Maker.h"
#include "Offsets.h"
#include "Structures.h"

#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Serialize/Text.h"

#include <stdexcept>

namespace sdfgc::random {

void addInside(Lines &to, const Lines &what) {
    for (const std::string &line : what)
        to.push_back("  " + line);
}

std::string whole(const Container &c) {
    std::vector<std::string> parts;
    for (const Index &extent : c.shape)
        parts.push_back("0:" + extent.text);
    return c.isScalar() ? "0" : joined(parts);
}

std::string memlet(const Container &c, const std::string &subset) { return c.name + "[" + subset + "]"; }

Container &GraphMaker::argument(const std::string &name, const std::string &type, std::vector<Index> shape, bool isWritten) {
    Container &c = containers_.emplace_back();
    c.name = name;
    c.type = type;
    c.shape = std::move(shape);
    c.isArgument = true;
    c.isWritten = isWritten;
    return c;
}

void GraphMaker::symbol(const std::string &name, Values low, Values high, bool isSize) {
    symbols_.push_back(Index::symbol(name, low, high));
    if (isSize)
        sizes_.push_back(symbols_.back());
}

void GraphMaker::counter(const std::string &name, int64_t bound) {
    Values low{}, high{};
    high.fill(bound - 1);
    counters_.emplace_back(Index::symbol(name, low, high), bound);
}

void GraphMaker::realSymbol(const std::string &name) {
    realSymbols_.push_back(name);
    reals_.push_back(name);
}

namespace {

std::string declaration(const Container &c) {
    std::vector<std::string> shape;
    for (const Index &extent : c.shape)
        shape.push_back(extent.text);
    return c.name + ": " + c.prefix + c.type + (c.isScalar() ? "" : "[" + joined(shape) + "]") +
           (c.attributes.empty() ? "" : " (" + c.attributes + ")");
}

} // namespace

Lines GraphMaker::write(int blocks, const std::function<void(Lines &)> &more) {
    Lines content;
    for (const auto &[index, bound] : counters_)
        loopNames_.push_back(index.text);
    if (!counters_.empty()) {
        content.push_back("state " + label("start") + " {}");
        for (const auto &[index, bound] : counters_)
            content.push_back(index.text + " = " + std::to_string(random_.below(static_cast<std::size_t>(bound))));
        emptyState(content);
    }
    if (shared_.flavour.gpu && shared_.depth == 0)
        moveToDevice(content);
    writeOutputs(content);
    region(content, blocks, 0, false);
    if (more)
        more(content);
    if (shared_.flavour.gpu && shared_.depth == 0)
        moveBack(content);

    std::vector<std::string> given, arguments;
    for (const Index &s : symbols_)
        given.push_back(s.text);
    for (const Container &c : containers_)
        if (c.isArgument)
            arguments.push_back(c.name);
    Lines inside;
    if (!given.empty())
        inside.push_back("symbol " + joined(given) + ": int64");
    if (!loopNames_.empty())
        inside.push_back("symbol " + joined(loopNames_) + ": int64");
    for (const std::vector<std::string> *names : {&realSymbols_, &realNames_})
        if (!names->empty())
            inside.push_back("symbol " + joined(*names) + ": float64");
    for (const Container &c : containers_)
        if (c.isArgument)
            inside.push_back("argument " + declaration(c));
    for (const Container &c : containers_)
        if (!c.isArgument)
            inside.push_back(c.keyword + " " + declaration(c));
    inside.insert(inside.end(), content.begin(), content.end());
    Lines out{"sdfg " + name_ + " {"};
    addInside(out, inside);
    out.emplace_back("}");
    return out;
}

namespace {

const char *const types[] = {"float64", "float64", "float32", "int32", "int64", "int64", "uint8", "bool", "complex128", "float16"};

Index randomExtent(Random &random, const std::vector<Index> &sizes) {
    switch (random.below(6)) {
    case 0:
        return Index::constant(random.between(1, 6));
    case 1:
        return random.pick(sizes) + 1;
    case 2:
        return 2 * random.pick(sizes);
    default:
        return random.pick(sizes);
    }
}

std::unique_ptr<ir::SDFG> graphOf(const std::string &program) {
    diag::Engine diags;
    std::unique_ptr<ir::SDFG> graph = serialize::readText(program, "program", diags);
    if (!graph)
        throw std::runtime_error("the program cannot be read:\n" + program);
    return graph;
}

/// The program with arrays whose indices do not start at 0.
std::string shifted(const std::string &program, Random &random) {
    const std::unique_ptr<ir::SDFG> graph = graphOf(program);
    shiftIndices(*graph, random);
    return serialize::print(*graph);
}

/// The program with members of a structure instead of some transients.
std::string bundled(const std::string &program, Random &random) {
    const std::unique_ptr<ir::SDFG> graph = graphOf(program);
    return bundle(*graph, random) ? serialize::print(*graph) : program;
}

/// The program as one that is called with some arguments in a structure.
std::string called(const std::string &program, Random &random) {
    return serialize::print(*passStructure(graphOf(program), random));
}

} // namespace

Generated generate(uint64_t seed) {
    Shared shared{Random(seed), {}};
    Random &random = shared.random;
    shared.flavour.gpu = random.oneIn(4);
    shared.types = Random(seed + 2);
    shared.mixed = shared.types.oneIn(2);
    shared.more = Random(seed + 3);
    shared.bodies = shared.more.oneIn(2);
    shared.further = Random(seed + 5);
    shared.forms = shared.further.oneIn(2);
    shared.bodies = shared.bodies || shared.forms;
    Generated out;
    out.flavour = shared.flavour;
    out.sizes.resize(kSizes);
    GraphMaker maker(shared, "p");
    std::vector<Index> sizes;
    for (const char *name : {"N", "M"}) {
        Values value{};
        for (std::size_t k = 0; k < kSizes; ++k) {
            value[k] = random.between(1, k == 0 ? 7 : 11);
            out.sizes[k][name] = value[k];
        }
        maker.symbol(name, value, value, true);
        sizes.push_back(Index::symbol(name, value, value));
    }
    const std::size_t arguments = 2 + random.below(4);
    for (std::size_t k = 0; k < arguments; ++k) {
        std::vector<Index> shape;
        for (std::size_t rank = 1 + random.below(k % 3 == 2 ? 3 : 2); rank > 0; --rank)
            shape.push_back(randomExtent(random, sizes));
        Container &c = maker.argument(std::string(1, static_cast<char>('A' + k)), random.pick(types), shape, true);
        c.accumulates = k > 0 && c.type != "uint8" && c.type != "float16" && random.oneIn(3);
        if (shape.size() == 2 && random.oneIn(4))
            c.attributes = "strides = [1, \"" + shape[0].text + "\"]";
    }
    if (random.oneIn(3))
        maker.argument("x", random.pick(types), {}, true).isWritable = false;
    for (int k = 0; k < 2; ++k)
        maker.counter("s" + std::to_string(k), random.between(1, 5));
    out.text = joined(maker.write(static_cast<int>(1 + random.below(3))), "\n") + "\n";
    if (Random shifts(seed + 1); shifts.oneIn(4))
        out.text = shifted(out.text, shifts);
    if (Random bundles(seed + 4); !out.flavour.gpu && bundles.oneIn(3))
        out.text = bundled(out.text, bundles);
    if (Random passed(seed + 6); !out.flavour.gpu && passed.oneIn(5))
        out.text = called(out.text, passed);
    return out;
}

} // namespace sdfgc::random
