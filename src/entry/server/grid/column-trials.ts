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
  readonly metric?: readonly [name: string, column: Float64Array];
  readonly evaluator?: readonly [name: string, column: EvaluatorColumn];
  readonly metadata?: readonly [name: string, column: MetadataColumn];
}

/** Undefined where one of them is lost. */
async function readParts(kept: KeptResults, columns: CaseColumns, wanted: WantedColumns): Promise<Parts | undefined> {
  const name = wanted.sort.slice(2);
  const key = (/^([^=]*)/.exec(wanted.where ?? '')?.[0] ?? '').trim();
  const parts: { [Part in keyof Parts]: Parts[Part] } = {};
  for (const [part, named, names] of [
    ['metric', wanted.sort.startsWith('m:') ? name : undefined, columns.metrics],
    ['evaluator', wanted.sort.startsWith('e:') ? name : undefined, columns.evaluators],
    ['metadata', wanted.where === undefined ? undefined : key, columns.metadata],
  ] as const) {
    const number = named === undefined ? -1 : names.indexOf(named);
    if (number < 0) continue;
    const column = await kept.read(`${part} ${number}`);
    if (column === undefined) return undefined;
    Object.assign(parts, { [part]: [named, column] });
  }
  return parts;
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

const none = { verdicts: [], metrics: {} } as const;

function trialAt(columns: CaseColumns, parts: Parts, place: number, fields: TextFields | undefined): ColumnTrial {
  const [caseId = '', reason = '', trialId = '', ...texts] = fields ?? [];
  const { metadata } = parts;
  const value = metadata?.[1].values[metadata[1].of[place] ?? -1];
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
    excerpt: hasExcerpt
      ? {
          ...(fields && { input, expected, expectedBehavior, answer }),
          ...(metadata && value !== undefined && { metadata: { [metadata[0]]: value } }),
        }
      : undefined,
    ...(parts.metric || parts.evaluator ? figuresAt(parts, place) : none),
  };
}

function figuresAt({ metric, evaluator }: Parts, place: number): Omit<GridTrial, 'trialId'> {
  const passes = evaluator?.[1].pass[place] ?? 0;
  const fails = evaluator?.[1].fail[place] ?? 0;
  const name = evaluator?.[0] ?? '';
  return {
    metrics: metric ? { [metric[0]]: numberOrNull(metric[1][place]) } : {},
    verdicts: [
      ...Array.from({ length: passes }, () => [name, 'pass'] as const),
      ...Array.from({ length: fails }, () => [name, 'fail'] as const),
    ],
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
