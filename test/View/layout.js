// Properties of the layered layout: node test/View/layout.js viewer/layout.js
'use strict';
const assert = require('assert');
const {layout, breakCycles} = require(require('path').resolve(process.argv[2]));

const box = (w = 60, h = 26) => ({w, h});
function overlaps(nodes, r) {
    for (let i = 0; i < nodes.length; i++)
        for (let j = 0; j < i; j++)
            if (Math.abs(r.at[i].x - r.at[j].x) < (nodes[i].w + nodes[j].w) / 2 && Math.abs(r.at[i].y - r.at[j].y) < (nodes[i].h + nodes[j].h) / 2) return [i, j];
    return null;
}

// Nothing, one node, a node with an edge to itself.
assert.deepStrictEqual(layout([], []).at, []);
assert.strictEqual(layout([box()], []).w, 60);
assert.strictEqual(layout([box()], [[0, 0]]).routes[0].length, 4);

// Edges point down, a long edge goes round what lies between, and a source stands right above its successor.
{
    const nodes = [box(), box(), box(), box()], r = layout(nodes, [[0, 1], [1, 2], [0, 2], [3, 2]]);
    assert(r.at[0].y < r.at[1].y && r.at[1].y < r.at[2].y);
    assert.strictEqual(r.at[3].y, r.at[1].y);
    assert.strictEqual(r.routes[2].length, 4); // from its start into the layer, straight through it, to its end
    assert.strictEqual(r.routes[2][1].x, r.routes[2][2].x);
    assert.strictEqual(overlaps(nodes, r), null);
    assert.deepStrictEqual(r.routes[0][0], {x: r.at[0].x, y: r.at[0].y + 13});
}

// A cycle has one edge against the direction, and it starts at its own source.
{
    const edges = [[0, 1], [1, 2], [2, 0]];
    assert.deepStrictEqual(breakCycles(3, edges), [true, true, false]);
    const r = layout([box(), box(), box()], edges);
    assert(r.at[0].y < r.at[2].y);
    assert(r.routes[2][0].y === r.at[2].y - 13 && r.routes[2][r.routes[2].length - 1].y === r.at[0].y + 13);
}

// Sizes of all kinds never overlap, and everything is inside of the drawing.
{
    const nodes = [], edges = [];
    for (let i = 0; i < 120; i++) {
        nodes.push(box(20 + (i * 37) % 200, 10 + (i * 13) % 90));
        if (i) edges.push([(i * 7919) % i, i]);
        if (i > 9) edges.push([i - 9, i]);
    }
    const r = layout(nodes, edges);
    assert.strictEqual(overlaps(nodes, r), null);
    nodes.forEach((v, i) => {
        assert(r.at[i].x - v.w / 2 >= -1e-6 && r.at[i].x + v.w / 2 <= r.w + 1e-6);
        assert(r.at[i].y - v.h / 2 >= -1e-6 && r.at[i].y + v.h / 2 <= r.h + 1e-6);
    });
    assert.deepStrictEqual(layout(nodes, edges), r); // the same every time
}

// Large graphs, and deep ones, are laid out in seconds.
for (const edgesOf of [i => i ? [[(i * 7919) % i, i], [Math.max(0, i - 10), i]] : [], i => i ? [[i - 1, i]] : [], i => i ? [[0, i]] : []]) {
    const nodes = [], edges = [];
    for (let i = 0; i < 5000; i++) {
        nodes.push(box());
        edges.push(...edgesOf(i));
    }
    const before = process.cpuUsage(), r = layout(nodes, edges), spent = process.cpuUsage(before).user / 1e6;
    assert.strictEqual(r.at.length, 5000);
    assert(spent < 10, `${spent} s`);
}
console.log('layout: all properties hold');
