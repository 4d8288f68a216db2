#include "ReadStatements.h"

namespace sdfgc::tree::text {
namespace {

class StatementReader {
public:
    explicit StatementReader(TreeReader &r) : r_(r) {}

    std::vector<py::StmtRef> block() {
        const TreeReader::Nested nested(r_);
        std::vector<py::StmtRef> out;
        r_.expectSign("{");
        r_.endLine();
        while (!r_.isSign("}")) {
            out.push_back(one());
            r_.endLine();
        }
        r_.take();
        return out;
    }
    py::StmtRef one() {
        using py::StmtKind;
        py::Stmt s{};
        if (r_.takeStatement("annotate")) {
            s.kind = StmtKind::AnnAssign;
            s.targets = {r_.expression()};
            r_.expectWord("as");
            s.type = r_.type();
            if (r_.takeLabel("from"))
                s.extra = r_.expression();
            if (r_.takeSign("="))
                s.value = r_.expression();
        } else if (r_.takeStatement("augment")) {
            s.kind = StmtKind::AugAssign;
            s.targets = {r_.expression(Postfix)};
            s.op = augmentation();
            s.value = r_.expression();
        } else if (r_.takeStatement("do")) {
            s.kind = StmtKind::ExprStmt;
            s.value = r_.expression();
        } else if (r_.takeStatement("if")) {
            s.kind = StmtKind::If;
            s.value = r_.expression();
            s.body = block();
            if (r_.takeLabel("else"))
                s.orelse = block();
        } else if (r_.takeStatement("while")) {
            s.kind = StmtKind::While;
            s.value = r_.expression();
            s.body = block();
        } else if (r_.takeStatement("for")) {
            s.kind = StmtKind::For;
            s.targets = {r_.expression()};
            r_.expectWord("over");
            s.value = r_.expression();
            s.body = block();
        } else if (r_.takeStatement("raw")) {
            s.kind = StmtKind::Raw;
            if (r_.peek().kind != Token::Raw)
                r_.fail("expected code between back quotes");
            s.text = r_.take().text;
        } else if (!jump(s)) {
            assignment(s);
        }
        return std::make_shared<const py::Stmt>(std::move(s));
    }

    py::StmtRef plain() {
        py::Stmt s{};
        assignment(s);
        return std::make_shared<const py::Stmt>(std::move(s));
    }

private:
    bool jump(py::Stmt &s) {
        using py::StmtKind;
        if (r_.takeStatement("break")) {
            s.kind = StmtKind::Break;
        } else if (r_.takeStatement("continue")) {
            s.kind = StmtKind::Continue;
        } else if (r_.takeStatement("pass")) {
            s.kind = StmtKind::Pass;
        } else if (r_.takeStatement("return")) {
            s.kind = StmtKind::Return;
            if (r_.peek().kind != Token::Newline && !r_.isSign("}"))
                s.value = r_.expression();
        } else if (r_.takeStatement("assert")) {
            s.kind = StmtKind::Assert;
            s.value = r_.expression();
            if (r_.takeLabel("else"))
                s.extra = r_.expression();
        } else {
            return false;
        }
        return true;
    }
    py::Op augmentation() {
        for (const Operator &o : operators()) {
            const std::string text = std::string(o.text) + "=";
            if (r_.takeSign(text))
                return o.op;
            if (r_.isWord(o.text) && r_.peek(1).text == "=") {
                r_.take();
                r_.take();
                return o.op;
            }
        }
        r_.fail("expected an operator such as `+=`, but found " + r_.here());
    }
    void assignment(py::Stmt &s) {
        s.kind = py::StmtKind::Assign;
        s.targets = {r_.expression()};
        r_.expectSign("=");
        s.value = r_.expression();
        while (r_.takeSign("=")) {
            s.targets.push_back(s.value);
            s.value = r_.expression();
        }
        if (r_.takeLabel("old"))
            s.old = r_.name();
    }

    TreeReader &r_;
};

} // namespace

py::StmtRef readStatement(TreeReader &r) { return StatementReader(r).one(); }
py::StmtRef readAssignment(TreeReader &r) { return StatementReader(r).plain(); }
std::vector<py::StmtRef> readStatements(TreeReader &r) { return StatementReader(r).block(); }

} // namespace sdfgc::tree::text
