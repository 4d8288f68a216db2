#include "../../lib/Interpret/Order.h"

#include <catch2/catch.hpp>

using namespace sdfgc::interpret;

TEST_CASE("precedence is the transitive closure of edges", "[order]") {
    const Precedence p({{}, {0}, {}, {1, 2}});
    CHECK(p.isBefore(0, 1));
    CHECK(p.isBefore(0, 3));
    CHECK(p.isBefore(2, 3));
    CHECK_FALSE(p.isBefore(0, 2));
    CHECK_FALSE(p.isBefore(3, 0));
    CHECK_FALSE(p.isChain());
    CHECK(Precedence({{}, {0}, {1}}).isChain());
}

TEST_CASE("everything is ordered outside of sections", "[order]") {
    Order o;
    o.task();
    const Time first = o.now;
    o.task();
    CHECK(o.isBefore(first));
    CHECK(o.isBefore(beforeTheCall));
}

TEST_CASE("nodes of a state are ordered by edges, those before it by time", "[order]") {
    Order o;
    o.task();
    const Time earlier = o.now;
    const Precedence p({{}, {}, {0}}); // 0 -> 2; 1 has no edges
    std::vector<Time> starts(3);
    o.enterGraph(p, starts);
    o.step(0);
    o.task();
    const Time zero = o.now;
    o.step(1);
    o.task();
    const Time one = o.now;
    CHECK_FALSE(o.isBefore(zero));
    CHECK(o.isBefore(one)); // the task itself
    CHECK(o.isBefore(earlier));
    o.step(2);
    o.task();
    CHECK(o.isBefore(zero));
    CHECK_FALSE(o.isBefore(one));
    o.leave();
    o.task();
    CHECK(o.isBefore(one));
}

TEST_CASE("iterations of a map are not ordered, what happens in one of them is", "[order]") {
    Order o;
    o.enterMap();
    o.iteration();
    o.task();
    const Time first = o.now;
    o.task();
    CHECK(o.isBefore(first));
    o.iteration();
    o.task();
    CHECK_FALSE(o.isBefore(first));
    // An inner map: each of its iterations belongs to an iteration of the outer map.
    const Time outer = o.now;
    o.enterMap();
    o.iteration();
    o.task();
    CHECK(o.isBefore(outer));
    const Time inner = o.now;
    o.iteration();
    o.task();
    CHECK_FALSE(o.isBefore(inner));
    CHECK_FALSE(o.isBefore(first));
    o.leave();
    o.task();
    CHECK(o.isBefore(inner));
    o.leave();
}

TEST_CASE("streams are ordered by waits alone", "[order]") {
    Streams s(2, 1);
    Order o;
    const auto run = [&](std::size_t actor) {
        o.task();
        s.run(actor, o.now);
        return o.now;
    };
    o.enterStreams(s);
    const Time host = run(s.host());
    s.wait(0, s.host()); // work is queued in a stream after everything that the host did before
    const Time first = run(0);
    CHECK(o.isBefore(host));
    s.wait(1, s.host());
    run(1);
    CHECK(o.isBefore(host));
    CHECK_FALSE(o.isBefore(first));
    run(s.host());
    CHECK_FALSE(o.isBefore(first)); // the host does not wait for the work that it queues
    s.wait(s.host(), 0);
    run(s.host());
    CHECK(o.isBefore(first));
    s.wait(1, s.host());
    run(1);
    CHECK(o.isBefore(first)); // through the host
}

TEST_CASE("an event is what its stream had been given when it was recorded", "[order]") {
    Streams s(2, 1);
    Order o;
    o.enterStreams(s);
    const auto run = [&](std::size_t actor) {
        o.task();
        s.run(actor, o.now);
        return o.now;
    };
    const Time before = run(0);
    s.record(0, 0);
    const Time after = run(0);
    s.waitForEvent(1, 0);
    run(1);
    CHECK(o.isBefore(before));
    CHECK_FALSE(o.isBefore(after));
    o.leave();
    CHECK(o.isBefore(after)); // at the end of the program, all work is complete
}
