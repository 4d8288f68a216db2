#include "sdfgc/Support/Zip.h"

#include "sdfgc/Support/Sha256.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

TEST_CASE("SHA-256: examples of the standard, and the lengths around the end of a block") {
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    CHECK(sha256(std::string(55, 'a')) == "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    CHECK(sha256(std::string(64, 'a')) == "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST_CASE("zip: archives come back, in the order of names, and equal contents give equal bytes") {
    const std::vector<zip::Member> members{{"a/b", std::string(10000, 'x'), true}, {"a/empty", "", false}, {"c", "short", false}};
    const Result<std::string> one = zip::write(members), other = zip::write({members[2], members[0], members[1]});
    REQUIRE(one);
    CHECK(*one == *other);
    const auto back = zip::read(*one, 20000);
    REQUIRE(back);
    CHECK(*back == members);
}

TEST_CASE("zip: every damaged or shortened archive is refused, or has the same contents") {
    const std::vector<zip::Member> members{{"a", "some text, some text, some text", false}, {"b", "short", true}};
    const std::string archive = *zip::write(members);
    for (std::size_t at = 0; at < archive.size(); ++at) {
        CHECK_FALSE(zip::read(archive.substr(0, at), 1000));
        for (const int bit : {1, 128}) {
            std::string damaged = archive;
            damaged[at] = static_cast<char>(damaged[at] ^ bit);
            const auto back = zip::read(damaged, 1000);
            CHECK((!back || *back == members));
        }
    }
    CHECK_FALSE(zip::read(archive + "x", 1000));
    CHECK_FALSE(zip::read(archive, 20)); // a limit on the contents
}

TEST_CASE("zip: names that lead elsewhere, or are there twice, are refused") {
    for (const char *name : {"", "/a", "a/", "a//b", ".", "../a", "a/../b", "a/./b", "a\\b", "c:a", "a\nb"}) {
        INFO(name);
        CHECK_FALSE(zip::isPlainName(name));
        CHECK_FALSE(zip::write({{name, "x", false}}));
    }
    CHECK(zip::isPlainName(".sdfgc/x"));
    CHECK_FALSE(zip::write({{"a", "x", false}, {"a", "y", false}}));
    CHECK_FALSE(zip::write({{"a", "x", false}, {"a/b", "y", false}}));
    CHECK_FALSE(zip::write({}));
}
