import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../src/domain/record.ts';
import { compareSides } from '../../src/report/compare/compare-sides.ts';
import type { Comparison, FigureAnswer } from '../../src/report/compare/comparison.ts';
import { compareHeldOut } from '../../src/report/compare/held-out.ts';
import { pairCases } from '../../src/report/compare/pair-cases.ts';
import { collectSide } from '../../src/report/compare/side-collector.ts';
import { recordsOf, sideSource } from '../../src/testing/fakes/compare/compared-sides.ts';
import { repetitions } from '../../src/testing/support/repetitions.ts';

/** All repetitions take minutes on a busy machine. */
const longest = 1_800_000;
const settings = { seed: 36, numRuns: repetitions({ usual: 15, inFull: 400 }) };

/** Endings of the repeats of a case; most of them alike, so some comparisons have an answer. */
const endings = (repeats: number, usual: '+' | '-') =>
  fc.string({ unit: fc.constantFrom(usual, usual, usual, '+', '-'), minLength: repeats, maxLength: repeats });

/** Few hopeless cases before and nearly perfect ones now, with as many trials as held-out cases have. */
const heldOut = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom('+', '-'), fc.constantFrom('+', '-'))
  .chain(([cases, ofA, ofB]) => {
    const list = (usual: '+' | '-') => fc.array(endings(20, usual), { minLength: cases, maxLength: cases });
    return fc.tuple(list(ofA), list(ofB));
  });

/** Cases on both sides: each sign is a trial. */
const suites = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom('+', '-'), fc.constantFrom('+', '-'))
  .chain(([repeats, ofA, ofB]) =>
    fc.array(fc.tuple(endings(repeats, ofA), endings(repeats, ofB)), { minLength: 1, maxLength: 8 }),
  );

/** How much B takes of everything beside A, and how much each trial takes beside the others. */
const amounts = fc.record({
  ofB: fc.constantFrom(1, 1, 0.25, 0.5, 2, 4),
  ofTrials: fc.array(fc.constantFrom(1, 1, 1, 0.9, 1.1, 3), { minLength: 1, maxLength: 10 }),
});
const places = fc.array(fc.nat(), { minLength: 1, maxLength: 4 });

type Side = readonly TrialRecord[];

/** Trials with costs, times and tokens, so every kind of figure is compared. */
function sideOf(cases: readonly string[], ofSide = 1, ofTrials: readonly number[] = [1, 1.1, 0.9]): Side {
  const named = Object.fromEntries(cases.map((signs, index) => [`case ${index}`, signs]));
  return recordsOf(named, ({ ordinal }) => {
    const amount = ofSide * (ofTrials[ordinal % ofTrials.length] ?? 1);
    return { costUsd: 0.01 * amount, durationMs: 100 * amount, metrics: { 'token-usage': 1_000 * amount } };
  });
}

/** Ways in which a trial knows less. */
const losses: Readonly<Record<string, (record: TrialRecord) => TrialRecord | undefined>> = {
  'could not be judged': (record) => ({ ...record, outcome: 'error', reason: 'it is not known' }),
  'is gone': () => undefined,
  'has no cost': (record) => ({ ...record, costUsd: null }),
  'has no time and no tokens': (record) => ({ ...record, durationMs: null, metrics: { 'token-usage': null } }),
};

function lessOf(
  side: Side,
  lostPlaces: readonly number[],
  lose: (record: TrialRecord) => TrialRecord | undefined,
): Side {
  const lost = new Set(lostPlaces.map((place) => place % side.length));
  return side.flatMap((record, index) => (lost.has(index) ? (lose(record) ?? []) : [record]));
}

/** The side of a run that planned the trials of the whole side. */
function sourceOf(label: string, side: Side, whole = side) {
  const repeat = Math.max(...whole.map((record) => record.repeat));
  const scenarios = [{ name: 'sample', contentHash: 'abc', repeat }];
  return sideSource(label, side, { run: { planned: whole.length, scenarios } });
}

async function compared(a: Side, b: Side, whole = b): Promise<Comparison> {
  return compareSides(sourceOf('A', a), sourceOf('B', b, whole));
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
  it('gives a comparison no answer that it did not have, and makes none better', { timeout: longest }, async () => {
    await fc.assert(
      fc.asyncProperty(suites, amounts, places, async (cases, { ofB, ofTrials }, lost) => {
        const a = sideOf(cases.map(([of]) => of));
        const b = sideOf(
          cases.map(([, of]) => of),
          ofB,
          ofTrials,
        );
        const whole = answersIn(await compared(a, b));
        for (const [name, answer] of answersIn(await compared(a, lessOf(b, lost, lose), b))) {
          const before = whole.get(name);
          if (!isAnswer(before)) expect([name, isAnswer(answer)]).toEqual([name, false]);
          if (before !== 'better') expect([name, answer]).not.toEqual([name, 'better']);
        }
      }),
      settings,
    );
  });

  it('shows no gain on held-out cases that was not shown', { timeout: longest }, async () => {
    await fc.assert(
      fc.asyncProperty(heldOut, places, async ([ofA, ofB], lost) => {
        const [a, b] = [sideOf(ofA), sideOf(ofB)];
        const before = await resultOnHeldOut(a, b, b);
        const after = await resultOnHeldOut(a, lessOf(b, lost, lose), b);
        if (after !== before) expect([before, after]).toEqual([before, 'not-shown']);
      }),
      settings,
    );
  });
});

async function resultOnHeldOut(a: Side, b: Side, whole: Side): Promise<string> {
  const [before, now] = [await collectSide(sourceOf('A', a)), await collectSide(sourceOf('B', b, whole))];
  return compareHeldOut(pairCases(before, now).pairs, 1)?.result ?? 'not-shown';
}

describe('trials that were reused from an earlier run', () => {
  const reused = (record: TrialRecord, number: number): TrialRecord => ({
    ...record,
    ...{ trialId: `reused-${number}`, repeat: 100 + number, cachedFrom: `earlier-${number}` },
  });

  it('change no figure of a comparison', { timeout: longest }, async () => {
    await fc.assert(
      fc.asyncProperty(suites, fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), async (cases, reusedPlaces) => {
        const [a, b] = [sideOf(cases.map(([of]) => of)), sideOf(cases.map(([, of]) => of))];
        const again = reusedPlaces.map((place, number) => reused(b[place % b.length] as TrialRecord, number));
        const [without, beside] = [await compared(a, b), await compared(a, [...b, ...again])];
        expect(beside.metrics).toEqual(without.metrics);
      }),
      settings,
    );
  });
});

it.each([
  [['--', '-+', '--', '-+'], ['++', '-+', '++', '++'], 2],
  [['-----'], ['+++--'], 3],
  [['+++', '+++', '++-', '-++', '-++'], ['---', '--+', '+++', '+--', '-+-'], 3],
  [['--', '-+', '--', '--', '+-', '--', '--', '++'], ['++', '-+', '++', '++', '-+', '++', '++', '++'], 2],
])('a lost failure gives no answer: %j, %j without trial %i', async (ofA, ofB, place) => {
  const [a, b] = [sideOf(ofA), sideOf(ofB)];
  for (const lose of Object.values(losses)) {
    const whole = answersIn(await compared(a, b));
    for (const [name, answer] of answersIn(await compared(a, lessOf(b, [place], lose), b)))
      if (!isAnswer(whole.get(name))) expect([name, isAnswer(answer)]).toEqual([name, false]);
  }
});
