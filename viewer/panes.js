// The panes beside the drawing: an element's details, the legend, what a search has found, the user's Python files and the generated
// program. A line of the program and an element are related when they name the same line of a Python file, `prog.py:12`.
// events: {source(line), found(path)} are called for clicks on code and on what was found.
function createPanes(events) {
    const byId = id => document.getElementById(id);
    const escaped = text => text.replace(/[&<>"]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);
    const sources = JSON.parse(byId('sources').textContent);

    // ---- tabs

    // Without sources there is room for the legend below the details.
    const sourceless = !sources.generated.length && !sources.python.some(f => f.text !== undefined);
    document.body.classList.toggle('sourceless', sourceless);
    function tab(name) {
        for (const button of document.querySelectorAll('[data-tab]')) {
            const own = button.dataset.tab;
            button.classList.toggle('on', own === name);
            byId(own).hidden = own !== name && !(sourceless && own === 'legend' && name === 'detail');
        }
    }
    for (const button of document.querySelectorAll('[data-tab]')) button.onclick = () => tab(button.dataset.tab);

    // ---- code

    const WORDS = {
        py: 'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield',
        cpp: 'alignas auto bool break case catch char class const constexpr continue default delete do double else enum extern false float for if inline int int32_t int64_t long namespace new noexcept nullptr operator private public return short signed sizeof static struct switch template this true try typedef typename union unsigned using void volatile while __restrict __global__ __device__ __shared__',
    };
    const TOKENS = {
        py: /(#.*)|('''[^]*?'''|"""[^]*?"""|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|([A-Za-z_]\w*)/g,
        cpp: /(\/\/.*|\/\*[^]*?\*\/|^[ \t]*#[ \t]*\w+)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([A-Za-z_]\w*)/gm,
    };
    const keywords = {py: new Set(WORDS.py.split(' ')), cpp: new Set(WORDS.cpp.split(' '))};
    // Lines of HTML. A token over several lines is closed and opened again at each end.
    function coloured(text, language) {
        let out = '', last = 0;
        const mark = (kind, token) => token.split('\n').map(t => `<i class="${kind}">${escaped(t)}</i>`).join('\n');
        for (const m of text.matchAll(TOKENS[language])) {
            const kind = m[1] ? 'c' : m[2] ? 's' : keywords[language].has(m[3]) ? 'k' : '';
            if (!kind) continue;
            out += escaped(text.slice(last, m.index)) + mark(kind, m[0]);
            last = m.index + m[0].length;
        }
        return (out + escaped(text.slice(last))).split('\n');
    }

    // One pane of code: `files` are sources, of which one is shown.
    function codePane(id, files, language, nothing) {
        const pane = byId(id), box = pane.querySelector('.code'), select = pane.querySelector('select');
        const shown = files.filter(f => f.text !== undefined);
        let current = -1, links = new Map(); // "prog.py:12" -> elements of lines
        pane.className = shown.length ? 'full' : 'none';
        select.hidden = !shown.length;
        shown.forEach((f, i) => select.add(new Option(f.name, i)));
        for (const f of files)
            if (f.text === undefined) {
                const option = new Option(`${f.name}: ${f.missing}`, -1);
                option.disabled = true;
                select.add(option);
            }
        if (!shown.length) box.innerHTML = nothing;
        function show(index) {
            if (index === current || !shown[index]) return;
            current = index;
            select.value = index;
            const file = shown[index];
            box.innerHTML = coloured(file.text.replace(/\n$/, ''), language).map((l, i) => `<div class="l" data-n="${i + 1}">${l || ' '}</div>`).join('');
            links = new Map();
            const add = (source, line) => {
                if (!links.has(source)) links.set(source, []);
                if (line) links.get(source).push(line);
            };
            if (language === 'py') for (let i = 0; i < box.children.length; i++) add(`${file.name}:${i + 1}`, box.children[i]);
            else for (const [from, to, source] of file.links || []) for (let i = from; i <= to; i++) add(source, box.children[i - 1]);
        }
        // What a line comes from: in generated code the smallest range around it.
        function sourceAt(line) {
            const n = Number(line.dataset.n), file = shown[current];
            if (language === 'py') return `${file.name}:${n}`;
            const around = (file.links || []).filter(([from, to]) => from <= n && n <= to).sort((a, b) => a[1] - a[0] - b[1] + b[0]);
            return around.length ? around[0][2] : '';
        }
        const visible = line => line.offsetTop >= box.scrollTop + box.offsetTop && line.offsetTop < box.scrollTop + box.offsetTop + box.clientHeight - 20;
        function mark(source) {
            for (const line of box.querySelectorAll('.on')) line.classList.remove('on');
            const file = source.slice(0, source.lastIndexOf(':'));
            const own = language === 'py' ? shown.findIndex(f => f.name === file) : current >= 0 && links.has(source) ? current : shown.findIndex(f => (f.links || []).some(l => l[2] === source));
            if (own >= 0) show(own);
            const lines = links.get(source) || [];
            for (const line of lines) line.classList.add('on');
            if (lines.length && !lines.some(visible)) scrollTo(lines[0]);
        }
        function scrollTo(line) { box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 4; }
        // Which lines elements of the drawing come from.
        function related(all) {
            for (const line of box.querySelectorAll('.has')) line.classList.remove('has');
            let first = null;
            for (const [source, lines] of links)
                if (all.has(source)) for (const line of lines) {
                    line.classList.add('has');
                    if (!first || Number(line.dataset.n) < Number(first.dataset.n)) first = line;
                }
            return first;
        }
        box.addEventListener('click', e => {
            const line = e.target.closest('.l');
            if (line && line.classList.contains('has') && !String(getSelection())) events.source(sourceAt(line));
        });
        let known = null;
        select.onchange = () => { show(Number(select.value)); related(known || new Set()); };
        show(0);
        return {mark, relate(all) {
            const first = related(all);
            const start = first || [...box.children].find(line => /^(static )?void \w*program\(/.test(line.textContent));
            if (start && !known) scrollTo(start);
            known = all;
        }};
    }

    const NOT_FOUND = 'not found', lost = sources.python.filter(f => f.missing === NOT_FOUND).map(f => escaped(f.name));
    const missing = (lost.length ? `<div>Not found, as named or next to the graph: ${lost.join(', ')}</div>` : '') +
        sources.python.filter(f => f.missing && f.missing !== NOT_FOUND).map(f => `<div>${escaped(f.name)}: ${escaped(f.missing)}</div>`).join('');
    const python = codePane('python', sources.python, 'py', missing ||  'The graph does not name a Python file.');
    const generated = codePane('generated', sources.generated, 'cpp', 'Not in this page. <code>sdfgc view PROG.sdfg --emit</code> generates the program; after <code>sdfgc build</code>, view finds it in the build folder.');
    document.querySelector('#generated .from').textContent = sources.from;

    // ---- legend

    const node = (kinds, shape) => `<svg width="46" height="24"><g class="node ${kinds}" transform="translate(2,2)">${shape}</g></svg>`;
    const rect = '<rect width="42" height="20" rx="4"/>', round = '<ellipse cx="21" cy="10" rx="21" ry="10"/>';
    const edge = kinds => `<svg width="46" height="24"><g class="edge ${kinds}"><path class="line" d="M2,12H42"/></g></svg>`;
    byId('legend').innerHTML = [
        [node('access', round), 'container (argument)'], [node('access transient', round), 'transient container'],
        [node('tasklet', '<path d="M8,0H34L42,8V12L34,20H8L0,12V8z"/>'), 'tasklet: computes'], [node('library', rect), 'library node'],
        [node('map', rect), 'map, consume: parallel scope'], [node('entry', '<path d="M8,5H34L42,15H0z"/>'), 'entry of a scope (exit: upside down)'],
        [node('nested', rect), 'nested SDFG'], [node('state', rect), 'state: dataflow'], [node('state start', rect), 'start of a region'],
        [node('loop', rect), 'loop, region'], [node('if', rect), 'conditional, branch'], [node('region graph', rect), 'GPU graph'],
        [edge(''), 'data moves (memlet), control flow'], [edge('order'), 'order only'],
        [node('state added', rect), 'new in this step'], [node('state changed', rect), 'changed in this step'],
        [node('tasklet hit', '<path d="M8,0H34L42,8V12L34,20H8L0,12V8z"/>'), 'found by the search'], [node('state holds', rect), 'has a hit inside'],
        ['<svg width="46" height="24"><circle class="note" cx="14" cy="12" r="4"/><circle class="note missed" cx="32" cy="12" r="4"/></svg>', 'remarks of passes; something not done'],
    ].map(([sample, text]) => `<div>${sample}${text}</div>`).join('');

    // ---- details

    const isMissed = remark => remark.includes(': not done: ');
    // An element's details; of none, those of the program.
    function describe(node, model, code) {
        const name = node ? `${node.k} ${node.n}` : `SDFG ${model.name}`, source = node && node.s;
        const lines = node ? [...(node.h && node.k !== 'tasklet' ? [node.h] : []), ...(node.k === 'tasklet' ? code(node) : node.d || [])] : model.d;
        const remarks = ((node && node.r) || []).map(r => `<li${isMissed(r) ? ' class="missed"' : ''}>${escaped(r)}</li>`).join('');
        byId('detail').innerHTML = `<b>${escaped(name)}</b>` + (node ? ` <small>${escaped(node.path)}</small>` : '') + (source ? `<div><a data-source="${escaped(source)}">${escaped(source)}</a></div>` : '') +
            `<pre>${lines.map(escaped).join('\n')}</pre>` + (remarks && `<ul>${remarks}</ul>`);
        tab('detail');
        mark(source || '');
    }
    byId('detail').addEventListener('click', e => {
        const link = e.target.closest('[data-source]');
        if (link) events.source(link.dataset.source);
    });
    function mark(source) {
        python.mark(source);
        generated.mark(source);
    }

    // ---- what was found

    const MOST = 500;
    function list(hits, at) {
        byId('found').innerHTML = hits.slice(0, MOST).map((n, i) => `<li data-path="${escaped(n.path)}"${i === at ? ' class="on"' : ''}><b>${escaped(n.k)}</b> ${escaped(n.n)} <small>${escaped(n.path)}</small></li>`).join('') + (hits.length > MOST ? `<li>and ${hits.length - MOST} more; Enter goes to them</li>` : '');
        const on = byId('found').querySelector('.on');
        if (on) on.scrollIntoView({block: 'nearest'});
    }
    byId('found').addEventListener('click', e => {
        const row = e.target.closest('[data-path]');
        if (row) events.found(row.dataset.path);
    });

    return {tab, describe, list, mark, relate(all) { python.relate(all); generated.relate(all); }};
}
