import { parse } from 'csv-parse/sync';
import type { MarkCounts } from '../../domain/marks.ts';
import type { Variant } from '../../domain/variant.ts';
import { variantLabel } from '../../domain/variant-text.ts';
import { percentText } from '../../report/presentation/figures.ts';
import type { ReportDocument } from '../../report/reporters/html/report-document.ts';

/** A figure as a report gives it: exact, or as people read it; undefined where the report does not give it. */
export type ReportedFigures = Readonly<Record<string, string | number | null | undefined>>;

interface PassOfK {
  readonly k: number;
  readonly value: number;
  readonly interval: { readonly low: number; readonly high: number };
}

interface UnsteadyCase {
  readonly passed: number;
  readonly judged: number;
  readonly interval: { readonly low: number; readonly high: number };
  readonly flakiness: number;
}

/** The parts of the run document and of the API that hold figures. */
export interface FigureDocument {
  readonly totals: Readonly<Record<'planned' | 'pass' | 'fail' | 'error' | 'skipped' | 'notRun', number>>;
  readonly notJudged: number;
  readonly marks: MarkCounts;
  readonly costUsd: number | null;
  readonly cost: { readonly knownUsd: number; readonly unknownTrials: number };
  readonly passRate: {
    readonly rate: number | null;
    readonly interval: { readonly low: number; readonly high: number } | null;
    readonly trials: number;
    readonly passed: number;
  };
  readonly cases: { readonly judged: number; readonly passed: number };
  readonly durationMs: number | null;
  readonly tokens: object;
  readonly resilience?: readonly object[] | null;
  readonly repeats?: {
    readonly cases: number;
    readonly flaky: number;
    /** In the run document. */
    readonly flakyCases?: readonly UnsteadyCase[];
    /** In the API and the HTML report, with the cases that never passed. */
    readonly unsteady?: readonly UnsteadyCase[];
    readonly passOfK: readonly {
      readonly variant: Variant;
      readonly passAtK: PassOfK[];
      readonly passHatK: PassOfK[];
    }[];
  } | null;
}

/** All that a run document, the API and an HTML report say in figures, in one form. */
export function everyFigure(document: FigureDocument): object {
  const { totals, notJudged, marks, costUsd, cost, passRate, cases, durationMs, tokens, repeats } = document;
  return {
    ...{ totals, notJudged, marks, costUsd, cost, passRate, cases, durationMs, tokens },
    resilience: document.resilience ?? null,
    repeats: repeats
      ? { cases: repeats.cases, flaky: repeats.flaky, passOfK: repeats.passOfK, flakyCases: flakyCasesOf(repeats) }
      : null,
  };
}

function flakyCasesOf({ flakyCases, unsteady = [] }: NonNullable<FigureDocument['repeats']>): readonly UnsteadyCase[] {
  return flakyCases ?? unsteady.filter(({ flakiness }) => flakiness > 0);
}

/** Every figure of a document under a flat name. */
export function documentFigures(document: FigureDocument): ReportedFigures {
  const { totals, passRate, cases, cost, repeats } = document;
  return {
    planned: totals.planned,
    passed: totals.pass,
    failed: totals.fail,
    errors: totals.error,
    skipped: totals.skipped,
    not_run: totals.notRun,
    not_judged: document.notJudged,
    reused: 0,
    ...document.marks,
    cost_usd: document.costUsd ?? undefined,
    known_cost_usd: cost.knownUsd,
    trials_without_cost: cost.unknownTrials,
    pass_rate: passRate.rate ?? undefined,
    'pass_rate.low': passRate.interval?.low,
    'pass_rate.high': passRate.interval?.high,
    judged_trials: passRate.trials,
    'judged_trials.passed': passRate.passed,
    cases: cases.judged,
    'cases.passed': cases.passed,
    flaky_cases: repeats?.flaky,
    ...Object.fromEntries(
      (repeats?.passOfK ?? []).flatMap(({ variant, passAtK, passHatK }, _, { length }) => {
        const of = length > 1 ? `${variantLabel(variant)}: ` : '';
        const chances = passAtK.flatMap((one) => chanceOf(`${of}pass@`, one));
        return [...chances, ...passHatK.flatMap((one) => chanceOf(`${of}pass^`, one))];
      }),
    ),
  };
}

