import type { ApprovalAnswer, Approver } from '../../../domain/approval-event.ts';
import { isRecord } from '../../../shared/json.ts';
import { type AgentActions, actionOf } from '../actions.ts';
import { fieldAt, objectOf, parseJsonObject, textOf } from '../json-shapes.ts';
import type { AgentDialogue } from '../stream-agent.ts';

/** Arguments by which Claude Code asks on its output, and reads answers from its input. */
export const permissionArguments = ['--input-format', 'stream-json', '--permission-prompt-tool', 'stdio'];

/** The prompt of a session that asks, and the answers to what it asks for. */
export function permissionDialogue(prompt: string, approver: Approver, actions: AgentActions): AgentDialogue {
  const opening = { type: 'user', message: { role: 'user', content: prompt } };
  return {
    opening: line(opening),
    async reply(text) {
      const frame = text.includes('"control_request"') ? parseJsonObject(text) : undefined;
      if (frame?.type !== 'control_request') return undefined;
      const requestId = textOf(frame.request_id);
      if (requestId === undefined) {
        approver.lost('the agent sent a request without an id');
        return undefined;
      }
      const response = await responseTo(objectOf(frame.request), approver, actions);
      return line({ type: 'control_response', response: { ...response, request_id: requestId } });
    },
    isEnd: (text) => text.includes('"result"') && parseJsonObject(text)?.type === 'result',
  };
}

async function responseTo(request: unknown, approver: Approver, actions: AgentActions): Promise<object> {
  const tool = textOf(fieldAt(request, 'tool_name'));
  const input = fieldAt(request, 'input');
  const subtype = textOf(fieldAt(request, 'subtype'));
  if (subtype !== 'can_use_tool' || tool === undefined || !isRecord(input)) {
    approver.lost(`a request of the agent could not be read: ${subtype ?? 'without a kind'}`);
    return { subtype: 'error', error: 'This request is not supported.' };
  }
  const action = actionOf(actions, tool);
  const shellCommand = action.kind === 'shell' ? textOf(input.command) : undefined;
  const callId = textOf(fieldAt(request, 'tool_use_id'));
  const answer = await approver.answer({
    border: 'claude-code',
    tool,
    request: input,
    ...(action.kind !== undefined && { kind: action.kind }),
    ...(shellCommand !== undefined && { shellCommand }),
    ...(callId !== undefined && { callId }),
  });
  return { subtype: 'success', response: decision(answer, input) };
}

/** Answers to questions of the agent are further fields of the input. */
function decision({ answer, content, reason }: ApprovalAnswer, input: Readonly<Record<string, unknown>>): object {
  if (answer !== 'allow') return { behavior: 'deny', message: reason ?? 'The user denied this.' };
  return { behavior: 'allow', updatedInput: { ...input, ...(isRecord(content) ? content : {}) } };
}

function line(frame: object): string {
  return `${JSON.stringify(frame)}\n`;
}
