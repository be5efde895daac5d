import { capitalized } from '../../shared/format.ts';
import { filteredRows, type Rows } from '../../shared/rows.ts';
import { casesBeyondChance, changedCases } from './changed-cases.ts';
import type { CasePair, CollectedCase, CollectedSide } from './collected-side.ts';
import { compareFigures, type FigureChoice } from './compare-figures.ts';
import {
  type ChangedCase,
  type ComparedSide,
  type Comparison,
  type ComparisonOfRows,
  judgePreference,
  type MetricComparison,
  type SubcommandComparison,
} from './comparison.ts';
import { comparisonDetails } from './comparison-details.ts';
import { comparisonNotes, timeCaution } from './comparison-notes.ts';
import { summaryOf } from './comparison-summary.ts';
import { correctionNotes } from './corrected-pass-rate.ts';
import { meanTrial } from './decision-plan.ts';
import { diagnose } from './diagnosis.ts';
import { isChange } from './figure-words.ts';
import { answeredBy, type PairwiseComparison, type PairwiseCounts } from './judged-pairs.ts';
import { withPreferences } from './judged-preferences.ts';
import { type PairedSides, pairCases } from './pair-cases.ts';
import { collectSide, type SideSource } from './side-collector.ts';
import { sideDifferences } from './side-differences.ts';
import { letters, type SideNames } from './side-names.ts';
import { type SkillTriggering, skillTriggering, triggerFigures } from './skill-triggering.ts';

export interface CompareOptions extends FigureChoice {
  /** Compares sides that are not comparable, and lists why they are not. */
  readonly force?: boolean | undefined;
  /** Preferences of a judge, case by case. */
  readonly judged?: PairwiseCounts | undefined;
  /** Adds what the pictures and lists of a page need. */
  readonly withDetails?: boolean | undefined;
  /** In summary and differences; A and B where it is left out. */
  readonly names?: SideNames | undefined;
}

/** Commands that are listed with a finding. */
const mostCommands = 20;

/** Compares two sets of trials: A is the earlier one, B the new one. */
export async function compareSides(a: SideSource, b: SideSource, options: CompareOptions = {}): Promise<Comparison> {
  const compared = compareCollected(await collectSide(a), await collectSide(b), options);
  return { ...compared, changedCases: [...compared.changedCases] };
}

/** The same for sides whose trials have been read. */
export function compareCollected(a: CollectedSide, b: CollectedSide, options: CompareOptions = {}): ComparisonOfRows {
  const { judged, names = letters } = options;
  const paired = pairedWith(judged, pairCases(a, b));
  const differences = sideDifferences(a, b, paired, names);
  const isDecided = differences.some(({ isDecisive }) => isDecisive);
  const isEdited = differences.some(({ what }) => what === 'input');
  const isForced = isDecided && options.force === true && !isEdited;
  const sides = { a: comparedSide(a), b: comparedSide(b) };
  if (isDecided && !isForced) {
    const decisive = differences.filter(({ isDecisive }) => isDecisive).map(({ message }) => message);
    const summary = `${capitalized(names.a)} and ${names.b} cannot be compared: ${decisive.join('; ')}.`;
    const nothing = { metrics: [], changedCases: [], subcommands: [], diagnosis: [], notes: [] };
    return {
      schema: 'assay.compare/1',
      answer: 'not-comparable',
      answerOnTheseTasks: null,
      summary,
      isForced,
      ...sides,
      differences,
      ...nothing,
    };
  }
  const figures = compareFigures(paired.pairs, options, meanTrial([a.totals, b.totals]), timeCaution(a, b));
  // After the figures: what each of them needs is gone by then.
  const changed = changedCases(paired.pairs);
  const metrics = figures.map((metric, index) => (index === 0 ? decidedByCases(metric, changed) : metric));
  return {
    schema: 'assay.compare/1',
    answer: metrics[0]?.answer ?? 'nothing-to-compare',
    answerOnTheseTasks: metrics[0]?.onTheseTasks.answer ?? null,
    summary: summaryOf(metrics, changed, paired.pairs, names),
    isForced,
    ...sides,
    differences,
    metrics,
    ...triggeringOf(paired.pairs),
    changedCases: changed,
    ...(options.withDetails && { details: comparisonDetails(paired.pairs, metrics) }),
    subcommands: comparedSubcommands(a, b),
    ...(judged && { judged: judgedBy(metrics, judged, paired, options) }),
    diagnosis: [
      { side: 'a', findings: findingsOf(a, b) },
      { side: 'b', findings: findingsOf(b, a) },
    ],
    notes: [...correctionNotes(metrics), ...comparisonNotes(a, b, paired, metrics, options.pairsOfVariants ?? 1)],
  };
}

