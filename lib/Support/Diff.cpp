#include "sdfgc/Support/Diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sdfgc {
namespace {

constexpr int maxEdits = 3000; // the search trace takes maxEdits^2 numbers

using Lines = std::vector<std::string_view>;

Lines splitLines(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

struct Edit {
    char kind; // ' ' unchanged, '-' only before, '+' only after
    std::string_view line;
};

/// A shortest edit script between the two ranges, or a complete replacement if it is longer than maxEdits.
class Search {
public:
    Search(const Lines &a, std::size_t aFrom, std::size_t aTo, const Lines &b, std::size_t bFrom, std::size_t bTo)
        : a_(a), b_(b), aFrom_(aFrom), bFrom_(bFrom), n_(static_cast<int>(aTo - aFrom)), m_(static_cast<int>(bTo - bFrom)) {}

    std::vector<Edit> run() {
        for (int d = 0; d <= std::min(n_ + m_, maxEdits); ++d)
            if (extend(d))
                return backtrack(d);
        std::vector<Edit> all;
        for (int x = 0; x < n_; ++x)
            all.push_back({'-', lineA(x)});
        for (int y = 0; y < m_; ++y)
            all.push_back({'+', lineB(y)});
        return all;
    }

private:
    std::string_view lineA(int x) const { return a_[aFrom_ + static_cast<std::size_t>(x)]; }
    std::string_view lineB(int y) const { return b_[bFrom_ + static_cast<std::size_t>(y)]; }

    /// Furthest x on diagonal k (x - y == k) after d edits, for k = -d, -d + 2, ..., d; appended to the trace.
    bool extend(int d) {
        std::vector<int> now(static_cast<std::size_t>(d) + 1);
        bool reached = false;
        for (int k = -d; k <= d; k += 2) {
            int x = start(d, k), y = x - k;
            while (x < n_ && y < m_ && lineA(x) == lineB(y))
                ++x, ++y;
            now[static_cast<std::size_t>((k + d) / 2)] = x;
            reached = reached || (x >= n_ && y >= m_);
        }
        trace_.push_back(std::move(now));
        return reached;
    }
    /// The start of diagonal k for its d-th edit: below diagonal k + 1 (an insertion) or right of k - 1 (a deletion).
    int start(int d, int k) const {
        if (d == 0)
            return 0;
        return cameFromInsertion(d, k) ? furthest(d - 1, k + 1) : furthest(d - 1, k - 1) + 1;
    }
    bool cameFromInsertion(int d, int k) const { return k == -d || (k != d && furthest(d - 1, k - 1) < furthest(d - 1, k + 1)); }
    int furthest(int d, int k) const { return trace_[static_cast<std::size_t>(d)][static_cast<std::size_t>((k + d) / 2)]; }

    std::vector<Edit> backtrack(int d) const {
        std::vector<Edit> edits; // last first
        int x = n_, y = m_;
        for (; d > 0; --d) {
            int k = x - y, from = start(d, k);
            for (; x > from; --x, --y)
                edits.push_back({' ', lineA(x - 1)});
            if (cameFromInsertion(d, k))
                edits.push_back({'+', lineB(--y)});
            else
                edits.push_back({'-', lineA(--x)});
        }
        for (; x > 0; --x)
            edits.push_back({' ', lineA(x - 1)});
        std::reverse(edits.begin(), edits.end());
        return edits;
    }

    const Lines &a_, &b_;
    std::size_t aFrom_, bFrom_;
    int n_, m_;
    std::vector<std::vector<int>> trace_;
};

std::vector<Edit> editScript(const Lines &a, const Lines &b) {
    std::size_t head = 0, shorter = std::min(a.size(), b.size());
    while (head < shorter && a[head] == b[head])
        ++head;
    std::size_t tail = 0;
    while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
        ++tail;
    std::vector<Edit> edits;
    for (std::size_t i = 0; i < head; ++i)
        edits.push_back({' ', a[i]});
    for (Edit e : Search(a, head, a.size() - tail, b, head, b.size() - tail).run())
        edits.push_back(e);
    for (std::size_t i = a.size() - tail; i < a.size(); ++i)
        edits.push_back({' ', a[i]});
    return edits;
}

/// `12,5`, or `12` for one line; an empty range names the line before it, as diff does.
std::string rangeText(std::size_t first, std::size_t count) {
    if (count == 1)
        return std::to_string(first);
    return std::to_string(count == 0 ? first - 1 : first) + "," + std::to_string(count);
}

} // namespace

std::string unifiedDiff(std::string_view before, std::string_view after, std::string_view nameBefore, std::string_view nameAfter,
                        int context) {
    if (before == after)
        return {};
    const std::vector<Edit> edits = editScript(splitLines(before), splitLines(after));
    const std::size_t around = static_cast<std::size_t>(std::max(context, 0));
    std::string out = "--- " + std::string(nameBefore) + "\n+++ " + std::string(nameAfter) + "\n";
    std::size_t lineA = 1, lineB = 1, at = 0; // lines of edits[at]
    auto skipTo = [&](std::size_t to) {
        for (; at < to; ++at) {
            lineA += edits[at].kind != '+';
            lineB += edits[at].kind != '-';
        }
    };
    auto changeFrom = [&](std::size_t i) {
        while (i < edits.size() && edits[i].kind == ' ')
            ++i;
        return i;
    };
    for (std::size_t change = changeFrom(0); change < edits.size();) {
        // A hunk: changes separated by at most 2 * context unchanged lines.
        std::size_t from = change > around ? std::max(at, change - around) : at, to = change;
        while (change < edits.size() && change <= to + 2 * around) {
            to = change + 1;
            change = changeFrom(to);
        }
        to = std::min(to + around, edits.size());
        skipTo(from);
        std::size_t startA = lineA, startB = lineB;
        skipTo(to);
        out += "@@ -" + rangeText(startA, lineA - startA) + " +" + rangeText(startB, lineB - startB) + " @@\n";
        for (std::size_t i = from; i < to; ++i)
            out += edits[i].kind + std::string(edits[i].line) + "\n";
    }
    return out;
}

} // namespace sdfgc
