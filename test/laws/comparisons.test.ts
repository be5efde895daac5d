import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../src/domain/record.ts';
import { compareSides } from '../../src/report/compare/compare-sides.ts';
import type { Comparison, FigureAnswer } from '../../src/report/compare/comparison.ts';
import { recordsOf, sideSource } from '../../src/testing/fakes/compare/compared-sides.ts';
import { repetitions } from '../../src/testing/support/repetitions.ts';

const settings = { seed: 36, numRuns: repetitions({ usual: 15, inFull: 400 }) };

/** Endings of the repeats of a case; most of them alike, so some comparisons have an answer. */
const endings = (repeats: number, usual: '+' | '-') =>
  fc.string({ unit: fc.constantFrom(usual, usual, usual, '+', '-'), minLength: repeats, maxLength: repeats });

/** Cases on both sides: each sign is a trial. */
const suites = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom('+', '-'), fc.constantFrom('+', '-'))
  .chain(([repeats, ofA, ofB]) =>
    fc.array(fc.tuple(endings(repeats, ofA), endings(repeats, ofB)), { minLength: 1, maxLength: 8 }),
  );

type Side = readonly TrialRecord[];

/** Trials with costs and times that differ, so every figure is compared. */
function sideOf(cases: readonly string[]): Side {
  const named = Object.fromEntries(cases.map((signs, index) => [`case ${index}`, signs]));
  return recordsOf(named, ({ ordinal }) => ({
    costUsd: 0.01 * (1 + (ordinal % 5)),
    durationMs: 100 + 10 * (ordinal % 7),
  }));
}

/** Ways in which a trial knows less. */
const losses: Readonly<Record<string, (record: TrialRecord) => TrialRecord | undefined>> = {
  'could not be judged': (record) => ({ ...record, outcome: 'error', reason: 'it is not known' }),
  'is gone': () => undefined,
  'has no cost': (record) => ({ ...record, costUsd: null }),
};

function lessOf(side: Side, places: readonly number[], lose: (record: TrialRecord) => TrialRecord | undefined): Side {
  const lost = new Set(places.map((place) => place % side.length));
  return side.flatMap((record, index) => (lost.has(index) ? (lose(record) ?? []) : [record]));
}

async function compared(a: Side, b: Side, planned = b.length): Promise<Comparison> {
  return compareSides(sideSource('A', a), sideSource('B', b, { run: { planned } }));
}

/** Every answer of a comparison, by the figure and the question. */
function answersIn({ metrics }: Comparison): ReadonlyMap<string, FigureAnswer> {
  return new Map(
    metrics.flatMap(({ name, answer, onTheseTasks }) => [
      [name, answer] as const,
      [`${name} on these tasks`, onTheseTasks.answer] as const,
    ]),
  );
}

const isAnswer = (answer: FigureAnswer | undefined): boolean => answer !== undefined && answer !== 'not-enough-data';

describe.each(Object.entries(losses))('a trial of B that %s', (_, lose) => {
  it('gives a comparison no answer that it did not have, and makes none better', async () => {
    await fc.assert(
      fc.asyncProperty(suites, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), async (cases, places) => {
        const [a, b] = [sideOf(cases.map(([of]) => of)), sideOf(cases.map(([, of]) => of))];
        const whole = answersIn(await compared(a, b));
        for (const [name, answer] of answersIn(await compared(a, lessOf(b, places, lose), b.length))) {
          const before = whole.get(name);
          if (!isAnswer(before)) expect([name, isAnswer(answer)]).toEqual([name, false]);
          if (before !== 'better') expect([name, answer]).not.toEqual([name, 'better']);
        }
      }),
      settings,
    );
  });
});

describe('trials that were reused from an earlier run', () => {
  const reused = (record: TrialRecord, number: number): TrialRecord => ({
    ...record,
    ...{ trialId: `reused-${number}`, repeat: 100 + number, cachedFrom: `earlier-${number}` },
  });

  it('change no figure of a comparison', async () => {
    await fc.assert(
      fc.asyncProperty(suites, fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), async (cases, places) => {
        const [a, b] = [sideOf(cases.map(([of]) => of)), sideOf(cases.map(([, of]) => of))];
        const again = places.map((place, number) => reused(b[place % b.length] as TrialRecord, number));
        const [without, beside] = [await compared(a, b), await compared(a, [...b, ...again])];
        expect(beside.metrics).toEqual(without.metrics);
      }),
      settings,
    );
  });
});

it.each([
  [['--', '-+', '--', '-+'], ['++', '-+', '++', '++'], 2],
  [['--', '-+', '--', '--', '+-', '--', '--', '++'], ['++', '-+', '++', '++', '-+', '++', '++', '++'], 2],
])('a lost failure gives no answer: %j, %j without trial %i', async (ofA, ofB, place) => {
  const [a, b] = [sideOf(ofA), sideOf(ofB)];
  for (const lose of Object.values(losses)) {
    const whole = answersIn(await compared(a, b));
    for (const [name, answer] of answersIn(await compared(a, lessOf(b, [place], lose), b.length)))
      if (!isAnswer(whole.get(name))) expect([name, isAnswer(answer)]).toEqual([name, false]);
  }
});
