#include "Driver/Reports/Remarks.h"

#include "sdfgc/Support/Json.h"
#include "sdfgc/Support/OrderedMap.h"

#include <algorithm>
#include <set>

namespace sdfgc::driver {
namespace {

std::string codeOf(const pass::Remark &r) { return std::string(diag::info(r.why).code); }

/// `main: state s, map m[i] (prog.py:7:5)`; columns count from 1.
std::string placed(const std::string &element, const diag::SourceLoc &source) {
    if (!source.known())
        return element;
    return element + " (" + source.file.str() + ":" + std::to_string(source.line) + ":" + std::to_string(source.column + 1) + ")";
}
std::string placed(const pass::Remark &r) { return placed(r.element, r.source); }

json::Value asJson(const pass::Remark &r) {
    json::Value v = json::Value::object();
    v.set("pass", r.pass);
    v.set("kind", r.missed() ? "missed" : "done");
    if (r.missed())
        v.set("code", codeOf(r));
    v.set("element", r.element);
    if (r.source.known())
        v.set("source", diag::sourceJson(r.source));
    v.set("text", r.text);
    if (r.loss)
        v.set("bytes", r.loss->str());
    if (!r.hint.empty())
        v.set("hint", r.hint);
    return v;
}

/// Documents in the format of LLVM's remarks; texts are quoted as in JSON, which is valid YAML.
std::string asYaml(const pass::Remark &r) {
    std::string out = r.missed() ? "--- !Missed\n" : "--- !Done\n";
    const auto line = [&out](const char *key, const std::string &value) {
        out += std::string(key) + ": ";
        json::appendQuoted(out, value);
        out += '\n';
    };
    line("pass", r.pass);
    if (r.missed())
        line("code", codeOf(r));
    line("element", r.element);
    if (r.source.known())
        out += "source: " + diag::sourceJson(r.source).dump() + "\n";
    line("text", r.text);
    if (r.loss)
        line("bytes", r.loss->str());
    if (!r.hint.empty())
        line("hint", r.hint);
    return out + "...\n";
}

/// `fuse-nests: not done: WHAT: WHY [dependence]`
std::string lineOf(const pass::Remark &r) {
    return r.pass + ": " + (r.missed() ? "not done: " + r.text + " [" + codeOf(r) + "]" : r.text);
}

/// Elements in the order in which passes processed them, each with the changes to it.
std::string byElement(const std::vector<pass::Remark> &remarks) {
    OrderedMap<std::string, std::string> lines;
    for (const pass::Remark &r : remarks)
        lines[placed(r)] += "  " + lineOf(r) + "\n";
    std::string out;
    for (const auto &[element, text] : lines)
        out += element + "\n" + text;
    return out;
}

/// Adds a result to a SARIF log. The rule of an applied change is its pass; that of a missed one is the code of the reason. SARIF's
/// level for an opportunity for improvement is `note`.
void addResult(const pass::Remark &r, diag::SarifLog &log) {
    const std::string id = r.missed() ? codeOf(r) : r.pass;
    json::Value v = log.result(id, [&] {
        json::Value rule = diag::single("id", id);
        if (r.missed())
            rule.set("help", diag::single("text", std::string(diag::info(r.why).hint)));
        return rule;
    });
    json::Value where = json::Value::object(), properties = json::Value::object();
    v.set("level", "note");
    v.set("message", diag::single("text", lineOf(r)));
    if (r.source.known())
        where.set("physicalLocation", diag::sarifPhysical(r.source));
    if (!r.element.empty())
        where.set("logicalLocations", json::Value::array({diag::single("fullyQualifiedName", r.element)}));
    if (!where.members().empty())
        v.set("locations", json::Value::array({std::move(where)}));
    properties.set("pass", r.pass);
    properties.set("kind", r.missed() ? "missed" : "done");
    if (r.loss)
        properties.set("bytes", r.loss->str());
    if (!r.hint.empty())
        properties.set("hint", r.hint);
    v.set("properties", std::move(properties));
    log.add(std::move(v));
}

/// Missed optimisations at one element.
struct Missed {
    std::string element; // with its location
    std::vector<const pass::Remark *> remarks;
    std::optional<sym::Expr> loss; // the greatest one
    int64_t size = -1;             // size of the loss, only used for sorting: every symbol counts as a thousand
};

int64_t sizeOf(const sym::Expr &e) {
    std::map<Name, sym::Expr> thousands;
    for (const Name n : e.freeSymbols())
        thousands.emplace(n, 1000);
    return sym::substitute(e, thousands).asInt().value_or(-1);
}

std::vector<Missed> missedByElement(const std::vector<pass::Remark> &remarks) {
    std::vector<Missed> out;
    std::map<std::string, std::size_t> position;
    for (const pass::Remark &r : remarks) {
        if (!r.missed())
            continue;
        const auto at = position.emplace(placed(r), out.size()).first->second;
        if (at == out.size())
            out.push_back({placed(r), {}, {}});
        Missed &m = out[at];
        const auto isSame = [&r](const pass::Remark *o) { return o->pass == r.pass && o->text == r.text && o->why == r.why; };
        if (std::none_of(m.remarks.begin(), m.remarks.end(), isSame)) // passes run more than once
            m.remarks.push_back(&r);
        if (const int64_t size = r.loss ? sizeOf(*r.loss) : -1; size > m.size) {
            m.loss = r.loss;
            m.size = size;
        }
    }
    std::stable_sort(out.begin(), out.end(), [](const Missed &a, const Missed &b) { return a.size > b.size; });
    return out;
}

constexpr std::size_t listedLoops = 10; // in the summary
constexpr std::size_t shortSum = 3;     // terms
constexpr std::size_t longestWork = 80; // characters

int64_t staying(const pass::LoopCounts &loops) {
    int64_t sum = 0;
    for (const auto &[why, count] : loops.stay)
        sum += count;
    return sum;
}

/// The reasons of loops that stay, most frequent first.
std::vector<std::pair<diag::Why, int64_t>> byCount(const pass::LoopCounts &loops) {
    std::vector<std::pair<diag::Why, int64_t>> out(loops.stay.begin(), loops.stay.end());
    std::stable_sort(out.begin(), out.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    return out;
}

std::vector<pass::LoopCounts::Loop> byWork(const pass::LoopCounts &loops) {
    std::vector<pass::LoopCounts::Loop> out = loops.outside;
    std::erase_if(out, [](const auto &l) { return sizeOf(l.work) <= 0; });
    std::stable_sort(out.begin(), out.end(), [](const auto &a, const auto &b) { return sizeOf(a.work) > sizeOf(b.work); });
    if (out.size() > listedLoops)
        out.resize(listedLoops);
    return out;
}

/// A long sum as its largest term, and a formula that is still long as a number.
std::string leading(sym::Expr e) {
    const auto terms = e.operands();
    if (e.kind() == sym::SymbolicKind::Add && terms.size() > shortSum)
        e = *std::max_element(terms.begin(), terms.end(), [](sym::Expr a, sym::Expr b) { return sizeOf(a) < sizeOf(b); });
    const std::string text = e.str();
    return text.size() <= longestWork ? text : std::to_string(sizeOf(e)) + " (for symbols of 1000)";
}

/// `loops: 53, of which 42 became maps and 11 stay (dependence 8, small 3)`
std::string loopSummary(const pass::LoopCounts &loops) {
    std::string reasons;
    for (const auto &[why, count] : byCount(loops))
        reasons += (reasons.empty() ? " (" : ", ") + std::string(diag::info(why).code) + " " + std::to_string(count);
    return "loops: " + std::to_string(loops.maps + staying(loops)) + ", of which " + std::to_string(loops.maps) +
           " became maps and " + std::to_string(staying(loops)) + " stay" + reasons + (reasons.empty() ? "" : ")");
}

std::string loopText(const pass::LoopCounts &loops) {
    if (loops.maps + staying(loops) == 0)
        return {};
    std::string out = "\n" + loopSummary(loops) + "\n";
    const auto largest = byWork(loops);
    if (!largest.empty())
        out += "those with the most work, outside of maps:\n";
    for (const auto &l : largest)
        out += "  " + placed(l.element, l.source) + ", about " + leading(l.work) + " operations\n";
    return out;
}

std::string loopJson(const pass::LoopCounts &loops) {
    if (loops.maps + staying(loops) == 0)
        return {};
    json::Value v = json::Value::object(), stay = json::Value::object(), largest = json::Value::array();
    v.set("severity", "remark");
    v.set("code", "loops");
    v.set("message", loopSummary(loops));
    v.set("maps", loops.maps);
    for (const auto &[why, count] : byCount(loops))
        stay.set(std::string(diag::info(why).code), count);
    v.set("stay", std::move(stay));
    for (const auto &l : byWork(loops)) {
        json::Value loop = json::Value::object();
        loop.set("element", l.element);
        if (l.source.known())
            loop.set("source", diag::sourceJson(l.source));
        loop.set("operations", leading(l.work));
        largest.push(std::move(loop));
    }
    v.set("largest", std::move(largest));
    return v.dump() + "\n";
}

} // namespace

std::string remarkText(const std::vector<pass::Remark> &remarks, const std::string &file) {
    if (file.ends_with(".sarif")) {
        diag::SarifLog log;
        addResults(remarks, log);
        return std::move(log).text();
    }
    const bool json = file.ends_with(".json") || file.ends_with(".jsonl"), yaml = file.ends_with(".yaml") || file.ends_with(".yml");
    if (!json && !yaml)
        return byElement(remarks);
    std::string out;
    for (const pass::Remark &r : remarks)
        out += json ? asJson(r).dump() + "\n" : asYaml(r);
    return out;
}

std::string missedText(const std::vector<pass::Remark> &remarks, const pass::LoopCounts &loops) {
    std::set<diag::Why> reasons;
    std::string out;
    for (const Missed &m : missedByElement(remarks)) {
        out += m.element + (m.loss ? ", about " + m.loss->str() + " bytes" : "") + "\n";
        for (const pass::Remark *r : m.remarks)
            out += "  " + r->pass + ": " + r->text + " [" + codeOf(*r) + "]\n" +
                   (r->hint.empty() ? "" : "    hint: " + r->hint + "\n");
    }
    if (out.empty())
        return "no pass was prevented from a change\n" + loopText(loops);
    for (const pass::Remark &r : remarks)
        if (r.missed())
            reasons.insert(r.why);
    out = "what passes could not do:\n\n" + out + "\nwhat can be done:\n\n";
    for (const diag::Why why : reasons)
        out += std::string(diag::info(why).code) + ": " + std::string(diag::info(why).hint) + "\n";
    return out + loopText(loops);
}

std::string missedJson(const std::vector<pass::Remark> &remarks, const pass::LoopCounts &loops) {
    std::string out;
    for (const pass::Remark &r : missedOnce(remarks)) {
        json::Value v = json::Value::object();
        v.set("severity", "remark");
        v.set("code", codeOf(r));
        v.set("message", r.pass + ": " + r.text);
        v.set("hint", r.hint.empty() ? std::string(diag::info(r.why).hint) : r.hint);
        v.set("element", r.element);
        if (r.source.known())
            v.set("source", diag::sourceJson(r.source));
        if (r.loss)
            v.set("bytes", r.loss->str());
        out += v.dump() + "\n";
    }
    return out + loopJson(loops);
}

std::vector<pass::Remark> missedOnce(const std::vector<pass::Remark> &remarks) {
    std::vector<pass::Remark> out;
    for (const Missed &m : missedByElement(remarks))
        for (const pass::Remark *r : m.remarks)
            out.push_back(*r);
    return out;
}

void addResults(const std::vector<pass::Remark> &remarks, diag::SarifLog &log) {
    for (const pass::Remark &r : remarks)
        addResult(r, log);
}

std::string oneLine(const pass::Remark &r) { return r.pass + ": " + placed(r) + ": " + r.text; }

ir::ElementNotes remarkNotes(const std::vector<pass::Remark> &remarks) {
    ir::ElementNotes notes;
    for (const pass::Remark &r : remarks) {
        std::vector<std::string> &lines = notes[r.element];
        if (const std::string line = lineOf(r); std::find(lines.begin(), lines.end(), line) == lines.end())
            lines.push_back(line);
    }
    return notes;
}

} // namespace sdfgc::driver
