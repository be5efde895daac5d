import { crc32 } from 'node:zlib';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import * as z from 'zod';
import { wholeTrialCost } from '../../../domain/costs.ts';
import { AssayError } from '../../../domain/errors.ts';
import { type Mark, marksOf } from '../../../domain/marks.ts';
import { markSchema } from '../../../domain/marks-schema.ts';
import { type Outcome, outcomeSchema } from '../../../domain/outcome.ts';
import type { TrialFindings, TrialRecord } from '../../../domain/record.ts';
import { trialFindingsSchema } from '../../../domain/record.ts';
import { usageSchema } from '../../../domain/usage.ts';
import type { Variant } from '../../../domain/variant.ts';
import { variantSchema } from '../../../domain/variant.ts';
import type { TrialRow } from '../store.ts';
import { castsOf } from './columns.ts';
import { type Tables, tables } from './tables.ts';

type SelectedTrial = Selectable<Tables['trials']>;

/** How trials are counted whose outcome another attempt takes the place of: their cost counts, their outcome does not. */
export const retried = 'retried';

/** Whether a trial ended so. The index of outcomes holds no passes, and is used where the condition says that too. */
export function hasOutcome(outcomes: readonly Outcome[]): RawBuilder<boolean> {
  const isOneOf = sql<boolean>`outcome in (${sql.join(outcomes)})`;
  return outcomes.includes('pass') ? isOneOf : sql<boolean>`(${isOneOf} and outcome <> 'pass')`;
}

/** Where the documents of a trial lie. */
interface Slots {
  readonly findingsPack: number;
  readonly tracePack: number;
  readonly slot: number;
}

/** The columns of a trial in the order of their values, with their types; the checksum covers all before it. */
export const trialColumns = castsOf(tables.trials.columns);

const checkedColumns = (Object.keys(trialColumns) as (keyof SelectedTrial)[]).slice(0, -1);

/** A record as the values of its row; what is too large for a row goes into packs. */
export function rowValues(record: TrialRecord, slots: Slots): unknown[] {
  const values: unknown[] = [
    record.trialId,
    record.runId,
    record.ordinal,
    storable(record.scenario),
    storable(record.file),
    storable(record.caseId),
    JSON.stringify(record.variant),
    record.repeat,
    record.outcome,
    storable(record.reason),
    record.fault?.code ?? null,
    marksText(record) || null,
    record.startedAt,
    record.durationMs,
    record.costUsd,
    record.usage?.inputTokens ?? null,
    record.usage?.outputTokens ?? null,
    slots.findingsPack,
    slots.tracePack,
    slots.slot,
  ];
  values.push(crc32(JSON.stringify(values)));
  return values;
}

/** The marks of a trial as a column holds them. */
export function marksText(record: TrialRecord): string {
  return marksOf(record).join(' ');
}

/** The marks of a column. */
export function marksIn(text: string): readonly Mark[] {
  return text === '' ? noMarks : z.array(markSchema).parse(text.split(' '));
}

const noMarks: readonly Mark[] = [];

/** Databases keep text that is well formed and has no NUL; models and tools say other things too. */
export function storable(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\u2400') : text).toWellFormed();
}

/** The part of a record that is kept in a pack. Fields that are undefined are not written. */
export function findingsLine(record: TrialRecord): string {
  const { usage, targetUsage, judge, costs } = record;
  const findings: Record<keyof TrialFindings | 'usage', unknown> = {
    usage: hasColumns(usage) ? undefined : usage,
    evaluatorResults: record.evaluatorResults,
    metrics: record.metrics,
    criteria: record.criteria,
    judge,
    fault: record.fault,
    toolHealth: unlessEmpty(record.toolHealth),
    workflow: unlessEmpty(record.workflow),
    workflowScore: record.workflow.length > 0 ? record.workflowScore : undefined,
    toolPins: record.toolPins ?? undefined,
    interaction: record.interaction ?? undefined,
    gates: unlessEmpty(record.gates),
    scripts: unlessEmpty(record.scripts),
    turns: unlessEmpty(record.turns),
    compositeScore: record.compositeScore ?? undefined,
    artifacts: record.artifacts ?? undefined,
    toolError: record.toolError ?? undefined,
    costs: costs && wholeTrialCost(costs) !== 0 ? costs : undefined,
    targetUsage: targetUsage !== undefined && isPartOf(usage, targetUsage, judge) ? targetUsage : undefined,
    judgeUsage: record.judgeUsage,
    cachedFrom: record.cachedFrom ?? undefined,
    hasReusedVerdict: record.hasReusedVerdict,
    isReplayed: record.isReplayed,
    hasSimulatedUser: record.hasSimulatedUser,
    approvals: record.approvals,
    continuation: record.continuation,
    timedOut: record.timedOut,
    control: record.control,
    unusedMocks: record.unusedMocks,
    attack: record.attack,
    cluster: record.cluster,
    sourceSpan: record.sourceSpan,
    brokenCalls: record.brokenCalls,
    coverage: record.coverage,
    excerpt: record.excerpt,
  };
  return JSON.stringify(findings);
}

