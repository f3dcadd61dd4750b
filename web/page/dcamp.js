/* The page of dcamp-web. Everything that was measured comes by the REST interface beside it
 * (api/v1/openapi.json). Names of nodes, sensors and instances are text, never markup: elements are
 * made one by one, and only their textContent is set. */
'use strict';
(() => {

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const SPANS = {s: SECOND, m: MINUTE, h: HOUR, d: DAY};
const SIGNS = {ok: '✓', info: 'ℹ', warning: '▲', critical: '✖', silent: '○'};
const ORDER = ['critical', 'warning', 'info', 'silent', 'ok'];
const PLOTS_MAX = 20; /* at a time */
const SILENT_MAX = 50; /* nodes in the list of those that are not heard of */

/* -- Elements ------------------------------------------------------------------------------- */

const byId = (id) => document.getElementById(id);

/* make('td', {class: 'number'}, 'text', element, ...): properties that begin with "on" listen. */
function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name.startsWith('aria-') && typeof value === 'boolean') element.setAttribute(name, String(value));
    else if (value !== undefined && value !== null && value !== false)
      element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function show(...children) {
  byId('main').replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

/* A table whose cells know their heading, for narrow screens. Cells are texts or elements; a column
 * is {head, number}. */
function makeTable(columns, rows, kind) {
  const cells = (row) => row.map((cell, i) => make('td', {
    class: columns[i].number ? 'number' : 'text', 'data-head': columns[i].head}, cell));
  return make('div', {class: 'wide'}, make('table', {class: 'stack ' + (kind || '')},
    make('thead', {}, make('tr', {}, ...columns.map((column) =>
      make('th', {scope: 'col', class: column.number ? 'number' : null}, column.head)))),
    make('tbody', {}, ...rows.map((row) => make('tr', {}, ...cells(row))))));
}

function makeState(state) {
  return make('span', {class: state}, make('span', {class: 'sign', 'aria-hidden': 'true'}, SIGNS[state] || '?'),
    ' ' + state);
}

/* What the server says that its answers lack. */
function makeWarning(...answers) {
  const texts = new Set(answers.map((answer) => answer && answer.warning).filter(Boolean));
  return texts.size ? make('p', {class: 'message warning', role: 'status'}, [...texts].join('; ')) : null;
}

/* -- Texts ---------------------------------------------------------------------------------- */

function numberText(value, unit) {
  if (value === null || value === undefined) return 'no value';
  const size = Math.abs(value);
  const digits = size >= 1000 || size === 0 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(size)));
  const text = size > 0 && size < 1e-6 ? value.toExponential(2)
    : value.toLocaleString(undefined, {maximumFractionDigits: Math.min(digits, 9)});
  return unit ? text + ' ' + unit : text;
}

/* 1,234,567 octets need less room as 1.23 M. */
function shortNumber(value) {
  const size = Math.abs(value);
  for (const [factor, letter] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e4, 'k']])
    if (size >= factor)
      return (value / (letter === 'k' ? 1e3 : factor)).toLocaleString(undefined, {maximumFractionDigits: 2}) + ' ' + letter;
  return numberText(value);
}

function timeText(ms) {
  return ms ? new Date(ms).toLocaleString() : 'never';
}

function ageText(ms) {
  for (const [name, span] of [['d', DAY], ['h', HOUR], ['min', MINUTE]])
    if (ms >= span) return Math.floor(ms / span) + ' ' + name;
  return Math.max(0, Math.round(ms / SECOND)) + ' s';
}

/* 300000 ms are 5 min. */
function spanText(ms) {
  for (const [name, span] of [['d', DAY], ['h', HOUR], ['min', MINUTE], ['s', SECOND]])
    if (ms >= span && ms % span === 0) return ms / span + ' ' + name;
  return ms + ' ms';
}

function spanOf(text) {
  const match = /^(\d+)([smhd])$/.exec(text);
  return match ? match[1] * SPANS[match[2]] : HOUR;
}

function seriesName(series) {
  return series.sensor + (series.instance ? ' ' + series.instance : '');
}

function nodeName(node) {
  return node || state.node || 'this node';
}

/* -- What the address says -------------------------------------------------------------------- */

/* "#view=plots&node=a&sensor=b&instance=c&last=1h": a page can be sent to somebody as it is. */
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const list = (name) => given.getAll(name);
  const nodes = list('node'), sensors = list('sensor'), instances = list('instance');
  const from = Number(given.get('from')), to = Number(given.get('to'));
  return {
    view: given.get('view') || 'overview',
    node: nodes.length ? nodes[0] : null,
    series: sensors.slice(0, PLOTS_MAX).map((sensor, i) => ({node: nodes[i] || '', sensor, instance: instances[i] || ''})),
    from: from || null, to: to || null,
    last: given.get('last') || '1h',
    at: Number(given.get('at')) || null,
    sensor: given.get('rank') || null,
  };
}

function writeAddress(route) {
  const text = new URLSearchParams();
  text.set('view', route.view);
  if (route.view === 'node') text.set('node', route.node || '');
  for (const series of route.series || []) {
    text.append('node', series.node);
    text.append('sensor', series.sensor);
    text.append('instance', series.instance);
  }
  if (route.sensor) text.set('rank', route.sensor);
  if (route.from && route.to) {
    text.set('from', Math.max(1, Math.round(route.from))); /* before 1970 there is nothing to ask for */
    text.set('to', Math.round(route.to));
  } else {
    text.set('last', route.last || '1h');
  }
  if (route.at) text.set('at', route.at);
  return '#' + text;
}

