#include "Driver/Reports/Profile.h"

#include "Driver/Reports/Table.h"
#include "Driver/Reports/Times.h"
#include "sdfgc/Support/File.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace sdfgc::driver {
namespace {

double numberOf(const json::Value &v, std::string_view key) {
    const json::Value *found = v.get(key);
    return found ? found->asDouble().value_or(0) : 0;
}

std::string formatted(const char *format, double value) {
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

/// What the reports say of one element.
struct Sums {
    std::string key; // its name and place
    ProfileRow row;  // sums over all reports
    std::vector<double> seconds;
    bool isProgram = false;
};

class Reader {
public:
    /// Adds the intervals of a report. Events of other kinds are counters.
    void add(const json::Value &report, Profile &profile) {
        ++reports_;
        const json::Value *events = report.get("traceEvents");
        for (const json::Value &event : events ? events->items() : std::vector<json::Value>()) {
            const json::Value *phase = event.get("ph"), *name = event.get("name"), *args = event.get("args");
            if (phase && phase->text() == "X" && name && args)
                interval(name->text(), *args, numberOf(event, "dur") * 1e-6);
        }
        const json::Value *notes = report.get("notes");
        for (const json::Value &note : notes ? notes->items() : std::vector<json::Value>())
            if (std::find(profile.notes.begin(), profile.notes.end(), note.text()) == profile.notes.end())
                profile.notes.push_back(note.text());
    }

    /// The rows, per call.
    void finish(Profile &profile) {
        profile.reports = reports_;
        const double calls = std::max(1, reports_);
        for (Sums &s : elements_) {
            s.seconds.resize(static_cast<std::size_t>(reports_));
            s.row.calls = static_cast<int64_t>(static_cast<double>(s.row.calls) / calls + 0.5);
            s.row.seconds = spreadOf(s.seconds).median;
            s.row.bytes /= calls;
            s.row.operations /= calls;
            if (s.isProgram)
                profile.total = s.row.seconds;
            ProfileRow row = s.row;
            const auto hasName = [&row](const Sums &other) { return other.row.element == row.element; };
            if (std::count_if(elements_.begin(), elements_.end(), hasName) > 1)
                row.element += " (" + s.key.substr(row.element.size() + 1) + ")";
            profile.rows.push_back(std::move(row));
        }
        std::stable_sort(profile.rows.begin(), profile.rows.end(),
                         [](const ProfileRow &a, const ProfileRow &b) { return a.seconds > b.seconds; });
    }

private:
    void interval(const std::string &name, const json::Value &args, double seconds) {
        std::string place;
        for (const char *part : {"cfg_id", "state_id", "id"})
            if (args.get(part))
                place += (place.empty() ? "" : "/") + std::to_string(static_cast<int64_t>(numberOf(args, part)));
        const std::string key = name + " " + place;
        const auto [at, isNew] = index_.emplace(key, elements_.size());
        if (isNew)
            elements_.push_back({key, {name, 0, 0, 0, 0}, {}, place == "0" && name.starts_with("SDFG ")});
        Sums &found = elements_[at->second];
        found.seconds.resize(static_cast<std::size_t>(reports_));
        found.seconds.back() += seconds;
        found.row.calls += std::max<int64_t>(1, static_cast<int64_t>(numberOf(args, "calls")));
        found.row.bytes += numberOf(args, "bytes");
        found.row.operations += numberOf(args, "operations");
    }

    std::vector<Sums> elements_;
    std::map<std::string, std::size_t> index_; // by key
    int reports_ = 0;
};

} // namespace

Profile Profile::read(const std::string &folder, std::size_t skipped) {
    Profile profile;
    Reader reader;
    const auto listed = file::list(folder);
    std::vector<std::string> files = listed ? *listed : std::vector<std::string>();
    std::erase_if(files, [](const std::string &f) { return !f.starts_with("report-"); });
    std::sort(files.begin(), files.end()); // their names are times
    for (std::size_t i = skipped; i < files.size(); ++i)
        if (const auto text = file::read(file::join(folder, files[i])))
            if (const std::optional<json::Value> report = json::parse(*text))
                reader.add(*report, profile);
    reader.finish(profile);
    return profile;
}

std::string Profile::text() const {
    if (rows.empty())
        return "";
    Table table(3);
    table.row({"element", "time", "share", "calls", "bytes", "GB/s", "Gflop/s"});
    for (const ProfileRow &r : rows) {
        const bool isTimed = r.seconds > 0;
        table.row({r.element, milliseconds(r.seconds), total > 0 ? percent(r.seconds, total) : "", std::to_string(r.calls),
                   r.bytes > 0 ? formatted("%.0f", r.bytes) : "-",
                   r.bytes > 0 && isTimed ? formatted("%.2f", r.bytes / r.seconds * 1e-9) : "-",
                   r.operations > 0 && isTimed ? formatted("%.2f", r.operations / r.seconds * 1e-9) : "-"});
    }
    return table.str();
}

json::Value Profile::json() const {
    json::Value all = json::Value::array();
    for (const ProfileRow &r : rows) {
        json::Value v = json::Value::object();
        v.set("element", r.element);
        v.set("seconds", r.seconds);
        v.set("calls", r.calls);
        if (r.bytes > 0)
            v.set("bytes", r.bytes);
        if (r.operations > 0)
            v.set("operations", r.operations);
        all.push(std::move(v));
    }
    return all;
}

} // namespace sdfgc::driver
