// Operations on matrices, which derivatives of Cholesky, Solve and Inv nodes are made of.
#pragma once

#include "Transforms/Differentiate/Maker.h"

#include <functional>

namespace sdfgc::transforms::gradient {

/// Adds operations to a list of items, for a node of the program.
class Matrices {
public:
    /// Makes a container for what is computed.
    using Temporary = std::function<Name(std::string_view name, const ir::DataDesc &like, std::vector<sym::Expr> shape)>;
    Matrices(Maker &m, const ir::LibraryNode &node, bool inScope, std::vector<nest::Item> &out, Temporary temporary)
        : m_(m), node_(node), inScope_(inScope), out_(out), temporary_(std::move(temporary)) {}

    /// A matrix with the type of an operand.
    Name make(std::string_view name, const nest::Use &like, std::vector<sym::Expr> shape) const {
        return temporary_(name, desc(like), std::move(shape));
    }
    /// As many rows as the operand has in its first dimension of more than one element, and so on.
    static std::vector<sym::Expr> shapeOf(const nest::Use &u);
    nest::Use whole(Name matrix) const { return m_.whole(nest::UseKind::Read, matrix); }

    /// What a tasklet gets of an operand: the element at the same place, that of the transposed matrix, that of a vector for the row, or all.
    enum class At { Place, Transposed, Row, All };
    struct Operand {
        const char *connector;
        nest::Use use;
        At at = At::Place;
    };
    /// One tasklet for each element of a matrix: `code` sets `out` from the elements of the operands, or adds to it. ROW and COLUMN in it are
    /// the place of the element.
    void each(const std::string &label, const std::vector<sym::Expr> &shape, std::string code, const std::vector<Operand> &operands,
              const nest::Use &out, bool adds);
    Name transposed(const nest::Use &u);
    Name copy(const nest::Use &u);
    /// A part of a matrix, to be read.
    nest::Use block(const nest::Use &u, sym::Expr row, sym::Expr rows, sym::Expr column, sym::Expr columns) const;
    /// Solves with a matrix.
    Name solve(const nest::Use &matrix, const nest::Use &right);
    /// Solves with one triangle of a matrix: op(A) X = B, or X op(A) = B.
    struct Triangle {
        bool lower = true, transposed = false;
        bool unit = false; // ones on the diagonal
        bool left = true;
    };
    Name solve(const nest::Use &matrix, const nest::Use &right, const Triangle &t);
    /// Where rows go that a factorisation exchanged (`pivots`, from one), or, inverse, where they come from: row i of P B is row `places[i]` of
    /// B. From zero.
    Name places(const nest::Use &pivots, sym::Expr rows, bool inverse);
    /// Row `places[i]` of a matrix (or element of a vector) as row i, or added to that.
    void permute(Name matrix, Name places, const nest::Use &out, bool adds);
    /// out (+)= alpha times the product that the letters say.
    void product(const std::string &letters, const nest::Use &a, const nest::Use &b, nest::Use out, const char *alpha, bool adds);

private:
    const ir::DataDesc &desc(const nest::Use &u) const { return *m_.sdfg().desc(u.data); }
    std::shared_ptr<ir::LibraryNode> library(const std::string &classPath, const std::string &label) const;
    void add(std::shared_ptr<ir::LibraryNode> node, std::vector<std::pair<const char *, nest::Use>> inputs, const char *result,
             nest::Use out);

    Maker &m_;
    const ir::LibraryNode &node_;
    bool inScope_;
    std::vector<nest::Item> &out_;
    Temporary temporary_;
};

} // namespace sdfgc::transforms::gradient
