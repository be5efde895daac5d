import type { RunOrigin } from '../../domain/run.ts';
import { counted } from '../../shared/format.ts';
import { someRow } from '../../shared/rows.ts';
import type { CollectedSide } from './collected-side.ts';
import { figureNames } from './compare-figures.ts';
import type { MetricComparison } from './comparison.ts';
import { hasChanged } from './figure-rows.ts';
import { figureLabel, figureText } from './figure-words.ts';
import type { FigureDefinition } from './figures.ts';
import type { PairedSides } from './pair-cases.ts';

/** Limits of the comparison of two sides, as sentences for its reader. */
export function comparisonNotes(
  a: CollectedSide,
  b: CollectedSide,
  { pairs, compared }: PairedSides,
  metrics: readonly MetricComparison[],
  pairsOfVariants = 1,
): string[] {
  const isSameRun = a.run.runId === b.run.runId && a.label === b.label && compared.length === 0;
  const several =
    compared.length > 1
      ? [
          `The sides differ in ${compared.map(({ part }) => part).join(' and ')} at once, so a difference cannot be attributed to one of them.`,
        ]
      : [];
  return [
    ...(isSameRun ? ['A and B are the same run.'] : []),
    ...sideNotes('A', a),
    ...sideNotes('B', b),
    ...missingFigures(a, b),
    ...lookNotes('A', a),
    ...(a.run.runId === b.run.runId ? [] : lookNotes('B', b)),
    ...unknownNotes(a, b),
    ...deliveryNotes(a, b, compared),
    ...several,
    ...sampleNotes(metrics[0]),
    ...unpairedFigures(pairs, metrics),
    ...missingNotes(a, b, metrics),
    ...dominantNotes(pairs, metrics),
    ...meanNotes(metrics),
    ...timeNote(metrics),
    ...variantsNote(pairsOfVariants),
  ];
}

function sideNotes(name: 'A' | 'B', { run, totals, unusable, absent = 0 }: CollectedSide): string[] {
  const notes: string[] = [];
  if (totals.trials === 0) notes.push(`${name} has no trials.`);
  if (run.status !== 'finished' || absent > 0) {
    const missing = Math.max(0, run.planned - totals.trials);
    notes.push(
      `${name} is ${run.status === 'running' ? 'still running' : run.status}: ${counted(missing, 'trial')} of ${run.planned} missing.`,
    );
  }
  if (totals.unjudged > 0) {
    const of = `${totals.unjudged} of ${counted(totals.trials, 'trial')}`;
    notes.push(`${name}: ${of} could not be judged or did not run; they count for neither outcome.`);
  }
  if (totals.timedOut) {
    const of = `${totals.timedOut} of ${counted(totals.passed + totals.failed, 'judged trial')}`;
    notes.push(`${name}: in ${of}, the time limit ended the agent; the work that it left was judged.`);
  }
  if (totals.cached > 0) {
    notes.push(`${name}: ${counted(totals.cached, 'cached trial')}, not counted as new evidence.`);
  }
  for (const [figure, count] of unusable) {
    notes.push(`${name}: ${counted(count, 'value')} of ${figure} left out, because they are not numbers.`);
  }
  return [...notes, ...originNote(name, run.origin)];
}

/** One line for figures that neither side observed, and one for each that a side observed in part. */
function missingFigures(a: CollectedSide, b: CollectedSide): string[] {
  const judgedOn = ({ totals }: CollectedSide): number => totals.passed + totals.failed;
  const isAbsent = (figure: string, side: CollectedSide): boolean => (side.missing.get(figure) ?? 0) >= judgedOn(side);
  const absent = [...a.missing.keys()].filter((figure) => isAbsent(figure, a) && isAbsent(figure, b));
  const partly = (name: 'A' | 'B', side: CollectedSide): string[] =>
    [...side.missing].flatMap(([figure, count]) => {
      const of = `${count} of ${counted(judgedOn(side), 'judged trial')}`;
      if (absent.includes(figure)) return [];
      return [`${name}: ${figure} was not observed in ${of}; it is compared only where both sides have it.`];
    });
  const nowhere = absent.length === 0 ? [] : [`Not observed on either side: ${absent.join(', ')}.`];
  return [...nowhere, ...partly('A', a), ...partly('B', b)];
}

/** Chance shows any difference to one who looks often enough. */
function lookNotes(name: 'A' | 'B', { run }: CollectedSide): string[] {
  const { runId, looks = [], isExperiment, planned, status } = run;
  if (isExperiment && looks.length > 1) {
    return [
      `${name} was run in ${looks.length} rounds and compared after each; only the answer of the experiment is corrected for that: assay show ${runId}.`,
    ];
  }
  if (isExperiment || looks.length === 0 || status !== 'finished') return [];
  return [
    `${name} was compared with ${looks.join(', ')} of ${counted(planned, 'trial')} and extended after that, so chance decides more often than the intervals say.`,
  ];
}

function originNote(name: 'A' | 'B', origin: RunOrigin | null): string[] {
  if (!origin) return [];
  if (origin.kind === 'edit') return [`${name} tried an edited input; it is not evidence.`];
  if (origin.kind === 'rescore') return [`${name} was not run: it is run ${origin.runId}, evaluated again.`];
  if (origin.kind === 'rule') return [`${name} was not run here: the rule ${origin.rule} judged collected traces.`];
  return [`${name} was not run here: its trials come from ${origin.file}.`];
}

