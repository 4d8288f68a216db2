// Instrumentation reports: timings and counters of program elements, written in DaCe's JSON form, which is Chrome's trace form.
//
// Rules (codegen-semantics 25.3): save(folder) writes `folder/report-<milliseconds since 1970>.json` with "traceEvents" (ph "X": an
// interval with ts and dur in microseconds, dur with decimals; ph "C": a counter, its name and value among the args) and "sdfgHash". The args name the
// element by cfg_id, state_id, id; -1 means "does not apply" and is left out, except for cfg_id. Names have any length (DaCe cuts
// them at 64 characters) and are stored once in a string table. The file appears under its name only when it is complete. A program
// owns its report; any thread may add events, in any order.
//
// Environment variables, read at the beginning of each call:
//   SDFGC_INSTRUMENT=0 or off   nothing is measured and no file is written
//   SDFGC_REPORT_FOLDER=DIR     where reports go, instead of `perf` in the build folder
#pragma once

#include "sdfgc/rt/files.h"
#include "sdfgc/rt/threads.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace sdfgc::rt {

/// The element that an event belongs to.
struct ElementId {
    int64_t cfg = -1, state = -1, node = -1;
};

/// What one execution of an element moves and computes, as far as the graph knows it; 0: unknown.
struct Work {
    int64_t bytes = 0, operations = 0;
};

class Report {
public:
    Report() : startWall_(detail::nanoseconds(CLOCK_REALTIME)), startSteady_(detail::nanoseconds(CLOCK_MONOTONIC)) {}
    Report(const Report &) = delete;
    Report &operator=(const Report &) = delete;

    /// A call begins: forgets the events of the last one, and reads the environment.
    void begin() {
        reset();
        const char *mode = std::getenv("SDFGC_INSTRUMENT");
        const std::string word = mode ? mode : "";
        isOn_ = word != "0" && word != "off";
    }

    /// Is anything measured? Elements add their events only then.
    bool isOn() const { return isOn_; }

    /// A call ends: asks the sources for what they measured, and saves the report in the folder of the environment, or in this one.
    void finish(const std::string &folder) {
        if (!isOn_)
            return;
        for (const Source &source : sources_)
            source.add(*this, source.data);
        const char *chosen = std::getenv("SDFGC_REPORT_FOLDER");
        const std::string to = chosen && *chosen ? chosen : folder;
        if (save(to).empty()) {
            const std::string reason = std::strerror(errno);
            note("SD6025", "the report cannot be written to " + to + ": " + reason);
        }
    }

    /// Lets `add(report, data)` add events at the end of each call; once per source.
    void addSource(void (*add)(Report &, void *), void *data) {
        const LockGuard guard(mutex_);
        for (const Source &source : sources_)
            if (source.add == add && source.data == data)
                return;
        sources_.push_back({add, data});
    }

    /// Something cannot be measured: a line on standard error, once for each text in a process, and an entry of
    /// the file.
    void note(const char *code, const std::string &text) {
        const LockGuard guard(mutex_);
        const std::string line = text + " [" + code + "]";
        for (const std::string &earlier : notes_)
            if (earlier == line)
                return;
        notes_.push_back(line);
        printOnce(line);
    }

    /// Microseconds since 1970 that never run backwards: the wall clock when the report was made plus the steady time since.
    int64_t now() const { return nanoseconds() / 1000; }
    /// The same in nanoseconds.
    int64_t nanoseconds() const { return startWall_ + detail::nanoseconds(CLOCK_MONOTONIC) - startSteady_; }

    /// An interval that ran from `begin` to `end` on this thread, both from now().
    void addCompletion(const char *name, const char *category, int64_t begin, int64_t end, ElementId element = {}, Work work = {},
                       int64_t thread = thisThread) {
        addInterval(name, category, begin * 1000, end * 1000, element, work, thread);
    }
    /// The same, from nanoseconds() or a clock as fine.
    void addInterval(const char *name, const char *category, int64_t begin, int64_t end, ElementId element = {}, Work work = {},
                     int64_t thread = thisThread) {
        const LockGuard guard(mutex_);
        add({'X', intern(name), intern(category), 0, begin, static_cast<double>(end - begin),
             thread == thisThread ? threadNumber() : thread, element, work, 1});
    }

