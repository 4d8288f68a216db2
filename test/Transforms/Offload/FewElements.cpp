// offload-to-gpu: how many kernels a program would launch, and whether a device is worthwhile for them.
#include "Transforms/PassRun.h"

#include "Transforms/Offload/FewElements.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Host loops around a map.
transforms::DeviceWork work(const std::string &loops, const std::string &map, const std::string &before = "") {
    const auto opened = std::count(loops.begin(), loops.end(), '{');
    Graph x(R"(
        sdfg f {
          symbol N, M, T, K: int64
          argument A: float64[N, N]
          $before
          $loops
          state body {
            map m[$map] (CPU_Multicore) with -> A[0:N, 0:N] {
              t: y = 1  with y -> A[0, 0]
            }
          }
          $end
        }
    )",
            {{"$loops", loops}, {"$map", map}, {"$before", before}, {"$end", std::string(std::size_t(opened), '}')}});
    return transforms::estimateDeviceWork(x.g);
}

const std::string overT = "for t = 0; t < T; t = t + 1 {\n", overI = "for i = 0; i < N; i = i + 1 {\n",
                  triangle = overI + "for j = 0; j < i; j = j + 1 {\n";

} // namespace

TEST_CASE("few elements: launches and elements are counted") {
    const transforms::DeviceWork plain = work("", "p = 0:N, q = 0:M");
    CHECK(plain.launches == 1);
    CHECK(plain.elements == 1e12);
    const transforms::DeviceWork loop = work(overI, "p = 0:N, q = 0:M");
    CHECK(loop.launches == 1000);
    CHECK(loop.elements == 1000.0 * 1000 * 1e6);
    const transforms::DeviceWork half = work(overI, "p = i:N"); // half of them on average
    CHECK(half.elements == 1000.0 * 500);
    const transforms::DeviceWork inner = work(triangle, "p = 0:M"); // all sizes are of the same order as those of the loops
    CHECK(inner.launches == 1000.0 * 500);
    CHECK(inner.elements == 1000.0 * 500 * 1000);
    CHECK(work("", "p = 0:8, q = 0:p + 1").elements == 8 * 4); // p has the value 3 in the middle
}

TEST_CASE("few elements: what stays on the host") {
    CHECK_FALSE(work("", "p = 0:8").isNotWorthwhile());    // a single launch, whatever its size
    CHECK_FALSE(work(overT, "p = 0:N").isNotWorthwhile()); // N is not known to be small
    CHECK_FALSE(work(overT, "p = 0:N, q = 0:N").isNotWorthwhile());
    CHECK_FALSE(work(overI, "p = 0:N, q = 0:N").isNotWorthwhile());
    CHECK_FALSE(work(overI, "p = 0:M").isNotWorthwhile());
    CHECK(work(overI, "p = 0:N").isNotWorthwhile());
    CHECK(work(overI, "p = i:N").isNotWorthwhile());
    CHECK(work(triangle, "p = 0:M").isNotWorthwhile());
    CHECK(work(overT, "p = 0:8").isNotWorthwhile());
    CHECK(
        work("for i = 0; i < K; i = i + 1 {\n", "p = 0:N", "state first {}\nK = N - 1").isNotWorthwhile()); // it still counts to N
    CHECK_FALSE(work("for i = 0; i < 10; i = i + 1 {\n", "p = 0:8").isNotWorthwhile());
    CHECK_FALSE(work("while (A[0, 0] > 0) {\n", "p = 0:N").isNotWorthwhile());
}

TEST_CASE("few elements: kernels of nested SDFGs, library nodes and tasklets count") {
    Graph x(R"(
        sdfg f {
          symbol N: int64
          argument A: float64[N]
          for i = 1; i < N; i = i + 1 {
            state body {
              t: y = x + 1  with x <- A[i - 1]; y -> A[i]
            }
          }
        }
    )");
    const transforms::DeviceWork found = transforms::estimateDeviceWork(x.g);
    CHECK(found.launches == 999);
    CHECK(found.elements == 999);
}

TEST_CASE("few elements: the pass says why, and moves the program if it is told to") {
    const char *text = R"(
        sdfg f {
          symbol N: int64
          argument A: float64[N]
          for i = 1; i < N; i = i + 1 {
            state body {
              map m[j = 0:i] (CPU_Multicore) with <- A[i]; -> A[0:i] {
                t: y = x  with x <- A[i]; y -> A[j]
              }
            }
          }
        }
    )";
    Graph stays(text), moves(text);
    PassRun kept("offload-to-gpu"), moved("offload-to-gpu");
    CHECK_FALSE(kept(stays.g));
    REQUIRE(kept.context.remarks.size() == 1);
    CHECK(kept.context.remarks.front().text == "the program stays on the host: it would launch 1 kernel, in which threads run 999 "
                                               "steps of 500 elements each, on average, if "
                                               "its loops count to 1000, which takes 1.1 ms on the device and 350 µs on the host");
    REQUIRE(kept.diags.all().size() == 1);
    CHECK(kept.diags.all().front().hint == "`--place device` moves it nevertheless; `--place require` makes this an error");
    moved.pass->options["few-elements"] = true;
    CHECK(moved(moves.g));
}

