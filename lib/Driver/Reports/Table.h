// Text in columns, as printed by info and run.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace sdfgc::driver {

/// Rows with aligned columns, each line indented by two.
class Table {
public:
    /// `gap`: blanks between columns.
    explicit Table(std::size_t gap = 1) : gap_(gap) {}
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    std::string str() const {
        std::vector<std::size_t> widths;
        for (const auto &cells : rows_)
            for (std::size_t c = 0; c < cells.size(); ++c) {
                widths.resize(std::max(widths.size(), c + 1));
                widths[c] = std::max(widths[c], cells[c].size());
            }
        std::string out;
        for (const auto &cells : rows_) {
            std::string line = " ";
            for (std::size_t c = 0; c < cells.size(); ++c)
                line += " " + cells[c] + std::string(widths[c] - cells[c].size() + gap_ - 1, ' ');
            line.erase(line.find_last_not_of(' ') + 1);
            out += line + "\n";
        }
        return rows_.empty() ? "  none\n" : out;
    }

private:
    std::size_t gap_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace sdfgc::driver
