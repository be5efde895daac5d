import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import type { TrialRecord } from '../../src/domain/record.ts';
import { documentOf } from './document.ts';
import { changesIn, greenerIn, type Judged, judgedBy, judgedWhole } from './greener.ts';
import { type Distortion, distortions, isIdentified, type OperatorName } from './operators.ts';
import type { Reader, Reading, ReadTrial } from './reader.ts';
import { entriesFor, type Undetectable } from './undetectable.ts';

/** A trial of an undistorted document, with everything that is asserted about it. */
export interface WholeTrial {
  readonly read: ReadTrial;
  readonly judged: Judged;
}

/** What was tried of a reader with an operator, and what looked better. */
export interface Tried {
  readonly pairs: number;
  /** Left out, because nothing distinguishes the distorted document from a real one. */
  readonly undetectable: number;
  /** The entries that were needed: something looked better, and they say why no reader can notice. */
  readonly excused: ReadonlySet<Undetectable>;
  readonly violations: readonly string[];
}

/** Every operator is compared with the same whole document. */
const wholes = new WeakMap<object, ReadonlyMap<string, WholeTrial>>();

/** Tries an operator at some places of all documents of a reader; the seed decides which. */
export async function tryOperator(
  reader: Reader,
  operator: OperatorName,
  placesPerDocument: number,
  isTried: (distortion: Distortion) => boolean = () => true,
): Promise<Tried> {
  await using _server = await reader.open?.();
  let [pairs, undetectable] = [0, 0];
  const excused = new Set<Undetectable>();
  const violations: string[] = [];
  for (const document of reader.documents) {
    const { name, text, read } = document;
    const trials = wholes.get(document) ?? (await wholeTrials(await read(text)));
    wholes.set(document, trials);
    const places = distortions(documentOf(text), operator).filter(isTried);
    for (const distortion of some(places, placesPerDocument)) {
      const gained = await gainedIn(trials, await read(distortion.text()), distortion);
      const entries = entriesFor(reader.name, distortion);
      if (gained.length > 0) for (const entry of entries) excused.add(entry);
      if (entries.length > 0) undetectable++;
      else {
        pairs++;
        violations.push(...gained.map((what) => `${name}, ${operator} of ${distortion.place}: ${what}`));
      }
    }
  }
  return { pairs, undetectable, excused, violations };
}

export function some<Place>(all: readonly Place[], most: number): readonly Place[] {
  if (all.length <= most) return all;
  const [chosen] = fc.sample(fc.shuffledSubarray([...all], { minLength: most, maxLength: most }), {
    seed: 36,
    numRuns: 1,
  });
  return chosen ?? [];
}

type WholeTrials = ReadonlyMap<string, WholeTrial>;

export async function wholeTrials(whole: Reading): Promise<WholeTrials> {
  const trials = [...whole.trials].map(
    async ([key, read]) => [key, { read, judged: await judgedWhole(read.trace) }] as const,
  );
  return new Map(await Promise.all(trials));
}

/** Gains in the trials of a document that knows less, and whatever else doubling changes. */
async function gainedIn(whole: WholeTrials, less: Reading, distortion: Distortion): Promise<string[]> {
  const { operator } = distortion;
  const gained = summaryGained(recordsIn([...whole.values()].map(({ read }) => read)), less);
  if (operator === 'double' && judgedIn(less.trials.values()) > judgedIn([...whole.values()].map(({ read }) => read)))
    gained.push(`${whole.size} trials became ${less.trials.size}`);
  const byPlace = [...whole.values()];
  for (const [index, [key, read]] of [...less.trials].entries()) {
    const before = whole.get(key) ?? (whole.size === less.trials.size ? byPlace[index] : undefined);
    if (before) gained.push(...(await trialGained(before, read, distortion)).map((what) => `${key}: ${what}`));
  }
  return gained;
}

async function trialGained(
  { read: before, judged }: WholeTrial,
  { trace, record, fault = record?.fault ?? undefined }: ReadTrial,
  distortion: Distortion,
): Promise<string[]> {
  const gained = recordGained(before.record, record);
  // Most keys of a document say nothing about the trial.
  if (
    isDeepStrictEqual(trace, before.trace) &&
    isDeepStrictEqual(fault, before.fault ?? before.record?.fault ?? undefined)
  )
    return gained;
  const less = await judgedBy(trace, judged.parts, fault);
  const isSame = distortion.operator === 'double' && (record !== undefined || isIdentified(distortion));
  const others = isSame ? changesIn(judged, less) : greenerIn(judged, less);
  return [...gained, ...others];
}

/** Trials that something counts: one that could not be judged says that something is wrong. */
function judgedIn(trials: Iterable<ReadTrial>): number {
  return recordsIn(trials).filter(({ outcome }) => outcome !== 'error').length;
}

function recordsIn(trials: Iterable<ReadTrial>): TrialRecord[] {
  return [...trials].flatMap(({ record }) => record ?? []);
}

/** The figures of a run of documents that have verdicts of their own: how many trials passed, and which share of them. */
function summaryGained(before: readonly TrialRecord[], less: Reading): string[] {
  const after = recordsIn(less.trials.values());
  const count = (records: readonly TrialRecord[], outcome: string): number =>
    records.filter((record) => record.outcome === outcome).length;
  const rate = (records: readonly TrialRecord[]): number =>
    count(records, 'pass') / Math.max(1, records.length - count(records, 'skipped'));
  const lost = before.length - after.length;
  return [
    ...(count(after, 'pass') > count(before, 'pass') ? ['there are more passes'] : []),
    ...(rate(after) > rate(before) && !less.hasProblems ? [`the rate of passes is ${rate(after)}`] : []),
    ...(lost > 0 && !less.hasProblems ? [`${lost} of ${before.length} trials vanished without a word`] : []),
  ];
}

/** The verdict and the figures that the document itself has. */
function recordGained(before: ReadTrial['record'], after: ReadTrial['record']): string[] {
  if (!before || !after) return [];
  const figures = (['costUsd', 'durationMs'] as const).flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    return is !== null && (was === null || is < was) ? [`${name}: ${was ?? 'nothing'} became ${is}`] : [];
  });
  return [
    ...(after.outcome === 'pass' && before.outcome !== 'pass' ? [`${before.outcome} became pass`] : []),
    ...figures,
  ];
}
