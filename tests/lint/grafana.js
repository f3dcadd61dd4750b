// Is a dashboard what Grafana's published schema says? usage: grafana.js DASHBOARD.json
// The types of the package @grafana/schema become JSON schemas, in which a name that Grafana does
// not know is an error: of the dashboard, and of each panel by its kind. The units are those of
// @grafana/data. Prints one line for each fault.
'use strict';
const fs = require('fs');
const path = require('path');
const Ajv = require('ajv').default;
const generator = require('ts-json-schema-generator');

// It looks at its browser when it is loaded.
globalThis.window = {};
globalThis.navigator = { languages: ['en'] };
const { getValueFormats } = require('@grafana/data');

const types = path.join(path.dirname(require.resolve('@grafana/schema/package.json')), 'dist/esm/raw');
const ajv = new Ajv({ allErrors: true, strict: false });
let faults = 0;

function fault(place, text) {
    console.log(`${place}: ${text}`);
    faults++;
}

function schema(file, type) {
    const options = { path: path.join(types, file), type, skipTypeCheck: true };
    return generator.createGenerator(options).createSchema(type);
}

function check(place, validate, data) {
    if (!validate(data))
        for (const e of validate.errors)
            fault(place + e.instancePath, e.message + ' ' + (e.params.additionalProperty || ''));
}

// What is left out of options and custom fields has a default.
function partial(made) {
    for (const definition of Object.values(made.definitions))
        delete definition.required;
    return made;
}

// Not every kind of panel has fields of its own.
function kindOf(folder) {
    const file = path.join(folder, fs.readdirSync(path.join(types, folder)).find(one => one.endsWith('.d.ts')));
    const text = fs.readFileSync(path.join(types, file), 'utf8');
    const compiled = type => new RegExp(`interface ${type}\\b`).test(text) &&
        ajv.compile(partial(schema(file, type)));
    return { options: compiled('Options'), custom: compiled('FieldConfig') };
}

const kinds = {};
function kind(name) {
    const folder = path.join('composable', name.replace(/-/g, ''), 'panelcfg/x');
    if (!(name in kinds))
        kinds[name] = fs.existsSync(path.join(types, folder)) && kindOf(folder);
    return kinds[name];
}

const units = new Set(getValueFormats().flatMap(group => group.submenu.map(one => one.value)));

function checkPanel(panel) {
    const place = `panel "${panel.title}"`;
    const config = panel.fieldConfig.defaults;
    const known = kind(panel.type);
    if (!known)
        return fault(place, `no panel of the kind ${panel.type}`);
    check(`${place}.options`, known.options, panel.options);
    if (config.custom && !known.custom)
        fault(place, `no custom fields in a ${panel.type}`);
    else if (config.custom)
        check(`${place}.custom`, known.custom, config.custom);
    if (!units.has(config.unit))
        fault(place, `no unit ${config.unit}`);
}

const dashboard = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
check('dashboard', ajv.compile(schema('dashboard/x/dashboard_types.gen.d.ts', 'Dashboard')), dashboard);
const panels = dashboard.panels.flatMap(one => one.type === 'row' ? one.panels : [one]);
panels.forEach(checkPanel);
const ids = dashboard.panels.flatMap(one => [one, ...(one.panels || [])]).map(one => one.id);
if (new Set(ids).size !== ids.length)
    fault('dashboard', 'an id twice');
process.exit(faults ? 1 : 0);
