const all = (query, root = document) => [...root.querySelectorAll(query)];
const above = (event, query) => event.target.closest && event.target.closest(query);

// What belongs to one line of the source is lit everywhere.
function light(line) {
  all('.lit').forEach((one) => one.classList.remove('lit'));
  if (line) all(`[data-line="${line}"]`).forEach((one) => one.classList.add('lit'));
}
for (const type of ['mouseover', 'focusin']) {
  document.addEventListener(type, (event) => {
    const at = above(event, '[data-line]');
    light(at && at.dataset.line);
  });
}

// Choosing a line goes to it on the other side.
function go(event) {
  const row = above(event, 'tr[data-line]');
  const other = above(event, '#adjoint-text [data-line], .hit[data-line], .vertex[data-line]');
  const line = (row || other)?.dataset.line;
  if (!line) return;
  const to = document.querySelector(row ? `#adjoint-text [data-line="${line}"]` : `tr[data-line="${line}"]`);
  if (to) to.scrollIntoView({ block: 'nearest' });
}
document.addEventListener('click', go);
document.addEventListener('keydown', (event) => { if (event.key === 'Enter') go(event); });

const slider = document.getElementById('stage');
function show(number) {
  const stages = all('.stage');
  const chosen = Math.max(0, Math.min(stages.length - 1, number));
  slider.value = chosen;
  stages.forEach((one, k) => { one.hidden = k !== chosen; });
  document.getElementById('stage-name').textContent = stages[chosen].dataset.name;
  slider.setAttribute('aria-valuetext', stages[chosen].dataset.name);
}
slider.addEventListener('input', () => show(Number(slider.value)));
document.getElementById('before').addEventListener('click', () => show(Number(slider.value) - 1));
document.getElementById('after').addEventListener('click', () => show(Number(slider.value) + 1));
show(0);

const part = document.getElementById('part');
function choose() { all('.view').forEach((one) => { one.hidden = one.dataset.part !== part.value; }); }
part.addEventListener('change', choose);
choose();

// Graphs are moved by dragging or arrows, and grow and shrink by the wheel or + and -.
const ARROWS = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
for (const view of all('.view')) {
  const picture = view.querySelector('svg');
  let x = 0, y = 0, scale = 1, from = null;
  const put = () => {
    picture.style.transformOrigin = '0 0';
    picture.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
  };
  const zoom = (factor, cx, cy) => {
    const wanted = Math.max(0.1, Math.min(6, scale * factor));
    x = cx - (cx - x) * wanted / scale;
    y = cy - (cy - y) * wanted / scale;
    scale = wanted;
    put();
  };
  view.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && document.activeElement !== view) return;
    event.preventDefault();
    const box = view.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  view.addEventListener('pointerdown', (event) => {
    from = [event.clientX - x, event.clientY - y];
  });
  view.addEventListener('pointermove', (event) => {
    if (!from) return;
    x = event.clientX - from[0];
    y = event.clientY - from[1];
    put();
  });
  window.addEventListener('pointerup', () => { from = null; });
  view.addEventListener('keydown', (event) => {
    const step = ARROWS[event.key];
    if (step) { x += step[0]; y += step[1]; put(); event.preventDefault(); }
    if (event.key === '+' || event.key === '=') zoom(1.2, 0, 0);
    if (event.key === '-') zoom(1 / 1.2, 0, 0);
    if (event.key === '0') { x = 0; y = 0; scale = 1; put(); }
  });
}
