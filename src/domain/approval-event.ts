import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import { actionKindSchema } from './capability.ts';

/** Where an approval was requested. */
const approvalBorderSchema = lazySchema(() => z.enum(['acp', 'claude-code', 'elicitation', 'langgraph', 'ag-ui']));
export type ApprovalBorder = z.infer<typeof approvalBorderSchema>;

/** An approval that an agent requested, and how Assay answered in place of its user. */
export const approvalSchema = lazySchema(() =>
  z.object({
    border: approvalBorderSchema.describe('protocol of the request'),
    tool: z.string().describe('the tool that it is about; of a question without a tool, its kind or its method'),
    server: z.string().optional().describe('the MCP server that has the tool or asks'),
    kind: actionKindSchema.optional(),
    callId: z.string().optional().describe('of the tool call that it is about'),
    shellCommand: z.string().optional(),
    request: z.unknown().describe('arguments of the tool, the question or the form'),
    answer: z
      .enum(['allow', 'deny', 'none'])
      .describe('`none`: it could not be answered by the policy, so the agent was refused and the trial is an error'),
    content: z.unknown().optional().describe('values that were given with it'),
    reason: z.string().optional().describe('text for the agent, or the reason why nothing answered'),
    rule: z.string().nullable().describe('place of the rule that answered; null without a policy or a matching rule'),
    by: z.enum(['rule', 'script', 'command', 'judge', 'usual']).describe('how it was decided'),
    model: z.string().optional().describe('the judge'),
    durationMs: z.number(),
  }),
);
export type ApprovalFacts = z.infer<typeof approvalSchema>;

/** The policy of a trial. */
export const approvalPolicySchema = lazySchema(() =>
  z.object({
    name: z.string().nullable().describe('of the variant; null where the policy has no name'),
    rules: z.array(z.string()).describe('their places'),
  }),
);

const answerWords = { allow: 'allowed', deny: 'denied', none: 'not answered' } as const;
const deciders = {
  rule: 'by',
  script: 'by the script of',
  command: 'by the command of',
  judge: 'by the judge of',
} as const;

/** An approval as a line: `denied Bash: rm -rf / (by refund.yaml:7:5)`. */
export function describeApproval(approval: ApprovalFacts): string {
  const { tool, server, shellCommand, request, answer, by, rule, reason } = approval;
  const name = server === undefined ? tool : `${server} › ${tool}`;
  const decider = by === 'usual' ? 'without a policy' : `${deciders[by]} ${rule ?? 'no rule'}`;
  const why = reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`;
  return `${answerWords[answer]} ${name}: ${shellCommand ?? JSON.stringify(request) ?? ''} (${decider})${why}`;
}

/** A request as a border reads it. */
export interface ApprovalRequest
  extends Pick<ApprovalFacts, 'border' | 'tool' | 'server' | 'kind' | 'callId' | 'shellCommand' | 'request'> {
  /** Fields that must come with `allow`. */
  readonly required?: readonly string[];
}

export type ApprovalAnswer = Pick<ApprovalFacts, 'answer' | 'content' | 'reason'>;

/** Answers in place of the user of an agent. */
export interface Approver {
  /** Whether the scenario has a policy; otherwise everything is allowed. */
  readonly hasPolicy: boolean;
  answer(request: ApprovalRequest): Promise<ApprovalAnswer>;
  /** A request that could not be read, or whose answer could not be given. */
  lost(reason: string): void;
}