/** Whether the columns of a trial say all that is known of its tokens. */
function hasColumns(usage: TrialRecord['usage']): boolean {
  if (usage === null) return true;
  const { inputTokens, outputTokens, ...others } = usage;
  return inputTokens !== undefined && outputTokens !== undefined && Object.keys(others).length === 0;
}

function unlessEmpty<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** Where only the target can have used tokens, its usage needs no separate field. */
function isPartOf(whole: TrialRecord['usage'], part: TrialRecord['usage'], judge: TrialRecord['judge']): boolean {
  return judge !== null || whole?.inputTokens !== part?.inputTokens || whole?.outputTokens !== part?.outputTokens;
}

/**
 * The record of a row and its findings. The fields are named one by one: objects
 * that are left over from a rest pattern take V8 seven times as long, and this is most of the time of reading a run.
 */
export function recordOf({ row: head }: CheckedTrial, findings: string): TrialRecord {
  const { inputTokens, outputTokens } = head;
  const columns = inputTokens === null || outputTokens === null ? null : { inputTokens, outputTokens };
  const kept = JSON.parse(findings) as { readonly usage?: unknown };
  return {
    trialId: head.trialId,
    runId: head.runId,
    ordinal: head.ordinal,
    scenario: head.scenario,
    file: head.file,
    caseId: head.caseId,
    variant: head.variant,
    repeat: head.repeat,
    outcome: head.outcome,
    reason: head.reason,
    startedAt: head.startedAt,
    durationMs: head.durationMs,
    costUsd: head.costUsd,
    usage: usageSchema.optional().parse(kept.usage) ?? columns,
    ...trialFindingsSchema.parse(kept),
  };
}

/** A row that is as it was written, and where its findings lie. */
export interface CheckedTrial {
  readonly row: TrialRow;
  readonly findingsPack: number;
  readonly slot: number;
}

/** Refuses what is not as it was written, unless that was checked before. */
export function checkedTrial(row: SelectedTrial, isChecked = false): CheckedTrial {
  if (!isChecked) assertAsWritten(row);
  return { row: fieldsOf(row), findingsPack: Number(row.findings_pack), slot: row.slot };
}

/** A row as it is shown in lists; refuses what is not as it was written. */
export function trialRowOf(row: SelectedTrial): TrialRow {
  assertAsWritten(row);
  return fieldsOf(row);
}

function assertAsWritten(row: SelectedTrial): void {
  const written = checkedColumns.map((column) => (trialColumns[column] === 'int8' ? Number(row[column]) : row[column]));
  if (crc32(JSON.stringify(written)) !== Number(row.checksum)) throw corrupt(`trial ${row.trial_id}`);
}

function fieldsOf(row: SelectedTrial): TrialRow {
  return {
    trialId: row.trial_id,
    runId: row.run_id,
    ordinal: row.ordinal,
    scenario: row.scenario,
    file: row.file,
    caseId: row.case_id,
    variant: variantOf(row.variant),
    repeat: row.repeat,
    outcome: outcomeSchema.parse(row.outcome),
    reason: row.reason,
    faultCode: row.fault_code,
    marks: marksIn(row.marks ?? ''),
    startedAt: Number(row.started_at),
    durationMs: row.duration_ms,
    costUsd: row.cost_usd,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
  };
}

/** A variant as a column may hold it: its fields in any order. */
export function variantTexts(variant: Variant): string[] {
  const fields = Object.entries(variant).filter(([, value]) => value !== undefined);
  return inEveryOrder(fields).map((ordered) => JSON.stringify(Object.fromEntries(ordered)));
}

function inEveryOrder<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) => inEveryOrder(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

/** A run has few variants and many trials. */
const mostVariants = 200;
const parsedVariants = new Map<string, Variant>();

/** The variant of a column; the same object for the same text. */
export function variantOf(text: string): Variant {
  const parsed = parsedVariants.get(text);
  if (parsed) return parsed;
  const variant = Object.freeze(variantSchema.parse(JSON.parse(text)));
  if (parsedVariants.size >= mostVariants) parsedVariants.clear();
  parsedVariants.set(text, variant);
  return variant;
}

/** The error for stored bytes that are not those that were written. */
export function corrupt(what: string): AssayError {
  return new AssayError('STORE_CORRUPT', `The stored bytes of ${what} are damaged.`);
}