    /// A counter's value at this moment on this thread, or on the one with this number.
    void addCounter(const char *name, const char *category, const char *counter, double value, ElementId element = {},
                    int64_t thread = thisThread) {
        const int64_t time = nanoseconds();
        const LockGuard guard(mutex_);
        add({'C',
             intern(name),
             intern(category),
             intern(counter),
             time,
             value,
             thread == thisThread ? threadNumber() : thread,
             element,
             {},
             1});
    }

    static constexpr int64_t thisThread = -1;

    /// Forgets all events.
    void reset() {
        const LockGuard guard(mutex_);
        events_.clear();
        merged_.clear();
    }

    int64_t size() const {
        const LockGuard guard(mutex_);
        return static_cast<int64_t>(events_.size());
    }

    /// Writes the report into `folder`, which is created if only its last part is missing. Returns the file's path, empty on
    /// failure (errno says why).
    std::string save(const std::string &folder, const char *sdfgHash = "") const {
        const LockGuard guard(mutex_);
        const std::string partial = detail::partialName(folder);
        if (!detail::makeFolder(folder) || !detail::writeFile(partial, text(sdfgHash)))
            return {};
        const std::string path = publish(partial, folder + "/report-");
        if (path.empty()) {
            const int reason = errno;
            unlink(partial.c_str());
            errno = reason;
        }
        return path;
    }

private:
    struct Event {
        char phase;
        int32_t name, category, counter; // in strings_; the counter's name is empty for intervals
        int64_t time;                    // nanoseconds
        double value;                    // the duration of an interval, also in nanoseconds; the value of a counter
        int64_t thread;
        ElementId element;
        Work work;
        int64_t count; // of executions that it stands for
    };
    struct Source {
        void (*add)(Report &, void *);
        void *data;
    };

    /// A call of a long loop over short elements would fill the memory. From this number of events on, an event that has a
    /// predecessor of the same element, name and thread is added to the latest one.
    static constexpr std::size_t most = std::size_t(1) << 20;

    void add(const Event &event) {
        if (events_.size() < most)
            return events_.push_back(event);
        const Key key{event.name, event.counter, event.element.cfg, event.element.state, event.element.node, event.thread};
        const auto [at, isNew] = merged_.emplace(key, events_.size());
        if (isNew)
            return events_.push_back(event);
        Event &sum = events_[at->second];
        sum.value += event.value;
        sum.work.bytes += event.work.bytes;
        sum.work.operations += event.work.operations;
        ++sum.count;
    }
    struct Key {
        int64_t parts[6];
        bool operator<(const Key &other) const {
            for (int i = 0; i < 6; ++i)
                if (parts[i] != other.parts[i])
                    return parts[i] < other.parts[i];
            return false;
        }
    };

    static void printOnce(const std::string &line) {
        static Mutex mutex;
        static std::map<std::string, int64_t> times;
        const LockGuard guard(mutex);
        if (times[line]++ == 0)
            std::fprintf(stderr, "warning: %s\n", line.c_str());
    }

    /// Small numbers in the order in which threads first report.
    static int64_t threadNumber() {
        static int64_t next = 0;
        static thread_local const int64_t number = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
        return number;
    }

    int32_t intern(const char *string) {
        const auto [entry, added] = index_.emplace(string, static_cast<int32_t>(strings_.size()));
        if (added)
            strings_.push_back(&entry->first);
        return entry->second;
    }

    static void appendQuoted(std::string &out, const std::string &string) {
        out += '"';
        for (const char c : string) {
            if (c == '"' || c == '\\')
                out += '\\';
            if (static_cast<unsigned char>(c) >= 0x20) {
                out += c;
                continue;
            }
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            out += escape;
        }
        out += '"';
    }

