// Uses a page of `sdfgc view` as a person does; check.sh puts it behind the page's own script. The result is in data-result of the page.
(() => {
    const byId = id => document.getElementById(id), all = selector => [...document.querySelectorAll(selector)];
    const click = (element, more = {}) => element.dispatchEvent(new MouseEvent('click', {bubbles: true, ...more}));
    const key = (element, name, more = {}) => element.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true, ...more}));
    const drawn = () => all('#scene .node').length, place = () => byId('scene').getAttribute('transform');
    const check = (holds, what) => { if (!holds) throw new Error(what); };
    const used = {
        folding() {
            const before = drawn(), path = all('.node.openable')[0].dataset.path, head = () => all('.node.openable').find(n => n.dataset.path === path).querySelector('.head');
            click(head());
            check(drawn() < before, 'a click does not fold');
            click(head());
            check(drawn() === before, 'a second click does not unfold');
            byId('close').click();
            check(all('#scene .node.openable text').every(t => !t.textContent.includes('\u25be')), 'fold all leaves something open');
            byId('open').click();
            check(drawn() >= before, 'unfold all');
        },
        memlets() {
            const code = () => all('.tasklet text.below').map(t => t.textContent).join('\n'), before = code();
            byId('memlets').click();
            check(code() !== before, 'the switch of memlets changes no code');
            key(document.body, 'm');
            check(code() === before, 'memlets are not back');
        },
        moving() {
            byId('fit').click();
            const wheel = more => byId('drawing').dispatchEvent(new WheelEvent('wheel', {deltaY: 50, bubbles: true, cancelable: true, ...more})), scale = () => place().split('scale')[1];
            let before = place();
            wheel({});
            check(place() !== before && before.endsWith(scale()), 'the wheel does not scroll');
            before = place();
            wheel({ctrlKey: true});
            check(!before.endsWith(scale()), 'Ctrl and the wheel do not zoom');
            before = scale();
            byId('in').click();
            check(scale() !== before, 'zooming in');
        },
        searching() {
            const box = byId('search');
            box.value = 'a';
            box.dispatchEvent(new Event('input'));
            const hits = parseInt(byId('hits').textContent, 10);
            check(hits > 1 && all('#found li').length === hits && !byId('found').hidden, 'hits are not counted or listed');
            key(box, 'Enter');
            check(byId('hits').textContent === `1 of ${hits}` && all('.node.chosen').length === 1, 'Enter does not go to the first hit');
            key(box, 'Enter', {shiftKey: true});
            check(byId('hits').textContent === `${hits} of ${hits}`, 'Shift and Enter do not go back');
            click(all('#found li')[1]);
            check(byId('hits').textContent === `2 of ${hits}`, 'a click does not go to a hit');
            check(byId('panes').getBoundingClientRect().left >= byId('drawing').getBoundingClientRect().right, 'what was found covers the drawing');
            key(document.body, 'Escape');
            check(!byId('hits').textContent && !all('#scene .chosen, #scene .node.hit').length, 'Escape leaves hits');
        },
        sources() {
            for (const pane of ['python', 'generated']) {
                const line = byId(pane).querySelector('.l.has');
                check(line, `no line of ${pane} is related to an element`);
                click(line);
                check(all('.node.chosen').length === 1 && all('#python .l.on').length && all('#generated .l.on').length, `a click on a line of ${pane} marks nothing`);
                key(document.body, 'Escape');
                check(!all('.l.on').length, 'Escape leaves marks');
            }
        },
        panes() {
            click(all('[data-tab=legend]')[0]);
            check(!byId('legend').hidden && all('#legend svg').length > 15, 'the legend is not shown');
            const width = () => byId('drawing').getBoundingClientRect().width, before = width();
            byId('side').click();
            check(width() > before, 'the panes are not hidden');
            byId('side').click();
            byId('splitter').dispatchEvent(new PointerEvent('pointerdown', {bubbles: true, cancelable: true}));
            dispatchEvent(new PointerEvent('pointermove', {clientX: 300}));
            dispatchEvent(new PointerEvent('pointerup', {}));
            check(Math.abs(width() - 300) < 20, 'the splitter does not follow the mouse');
        },
        theme() {
            const colour = () => getComputedStyle(document.body).backgroundColor, before = colour();
            byId('theme').click();
            check(colour() !== before, 'the theme does not change');
            byId('theme').click();
            check(colour() === before, 'the theme does not change back');
        },
    };
    let result = 'all works';
    for (const [name, use] of Object.entries(used))
        try {
            use();
        } catch (e) {
            result = `${name}: ${e.message}`;
            break;
        }
    document.documentElement.dataset.result = result;
})();
