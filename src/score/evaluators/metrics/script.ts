import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import type { ScriptResult } from '../../../domain/gate.ts';
import { isRecord } from '../../../shared/json.ts';
import { type Answer, defineEvaluator, type EvaluationContext } from '../evaluator.ts';
import { shortened } from '../excerpt.ts';
import { GateFailure } from '../gates/gate.ts';
import { failureOf, runCommand } from '../gates/run-command.ts';
import { fitsInRecord } from '../gates/script-output.ts';

const maxSummaryLength = 4_000;

const configSchema = () =>
  z.strictObject({
    name: z.string().min(1).describe('name of the script in the report'),
    command: z
      .string()
      .describe('shell command that runs in the work directory and prints {metrics?, score?, summary?}'),
    timeout_secs: z.number().positive().max(86_400).default(60).describe('longest time that the command may take'),
  });

type ScriptEvaluatorConfig = z.output<ReturnType<typeof configSchema>>;

/** Numbers that a script of the scenario's author computes from the work left behind. */
export const scriptEvaluator = defineEvaluator({
  type: 'script-evaluator',
  kind: 'metric',
  summary: 'numbers that a script prints as {metrics?, score?, summary?}',
  example: { name: 'coverage', command: './coverage.sh' },
  needs: ['workspace'],
  reads: { channels: { files: 'total' } },
  configSchema,
  metricName: ({ name }) => name,
  prepare: (config) => async (context) => measured(await resultOf(config, context)),
});

function measured(result: ScriptResult): Answer<'metric'> {
  const { name, score, metrics = {}, summary, error } = result;
  const numbers = Object.entries({ ...metrics, ...(score !== undefined && { score }) }).filter(isNumber);
  const details = {
    reason: error ?? shortened(summary ?? `${numbers.length} numbers`),
    metrics: Object.fromEntries(numbers.map(([metric, value]) => [`${name}.${metric}`, value])),
    findings: { scripts: [result] },
  };
  return score === undefined ? { state: 'no-data', ...details } : { state: 'measured', value: score, ...details };
}

function isNumber(entry: [string, unknown]): entry is [string, number] {
  return typeof entry[1] === 'number' && Number.isFinite(entry[1]);
}

/** A failure of a script is reported beside its numbers, and never changes the outcome of a trial. */
async function resultOf(config: ScriptEvaluatorConfig, context: EvaluationContext): Promise<ScriptResult> {
  const { name } = config;
  const { workspace } = context;
  if (!workspace)
    throw new AssayError('INTERNAL', 'The script evaluator needs a work directory, and the trial has none.');
  try {
    const end = await runCommand(config, { ...context, workspace });
    const error = failureOf(config, end);
    return error === undefined ? { name, ...readReport(end.stdout.text) } : { name, error };
  } catch (error) {
    if (error instanceof GateFailure) return { name, error: error.message };
    throw error;
  }
}

function readReport(stdout: string): Omit<ScriptResult, 'name'> {
  const report = parsed(stdout);
  if (!isRecord(report)) return unreadable(stdout, 'wanted an object with metrics, score or summary');
  if (!fitsInRecord(report)) return unreadable(stdout, 'it is too large or too deep');
  const { metrics, score, summary } = report;
  const problems = [
    metrics !== undefined && !isRecord(metrics) && 'metrics is not an object',
    score !== undefined && !Number.isFinite(score) && 'score is not a number',
    summary !== undefined && typeof summary !== 'string' && 'summary is not a text',
  ].filter(Boolean);
  return {
    ...(isRecord(metrics) && { metrics }),
    ...(typeof score === 'number' && Number.isFinite(score) && { score }),
    ...(typeof summary === 'string' && { summary: presentable(summary) }),
    ...(problems.length > 0 && { error: `Invalid JSON output: ${problems.join('; ')}` }),
  };
}

function unreadable(stdout: string, reason: string): Omit<ScriptResult, 'name'> {
  const summary = presentable(stdout);
  return { ...(summary !== '' && { summary }), error: `Invalid JSON output: ${reason}` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function presentable(text: string): string {
  const kept = text.trim().slice(0, maxSummaryLength);
  return kept.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '\uFFFD');
}