/* The same view with something else. */
function addressWith(change) {
  return writeAddress(Object.assign({}, state.route, change));
}

function plotAddress(series, more) {
  return writeAddress(Object.assign({view: 'plots', series, last: state.route.last,
    from: state.route.from, to: state.route.to}, more));
}

function rangeOf(route) {
  if (route.from && route.to) return [route.from, route.to];
  const now = Date.now() + state.ahead;
  return [now - spanOf(route.last), now];
}

/* -- Asking ----------------------------------------------------------------------------------- */

const state = {
  route: readAddress(),
  node: '', /* the name of the node that publishes, whose path is "" */
  ahead: 0, /* by how many ms its clock is ahead of this one */
  nodes: [],
  alarms: [], /* that are active */
  closed: new Set(), /* paths whose branch is closed in the list */
  plots: [],
  analysed: new Set(), /* keys of series whose analysis is open */
  stream: null, /* what ends it */
  isFollowing: false,
  shown: 0, /* grows with each view that is begun: late answers of others are left out */
};

function tokenHeaders() {
  const token = sessionStorage.getItem('token');
  return token ? {Authorization: 'Bearer ' + token} : {};
}

async function ask(path, parameters) {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters || {}))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== null && one !== undefined) text.append(name, one);
  const response = await fetch('api/v1/' + path + (text.size === 0 ? '' : '?' + text), {headers: tokenHeaders()});
  const answer = await response.json();
  if (response.ok) return answer;
  const problem = new Error(answer.detail || response.statusText);
  problem.status = response.status;
  problem.wantsToken = response.status === 401 && response.headers.has('WWW-Authenticate');
  throw problem;
}

function showProblem(problem) {
  if (problem.wantsToken) return showLogin();
  show(make('h1', {}, 'That did not work'),
    make('p', {class: 'message critical', role: 'alert'}, problem.message),
    make('p', {}, make('button', {onclick: () => begin()}, 'Try again')));
}

function showLogin() {
  const field = make('input', {type: 'password', id: 'token', autocomplete: 'current-password'});
  const had = sessionStorage.getItem('token') !== null;
  show(make('h1', {}, 'A token is needed'),
    had ? make('p', {class: 'message critical', role: 'alert'}, 'The token that was given is not the right one.') : null,
    make('form', {onsubmit: (event) => {
      event.preventDefault();
      sessionStorage.setItem('token', field.value.trim());
      begin();
    }}, make('label', {for: 'token'}, 'Token '), field, ' ', make('button', {}, 'Use it')));
  field.focus();
}

/* -- The list of nodes ------------------------------------------------------------------------ */

/* Nodes by path become a tree: "collector1/node7" is below "collector1". */
function treeOf(nodes) {
  const top = {children: new Map(), node: null, path: '', label: ''};
  for (const node of nodes) {
    let at = top;
    const parts = node.path === '' ? [] : node.path.split('/');
    parts.forEach((part, i) => {
      if (!at.children.has(part))
        at.children.set(part, {children: new Map(), node: null, path: parts.slice(0, i + 1).join('/'), label: part});
      at = at.children.get(part);
    });
    at.node = node;
  }
  return top;
}

function worst(branch) {
  let state = branch.node ? branch.node.state : 'ok';
  for (const child of branch.children.values()) {
    const below = worst(child);
    if (ORDER.indexOf(below) < ORDER.indexOf(state)) state = below;
  }
  return state;
}

/* node2 comes before node10. */
const inOrder = new Intl.Collator(undefined, {numeric: true}).compare; /* node9 before node10 */

function byLabel(a, b) {
  return inOrder(a.label, b.label);
}

function makeItem(branch, level, filter) {
  const below = [...branch.children.values()].sort(byLabel).map((child) => makeItem(child, level + 1, filter)).filter(Boolean);
  const label = branch.path === '' ? state.node : branch.label;
  if (filter && below.length === 0 && !label.toLowerCase().includes(filter)) return null;
  const isOpen = below.length > 0 && (filter !== '' || !state.closed.has(branch.path));
  const isSelected = state.route.view === 'node' && state.route.node === branch.path;
  const shown = branch.node && isOpen ? branch.node.state : worst(branch);
  return make('li', {role: 'treeitem', tabindex: '-1', 'aria-level': level, 'aria-selected': isSelected,
    'aria-expanded': below.length ? isOpen : null, 'data-path': branch.path},
  make('div', {class: 'row', title: label, onclick: () => { location.hash = nodeAddress(branch.path); }},
    make('span', {class: 'sign ' + shown, role: 'img', 'aria-label': shown}, SIGNS[shown]), label,
    below.length ? makeToggle(branch.path, isOpen) : null),
  isOpen ? make('ul', {role: 'group'}, ...below) : null);
}

/* For a mouse or a finger; keys have arrows for it. */
function makeToggle(path, isOpen) {
  return make('span', {class: 'toggle', 'aria-hidden': 'true', onclick: (event) => {
    event.stopPropagation();
    if (isOpen) state.closed.add(path);
    else state.closed.delete(path);
    showTree();
  }}, isOpen ? '−' : '+');
}

function nodeAddress(path) {
  return addressWith({view: 'node', node: path, series: [], at: null});
}

function showTree() {
  const focused = document.activeElement && document.activeElement.getAttribute('data-path');
  const filter = byId('filter').value.trim().toLowerCase();
  const top = treeOf(state.nodes);
  const items = top.node ? [makeItem(top, 1, filter)]
    : [...top.children.values()].sort(byLabel).map((child) => makeItem(child, 1, filter));
  byId('tree').replaceChildren(...items.filter(Boolean));
  const all = treeItems();
  const current = all.find((item) => item.getAttribute('data-path') === focused) ||
    all.find((item) => item.getAttribute('aria-selected') === 'true') || all[0];
  if (current) current.tabIndex = 0;
  if (current && focused !== null && current.getAttribute('data-path') === focused) current.focus();
}

