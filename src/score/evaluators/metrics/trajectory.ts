import * as z from 'zod';
import type { ObservedCall } from '../../../domain/tools/tool-calls.ts';
import { isNamed } from '../../../domain/tools/tool-names.ts';
import { countInAnyOrder, countInBothOrders } from '../../../domain/tools/tool-order.ts';
import { calledNames, callsIn, isCarriedOut } from '../assertions/tool-use/call-text.ts';
import { nameRules, toolName } from '../assertions/tool-use/tool-use-config.ts';
import { argumentMatchersSchema } from '../assertions/tool-use/value-matcher.ts';
import { type Answer, defineEvaluator, type Evaluate, lazily } from '../evaluator.ts';

/** More steps are not compared: the work grows with steps times calls. */
const maxReferenceSteps = 500;

const step = () =>
  z.union([
    toolName,
    z.strictObject({
      tool: toolName.describe('the tool of this step'),
      args: argumentMatchersSchema().optional(),
    }),
  ]);

const configSchema = () =>
  z.strictObject({
    name: z.string().min(1).default('trajectory').describe('name of the figures in the report'),
    reference: z
      .array(step())
      .min(1)
      .max(maxReferenceSteps)
      .describe(`the calls of a good trial: names of tools, or { tool, args }; ${nameRules}`),
    inOrder: z.boolean().default(true).describe('count calls in the order of the reference only; false: in any order'),
    ignore: z.array(toolName).default([]).describe('tools whose calls do not count'),
  });

type TrajectoryConfig = z.output<ReturnType<typeof configSchema>>;

/** How near the calls of a trial are to those of a reference. */
export const trajectory = defineEvaluator({
  type: 'trajectory',
  kind: 'metric',
  summary: 'F1, precision and recall of the tool calls against a reference',
  example: { reference: ['find_table', { tool: 'book_table', args: { guests: 2 } }] },
  reads: ({ reference, ignore }) => ({
    channels: { 'tool-calls': 'total' },
    tools: [...reference.map((wanted) => (typeof wanted === 'string' ? wanted : wanted.tool)), ...ignore],
  }),
  configSchema,
  metricName: ({ name }) => name,
  prepare: (config) => lazily(() => measureTrajectory(config)),
});

async function measureTrajectory(config: TrajectoryConfig): Promise<Evaluate<'metric'>> {
  const { compileCallTest } = await import('../assertions/tool-use/match-call.ts');
  const steps = config.reference.map((written) => {
    const { tool, args } = typeof written === 'string' ? { tool: written, args: undefined } : written;
    return { tool, differs: compileCallTest({ args }) };
  });
  const count = config.inOrder ? countInBothOrders : countInAnyOrder;
  return (context) => {
    const calls = callsIn(context, 'conversation').filter((call) => !config.ignore.some((name) => isNamed(call, name)));
    const isCallOf = (call: ObservedCall, { tool, differs }: (typeof steps)[number]): boolean =>
      isCarriedOut(call, tool) && differs(call, context) === undefined;
    const matched = count({ calls, expected: steps, isCallOf });
    return figuresOf(config.name, { matched, wanted: steps.length, made: calls.length }, calledNames(calls));
  };
}

interface Counts {
  readonly matched: number;
  readonly wanted: number;
  readonly made: number;
}

/** Without a call there is nothing of which a share could be right: precision is then unknown, and F1 is 0. */
function figuresOf(name: string, { matched, wanted, made }: Counts, called: string): Answer<'metric'> {
  const precision = made === 0 ? null : matched / made;
  const recall = matched / wanted;
  const value = (2 * matched) / (made + wanted);
  return {
    state: 'measured',
    value,
    reason: `${matched} of ${wanted} reference calls, ${matched} of ${made} calls made; ${called}`,
    metrics: { [`${name}.precision`]: precision, [`${name}.recall`]: recall },
    metadata: { precision, recall, f1: value, matched, reference: wanted, calls: made },
  };
}
