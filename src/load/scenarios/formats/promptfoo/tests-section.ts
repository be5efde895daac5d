import { counted } from '../../../../shared/format.ts';
import { isRecord, parseJson } from '../../../../shared/json.ts';
import { isKept, Located, type PromptfooReading, refuseOtherKeys } from './located.ts';
import { fillAt, hasTemplate, type Vars } from './nunjucks-text.ts';
import {
  csvRows,
  dataOfFile,
  filesFor,
  isCode,
  pathFor,
  referenceIn,
  rowSource,
  textOfFile,
} from './referenced-files.ts';

/** A test with one value for each of its vars. */
export interface ExpandedTest {
  readonly description: string | undefined;
  /** From 1, in the order of promptfoo. */
  readonly number: number;
  readonly vars: Vars;
  readonly assertions: readonly Located[];
  readonly threshold: Located;
  /** The nearest place where an option is set. */
  option(name: string): Located;
  readonly item: Located;
}

const testKeys = ['description', 'vars', 'assert', 'options', 'threshold', 'metadata'];
const optionKeys = [
  'prefix',
  'suffix',
  'transform',
  'postprocess',
  'provider',
  'disableVarExpansion',
  'disableDefaultAsserts',
];
const mostTests = 100_000;

/** All tests of a config: its own, and those of its scenarios. */
export async function readTests(config: Located, reading: PromptfooReading): Promise<ExpandedTest[]> {
  const expanded: ExpandedTest[] = [];
  const defaults = await readDefault(config.get('defaultTest'), reading);
  const layers = defaults ? [defaults] : [];
  for (const scenario of config.get('scenarios').items()) {
    refuseOtherKeys(scenario, ['config', 'tests', 'description'], 'of a scenario', reading);
    const tests = await testsIn(scenario.get('tests'), reading);
    for (const data of await testsIn(scenario.get('config'), reading)) {
      for (const test of tests) await expandKept([...layers, data, test], expanded, reading);
    }
  }
  for (const test of await testsIn(config.get('tests'), reading))
    await expandKept([...layers, test], expanded, reading);
  if (expanded.length === 0 && reading.found.problems.length === 0 && !reading.leftOut?.length) {
    // Prompts without vars are run once.
    await expand([...layers, new Located({}, reading.source)], expanded, reading);
  }
  return expanded;
}

async function readDefault(item: Located, reading: PromptfooReading): Promise<Located | undefined> {
  if (item.isMissing) return undefined;
  const reference = item.text === undefined ? undefined : referenceIn(item.text);
  return reference ? dataOfFile(reference.path, item, reading) : item;
}

/** The tests of a list; texts in it are files. */
async function testsIn(section: Located, reading: PromptfooReading): Promise<Located[]> {
  const tests: Located[] = [];
  for (const item of section.items()) {
    if (isRecord(item.value)) tests.push(item);
    else if (item.text === undefined) reading.found.problems.push(item.problem('a test must be an object or a file'));
    else tests.push(...(await testsOfFiles(referenceIn(item.text)?.path ?? item.text, item, reading)));
  }
  return tests;
}

async function testsOfFiles(path: string, item: Located, reading: PromptfooReading): Promise<Located[]> {
  const hint = 'Use a file in YAML, JSON, JSON Lines or CSV.';
  if (isCode(path) || !/\.(?:ya?ml|json|jsonl|csv)$/i.test(path)) {
    reading.found.problems.push(item.problem(`tests from ${path} have no equal in Assay`, hint));
    return [];
  }
  const paths = await filesFor(path, reading);
  if (paths.length === 0) reading.found.problems.push(item.problem(`no file matches ${path}`));
  const tests: Located[] = [];
  for (const file of paths) {
    if (/\.(?:csv|jsonl)$/i.test(file)) tests.push(...(await testsOfRows(file, item, reading)));
    else {
      const data = await dataOfFile(file, item, reading);
      if (data) tests.push(...(await testsIn(data, reading)));
    }
  }
  return tests;
}

