// The page: which step and which containers are open, what is drawn of them, and what the mouse and the keys do. Containers are laid out
// when they are opened; of a large drawing only what lies in the window is in the page.
(() => {
    const LONGEST = 56, LABEL = 34, LABEL_LINES = 4, CODE_LINES = 6, LABELLED = 2000, MANY = 2500, FEW = 250, TRIES = 150;
    const READABLE = 0.92, LARGEST = 1.25, EDGE = 12; // scales at which 12 px are readable, and no drawing grows beyond; a margin
    const PLAIN = '13px system-ui, sans-serif', MONO = '12px ui-monospace, "DejaVu Sans Mono", monospace', LINE = 15;
    const byId = id => document.getElementById(id);
    const svg = byId('drawing'), scene = byId('scene'), tip = byId('tip');
    const stepScripts = [...document.querySelectorAll('script[data-step]')];
    const steps = new Array(stepScripts.length);
    const open = new Set(), closed = new Set(); // paths that the user opened and closed
    let current = 0, chosen = null, view = {x: 0, y: 0, scale: 1}, root = null, cache = new Map();
    let hits = [], hitAt = -1, hitNodes = new Set(), hitParents = new Set(), room = 1000;
    const memlets = byId('memlets');
    const panes = createPanes({source: source => reveal(related(source)), found: path => choose(hits.findIndex(n => n.path === path))});

    // ---- the model

    function load(index) {
        if (steps[index]) return steps[index];
        const model = JSON.parse(stepScripts[index].textContent);
        model.all = [];
        const queue = [{container: 0, path: '', parent: null}];
        for (let k = 0; k < queue.length; k++) {
            const {container, path, parent} = queue[k], taken = new Map();
            model.containers[container].parent = parent;
            for (const node of model.containers[container].nodes) {
                const name = `${node.k}:${node.n}`, count = taken.get(name) || 0;
                taken.set(name, count + 1);
                node.path = `${path}/${name}${count ? '#' + count : ''}`;
                node.parent = parent;
                node.container = container;
                model.all.push(node);
                if (node.c !== undefined) queue.push({container: node.c, path: node.path, parent: node});
            }
        }
        model.byPath = new Map(model.all.map(n => [n.path, n]));
        return steps[index] = model;
    }

    const signature = node => JSON.stringify([node.h, node.d, node.f]);
    // Elements that the step before does not have, or has otherwise.
    function difference(index) {
        if (index === 0) return () => '';
        const before = load(index - 1).byPath;
        return node => !before.has(node.path) ? ' added' : signature(before.get(node.path)) !== signature(node) ? ' changed' : '';
    }

    // Unless the user says otherwise: containers are open from the outermost inwards, as long as they begin in the window, the drawing
    // fits its width at a readable scale, and little is drawn.
    function openAtFirst(model) {
        const box = svg.getBoundingClientRect(), queue = model.containers[0].nodes.slice();
        let drawn = queue.length, tries = 0;
        model.first = new Set();
        root = arranged(model, 0);
        for (let k = 0; k < queue.length && tries < TRIES; k++) {
            const node = queue[k];
            if (node.c === undefined) continue;
            const inner = model.containers[node.c].nodes;
            if (drawn + inner.length > FEW || placeOf(node).y * READABLE > box.height) continue;
            tries++;
            model.first.add(node.path);
            forget(model, node);
            root = arranged(model, 0);
            if (root.w * READABLE > room) {
                model.first.delete(node.path);
                forget(model, node);
                root = arranged(model, 0);
                continue;
            }
            drawn += inner.length;
            queue.push(...inner);
        }
    }
    const isOpen = (model, node) => node.c !== undefined && !closed.has(node.path) && (open.has(node.path) || model.first.has(node.path));

    // ---- layout

    const shortened = (text, most = LONGEST) => text.length > most ? text.slice(0, most - 1) + '\u2026' : text;
    // In the drawing, names that inlining has made long show both ends; details have all of them.
    const brief = text => text.replace(/\w{25,}/g, name => `${name.slice(0, 5)}\u2026${name.slice(-17)}`);
    const pen = document.createElement('canvas').getContext('2d'), measured = new Map();
    function width(text, font) {
        const key = font === MONO ? text.length : text;
        if (!measured.has(key)) {
            pen.font = font;
            measured.set(key, pen.measureText(font === MONO ? 'm'.repeat(text.length) : text).width);
        }
        return measured.get(key);
    }
    const codeOf = node => memlets.checked && node.m || node.d || [];

    // Code that is too long for a line goes on, indented, where a blank is.
    function wrapped(line) {
        const out = [];
        for (let rest = line; rest;) {
            const indent = out.length ? '    ' : '', most = LONGEST - indent.length, blank = rest.lastIndexOf(' ', most);
            const end = rest.length <= most ? rest.length : blank > rest.search(/\S/) ? blank : most;
            out.push(indent + rest.slice(0, end));
            rest = rest.slice(end).trimStart();
        }
        return out;
    }

    // What is written in an element below its name.
    function linesOf(node) {
        if (node.k !== 'tasklet') return node.h ? [shortened(brief(node.h))] : [];
        const code = codeOf(node).flatMap(l => wrapped(brief(l)));
        return code.length > CODE_LINES ? [...code.slice(0, CODE_LINES - 1), `\u2026 ${code.length - CODE_LINES + 1} more lines`] : code;
    }

    function sized(model, node, within) {
        if (node.k === 'entry' || node.k === 'exit') return {node, title: '', lines: [], head: {w: 84, h: 10}, w: 84, h: 10, inner: null};
        const inside = isOpen(model, node), number = node.c === undefined || inside ? 0 : model.containers[node.c].nodes.length;
        const title = (node.c === undefined ? '' : inside ? '\u25be ' : '\u25b8 ') + shortened(brief(node.n || node.k)) + (number ? ` (${number})` : ''), lines = linesOf(node);
        const head = {w: Math.max(width(title, PLAIN), ...lines.map(l => width(l, MONO))) * (node.k === 'access' ? 1.08 : 1) + 26, h: 26 + LINE * lines.length};
        const item = {node, title, lines, head, w: head.w, h: head.h, inner: null};
        if (inside) {
            item.inner = arranged(model, node.c, within - 24);
            item.w = Math.max(head.w, item.inner.w + 24);
            item.h = head.h + item.inner.h + 18;
        }
        return item;
    }

    // Edges between the same two elements are drawn as one, with the texts of all.
    function bundled(edges) {
        const bundles = new Map();
        edges.forEach(([from, to, text], i) => {
            const key = `${from} ${to}`, bundle = bundles.get(key) || {from, to, lines: [], edges: []};
            bundles.set(key, bundle);
            bundle.edges.push(i);
            if (text && !bundle.lines.includes(text)) bundle.lines.push(text);
        });
        return [...bundles.values()];
    }
    function labelOf(bundle) {
        const {lines} = bundle;
        bundle.label = lines.length > LABEL_LINES ? [...lines.slice(0, LABEL_LINES - 1), `\u2026 ${lines.length - LABEL_LINES + 1} more`] : lines;
        bundle.label = bundle.label.map(l => shortened(brief(l), LABEL));
        return lines.length ? {w: Math.max(...bundle.label.map(l => width(l, MONO))) + 8, h: LINE * bundle.label.length} : null;
    }

    // The lines of long edges come on top of a layer's elements: where that is too much, layers get fewer elements.
    function narrow(items, edges, labels, within) {
        let best = layout(items, edges, labels, within);
        for (let k = 0, limit = within; k < 3 && best.w > within && items.length < LABELLED; k++) {
            limit *= 0.8;
            const next = layout(items, edges, labels, limit);
            if (next.w < best.w) best = next;
        }
        return best;
    }

    function arranged(model, container, within = room / READABLE) {
        if (cache.has(container)) return cache.get(container);
        const {nodes, edges} = model.containers[container];
        const items = nodes.map(n => sized(model, n, within)), bundles = bundled(edges);
        const labels = nodes.length > LABELLED ? [] : bundles.map(labelOf);
        const placed = narrow(items, bundles.map(b => [b.from, b.to]), labels, Math.max(within, 300));
        items.forEach((item, i) => { item.x = placed.at[i].x - item.w / 2; item.y = placed.at[i].y - item.h / 2; });
        bundles.forEach((b, i) => { b.route = placed.routes[i]; b.at = placed.labels[i]; });
        const out = {w: placed.w, h: placed.h, items, edges: bundles};
        cache.set(container, out);
        return out;
    }

    function forget(model, node) {
        for (let n = node; n; n = n.parent) {
            cache.delete(n.container);
            if (n.c !== undefined) cache.delete(n.c);
        }
    }

    // ---- drawing

    const escaped = text => text.replace(/[&<>"]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);
    const count = drawing => drawing.items.reduce((sum, i) => sum + 1 + (i.inner ? count(i.inner) : 0), 0);

    function shape(item) {
        const {w, h} = item, k = item.node.k;
        if (k === 'access') return `<ellipse cx="${w / 2}" cy="${h / 2}" rx="${w / 2}" ry="${h / 2}"/>`;
        if (k === 'entry') return `<path d="M12,0H${w - 12}L${w},${h}H0z"/>`;
        if (k === 'exit') return `<path d="M0,0H${w}L${w - 12},${h}H12z"/>`;
        if (k === 'tasklet') return `<path d="M10,0H${w - 10}L${w},10V${h - 10}L${w - 10},${h}H10L0,${h - 10}V10z"/>`;
        return `<rect width="${w}" height="${h}" rx="4"/>`;
    }

    function smooth(points) {
        let d = `M${points[0].x.toFixed(1)},${points[0].y.toFixed(1)}`;
        for (let i = 1; i < points.length; i++) {
            const a = points[i - 1], b = points[i], middle = ((a.y + b.y) / 2).toFixed(1);
            d += `C${a.x.toFixed(1)},${middle} ${b.x.toFixed(1)},${middle} ${b.x.toFixed(1)},${b.y.toFixed(1)}`;
        }
        return d;
    }

    const FLOW = ['state', 'loop', 'region', 'if', 'break', 'continue', 'return'];
    function edgeMarkup(bundle, dataflow, left, top, within, words, container) {
        const points = bundle.route.map(p => ({x: p.x + left, y: p.y + top})), d = smooth(points);
        const out = [`<g class="edge ${within}${dataflow && !bundle.lines.length ? ' order' : ''}" data-edge="${container}:${bundle.edges.join(',')}"><path class="line" d="${d}"/><path class="hit" d="${d}"/>`];
        if (bundle.at && words) {
            const {x, y, w} = bundle.at, most = Math.floor((w - 8) / width('m', MONO));
            const lines = bundle.label.map(l => shortened(l, most)), wide = Math.max(...lines.map(l => width(l, MONO))) + 6, high = LINE * lines.length;
            out.push(`<rect class="plate" x="${(x + left - wide / 2).toFixed(1)}" y="${(y + top - high / 2).toFixed(1)}" width="${wide.toFixed(1)}" height="${high}"/>`);
            lines.forEach((l, i) => out.push(`<text class="label" x="${(x + left).toFixed(1)}" y="${(y + top - high / 2 + LINE * i + 11).toFixed(1)}" text-anchor="middle">${escaped(l)}</text>`));
        }
        return out.join('') + '</g>';
    }

    function nodeMarkup(item, x, y, change, words) {
        const n = item.node, flags = [[n.c !== undefined, 'openable'], [n === chosen, 'chosen'], [hitNodes.has(n), 'hit'], [!item.inner && hitParents.has(n), 'holds']];
        const kinds = [n.k, n.f || '', ...flags.filter(f => f[0]).map(f => f[1])].filter(Boolean).join(' ');
        const out = [`<g class="node ${kinds}${change}" data-path="${escaped(n.path)}" transform="translate(${x.toFixed(1)},${y.toFixed(1)})">${shape(item)}`];
        if (words && item.title) {
            const middle = (item.w / 2).toFixed(1);
            out.push(`<g class="head"><rect width="${item.w.toFixed(1)}" height="${item.head.h}" fill="transparent" stroke="none"/><text x="${middle}" y="17" text-anchor="middle">${escaped(item.title)}</text>`);
            const left = n.k === 'tasklet' && item.lines.length > 1; // code over several lines
            item.lines.forEach((l, i) => out.push(`<text class="below" x="${left ? 13 : middle}" y="${33 + LINE * i}"${left ? '' : ' text-anchor="middle"'}>${escaped(l)}</text>`));
            if (n.r) out.push(`<circle class="note${n.r.some(isMissed) ? ' missed' : ''}" cx="${(item.w - 9).toFixed(1)}" cy="9" r="4"/>`);
            out.push('</g>');
        }
        return out.join('') + '</g>';
    }

    function draw() {
        const model = load(current), change = difference(current), many = count(root) > MANY;
        const box = svg.getBoundingClientRect();
        const seen = {left: -view.x / view.scale, top: -view.y / view.scale, right: (box.width - view.x) / view.scale, bottom: (box.height - view.y) / view.scale};
        const outside = (x, y, w, h) => many && (x > seen.right || y > seen.bottom || x + w < seen.left || y + h < seen.top);
        const words = view.scale > 0.3 || !many, out = [];
        let drawn = 0;
        const paint = (drawing, left, top, container, parent) => {
            const {nodes} = model.containers[container], within = parent ? 'in-' + parent.k : '';
            for (const bundle of drawing.edges) {
                const xs = bundle.route.map(p => p.x + left), ys = bundle.route.map(p => p.y + top);
                const x = Math.min(...xs), y = Math.min(...ys), w = Math.max(...xs) - x, h = Math.max(...ys) - y;
                if (!outside(x, y, w, h)) out.push(edgeMarkup(bundle, !FLOW.includes(nodes[bundle.from].k), left, top, within, words, container));
            }
            for (const item of drawing.items) {
                const x = item.x + left, y = item.y + top;
                if (outside(x, y, item.w, item.h)) continue;
                drawn++;
                out.push(nodeMarkup(item, x, y, change(item.node), words));
                if (item.inner) paint(item.inner, x + (item.w - item.inner.w) / 2, y + item.head.h + 6, item.node.c, item.node);
            }
        };
        paint(root, 0, 0, 0, null);
        scene.innerHTML = out.join('');
        scene.setAttribute('transform', `translate(${view.x},${view.y}) scale(${view.scale})`);
        byId('status').textContent = `${model.name}: ${drawn} drawn, ${model.all.length} elements` + (steps.length > 1 ? `, step ${current + 1} of ${steps.length}` : '') + unchanged(current);
    }
    // The steps behind one that look like it are not in the page.
    function unchanged(index) {
        const same = JSON.parse(stepScripts[index].dataset.same);
        return same.length ? `; no change: ${same.join(', ')}` : '';
    }

    let asked = false;
    function redraw() {
        if (asked) return;
        asked = true;
        requestAnimationFrame(() => { asked = false; draw(); });
    }
    // Moving a small drawing needs no new one.
    function moved() {
        scene.setAttribute('transform', `translate(${view.x},${view.y}) scale(${view.scale})`);
        if (count(root) > MANY) redraw();
    }

    function show(index) {
        current = index;
        cache = new Map();
        const model = load(index);
        if (!model.first) openAtFirst(model);
        chosen = chosen ? model.byPath.get(chosen.path) || null : null;
        root = arranged(model, 0);
        byId('step').value = index;
        byId('previous').disabled = index === 0;
        byId('next').disabled = index === steps.length - 1;
        search(byId('search').value);
        panes.relate(new Set(model.all.map(n => n.s).filter(Boolean)));
        panes.describe(chosen, model, codeOf);
        draw();
    }

    // The drawing from its top, over the whole width; not smaller than `least`.
    function fit(least = 0.02) {
        const box = svg.getBoundingClientRect(), scale = Math.max(least, Math.min(LARGEST, (box.width - 2 * EDGE) / Math.max(1, root.w)));
        view = {scale, x: Math.max(EDGE, (box.width - root.w * scale) / 2), y: EDGE};
        draw();
    }

    // The panes get the width that the first drawing leaves.
    function divide() {
        const whole = innerWidth, least = whole * 0.34;
        byId('panes').style.width = Math.round(Math.min(whole * 0.62, Math.max(least, whole - root.w * LARGEST - 6 * EDGE))) + 'px';
    }

    // Where an element is in the drawing, when everything around it is open.
    function placeOf(node) {
        const chain = [];
        for (let n = node; n; n = n.parent) chain.unshift(n);
        let drawing = root, left = 0, top = 0, item = null;
        for (const n of chain) {
            item = drawing.items.find(i => i.node === n);
            left += item.x;
            top += item.y;
            if (n !== node) {
                left += (item.w - item.inner.w) / 2;
                top += item.head.h + 6;
                drawing = item.inner;
            }
        }
        return {x: left, y: top, w: item.w, h: item.h};
    }

    function toggle(node) {
        const model = load(current), was = isOpen(model, node), before = placeOf(node);
        (was ? closed : open).add(node.path);
        (was ? open : closed).delete(node.path);
        forget(model, node);
        root = arranged(model, 0);
        const after = placeOf(node); // what was clicked stays under the mouse
        view.x += (before.x + before.w / 2 - after.x - after.w / 2) * view.scale;
        view.y += (before.y - after.y) * view.scale;
        draw();
    }

    // Opens what is around an element, and moves the drawing when it is not in the window.
    function reveal(node) {
        if (!node) return;
        const model = load(current);
        for (let n = node.parent; n; n = n.parent) {
            open.add(n.path);
            closed.delete(n.path);
        }
        forget(model, node);
        root = arranged(model, 0);
        chosen = node;
        const place = placeOf(node), box = svg.getBoundingClientRect();
        const x = place.x * view.scale + view.x, y = place.y * view.scale + view.y;
        if (view.scale < 0.8 || x < 0 || y < 0 || x + place.w * view.scale > box.width || y + Math.min(place.h, 60) * view.scale > box.height) {
            view.scale = Math.max(view.scale, READABLE);
            view.x = box.width / 2 - (place.x + place.w / 2) * view.scale;
            view.y = box.height / 3 - place.y * view.scale;
        }
        draw();
        panes.describe(node, model, codeOf);
    }

    // The elements that come from a line of the user's program are hits; the first of them is returned.
    function related(source) {
        found(load(current).all.filter(n => n.s === source));
        return hits[0];
    }

    function openAll(all) {
        const model = load(current);
        open.clear();
        closed.clear();
        for (const n of model.all) if (n.c !== undefined) (all ? open : closed).add(n.path);
        cache = new Map();
        root = arranged(model, 0);
        fit();
    }

    // ---- texts

    const isMissed = remark => remark.includes(': not done: ');

    function hint(event) {
        const model = load(current), edge = event.target.closest('[data-edge]'), element = event.target.closest('[data-path]');
        let text = '';
        if (edge) {
            const [container, list] = edge.dataset.edge.split(':'), {edges} = model.containers[Number(container)];
            text = list.split(',').slice(0, 8).map(i => [edges[i][2] || 'no data', ...edges[i][3]].map(escaped).join('<br>')).join('<hr>');
        } else if (element) {
            const node = model.byPath.get(element.dataset.path);
            text = [`${node.k} ${node.n}`, ...(node.h && node.k !== 'tasklet' ? [node.h] : []), ...(node.k === 'tasklet' ? codeOf(node) : node.d || []).slice(0, 8), ...(node.r || []).slice(0, 8), ...(node.s ? [node.s] : [])].map(escaped).join('<br>');
        }
        tip.hidden = !text;
        tip.innerHTML = text;
        tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + 'px';
        tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + 'px';
    }

    function found(list) {
        hits = list;
        hitAt = -1;
        hitNodes = new Set(list);
        hitParents = new Set();
        for (const n of list) for (let p = n.parent; p && !hitParents.has(p); p = p.parent) hitParents.add(p);
        counted();
    }
    function counted() {
        const asked = hits.length || byId('search').value;
        byId('hits').textContent = !asked ? '' : hitAt >= 0 ? `${hitAt + 1} of ${hits.length}` : hits.length === 1 ? '1 hit' : `${hits.length} hits`;
        panes.list(hits, hitAt);
    }
    function search(text) {
        const wanted = text.toLowerCase();
        const has = n => [n.n, n.h || '', n.s || '', ...(n.d || []), ...(n.m || []), ...(n.r || [])].some(t => t.toLowerCase().includes(wanted));
        found(wanted ? load(current).all.filter(n => n.k !== 'entry' && n.k !== 'exit' && has(n)) : []);
    }
    function choose(index) {
        if (!hits[index]) return;
        hitAt = index;
        reveal(hits[index]);
        counted();
        panes.tab('found');
    }

    // ---- mouse and keys

    let drag = null;
    svg.addEventListener('pointerdown', e => { drag = {x: e.clientX, y: e.clientY, moved: false}; });
    addEventListener('pointermove', e => {
        if (!drag) return;
        view.x += e.clientX - drag.x;
        view.y += e.clientY - drag.y;
        drag = {x: e.clientX, y: e.clientY, moved: drag.moved || Math.abs(e.movementX) + Math.abs(e.movementY) > 2};
        moved();
    });
    addEventListener('pointerup', () => setTimeout(() => { drag = null; }));
    svg.addEventListener('click', e => {
        if (drag && drag.moved) return;
        const element = e.target.closest('[data-path]'), model = load(current), node = element && model.byPath.get(element.dataset.path);
        chosen = node || null;
        if (node && node.c !== undefined && e.target.closest('.head')) toggle(node);
        else draw();
        panes.describe(chosen, model, codeOf);
    });
    function zoom(x, y, by) {
        const scale = Math.min(4, Math.max(0.02, view.scale * by)), factor = scale / view.scale;
        view = {scale, x: x - (x - view.x) * factor, y: y - (y - view.y) * factor};
        moved();
    }
    const zoomMiddle = by => zoom(svg.clientWidth / 2, svg.clientHeight / 2, by);
    // The wheel scrolls, as everywhere; with Ctrl (and by pinching) it zooms.
    svg.addEventListener('wheel', e => {
        e.preventDefault();
        const box = svg.getBoundingClientRect(), unit = e.deltaMode === 1 ? 16 : 1;
        if (e.ctrlKey || e.metaKey) return zoom(e.clientX - box.left, e.clientY - box.top, Math.exp(-e.deltaY * unit * 0.0025));
        view.x -= (e.shiftKey ? e.deltaY : e.deltaX) * unit;
        view.y -= (e.shiftKey ? 0 : e.deltaY) * unit;
        moved();
    }, {passive: false});
    svg.addEventListener('mousemove', hint);
    svg.addEventListener('mouseleave', () => { tip.hidden = true; });
    byId('search').addEventListener('input', e => {
        search(e.target.value);
        panes.tab(e.target.value ? 'found' : 'detail');
        draw();
    });
    byId('search').addEventListener('keydown', e => {
        if (e.key === 'Enter' && hits.length) choose((hitAt + (e.shiftKey ? hits.length - 1 : 1)) % hits.length);
        if (e.key === 'Escape') e.target.blur();
    });
    byId('open').onclick = () => openAll(true);
    byId('close').onclick = () => openAll(false);
    byId('fit').onclick = () => fit();
    byId('in').onclick = () => zoomMiddle(1.25);
    byId('out').onclick = () => zoomMiddle(0.8);
    byId('previous').onclick = () => show(Math.max(0, current - 1));
    byId('next').onclick = () => show(Math.min(steps.length - 1, current + 1));
    byId('step').onchange = e => show(Number(e.target.value));
    memlets.onchange = () => {
        cache = new Map();
        root = arranged(load(current), 0);
        draw();
        panes.describe(chosen, load(current), codeOf);
    };
    byId('side').onclick = () => {
        document.body.classList.toggle('bare');
        redraw();
    };
    byId('splitter').addEventListener('pointerdown', e => {
        const move = m => { byId('panes').style.width = Math.min(innerWidth - 200, Math.max(120, innerWidth - m.clientX)) + 'px'; };
        const end = () => { removeEventListener('pointermove', move); redraw(); };
        e.preventDefault();
        addEventListener('pointermove', move);
        addEventListener('pointerup', end, {once: true});
    });
    addEventListener('resize', redraw);
    const KEYS = {n: 'next', p: 'previous', f: 'fit', m: 'memlets', s: 'side', '+': 'in', '-': 'out'};
    addEventListener('keydown', e => {
        if (e.target.type === 'search' || e.ctrlKey || e.metaKey || e.altKey) return;
        if (KEYS[e.key]) byId(KEYS[e.key]).click();
        if (e.key === '/') { e.preventDefault(); byId('search').focus(); }
        if (e.key === 'Escape') {
            chosen = null;
            byId('search').value = '';
            found([]);
            draw();
            panes.describe(null, load(current), codeOf);
        }
    });

    // ---- light and dark: as the system says, unless the user chooses

    const start = new URLSearchParams(location.hash.slice(1)), system = matchMedia('(prefers-color-scheme: dark)');
    const setDark = dark => document.documentElement.classList.toggle('dark', dark);
    const kept = {get: () => { try { return localStorage.getItem('sdfgc-theme'); } catch { return null; } }, set: v => { try { localStorage.setItem('sdfgc-theme', v); } catch { /* not kept */ } }};
    let theme = start.get('theme') || kept.get();
    setDark(theme ? theme === 'dark' : system.matches);
    system.addEventListener('change', () => { if (!theme) setDark(system.matches); });
    byId('theme').onclick = () => {
        theme = document.documentElement.classList.contains('dark') ? 'light' : 'dark';
        setDark(theme === 'dark');
        kept.set(theme);
    };

    // ---- start: #step=2&open=all&search=tmp says what to show first

    stepScripts.forEach((script, i) => byId('step').add(new Option(script.dataset.step, i)));
    byId('steps').hidden = stepScripts.length < 2;
    memlets.checked = start.get('memlets') !== 'off';
    const first = Math.min(Math.max(0, Number(start.get('step') || 1) - 1), stepScripts.length - 1);
    byId('name').textContent = load(first).name;
    byId('panes').style.width = Math.round(innerWidth * 0.34) + 'px';
    room = Math.max(300, svg.getBoundingClientRect().width - 2 * EDGE);
    show(first);
    divide();
    if (start.get('open')) openAll(start.get('open') === 'all');
    else fit(READABLE);
    if (start.get('search')) {
        byId('search').value = start.get('search');
        search(start.get('search'));
        choose(0);
    }
})();