function treeItems() {
  return [...byId('tree').querySelectorAll('[role="treeitem"]')];
}

function focusItem(item) {
  if (!item) return;
  treeItems().forEach((other) => { other.tabIndex = -1; });
  item.tabIndex = 0;
  item.focus();
}

/* As the tree view of the ARIA Authoring Practices has it. */
function onTreeKey(event) {
  const items = treeItems(), at = items.indexOf(document.activeElement);
  if (at < 0) return;
  const item = items[at], path = item.getAttribute('data-path');
  const expanded = item.getAttribute('aria-expanded');
  const moves = {ArrowDown: items[at + 1], ArrowUp: items[at - 1], Home: items[0], End: items[items.length - 1]};
  if (event.key in moves) focusItem(moves[event.key]);
  else if (event.key === 'Enter' || event.key === ' ') location.hash = nodeAddress(path);
  else if (event.key === 'ArrowRight' && expanded === 'true') focusItem(items[at + 1]);
  else if (event.key === 'ArrowRight' && expanded === 'false') { state.closed.delete(path); showTree(); }
  else if (event.key === 'ArrowLeft' && expanded === 'true') { state.closed.add(path); showTree(); }
  else if (event.key === 'ArrowLeft') focusItem(item.parentElement.closest('[role="treeitem"]'));
  else return;
  event.preventDefault();
}

/* -- Alarms ----------------------------------------------------------------------------------- */

function alarmSeries(alarm) {
  return {node: alarm.node, sensor: alarm.sensor, instance: alarm.instance};
}

/* Where its cause can be seen: its series from before it was raised. */
function alarmAddress(alarm) {
  const now = Date.now() + state.ahead;
  const end = alarm.until || now, before = Math.max(15 * MINUTE, (end - alarm.since) / 2);
  const range = now - alarm.since < 45 * MINUTE ? {last: '1h', from: null, to: null}
    : {from: alarm.since - before, to: Math.min(end + before, now)};
  return plotAddress(alarm.sensor ? [alarmSeries(alarm)] : [], Object.assign({at: alarm.since}, range));
}

function alarmRows(alarms) {
  const now = Date.now() + state.ahead;
  return alarms.map((alarm) => [
    makeState(alarm.severity),
    make('span', {title: timeText(alarm.since)}, ageText(now - alarm.since) + ' ago'),
    alarm.until ? ageText(alarm.until - alarm.since) : 'active',
    make('a', {href: nodeAddress(alarm.node)}, nodeName(alarm.node)),
    make('a', {href: alarmAddress(alarm)}, alarm.message || alarm.threshold),
    alarm.acknowledged || '',
  ]);
}

const ALARM_COLUMNS = [{head: 'Severity'}, {head: 'Since'}, {head: 'For'}, {head: 'Node'}, {head: 'What'},
  {head: 'Seen by'}];

function bySeverity(a, b) {
  return ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity) || b.since - a.since;
}

async function showAlarms(route) {
  const [from, to] = rangeOf(route);
  const answer = await ask('alarms', {from: Math.round(from), to: Math.round(to)});
  return () => show(make('h1', {}, 'Alarms'), makeWarning(answer),
    make('h2', {}, 'Active now'), activeAlarms(),
    make('h2', {}, 'In this range'),
    answer.alarms.length ? makeTable(ALARM_COLUMNS, alarmRows(answer.alarms.sort((a, b) => b.since - a.since)))
      : make('p', {class: 'soft'}, 'None was active.'));
}

function activeAlarms() {
  if (state.alarms.length === 0)
    return make('p', {}, makeState('ok'), ': no alarm is active.');
  return makeTable(ALARM_COLUMNS, alarmRows([...state.alarms].sort(bySeverity)));
}

/* -- Overview --------------------------------------------------------------------------------- */

function makeTiles() {
  const count = (kind) => state.nodes.filter((node) => node.state === kind).length;
  return make('ul', {class: 'tiles', 'aria-label': 'Nodes by state'}, ...ORDER.filter((kind) => count(kind) > 0)
    .map((kind) => make('li', {}, make('b', {}, String(count(kind))), makeState(kind))));
}

async function showOverview() {
  const tops = await ask('top', {n: 10});
  const silent = state.nodes.filter((node) => node.silent);
  return () => show(make('h1', {}, 'What is wrong?'), activeAlarms(), makeTiles(),
    silent.length ? make('h2', {}, 'Not heard of') : null,
    silent.length ? makeTable([{head: 'Node'}, {head: 'Last heard'}], silent.slice(0, SILENT_MAX).map((node) =>
      [make('a', {href: nodeAddress(node.path)}, nodeName(node.path)), timeText(node.last)])) : null,
    silent.length > SILENT_MAX ? make('p', {class: 'soft'}, 'And ' + (silent.length - SILENT_MAX) + ' others.') : null,
    ...tops.top.map(makeTop));
}