async function testsOfRows(file: string, item: Located, reading: PromptfooReading): Promise<Located[]> {
  const text = await textOfFile(file, item, reading);
  if (text === undefined) return [];
  const displayPath = pathFor(file, reading);
  if (/\.csv$/i.test(file)) return csvTests(text, displayPath, reading);
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = parseJson(line);
    if (isRecord(value)) return [new Located(value, rowSource(value, displayPath, index + 1))];
    reading.found.problems.push({
      at: { file: displayPath, line: index + 1, column: 1 },
      message: 'the line is not a JSON object',
    });
    return [];
  });
}

function csvTests(text: string, file: string, reading: PromptfooReading): Located[] {
  const [header, ...rows] = csvRows(text, file, reading);
  const names = (header?.cells ?? []).map((cell) => cell.trim());
  return rows.flatMap(({ cells, line }) => {
    if (cells.length !== names.length) {
      const message = `the row has ${counted(cells.length, 'cell')}, and the header ${names.length}`;
      const hint = 'Put a value with a comma in quotes.';
      reading.found.problems.push({ at: { file, line, column: 1 }, message, hint });
      return [];
    }
    const test = testOfRow(names.map((name, index): [string, string] => [name, cells[index] ?? '']));
    return new Located(test, rowSource(test, file, line));
  });
}

/** A row as a test: columns are vars, and those that begin with `__` are parts of the test. */
function testOfRow(fields: readonly (readonly [string, string])[]): Record<string, unknown> {
  const vars: [string, string][] = [];
  const assertions: unknown[] = [];
  const test: Record<string, unknown> = {};
  const options: Record<string, unknown> = {};
  for (const [name, text] of fields) {
    if (/^__expected\d*$/.test(name)) {
      if (text.trim() !== '') assertions.push(expectation(text.trim()));
    } else if (name === '__description' && text !== '') test.description = text;
    else if (name === '__threshold' && text !== '') test.threshold = text;
    else if ((name === '__prefix' || name === '__suffix') && text !== '') options[name.slice(2)] = text;
    else if (/^__(?:metric|metadata:.*)$/.test(name) || (name.startsWith('__') && text === '')) continue;
    else if (name.startsWith('__')) test[name] = text;
    else vars.push([name, text]);
  }
  return { ...test, vars: Object.fromEntries(vars), assert: assertions, options };
}

const shortForms: Readonly<Record<string, string>> = { fn: 'javascript', eval: 'javascript', grade: 'llm-rubric' };

