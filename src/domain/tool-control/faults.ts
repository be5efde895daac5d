import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { type Border, borderSchema, faultKinds, faultKindsSchema, type KindFacts } from './fault-kinds.ts';

const longestDelayMs = 600_000;
const delayMs = z.int().min(1).max(longestDelayMs);

/** Which calls a fault breaks. */
const selectionKeys = () => ({
  border: borderSchema
    .optional()
    .describe(
      'calls of programs (`cli`), MCP tools (`mcp`) or tools that Assay calls itself (`call`), or requests to the model (`model`); by default the tools under test',
    ),
  server: z.string().min(1).optional().describe('MCP server whose calls it breaks; all without it'),
  tool: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe('tools or programs whose calls it breaks; all without it'),
  args: z
    .union([z.array(z.union([z.string(), z.number()]).transform(String)).min(1), z.record(z.string(), z.unknown())])
    .optional()
    .describe('arguments of the calls that it breaks: the first ones of a program in order, or some of a tool by name'),
  call: z.int().min(1).optional().describe('number of the call that it breaks, from 1, among those of its tool'),
  firstCalls: z.int().min(1).optional().describe('number of first calls of each tool that it breaks'),
  untilRetry: z
    .int()
    .min(1)
    .optional()
    .describe('breaks a call until it was repeated this often with the same arguments'),
  probability: z.number().min(0).max(1).optional().describe('share of the calls that it breaks, drawn for each trial'),
});

/** How a fault breaks a call. */
const effectKeys = () => ({
  toolRuns: z
    .boolean()
    .optional()
    .describe('true: the tool does its work, and its answer is lost; false, the default: the tool is not called'),
  message: z.string().min(1).optional().describe('text of an `error` or a `rate-limit`'),
  exitCode: z.int().min(1).max(255).optional().describe('exit code of a program that fails; 1 by default'),
  status: z
    .int()
    .min(400)
    .max(599)
    .optional()
    .describe('HTTP status of an `error` of a model or an endpoint; 500 by default'),
  retryAfterSecs: z.number().min(0).optional().describe('waiting time that a `rate-limit` asks for'),
  ms: z
    .union([
      delayMs,
      z.strictObject({
        p50: delayMs.describe('half of the delays are shorter'),
        p99: delayMs.describe('of 100 delays, 99 are shorter'),
      }),
    ])
    .optional()
    .describe('delay of a `latency` in milliseconds; { p50, p99 } is drawn for each call'),
  announced: z
    .boolean()
    .optional()
    .describe('whether the server says that its list of tools changed when it loses one; false by default'),
  betweenCalls: z
    .boolean()
    .optional()
    .describe(
      'whether the new server answers the call before which it restarts; false, the default: that call is lost',
    ),
  bytes: z.int().min(1).max(16_777_216).optional().describe('size of a `huge` output; 1,000,000 by default'),
});

/** A way in which calls are broken, and the calls that it breaks. */
const faultSchema = lazySchema(() =>
  z.strictObject({
    fault: faultKindsSchema.describe('what happens to the call'),
    ...selectionKeys(),
    ...effectKeys(),
  }),
);
export type Fault = z.output<typeof faultSchema>;

/** A part of a fault that cannot be right. */
interface FaultProblem {
  readonly key: keyof Fault;
  readonly message: string;
}

const borderNames: Readonly<Record<Border, string>> = {
  cli: 'programs',
  mcp: 'MCP servers',
  model: 'models',
  call: 'tools that are called directly',
};

/** Selections that a border does not have, and why. */
const unusable: Readonly<Partial<Record<Border, { readonly keys: readonly (keyof Fault)[]; readonly why: string }>>> = {
  model: { keys: ['tool', 'args', 'toolRuns'], why: '' },
  call: { keys: ['tool', 'call', 'firstCalls', 'untilRetry'], why: ': a trial calls its tool once' },
};

