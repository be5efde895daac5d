import * as z from 'zod';
import { describeApproval } from '../../../../domain/approval-event.ts';
import { isNamed } from '../../../../domain/tools/tool-names.ts';
import { eventsOf, type TraceEventOf } from '../../../../domain/trace.ts';
import { lazySchema } from '../../../../shared/lazy-schema.ts';
import { defineEvaluator, type Evaluate } from '../../evaluator.ts';
import { shortened } from '../../excerpt.ts';
import { compileArguments } from './match-call.ts';
import { nameRules, toolName } from './tool-use-config.ts';
import { argumentMatchersSchema } from './value-matcher.ts';

const times = lazySchema(() =>
  z
    .union([
      z.int().min(0),
      z
        .strictObject({
          min: z.int().min(0).default(1).describe('at least this often'),
          max: z.int().min(0).optional().describe('at most this often'),
        })
        .refine(({ min, max = min }) => min <= max, { path: ['max'], message: 'max is less than min' }),
    ])
    .default({ min: 1 })
    .describe('how often: exactly so many times, or { min (1), max }'),
);

const configSchema = () =>
  z.strictObject({
    tool: toolName.default('*').describe(`what the request is about; ${nameRules}`),
    args: argumentMatchersSchema().optional(),
    answer: z.enum(['allow', 'deny']).optional().describe('only requests that were allowed, or denied'),
    times,
  });

const answerWords = { allow: 'allowed', deny: 'denied' } as const;

type Config = z.output<ReturnType<typeof configSchema>>;

/** An agent requested approvals, and got the expected answers. */
export const approvalRequested = defineEvaluator({
  type: 'approval-requested',
  kind: 'assertion',
  summary: 'the agent requested an approval, as often as expected; `times: 0`: it requested none',
  example: { tool: 'kind:shell', args: { command: { matches: '^rm ' } }, answer: 'deny' },
  reads: ({ times: wanted }) => ({
    channels: { approvals: typeof wanted === 'number' || wanted.max !== undefined ? 'exact' : 'presence' },
  }),
  configSchema,
  prepare,
});

function prepare({ tool, args, answer, times: wanted }: Config): Evaluate<'assertion'> {
  const differs = args === undefined ? () => undefined : compileArguments(args);
  const { min, max = Number.POSITIVE_INFINITY } = typeof wanted === 'number' ? { min: wanted, max: wanted } : wanted;
  const what = `${answer === undefined ? '' : `${answerWords[answer]} `}approvals about ${tool} were requested`;
  return ({ trace }) => {
    const requests = eventsOf(trace, 'approval');
    const fitting = requests.filter(
      (each) =>
        isNamed(each, tool) &&
        (answer === undefined || each.answer === answer) &&
        differs(each.request, 'request') === undefined,
    );
    const found = `${fitting.length} ${what}`;
    if (fitting.length > max) {
      return { state: 'fail', reason: `${found}, wanted at most ${max}: ${listed(fitting)}`, restsOn: 'seen' };
    }
    if (fitting.length >= min)
      return { state: 'pass', reason: fitting.length === 0 ? found : `${found}: ${listed(fitting)}` };
    const others = requests.length === 0 ? 'the agent requested none' : `requested: ${listed(requests)}`;
    return { state: 'fail', reason: `${found}, wanted at least ${min}; ${others}` };
  };
}

function listed(approvals: readonly TraceEventOf<'approval'>[]): string {
  const texts = approvals.slice(0, 3).map((approval) => shortened(describeApproval(approval)));
  return [...texts, ...(approvals.length > 3 ? [`and ${approvals.length - 3} more`] : [])].join('; ');
}
