// Loads DCAMP-MIB with the net-snmp package of npm and says what is wrong; silent if nothing is.
'use strict';
const fs = require('fs');
const path = require('path');
const snmp = require('net-snmp');

const [base, mib] = process.argv.slice(2);
const store = snmp.createModuleStore();
const known = Object.keys(store.getModules(true));

for (const file of fs.readdirSync(base)) {
    const name = path.basename(file, '.txt');
    if (!known.includes(name)) store.loadFromFile(path.join(base, file));
}
store.loadFromFile(mib);

const text = fs.readFileSync(mib, 'utf8');
const wanted = [...text.matchAll(/^(\w+) +OBJECT-TYPE/gm)].map((m) => m[1]);
const module_ = store.getModule('DCAMP-MIB') || {};
for (const name of wanted) {
    if (!module_[name]) console.log(`${name}: not found`);
    else if (!module_[name].OID || /[^0-9.]/.test(module_[name].OID)) console.log(`${name}: no OID`);
}
if (wanted.length < 100) console.log(`only ${wanted.length} objects in ${mib}`);
