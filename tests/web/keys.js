/* keys.js DCAMP_JS: what a plot of the page does with 40 times the key -: prints where the range begins
 * then. Of the page there are those functions alone that the key needs. */
'use strict';
const text = require('fs').readFileSync(process.argv[2], 'utf8');
const taken = (name) => new RegExp('^function ' + name + '\\(.*?^}$', 'ms').exec(text)[0];
const names = ['writeAddress', 'addressWith', 'rangeOf', 'onPlotKey'];
const make = new Function('state', 'location', names.map(taken).join('\n') + 'return onPlotKey;');

const now = Date.now();
const state = {ahead: 0, route: {view: 'plots', series: [], from: now - 3600000, to: now}};
const location = {hash: ''};
const onPlotKey = make(state, location);
const event = {key: '-', target: {matches: () => false}, preventDefault: () => {}};
for (let i = 0; i < 40; i++) {
  onPlotKey(event);
  const given = new URLSearchParams(location.hash.slice(1));
  Object.assign(state.route, {from: Number(given.get('from')), to: Number(given.get('to'))});
}
console.log('from=' + state.route.from);