/** `contains: text`, `similar(0.8): text` and so on; any other text must be the answer. */
function expectation(text: string): Record<string, unknown> {
  const [, negation = '', name = '', threshold, rest] =
    /^(not-)?([a-z][a-z-]*)(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?$/.exec(text) ?? [];
  const type = shortForms[name] ?? name;
  const isForm = rest !== undefined || threshold !== undefined || /^(?:is-|contains-json)/.test(name);
  if (name === '' || !isForm) return { type: 'equals', value: text };
  const value = rest?.trim();
  const isList = /-(?:all|any)$/.test(type);
  return {
    type: `${negation}${type}`,
    ...(value !== undefined && value !== '' && { value: isList ? value.split(',').map((part) => part.trim()) : value }),
    ...(threshold !== undefined && { threshold: Number(threshold) }),
  };
}

async function expandKept(
  layers: readonly Located[],
  expanded: ExpandedTest[],
  reading: PromptfooReading,
): Promise<void> {
  const before = expanded.length;
  if (!(await isKept(reading, () => expand(layers, expanded, reading)))) expanded.splice(before);
}

/** Adds the tests that a test stands for: one for each combination of the values of its vars. */
async function expand(layers: readonly Located[], expanded: ExpandedTest[], reading: PromptfooReading): Promise<void> {
  const own = layers.at(-1) ?? new Located({}, reading.source);
  for (const layer of layers) {
    refuseOtherKeys(layer, testKeys, 'of a test', reading);
    refuseOtherKeys(layer.get('options'), optionKeys, 'in the `options` of a test', reading);
  }
  const nearest = (pick: (layer: Located) => Located): Located =>
    layers.map(pick).findLast((found) => !found.isMissing) ?? pick(own);
  const option = (name: string): Located => nearest((layer) => layer.get('options').get(name));
  const hasDefaults = option('disableDefaultAsserts').value !== true;
  const asserting = hasDefaults ? layers : layers.slice(-1);
  const lists: [string, unknown[]][] = [];
  for (const layer of layers) {
    for (const [name, values] of await valuesOf(
      layer.get('vars'),
      option('disableVarExpansion').value !== true,
      reading,
    )) {
      const before = lists.findIndex(([known]) => known === name);
      if (before !== -1) lists.splice(before, 1);
      lists.push([name, values]);
    }
  }
  for (const vars of combinations(lists)) {
    if (expanded.length >= mostTests) {
      reading.found.problems.push(own.problem(`the config has more than ${mostTests} tests`));
      return;
    }
    expanded.push({
      description: nearest((layer) => layer.get('description')).text,
      number: expanded.length + 1,
      vars: resolved(withoutLastNewlines(vars), own, reading),
      assertions: asserting.flatMap((layer) => layer.get('assert').items()),
      threshold: nearest((layer) => layer.get('threshold')),
      option,
      item: own,
    });
  }
}

/** Each var with its values: several of a list, one of anything else. */
async function valuesOf(
  section: Located,
  isExpanded: boolean,
  reading: PromptfooReading,
): Promise<[string, unknown[]][]> {
  if (section.text !== undefined || Array.isArray(section.value)) return varsOfFiles(section, isExpanded, reading);
  const lists: [string, unknown[]][] = [];
  for (const [name, item] of section.entries()) {
    const values: unknown[] = [];
    for (const part of isExpanded ? item.items() : [item]) values.push(...(await valueOfVar(part, reading)));
    lists.push([name, values]);
  }
  return lists;
}

async function varsOfFiles(
  section: Located,
  isExpanded: boolean,
  reading: PromptfooReading,
): Promise<[string, unknown[]][]> {
  const lists: [string, unknown[]][] = [];
  for (const item of section.items()) {
    const path = item.text === undefined ? undefined : (referenceIn(item.text)?.path ?? item.text);
    const data = path === undefined ? undefined : await dataOfFile(path, item, reading);
    if (data) lists.push(...(await valuesOf(data, isExpanded, reading)));
  }
  return lists;
}

async function valueOfVar(item: Located, reading: PromptfooReading): Promise<unknown[]> {
  const reference = item.text === undefined ? undefined : referenceIn(item.text);
  if (!reference) return [item.value];
  if (isCode(reference.path) || /\.(?:py|rb|go|pdf|png|jpe?g|gif|webp)$/i.test(reference.path)) {
    reading.found.problems.push(item.problem(`a var from ${reference.path} has no equal in Assay`));
    return [];
  }
  const values: unknown[] = [];
  const paths = await filesFor(reference.path, reading);
  if (paths.length === 0) reading.found.problems.push(item.problem(`no file matches ${reference.path}`));
  for (const file of paths) {
    // Data in YAML becomes JSON as text, as in promptfoo.
    const value = /\.ya?ml$/i.test(file)
      ? JSON.stringify((await dataOfFile(file, item, reading))?.value)
      : (await textOfFile(file, item, reading))?.trim();
    values.push(value);
  }
  return values;
}

function combinations(lists: readonly (readonly [string, readonly unknown[]])[]): Vars[] {
  return lists.reduce<Vars[]>(
    (before, [name, values]) => before.flatMap((vars) => values.map((value) => ({ ...vars, [name]: value }))),
    [{}],
  );
}

/** As promptfoo does before it fills in a prompt. */
function withoutLastNewlines(vars: Vars): Vars {
  const entries = Object.entries(vars);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value.replace(/\n$/, '') : value]),
  );
}

const mostPasses = 3;

/** Vars may use other vars. */
function resolved(vars: Vars, test: Located, reading: PromptfooReading): Vars {
  let current = vars;
  for (let pass = 0; pass < mostPasses; pass++) {
    const before = current;
    current = Object.fromEntries(
      Object.entries(before).map(([name, value]) => {
        if (typeof value !== 'string' || !hasTemplate(value)) return [name, value];
        return [name, fillAt(test.get('vars').get(name), value, before, reading)];
      }),
    );
  }
  return current;
}
