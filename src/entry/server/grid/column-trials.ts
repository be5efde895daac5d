import {
  type CaseColumns,
  type EvaluatorColumn,
  type MetadataColumn,
  outcomeNumbers,
  textMarks,
} from '../../../compose/summaries/case-columns.ts';
import { KeptResults } from '../../../compose/summaries/kept-results.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Store } from '../../../keep/store/store.ts';
import { readFigureCondition } from '../../../report/compare/grid/figure-condition.ts';
import type { GridTrial } from '../../../report/compare/grid/grid-figures.ts';
import type { ListedTrial } from '../../../report/compare/grid/listed-trial.ts';

/** A trial of a column with the figures that it may be sorted by. */
export interface ColumnTrial extends ListedTrial, Omit<GridTrial, 'trialId'> {
  readonly startedAt: number;
}

/** The kept columns are damaged; the trials themselves have to be read. */
export class LostColumn extends Error {}

/** Which columns are read beside those that every trial has. */
interface WantedColumns {
  /** `e:` and an evaluator, or `m:` and a metric. */
  readonly sort: string;
  /** A condition on one of these. */
  readonly figure?: string | undefined;
  /** Metadata as `name=value`. */
  readonly where?: string | undefined;
  readonly text?: string | undefined;
}

/** The trials of the cases of a run as its columns have them; undefined where none are kept. */
export async function columnCases(
  store: Store,
  run: RunHeader,
  wanted: WantedColumns,
): Promise<AsyncIterable<readonly ColumnTrial[]> | undefined> {
  const kept = await KeptResults.of([run], store);
  const columns = await kept?.read<CaseColumns>('columns');
  if (!kept || !columns) return undefined;
  const parts = await readParts(kept, columns, wanted);
  return parts && casesOf(columns, parts, wanted.text ? new Texts(run, store, columns) : undefined);
}

interface Parts {
  readonly metrics: Map<string, Float64Array>;
  readonly evaluators: Map<string, EvaluatorColumn>;
  readonly metadata: Map<string, MetadataColumn>;
}

/** Undefined where one of them is lost. */
async function readParts(kept: KeptResults, columns: CaseColumns, wanted: WantedColumns): Promise<Parts | undefined> {
  const parts: Parts = { metrics: new Map(), evaluators: new Map(), metadata: new Map() };
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

async function* casesOf(
  columns: CaseColumns,
  parts: Parts,
  texts: Texts | undefined,
): AsyncGenerator<readonly ColumnTrial[], void> {
  let place = 0;
  for (const end of columns.ends) {
    const trials: ColumnTrial[] = [];
    for (; place < end; place++) {
      const fields = texts ? (texts.at(place) ?? (await texts.readFor(place))) : undefined;
      trials.push(trialAt(columns, parts, place, fields));
    }
    yield trials;
  }
}

function trialAt(columns: CaseColumns, parts: Parts, place: number, fields: TextFields | undefined): ColumnTrial {
  const [caseId = '', reason = '', trialId = '', ...texts] = fields ?? [];
  const hasExcerpt = fields === undefined || texts.length > 0;
  const [input, expected, expectedBehavior, answer] = texts;
  return {
    trialId,
    caseId,
    reason,
    ordinal: columns.ordinals[place] ?? 0,
    scenario: columns.scenarioNames[columns.scenarios[place] ?? 0] ?? '',
    file: '',
    variant: columns.variantNames[columns.variants[place] ?? 0] ?? {},
    repeat: 1,
    outcome: outcomeNumbers[columns.outcomes[place] ?? 0] ?? 'error',
    durationMs: numberOrNull(columns.durations[place]),
    costUsd: numberOrNull(columns.costs[place]),
    startedAt: columns.startedAt[place] ?? 0,
    excerpt: hasExcerpt ? excerptAt(parts, place, fields && { input, expected, expectedBehavior, answer }) : undefined,
    ...figuresAt(parts, place),
  };
}

type Excerpt = NonNullable<ColumnTrial['excerpt']>;

const nothing: Excerpt = {};

/** Most lists need no text and no metadata of a hundred thousand trials. */
function excerptAt({ metadata }: Parts, place: number, texts: Excerpt = nothing): Excerpt {
  if (metadata.size === 0) return texts;
  const found = [...metadata].flatMap(([name, { values, of }]) => {
    const value = values[of[place] ?? -1];
    return value === undefined ? [] : [[name, value]];
  });
  return found.length === 0 ? texts : { ...texts, metadata: Object.fromEntries(found) };
}

const none = { verdicts: [], metrics: {} } as const;

function figuresAt({ metrics, evaluators }: Parts, place: number): Omit<GridTrial, 'trialId'> {
  if (metrics.size + evaluators.size === 0) return none;
  return {
    metrics: Object.fromEntries([...metrics].map(([name, column]) => [name, numberOrNull(column[place])])),
    verdicts: [...evaluators].flatMap(([name, { pass, fail }]) => [
      ...Array.from({ length: pass[place] ?? 0 }, () => [name, 'pass'] as const),
      ...Array.from({ length: fail[place] ?? 0 }, () => [name, 'fail'] as const),
    ]),
  };
}

function numberOrNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** The texts of a trial: case, reason, id, and those of its excerpt, if it has one. */
type TextFields = readonly (string | undefined)[];

/** The texts of the trials of a run, some thousand at a time. */
class Texts {
  readonly #kept: KeptResults;
  #texts: readonly string[] = [];
  #first = 0;
  #read = 0;
  #next: Promise<readonly string[] | undefined>;

  constructor({ runId }: RunHeader, store: Store, { textStamp }: CaseColumns) {
    this.#kept = KeptResults.partsOf(runId, store, textStamp);
    this.#next = this.#readNext();
  }

  at(place: number): TextFields | undefined {
    const { between, absent } = textMarks;
    return this.#texts[place - this.#first]?.split(between).map((text) => (text === absent ? undefined : text));
  }

  /** Places are read in their order. */
  async readFor(place: number): Promise<TextFields> {
    this.#first += this.#texts.length;
    this.#texts = (await this.#next) ?? [];
    // The following ones are unpacked while these are searched.
    this.#next = this.#readNext();
    const found = this.at(place);
    if (found) return found;
    throw new LostColumn('A text of the columns of a run is lost.');
  }

  #readNext(): Promise<readonly string[] | undefined> {
    return this.#kept.read<readonly string[]>(`texts ${this.#read++}`);
  }
}
