import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CaseColumns } from '../../../compose/summaries/case-columns.ts';
import { KeptResults } from '../../../compose/summaries/kept-results.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Variant } from '../../../domain/variant.ts';
import type { Store } from '../../../keep/store/store.ts';
import { readFigureCondition } from '../../../report/compare/grid/figure-condition.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { ColumnTexts, type TextBlock } from './column-texts.ts';
import { ColumnTrial, type ReadColumns } from './column-trial.ts';

/** Which columns are read beside those that every trial has. */
interface WantedColumns {
  /** `e:` and an evaluator, or `m:` and a metric. */
  readonly sort: string;
  /** A condition on one of these. */
  readonly figure?: string | undefined;
  /** Metadata as `name=value`. */
  readonly where?: string | undefined;
  readonly text?: string | undefined;
  /** Whether the text is a pattern. */
  readonly regex?: boolean | undefined;
}

/** The trials of some cases. */
export type Cases<Trial> = readonly (readonly Trial[])[];

/** Cases that are read from the store. */
export async function* oneByOne<Trial>(source: AsyncIterable<readonly Trial[]>): AsyncGenerator<Cases<Trial>, void> {
  for await (const trials of source) yield [trials];
}

/**
 * The trials of the cases of a run as its columns have them, some cases at a time; undefined where none are kept. Cases without
 * the text that is wanted may be missing.
 */
export async function columnCases(
  store: Store,
  run: RunHeader,
  wanted: WantedColumns,
): Promise<AsyncIterable<Cases<ColumnTrial>> | undefined> {
  const kept = await KeptResults.of([run], store);
  const all = await kept?.read<CaseColumns>('columns');
  const columns = kept && all && (await readParts(kept, all, wanted));
  if (!columns) return undefined;
  const texts = wanted.text ? new ColumnTexts(run, store, columns.all) : undefined;
  return casesOf(columns, texts, wanted.regex ? undefined : wanted.text?.toLowerCase());
}

/** Undefined where one of them is lost. */
async function readParts(
  kept: KeptResults,
  columns: CaseColumns,
  wanted: WantedColumns,
): Promise<ReadColumns | undefined> {
  const parts: ReadColumns = { all: columns, metrics: new Map(), evaluators: new Map(), metadata: new Map() };
  const condition = wanted.figure === undefined ? undefined : readFigureCondition(wanted.figure);
  for (const figure of new Set([wanted.sort, condition?.by ?? ''])) {
    const name = figure.slice(2);
    if (figure.startsWith('m:') && !(await readPart(kept, 'metric', name, columns.metrics, parts.metrics)))
      return undefined;
    if (figure.startsWith('e:') && !(await readPart(kept, 'evaluator', name, columns.evaluators, parts.evaluators)))
      return undefined;
  }
  const key = (/^([^=]*)/.exec(wanted.where ?? '')?.[0] ?? '').trim();
  const isFound =
    wanted.where === undefined || (await readPart(kept, 'metadata', key, columns.metadata, parts.metadata));
  return isFound ? parts : undefined;
}

/** Reads a column that is kept apart; false where the run has it and it is lost. */
async function readPart<Column>(
  kept: KeptResults,
  part: string,
  name: string,
  names: readonly string[],
  read: Map<string, Column>,
): Promise<boolean> {
  const number = names.indexOf(name);
  if (number < 0) return true;
  const column = await kept.read<Column>(`${part} ${number}`);
  if (column === undefined) return false;
  read.set(name, column);
  return true;
}

/** Other requests are answered between so many cases. */
const casesAtOnce = 2_000;

async function* casesOf(
  columns: ReadColumns,
  texts: ColumnTexts | undefined,
  lower: string | undefined,
): AsyncGenerator<Cases<ColumnTrial>, void> {
  const isNamed = lower === undefined ? undefined : namesWith(columns.all, lower);
  let place = 0;
  let cases: ColumnTrial[][] = [];
  let block: TextBlock | undefined;
  for (const [index, end] of columns.all.ends.entries()) {
    const trials: ColumnTrial[] = [];
    let isWanted = lower === undefined;
    for (; place < end; place++) {
      if (texts) block = block?.has(place) ? block : await texts.blockOf(place);
      isWanted ||= block?.mayHold(lower ?? '', place) === true || isNamed?.(place) === true;
      trials.push(new ColumnTrial(columns, place, block));
    }
    if (isWanted) cases.push(trials);
    if ((index + 1) % casesAtOnce !== 0) continue;
    yield cases;
    cases = [];
    await nextTurn();
  }
  yield cases;
}

/** Whether a trial may be found by a text outside its own texts: that of its scenario or variant, or one that is in its trace only. */
function namesWith({ scenarioNames, scenarios, variantNames, variants, excerpts }: CaseColumns, lower: string) {
  const hasIt = (text: string | undefined): boolean => text?.toLowerCase().includes(lower) === true;
  const [inScenario, inVariant] = [
    scenarioNames.map(hasIt),
    variantNames.map((variant) => Object.values(variant).some(hasIt)),
  ];
  return (place: number): boolean =>
    inScenario[scenarios[place] ?? 0] === true || inVariant[variants[place] ?? 0] === true || excerpts[place] !== 1;
}

/** Variants as texts: the trials of columns share the few that there are. */
export function variantKeys(): (variant: Variant) => string {
  const keys = new WeakMap<Variant, string>();
  return (variant) => {
    const key = keys.get(variant) ?? canonicalJson(variant);
    keys.set(variant, key);
    return key;
  };
}
