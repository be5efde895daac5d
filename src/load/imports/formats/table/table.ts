import { readUsage } from '../../../../domain/usage.ts';
import { canonicalJson } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import { ChatTraceBuilder } from '../../chat-trace.ts';
import { amountOf, figureOf, knownParts, msOfSeconds, nameOf, timeOf } from '../../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../../import-format.ts';
import type { ImportSource } from '../../import-source.ts';
import type { RecordedVerdict } from '../../score-verdict.ts';
import { TraceCollector } from '../../trace-collector.ts';
import { type ColumnRole, type Columns, columnsText, guessColumns, isCertain } from './columns.ts';
import { columnNamesOf, isCsv, type TableRow, tableRows } from './table-rows.ts';

/** Results of any program as a table: a row is a trial. */
export const table: ImportFormat = {
  name: 'table',
  summary: 'a table of results (CSV, JSON Lines, JSON list) whose columns are guessed or given by --columns',
  reports: [],
  recognises: (sample) => isTable(guessColumns(columnNamesOf(sample))),
  lacks: (sample) => {
    const columns = guessColumns(columnNamesOf(sample));
    if (!isCsv(sample) && columns.outcome === undefined && columns.score === undefined) return undefined;
    return neededColumns;
  },
  async *read(source) {
    const columns = await columnsOf(source);
    if (!columns) return;
    for await (const row of tableRows(source)) {
      const trial = trialOf(row, columns, source);
      if (trial) yield trial;
    }
  },
};

const neededColumns =
  'a column of outcomes or scores, and one of cases or scenarios (`--columns case=…,outcome=…` names them)';

function isTable(columns: Columns): boolean {
  const isNamed = columns.case !== undefined || columns.scenario !== undefined;
  return isNamed && (columns.outcome !== undefined || columns.score !== undefined);
}

/** The columns to read by; undefined where they are wrong or were not confirmed. */
async function columnsOf(source: ImportSource): Promise<Columns | undefined> {
  const { names, numbers, firstLine } = await lookOver(source);
  if (names.size === 0) return undefined;
  const given = source.options.columns;
  const columns = given === undefined || given === 'guessed' ? guessColumns([...names]) : given;
  if (columns !== given && !isTable(columns)) {
    source.problem(1, `the table needs ${neededColumns}`);
    return undefined;
  }
  const missing = Object.entries(columns).find(([, column]) => !names.has(column));
  if (missing) {
    source.problem(
      firstLine,
      `there is no column "${missing[1]}" for ${missing[0]}`,
      suggestion(missing[1], [...names]),
    );
    return undefined;
  }
  const { outcome, ...others } = columns;
  const unclear = outcome === undefined ? undefined : numbers.get(outcome);
  if (outcome !== undefined && unclear !== undefined) {
    const hint = `Read them as scores: \`--columns "${columnsText({ ...others, score: outcome })}" --pass-at <score>\`.`;
    source.problem(firstLine, `column "${outcome}" has numbers other than 0 and 1, such as ${unclear}`, hint);
    return undefined;
  }
  if (given === undefined && !isCertain(columns)) {
    const hint = `Use \`--columns guessed\` to confirm them, or change them: \`--columns "${columnsText(columns)}"\`.`;
    source.problem(
      firstLine,
      `a table whose columns were guessed: ${columnsText(columns)}${unusedText(names, columns)}`,
      hint,
    );
    return undefined;
  }
  if (given === 'guessed') source.warning(firstLine, `read with ${columnsText(columns)}${unusedText(names, columns)}`);
  return columns;
}

function unusedText(names: ReadonlySet<string>, columns: Columns): string {
  const used = new Set(Object.values(columns));
  const unused = [...names].filter((name) => !used.has(name));
  return unused.length === 0 ? '' : ` (not used: ${unused.slice(0, 12).join(', ')})`;
}

