import * as z from 'zod';
import { eventsOf, hasEvent, type Trace } from './trace.ts';

/** Approvals of a trial in its record. */
export const approvalFactsSchema = z.object({
  rules: z.array(z.string()).describe('places of the rules of the policy; empty where there was none'),
  answers: z
    .array(
      z.object({
        tool: z.string().describe('with its server, as `server/tool`'),
        answer: z.enum(['allow', 'deny', 'none']),
        rule: z.string().nullable().describe('place of the rule that answered'),
        times: z.int().min(1),
      }),
    )
    .describe('requests that were answered alike'),
});
export type ApprovalFacts = z.infer<typeof approvalFactsSchema>;

/** The approvals of a trial; undefined where there was no policy and no request. */
export function approvalFactsIn(trace: Trace): ApprovalFacts | undefined {
  if (!hasEvent(trace, 'approval-policy') && !hasEvent(trace, 'approval')) return undefined;
  const answers = new Map<string, ApprovalFacts['answers'][number]>();
  for (const { tool: name, server, answer, rule } of eventsOf(trace, 'approval')) {
    const tool = server === undefined ? name : `${server}/${name}`;
    const key = JSON.stringify([tool, answer, rule]);
    answers.set(key, { tool, answer, rule, times: (answers.get(key)?.times ?? 0) + 1 });
  }
  return { rules: eventsOf(trace, 'approval-policy').flatMap(({ rules }) => rules), answers: [...answers.values()] };
}
