import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { isNamed } from '../../../domain/tools/tool-names.ts';
import { grouped } from '../../../shared/format.ts';
import { type Answer, defineEvaluator, type EvaluationContext, type Evaluator, type Reads } from '../evaluator.ts';
import {
  callsSoFar,
  costSoFar,
  inMs,
  knownTokens,
  latencyMsOf,
  noTimeToFirstToken,
  noTokenUsage,
} from '../turn-figures.ts';
import { nameRules, toolName } from './tool-use/tool-use-config.ts';

/** Something spent beside its limit; exactly the limit is still within it. */
interface Spending {
  readonly actual: number;
  readonly limit: number;
  readonly reason: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

interface Budget<Schema extends z.ZodType> {
  readonly type: string;
  readonly summary: string;
  readonly example: NoInfer<z.input<Schema>>;
  readonly reads: Reads | ((config: z.output<NoInfer<Schema>>) => Reads);
  readonly configSchema: () => Schema;
  /** For a figure that only grows in a conversation: no later answer can bring it back under the limit. */
  readonly onlyGrows?: true;
  /** Throws where the figure was not observed; an answer where nothing could be counted at all. */
  spend(config: z.output<NoInfer<Schema>>, context: EvaluationContext): Spending | Answer<'assertion'>;
}

function budget<Schema extends z.ZodType>({ spend, onlyGrows, ...described }: Budget<Schema>): Evaluator {
  return defineEvaluator<'assertion', Schema>({
    ...described,
    kind: 'assertion',
    when: () => 'every-turn',
    prepare: (config) => (context) => {
      const spending = spend(config, context);
      if ('state' in spending) return spending;
      const { actual, limit, ...about } = spending;
      if (actual <= limit) return { state: 'pass', value: 1, ...about };
      const value = limit === 0 ? 0 : Math.max(0, 1 - (actual - limit) / limit);
      return { state: 'fail', value, ...about, ...(onlyGrows && { isSettled: true }) };
    },
  });
}

/** The figure, or an error that says why it was not observed. */
function observed(figure: number | undefined, whyNot: string): number {
  if (figure === undefined) throw new AssayError('NOT_OBSERVED', whyNot);
  return figure;
}

/** The conversation cost no more than allowed; without figures it cannot be judged, unless what is known is too much. */
export const costBudget = budget({
  type: 'cost-budget',
  summary: 'the whole conversation cost at most maxUsd US dollars; needs a connector that reports the cost',
  example: { maxUsd: 0.05 },
  reads: { channels: { cost: 'total' } },
  configSchema: () =>
    z.strictObject({
      maxUsd: z.number().min(0).describe('most that the whole conversation may cost, in US dollars'),
    }),
  onlyGrows: true,
  spend: ({ maxUsd }, { trace }) => {
    const usd = costSoFar(trace);
    return { actual: usd, limit: maxUsd, reason: `$${Number(usd.toFixed(6))} / $${maxUsd}` };
  },
});

export const latencyBudget = budget({
  type: 'latency-budget',
  summary: 'the answer arrived within maxMs milliseconds; in a conversation, each answer',
  example: { maxMs: 5_000 },
  reads: { channels: { times: 'total' }, scope: 'answer' },
  configSchema: () =>
    z.strictObject({
      maxMs: z.number().min(0).describe('longest time that the answer may take, in milliseconds'),
    }),
  spend: ({ maxMs }, { trace }) => {
    const actual = observed(latencyMsOf(trace), 'There is no answer whose time could be measured.');
    const metadata = { actualMs: actual, budgetMs: maxMs };
    return { actual, limit: maxMs, reason: `${inMs(actual)} / ${inMs(maxMs)}`, metadata };
  },
});

export const timeToFirstToken = budget({
  type: 'time-to-first-token',
  summary: 'the first token of each answer arrived within maxMs milliseconds; needs a connector that streams',
  example: { maxMs: 1_000 },
  reads: { channels: { times: 'total' }, scope: 'answer' },
  configSchema: () =>
    z.strictObject({
      maxMs: z.number().min(0).describe('longest time until the first piece of the answer, in milliseconds'),
    }),
  spend: ({ maxMs }, { turn }) => {
    const actual = observed(turn?.timeToFirstTokenMs, `${noTimeToFirstToken}.`);
    return { actual, limit: maxMs, reason: `${inMs(actual)} / ${inMs(maxMs)}` };
  },
});

/** The answer took no more tokens than allowed; without all figures it cannot be judged, unless the known part is too much. */
export const tokenBudget = budget({
  type: 'token-budget',
  summary: 'each answer used at most maxTokens tokens; needs a connector that reports them',
  example: { maxTokens: 2_000 },
  reads: { channels: { usage: 'total' }, scope: 'answer' },
  configSchema: () =>
    z
      .strictObject({
        maxTokens: z.number().min(0).describe('most tokens that one answer may take'),
        inputOnly: z.boolean().default(false).describe('count only input tokens'),
        outputOnly: z.boolean().default(false).describe('count only output tokens'),
      })
      .refine(({ inputOnly, outputOnly }) => !(inputOnly && outputOnly), {
        message: '`inputOnly` and `outputOnly` cannot be used together',
        path: ['outputOnly'],
      }),
  spend: ({ maxTokens, inputOnly, outputOnly }, context) => {
    const counted = inputOnly ? 'input' : outputOnly ? 'output' : 'total';
    const words = counted === 'total' ? 'tokens' : `${counted} tokens`;
    const spent = knownTokens(context, counted);
    const actual = observed(spent?.tokens, `${noTokenUsage}.`);
    if (!spent?.isAll && actual <= maxTokens) throw new AssayError('NOT_OBSERVED', `Not all ${words} were reported.`);
    return { actual, limit: maxTokens, reason: `${grouped(actual)} / ${grouped(maxTokens)} ${words}` };
  },
});

export const toolCallBudget = budget({
  type: 'tool-call-budget',
  summary: 'the whole conversation had at most maxCalls tool calls, in total or per tool',
  example: { maxCalls: 5, perTool: { search: 2 } },
  reads: ({ perTool = {} }) => ({ channels: { 'tool-calls': 'total' }, tools: Object.keys(perTool) }),
  configSchema: () =>
    z
      .strictObject({
        maxCalls: z.int().min(0).optional().describe('most tool calls in the whole conversation'),
        perTool: z
          .record(toolName, z.int().min(0))
          .optional()
          .describe(`most calls of single tools, by name; ${nameRules}`),
      })
      .refine(
        ({ maxCalls, perTool }) => maxCalls !== undefined || perTool !== undefined,
        'Give at least one of maxCalls and perTool',
      ),
  onlyGrows: true,
  spend: ({ maxCalls, perTool = {} }, { trace }) => {
    const calls = callsSoFar(trace);
    const spent = [
      ...(maxCalls === undefined ? [] : [{ actual: calls.length, limit: maxCalls, what: 'tool calls' }]),
      ...Object.entries(perTool).map(([name, limit]) => {
        const actual = calls.filter((call) => isNamed(call, name)).length;
        return { actual, limit, what: `calls of ${name}` };
      }),
    ];
    const exceeded = spent.filter(({ actual, limit }) => actual > limit);
    const details = exceeded.length > 0 ? exceeded : spent;
    const texts = details.map(({ actual, limit, what }) => `${grouped(actual)} / ${grouped(limit)} ${what}`);
    const { actual, limit } = details[0] ?? { actual: 0, limit: 0 };
    return { actual, limit, reason: texts.join(', ') };
  },
});

export const turnBudget = budget({
  type: 'turn-budget',
  summary: 'the conversation had at most maxTurns answers',
  example: { maxTurns: 4 },
  reads: { channels: { answers: 'total' } },
  configSchema: () =>
    z.strictObject({
      maxTurns: z.int().min(1).describe('most answers that the conversation may take'),
    }),
  onlyGrows: true,
  spend: ({ maxTurns }, { turn }) => {
    if (!turn) return { state: 'fail', reason: 'There is no answer that could be counted', restsOn: 'silence' };
    return { actual: turn.number, limit: maxTurns, reason: `${grouped(turn.number)} / ${grouped(maxTurns)} turns` };
  },
});