TEST_CASE("few elements: times have two digits, in a unit that people read") {
    CHECK(transforms::durationText(0) == "0 ns");
    CHECK(transforms::durationText(650.4) == "650 ns");
    CHECK(transforms::durationText(999.4) == "999 ns");
    CHECK(transforms::durationText(999.6) == "1.0 µs");
    CHECK(transforms::durationText(9940) == "9.9 µs");
    CHECK(transforms::durationText(9960) == "10 µs");
    CHECK(transforms::durationText(3.07e6) == "3.1 ms");
    CHECK(transforms::durationText(2e9) == "2.0 s");
    CHECK(transforms::durationText(4000e9) == "4000 s");
    CHECK(transforms::durationText(1e300) == "over a day");
}

TEST_CASE("few elements: a program that stays is faster on the host according to the estimate") {
    for (const double perLaunch : {1.0, 100.0, 4095.0}) {
        transforms::DeviceWork work;
        work.launches = 1000;
        work.elements = 1000 * perLaunch;
        CHECK(work.isNotWorthwhile());
        CHECK(work.onHost() < work.onDevice());
    }
    transforms::DeviceWork one;
    one.launches = 1;
    one.elements = 1e6;
    CHECK(one.onHost() == Approx(0.7e6));
    CHECK(one.onDevice() == Approx(3000 + 1e6 * 16 / 4800));
}

TEST_CASE("few elements: a kernel of one block has steps instead of launches") {
    transforms::DeviceWork work;
    work.launches = 1000;
    work.elements = 1000 * 100.0;
    const transforms::DeviceWork kernel = work.inBlock();
    CHECK(kernel.launches == 1);
    CHECK(kernel.steps == 1000);
    CHECK(kernel.elements == work.elements);
    CHECK(kernel.onHost() == work.onHost());
    CHECK(work.isFasterInBlock());
    CHECK(kernel.isNotWorthwhile()); // 100 elements take the host 70 ns, and a step a microsecond
    transforms::DeviceWork large = work;
    large.elements = 1000 * 1e6;
    CHECK_FALSE(large.isFasterInBlock()); // a single multiprocessor
}

TEST_CASE("few elements: a kernel of many blocks has longer steps, and more threads") {
    transforms::DeviceWork work;
    work.launches = 1000;
    work.largest = 3e5; // a multiprocessor takes 48 microseconds for each step, and the device one
    work.elements = 1000 * work.largest;
    CHECK_FALSE(work.isFasterInBlock());
    CHECK(work.isFasterIn(transforms::KernelBlocks::Many));
    const transforms::DeviceWork kernel = work.inKernel(transforms::KernelBlocks::Many);
    CHECK(kernel.launches == 1);
    CHECK(kernel.steps == 1000);
    CHECK(kernel.onDevice() == Approx(3000 + 1000 * (2000 + 1000)));
    CHECK_FALSE(kernel.isNotWorthwhile());
    work.largest = 1e6; // launches are shorter than their elements
    CHECK_FALSE(work.isFasterIn(transforms::KernelBlocks::Many));
}

TEST_CASE("few elements: operations that depend on each other take the same time everywhere") {
    transforms::DeviceWork work;
    work.launches = 100;
    work.elements = 100 * 1000;
    work.chains = 100 * 1000; // sums of 1000 elements, one of each thread
    CHECK(work.onDevice() == Approx(100 * (3000 + 8000)));
    CHECK(work.inKernel(transforms::KernelBlocks::One).inSteps == Approx(100 * (1000 + 8000)));
    CHECK(work.inKernel(transforms::KernelBlocks::Many).inSteps == Approx(100 * (2000 + 8000)));
    transforms::DeviceWork twice;
    twice.add(work.inKernel(transforms::KernelBlocks::One), 2);
    CHECK(twice.chains == 2 * work.chains);
    CHECK(twice.onDevice() == Approx(2 * (3000 + 100 * 9000.0)));
}

TEST_CASE("few elements: one thread runs a loop of its code, without waiting for others") {
    transforms::DeviceWork work;
    work.launches = 1000;
    work.elements = 1000;
    work.chains = 1000;
    const transforms::DeviceWork kernel = work.inThread().inBlock();
    CHECK(kernel.launches == 1);
    CHECK(kernel.threadSteps == 1000);
    CHECK(kernel.onDevice() == Approx(3000 + 1000 + 8000 + 1000 * 150.0));
    CHECK(kernel.isNotWorthwhile()); // the host takes a microsecond
    transforms::DeviceWork outer;    // a kernel of a loop around it keeps the time of the thread
    outer.add(kernel, 100);
    CHECK(outer.inBlock().threadSteps == 100 * 1000);
    CHECK(outer.inBlock().onDevice() < outer.onDevice());
}
