import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { assertDistributable, assertOptions, assertSameOptions } from '../assert-options.ts';
import { fieldsOf, keptFields } from '../option-schema.ts';
import { configuredOptions, keptOptions, type RunOptions } from '../option-values.ts';
import { runOptions } from './index.ts';
import { nameOfOption, type RunOption, type Way } from './run-option.ts';

/** A value that an option takes, and one that differs from it. */
function samples({ value }: RunOption): readonly [unknown, unknown] {
  switch (value.kind) {
    case 'integer':
      return [value.from, value.from + 1];
    case 'number':
      return [value.to, value.to / 2];
    case 'share':
      return [0.1, 0.2];
    case 'switch':
      return [true, false];
    case 'names':
      return value.of ? [[value.of[0]], [value.of[1]]] : [['a'], ['b']];
    case 'choice':
      return [value.of[0], value.of[1]];
    case 'structure':
      return structures[value.name];
    default:
      return ['a', 'b'];
  }
}

const structures = {
  arms: [{ guidance: ['v1'] }, { guidance: ['v2'] }],
  attacks: [
    { suites: [], names: [], places: [] },
    { suites: ['core'], names: [], places: [] },
  ],
  experiment: [{ by: 'agent' }, { by: 'model' }],
} as const;

const options = (entries: Readonly<Record<string, unknown>>): RunOptions => entries;
const rows = runOptions.map((option) => [option.key, option] as const);

describe('the list of options', () => {
  it('names each key, flag and alias once', () => {
    const words = runOptions.flatMap(({ key, flag, aliases = [] }) => [
      key,
      flag ?? key,
      ...aliases.map((each) => each.flag),
    ]);
    const flags = words.filter((word) => word.includes('--'));
    expect(new Set(flags).size).toBe(flags.length);
    expect(new Set(runOptions.map(({ key }) => key)).size).toBe(runOptions.length);
  });

  it('refers to options that exist', () => {
    const keys = new Set(runOptions.map(({ key }) => key));
    const named = runOptions.flatMap(({ requires, excludes = [] }) => [...excludes, ...(requires ? [requires] : [])]);
    expect(named.filter((key) => !keys.has(key))).toEqual([]);
  });

  it.each(rows)('%s has a flag where the command line has it, and a label where the form has it', (_key, option) => {
    expect(option.ways.includes('cli')).toBe(option.flag !== undefined && option.commands.length > 0);
    if (option.ways.includes('form') && option.value.kind !== 'structure') expect(option.label).toBeDefined();
    if (option.flag && !option.isArgument) expect(option.flag.includes('<')).toBe(option.example !== undefined);
    expect(option.example !== undefined).toBe(option.value.kind !== 'switch');
  });
});

describe('every option', () => {
  it.each(rows)('%s means the same in all ways', (key, option) => {
    const [value] = samples(option);
    for (const way of ['api', 'mcp'] as const satisfies Way[]) {
      const schema = z.strictObject(fieldsOf(way));
      expect(schema.safeParse({ [key]: value }).success).toBe(option.ways.includes(way));
      expect(schema.safeParse({ [key]: Symbol('other') }).success).toBe(false);
    }
  });

  it.each(rows)('%s is kept by a run that goes on, or may be given again', (key, option) => {
    const [value, other] = samples(option);
    const isKept = option.keptBy.includes('resume');
    const kept = keptOptions({ [key]: value }, 'resume');
    expect(kept).toEqual(isKept ? { [key]: value } : {});
    expect(z.object(keptFields()).parse({ [key]: value })).toEqual(kept);
    const resume = (given: unknown) => () => assertSameOptions(options({ [key]: given }), kept, 'run_1');
    expect(resume(value)).not.toThrow();
    if (isKept && !option.mayChange) expect(resume(other)).toThrow(`${nameOfOption(option)} cannot be changed`);
    else expect(resume(other)).not.toThrow();
  });

  it.each(rows)('%s is kept by a run again only if a run that goes on keeps it', (key, { keptBy }) => {
    if (keptBy.includes('again')) expect(keptBy).toContain('resume');
    expect(Object.keys(keptOptions({ [key]: 1 }, 'again'))).toEqual(keptBy.includes('again') ? [key] : []);
  });

  it.each(rows)('%s reaches workers, or is refused with the reason', (key, option) => {
    const [value] = samples(option);
    const distribute = () => assertDistributable(options({ [key]: value }));
    if (option.distributed === true) expect(distribute).not.toThrow();
    else expect(distribute).toThrow(option.distributed);
    expect(() => assertDistributable({})).not.toThrow();
  });

  it.each(rows)('%s is refused beside what it excludes, and without what it requires', (key, option) => {
    const [value] = samples(option);
    const { requires, excludes = [] } = option;
    for (const other of excludes) {
      const found = runOptions.find((each) => each.key === other);
      const given = options({ [key]: value, [other]: found && samples(found)[0] });
      expect(() => assertOptions(given, 'cli')).toThrow(/cannot be combined|requires/);
    }
    const alone = () => assertOptions(options({ [key]: value }), 'api');
    if (requires === undefined) expect(alone).not.toThrow();
    else expect(alone).toThrow(`\`${key}\` requires \`${requires}\`.`);
  });
});

describe('an option that is a text', () => {
  const texts = runOptions.filter(({ value, keptBy }) => value.kind === 'text' && keptBy.includes('resume'));

  it.each(texts.map(({ key }) => [key]))('%s is read from a stored run whatever its length', (key) => {
    const long = 'x'.repeat(5_000);
    expect(z.object(keptFields()).parse({ [key]: long })).toEqual({ [key]: long });
  });
});

describe('a key of the config that has no default', () => {
  const inConfig = ({ ways, keptBy, without }: RunOption): boolean =>
    ways.includes('config') && keptBy.includes('resume') && without !== undefined;
  const filled = rows.filter(([, option]) => inConfig(option));

  it('is an option of some', () => {
    expect(filled.length).toBeGreaterThan(0);
  });

  it.each(filled)('%s is what a new run has, unless it was given', (key, option) => {
    const [usual, given] = samples(option);
    expect(configuredOptions({}, { [key]: usual })).toEqual({ [key]: usual });
    expect(configuredOptions(options({ [key]: given }), { [key]: usual })).toEqual({});
    expect(configuredOptions({}, {})).toEqual({});
  });

  it.each(filled)('%s gives way to options that it cannot be combined with', (key, option) => {
    const [usual] = samples(option);
    for (const other of option.excludes ?? []) {
      const [value] = samples(runOptions.find((each) => each.key === other) as RunOption);
      expect(configuredOptions(options({ [other]: value }), { [key]: usual })).toEqual({});
    }
  });
});
