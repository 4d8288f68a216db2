'use strict';
// Layered drawing of one container: cycles are broken, nodes get layers along the edges, edges over several layers get places in each,
// layers are ordered by barycentres, and nodes move towards their neighbours. Sizes and places are numbers; nothing here touches the page.

const GAP_X = 18, GAP_Y = 34, MAX_DUMMIES = 20000, SWEEPS = 6;

// layout(nodes: [{w, h}], edges: [[from, to]]) -> {w, h, at: [{x, y}] (centres), routes: [[{x, y}...]]}, edges in their order.
function layout(nodes, edges) {
    const n = nodes.length;
    const forward = breakCycles(n, edges);
    const rank = layersOf(n, edges, forward);
    const graph = withDummies(nodes, edges, forward, rank);
    const layers = orderLayers(graph);
    placeX(graph, layers);
    const size = placeY(graph, layers);
    const at = nodes.map((_, i) => ({x: graph.x[i], y: graph.y[i]}));
    const routes = edges.map(([from, to], i) => route(graph, nodes, i, from, to, forward[i]));
    return {w: size.w, h: size.h, at, routes};
}

// true: along its direction; false: drawn against it; null: a loop on one node. Depth first, without recursion, in the given order.
function breakCycles(n, edges) {
    const out = Array.from({length: n}, () => []), incoming = new Array(n).fill(0);
    edges.forEach(([a, b], i) => { out[a].push(i); if (a !== b) incoming[b]++; });
    const state = new Uint8Array(n), forward = edges.map(([a, b]) => a === b ? null : true);
    const roots = [...Array(n).keys()].sort((a, b) => (incoming[a] > 0) - (incoming[b] > 0) || a - b);
    for (const root of roots) {
        if (state[root]) continue;
        const stack = [[root, 0]];
        state[root] = 1;
        while (stack.length) {
            const top = stack[stack.length - 1], node = top[0];
            if (top[1] === out[node].length) {
                state[node] = 2;
                stack.pop();
                continue;
            }
            const edge = out[node][top[1]++], next = edges[edge][1];
            if (state[next] === 1 && next !== node) forward[edge] = false;
            if (state[next] === 0) {
                state[next] = 1;
                stack.push([next, 0]);
            }
        }
    }
    return forward;
}

// The longest way from a source; sources move down towards their first successor, so that their edges are short.
function layersOf(n, edges, forward) {
    const next = Array.from({length: n}, () => []), degree = new Array(n).fill(0);
    edges.forEach(([a, b], i) => {
        if (forward[i] === null) return;
        const [from, to] = forward[i] ? [a, b] : [b, a];
        next[from].push(to);
        degree[to]++;
    });
    const layer = new Array(n).fill(0), source = degree.map(d => d === 0), queue = [];
    degree.forEach((d, i) => { if (d === 0) queue.push(i); });
    for (let k = 0; k < queue.length; k++)
        for (const to of next[queue[k]]) {
            layer[to] = Math.max(layer[to], layer[queue[k]] + 1);
            if (--degree[to] === 0) queue.push(to);
        }
    for (let i = 0; i < n; i++)
        if (source[i] && next[i].length) layer[i] = Math.min(...next[i].map(t => layer[t])) - 1;
    return {layer};
}

function withDummies(nodes, edges, forward, rank) {
    const g = {w: nodes.map(v => v.w), h: nodes.map(v => v.h), layer: rank.layer.slice(), up: [], down: [], chain: [], dummyFrom: nodes.length};
    nodes.forEach(() => { g.up.push([]); g.down.push([]); });
    const connect = (a, b) => { g.down[a].push(b); g.up[b].push(a); };
    let dummies = 0;
    edges.forEach(([a, b], i) => {
        g.chain[i] = [];
        if (forward[i] === null) return;
        const [from, to] = forward[i] ? [a, b] : [b, a];
        const between = rank.layer[to] - rank.layer[from] - 1;
        if (between <= 0 || dummies + between > MAX_DUMMIES) { // too many: straight lines over what lies between
            if (between >= 0) connect(from, to);
            return;
        }
        let last = from;
        for (let k = 1; k <= between; k++) {
            const id = g.w.length;
            g.w.push(8); g.h.push(0); g.layer.push(rank.layer[from] + k); g.up.push([]); g.down.push([]);
            connect(last, id);
            g.chain[i].push(id);
            last = id;
        }
        dummies += between;
        connect(last, to);
    });
    return g;
}

