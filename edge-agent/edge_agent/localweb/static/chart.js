'use strict';
// A chart of up to four points: for each the lowest and the highest value of every pixel, with real gaps.
const COLOURS = { light: ['#1257ab', '#a8430b', '#14693a', '#7a2f9d'], dark: ['#8abaf7', '#f5b06a', '#7fd6a2', '#d3a4ee'] };
const DASHES = [[], [8, 3], [3, 3], [9, 3, 2, 3]], GAP_PERIODS = 3, DAY_S = 86400;
let plot = null, library = null;

// The library is fetched once somebody looks at a chart.
function charting() {
  library ??= new Promise((resolve, reject) => {
    const script = make('script');
    script.src = 'uplot.js';
    script.addEventListener('load', resolve);
    script.addEventListener('error', () => { library = null; reject(new Error('uplot.js')); });
    document.head.append(script);
  });
  return library;
}

const isSwitch = (one) => one.point?.kind === 'swh' || one.values.some(([, value]) => typeof value === 'boolean');
const SWITCH_RANGE = [-0.2, 1.2];
const plain = (value) => typeof value === 'boolean' ? Number(value) : typeof value === 'number' ? value : null;

// The time between two samples beyond which they are not joined: three usual distances, or two reduced parts.
function longest(samples, part) {
  const distances = samples.slice(1).map(([ms], index) => ms - samples[index][0]).filter((ms) => ms > 0).sort((one, other) => one - other);
  return Math.max(GAP_PERIODS * (distances[distances.length >> 1] ?? 0), 2.5 * part, 1);
}

// Columns for uPlot: times in seconds, then lowest and highest of each series. null: a gap; undefined: nothing there.
function columns(series, from, to, width) {
  const part = Math.max((to - from) / width, 1), cells = new Map(), at = (ms) => Math.floor((ms - from) / part);
  const cell = (place) => { if (!cells.has(place)) cells.set(place, series.map(() => undefined)); return cells.get(place); };
  series.forEach((one, index) => {
    const { values: samples, reduced } = one, steps = isSwitch(one), limit = steps ? Infinity : longest(samples, reduced ? part : 0);
    let before = null;
    for (const [ms, value] of samples) {
      const number = plain(value), place = at(ms), here = cell(place);
      if (number === null) { here[index] ??= null; before = null; continue; }
      if (before !== null && ms - before > limit) { const middle = at((ms + before) / 2); if (middle !== place && middle !== at(before)) cell(middle)[index] = null; }
      const known = here[index];
      here[index] = known ? [Math.min(known[0], number), Math.max(known[1], number)] : [number, number];
      if (steps && known) cell(place + 1)[index] = [number, number]; // it goes on from what it was last
      before = ms;
    }
  });
  const places = [...cells.keys()].sort((one, other) => one - other), picked = (index, end) => places.map((place) => { const one = cells.get(place)[index]; return one ? one[end] : one; });
  return [places.map((place) => (from + (place + 0.5) * part) / 1000), ...series.flatMap((_, index) => [picked(index, 0), picked(index, 1)])];
}

function timeWords(plotted, splits, axis, space, step) {
  return splits.map((s) => {
    const date = new Date(s * 1000), two = (n) => String(n).padStart(2, '0'), day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    if (step >= DAY_S) return day;
    const clock = `${two(date.getHours())}:${two(date.getMinutes())}${step < 60 ? ':' + two(date.getSeconds()) : ''}`;
    return date.getHours() + date.getMinutes() + date.getSeconds() === 0 ? day : clock;
  });
}

async function drawChart(series, from, to, zoomed) {
  await charting();
  const box = $('chart'), width = Math.max(box.clientWidth, 200), style = getComputedStyle(document.documentElement), ink = style.getPropertyValue('--soft'), line = style.getPropertyValue('--line');
  const colours = COLOURS[style.colorScheme.includes('dark') ? 'dark' : 'light'], unitOf = (one) => isSwitch(one) ? 'switch' : one.point?.unit ?? '', units = [...new Set(series.map(unitOf))];
  const data = columns(series, from, to, width), scale = (one) => 'y' + units.indexOf(unitOf(one)), switches = series.filter(isSwitch), readout = make('ul', 'readout'), when = make('li', 'hint');
  if (plot) plot.destroy();
  readout.append(when, ...series.map((one, index) => { const item = make('li'), mark = make('i'), value = make('b'); mark.style.background = colours[index]; item.append(mark, make('span', '', one.title), value); one.readout = value; return item; }));
  box.replaceChildren(readout);
  const text = (one, number) => shown(one.point ?? {}, switches.includes(one) ? number > 0 : number);
  const told = (one, low, high) => low === null || low === undefined ? '–' : low === high ? text(one, low) : `${text(one, low)} … ${text(one, high)}`;
  // One axis for all switches: their own words where they are the same ones.
  const positions = [false, true].map((on) => { const words = new Set(switches.map((one) => position(one.point ?? {}, on))); return words.size === 1 ? [...words][0] : t(on ? 'on' : 'off'); });
  plot = new uPlot({
    width, height: width < 600 ? 240 : 320, legend: { show: false }, cursor: { drag: { x: true, y: false, setScale: false }, y: false, points: { size: 5 } },
    scales: { x: { time: true, range: [from / 1000, to / 1000] }, ...Object.fromEntries(units.map((unit, index) => ['y' + index, unit === 'switch' ? { range: SWITCH_RANGE } : { auto: true }])) },
    axes: [
      { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line }, values: timeWords, space: 64 },
      ...units.slice(0, 2).map((unit, index) => ({ scale: 'y' + index, side: index ? 1 : 3, stroke: ink, label: unit === 'switch' ? undefined : unit || undefined, ...(unit === 'switch' ? { splits: () => [0, 1], values: () => positions } : {}), labelSize: 18, labelFont: '12px system-ui', size: 52, grid: { show: index === 0, stroke: line, width: 1 }, ticks: { stroke: line } })),
    ],
    series: [{}, ...series.flatMap((one, index) => [0, 1].map(() => ({ scale: scale(one), stroke: colours[index], width: 1.4, dash: DASHES[index], ...(isSwitch(one) ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}), points: { show: data[0].length < 80, size: 5 } })))],
    bands: series.map((_, index) => ({ series: [2 * index + 2, 2 * index + 1], fill: colours[index] + '33' })),
    hooks: {
      setCursor: [(drawnPlot) => {
        const at = drawnPlot.cursor.idx;
        put(when, at === null || at === undefined ? '' : moment(data[0][at] * 1000));
        series.forEach((one, index) => put(one.readout, at === null || at === undefined ? '' : told(one, data[2 * index + 1][at], data[2 * index + 2][at])));
      }],
      setSelect: [(drawnPlot) => {
        const { left, width: wide } = drawnPlot.select;
        if (wide > 8) zoomed(Math.round(drawnPlot.posToVal(left, 'x') * 1000), Math.round(drawnPlot.posToVal(left + wide, 'x') * 1000));
      }],
    },
  }, data, box);
  plot.root.setAttribute('role', 'img');
  plot.root.setAttribute('aria-label', `${series.map((one) => one.title).join(', ')}: ${moment(from)} – ${moment(to)}`);
}
