// The page: which step and which containers are open, what is drawn of them, and what the mouse and the keys do. Containers are laid out
// when they are opened; of a large drawing only what lies in the window is in the page.
(() => {
    const TEXT = 7, MONO = 6.6, LONGEST = 56, MANY = 2500, FEW = 250;
    const byId = id => document.getElementById(id);
    const svg = byId('drawing'), scene = byId('scene'), tip = byId('tip'), detail = byId('detail'), found = byId('found');
    const stepScripts = [...document.querySelectorAll('script[data-step]')];
    const steps = new Array(stepScripts.length);
    const open = new Set(), closed = new Set(); // paths that the user opened and closed
    let current = 0, chosen = null, view = {x: 0, y: 0, scale: 1}, root = null, cache = new Map();

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

    // Without a word of the user: the first levels, as long as little is to be drawn.
    function openAtFirst(model) {
        let drawn = model.containers[0].nodes.length;
        const out = new Set(), queue = model.containers[0].nodes.slice();
        for (let k = 0; k < queue.length; k++) {
            const node = queue[k];
            if (node.c === undefined) continue;
            const inner = model.containers[node.c].nodes;
            if (drawn + inner.length > FEW) continue;
            drawn += inner.length;
            out.add(node.path);
            queue.push(...inner);
        }
        return out;
    }
    const isOpen = (model, node) => node.c !== undefined && !closed.has(node.path) && (open.has(node.path) || model.first.has(node.path));

    // ---- layout

    const isMissed = remark => remark.includes(': not done: ');
    const shortened = text => text.length > LONGEST ? text.slice(0, LONGEST - 1) + '\u2026' : text;

    function sized(model, node) {
        const title = shortened(node.n || node.k), below = node.h ? shortened(node.h) : '';
        const head = {w: Math.max(title.length * TEXT, below.length * MONO) + (node.k === 'access' ? 30 : 34), h: below ? 40 : 26};
        const item = {node, title, below, head, w: head.w, h: head.h, inner: null};
        if (isOpen(model, node)) {
            item.inner = arranged(model, node.c);
            item.w = Math.max(head.w, item.inner.w + 24);
            item.h = head.h + item.inner.h + 18;
        }
        return item;
    }

    function arranged(model, container) {
        if (cache.has(container)) return cache.get(container);
        const {nodes, edges} = model.containers[container];
        const items = nodes.map(n => sized(model, n));
        const placed = layout(items, edges);
        items.forEach((item, i) => { item.x = placed.at[i].x - item.w / 2; item.y = placed.at[i].y - item.h / 2; });
        const out = {w: placed.w, h: placed.h, items, edges: edges.map((edge, i) => ({edge, route: placed.routes[i]}))};
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

    function draw() {
        const model = load(current), change = difference(current), many = count(root) > MANY;
        const box = svg.getBoundingClientRect();
        const seen = {left: -view.x / view.scale, top: -view.y / view.scale, right: (box.width - view.x) / view.scale, bottom: (box.height - view.y) / view.scale};
        const outside = (x, y, w, h) => many && (x > seen.right || y > seen.bottom || x + w < seen.left || y + h < seen.top);
        const words = view.scale > 0.3 || !many, out = [];
        let drawn = 0;
        const paint = (drawing, left, top, container) => {
            drawing.edges.forEach(({edge, route}, i) => {
                const xs = route.map(p => p.x + left), ys = route.map(p => p.y + top);
                const x = Math.min(...xs), y = Math.min(...ys), w = Math.max(...xs) - x, h = Math.max(...ys) - y;
                if (outside(x, y, w, h)) return;
                const points = route.map(p => ({x: p.x + left, y: p.y + top})), d = smooth(points), a = points[0], b = points[points.length - 1];
                const dataflow = !['state', 'loop', 'region', 'if', 'break', 'continue', 'return'].includes(model.containers[container].nodes[edge[0]].k);
                out.push(`<g class="edge${dataflow && !edge[2] ? ' order' : ''}" data-edge="${container}:${i}"><path class="line" d="${d}"/><path class="hit" d="${d}"/>`);
                if (!dataflow && edge[2] && words)
                    out.push(`<text class="edge" x="${((a.x + b.x) / 2 + 4).toFixed(1)}" y="${((a.y + b.y) / 2).toFixed(1)}">${escaped(shortened(edge[2]))}</text>`);
                out.push('</g>');
            });
            for (const item of drawing.items) {
                const x = item.x + left, y = item.y + top, n = item.node;
                if (outside(x, y, item.w, item.h)) continue;
                drawn++;
                const kinds = [n.k, n.f || '', n.c !== undefined ? 'openable' : '', n === chosen ? 'chosen' : ''].filter(Boolean).join(' ');
                out.push(`<g class="node ${kinds}${change(n)}" data-path="${escaped(n.path)}" transform="translate(${x.toFixed(1)},${y.toFixed(1)})">${shape(item)}`);
                if (words) {
                    const mark = n.c === undefined ? '' : item.inner ? '\u25be ' : '\u25b8 ';
                    const middle = item.w / 2, line = item.below ? 16 : item.head.h / 2 + 4;
                    out.push(`<g class="head"><rect width="${item.w}" height="${item.head.h}" fill="transparent" stroke="none"/>`);
                    out.push(`<text x="${middle}" y="${line}" text-anchor="middle">${mark}${escaped(item.title)}</text>`);
                    if (item.below) out.push(`<text class="below" x="${middle}" y="31" text-anchor="middle">${escaped(item.below)}</text>`);
                    if (n.r) out.push(`<circle class="note${n.r.some(isMissed) ? ' missed' : ''}" cx="${item.w - 9}" cy="9" r="4"/>`);
                    out.push('</g>');
                }
                out.push('</g>');
                if (item.inner) paint(item.inner, x + (item.w - item.inner.w) / 2, y + item.head.h + 6, n.c);
            }
        };
        paint(root, 0, 0, 0);
        scene.innerHTML = out.join('');
        scene.setAttribute('transform', `translate(${view.x},${view.y}) scale(${view.scale})`);
        byId('status').textContent = `${model.name}: ${drawn} drawn, ${model.all.length} elements` + (steps.length > 1 ? `, step ${current + 1} of ${steps.length}` : '');
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
        model.first = model.first || openAtFirst(model);
        chosen = chosen ? model.byPath.get(chosen.path) || null : null;
        root = arranged(model, 0);
        byId('step').value = index;
        byId('previous').disabled = index === 0;
        byId('next').disabled = index === steps.length - 1;
        draw();
        describe(chosen);
    }

    function fit() {
        const box = svg.getBoundingClientRect();
        const scale = Math.min(1.4, (box.width - 24) / Math.max(1, root.w), (box.height - 24) / Math.max(1, root.h));
        view = {scale: Math.max(scale, 0.02), x: 0, y: 12};
        view.x = Math.max(12, (box.width - root.w * view.scale) / 2);
        draw();
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

    function reveal(node) {
        const model = load(current);
        for (let n = node.parent; n; n = n.parent) {
            open.add(n.path);
            closed.delete(n.path);
        }
        forget(model, node);
        root = arranged(model, 0);
        chosen = node;
        const place = placeOf(node), box = svg.getBoundingClientRect();
        view.scale = Math.max(view.scale, 0.8);
        view.x = box.width / 2 - (place.x + place.w / 2) * view.scale;
        view.y = box.height / 3 - place.y * view.scale;
        draw();
        describe(node);
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

    function describe(node) {
        detail.hidden = !node;
        if (!node) return;
        const lines = [...(node.h ? [node.h] : []), ...(node.d || [])].map(escaped).join('\n');
        const remarks = (node.r || []).map(r => `<li${isMissed(r) ? ' class="missed"' : ''}>${escaped(r)}</li>`).join('');
        detail.innerHTML = `<b>${escaped(node.k)} ${escaped(node.n)}</b><div>${escaped(node.path)}</div>` + (node.s ? `<div>${escaped(node.s)}</div>` : '') + `<pre>${lines}</pre>` + (remarks && `<ul>${remarks}</ul>`);
    }

    function hint(event) {
        const model = load(current), edge = event.target.closest('[data-edge]'), element = event.target.closest('[data-path]');
        let text = '';
        if (edge) {
            const [container, index] = edge.dataset.edge.split(':').map(Number), e = model.containers[container].edges[index];
            text = [e[2] || 'no data', ...e[3]].map(escaped).join('<br>');
        } else if (element) {
            const node = model.byPath.get(element.dataset.path);
            text = [`${node.k} ${node.n}`, ...(node.h ? [node.h] : []), ...(node.d || []).slice(0, 8), ...(node.r || []).slice(0, 8), ...(node.s ? [node.s] : [])].map(escaped).join('<br>');
        }
        tip.hidden = !text;
        tip.innerHTML = text;
        tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + 'px';
        tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + 'px';
    }

    function search(text) {
        const wanted = text.toLowerCase();
        const hits = wanted ? load(current).all.filter(n => n.k !== 'entry' && n.k !== 'exit' && [n.n, n.h || '', n.s || '', ...(n.d || []), ...(n.r || [])].some(t => t.toLowerCase().includes(wanted))) : [];
        found.hidden = !hits.length;
        found.innerHTML = hits.slice(0, 100).map(n => `<li data-path="${escaped(n.path)}"><b>${escaped(n.k)}</b> ${escaped(n.n)} <small>${escaped(n.path)}</small></li>`).join('');
        return hits;
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
        const element = e.target.closest('[data-path]'), node = element && load(current).byPath.get(element.dataset.path);
        chosen = node || null;
        if (node && node.c !== undefined && e.target.closest('.head')) toggle(node);
        else draw();
        describe(chosen);
    });
    svg.addEventListener('wheel', e => {
        e.preventDefault();
        const box = svg.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
        const scale = Math.min(4, Math.max(0.02, view.scale * Math.exp(-e.deltaY * 0.0015))), factor = scale / view.scale;
        view = {scale, x: x - (x - view.x) * factor, y: y - (y - view.y) * factor};
        moved();
    }, {passive: false});
    svg.addEventListener('mousemove', hint);
    svg.addEventListener('mouseleave', () => { tip.hidden = true; });
    byId('search').addEventListener('input', e => search(e.target.value));
    byId('search').addEventListener('keydown', e => {
        if (e.key !== 'Enter') return;
        const hits = search(e.target.value), at = hits.indexOf(chosen);
        if (hits.length) reveal(hits[(at + 1) % hits.length]);
    });
    found.addEventListener('click', e => {
        const row = e.target.closest('[data-path]');
        if (row) reveal(load(current).byPath.get(row.dataset.path));
        found.hidden = true;
    });
    byId('open').onclick = () => openAll(true);
    byId('close').onclick = () => openAll(false);
    byId('fit').onclick = fit;
    byId('previous').onclick = () => show(Math.max(0, current - 1));
    byId('next').onclick = () => show(Math.min(steps.length - 1, current + 1));
    byId('step').onchange = e => show(Number(e.target.value));
    addEventListener('resize', redraw);
    addEventListener('keydown', e => {
        if (e.target.tagName === 'INPUT') return;
        if (e.key === 'n') byId('next').click();
        if (e.key === 'p') byId('previous').click();
        if (e.key === '/') { e.preventDefault(); byId('search').focus(); }
        if (e.key === 'Escape') { found.hidden = detail.hidden = true; }
    });

    // ---- start: #step=2&open=all&search=tmp says what to show first

    stepScripts.forEach((script, i) => byId('step').add(new Option(script.dataset.step, i)));
    byId('steps').hidden = stepScripts.length < 2;
    const start = new URLSearchParams(location.hash.slice(1));
    show(Math.min(Math.max(0, Number(start.get('step') || 1) - 1), stepScripts.length - 1));
    if (start.get('open')) openAll(start.get('open') === 'all');
    else fit();
    const first = start.get('search') ? search(start.get('search'))[0] : null;
    if (first) reveal(first);
})();
