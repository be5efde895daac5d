import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import type { ScriptEnd, ScriptResult } from '../../domain/gate.ts';
import { messagesOf } from '../../domain/messages-of-trace.ts';
import { observedCalls } from '../../domain/tools/tool-calls.ts';
import { lastAnswer } from '../../domain/trace.ts';
import { assistantText, turnsOf } from '../../domain/turn.ts';
import { cleanEnvironment } from '../../drive/workspace/clean-environment.ts';
import { runScript } from '../../drive/workspace/run-script.ts';
import { isRecord } from '../../shared/json.ts';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { expandVariables, unsetVariables } from '../../shared/variables.ts';
import type { EvaluationContext } from './evaluator.ts';
import { shortened } from './excerpt.ts';
import { failureOf, quoted } from './gates/run-command.ts';
import { fitsInRecord, printedObject } from './gates/script-output.ts';

/** Config that graders of both kinds share. */
export const graderConfig = () => ({
  command: z
    .string()
    .refine((command) => command.trim() !== '', 'the command is empty')
    .describe('shell command that runs in the folder of the scenario; gets the trial as JSON on stdin, prints JSON'),
  name: z.string().min(1).optional().describe('name of the grader and of its numbers in the report'),
  options: z.record(z.string(), z.unknown()).default({}).describe('given to the command under `options`'),
  env: z
    .record(z.string(), z.string())
    .default({})
    .describe('environment variables; ${VAR} is expanded. The command gets no other variable with a key or setting'),
  timeoutSecs: z.number().positive().max(86_400).default(60).describe('time limit of the command, in seconds'),
});

const graderSchema = lazySchema(() => z.strictObject(graderConfig()));
type GraderConfig = z.output<typeof graderSchema>;

/** Object that a grader printed. */
export interface GraderReport {
  readonly passed?: boolean;
  readonly score?: number;
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly message: string | undefined;
  readonly detail: unknown;
  /** The same, as reports list it. */
  readonly script: ScriptResult;
}

/** Runs the command with the trial on stdin and reads the object that it prints. Anything else is thrown: it never fails a trial. */
export async function gradeByCommand(config: GraderConfig, type: string, context: EvaluationContext) {
  const name = config.name ?? type;
  const changed = context.workspace?.changedGrader?.();
  if (changed) throw changed;
  const end = await runGrader(config, context);
  if (context.signal.aborted) throw new AssayError('INTERRUPTED', 'The run was stopped while a grader ran.');
  const failure = failureOf({ command: config.command, timeout_secs: config.timeoutSecs }, end);
  if (failure !== undefined) {
    throw (end.timedOut && context.workspace?.endlessWork?.()) || graderFailed(`${failure}.`);
  }
  return readReport(name, config, end);
}

async function runGrader(config: GraderConfig, context: EvaluationContext): Promise<ScriptEnd> {
  const { services, trial, signal, workspace } = context;
  const timeoutMs = config.timeoutSecs * 1_000;
  const stdin = JSON.stringify(graderInput(config, context));
  const variables = variablesOf(config, services.env);
  if (workspace) {
    return workspace.runGrader(config.command, { timeoutMs, signal, stdin, env: variables, place: 'scenario' });
  }
  const folder = await mkdtemp(join(tmpdir(), 'assay-grader-'));
  try {
    const [home, tmp] = [join(folder, 'home'), join(folder, 'tmp')];
    for (const path of [home, tmp]) mkdirSync(path, { mode: 0o700 });
    const env = cleanEnvironment(services.env, { home, tmp }, variables);
    return await runScript(config.command, {
      cwd: trial.scenario.directory,
      env,
      timeoutMs,
      tag: randomUUID(),
      signal,
      stdin,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function variablesOf({ env: written }: GraderConfig, env: Readonly<Record<string, string | undefined>>) {
  const unset = Object.values(written).flatMap((text) => unsetVariables(text, env));
  if (unset.length > 0) {
    const hint = `Set ${unset.join(', ')} in the environment.`;
    throw new AssayError('GRADER_FAILED', `The grader needs ${unset.join(', ')}, which is not set.`, { hint });
  }
  return expandVariables(written, env);
}

/** The trial as graders get it on stdin. */
function graderInput({ options }: GraderConfig, { trial, trace, turn, workspace }: EvaluationContext) {
  const { scenario, case: testCase, variant, repeat, trialId } = trial;
  const { caseId, input, expected, expectedBehavior } = testCase;
  const answer = lastAnswer(trace);
  return {
    trialId,
    scenario: { name: scenario.name, file: scenario.file },
    case: { id: caseId, input, expected, expectedBehavior },
    variant,
    repeat,
    answer: (turn && assistantText(turn)) ?? null,
    result: answer?.result,
    error: answer?.error,
    turns: turnsOf(trace),
    messages: messagesOf(trace),
    toolCalls: observedCalls(trace).map(({ tool, server, input: args, result, error, turn: inTurn, isRefused }) => ({
      tool,
      server,
      input: args,
      result,
      error,
      turn: inTurn,
      refused: isRefused,
    })),
    trace,
    workDirectory: workspace?.directory ?? null,
    options,
  };
}

function readReport(name: string, { command }: GraderConfig, { stdout }: ScriptEnd): GraderReport {
  if (stdout.truncatedBytes > 0) throw graderFailed(`${quoted(command)} printed more than 8 MB.`);
  const printed = printedObject(stdout.text);
  if (!printed) throw graderFailed(`${quoted(command)} did not print one JSON object: ${startOf(stdout.text)}.`);
  if (!fitsInRecord(printed)) throw graderFailed(`${quoted(command)} printed an object that is too large or too deep.`);
  const { passed, score, metrics, summary, message = summary, detail } = printed;
  const problem = [
    passed !== undefined && typeof passed !== 'boolean' && '`passed` is not true or false',
    score !== undefined && !isNumber(score) && '`score` is not a number',
    metrics !== undefined && !isRecord(metrics) && '`metrics` is not an object',
    isRecord(metrics) && nonNumber(metrics),
    message !== undefined && typeof message !== 'string' && '`message` is not a text',
  ].find((found) => typeof found === 'string');
  if (problem !== undefined) throw graderFailed(`${quoted(command)} printed an unusable object: ${problem}.`);
  const numbers = (metrics ?? {}) as Record<string, number | null>;
  const text = typeof message === 'string' && message.trim() !== '' ? shortened(message) : undefined;
  return {
    ...(typeof passed === 'boolean' && { passed }),
    ...(isNumber(score) && { score }),
    metrics: Object.fromEntries(Object.entries(numbers).map(([metric, value]) => [`${name}.${metric}`, value])),
    message: text,
    detail,
    script: {
      name,
      ...(metrics !== undefined && { metrics: numbers }),
      ...(isNumber(score) && { score }),
      ...(text !== undefined && { summary: text }),
    },
  };
}

function nonNumber(metrics: Readonly<Record<string, unknown>>): string | undefined {
  const wrong = Object.entries(metrics).find(([, value]) => value !== null && !isNumber(value))?.[0];
  return wrong === undefined ? undefined : `\`metrics.${shortened(wrong)}\` is not a number`;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function startOf(text: string): string {
  return text.trim() === '' ? 'stdout is empty' : quoted(text);
}

/** A grader that gave no usable answer: the trial could not be judged by it. */
export function graderFailed(message: string): AssayError {
  return new AssayError('GRADER_FAILED', message);
}
