import { describe, expect, it } from 'vitest';
import { configExamples } from '../../scripts/docs-reference/config-examples.ts';
import { fileKeyOptions, fileKinds } from '../../scripts/docs-reference/files.ts';
import { valueKeys } from '../../scripts/docs-reference/schema-keys.ts';
import { configSchema } from '../../src/compose/config/config-schema.ts';

const [config] = fileKinds;
if (config?.title !== 'Config file') throw new Error('The config is the first kind of file.');
const keys = valueKeys(config.schema(), fileKeyOptions(config));
const requiredPaths = keys.filter(({ isRequired }) => isRequired).map(({ path }) => path);

type Holder = Record<string, unknown> | unknown[];

/** Puts a value into a document; steps are `a.<name>.b[].c`. */
function put(document: Record<string, unknown>, path: string, value: unknown): void {
  const steps = path.replaceAll('[]', '.0').replaceAll('<name>', 'mine').split('.');
  let holder: Holder = document;
  for (const [index, step] of steps.entries()) {
    const fields = holder as Record<string, unknown>;
    if (index === steps.length - 1) fields[step] = value;
    else {
      if (fields[step] === undefined) fields[step] = steps[index + 1] === '0' ? [] : {};
      holder = fields[step] as Holder;
    }
  }
}

/** The smallest config with a value at a path: with what is required in the objects around it. */
function configWith(path: string, value: unknown): Record<string, unknown> {
  const document = {};
  const folders = path.split('.').map((_, index, steps) => steps.slice(0, index).join('.'));
  for (const required of requiredPaths) {
    const parent = required.split('.').slice(0, -1).join('.');
    if (folders.includes(parent)) put(document, required, configExamples[required]?.example);
  }
  // A rule needs one of several ways to judge.
  if (path.startsWith('rules.'))
    put(document, 'rules.<name>.scenario', configExamples['rules.<name>.scenario']?.example);
  put(document, path, value);
  return document;
}

const problemsWith = (path: string, value: unknown) =>
  configSchema.safeParse(configWith(path, value)).error?.issues ?? [];

describe('examples of the config', () => {
  it('are given for every key that holds a value, and for no other', () => {
    expect(Object.keys(configExamples).toSorted()).toEqual(keys.map(({ path }) => path).toSorted());
    expect(keys.length).toBeGreaterThan(100);
  });

  it.each(keys)('are accepted, and edges are refused: $path', ({ path, isRequired, hasDefault, refused }) => {
    const { example, without } = configExamples[path] ?? {};
    expect(problemsWith(path, example)).toEqual([]);
    expect(isRequired || hasDefault || without !== undefined, 'say what happens without it').toBe(true);
    for (const value of refused) expect(problemsWith(path, value), JSON.stringify(value)).not.toEqual([]);
  });
});
