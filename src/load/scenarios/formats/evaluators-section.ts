import * as z from 'zod';
import type { Problem } from '../../../domain/problem.ts';
import type { PartSpec, When } from '../../../domain/scenario.ts';
import type { Evaluator } from '../../../score/evaluators/evaluator.ts';
import { isRecord } from '../../../shared/json.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import { suggestion } from '../../../shared/suggest.ts';
import { templatesIn } from '../../../shared/templates.ts';
import type { DataPath } from '../../sources/parsed-source.ts';
import { problemsOf } from '../../sources/schema-problems.ts';
import type { FileReading } from './tolerant-parse.ts';

/** When an assertion must hold. */
const whens: readonly When[] = ['every-turn', 'eventually', 'final'];

const evaluatorId = lazySchema(() =>
  z.string().min(1).optional().describe('name for expressions; by default the type'),
);

/** An evaluator in a file; its config is checked by its kind. */
const evaluatorSectionSchema = lazySchema(() =>
  z.strictObject({
    type: z.string().min(1),
    config: z.unknown().optional(),
    when: z.enum(whens).optional().describe('for assertions: when it must hold'),
    turn: z.int().min(1).optional().describe('for assertions: the only answer that it looks at, from 1'),
    id: evaluatorId,
  }),
);

/** An evaluator of a scenario; a config with templates is checked with the values of each case. */
export interface PlannedEvaluator {
  readonly evaluator: Evaluator;
  readonly when: When | undefined;
  readonly turn?: number | undefined;
  readonly id?: string | undefined;
  /** As in the file. */
  readonly config: unknown;
  /** Path of the config in the file. */
  readonly path: DataPath;
  readonly hasTemplates: boolean;
}

/** The checked evaluator; undefined after problems were reported. */
export function checkedEvaluator(
  planned: PlannedEvaluator,
  config: unknown,
  { source, found }: Pick<FileReading, 'source' | 'found'>,
): PartSpec | undefined {
  const { evaluator, when, turn, id, path } = planned;
  const parsed = evaluator.configSchema.safeParse(config ?? {});
  const { type } = evaluator;
  if (parsed.success)
    return { type, config: parsed.data, ...(when && { when }), ...(turn && { turn }), ...(id && { id }) };
  found.problems.push(...problemsOf(parsed.error, source, evaluator.configSchema, path));
  return undefined;
}

/** One item of a list of evaluators; empty after problems were reported. */
export function planEvaluator(item: unknown, path: DataPath, reading: FileReading): PlannedEvaluator[] {
  const { source, context, found } = reading;
  const { evaluators } = context.parts;
  if (typeof item === 'string') {
    const message = `\`evaluators[${String(path[1])}]\` must be an object, not text`;
    found.problems.push({ at: source.locate(path), message, hint: `Write \`{ type: ${item} }\`.` });
    return [];
  }
  const parsed = evaluatorSectionSchema.safeParse(item);
  if (!parsed.success) {
    found.problems.push(...problemsOf(parsed.error, source, evaluatorSectionSchema, path));
    return [];
  }
  const { type, config, when, turn, id } = parsed.data;
  const evaluator = evaluators.find((candidate) => candidate.type === type);
  if (!evaluator) {
    const hint = suggestion(
      type,
      evaluators.filter(judgesConversations).map((candidate) => candidate.type),
    );
    found.problems.push({ at: source.locate([...path, 'type']), message: `Unknown evaluator type: "${type}"`, hint });
    return [];
  }
  if (when !== undefined) refuseUselessWhen(evaluator, when, path, reading);
  if (turn !== undefined) refuseUselessTurn(evaluator, when, path, reading);
  const configPath = [...path, 'config'];
  return [{ evaluator, when, turn, id, config, path: configPath, hasTemplates: hasTemplateNames(config) }];
}

/** Evaluators that need more than the target provides. */
export function unmetNeeds(
  evaluators: readonly unknown[],
  targetType: string,
  { source, context: { parts } }: Pick<FileReading, 'source' | 'context'>,
): Problem[] {
  const kind = parts.targets.find(({ type }) => type === targetType);
  return evaluators.flatMap((item, index) => {
    const type = isRecord(item) ? item.type : undefined;
    const needs = parts.evaluators.find((evaluator) => evaluator.type === type)?.needs ?? [];
    // The judge comes from the run, everything else from the target.
    const missing = needs.filter((need) => need !== 'judge' && !kind?.provides.includes(need));
    if (!kind || missing.length === 0) return [];
    const message = `\`${type}\` needs ${missing.join(', ')}, which a ${kind.type} target does not provide`;
    return [{ at: source.locate(['evaluators', index]), message }];
  });
}

/**
 * The evaluators that a scenario names, because building the schemas of all takes longer than reading the scenario; all
 * of them where one is unknown, for the suggestion.
 */
export function namedEvaluators(value: unknown, evaluators: readonly Evaluator[]): readonly Evaluator[] {
  const written = isRecord(value) && Array.isArray(value.evaluators) ? (value.evaluators as unknown[]) : [];
  const types = new Set(written.map((entry) => (isRecord(entry) ? entry.type : undefined)));
  const named = evaluators.filter(({ type }) => types.has(type));
  return named.length === types.size && named.length > 0
    ? named
    : types.size === 0
      ? evaluators.slice(0, 1)
      : evaluators;
}

/** An evaluator in a scenario, with the config of its kind. */
export function evaluatorSpecSchema(evaluators: readonly Evaluator[]) {
  const options = evaluators.map(({ type, configSchema, summary }) =>
    z.strictObject({ type: z.literal(type), id: evaluatorId, config: configSchema.prefault({}) }).describe(summary),
  );
  type Option = (typeof options)[number];
  return z.discriminatedUnion('type', options as [Option, ...Option[]]);
}

function judgesConversations({ needs }: Evaluator): boolean {
  return !needs.includes('workspace') && !needs.includes('call-answer');
}

function refuseUselessWhen(evaluator: Evaluator, when: When, path: DataPath, { source, found }: FileReading): void {
  const at = source.locate([...path, 'when']);
  if (evaluator.kind === 'metric') {
    const message = `\`when\` is not supported for \`${evaluator.type}\`: it is a metric and never fails`;
    found.problems.push({ at, message });
  } else if (!evaluator.when && when !== 'final') {
    const message = `\`${evaluator.type}\` runs once, at the end, so \`when\` must be \`final\``;
    found.problems.push({ at, message });
  }
}

function refuseUselessTurn(
  evaluator: Evaluator,
  when: When | undefined,
  path: DataPath,
  { source, found }: FileReading,
): void {
  const refuse = (message: string): number => found.problems.push({ at: source.locate([...path, 'turn']), message });
  const { type, kind, runsLast } = evaluator;
  if (kind === 'metric') refuse(`\`turn\` is not supported for \`${type}\`: it is a metric and never fails`);
  else if (runsLast) refuse(`\`turn\` is not supported for \`${type}\`: it looks at the results of other evaluators`);
  else if (when !== undefined) refuse('Give `when` or `turn`, not both: `turn` names the one answer that counts');
}

/** Whether the config depends on the values of a case. */
export function hasTemplateNames(config: unknown): boolean {
  return templatesIn(config, []).some(({ name }) => name !== undefined);
}
