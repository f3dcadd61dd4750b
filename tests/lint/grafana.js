// Is a dashboard what Grafana's published schema says? usage: grafana.js DASHBOARD.json
// The types of the package @grafana/schema become JSON schemas, in which a name that Grafana does
// not know is an error: of the dashboard, and of each panel by its kind. The units are those of
// @grafana/data, and its transformations make one table of the queries of each. Prints one line for
// each fault.
'use strict';
const fs = require('fs');
const path = require('path');
const Ajv = require('ajv').default;
const generator = require('ts-json-schema-generator');

// It looks at its browser when it is loaded.
globalThis.window = {};
globalThis.navigator = { languages: ['en'] };
const { FieldType, getValueFormats, standardTransformers, standardTransformersRegistry,
    toDataFrame, transformDataFrame } = require('@grafana/data');

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
    const own = panel.fieldConfig.overrides.flatMap(one => one.properties).filter(one => one.id === 'unit');
    for (const unit of [config.unit, ...own.map(one => one.value)])
        if (!units.has(unit))
            fault(place, `no unit ${unit}`);
    if (panel.type === 'table')
        checkTable(place, panel);
}

// Some are there under two names.
standardTransformersRegistry.setInit(() => [...new Set(Object.values(standardTransformers))]
    .map(one => ({ id: one.id, name: one.name, transformation: one })));

// Two lines of each query, as Prometheus gives them: in any order.
function answer(names, query, i) {
    const lines = i % 2 ? ['b', 'a'] : ['a', 'b'];
    return toDataFrame({ refId: query.refId, fields: [
        { name: 'Time', type: FieldType.time, values: [0, 0] },
        ...names.map(name => ({ name, type: FieldType.string, values: lines })),
        { name: `Value #${query.refId}`, type: FieldType.number, values: [1, 2] }] });
}

// The table has these two lines, and no column but those that it has a name for.
function checkTable(place, panel) {
    const named = panel.transformations.find(one => one.id === 'organize').options.renameByName;
    const labels = Object.keys(named).filter(name => !name.startsWith('Value'));
    const frames = panel.targets.map((query, i) => answer(labels, query, i));
    transformDataFrame(panel.transformations, frames).subscribe(made => {
        const titles = made.flatMap(one => one.fields.map(field => field.config.displayName));
        if (made.length !== 1 || made[0].length !== 2 || titles.join() !== Object.values(named).join())
            fault(place, `${made.length} tables with the columns ${titles.join()}`);
    });
}

const dashboard = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
check('dashboard', ajv.compile(schema('dashboard/x/dashboard_types.gen.d.ts', 'Dashboard')), dashboard);
const panels = dashboard.panels.flatMap(one => one.type === 'row' ? one.panels : [one]);
panels.forEach(checkPanel);
const ids = dashboard.panels.flatMap(one => [one, ...(one.panels || [])]).map(one => one.id);
if (new Set(ids).size !== ids.length)
    fault('dashboard', 'an id twice');
process.exit(faults ? 1 : 0);