    void appendEvent(std::string &out, const Event &event, int64_t process) const {
        const auto number = [&](const char *key, int64_t value) {
            out += ", \"";
            out += key;
            out += "\": ";
            out += std::to_string(value);
        };
        out += "    {\"name\": ";
        appendQuoted(out, *strings_[event.name]);
        out += ", \"cat\": ";
        appendQuoted(out, *strings_[event.category]);
        out += ", \"ph\": \"";
        out += event.phase;
        out += '"';
        number("ts", event.time / 1000);
        if (event.phase == 'X')
            out += ", \"dur\": " + microseconds(static_cast<int64_t>(event.value));
        number("pid", process);
        number("tid", event.thread);
        out += ", \"args\": {\"cfg_id\": " + std::to_string(event.element.cfg);
        if (event.element.state >= 0)
            number("state_id", event.element.state);
        if (event.element.node >= 0)
            number("id", event.element.node);
        if (event.phase == 'C') {
            out += ", ";
            appendQuoted(out, *strings_[event.counter]);
            out += ": " + numberText(event.value);
        }
        if (event.work.bytes > 0)
            number("bytes", event.work.bytes);
        if (event.work.operations > 0)
            number("operations", event.work.operations);
        if (event.count > 1)
            number("calls", event.count);
        out += "}}";
    }

    /// Durations have three decimals, unless all are 0.
    static std::string microseconds(int64_t nanoseconds) {
        char text[32] = "";
        if (const auto rest = static_cast<int>(nanoseconds % 1000); rest > 0)
            std::snprintf(text, sizeof text, ".%03d", rest);
        return std::to_string(nanoseconds / 1000) + text;
    }

    /// Counters of events are whole numbers, those of LIKWID's metrics are not.
    static std::string numberText(double value) {
        if (value >= -9e15 && value <= 9e15 && value == static_cast<double>(static_cast<int64_t>(value)))
            return std::to_string(static_cast<int64_t>(value));
        char text[32];
        std::snprintf(text, sizeof text, "%.17g", value);
        return text;
    }

    std::string text(const char *sdfgHash) const {
        std::string out = "{\n  \"traceEvents\": [\n";
        const int64_t process = getpid();
        for (const Event &event : events_) {
            appendEvent(out, event, process);
            out += &event == &events_.back() ? "\n" : ",\n";
        }
        out += "  ],\n";
        if (!notes_.empty()) {
            out += "  \"notes\": [";
            for (const std::string &note : notes_) {
                out += &note == &notes_.front() ? "" : ", ";
                appendQuoted(out, note);
            }
            out += "],\n";
        }
        out += "  \"sdfgHash\": ";
        appendQuoted(out, sdfgHash);
        out += "\n}\n";
        return out;
    }

    /// Gives a complete file its name, `prefix` plus milliseconds plus ".json". Reports of the same millisecond get neighbouring
    /// numbers: link() refuses to replace a file. Where the file system has no links, rename() has to do.
    static std::string publish(const std::string &partial, const std::string &prefix) {
        for (int64_t stamp = detail::nanoseconds(CLOCK_REALTIME) / 1000000;; ++stamp) {
            const std::string path = prefix + std::to_string(stamp) + ".json";
            if (link(partial.c_str(), path.c_str()) == 0) {
                unlink(partial.c_str());
                return path;
            }
            if (errno == EEXIST)
                continue;
            return std::rename(partial.c_str(), path.c_str()) == 0 ? path : std::string();
        }
    }

    const int64_t startWall_, startSteady_;
    mutable Mutex mutex_;
    bool isOn_ = true;
    std::vector<Event> events_;
    std::map<Key, std::size_t> merged_; // the events that stand for others
    std::vector<Source> sources_;
    std::vector<std::string> notes_;
    std::map<std::string, int32_t> index_;
    std::vector<const std::string *> strings_; // the keys of index_, by number
};

/// Reports the time from here to the end of the block: `sdfgc::rt::Timer timer(report, "Map _Add_", {0, 1, 2});`
class Timer {
public:
    Timer(Report &report, const char *name, ElementId element = {}, Work work = {})
        : report_(report), name_(name), element_(element), work_(work), begin_(report.isOn() ? report.nanoseconds() : 0) {}
    Timer(const Timer &) = delete;
    Timer &operator=(const Timer &) = delete;
    ~Timer() {
        if (!report_.isOn())
            return;
        const int64_t end = report_.nanoseconds();
        try {
            report_.addInterval(name_, "Timer", begin_, end, element_, work_);
        } catch (...) {
            // Out of memory: the program is worth more than the event.
        }
    }

private:
    Report &report_;
    const char *name_;
    ElementId element_;
    Work work_;
    int64_t begin_;
};

} // namespace sdfgc::rt
