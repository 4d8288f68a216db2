// Damages graphs the way that broken tools, broken disks and attackers do: a mutation changes the JSON tree of a file, or its
// bytes.
#pragma once

#include "../RandomNumbers.h"

#include "sdfgc/Support/Json.h"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::fuzz {

/// Random numbers, and how much text a hostile piece may have: one that is thrown away for its size has only cost time.
struct Random : test::RandomNumbers {
    explicit Random(uint64_t seed, std::size_t mostText = std::numeric_limits<std::size_t>::max())
        : RandomNumbers(seed), most(mostText) {}
    std::size_t most;
};

/// Names that no program should have: separators of paths, quotes, line ends, words of C++, words of shells and CMake.
std::string hostileName(Random &r);
/// Symbolic expressions out of range, endless, or no expressions at all.
std::string hostileExpression(Random &r);
/// Tasklet code that is deep, long, or no code at all.
std::string hostileCode(Random &r);

class Mutator {
public:
    /// `most`: how much text a hostile piece may have; the same seed and limit damage in the same way.
    explicit Mutator(uint64_t seed, std::size_t most = std::numeric_limits<std::size_t>::max()) : random_(seed, most) {}

    /// The text of a damaged copy of `graph`: one to four mutations of the tree, one time in sixteen of the bytes.
    std::string mutate(json::Value graph);
    /// A damaged copy of a graph's text form: lines lost, doubled, exchanged; words, brackets and numbers replaced; cut off.
    std::string mutateText(std::string text);
    /// A copy of `graph` with one to four parts of `other` in the place of parts that have the same meaning.
    std::string cross(json::Value graph, json::Value other);
    /// The same of text forms: lines of `other`, one or some in a row, among or instead of lines of `text`.
    std::string crossText(std::string text, const std::string &other);
    /// A copy of a graph, as JSON or in its text form, in which one to three names have become other names of it: containers,
    /// symbols, connectors, labels, parameters. One time in three both change places.
    std::string renameText(std::string text);
    /// One or two passes of a list are missing, doubled or elsewhere.
    void mutatePasses(std::vector<std::string> &passes);
    /// A copy with other bytes in some places, cut off, or with a part of it twice.
    std::string damageBytes(std::string text);

private:
    /// A value of the tree with the key that it stands under (that of the list for items).
    struct Spot {
        json::Value *value, *parent;
        std::size_t position; // in the parent
        std::string_view key;
    };
    std::string swapLines(std::string text);
    void collect(json::Value &root);
    void mutateTree();
    void replace(const Spot &at);
    void changeParent(const Spot &at);
    void borrow(const Spot &at, bool sameKey);
    void changeText(const Spot &at);
    std::string hostileText(std::string_view key);
    json::Value strangeValue();

    Random random_;
    std::vector<Spot> spots_;
};

} // namespace sdfgc::fuzz