/** Contradictions in a fault of the given border. */
function problemsOf(fault: Fault, border: Border): FaultProblem[] {
  const { borders, keys, isUpfront }: KindFacts = faultKinds[fault.fault];
  const problems: FaultProblem[] = [];
  const refuse = (key: keyof Fault, message: string): number => problems.push({ key, message });
  const kind = `\`${fault.fault}\``;
  if (!borders.includes(border)) refuse('fault', `there is no ${kind} of ${borderNames[border]}`);
  for (const key of [
    'message',
    'exitCode',
    'status',
    'retryAfterSecs',
    'ms',
    'announced',
    'betweenCalls',
    'bytes',
  ] as const) {
    if (fault[key] !== undefined && !keys.includes(key)) refuse(key, `\`${key}\` does not belong to ${kind}`);
  }
  if (fault.fault === 'latency' && fault.ms === undefined) refuse('fault', 'a `latency` needs `ms`');
  if (typeof fault.ms === 'object' && fault.ms.p50 > fault.ms.p99) refuse('ms', '`p50` is greater than `p99`');
  if (fault.toolRuns !== undefined && !isUpfront)
    refuse(
      'toolRuns',
      fault.fault === 'tool-removed' ? 'a tool that is gone cannot run' : `the tool always runs before ${kind}`,
    );
  if (fault.toolRuns && fault.betweenCalls)
    refuse('betweenCalls', '`betweenCalls` and `toolRuns` cannot be used together');
  return [...problems, ...selectionProblems(fault, border)];
}

/** Selections that contradict each other or the border. */
function selectionProblems(fault: Fault, border: Border): FaultProblem[] {
  const problems: FaultProblem[] = [];
  const refuse = (key: keyof Fault, message: string): number => problems.push({ key, message });
  const [counting, second] = (['call', 'firstCalls', 'untilRetry'] as const).filter((key) => fault[key] !== undefined);
  if (counting && second) refuse(second, `\`${counting}\` and \`${second}\` cannot be used together`);
  if (fault.probability === 0) refuse('probability', 'a fault with the probability 0 never breaks a call');
  if (fault.server !== undefined && border !== 'mcp') refuse('server', '`server` belongs to the border `mcp`');
  if (fault.exitCode !== undefined && border !== 'cli' && border !== 'call')
    refuse('exitCode', '`exitCode` belongs to the border `cli`');
  if (fault.status !== undefined && border !== 'model' && border !== 'call')
    refuse('status', '`status` belongs to the border `model`');
  const { keys = [], why = '' } = unusable[border] ?? {};
  for (const key of keys)
    if (fault[key] !== undefined) refuse(key, `\`${key}\` cannot be used at the border \`${border}\`${why}`);
  if (border !== 'model' && fault.args !== undefined && Array.isArray(fault.args) !== (border === 'cli')) {
    const wanted = border === 'cli' ? 'a list of first arguments' : 'an object with arguments by name';
    refuse('args', `\`args\` at the border \`${border}\` must be ${wanted}`);
  }
  return problems;
}

/** Name of the variant without faults beside those of named fault sets. */
export const faultFree = 'none';

/** The section `faults` of a file whose tools under test are called at the given border. */
export function faultsSectionSchema(border: Border) {
  return lazySchema(() => {
    const list = z
      .array(
        faultSchema.superRefine((fault, context) => {
          for (const { key, message } of problemsOf(fault, fault.border ?? border))
            context.addIssue({ code: 'custom', path: [key], message });
        }),
      )
      .min(1);
    const sets = z.record(z.string().min(1), list).superRefine((named, context) => {
      if (Object.hasOwn(named, faultFree))
        context.addIssue({
          code: 'custom',
          path: [faultFree],
          message: `\`${faultFree}\` is the name of the variant without faults`,
          params: { hint: 'Give the faults another name; the variant without faults is always there.' },
        });
    });
    return z
      .union([list, sets])
      .optional()
      .describe(
        'calls that Assay breaks on purpose: a list, or named lists, which are one variant each beside one without faults',
      );
  });
}
export type FaultsSection = z.output<ReturnType<typeof faultsSectionSchema>>;

/** A fault with its place in the file, as `file:line:column`. */
export interface PlacedFault {
  readonly fault: Fault;
  readonly border: Border;
  readonly place: string;
  /** The variant in which it acts; undefined for one that acts in all. */
  readonly set?: string | undefined;
}

/** Faults in the order of the file, each with its path and the name of its set. */
export function listedFaults(
  written: NonNullable<FaultsSection>,
): { readonly fault: Fault; readonly path: readonly (string | number)[]; readonly set?: string }[] {
  if (Array.isArray(written)) return written.map((fault, index) => ({ fault, path: [index] }));
  return Object.entries(written).flatMap(([set, faults]) =>
    faults.map((fault, index) => ({ fault, path: [set, index], set })),
  );
}

/** Names of the variants that named fault sets make, the one without faults first; empty where faults have no names. */
export function faultVariants(written: FaultsSection): string[] {
  return written === undefined || Array.isArray(written) ? [] : [faultFree, ...Object.keys(written)];
}
