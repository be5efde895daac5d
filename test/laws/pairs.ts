import * as fc from 'fast-check';
import { documentOf } from './document.ts';
import { greenerIn, type Judged, judgedBy, judgedWhole } from './greener.ts';
import { type Distortion, distortions, type OperatorName } from './operators.ts';
import type { Reader, Reading, ReadTrial } from './reader.ts';
import { isUndetectable } from './undetectable.ts';

/** A trial of an undistorted document, with everything that is asserted about it. */
interface WholeTrial {
  readonly read: ReadTrial;
  readonly judged: Judged;
}

/** What was tried of a reader with an operator, and what looked better. */
export interface Tried {
  readonly pairs: number;
  /** Left out, because nobody could tell the distorted document from a real one. */
  readonly undetectable: number;
  readonly violations: readonly string[];
}

/** Every operator is compared with the same whole document. */
const wholes = new WeakMap<object, ReadonlyMap<string, WholeTrial>>();

/** Tries an operator at some places of all documents of a reader; the seed decides which. */
export async function tryOperator(reader: Reader, operator: OperatorName, placesPerDocument: number): Promise<Tried> {
  await using _server = await reader.open?.();
  let [pairs, undetectable] = [0, 0];
  const violations: string[] = [];
  for (const document of reader.documents) {
    const { name, text, read } = document;
    const trials = wholes.get(document) ?? (await wholeTrials(await read(text)));
    wholes.set(document, trials);
    for (const distortion of some(distortions(documentOf(text), operator), placesPerDocument)) {
      if (isUndetectable(reader.name, distortion)) {
        undetectable++;
        continue;
      }
      pairs++;
      const gained = gainedIn(trials, await read(distortion.text()));
      violations.push(...(await gained).map((what) => `${name}, ${operator} of ${distortion.place}: ${what}`));
    }
  }
  return { pairs, undetectable, violations };
}

function some(all: readonly Distortion[], most: number): readonly Distortion[] {
  if (all.length <= most) return all;
  const [chosen] = fc.sample(fc.shuffledSubarray([...all], { minLength: most, maxLength: most }), {
    seed: 36,
    numRuns: 1,
  });
  return chosen ?? [];
}

async function wholeTrials(whole: Reading): Promise<ReadonlyMap<string, WholeTrial>> {
  const trials = [...whole.trials].map(
    async ([key, read]) => [key, { read, judged: await judgedWhole(read.trace) }] as const,
  );
  return new Map(await Promise.all(trials));
}

/** What looks better in the trials of a document that knows less. */
async function gainedIn(whole: ReadonlyMap<string, WholeTrial>, less: Reading): Promise<string[]> {
  const gained: string[] = [];
  if (less.trials.size < whole.size && !less.hasProblems)
    gained.push(`${whole.size - less.trials.size} of ${whole.size} trials vanished without a word`);
  for (const [key, read] of less.trials) {
    const before = whole.get(key) ?? (whole.size === 1 ? [...whole.values()][0] : undefined);
    if (before) gained.push(...(await trialGained(before, read)).map((what) => `${key}: ${what}`));
  }
  return gained;
}

async function trialGained(
  { read: before, judged }: WholeTrial,
  { trace, record, fault }: ReadTrial,
): Promise<string[]> {
  const less = await judgedBy(trace, judged.parts, fault ?? record?.fault ?? undefined);
  return [...recordGained(before.record, record), ...greenerIn(judged, less)];
}

/** The verdict and the figures that the document itself has. */
function recordGained(before: ReadTrial['record'], after: ReadTrial['record']): string[] {
  if (!before || !after) return [];
  const figures = (['costUsd', 'durationMs'] as const).flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    return is !== null && was !== null && is < was ? [`${name}: ${was} became ${is}`] : [];
  });
  return [
    ...(after.outcome === 'pass' && before.outcome !== 'pass' ? [`${before.outcome} became pass`] : []),
    ...figures,
  ];
}
