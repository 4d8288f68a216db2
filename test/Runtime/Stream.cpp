#include "sdfgc/rt/atomic.h"
#include "sdfgc/rt/consume.h"
#include "sdfgc/rt/vec.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace rt = sdfgc::rt;
using rt::Stream;

TEST_CASE("a stream is first in, first out, whatever wraps and grows") {
    Stream<int> stream(3);
    int next = 0, expected = 0;
    for (int round = 1; round < 60; ++round) {
        for (int i = 0; i < round; ++i)
            stream.push(next++);
        for (int i = 0; i < round - 1; ++i)
            REQUIRE(stream.pop() == expected++);
    }
    CHECK(stream.size() == next - expected);
    std::vector<int> rest(1000, -1);
    CHECK(stream.pop(rest.data(), 1000) == next - expected);
    CHECK(rest[0] == expected);
    CHECK(rest[next - expected - 1] == next - 1);
    CHECK(rest[next - expected] == -1);
    CHECK(stream.empty());
    CHECK(stream.pop(rest.data(), 5) == 0);
}

TEST_CASE("bulk push keeps the order, conditional push, try") {
    Stream<double> stream;
    const double values[] = {1, 2, 3, 4, 5};
    stream.push(values, 5);
    stream.push(values, 0);
    stream.push_if(6.0, true);
    stream.push_if(7.0, false);
    stream.push(rt::vec<double, 2>{8, 9});
    double out[8] = {};
    CHECK(stream.pop(out, 3) == 3);
    CHECK(stream.pop(out + 3, 100) == 5);
    CHECK((out[0] == 1 && out[4] == 5 && out[5] == 6 && out[6] == 8 && out[7] == 9));
    CHECK(!stream.pop_try(out[0]));
}

TEST_CASE("several producers and consumers: nothing is lost, each producer stays in order") {
    constexpr int producers = 3, consumers = 3, each = 4000;
    Stream<int64_t> stream;
    std::vector<std::vector<int64_t>> taken(consumers);
    std::vector<std::thread> threads;
    for (int p = 0; p < producers; ++p)
        threads.emplace_back([&, p] {
            for (int i = 0; i < each; ++i)
                stream.push(int64_t(p) * each + i);
        });
    for (int c = 0; c < consumers; ++c)
        threads.emplace_back([&, c] {
            for (int i = 0; i < producers * each / consumers; ++i)
                taken[c].push_back(stream.pop());
        });
    for (std::thread &thread : threads)
        thread.join();
    std::set<int64_t> all;
    for (const auto &list : taken) {
        std::vector<int64_t> last(producers, -1);
        for (int64_t value : list) {
            REQUIRE(last[value / each] < value);
            last[value / each] = value;
            all.insert(value);
        }
    }
    CHECK(all.size() == std::size_t(producers) * each);
    CHECK(stream.empty());
}

TEST_CASE("array stream views append to the array") {
    std::vector<int> sink(20000, -1);
    rt::ArrayStreamView<int> view(sink.data());
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 10000; ++i)
        view.push(i);
    CHECK(view.size() == 10000);
    std::sort(sink.begin(), sink.begin() + 10000);
    for (int i = 0; i < 10000; ++i)
        REQUIRE(sink[i] == i);
    rt::ArrayStreamViewThreadlocal<int> local(sink.data());
    local.push(1);
    local.push_if(2, false);
    local.push(rt::vec<int, 2>{3, 4});
    local.push_if(rt::vec<int, 4>{5, 6, 7, 8}, rt::vec<bool, 4>{false, true, false, true});
    CHECK(local.size() == 5);
    CHECK((sink[0] == 1 && sink[2] == 4 && sink[3] == 6 && sink[4] == 8));
    view.push(local);
    CHECK(view.size() == 10005);
    CHECK(sink[10004] == 8);
    Stream<int> stream;
    stream.push(local);
    CHECK(stream.size() == 5);
}

TEST_CASE("arrays of streams") {
    rt::StreamArray<int> streams(3);
    for (int i = 0; i < 12; ++i)
        streams[i % 3].push(i);
    CHECK(streams.size() == 3);
    CHECK(streams[2].pop() == 2);
    CHECK(streams[2].size() == 3);
    CHECK(rt::StreamArray<int>(-1).size() == 0);
}

TEST_CASE("consume visits each element once, also those that the body pushes") {
    for (int workers : {0, 1, 3, 8}) {
        INFO(workers);
        Stream<uint64_t> stream;
        stream.push(1);
        uint64_t sum = 0, visits = 0;
        rt::consume(stream, workers, 1, [&](int, uint64_t &u) {
            if (u >= 256)
                return;
            rt::atomic_add(&sum, u);
            rt::atomic_add(&visits, 1);
            stream.push(2 * u);
            stream.push(2 * u + 1);
        });
        CHECK(sum == 255 * 128);
        CHECK(visits == 255);
        CHECK(stream.empty());
    }
}

TEST_CASE("consume in chunks") {
    Stream<int> stream;
    for (int i = 0; i < 1001; ++i)
        stream.push(i);
    int64_t sum = 0, longest = 0, elementwise = 0;
    rt::consume(stream, 4, 10, [&](int pe, int *elements, int64_t count) {
        REQUIRE(pe >= 0);
        REQUIRE(pe < 4);
        rt::atomic_max(&longest, count);
        rt::atomic_add(&sum, std::accumulate(elements, elements + count, int64_t(0)));
    });
    CHECK(sum == 1001 * 500);
    CHECK((longest > 0 && longest <= 10));
    stream.push(4);
    rt::consume(stream, 2, 10, [&](int, int element) { rt::atomic_add(&elementwise, element); });
    CHECK(elementwise == 4);
}

TEST_CASE("consume of an empty stream ends at once") {
    Stream<int> stream;
    bool called = false;
    rt::consume(stream, 3, 1, [&](int, int &) { called = true; });
    CHECK(!called);
}

TEST_CASE("the condition ends a consume scope, elements stay in the stream") {
    Stream<int> stream;
    for (int i = 0; i < 100; ++i)
        stream.push(i);
    int64_t visits = 0;
    rt::consume(
        stream, 1, 1, [&] { return rt::atomic_load(&visits) >= 10; }, [&](int, int &) { rt::atomic_add(&visits, 1); });
    CHECK(visits == 10);
    CHECK(stream.size() == 90);
    rt::consume(
        stream, 4, 1, [&] { return rt::atomic_load(&visits) >= 50; }, [&](int, int &) { rt::atomic_add(&visits, 1); });
    CHECK(visits >= 50);
    CHECK(visits + stream.size() == 100);
    rt::consume(
        stream, 4, 1, [] { return false; }, [&](int, int &) { rt::atomic_add(&visits, 1); });
    CHECK(visits == 100);
}

TEST_CASE("an exception in the body ends the scope for all workers") {
    Stream<int> stream;
    for (int i = 0; i < 1000; ++i)
        stream.push(i);
    CHECK_THROWS_AS(rt::consume(stream, 4, 1,
                                [&](int, int &element) {
                                    if (element == 5)
                                        throw std::runtime_error("five");
                                }),
                    std::runtime_error);
    stream.push(1);
    int64_t later = 0;
    rt::consume(stream, 2, 1, [&](int, int &) { rt::atomic_add(&later, 1); });
    CHECK(later > 0);
    CHECK(stream.empty());
}
