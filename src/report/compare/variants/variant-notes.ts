import { counted } from '../../../shared/format.ts';
import { filteredRows } from '../../../shared/rows.ts';
import { fewestInformative } from '../../../shared/stats/sign-test.ts';
import type { CollectedSide } from '../collected-side.ts';
import { frontFigures } from './pareto-front.ts';
import type { VariantRow } from './variant-table.ts';
import { frontNames } from './variant-words.ts';

interface NoteParts {
  readonly sides: readonly CollectedSide[];
  readonly variants: readonly VariantRow[];
  readonly question: string;
  /** The word for what is compared. */
  readonly noun: 'run' | 'variant';
  /** Why amounts are not in the table. */
  readonly unspent: readonly string[];
  readonly isExperiment: boolean;
}

/** Limits of a table of variants, as sentences for its reader. */
export function variantNotes({ sides, variants, question, noun, unspent, isExperiment }: NoteParts): string[] {
  return [
    ...runNotes(sides),
    ...refusalNotes(variants),
    ...caseNotes(sides, noun),
    ...fewNotes(variants, question, noun),
    ...perSuccessNotes(variants, unspent),
    ...frontNotes(variants),
    ...methodNotes(variants.length, noun, isExperiment),
  ];
}

function runNotes(sides: readonly CollectedSide[]): string[] {
  const runs = new Map(sides.map(({ run }) => [run.runId, run]));
  const notes = [...runs.values()].flatMap(({ runId, status, planned }) => {
    const { absent = 0 } = sides.find(({ run }) => run.runId === runId) ?? {};
    if (status === 'finished' && absent === 0) return [];
    const missing = counted(absent, 'trial');
    const name = runs.size === 1 ? 'The run' : `Run ${runId}`;
    return [`${name} is ${status === 'running' ? 'still running' : status}: ${missing} of ${planned} missing.`];
  });
  for (const { label, totals } of sides) {
    if (totals.unjudged > 0) {
      const of = `${totals.unjudged} of ${counted(totals.trials, 'trial')}`;
      notes.push(`${label}: ${of} could not be judged or did not run; they count for neither outcome.`);
    }
    if (totals.cached > 0)
      notes.push(`${label}: ${counted(totals.cached, 'cached trial')}, not counted as new evidence.`);
  }
  return notes;
}

function refusalNotes(variants: readonly VariantRow[]): string[] {
  return variants.flatMap(({ label, notComparable }) =>
    notComparable === null ? [] : [`${label} cannot be compared with the reference: ${notComparable}.`],
  );
}

/** The means of a variant are over its own cases; only differences are over shared ones. */
function caseNotes(sides: readonly CollectedSide[], noun: NoteParts['noun']): string[] {
  const keys = sides.map(
    ({ cases }) =>
      new Set(
        Array.from(
          filteredRows(cases, ({ passed, failed }) => passed + failed > 0),
          ({ scenario, caseId }) => JSON.stringify([scenario, caseId]),
        ),
      ),
  );
  const all = new Set(keys.flatMap((own) => [...own]));
  const shared = [...all].filter((key) => keys.every((own) => own.has(key))).length;
  if (shared === all.size) return [];
  return [
    `Only ${shared} of ${counted(all.size, 'case')} were judged ${within(noun)} every ${noun}. Means are over the own cases of a ${noun}; differences and ranks are over the cases that two ${noun}s share.`,
  ];
}

function fewNotes(variants: readonly VariantRow[], question: string, noun: NoteParts['noun']): string[] {
  const metrics = variants.flatMap(({ differences }) => differences.find(({ name }) => name === question) ?? []);
  if (metrics.length === 0) return [`No case was judged ${within(noun)} the reference and another ${noun}.`];
  const fewest = metrics.reduce((least, metric) => (metric.units < least.units ? metric : least));
  if (fewest.units >= fewestInformative) return [];
  return [
    `Only ${counted(fewest.units, fewest.unitKind)}: nothing can be said about others with fewer than ${fewestInformative} that differ. Ranks hold for these tasks alone.`,
  ];
}

function perSuccessNotes(variants: readonly VariantRow[], unspent: readonly string[]): string[] {
  const left = unspent.length === 0 ? [] : [`Left out per success: ${unspent.join('; ')}.`];
  const has = variants.some(({ perSuccess }) => perSuccess.some(({ value }) => value !== null));
  if (!has) return left;
  return [
    ...left,
    'Per success: the mean over all judged trials, failed ones too, divided by the pass rate; 95 % intervals for cases like these.',
  ];
}

/** Why a variant is not in a picture that others are in. */
function frontNotes(variants: readonly VariantRow[]): string[] {
  return frontFigures.flatMap((figure) => {
    const hasPlace = ({ front }: VariantRow): boolean => front.some(({ against }) => against === figure);
    if (!variants.some(hasPlace)) return [];
    return variants.flatMap((row) => {
      const reason = row.perSuccess.find(({ name }) => name === figure)?.reason;
      if (hasPlace(row) || !reason) return [];
      return [`${row.label} is left out of the Pareto front against ${frontNames[figure]}: ${reason}.`];
    });
  });
}

function within(noun: NoteParts['noun']): string {
  return noun === 'run' ? 'in' : 'under';
}

function methodNotes(count: number, noun: string, isExperiment: boolean): string[] {
  const ranks = `Ranks: each ${noun} is compared with the ${counted(count - 1, 'other')}. A rank range is wrong, and the best ${noun} is missing from those named, in at most 5 % of such comparisons.`;
  if (isExperiment)
    return ['All comparisons allow for every look of the experiment, so intervals are wider than 95 %.', ranks];
  if (count === 2) return [ranks];
  return [
    `Differences to the reference are corrected for ${counted(count - 1, noun)} (Holm), and their intervals with them, so they are wider than 95 %.`,
    ranks,
  ];
}
