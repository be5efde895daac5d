import { resolve } from 'node:path';
import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { messagesOf } from '../../../domain/messages-of-trace.ts';
import { outputOf } from '../../../drive/connectors/transform.ts';
import { problemOfCode } from '../../../drive/targets/call/compile-code.ts';
import { callUserCode, UserCodeFailure } from '../../../drive/targets/call/user-code.ts';
import { isRecord } from '../../../shared/json.ts';
import { type Answer, defineEvaluator, type EvaluationContext } from '../evaluator.ts';
import { excerptOf, shortened } from '../excerpt.ts';

const parameters = ['output', 'context'];

const configSchema = () =>
  z
    .strictObject({
      code: z
        .string()
        .min(1)
        .superRefine((code, context) => {
          const problem = problemOfCode(code, parameters);
          if (problem !== undefined)
            context.addIssue({ code: 'custom', message: `the code cannot be used: ${problem}` });
        })
        .optional()
        .describe('an expression, or the body of a function with `return`, over `output` and `context`'),
      module: z
        .string()
        .min(1)
        .optional()
        .describe('JavaScript or TypeScript file, relative to the scenario file, in place of `code`'),
      export: z.string().min(1).default('default').describe('name of the exported function (output, context) => …'),
      options: z.record(z.string(), z.unknown()).default({}).describe('given to the code as `context.config`'),
      threshold: z
        .number()
        .optional()
        .describe('least number that passes; without it any above 0 does. `pass` of an object decides by itself'),
      negate: z
        .boolean()
        .default(false)
        .describe('pass where the code says that it does not; a score of the code stays as it is'),
      timeoutSecs: z.number().positive().max(86_400).default(30).describe('time limit of the code, in seconds'),
    })
    .refine(({ code, module }) => (code === undefined) !== (module === undefined), {
      message: 'Give either `code` or `module`',
    });

type JavascriptConfig = z.output<ReturnType<typeof configSchema>>;

/** Code of the scenario's author. */
export const javascript = defineEvaluator({
  type: 'javascript',
  label: 'JavaScript',
  kind: 'assertion',
  summary: 'JavaScript decides about the answer: true or false, a score, or { pass, score?, reason? }',
  example: { code: 'JSON.parse(output).total === context.vars.total' },
  reads: { channels: { answers: 'exact' }, scope: 'answer' },
  configSchema,
  when: () => 'eventually',
  prepare: (config) => (context) => decide(config, context),
});

async function decide(config: JavascriptConfig, context: EvaluationContext): Promise<Answer<'assertion'>> {
  const message = context.turn?.messages.findLast(({ role }) => role === 'assistant');
  if (!message) return { state: 'fail', reason: 'There is no assistant message to look at', value: 0 };
  const value = await returnedBy(config, outputOf(message), context);
  return verdictOn(value, config) ?? unusable(value);
}

async function returnedBy(config: JavascriptConfig, output: unknown, context: EvaluationContext): Promise<unknown> {
  const { code, module, export: exportName, options, timeoutSecs } = config;
  const { case: testCase, scenario } = context.trial;
  const given = { vars: testCase.input ?? {}, prompt: promptOf(context), config: options, expected: testCase.expected };
  try {
    return await callUserCode(
      { code, file: module === undefined ? undefined : resolve(scenario.directory, module), exportName, parameters },
      { output, context: given },
      { timeoutMs: timeoutSecs * 1_000, signal: context.signal },
    );
  } catch (error) {
    if (!(error instanceof UserCodeFailure)) throw error;
    throw new AssayError('CODE_FAILED', `${nameOf(config)} could not decide: ${error.message}.`);
  }
}

/** The only message before the answer, or all of them as JSON. */
function promptOf({ trace }: EvaluationContext): string {
  const messages = messagesOf(trace);
  const first = messages.findIndex(({ role }) => role === 'assistant');
  const before = first === -1 ? messages : messages.slice(0, first);
  const [only, ...others] = before;
  if (only && others.length === 0 && typeof only.content === 'string') return only.content;
  return JSON.stringify(before.map(({ role, content }) => ({ role, content })));
}

function verdictOn(value: unknown, config: JavascriptConfig): Answer<'assertion'> | undefined {
  const { threshold, negate } = config;
  const stateOf = (isMet: boolean) => (isMet === negate ? 'fail' : 'pass');
  if (typeof value === 'boolean') {
    return { state: stateOf(value), reason: `${shownCode(config)} returned ${value}`, value: value === negate ? 0 : 1 };
  }
  if (typeof value === 'number' && Number.isFinite(value)) {
    const wanted = threshold === undefined ? '' : `, wanted ${negate ? 'less than' : 'at least'} ${threshold}`;
    const isEnough = threshold === undefined ? value > 0 : value >= threshold;
    return { state: stateOf(isEnough), reason: `${shownCode(config)} gave the score ${value}${wanted}`, value };
  }
  if (!isRecord(value) || typeof value.pass !== 'boolean') return undefined;
  const { pass, score = pass ? 1 : 0, reason } = value;
  if (typeof score !== 'number' || !Number.isFinite(score)) return undefined;
  const why =
    typeof reason === 'string' && reason !== ''
      ? shortened(reason)
      : `${shownCode(config)} gave ${pass}, score ${score}`;
  return { state: stateOf(pass), reason: why, value: score };
}

function unusable(value: unknown): never {
  const excerpt = value === undefined ? 'nothing' : excerptOf(JSON.stringify(value));
  const hint = 'Return true or false, a number, or { pass, score, reason }.';
  throw new AssayError('CODE_FAILED', `The code returned ${excerpt}, which is not a verdict.`, { hint });
}

function nameOf({ module, export: exportName }: JavascriptConfig): string {
  return module === undefined ? 'The code' : `${exportName}() in ${module}`;
}

/** An expression in the words of its author; longer code by its place. */
function shownCode(config: JavascriptConfig): string {
  const code = config.code?.trim() ?? '';
  return code === '' || code.includes('\n') ? nameOf(config) : `\`${shortened(code)}\``;
}