function makeTop(top) {
  const most = Math.max(...top.values.map((value) => Math.abs(value.value)), Number.MIN_VALUE);
  const rows = top.values.map((value) => {
    const bar = make('div', {class: 'bar', 'aria-hidden': 'true'});
    bar.style.width = 100 * Math.abs(value.value) / most + '%';
    const series = {node: value.node, sensor: top.sensor, instance: value.instance};
    return [make('a', {href: plotAddress([series])}, nodeName(value.node)), value.instance,
      numberText(value.value, top.unit), bar];
  });
  return make('section', {}, make('h2', {}, 'Most of ', make('a', {href: addressWith({view: 'top', sensor: top.sensor, series: []})}, top.sensor)),
    makeTable([{head: 'Node'}, {head: 'Instance'}, {head: 'Now', number: true}, {head: ''}], rows, 'bars'));
}

async function showTop(route) {
  const sensors = (await ask('sensors')).sensors;
  const chosen = route.sensor || sensors[0];
  const tops = chosen ? await ask('top', {sensor: chosen, n: 100}) : {top: []};
  const select = make('select', {'aria-label': 'Sensor', onchange: (event) => {
    location.hash = addressWith({sensor: event.target.value});
  }}, ...sensors.map((sensor) => make('option', {value: sensor, selected: sensor === chosen}, sensor)));
  return () => show(make('h1', {}, 'Top '), select, ...tops.top.map(makeTop));
}

/* -- One node --------------------------------------------------------------------------------- */

async function showNode(route) {
  const answer = await ask('series', {node: route.node || ''});
  const node = state.nodes.find((one) => one.path === (route.node || ''));
  const alarms = state.alarms.filter((alarm) => alarm.node === (route.node || ''));
  const groups = new Map();
  for (const series of answer.series) {
    if (!groups.has(series.sensor)) groups.set(series.sensor, []);
    groups.get(series.sensor).push(series);
  }
  return () => show(make('h1', {}, nodeName(route.node), ' ', node ? makeState(node.state) : null), makeWarning(answer),
    node ? make('p', {class: 'soft'}, (node.group ? 'Group ' + node.group + '. ' : '') + 'Last heard ' + timeText(node.last)) : null,
    alarms.length ? makeTable(ALARM_COLUMNS, alarmRows(alarms.sort(bySeverity))) : null,
    make('h2', {}, 'Sensors'),
    makeTable([{head: 'Sensor'}, {head: 'Instance'}, {head: 'Now', number: true}], [...groups].flatMap(
      ([sensor, list]) => list.map((series, i) => [
        i > 0 ? '' : make('a', {href: plotAddress(list.slice(0, PLOTS_MAX).map(seriesOf(route.node)))}, sensor),
        make('a', {href: plotAddress([seriesOf(route.node)(series)])}, series.instance || 'value'),
        numberText(series.value, series.unit)]))));
}

function seriesOf(node) {
  return (series) => ({node: node || '', sensor: series.sensor, instance: series.instance});
}

/* -- Plots ------------------------------------------------------------------------------------ */

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

/* Columns for uPlot: times, then minimum, maximum, 10th and 90th percentile, and the value; with a
 * forecast, both ends of its interval and what it is, behind the last value. */
function columnsOf(plot) {
  const columns = [[], [], [], [], [], []], values = plot.answer.values;
  for (const value of values) {
    columns[0].push(value.t / SECOND);
    ['min', 'max', 'p10', 'p90', 'value'].forEach((name, i) => {
      const number = value[name];
      columns[i + 1].push(number === undefined || number === null ? null : number);
    });
  }
  if (plot.forecast) addForecast(columns, plot.forecast, values.length ? values[values.length - 1].t : 0);
  return columns;
}

/* What has come meanwhile needs no forecast any more. */
function addForecast(columns, forecast, last) {
  const before = columns[0].map(() => null), points = forecast.points.filter(([t]) => t > last);
  columns[0].push(...points.map(([t]) => t / SECOND));
  for (let i = 1; i < 6; i++) columns[i].push(...points.map(() => null));
  for (const i of [2, 3, 1]) columns.push([...before, ...points.map((point) => point[i])]);
}

/* A forecast goes on where the range ends. */
function setRange(plot, range) {
  const points = plot.forecast ? plot.forecast.points : [];
  plot.range = [range[0], points.length ? Math.max(range[1], points[points.length - 1][0]) : range[1]];
}

