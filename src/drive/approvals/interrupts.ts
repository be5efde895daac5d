import type { ApprovalBorder, Approver } from '../../domain/approval-event.ts';
import { isRecord } from '../../shared/json.ts';

/** An agent that waits for a decision of its user. */
export interface Interrupt {
  /** By which it is answered. */
  readonly id: string | undefined;
  readonly value: unknown;
}

interface WantedAction {
  readonly tool: string;
  readonly args: unknown;
}

/** Tool of a rule that is about questions which name no tool. */
const question = 'interrupt';

/**
 * The value by which a graph goes on. Interrupts of LangChain's middleware and of its inbox name the calls that need a
 * decision, and take one for each; any other is answered by `content` of the rule, else by true or false.
 */
export async function resumeValue({ value }: Interrupt, border: ApprovalBorder, approver: Approver): Promise<unknown> {
  const wanted = actionsOfMiddleware(value);
  if (wanted) {
    const decisions: unknown[] = [];
    for (const action of wanted) decisions.push(await decisionOf(action, border, approver));
    return { decisions };
  }
  const inbox = actionsOfInbox(value);
  if (inbox) {
    const responses: unknown[] = [];
    for (const action of inbox) responses.push(await responseOf(action, border, approver));
    return responses;
  }
  const { answer, content } = await approver.answer({ border, tool: question, request: value });
  return answer === 'allow' && content !== undefined ? content : answer === 'allow';
}

async function decisionOf({ tool, args }: WantedAction, border: ApprovalBorder, approver: Approver): Promise<object> {
  const { answer, content, reason } = await approver.answer({ border, tool, request: args });
  if (answer !== 'allow') return { type: 'reject', ...(reason !== undefined && { message: reason }) };
  return content === undefined ? { type: 'approve' } : { type: 'edit', edited_action: { name: tool, args: content } };
}

async function responseOf({ tool, args }: WantedAction, border: ApprovalBorder, approver: Approver): Promise<object> {
  const { answer, content, reason } = await approver.answer({ border, tool, request: args });
  if (answer !== 'allow') return { type: 'ignore', args: reason ?? null };
  return content === undefined
    ? { type: 'accept', args: null }
    : { type: 'edit', args: { action: tool, args: content } };
}

/** `{ action_requests: [{ name, args }] }`; undefined for any other value. */
function actionsOfMiddleware(value: unknown): WantedAction[] | undefined {
  const list = isRecord(value) && Array.isArray(value.action_requests) ? value.action_requests : [];
  return allActions(list.map((each) => (isRecord(each) ? { tool: each.name, args: each.args } : {})));
}

/** `[{ action_request: { action, args } }]`, or one of them. */
function actionsOfInbox(value: unknown): WantedAction[] | undefined {
  const list = Array.isArray(value) ? value : [value];
  const actions = list.map((each) => (isRecord(each) && isRecord(each.action_request) ? each.action_request : {}));
  return allActions(actions.map(({ action, args }) => ({ tool: action, args })));
}

function allActions(actions: readonly { readonly tool?: unknown; readonly args?: unknown }[]) {
  const named = actions.flatMap(({ tool, args }) => (typeof tool === 'string' && tool !== '' ? [{ tool, args }] : []));
  return named.length > 0 && named.length === actions.length ? named : undefined;
}