function orderLayers(g) {
    const layers = [];
    g.layer.forEach((l, i) => (layers[l] = layers[l] || []).push(i));
    for (let l = 0; l < layers.length; l++) layers[l] = layers[l] || [];
    const position = new Array(g.layer.length), key = new Array(g.layer.length);
    const renumber = layer => layer.forEach((v, k) => { position[v] = k; });
    layers.forEach(renumber);
    const sort = (layer, neighbours) => {
        layer.forEach((v, k) => {
            const list = neighbours[v];
            key[v] = list.length ? list.reduce((s, u) => s + position[u], 0) / list.length : k;
        });
        layer.sort((a, b) => key[a] - key[b] || position[a] - position[b]);
        renumber(layer);
    };
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
        if (sweep % 2 === 0) for (let l = 1; l < layers.length; l++) sort(layers[l], g.up);
        else for (let l = layers.length - 2; l >= 0; l--) sort(layers[l], g.down);
    }
    return layers;
}

// Nodes want to be at the mean of their neighbours; in a layer each keeps its place in the order and a gap to the next.
function placeX(g, layers) {
    g.x = new Array(g.w.length).fill(0);
    for (const layer of layers) {
        let x = 0;
        for (const v of layer) {
            g.x[v] = x + g.w[v] / 2;
            x += g.w[v] + GAP_X;
        }
    }
    const settle = (layer, neighbours) => {
        // Nodes that touch form a block, which moves to the mean of what its members want (their wanted places, less their offsets).
        const blocks = [];
        layer.forEach((v, k) => {
            const list = neighbours[v];
            const wanted = (list.length ? list.reduce((s, u) => s + g.x[u], 0) / list.length : g.x[v]) - g.w[v] / 2;
            let block = {first: k, count: 1, sum: wanted, width: g.w[v], left: wanted};
            while (blocks.length && blocks[blocks.length - 1].left + blocks[blocks.length - 1].width + GAP_X > block.left) {
                const before = blocks.pop(), offset = before.width + GAP_X;
                before.sum += block.sum - offset * block.count;
                before.width = offset + block.width;
                before.count += block.count;
                before.left = before.sum / before.count;
                block = before;
            }
            blocks.push(block);
        });
        for (const block of blocks) {
            let x = block.left;
            for (let k = block.first; k < block.first + block.count; k++) {
                g.x[layer[k]] = x + g.w[layer[k]] / 2;
                x += g.w[layer[k]] + GAP_X;
            }
        }
    };
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
        if (sweep % 2 === 0) for (let l = 1; l < layers.length; l++) settle(layers[l], g.up);
        else for (let l = layers.length - 2; l >= 0; l--) settle(layers[l], g.down);
    }
    let least = Infinity;
    for (let i = 0; i < g.x.length; i++) least = Math.min(least, g.x[i] - g.w[i] / 2);
    for (let i = 0; i < g.x.length; i++) g.x[i] -= least;
}

function placeY(g, layers) {
    g.y = new Array(g.w.length).fill(0);
    let y = 0, width = 0;
    layers.forEach(layer => {
        const height = layer.reduce((h, v) => Math.max(h, g.h[v]), 0);
        for (const v of layer) {
            g.y[v] = y + height / 2;
            width = Math.max(width, g.x[v] + g.w[v] / 2);
        }
        y += height + GAP_Y;
    });
    return {w: width, h: Math.max(0, y - GAP_Y)};
}

function route(g, nodes, edge, from, to, forward) {
    if (forward === null) { // around the node's right side
        const right = g.x[from] + nodes[from].w / 2, top = g.y[from] - nodes[from].h / 2, bottom = g.y[from] + nodes[from].h / 2;
        return [{x: right - 8, y: bottom}, {x: right + 12, y: bottom + 8}, {x: right + 12, y: top - 8}, {x: right - 8, y: top}];
    }
    const chain = (forward ? g.chain[edge] : g.chain[edge].slice().reverse()).map(v => ({x: g.x[v], y: g.y[v]}));
    const down = forward ? 1 : -1;
    return [{x: g.x[from], y: g.y[from] + down * nodes[from].h / 2}, ...chain, {x: g.x[to], y: g.y[to] - down * nodes[to].h / 2}];
}

if (typeof module !== 'undefined') module.exports = {layout, breakCycles};