/* Alarms as stretches behind the curves, and the moment that was asked about as a line. */
function drawAlarms(plot, alarms, at) {
  const {ctx, bbox} = plot;
  const place = (ms) => Math.min(Math.max(plot.valToPos(ms / SECOND, 'x', true), bbox.left), bbox.left + bbox.width);
  ctx.save();
  for (const alarm of alarms) {
    const begin = place(alarm.since), end = place(alarm.until || Date.now() + state.ahead);
    ctx.fillStyle = colour(alarm.severity);
    ctx.globalAlpha = 0.16;
    ctx.fillRect(begin, bbox.top, Math.max(end - begin, 2), bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(begin, bbox.top, 2, bbox.height);
  }
  if (at) {
    ctx.fillStyle = colour('front');
    ctx.fillRect(place(at), bbox.top, 1, bbox.height);
  }
  ctx.restore();
}

function plotOptions(plot) {
  const axis = {stroke: colour('soft'), grid: {stroke: colour('line'), width: 1}, ticks: {stroke: colour('line')}};
  const text = (_, value) => value === null || value === undefined ? '–' : numberText(value, plot.answer.unit);
  const hidden = (label) => ({label, stroke: 'transparent', width: 0, points: {show: false}, value: text});
  const ahead = plot.forecast ? [hidden('forecast from'), hidden('forecast to'),
    {label: 'forecast', stroke: colour('accent'), width: 1.5, dash: [6, 4], points: {show: false}, value: text}] : [];
  return {
    width: plot.canvas.clientWidth || 600, height: 240, tzDate: (seconds) => new Date(seconds * SECOND),
    cursor: {sync: {key: 'time'}, drag: {x: true, y: false}},
    scales: {x: {range: () => plot.range.map((ms) => ms / SECOND)}},
    axes: [axis, Object.assign({size: 70, values: (_, ticks) => ticks.map(shortNumber)}, axis)],
    series: [{label: 'Time', value: (_, seconds) => seconds ? new Date(seconds * SECOND).toLocaleString() : ''},
      hidden('minimum'), hidden('maximum'), hidden('10 %'), hidden('90 %'),
      {label: 'value', stroke: colour('accent'), width: 1.5, points: {show: false}, value: text}, ...ahead],
    bands: [{series: [2, 1], fill: colour('band')}, {series: [4, 3], fill: colour('inner')},
      ...(plot.forecast ? [{series: [7, 6], fill: colour('band')}] : [])],
    hooks: {
      drawClear: [(chart) => drawAlarms(chart, plot.alarms, plot.at)],
      setSelect: [(chart) => zoomTo(chart)],
    },
  };
}

function zoomTo(chart) {
  const {left, width} = chart.select;
  if (width < 5) return;
  const from = chart.posToVal(left, 'x') * SECOND, to = chart.posToVal(left + width, 'x') * SECOND;
  const now = Date.now() + state.ahead; /* what is foretold is no range to ask for */
  if (from < now) location.hash = addressWith({from, to: Math.min(to, now)});
}

/* Arrows move the range of all plots by a quarter, + and - halve and double it. */
function onPlotKey(event) {
  if (event.target.matches('summary')) return;
  const [from, to] = rangeOf(state.route), span = to - from, middle = (from + to) / 2;
  const moves = {ArrowLeft: [from - span / 4, to - span / 4], ArrowRight: [from + span / 4, to + span / 4],
    '+': [middle - span / 4, middle + span / 4], '-': [middle - span, middle + span]};
  if (!(event.key in moves)) return;
  event.preventDefault();
  const [begin, end] = moves[event.key];
  location.hash = addressWith({from: begin, to: Math.min(end, Date.now() + state.ahead)});
}

function csvAddress(series, range) {
  return 'api/v1/values.csv?' + new URLSearchParams({node: series.node, sensor: series.sensor,
    instance: series.instance, from: Math.round(range[0]), to: Math.round(range[1])});
}

/* A link sends no token. */
async function download(event) {
  if (!sessionStorage.getItem('token')) return;
  event.preventDefault();
  const response = await fetch(event.target.href, {headers: tokenHeaders()});
  const address = URL.createObjectURL(await response.blob());
  make('a', {href: address, download: 'values.csv'}).click();
  URL.revokeObjectURL(address);
}

function withoutSeries(series) {
  return addressWith({series: state.route.series.filter((one) => one !== series)});
}

function makePlot(series, answer, alarms, route) {
  const plot = {series, answer, alarms, at: route.at, range: rangeOf(route), canvas: make('div', {class: 'canvas'})};
  const shown = answer.values.filter((value) => value.value !== null && value.value !== undefined);
  const last = shown[shown.length - 1];
  plot.now = make('span', {class: 'soft'}, last ? numberText(last.value, answer.unit) : 'no value in this range');
  plot.element = make('section', {class: 'plot', tabindex: '0', onkeydown: onPlotKey,
    'aria-label': seriesName(series) + ' of ' + nodeName(series.node)},
  make('header', {}, make('h3', {}, nodeName(series.node) + ' ' + seriesName(series)), plot.now,
    make('span', {class: 'links'},
      route.from ? make('a', {href: addressWith({from: null, to: null})}, 'Now') : null,
      make('a', {href: csvAddress(series, plot.range), download: '', onclick: download}, 'CSV'),
      make('a', {href: withoutSeries(series)}, 'Remove'))),
  plot.canvas, shown.length ? makeAnalysis(plot) : null);
  return plot;
}

function drawPlot(plot) {
  if (plot.chart) plot.chart.destroy();
  plot.chart = new uPlot(plotOptions(plot), columnsOf(plot), plot.canvas);
  plot.drawnTo = plot.range[1];
}

/* So many points as there are places for, and no more. */
function pointsWanted() {
  return Math.max(100, Math.min(1000, Math.round(byId('main').clientWidth / 2)));
}

async function askValues(series, range) {
  try {
    return await ask('values', {node: series.node, sensor: series.sensor, instance: series.instance,
      from: Math.round(range[0]), to: Math.round(range[1]), points: pointsWanted()});
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    return {values: [], unit: ''};
  }
}

function alarmsOf(series, alarms) {
  return alarms.filter((alarm) => alarm.node === series.node && alarm.sensor === series.sensor &&
    alarm.instance === series.instance);
}

async function showPlots(route) {
  const range = rangeOf(route), [from, to] = range.map(Math.round);
  const [log, ...answers] = await Promise.all([ask('alarms', {from, to}),
    ...route.series.map((series) => askValues(series, range))]);
  const first = route.series[0] || {};
  const changes = route.at ? await ask('changes', {at: route.at, node: first.node, sensor: first.sensor}) : null;
  const plots = route.series.map((series, i) => makePlot(series, answers[i], alarmsOf(series, log.alarms), route));
  return () => {
    show(make('h1', {}, route.at ? 'At ' + timeText(route.at) : 'Plots'), makeWarning(log, changes, ...answers), ...plots.map((plot) => plot.element),
      changes ? makeChanges(changes, route) : null);
    plots.forEach(drawPlot);
    state.plots = plots;
    plots.forEach((plot) => seen.observe(plot.element));
    subscribe();
  };
}

/* -- Analysis --------------------------------------------------------------------------------- */

const METHODS = {line: 'Line', 'holt-winters': 'Holt-Winters, damped, with a season'};

function keyOf(series) {
  return JSON.stringify([series.node, series.sensor, series.instance]);
}

/* Closed until somebody wants it, for it takes the server a while; open ones stay open, whatever else
 * is shown. */
function makeAnalysis(plot) {
  const key = keyOf(plot.series), isOpen = state.analysed.has(key);
  const content = make('div', {class: 'analysis', 'aria-live': 'polite'});
  plot.analysis = make('details', {open: isOpen, ontoggle: (event) => {
    if (event.target.open) state.analysed.add(key);
    else state.analysed.delete(key);
    if (event.target.open && !content.firstChild) analyse(plot, content);
    showForecast(plot, event.target.open ? plot.analysed : null);
  }}, make('summary', {}, 'Analysis'), content);
  return plot.analysis;
}

async function analyse(plot, content) {
  const {series} = plot, [from, to] = plot.range.map(Math.round);
  content.append(make('p', {class: 'soft'}, 'Looking at it.'));
  try {
    const answer = await ask('analysis', {node: series.node, sensor: series.sensor, instance: series.instance, from, to});
    content.replaceChildren(...analysisOf(answer));
    plot.analysed = bestForecast(answer);
    if (plot.analysis.open) showForecast(plot, plot.analysed);
  } catch (problem) {
    content.replaceChildren(make('p', {class: 'message'}, 'Not known: ' + problem.message));
  }
}

/* Of those that are known the one whose trials were off by less. */
function bestForecast(answer) {
  return answer.forecasts.filter((forecast) => forecast.known).sort((a, b) => a.error - b.error)[0] || null;
}

function showForecast(plot, forecast) {
  if (!plot.chart || (plot.forecast || null) === (forecast || null)) return;
  plot.forecast = forecast;
  setRange(plot, rangeOf(state.route));
  drawPlot(plot);
}

function analysisOf(answer) {
  const {distribution} = answer, spans = distribution.n + distribution.gaps;
  return [makeWarning(answer) || '', make('p', {class: 'soft'}, 'The means of ' + spans + ' spans of ' + spanText(answer.step) + ' from ' +
      timeText(answer.from) + (distribution.gaps ? ', of which ' + distribution.gaps + ' have no value' : '') + '.'),
    make('h4', {}, 'Distribution'), makeDistribution(distribution, answer.unit), makeFits(answer.fits),
    make('h4', {}, 'Season'), make('p', {}, seasonText(answer.season)),
    make('h4', {}, 'Autocorrelation'), makeAutocorrelation(answer.autocorrelation, answer.step),
    make('h4', {}, 'Forecast'), ...answer.forecasts.map((forecast) => makeForecast(forecast, answer))];
}

function makeDistribution(distribution, unit) {
  const names = [['mean', 'Mean'], ['deviation', 'Standard deviation'], ['min', 'Lowest'], ['max', 'Highest']];
  const facts = names.map(([name, label]) => [label, numberText(distribution[name], unit)]);
  for (const [p, value] of distribution.quantiles)
    facts.push([numberText(100 * p) + ' % are below', numberText(value, unit)]);
  for (const [name, label] of [['skewness', 'Skewness'], ['excess', 'Excess']])
    facts.push([label, distribution[name] === null || distribution[name] === undefined ? 'not known'
      : numberText(distribution[name]) + ' (normal: 0)']);
  return make('dl', {class: 'facts'}, ...facts.map(([label, text]) =>
    make('div', {}, make('dt', {}, label), make('dd', {}, text))));
}

/* The probability of a statistic so large, if the values were of the family: by Kolmogorov and Smirnov,
 * and by Anderson and Darling. */
function makeFits(fits) {
  const rows = fits.map((fit) => [fit.family,
    !fit.known ? 'not known: ' + fit.why : fit.distance_p < 0.05 || fit.square_p < 0.05 ? 'no' : 'may be',
    fit.known ? fit.distance_p.toFixed(3) : '', fit.known ? fit.square_p.toFixed(3) : '']);
  return makeTable([{head: 'Family'}, {head: 'Fits'}, {head: 'p (KS)', number: true}, {head: 'p (AD)', number: true}], rows);
}

function seasonText(season) {
  return season.known ? 'Repeats itself after ' + spanText(season.period) + ', which accounts for ' +
    Math.round(100 * season.strength) + ' % of the variance.' : 'Not known: ' + season.why + '.';
}

function makeShape(tag, properties, ...children) {
  const shape = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(properties)) shape.setAttribute(name, value);
  shape.append(...children);
  return shape;
}