/** Without a gateway between agent and model it is not seen what the model reads. */
function deliveryNotes(a: CollectedSide, b: CollectedSide, compared: PairedSides['compared']): string[] {
  if (!compared.some(({ part }) => part === 'guidance')) return [];
  return [{ name: 'A', side: a } as const, { name: 'B', side: b } as const].flatMap(({ name, side }) => {
    const unknown = side.delivery?.unknown ?? 0;
    if (unknown === 0) return [];
    return [`${name}: whether the guidance reached the model is unknown for ${counted(unknown, 'trial')}.`];
  });
}

function unknownNotes(a: CollectedSide, b: CollectedSide): string[] {
  const unknown = [...(a.run.scenarios ? [] : ['A']), ...(b.run.scenarios ? [] : ['B'])];
  if (unknown.length === 0) return [];
  return [`The scenarios of ${unknown.join(' and ')} were not recorded, so changes to them cannot be detected.`];
}

function sampleNotes(outcome: MetricComparison | undefined): string[] {
  if (!outcome) return [];
  const { units, unitKind, cases, pairs, repeats, meanA, meanB, name } = outcome;
  const notes: string[] = [];
  if (unitKind === 'scenario') {
    notes.push(
      `The ${cases} cases come from ${counted(units, 'scenario')}, and cases of one scenario resemble each other: the scenarios are the sample.`,
    );
  } else if (pairs > cases) {
    notes.push(`The same case under several variants counts as one: ${counted(cases, 'case')}, ${pairs} pairs.`);
  }
  if (repeats.most === 1)
    notes.push(
      'Each case was tried once on each side. Agents vary between runs: use --repeat 5 before drawing conclusions.',
    );
  if (name === 'pass-rate' && meanA === meanB && (meanA === 1 || meanA === 0)) {
    notes.push(
      `Every judged trial ${meanA === 1 ? 'passed' : 'failed'} on both sides: such cases cannot show which side is better.`,
    );
  }
  return notes;
}

function unpairedFigures(pairs: PairedSides['pairs'], metrics: readonly MetricComparison[]): string[] {
  const names = figureNames(pairs, {});
  const has = (side: 'a' | 'b', name: string): boolean =>
    someRow(pairs, (pair) => pair[side]?.figures.has(name) === true);
  const unpaired = names.filter(
    (name) => !metrics.some((metric) => metric.name === name) && has('a', name) !== has('b', name),
  );
  return unpaired.length === 0 ? [] : [`Only one side has ${unpaired.join(', ')}.`];
}

/** Trials are not lost at random. */
function missingNotes(a: CollectedSide, b: CollectedSide, [question]: readonly MetricComparison[]): string[] {
  if (!question) return [];
  const shares = [a, b].map(({ totals }) => totals.unjudged / Math.max(1, totals.trials - totals.cached));
  const [shareA = 0, shareB = 0] = shares;
  if (shareA + shareB === 0) return [];
  const text = (share: number): string => `${Math.round(share * 1_000) / 10} %`;
  return [
    `${text(shareA)} of the trials of A and ${text(shareB)} of B could not be judged: the intervals leave room for all lost trials of a side having passed, or failed.`,
  ];
}

/** From this share of a side on, one trial decides what the mean is. */
const dominantShare = 0.25;
const fewestToDominate = 5;

function dominantNotes(pairs: PairedSides['pairs'], metrics: readonly MetricComparison[]): string[] {
  return metrics.flatMap(({ name, typical, caution }) => {
    if (!typical || caution !== null) return [];
    return (['a', 'b'] as const).flatMap((side) => {
      let [total, largest, count, place] = [0, 0, 0, ''];
      for (const pair of pairs) {
        for (const value of pair[side]?.figures.get(name) ?? []) {
          total += value;
          count++;
          if (value > largest) [largest, place] = [value, `${pair.scenario} › ${pair.caseId}`];
        }
      }
      if (count < fewestToDominate || largest < dominantShare * total) return [];
      const share = Math.round((100 * largest) / total);
      return [
        `One trial of ${place} makes up ${share} % of all ${figureLabel(name)} of ${side.toUpperCase()}: its mean depends on this trial.`,
      ];
    });
  });
}

/** Typical trials can differ where the means do not, or much less. */
function meanNotes(metrics: readonly MetricComparison[]): string[] {
  return metrics.flatMap((metric) => {
    const { name, unit, meanA, meanB, typical } = metric;
    if (!typical || !hasChanged(metric) || Math.log(meanB / meanA) / Math.log(typical.ratio) >= 0.5) return [];
    const means = `${figureText(meanA, unit)} → ${figureText(meanB, unit)}`;
    return [`${name}: typical trials differ more than the means do (${means}): rare large trials make up for it.`];
  });
}

function timeNote(metrics: readonly MetricComparison[]): string[] {
  const names = metrics.filter((metric) => metric.caution !== null && hasChanged(metric)).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    `${names.join(', ')}: the machine or the model may have been busier at one time. Compare variants of one run.`,
  ];
}

function variantsNote(pairsOfVariants: number): string[] {
  if (pairsOfVariants < 2) return [];
  return [
    `The run has ${pairsOfVariants} pairs of variants: intervals and answers are corrected for that, because the best and the worst of many always differ.`,
  ];
}

/**
 * How long something takes depends on when it runs: the machine, the network and the model are busier at one time than at
 * another. Variants of one run take turns; runs do not.
 */
export function timeCaution(a: CollectedSide, b: CollectedSide): (definition: FigureDefinition) => string | null {
  const isOneAfterTheOther = a.run.runId !== b.run.runId;
  return ({ unit }) => (unit === 'ms' && isOneAfterTheOther ? 'run at different times' : null);
}
