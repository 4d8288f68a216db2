// Labels the dimensions of a library node's operands. LibraryNodes.def names the function for each class; each family of classes
// has its own file.
#pragma once

#include "sdfgc/Analysis/Indexing.h"

namespace sdfgc::analysis {

class Labelling {
public:
    Labelling(const ir::LibraryNode &n, std::vector<IndexedOperand> &operands, Name addend)
        : node(n), addend(addend), operands_(operands) {}

    /// Null if there is no such operand.
    IndexedOperand *input(Name connector) { return find(connector, false); }
    IndexedOperand *output(Name connector) { return find(connector, true); }
    /// The only input or output; null if there are none or several.
    IndexedOperand *only(bool written);
    /// All inputs, by connector.
    std::vector<IndexedOperand *> inputs();

    /// A new label. Its letter is the next one of the alphabet unless given.
    int label(sym::Expr size, char letter = 0);
    bool isUnit(int label) const { return label == Indexing::none || labels[static_cast<std::size_t>(label)].size.isOne(); }
    /// Labels a dimension, unless it is broadcast along the label.
    void set(IndexedOperand &o, std::size_t dim, int label);
    /// Labels all dimensions of an operand, or all dimensions of several elements. Returns false if there are more or
    /// fewer of them than labels of several elements.
    bool setAll(IndexedOperand &o, const std::vector<int> &given);
    /// Removes all labels.
    void clear();

    std::vector<std::int64_t> integers(const char *property, bool *isGiven = nullptr) const;
    bool flag(const char *property) const;
    std::string text(const char *property) const;
    bool refuse(std::string reason, std::string advice = "");

    const ir::LibraryNode &node;
    const Name addend;
    std::vector<Indexing::Label> labels;
    std::vector<IndexedOperand *> factors;
    IndexedOperand *result = nullptr;
    bool hasOwnNames = false;
    std::string why, hint;

private:
    IndexedOperand *find(Name connector, bool written);
    std::vector<IndexedOperand> &operands_;
};

using LabelFunction = bool (*)(Labelling &);

#define SDFGC_LIBRARY_NODE_INDEXING(Label, How, Alpha, Beta, Addends) bool Label(Labelling &l);
#include "sdfgc/Analysis/LibraryNodes.def"

} // namespace sdfgc::analysis
