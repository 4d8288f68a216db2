// Instrumentation reports: timings and counters of program elements, written in DaCe's JSON form, which is Chrome's trace form.
//
// Rules (codegen-semantics 25.3): save(folder) writes `folder/report-<milliseconds since 1970>.json` with "traceEvents" (ph "X": an
// interval with ts and dur in microseconds; ph "C": a counter, its name and value among the args) and "sdfgHash". The args name the
// element by cfg_id, state_id, id; -1 means "does not apply" and is left out, except for cfg_id. Names have any length (DaCe cuts
// them at 64 characters) and are stored once in a string table. The file appears under its name only when it is complete. A program
// owns its report; any thread may add events, in any order.
#pragma once

#include "sdfgc/rt/files.h"
#include "sdfgc/rt/threads.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sdfgc::rt {

/// The element that an event belongs to.
struct ElementId {
    int64_t cfg = -1, state = -1, node = -1;
};

class Report {
public:
    Report() : startWall_(detail::nanoseconds(CLOCK_REALTIME)), startSteady_(detail::nanoseconds(CLOCK_MONOTONIC)) {}
    Report(const Report &) = delete;
    Report &operator=(const Report &) = delete;

    /// Microseconds since 1970 that never run backwards: the wall clock when the report was made plus the steady time since.
    int64_t now() const { return (startWall_ + detail::nanoseconds(CLOCK_MONOTONIC) - startSteady_) / 1000; }

    /// An interval that ran from `begin` to `end` on this thread, both from now().
    void addCompletion(const char *name, const char *category, int64_t begin, int64_t end, ElementId element = {}) {
        const LockGuard guard(mutex_);
        events_.push_back({'X', intern(name), intern(category), 0, begin, end - begin, threadNumber(), element});
    }

    /// A counter's value at this moment on this thread.
    void addCounter(const char *name, const char *category, const char *counter, int64_t value, ElementId element = {}) {
        const int64_t time = now();
        const LockGuard guard(mutex_);
        events_.push_back({'C', intern(name), intern(category), intern(counter), time, value, threadNumber(), element});
    }

    /// Forgets all events.
    void reset() {
        const LockGuard guard(mutex_);
        events_.clear();
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
        int64_t time, value;             // microseconds; the duration of an interval, the value of a counter
        int64_t thread;
        ElementId element;
    };

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
        number("ts", event.time);
        if (event.phase == 'X')
            number("dur", event.value);
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
            out += ": " + std::to_string(event.value);
        }
        out += "}}";
    }

    std::string text(const char *sdfgHash) const {
        std::string out = "{\n  \"traceEvents\": [\n";
        const int64_t process = getpid();
        for (const Event &event : events_) {
            appendEvent(out, event, process);
            out += &event == &events_.back() ? "\n" : ",\n";
        }
        out += "  ],\n  \"sdfgHash\": ";
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
    std::vector<Event> events_;
    std::map<std::string, int32_t> index_;
    std::vector<const std::string *> strings_; // the keys of index_, by number
};

/// Reports the time from here to the end of the block: `sdfgc::rt::Timer timer(report, "Map _Add_", "Timer", {0, 1, 2});`
class Timer {
public:
    Timer(Report &report, const char *name, const char *category, ElementId element = {})
        : report_(report), name_(name), category_(category), element_(element), begin_(report.now()) {}
    Timer(const Timer &) = delete;
    Timer &operator=(const Timer &) = delete;
    ~Timer() {
        const int64_t end = report_.now();
        try {
            report_.addCompletion(name_, category_, begin_, end, element_);
        } catch (...) {
            // Out of memory: the program is worth more than the event.
        }
    }

private:
    Report &report_;
    const char *name_, *category_;
    ElementId element_;
    int64_t begin_;
};

} // namespace sdfgc::rt