function chanceOf(name: string, { k, value, interval }: PassOfK): [string, number][] {
  return [
    [`${name}${k}`, value],
    [`${name}${k}.low`, interval.low],
    [`${name}${k}.high`, interval.high],
  ];
}

/** The run's properties in JUnit XML. */
export function junitFigures(xml: string): ReportedFigures {
  const found = xml.matchAll(/<property name="run\.([^"]+)" value="([^"]*)"\/>/g);
  return Object.fromEntries([...found].map(([, name = '', value]) => [name, Number(value)]));
}

/** The run's columns in a CSV table, which are the same in each row. */
export function csvFigures(text: string): ReportedFigures {
  const rows: Record<string, string>[] = parse(text, { columns: true });
  const found = rows.map((row) =>
    JSON.stringify(Object.entries(row).flatMap(([name, value]) => (name.startsWith('run.') ? [[name, value]] : []))),
  );
  if (new Set(found).size > 1) throw new Error('Rows of one run differ in the figures of the run.');
  const columns: [string, string][] = JSON.parse(found[0] ?? '[]');
  return Object.fromEntries(columns.map(([name, value]) => [name.slice('run.'.length), Number(value)]));
}

/** The run, its figures and what it is compared with, as an HTML report holds them. */
export function reportDocumentIn(html: string): ReportDocument {
  const json = /<script type="application\/json" class="data-report" data-side="">(.*?)<\/script>/s.exec(html)?.[1];
  return JSON.parse(json ?? '{}');
}

/**
 * The figures in words, as people read them: each must be found in the text. Texts leave out the counts behind the rate where
 * the totals beside it say the same; pages show them all.
 */
export function wordsOf(document: FigureDocument, surface: 'text' | 'page'): string[] {
  const { passRate, cases, repeats, totals } = document;
  const { rate, interval, trials, passed } = passRate;
  if (rate === null || !interval) return [];
  const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  const share = (value: number) => percentText(value);
  const question = cases.judged === 1 ? 'on this task' : 'for tasks like these';
  const chances = [
    ...(repeats?.passOfK ?? [])
      .flatMap(({ passAtK, passHatK }) => [...passAtK, ...passHatK])
      .map(({ value, interval: range }) => chanceText(value, range)),
  ];
  const flaky = repeats ? flakyCasesOf(repeats) : [];
  const isRepeated = surface === 'page' || trials > cases.judged;
  const isPart = isRepeated || trials < totals.planned;
  return [
    ...flaky.map((one) => `${one.passed}/${one.judged} ${rangeOf(one.interval)}`),
    `${share(rate)} (95 % interval ${rangeOf(interval)}, ${question}) over ${plural(cases.judged, 'case')}`,
    ...(isPart ? [`${passed} of ${plural(trials, 'judged trial')} passed`] : []),
    ...(isRepeated ? [`${cases.passed} of ${plural(cases.judged, 'case')} passed in every judged trial`] : []),
    ...chances,
  ];
}

function chanceText(value: number, range: { readonly low: number; readonly high: number }): string {
  const tenths = Math.round(value * 1000);
  const isEnd = tenths === 0 || tenths === 1000;
  return `${isEnd ? percentText(value) : `${tenths / 10} %`} (${rangeOf(range)})`;
}

function rangeOf({ low, high }: { readonly low: number; readonly high: number }): string {
  const [from, to] = [percentText(low), percentText(high)];
  return from !== to || low === high
    ? `${from} to ${to}`
    : `${(low * 100).toFixed(1)} % to ${(high * 100).toFixed(1)} %`;
}