function pairedWith(judged: PairwiseCounts | undefined, paired: PairedSides): PairedSides {
  return judged ? { ...paired, pairs: withPreferences(paired.pairs, judged.pairs) } : paired;
}

/** Where the preferences are not among the figures that were named, they are compared alone. */
function judgedBy(
  metrics: readonly MetricComparison[],
  judged: PairwiseCounts,
  { pairs }: PairedSides,
  options: CompareOptions,
): PairwiseComparison {
  const isPreference = ({ name }: MetricComparison): boolean => name === judgePreference;
  const alone = (): MetricComparison[] => compareFigures(pairs, { ...options, only: [judgePreference] }, null);
  return answeredBy(metrics.find(isPreference) ?? alone()[0], judged);
}

/** Of the cases that both sides have, so the two are about the same prompts. */
function triggeringOf(pairs: Rows<CasePair>): Pick<Comparison, 'triggering'> {
  const isTried = (one: CollectedCase): boolean => Object.values(triggerFigures).some((name) => one.figures.has(name));
  const both = [...filteredRows(pairs, ({ a, b }) => Boolean(a && b && (isTried(a) || isTried(b))))];
  const side = (name: 'a' | 'b'): SkillTriggering | undefined =>
    skillTriggering(
      both.map((pair) => ({
        caseKey: JSON.stringify([pair.scenario, pair.caseId, pair.variant]),
        recall: pair[name]?.figures.get(triggerFigures.recall) ?? [],
        falseTriggers: pair[name]?.figures.get(triggerFigures.falseTriggers) ?? [],
      })),
    );
  const [a, b] = [side('a'), side('b')];
  return a && b ? { triggering: { a, b } } : {};
}

/** The mean can hide that cases broke, or were fixed; where both happened, neither answer is right. */
function decidedByCases(metric: MetricComparison, changed: Rows<ChangedCase>): MetricComparison {
  const { name, onTheseTasks } = metric;
  if (name !== 'pass-rate' || isChange(onTheseTasks.answer)) return metric;
  const [broke, fixed] = [casesBeyondChance(changed, 'broke').length, casesBeyondChance(changed, 'fixed').length];
  if (broke > 0 === fixed > 0) return metric;
  const [answer, change] = broke > 0 ? (['worse', 'broke'] as const) : (['better', 'fixed'] as const);
  return { ...metric, onTheseTasks: { ...onTheseTasks, answer, decidedBy: { change, count: broke + fixed } } };
}

function comparedSide({ label, run, totals, absent }: CollectedSide): ComparedSide {
  const { trials, unjudged, costUsd } = totals;
  const lacking = absent === undefined ? {} : { absent };
  return { label, runId: run.runId, startedAt: run.startedAt, trials, unjudged, ...lacking, costUsd };
}

/** Most called first; empty where a side recorded no subcommands. */
function comparedSubcommands(a: CollectedSide, b: CollectedSide): SubcommandComparison[] {
  if (a.subcommands.size === 0 || b.subcommands.size === 0) return [];
  const nothing = { calls: 0, errors: 0, help: 0 };
  const names = [...new Set([...a.subcommands.keys(), ...b.subcommands.keys()])].sort();
  const rows = names.map((subcommand) => {
    const [before, after] = [a.subcommands.get(subcommand) ?? nothing, b.subcommands.get(subcommand) ?? nothing];
    return {
      subcommand,
      callsA: before.calls,
      callsB: after.calls,
      errorsA: before.errors,
      errorsB: after.errors,
      helpA: before.help,
      helpB: after.help,
    };
  });
  return rows.sort((first, second) => second.callsA + second.callsB - first.callsA - first.callsB);
}

function findingsOf({ diagnosed }: CollectedSide, other: CollectedSide): Comparison['diagnosis'][number]['findings'] {
  const findings = diagnose(diagnosed, { others: other.diagnosed });
  return findings.map((finding) => ({ ...finding, commands: finding.commands.slice(0, mostCommands) }));
}
