import { canonicalJson } from '../shared/json.ts';
import { AssayError } from './errors.ts';
import type { KeptOptions, RunOptions } from './option-values.ts';
import { runOptions } from './run-options/index.ts';
import { nameOfOption, type Way } from './run-options/run-option.ts';

type Values = Readonly<Record<string, unknown>>;

const isSet = (value: unknown): boolean => value !== undefined && value !== false;

/** Refuses options that do not go together; the names are those of the way that gave them. */
export function assertOptions(given: RunOptions, way: Way): void {
  const values: Values = given;
  const set = runOptions.filter(({ key }) => isSet(values[key]));
  const name = (key: string): string => nameOfOption(runOptions.find((each) => each.key === key) ?? { key }, way);
  for (const option of set) {
    const { key, requires, excludes = [] } = option;
    if (requires !== undefined && !isSet(values[requires]))
      throw new AssayError('USAGE', `${name(key)} requires ${name(requires)}.`);
    const other = excludes.find((each) => isSet(values[each]));
    if (other !== undefined) throw notTogether(name(key), name(other));
  }
  if (given.distributed) assertDistributable(given, way);
}

/** Refuses options that work on one machine only. */
export function assertDistributable(given: RunOptions, way: Way = 'cli'): void {
  const values: Values = given;
  const refused = runOptions.find(({ key, distributed }) => distributed !== true && isSet(values[key]));
  if (!refused) return;
  const distributed = nameOfOption({ key: 'distributed', flag: '--distributed' }, way);
  throw notTogether(nameOfOption(refused, way), distributed, `: ${refused.distributed}`);
}

function notTogether(one: string, other: string, why = '.'): AssayError {
  return new AssayError('USAGE', `${one} cannot be combined with ${other}${why}`, { hint: 'Remove one of them.' });
}

/** Refuses to go on with a run under other options than those it began with: half of it would be another test. */
export function assertSameOptions(given: object, kept: KeptOptions, runId: string): void {
  const now = new Map(Object.entries(given));
  const then = new Map(Object.entries(kept));
  const stays = runOptions.filter(({ keptBy, mayChange }) => keptBy.includes('resume') && !mayChange);
  const changed = stays.find(({ key }) => isOther(now.get(key), then.get(key)));
  if (!changed) return;
  const name = nameOfOption(changed);
  throw new AssayError('USAGE', `${name} cannot be changed: ${runId} keeps the options that it began with.`, {
    hint: `Leave out ${name}, or begin a new run.`,
  });
}

function isOther(value: unknown, kept: unknown): boolean {
  return value !== undefined && canonicalJson(value) !== canonicalJson(kept);
}
