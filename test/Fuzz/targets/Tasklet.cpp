// Code of tasklets and conditions: code that can be parsed gives the same tree after it is printed and parsed again.
#include "../Mutator.h"
#include "Target.h"

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::fuzz {

void runInput(std::string_view input) {
    const py::Parsed<std::vector<py::StmtRef>> block = py::parseBlock(input);
    require(block.value || !block.error.message.empty(), "a block that is refused has a reason", input);
    if (block.value) {
        const std::string printed = py::print(*block.value);
        const py::Parsed<std::vector<py::StmtRef>> again = py::parseBlock(printed);
        require(again.value && py::equal(*block.value, *again.value), "a printed block is parsed as the same one",
                again.error.message + "\n" + printed);
        (void)py::blockNames(*block.value);
    }
    const py::Parsed<py::ExprRef> expression = py::parseExpr(input);
    require(expression.value || !expression.error.message.empty(), "an expression that is refused has a reason", input);
    if (!expression.value)
        return;
    const std::string printed = py::print(**expression.value);
    const py::Parsed<py::ExprRef> again = py::parseExpr(printed);
    require(again.value && py::equal(**expression.value, **again.value), "a printed expression is parsed as the same one",
            again.error.message + "\n" + printed);
    (void)py::freeNames(**expression.value);
}

std::string damaged(const std::string &input, uint64_t seed, std::size_t most) {
    Random random(seed, most);
    return random.oneIn(30) ? hostileCode(random) : Mutator(seed, most).mutateText(input);
}

} // namespace sdfgc::fuzz