/* A bar for each lag from the first on, and the band in which 19 of 20 of white noise are. */
function makeAutocorrelation(autocorrelation, step) {
  const r = autocorrelation.r.slice(1), {band} = autocorrelation;
  if (r.length === 0 || r[0] === null || band === null)
    return make('p', {}, 'Not known: the values do not vary, or are too few.');
  const gone = r.findIndex((one) => Math.abs(one) < band);
  const text = 'To the value before: ' + r[0].toFixed(3) + '; ' + (gone < 0
    ? 'outside the band of white noise for longer than ' + spanText(step * r.length)
    : 'within the band of white noise after ' + spanText(step * (gone + 1))) + ' (±' + band.toFixed(3) + ').';
  const bars = r.map((one, i) => makeShape('rect', {class: 'lag', x: i + 0.15, width: 0.7,
    y: 1 - Math.max(one, 0), height: Math.abs(one)}));
  return make('figure', {},
    makeShape('svg', {role: 'img', 'aria-label': 'Autocorrelation by lag. ' + text, viewBox: '0 0 ' + r.length + ' 2',
      preserveAspectRatio: 'none'},
    makeShape('rect', {class: 'noise', x: 0, width: r.length, y: 1 - band, height: 2 * band}), ...bars,
    makeShape('line', {class: 'zero', x1: 0, x2: r.length, y1: 1, y2: 1})),
    make('figcaption', {}, text + ' Lags from ' + spanText(step) + ' to ' + spanText(step * r.length) + '.'));
}

