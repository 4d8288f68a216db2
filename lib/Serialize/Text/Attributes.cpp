#include "Serialize/Text/Attributes.h"

#include "Serialize/Text/Words.h"

namespace sdfgc::serialize::text {

std::size_t appendValue(Cursor &c, std::string &json) {
    constexpr std::size_t kGood = std::string_view::npos;
    constexpr int kDeepest = 2000;
    int depth = 0;
    const std::size_t from = json.size();
    for (;;) {
        depth > 0 ? c.lines() : c.blanks();
        const char x = c.peek();
        if (c.atEnd() || x == '\n')
            return depth == 0 && json.size() > from ? kGood : c.at;
        if (x == '"') {
            const std::size_t start = c.at++;
            while (c.peek() != '"') {
                if (c.atEnd() || c.peek() == '\n')
                    return start;
                c.at += c.peek() == '\\' ? 2u : 1u;
            }
            ++c.at;
            json += c.text().substr(start, c.at - start);
        } else if (x == '[' || x == '{') {
            if (++depth > kDeepest)
                return c.at;
            json += x;
            ++c.at;
            continue; // the next character may be its end
        } else if (x == ']' || x == '}') {
            if (depth == 0)
                return json.size() > from ? kGood : c.at;
            --depth;
            json += x;
            ++c.at;
        } else if (x == ',' || x == ':') {
            if (depth == 0)
                return json.size() > from ? kGood : c.at;
            json += x;
            ++c.at;
            continue;
        } else if (const std::string_view w = c.word(); !w.empty()) {
            json += isLiteral(w) ? std::string(w) : quoted(w);
        } else if ((x >= '0' && x <= '9') || x == '-' || x == '+' || x == '.') {
            const std::size_t end = c.text().find_first_not_of("0123456789+-.eEInfity", c.at);
            json += c.text().substr(c.at, end - c.at);
            c.at = std::min(end, c.text().size());
        } else {
            return depth == 0 && json.size() > from ? kGood : c.at;
        }
        if (depth == 0)
            return kGood;
    }
}

} // namespace sdfgc::serialize::text
