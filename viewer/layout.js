'use strict';
// Layered drawing of one container: cycles are broken, nodes get layers along the edges, edges over several layers get places in each,
// layers are ordered by barycentres, and nodes move towards their neighbours. Labels of edges are nodes of layers in between. Sizes and
// places are numbers; nothing here touches the page.

const GAP_X = 18, BETWEEN_LINES = 7, GAP_Y = 34, MAX_DUMMIES = 20000, SWEEPS = 6, MOST_LIMITED = 2000, LEAST_LABEL = 0.5;

// layout(nodes: [{w, h}], edges: [[from, to]], labels: [{w, h} or nothing for each edge], limit) -> {w, h, at: [{x, y}] (centres),
// routes: [[{x, y}...]], labels: [{x, y, w} or null]}, edges in their order. Layers wider than `limit` are split where that is possible;
// labels that do not fit share what width there is (their w), or are left out when that is less than half of what they want.
function layout(nodes, edges, labels = [], limit = Infinity) {
    const n = nodes.length, wide = n > MOST_LIMITED ? Infinity : limit;
    const forward = breakCycles(n, edges);
    const rank = layersOf(n, edges, forward, nodes.map(v => v.w), wide);
    const labelled = edges.some((_, i) => labels[i]);
    if (labelled) rank.layer = rank.layer.map(l => 2 * l); // labels are in the odd layers
    const graph = withDummies(nodes, edges, forward, rank, labels);
    if (labelled) shareWidth(graph, wide);
    const layers = orderLayers(graph);
    placeX(graph, layers, wide);
    const size = placeY(graph, layers, labelled ? GAP_Y / 2 : GAP_Y);
    const at = nodes.map((_, i) => ({x: graph.x[i], y: graph.y[i]}));
    const routes = edges.map(([from, to], i) => route(graph, nodes, i, from, to, forward[i]));
    const places = edges.map((_, i) => {
        const v = graph.labelOf[i];
        return v === undefined || graph.h[v] === 0 ? null : {x: graph.x[v], y: graph.y[v], w: graph.w[v]};
    });
    return {w: size.w, h: size.h, at, routes, labels: places};
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

// The longest way from a source, or a later layer where that one is full; sources move down towards their first successor, so that
// their edges are short, and up again to a layer with room.
function layersOf(n, edges, forward, widths, limit) {
    const next = Array.from({length: n}, () => []), degree = new Array(n).fill(0);
    edges.forEach(([a, b], i) => {
        if (forward[i] === null) return;
        const [from, to] = forward[i] ? [a, b] : [b, a];
        next[from].push(to);
        degree[to]++;
    });
    const layer = new Array(n).fill(0), source = degree.map(d => d === 0), queue = [], used = new Map();
    const settle = (i, step) => {
        for (;; layer[i] += step) {
            const taken = used.get(layer[i]) || 0;
            if (taken > 0 && taken + widths[i] > limit) continue;
            used.set(layer[i], taken + widths[i] + GAP_X);
            return;
        }
    };
    degree.forEach((d, i) => { if (d === 0) queue.push(i); });
    for (let k = 0; k < queue.length; k++) {
        const i = queue[k];
        if (!source[i] || !next[i].length) settle(i, 1);
        for (const to of next[i]) {
            layer[to] = Math.max(layer[to], layer[i] + 1);
            if (--degree[to] === 0) queue.push(to);
        }
    }
    for (let i = 0; i < n; i++)
        if (source[i] && next[i].length) {
            layer[i] = next[i].reduce((l, t) => Math.min(l, layer[t]), Infinity) - 1;
            settle(i, -1);
        }
    const first = layer.reduce((l, v) => Math.min(l, v), Infinity);
    return {layer: layer.map(l => l - first)};
}

// Edges over several layers get a place in each. Those from one element share their places down to where they part, so that what many read
// takes the width of one line. Labels are right above the ends of their edges, where each edge is on its own.
function withDummies(nodes, edges, forward, rank, labels) {
    const g = {w: nodes.map(v => v.w), h: nodes.map(v => v.h), layer: rank.layer.slice(), up: [], down: [], chain: [], labelOf: []};
    nodes.forEach(() => { g.up.push([]); g.down.push([]); });
    const connect = (a, b) => { g.down[a].push(b); g.up[b].push(a); };
    const add = (above, layer, label) => {
        g.w.push(label ? label.w : 2); g.h.push(label ? label.h : 0); g.layer.push(layer); g.up.push([]); g.down.push([]);
        connect(above, g.w.length - 1);
        return g.w.length - 1;
    };
    const shared = new Map(); // of an element: the places of its edges, from its own layer down
    let dummies = 0;
    edges.forEach(([a, b], i) => {
        g.chain[i] = [];
        if (forward[i] === null) return;
        const [from, to] = forward[i] ? [a, b] : [b, a], between = rank.layer[to] - rank.layer[from] - 1;
        if (between <= 0 || dummies > MAX_DUMMIES) { // too many: straight lines over what lies between
            if (between >= 0) connect(from, to);
            return;
        }
        if (!shared.has(from)) shared.set(from, []);
        const line = shared.get(from), common = between - (labels[i] ? 1 : 0);
        for (; line.length < common; dummies++) line.push(add(line.length ? line[line.length - 1] : from, rank.layer[from] + line.length + 1, null));
        g.chain[i] = line.slice(0, common);
        if (labels[i]) g.chain[i].push(g.labelOf[i] = add(common ? line[common - 1] : from, rank.layer[to] - 1, labels[i]));
        connect(g.chain[i][between - 1], to);
    });
    return g;
}

// Labels of a layer that is too wide become narrower, and go where they would say too little.
function shareWidth(g, limit) {
    const wanted = new Map();
    for (const v of g.labelOf) if (v !== undefined) wanted.set(g.layer[v], (wanted.get(g.layer[v]) || 0) + g.w[v] + GAP_X);
    for (const v of g.labelOf) {
        const share = v === undefined ? 1 : limit / wanted.get(g.layer[v]);
        if (share >= 1) continue;
        g.w[v] = share < LEAST_LABEL ? 2 : g.w[v] * share;
        if (share < LEAST_LABEL) g.h[v] = 0;
    }
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
function placeX(g, layers, limit) {
    const isLine = v => g.h[v] === 0, gap = (a, b) => isLine(a) && isLine(b) ? BETWEEN_LINES : GAP_X;
    g.x = new Array(g.w.length).fill(0);
    for (const layer of layers) {
        let x = 0;
        layer.forEach((v, k) => {
            if (k) x += gap(layer[k - 1], v);
            g.x[v] = x + g.w[v] / 2;
            x += g.w[v];
        });
    }
    const settle = (layer, neighbours) => {
        // Nodes that touch form a block, which moves to the mean of what its members want (their wanted places, less their offsets).
        const blocks = [];
        layer.forEach((v, k) => {
            const list = neighbours[v];
            const wanted = (list.length ? list.reduce((s, u) => s + g.x[u], 0) / list.length : g.x[v]) - g.w[v] / 2;
            let block = {first: k, count: 1, sum: wanted, width: g.w[v], left: wanted};
            while (blocks.length) {
                const before = blocks[blocks.length - 1], offset = before.width + gap(layer[block.first - 1], layer[block.first]);
                if (before.left + offset <= block.left) break;
                blocks.pop();
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
                if (k > block.first) x += gap(layer[k - 1], layer[k]);
                g.x[layer[k]] = x + g.w[layer[k]] / 2;
                x += g.w[layer[k]];
            }
        }
    };
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
        if (sweep % 2 === 0) for (let l = 1; l < layers.length; l++) settle(layers[l], g.up);
        else for (let l = layers.length - 2; l >= 0; l--) settle(layers[l], g.down);
    }
    keepWithin(g, layers, gap, limit);
    let least = Infinity;
    for (let i = 0; i < g.x.length; i++) least = Math.min(least, g.x[i] - g.w[i] / 2);
    for (let i = 0; i < g.x.length; i++) g.x[i] -= least;
}

// No layer reaches beyond the width that the widest one needs, or the limit. Order and gaps in a layer stay.
function keepWithin(g, layers, gap, limit) {
    const widthOf = layer => layer.reduce((w, v, k) => w + g.w[v] + (k ? gap(layer[k - 1], v) : 0), 0);
    const width = layers.reduce((w, layer) => Math.max(w, widthOf(layer)), Number.isFinite(limit) ? limit : 0);
    const middle = g.x.reduce((sum, x) => sum + x, 0) / Math.max(1, g.x.length);
    for (const layer of layers) {
        let left = middle - width / 2, right = middle + width / 2;
        layer.forEach((v, k) => {
            left += (k ? gap(layer[k - 1], v) : 0) + g.w[v];
            g.x[v] = Math.max(g.x[v], left - g.w[v] / 2);
        });
        for (let k = layer.length - 1; k >= 0; k--) {
            right -= (k < layer.length - 1 ? gap(layer[k], layer[k + 1]) : 0) + g.w[layer[k]];
            g.x[layer[k]] = Math.min(g.x[layer[k]], right + g.w[layer[k]] / 2);
        }
    }
}

function placeY(g, layers, gap) {
    g.y = new Array(g.w.length).fill(0);
    g.height = new Array(g.w.length).fill(0); // of the layer
    let y = 0, width = 0;
    layers.forEach(layer => {
        const height = layer.reduce((h, v) => Math.max(h, g.h[v]), 0);
        for (const v of layer) {
            g.y[v] = y + height / 2;
            g.height[v] = height;
            width = Math.max(width, g.x[v] + g.w[v] / 2);
        }
        y += height + gap;
    });
    return {w: width, h: Math.max(0, y - gap)};
}

function route(g, nodes, edge, from, to, forward) {
    if (forward === null) { // around the node's right side
        const right = g.x[from] + nodes[from].w / 2, top = g.y[from] - nodes[from].h / 2, bottom = g.y[from] + nodes[from].h / 2;
        return [{x: right - 8, y: bottom}, {x: right + 12, y: bottom + 8}, {x: right + 12, y: top - 8}, {x: right - 8, y: top}];
    }
    const down = forward ? 1 : -1, points = v => { // straight through a layer, so that its elements are not crossed
        const half = down * (g.height[v] - g.h[v]) / 2;
        return half ? [{x: g.x[v], y: g.y[v] - half}, {x: g.x[v], y: g.y[v] + half}] : [{x: g.x[v], y: g.y[v]}];
    };
    const chain = (forward ? g.chain[edge] : g.chain[edge].slice().reverse()).flatMap(points);
    const end = (v, down) => { // at an element's edge, and at its layer's
        const edge = {x: g.x[v], y: g.y[v] + down * nodes[v].h / 2};
        return g.height[v] > nodes[v].h ? [edge, {x: g.x[v], y: g.y[v] + down * g.height[v] / 2}] : [edge];
    };
    return [...end(from, down), ...chain, ...end(to, -down).reverse()];
}

if (typeof module !== 'undefined') module.exports = {layout, breakCycles};