function makeForecast(forecast, answer) {
  const name = METHODS[forecast.method] || forecast.method;
  if (!forecast.known) return make('p', {}, name + ': not known: ' + forecast.why + '.');
  const [t, value, low, high] = forecast.points[forecast.points.length - 1];
  return make('p', {}, name + ': ' + numberText(value, answer.unit) + ' at ' + timeText(t) + (low === null ? ''
    : ', and with ' + Math.round(100 * forecast.level) + ' % within ' + numberText(low) + ' and ' + numberText(high, answer.unit)) +
    '. In its trials it was off by ' + numberText(forecast.error, answer.unit) + ', ' +
    (answer.season.known ? 'the value one season before' : 'the last value') + ' by ' +
    numberText(forecast.naive_error, answer.unit) + '.' +
    (forecast === bestForecast(answer) ? ' It is drawn dashed, with its interval.' : ''));
}

/* What else moved then: each adds its plot below those that are shown. */
function makeChanges(answer, route) {
  const rows = answer.changes.map((change) => {
    const series = {node: change.node, sensor: change.sensor, instance: change.instance};
    const isShown = route.series.some((one) => one.node === series.node && one.sensor === series.sensor &&
      one.instance === series.instance);
    return [make('a', {href: addressWith({series: isShown ? route.series : [...route.series, series].slice(-PLOTS_MAX)})},
      nodeName(change.node) + ' ' + seriesName(change)),
    numberText(change.before, change.unit), numberText(change.after, change.unit),
    change.score.toFixed(1)];
  });
  return make('section', {}, make('h2', {}, 'What changed at that moment'),
    make('p', {class: 'soft'}, 'The 15 minutes after it beside those before it; how large the change is, in ' +
      'standard deviations. A name adds its plot.' + (answer.examined < answer.series
      ? ' ' + answer.examined + ' of ' + answer.series + ' series were looked at.' : '')),
    rows.length ? makeTable([{head: 'Series'}, {head: 'Before', number: true}, {head: 'After', number: true},
      {head: 'Change', number: true}], rows) : make('p', {}, 'Nothing that is known.'));
}

/* -- What is live ----------------------------------------------------------------------------- */

function sayLive(kind, text) {
  const live = byId('live');
  if (live.dataset.state === kind) return;
  live.dataset.state = kind;
  live.textContent = text;
}

/* The events of a stream, one object each; EventSource cannot send a token. */
async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return;
    text += value;
    for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
      const name = /^event: (.*)$/m.exec(text.slice(0, end)), data = /^data: (.*)$/m.exec(text.slice(0, end));
      if (data) yield {name: name ? name[1] : 'message', data: JSON.parse(data[1])};
    }
  }
}

async function follow(series, signal) {
  const text = new URLSearchParams();
  for (const one of series) {
    text.append('node', one.node);
    text.append('sensor', one.sensor);
    text.append('instance', one.instance);
  }
  const response = await fetch('api/v1/stream?' + text, {headers: tokenHeaders(), signal});
  if (!response.ok) throw new Error(response.statusText);
  state.isFollowing = true;
  sayLive('live', 'live');
  try {
    for await (const event of eventsOf(response)) {
      if (event.name === 'points') addPoints(event.data);
      else if (event.name === 'alarms') await renew();
    }
  } finally {
    state.isFollowing = false;
  }
}

/* Follows what is shown, and begins again where the connection ends. */
async function subscribe() {
  if (state.stream) state.stream.abort();
  const stream = state.stream = new AbortController();
  const series = state.route.from ? [] : state.plots.map((plot) => plot.series);
  for (let wait = SECOND; !stream.signal.aborted; wait = Math.min(2 * wait, 30 * SECOND)) {
    try {
      await follow(series, stream.signal);
      wait = SECOND;
    } catch (problem) {
      if (stream.signal.aborted) return;
    }
    sayLive('lost', 'not connected');
    await new Promise((resume) => setTimeout(resume, wait));
  }
}

/* [[place of the series, time in ms, value or null], ...] */
function addPoints(points) {
  const [from, to] = rangeOf(state.route);
  for (const plot of state.plots) setRange(plot, [from, to]);
  for (const [place, t, value] of points) {
    const plot = state.plots[place];
    if (!plot) continue;
    plot.answer.values.push({t, value, min: value, max: value});
    plot.now.textContent = numberText(value, plot.answer.unit);
  }
  for (const plot of state.plots) {
    const values = plot.answer.values;
    while (values.length && values[0].t < from) values.shift();
    if (values.length > 4 * pointsWanted()) return void navigate(); /* as a coarser curve */
    plot.isStale = true;
    if (plot.isSeen && !document.hidden && hasMoved(plot)) drawAgain(plot);
  }
}

/* By a pixel since it was drawn, less would not be seen; or back, where a clock was set back. */
function hasMoved(plot) {
  const [from, to] = plot.range;
  return plot.chart && Math.abs(to - plot.drawnTo) >= (to - from) / plot.chart.width;
}

