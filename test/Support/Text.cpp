#include "sdfgc/Support/Gzip.h"
#include "sdfgc/Support/Hash.h"
#include "sdfgc/Support/Json.h"
#include "sdfgc/Support/TextWriter.h"
#include "sdfgc/Support/Time.h"

#include <catch2/catch.hpp>

#include <thread>

using namespace sdfgc;

TEST_CASE("hash: published values of MurmurHash3 x64 128") {
    CHECK(hashOf("").hex() == "00000000000000000000000000000000");
    CHECK(hashOf("hello").hex() == "cbd8a7b341bd9b025b1e906a48ae1d19");
    CHECK(hashOf("hello, world").hex() == "342fac623a5ebc8e4cdcbc079642414d");
    CHECK(hashOf("The quick brown fox jumps over the lazy dog.").hex() == "cd99481f9ee902c9695da1a38987b6e7");
}

TEST_CASE("hash: pieces of any size give the digest of the whole") {
    std::string text;
    for (int i = 0; i < 200; ++i)
        text += static_cast<char>(i * 37);
    for (std::size_t piece = 1; piece < 40; ++piece) {
        Hasher h;
        for (std::size_t at = 0; at < text.size(); at += piece)
            h.add(std::string_view(text).substr(at, piece));
        CAPTURE(piece);
        CHECK(h.digest() == hashOf(text));
    }
}

TEST_CASE("hash: fields keep their borders") {
    CHECK(Hasher().field("ab").field("").digest() != Hasher().field("a").field("b").digest());
    CHECK(Hasher().add("ab").digest() == Hasher().add("a").add("b").digest());
}

TEST_CASE("gzip: round trip, limits, several members, broken data") {
    std::string text;
    for (int i = 0; i < 100000; ++i)
        text += std::to_string(i % 977);
    const std::string packed = *gzip::deflate(text);
    CHECK(packed.size() < text.size() / 4);
    CHECK(packed == *gzip::deflate(text)); // no time stamp
    CHECK(gzip::isCompressed(packed));
    CHECK_FALSE(gzip::isCompressed("{"));
    CHECK(*gzip::inflate(packed, text.size()) == text);
    CHECK(gzip::inflate(packed, text.size() - 1).error().find("more than") != std::string::npos);
    CHECK(*gzip::inflate(packed + *gzip::deflate("tail"), 1 << 20) == text + "tail");
    CHECK(*gzip::inflate(*gzip::deflate(""), 10) == "");
    CHECK(gzip::inflate(packed.substr(0, packed.size() / 2), 1 << 20).error() == "the compressed data is cut off");
    CHECK(gzip::inflate("", 10).error() == "the compressed data is cut off");
    CHECK(gzip::inflate("\x1f\x8b garbage", 10).error().starts_with("the compressed data is corrupt: "));
    std::string flipped = packed;
    flipped[flipped.size() - 6] = static_cast<char>(~flipped[flipped.size() - 6]); // the checksum
    CHECK_FALSE(gzip::inflate(flipped, 1 << 20));
}

TEST_CASE("text writer: blocks, indentation, blank lines") {
    TextWriter w;
    w.open("void f(int n)");
    w.open("if (n)");
    w.line("a();  ");
    w.reopen("else");
    w.line("b();\nc();");
    w.close();
    w.line();
    w.line("#pragma omp parallel for");
    w.verbatim("#ifdef X\n#endif");
    w.line();
    CHECK(w.nextLine() == 13);
    w.close(" // f");
    CHECK(w.depth() == 0);
    CHECK(w.text() == "void f(int n) {\n"
                      "    if (n) {\n"
                      "        a();\n"
                      "    } else {\n"
                      "        b();\n"
                      "        c();\n"
                      "    }\n"
                      "\n"
                      "    #pragma omp parallel for\n"
                      "#ifdef X\n"
                      "#endif\n"
                      "\n"
                      "} // f\n");
    CHECK(w.take().size() > 100);
    CHECK(w.text().empty());
    CHECK(w.nextLine() == 1);
}

TEST_CASE("text writer: long lines of C++ are broken behind commas and operators, others stay whole") {
    TextWriter w;
    w.wrapAt(40);
    w.open("static void program(const double *A, double *B, int64_t N)");
    w.line("B[i] = alpha * A[i] + beta * (A[i + 1] - A[i - 1]);");
    w.line("// a comment that is longer than the line is wide");
    w.line("#pragma omp parallel for if(N >= 100) reduction(+ : sum)");
    w.line("#define avoid(x) averyveryverylongname(x)");
    w.line("report(\"text, with commas, that is much too long\");");
    w.line("getrs(ROWS, 'N', NR, NM, copy, pivots, solution);");
    w.line("averyveryverylongnamewithoutanyplacetobreakit();");
    w.close();
    CHECK(w.text() == "static void program(const double *A,\n"
                      "        double *B, int64_t N) {\n"
                      "    B[i] = alpha * A[i] + beta *\n"
                      "        (A[i + 1] - A[i - 1]);\n"
                      "    // a comment that is longer than the line is wide\n"
                      "    #pragma omp parallel for if(N >= 100) \\\n"
                      "        reduction(+ : sum)\n"
                      "    #define avoid(x) averyveryverylongname(x)\n"
                      "    report(\"text, with commas, that is much too long\");\n"
                      "    getrs(ROWS, 'N', NR, NM, copy, pivots,\n"
                      "        solution);\n"
                      "    averyveryverylongnamewithoutanyplacetobreakit();\n"
                      "}\n");
}

TEST_CASE("text writer: line numbers count every newline") {
    TextWriter w("  ");
    w.open();
    w.verbatim("1\n2\n");
    w.verbatim("");
    w.line("x");
    CHECK(w.nextLine() == 5);
    CHECK(w.text() == "{\n1\n2\n  x\n");
}

TEST_CASE("time: spans become Chrome trace events in order of their start") {
    TimeTrace trace;
    {
        TimeTrace::Scope outer(&trace, "outer");
        TimeTrace::Scope inner(&trace, "in\"ner", "detail");
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::thread([&] { TimeTrace::Scope other(&trace, "other thread"); }).join();
    trace.add("compiler", "", trace.nowUs() + 1, 5, 7);
    TimeTrace::Scope nothing(nullptr, "unrecorded");
    const auto json = json::parse(trace.chromeJson());
    REQUIRE(json);
    const auto &events = json->get("traceEvents")->items();
    REQUIRE(events.size() == 4);
    CHECK(events[0].get("name")->text() == "outer");
    CHECK(events[1].get("name")->text() == "in\"ner");
    CHECK(events[1].get("args")->get("detail")->text() == "detail");
    CHECK(*events[0].get("dur")->asInt() >= 2000);
    CHECK(*events[0].get("dur")->asInt() >= *events[1].get("dur")->asInt());
    CHECK(events[2].get("name")->text() == "other thread");
    CHECK(events[2].get("tid")->asInt() == 1);
    CHECK(events[3].get("name")->text() == "compiler");
    CHECK(events[3].get("tid")->asInt() == 7);
    CHECK(events[3].get("ph")->text() == "X");
}
