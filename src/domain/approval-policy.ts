import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import { problemOfPattern } from '../shared/patterns.ts';
import { actionKindSchema } from './capability.ts';

const permission = lazySchema(() => z.enum(['allow', 'deny']));

const toolName = lazySchema(() =>
  z
    .string()
    .min(1)
    .refine((name) => !name.startsWith('kind:') || kinds().includes(name), {
      error: ({ input }) => `\`${String(input)}\` is not a kind of action: use ${kinds().join(', ')}`,
    }),
);

function kinds(): string[] {
  return actionKindSchema.options.map((kind) => `kind:${kind}`);
}

const pattern = lazySchema(() =>
  z.string().superRefine((text, context) => {
    const problem = problemOfPattern(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: `cannot be used as a pattern: ${problem}` });
  }),
);

const content = lazySchema(() =>
  z.unknown().optional().describe('given with `allow`: the fields of a form, or the reply to an interrupt'),
);

/** One answer of a list of them. */
const scriptedSchema = lazySchema(() =>
  z.union([
    permission,
    z.strictObject({
      answer: permission.describe('the answer'),
      content,
      reason: z.string().optional().describe('words for the agent, with `deny`'),
    }),
  ]),
);

/** Answers to the requests of an agent that a rule is about. */
export const approvalRuleSchema = lazySchema(() =>
  z
    .strictObject({
      tool: z
        .union([toolName, z.array(toolName).min(1)])
        .optional()
        .describe(
          'requests about these tools; `*` stands for any text, `kind:shell` for every shell, `server/tool` for the tool of an MCP server. All requests without it',
        ),
      matches: pattern
        .optional()
        .describe('requests in which this regular expression is found: in the command, else in the input as JSON'),
      answer: z
        .union([
          z.enum(['allow', 'deny', 'judge']),
          z.array(scriptedSchema).min(1).max(1_000),
          z.strictObject({ command: z.string().min(1).describe('shell command that prints the answer') }),
        ])
        .describe(
          '`allow`, `deny`, `judge` (a model decides), a list with one answer for each request in turn, or a command that reads the request on stdin and prints the answer',
        ),
      content,
      reason: z.string().optional().describe('words for the agent, with `deny`'),
      criterion: z.string().min(1).optional().describe('with `answer: judge`: when to allow, in words'),
      model: z
        .string()
        .min(1)
        .optional()
        .describe('with `answer: judge`: the model, as provider/model; by default the one that plays users'),
      timeoutSecs: z.number().positive().max(3_600).default(60).describe('time limit of a command or of the judge'),
    })
    .superRefine((rule, context) => {
      const refuse = (key: string, message: string): void => context.addIssue({ code: 'custom', path: [key], message });
      if (rule.answer === 'judge' && rule.criterion === undefined)
        refuse('answer', '`answer: judge` needs a `criterion`');
      for (const key of ['criterion', 'model'] as const)
        if (rule.answer !== 'judge' && rule[key] !== undefined) refuse(key, `\`${key}\` belongs to \`answer: judge\``);
      if (Array.isArray(rule.answer))
        for (const key of ['content', 'reason'] as const)
          if (rule[key] !== undefined) refuse(key, `write \`${key}\` into the answers of the list`);
    }),
);
export type ApprovalRule = z.output<typeof approvalRuleSchema>;

/** The section `approvals` of a scenario. */
export const approvalsSectionSchema = lazySchema(() => {
  const rules = z.array(approvalRuleSchema).min(1);
  return z
    .union([rules, z.record(z.string().min(1), rules)])
    .optional()
    .describe(
      'answers to what the agent asks for: a list of rules, of which the first that fits answers, or named lists, which are one variant each',
    );
});
export type ApprovalsSection = z.output<typeof approvalsSectionSchema>;

/** A rule with its place in the file, as `file:line:column`. */
export interface PlacedApprovalRule {
  readonly rule: ApprovalRule;
  readonly place: string;
  /** The variant in which it answers; undefined for one that answers in all. */
  readonly set?: string | undefined;
}

/** Rules in the order of the file, each with its path. */
export function listedApprovals(written: NonNullable<ApprovalsSection>) {
  const named = Array.isArray(written) ? [[undefined, written] as const] : Object.entries(written);
  return named.flatMap(([set, rules]) =>
    rules.map((rule, index) => ({
      rule,
      path: set === undefined ? [index] : [set, index],
      ...(set !== undefined && { set }),
    })),
  );
}

/** Names of the variants that named policies make; empty where the policy has no name. */
export function approvalVariants(written: ApprovalsSection): string[] {
  return written === undefined || Array.isArray(written) ? [] : Object.keys(written);
}

/** The rules that answer in a trial; undefined where its scenario has no policy. */
export function approvalsOfTrial({
  scenario: { approvals },
  variant,
}: {
  readonly scenario: { readonly approvals?: readonly PlacedApprovalRule[] | undefined };
  readonly variant: { readonly approvals?: string | undefined };
}): readonly PlacedApprovalRule[] | undefined {
  return approvals?.filter(({ set }) => set === undefined || set === variant.approvals);
}

/** Models that decide for the judge in a list of rules; undefined for the usual one. */
export function approvalJudges(rules: readonly Pick<PlacedApprovalRule, 'rule'>[]): (string | undefined)[] {
  return rules.flatMap(({ rule }) => (rule.answer === 'judge' ? [rule.model] : []));
}
