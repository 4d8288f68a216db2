// Derivatives of random blocks.
#include "Tasklet/Comparison.h"

using namespace sdfgc;
using namespace sdfgc::py;
using namespace sdfgc::py::test;

namespace {

/// Blocks with bounded values: locals and outputs that are reassigned, choices, nested branches, elements of pointers.
class Generator {
public:
    explicit Generator(unsigned seed) : numbers_(seed) {}

    std::string block() {
        std::string out =
            "t = " + expression(1) + "\nu = " + expression(2) + "\ny = " + expression(2) + "\nz = " + expression(1) + "\n";
        readable_ = {"a", "b", "c", "x", "t", "u", "y", "z", "A[0]", "A[2]"};
        for (int k = 0; k < 5; ++k)
            out += statement("", 2);
        return out + "y = y + z * t + u\nout[0] = y\nout[1] = out[0] * A[1]\nout[2] = " + expression(2);
    }

private:
    std::mt19937 numbers_;
    std::vector<std::string> readable_ = {"a", "b", "c", "x"};

    std::size_t below(std::size_t n) { return numbers_() % n; }

    std::string expression(int depth) {
        const std::string v = readable_[below(readable_.size())];
        if (depth == 0)
            return below(6) == 0 ? "0.5" : v;
        const std::string a = expression(depth - 1);
        switch (below(9)) {
        case 0:
            return "sin(" + a + ")";
        case 1:
            return "tanh(" + a + " + " + expression(depth - 1) + ")";
        case 2:
            return "(" + a + ") * sin(" + expression(depth - 1) + ")";
        case 3:
            return a + " - " + expression(depth - 1);
        case 4:
            return "max(" + a + ", " + expression(depth - 1) + ")";
        case 5:
            return "(" + a + " if " + condition() + " else " + expression(depth - 1) + ")";
        case 6:
            return "(" + a + ") / (2 + cos(" + v + "))";
        case 7:
            return "exp(-abs(" + a + "))";
        default:
            return "-(" + a + ")";
        }
    }

    std::string condition() {
        return readable_[below(readable_.size())] + (below(2) ? " > " : " < ") + readable_[below(4)] + " * 0.7";
    }

    std::string statement(const std::string &pad, int depth) {
        const std::string target = std::vector<std::string>{"t", "u", "y", "z"}[below(4)];
        switch (depth > 0 ? below(7) : below(3)) {
        case 0:
        case 1:
            return pad + target + " = " + expression(2) + "\n";
        case 2:
            return pad + target + (below(2) ? " += " : " -= ") + expression(1) + "\n";
        case 3: {
            const std::string body = statement(pad + "    ", depth - 1) + statement(pad + "    ", depth - 1);
            return pad + "if " + condition() + ":\n" + body;
        }
        case 4: {
            const std::string k = "k" + std::to_string(depth), body = pad + "    " + target + " += A[" + k + "] * 0.3\n";
            return pad + "for " + k + " in range(" + std::to_string(below(3)) + ", -1, -1):\n" + body +
                   statement(pad + "    ", depth - 1);
        }
        case 5:
            return pad + "t, u = " + expression(1) + ", " + expression(1) + "\n" + pad + "y = z = " + expression(1) + "\n";
        default: {
            const std::string body = statement(pad + "    ", depth - 1), other = statement(pad + "    ", depth - 1);
            return pad + "if " + condition() + ":\n" + body + pad + "else:\n" + other;
        }
        }
    }
};

} // namespace

TEST_CASE("derivatives of random blocks", "[tasklet][derivatives]") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        INFO(seed);
        Comparison({Generator(seed).block(), -1, 1}).check();
    }
}