interface Overview {
  readonly names: ReadonlySet<string>;
  /** A number other than 0 and 1 in each column that has some. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly firstLine: number;
}

async function lookOver(source: ImportSource): Promise<Overview> {
  const names = new Set<string>();
  const numbers = new Map<string, number>();
  let firstLine: number | undefined;
  for await (const { cells, line } of tableRows(source.silent())) {
    firstLine ??= line;
    for (const [name, cell] of Object.entries(cells)) {
      names.add(name);
      const figure = figureOf(cell);
      if (figure !== undefined && figure !== 0 && figure !== 1) numbers.set(name, figure);
    }
  }
  return { names, numbers, firstLine: firstLine ?? 1 };
}

function trialOf({ cells, line }: TableRow, columns: Columns, source: ImportSource): ImportedTrial | undefined {
  const cell = (role: ColumnRole): unknown => (columns[role] === undefined ? undefined : cells[columns[role]]);
  const verdict = verdictOf(cell, source);
  if (verdict === 'unclear') {
    source.problem(
      line,
      `the outcome ${JSON.stringify(cell('outcome'))} is not pass, fail, error, skipped, true or false`,
    );
    return undefined;
  }
  const agent = nameOf(cell('agent')) ?? nameOf(cell('variant'));
  const guidance = columns.agent === undefined ? undefined : nameOf(cell('variant'));
  const model = nameOf(cell('model'));
  const repeat = amountOf(cell('repeat'));
  const score = figureOf(cell('score'));
  const scenario = nameOf(cell('scenario'));
  return {
    line,
    id:
      repeat === undefined
        ? undefined
        : canonicalJson([source.file, scenario, cell('case'), agent, model, guidance, repeat]),
    scenario,
    caseId: nameOf(cell('case')) ?? (scenario === undefined ? `row-${line}` : 'task'),
    repeat: repeat !== undefined && Number.isInteger(repeat) && repeat >= 1 ? repeat : undefined,
    variant: knownParts({ agent, model, guidance }),
    trace: traceOf(cell, source.placeOf(line)),
    verdict,
    startedAt: timeOf(cell('started')),
    durationMs: amountOf(cell('duration-ms')) ?? msOfSeconds(cell('seconds')),
    costUsd: amountOf(cell('cost')),
    metrics: knownParts({ score }),
  };
}

function traceOf(cell: (role: ColumnRole) => unknown, place: string): ImportedTrial['trace'] {
  const collector = new TraceCollector();
  const builder = new ChatTraceBuilder(collector);
  const [input, output] = [nameOf(cell('input')), nameOf(cell('output'))];
  if (input !== undefined) builder.add({ role: 'user', content: input });
  if (output !== undefined) builder.add({ role: 'assistant', content: output });
  const tokens = { inputTokens: tokensOf(cell('input-tokens')), outputTokens: tokensOf(cell('output-tokens')) };
  builder.addTotal({ usage: readUsage(tokens), costUsd: cell('cost') }, place);
  builder.finish();
  return collector.finish();
}

/** Cells are texts; one that is empty is not known. */
function tokensOf(written: unknown): unknown {
  return written === '' ? undefined : (figureOf(written) ?? written);
}

const states: readonly (readonly [RecordedVerdict['state'], RegExp])[] = [
  ['pass', /^(?:pass|passed|true|yes|y|1|1\.0|success|succeeded|successful|correct|resolved|ok)$/i],
  ['fail', /^(?:fail|failed|failure|false|no|n|0|0\.0|incorrect|wrong|unresolved)$/i],
  ['error', /^(?:error|errored|crash|crashed|exception|could not be judged)$/i],
  ['skipped', /^(?:skip|skipped|n\/a|na|none|null|pending|-)?$/i],
];

/** The outcome of a row, or of its score where the user says which scores pass. */
function verdictOf(
  cell: (role: ColumnRole) => unknown,
  { options: { passAt } }: ImportSource,
): RecordedVerdict | 'unclear' | undefined {
  const why = nameOf(cell('reason'));
  const scored = scoredVerdict(cell('score'), why, passAt);
  const written = cell('outcome');
  const error = nameOf(cell('error'));
  const isBroken = error !== undefined && !noError.test(error.trim());
  if (written === undefined) return isBroken && scored?.state !== 'fail' ? broken(error) : scored;
  const text = String(written ?? '').trim();
  const [state] = states.find(([, words]) => words.test(text)) ?? [];
  if (state === undefined) return 'unclear';
  if (isBroken && state === 'pass') return broken(`the row says both ${text} and an error: ${error}`);
  if (isBroken && state === 'skipped') return broken(error);
  if (state === 'pass' && scored?.state === 'error') return scored;
  if (state === 'pass' && scored?.state === 'fail') {
    return broken(`the row says both ${text} and a score of ${scored.value}, which is below ${passAt}`);
  }
  const reason =
    why ?? (isBroken ? error : text === '' ? 'the table has no outcome' : `outcome "${text}" in the table`);
  const score = figureOf(cell('score'));
  return { state, reason, ...(score !== undefined && { value: score }) };
}

const noError = /^(?:-|0|no|none|null|nil|false|n\/a|na|nan)?$/i;

function broken(reason: string): RecordedVerdict {
  return { state: 'error', reason };
}

/** The verdict of a score; undefined where the table has none, or where the user does not say which of them pass. */
function scoredVerdict(
  written: unknown,
  why: string | undefined,
  passAt: number | undefined,
): RecordedVerdict | undefined {
  if (written === undefined || passAt === undefined) return undefined;
  const score = figureOf(written);
  if (score !== undefined)
    return { state: score >= passAt ? 'pass' : 'fail', reason: why ?? `score ${score}`, value: score };
  const isEmpty = written === null || written === '';
  return broken(isEmpty ? 'the row has no score' : `the score ${JSON.stringify(written)} is not a number`);
}
