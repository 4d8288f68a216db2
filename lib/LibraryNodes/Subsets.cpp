// Nodes of Fortran front ends that treat a subset as a whole:
//
//   MemsetLibraryNode   _mset_out = 0
//   AllNode, AnyNode    _out = is every (any) element of _mask true?
//
// The nodes appear in graphs of spcl/dace-fortran (dace.libraries.standard.nodes.memset_node, allany). Their CopyLibraryNode is a
// copy, which the lowering makes.
#include "Expanders.h"
#include "Expansion.h"

namespace sdfgc::libnodes {

using namespace ir;

namespace {

Expansion::Params overAll(const Operand &o) {
    Expansion::Params params;
    for (std::size_t d = 0; d < o.rank(); ++d)
        params.emplace_back(Name("_i" + std::to_string(d)), o.shape[d]);
    return params;
}

/// One element of a bound operand, by the parameters of overAll.
std::vector<sym::Expr> element(const Operand &o) { return Expansion::elementAt(overAll(o)); }

bool expandTest(State &s, LibraryNode &n, pass::Context &c, const char *start, const char *wcr) {
    Expansion x(s, n, c);
    const Operand mask = x.input("_mask"), out = x.output("_out");
    if (!mask || !out)
        return x.refuse("an operand is missing");
    if (out.rank() != 0)
        return x.refuse("its result is one element, and its output has " + std::to_string(out.rank()) + " dimensions");
    x.bind("_mask", mask);
    x.bind("_out", out);
    x.mapped(x.addState("init"), "init", {}, {}, {{"o", "_out", {0}, ""}}, std::string("o = ") + start);
    x.mapped(x.addState("test"), "test", overAll(mask), {{"i", "_mask", element(mask), ""}}, {{"o", "_out", {0}, wcr}}, "o = i");
    x.finish();
    return true;
}

} // namespace

bool expandMemset(State &s, LibraryNode &n, pass::Context &c) {
    Expansion x(s, n, c);
    const Operand out = x.output("_mset_out");
    if (!out)
        return x.refuse("an operand is missing");
    x.bind("_mset_out", out);
    x.mapped(x.addState("set"), "set", overAll(out), {}, {{"o", "_mset_out", element(out), ""}}, "o = 0");
    x.finish();
    return true;
}

bool expandAll(State &s, LibraryNode &n, pass::Context &c) { return expandTest(s, n, c, "True", "lambda a, b: a and b"); }
bool expandAny(State &s, LibraryNode &n, pass::Context &c) { return expandTest(s, n, c, "False", "lambda a, b: a or b"); }

} // namespace sdfgc::libnodes