function drawAgain(plot) {
  if (!plot.chart || !plot.isStale) return;
  plot.isStale = false;
  plot.drawnTo = plot.range[1];
  plot.chart.setData(columnsOf(plot));
}

/* Those that nobody sees are not drawn until somebody does. */
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const plot = state.plots.find((one) => one.element === entry.target);
    if (!plot) continue;
    plot.isSeen = entry.isIntersecting;
    if (plot.isSeen) drawAgain(plot);
  }
});

/* Nodes and active alarms; also once a minute, since a node that is silent tells nothing. */
async function refresh() {
  const [status, nodes, alarms] = await Promise.all([ask('status'), ask('nodes'), ask('alarms', {active: 1})]);
  if (status.error) sayLive('lost', status.error);
  state.node = status.node;
  state.ahead = status.now - Date.now();
  state.nodes = nodes.nodes;
  state.alarms = alarms.alarms;
  byId('title').textContent = 'dCAMP ' + status.node;
  document.title = (state.alarms.length ? '(' + state.alarms.length + ') ' : '') + 'dCAMP ' + status.node;
  const count = byId('alarm-count');
  count.textContent = String(state.alarms.length);
  count.hidden = state.alarms.length === 0;
  showTree();
}

/* -- Beginning -------------------------------------------------------------------------------- */

const VIEWS = {overview: showOverview, alarms: showAlarms, top: showTop, node: showNode, plots: showPlots};

/* Where the focus is in what is shown, so that it can be there again in what replaces it. */
function whereFocus() {
  const element = document.activeElement;
  if (!byId('main').contains(element) || element === byId('main')) return null;
  const plot = element.closest('.plot');
  const isAnalysis = element.matches('.plot summary');
  return {plot: plot === element || isAnalysis ? state.plots.findIndex((one) => one.element === plot) : -1, isAnalysis,
    href: element.getAttribute('href')};
}

function giveFocus(where) {
  if (!where) return;
  const plot = state.plots[where.plot];
  const link = [...byId('main').querySelectorAll('a')].find((one) => one.getAttribute('href') === where.href);
  const element = plot && where.isAnalysis && plot.analysis ? plot.analysis.firstChild : plot ? plot.element : link && where.href ? link : byId('main');
  element.focus({preventScroll: true});
}

/* What is known anew is shown, too; not under the hands of somebody who chooses something. */
async function renew() {
  try {
    await refresh();
  } catch (problem) {
    return sayLive('lost', 'not connected');
  }
  if (state.isFollowing) sayLive('live', 'live');
  if (byId('main').contains(document.activeElement) && document.activeElement.matches('select, input')) return;
  if (state.route.view === 'plots') await renewAlarms();
  else await navigate();
}

async function renewAlarms() {
  const [from, to] = rangeOf(state.route).map(Math.round), plots = state.plots;
  const log = await ask('alarms', {from, to}).catch(() => null);
  if (!log || plots !== state.plots) return;
  for (const plot of plots) {
    plot.alarms = alarmsOf(plot.series, log.alarms);
    if (plot.chart) plot.chart.redraw();
  }
}

async function navigate() {
  const where = whereFocus();
  const shown = ++state.shown;
  const route = state.route = readAddress();
  const view = VIEWS[route.view] || showOverview;
  try {
    const draw = await view(route);
    if (shown !== state.shown) return;
    seen.disconnect();
    state.plots.forEach((plot) => plot.chart && plot.chart.destroy());
    state.plots = [];
    draw();
    giveFocus(where);
    if (route.view !== 'plots' && !state.isFollowing) subscribe();
  } catch (problem) {
    if (shown === state.shown) showProblem(problem);
  }
  showRange(route);
  showTree();
}

function showRange(route) {
  byId('range').value = route.from ? '' : route.last;
  for (const link of document.querySelectorAll('header nav a')) {
    if (link.dataset.view === route.view) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
    link.href = addressWith({view: link.dataset.view, series: [], at: null, from: null, to: null});
  }
}

async function begin() {
  try {
    await refresh();
  } catch (problem) {
    sayLive('lost', 'not connected');
    return showProblem(problem);
  }
  await navigate();
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId('theme').setAttribute('aria-pressed', String(theme === 'dark'));
  state.plots.forEach(drawPlot);
}

function onKey(event) {
  const isTyping = event.target.matches('input, select, textarea');
  if (isTyping || byId('keys').open || event.ctrlKey || event.metaKey || event.altKey) return;
  const views = {o: 'overview', a: 'alarms', t: 'top'};
  if (event.key === '/') byId('filter').focus();
  else if (event.key === '?') byId('keys').showModal();
  else if (event.key in views) location.hash = addressWith({view: views[event.key], series: [], at: null});
  else return;
  event.preventDefault();
}

function listen() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  setTheme(localStorage.getItem('theme') || (dark.matches ? 'dark' : 'light'));
  byId('theme').addEventListener('click', () => {
    const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    localStorage.setItem('theme', theme);
    setTheme(theme);
  });
  byId('range').addEventListener('change', (event) => {
    location.hash = addressWith({last: event.target.value, from: null, to: null});
  });
  byId('filter').addEventListener('input', showTree);
  byId('tree').addEventListener('keydown', onTreeKey);
  addEventListener('keydown', onKey);
  addEventListener('hashchange', navigate);
  addEventListener('resize', () => state.plots.forEach((plot) =>
    plot.chart && plot.chart.setSize({width: plot.canvas.clientWidth, height: 240})));
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault(); /* the address says what is shown */
    byId('main').focus();
  });
  setInterval(renew, MINUTE);
}

listen();
begin();
})();
