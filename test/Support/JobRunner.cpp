#include "sdfgc/Support/JobRunner.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Time.h"

#include <catch2/catch.hpp>

#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sdfgc;

namespace {

Job job(const std::string &script, std::vector<std::size_t> after = {}) {
    Job j;
    j.command.argv = {"/bin/sh", "-c", script};
    j.after = std::move(after);
    return j;
}

JobOptions workers(unsigned n) {
    JobOptions o;
    o.workers = n;
    o.jobserver = false;
    return o;
}

/// The maximum number of jobs that ran simultaneously.
struct Width {
    std::size_t most = 0;
    std::function<void(const JobProgress &)> watch() {
        return [this](const JobProgress &p) { most = std::max(most, p.running); };
    }
};

} // namespace

TEST_CASE("jobs: order follows the dependences") {
    const auto tmp = file::TemporaryFolder::create();
    const std::string log = file::join(tmp->path(), "log");
    std::vector<Job> jobs = {job("printf c >> " + log, {1, 2}), job("sleep 0.1; printf a >> " + log),
                             job("printf b >> " + log, {1}), job("printf d >> " + log, {0})};
    const JobReport report = runJobs(jobs, workers(4));
    CHECK(report.ok);
    CHECK(*file::read(log) == "abcd");
    for (const JobResult &r : report.results)
        CHECK(r.state == JobState::Done);
}

TEST_CASE("jobs: as many at once as workers, lanes are reused") {
    std::vector<Job> jobs(6, job("sleep 0.05"));
    Width width;
    JobOptions options = workers(3);
    options.onProgress = width.watch();
    const JobReport report = runJobs(jobs, options);
    CHECK(report.ok);
    CHECK(width.most == 3);
    for (const JobResult &r : report.results)
        CHECK(r.lane < 3);
    CHECK(runJobs({}, workers(2)).ok);
}

TEST_CASE("jobs: the first failure kills what runs and starts nothing more") {
    const Timer timer;
    std::vector<Job> jobs = {job("sleep 60"), job("exit 4"), job("true", {1}), job("true", {0})};
    const JobReport report = runJobs(jobs, workers(2));
    CHECK_FALSE(report.ok);
    CHECK(timer.seconds() < 20);
    CHECK(report.results[0].state == JobState::Killed);
    CHECK(report.results[1].state == JobState::Failed);
    CHECK(report.results[1].outcome.exitCode == 4);
    CHECK(report.results[2].state == JobState::NotRun);
    CHECK(report.results[3].state == JobState::NotRun);
}

TEST_CASE("jobs: keepGoing runs all that does not depend on a failure") {
    JobOptions options = workers(1);
    options.keepGoing = true;
    const JobReport report = runJobs({job("false"), job("true", {0}), job("true")}, options);
    CHECK_FALSE(report.ok);
    CHECK(report.results[1].state == JobState::NotRun);
    CHECK(report.results[2].state == JobState::Done);
}

TEST_CASE("jobs: finish runs before dependents start and can fail a job") {
    std::string order;
    std::vector<Job> jobs = {job("echo one"), job("true", {0})};
    jobs[0].finish = [&](const process::Outcome &o) {
        order += o.out;
        return false;
    };
    jobs[1].finish = [&](const process::Outcome &) {
        order += "two";
        return true;
    };
    CHECK_FALSE(runJobs(jobs, workers(1)).ok);
    CHECK(order == "one\n");
}

TEST_CASE("jobs: a cycle is found before anything runs") {
    const JobReport report = runJobs({job("true"), job("true", {2}), job("true", {1})}, workers(1));
    CHECK(report.hasCycle);
    CHECK_FALSE(report.ok);
    CHECK(report.results[0].state == JobState::NotRun);
}

// ---- jobserver

namespace {

/// Sets MAKEFLAGS for the lifetime of the object.
struct MakeFlags {
    explicit MakeFlags(const std::string &text) { ::setenv("MAKEFLAGS", text.c_str(), 1); }
    ~MakeFlags() { ::unsetenv("MAKEFLAGS"); }
};

std::string drainTokens(int fd) {
    std::string tokens;
    char c;
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
    while (::read(fd, &c, 1) == 1)
        tokens += c;
    return tokens;
}

} // namespace

TEST_CASE("jobserver: a pipe limits the width, every token comes back unchanged") {
    int fds[2];
    REQUIRE(::pipe(fds) == 0);
    REQUIRE(::write(fds[1], "x", 1) == 1); // one slot in addition to our own
    const MakeFlags flags("w -j2 --jobserver-auth=" + std::to_string(fds[0]) + "," + std::to_string(fds[1]));
    Width width;
    JobOptions options;
    options.workers = 8;
    options.onProgress = width.watch();
    CHECK(runJobs(std::vector<Job>(6, job("sleep 0.03")), options).ok);
    CHECK(width.most == 2);
    CHECK((::fcntl(fds[0], F_GETFL) & O_NONBLOCK) == 0); // the shared descriptor keeps its mode
    CHECK(drainTokens(fds[0]) == "x");
    ::close(fds[0]);
    ::close(fds[1]);
}

TEST_CASE("jobserver: a fifo, and tokens after a failure") {
    const auto tmp = file::TemporaryFolder::create();
    const std::string path = file::join(tmp->path(), "fifo");
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    const int fd = ::open(path.c_str(), O_RDWR);
    REQUIRE(::write(fd, "abc", 3) == 3);
    const MakeFlags flags("-j4 --jobserver-fds=98,99 --jobserver-auth=fifo:" + path);
    Width width;
    JobOptions options;
    options.workers = 8;
    options.onProgress = width.watch();
    std::vector<Job> jobs(8, job("sleep 20"));
    jobs[3] = job("sleep 0.05; exit 1");
    CHECK_FALSE(runJobs(jobs, options).ok);
    CHECK(width.most == 4);
    std::string tokens = drainTokens(fd);
    std::sort(tokens.begin(), tokens.end());
    CHECK(tokens == "abc");
    ::close(fd);
}

TEST_CASE("jobserver: without tokens one job at a time, waiting for make when there may be more") {
    int fds[2];
    REQUIRE(::pipe(fds) == 0);
    const MakeFlags flags("--jobserver-auth=" + std::to_string(fds[0]) + "," + std::to_string(fds[1]));
    Width width;
    JobOptions options;
    options.workers = 4;
    options.onProgress = width.watch();
    CHECK(runJobs(std::vector<Job>(3, job("true")), options).ok);
    CHECK(width.most == 1);
    ::close(fds[0]);
    ::close(fds[1]);
}

TEST_CASE("jobserver: flags that name nothing usable") {
    CHECK_FALSE(Jobserver("").available());
    CHECK_FALSE(Jobserver("-j4").available());
    CHECK_FALSE(Jobserver("--jobserver-auth=3").available());
    CHECK_FALSE(Jobserver("--jobserver-auth=x,y").available());
    CHECK_FALSE(Jobserver("--jobserver-auth=-2,-2").available());
    CHECK_FALSE(Jobserver("--jobserver-auth=900,901").available()); // closed
    CHECK_FALSE(Jobserver("--jobserver-auth=fifo:/etc/passwd").available());
}

TEST_CASE("there is at least one processor") { CHECK(processorCount() >= 1); }
