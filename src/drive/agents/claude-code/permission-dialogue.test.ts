import { describe, expect, it } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest } from '../../../domain/approval-event.ts';
import { fixtureLines } from '../../../testing/fakes/agents/testing-stream.ts';
import { claudeActions } from './claude-code.ts';
import { permissionDialogue } from './permission-dialogue.ts';

/** Output of Claude Code 2.1.197, whose request for a command was denied. */
const lines = fixtureLines(new URL('./fixtures/denied.jsonl', import.meta.url));

async function answeredBy(answer: ApprovalAnswer, output: readonly string[] = lines) {
  const requests: ApprovalRequest[] = [];
  const losses: string[] = [];
  const approver = {
    hasPolicy: true,
    answer: async (request: ApprovalRequest) => {
      requests.push(request);
      return answer;
    },
    lost: (reason: string) => void losses.push(reason),
  };
  const dialogue = permissionDialogue('Do it', approver, claudeActions);
  const replies = (await Promise.all(output.map((line) => dialogue.reply(line)))).filter((reply) => reply);
  const ends = output.map((line) => dialogue.isEnd(line));
  return { dialogue, requests, losses, ends, replies: replies.map((reply) => JSON.parse(String(reply))) };
}

describe('the requests of Claude Code', () => {
  it('are read from its output, and answered on its input until its last line', async () => {
    const { dialogue, requests, replies, ends } = await answeredBy({ answer: 'deny', reason: 'no way' });
    expect(JSON.parse(dialogue.opening)).toEqual({ type: 'user', message: { role: 'user', content: 'Do it' } });
    expect(requests).toEqual([
      {
        border: 'claude-code',
        tool: 'Bash',
        kind: 'shell',
        shellCommand: 'touch made.txt',
        callId: expect.any(String),
        request: { command: 'touch made.txt', description: 'make' },
      },
    ]);
    const response = { behavior: 'deny', message: 'no way' };
    expect(replies).toMatchObject([{ type: 'control_response', response: { subtype: 'success', response } }]);
    expect(ends).toEqual(lines.map((_, index) => index === lines.length - 1));
  });

  it('are allowed with their input, to which content adds fields', async () => {
    const { replies } = await answeredBy({ answer: 'allow', content: { answers: { Which: 'A' } } });
    expect(replies[0].response.response).toEqual({
      behavior: 'allow',
      updatedInput: { command: 'touch made.txt', description: 'make', answers: { Which: 'A' } },
    });
  });

  it.each([
    ['of another kind', { type: 'control_request', request_id: 'r', request: { subtype: 'hook_callback' } }],
    ['without a tool', { type: 'control_request', request_id: 'r', request: { subtype: 'can_use_tool', input: {} } }],
    ['without an id', { type: 'control_request', request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {} } }],
  ])('that cannot be read are lost, and refused: %s', async (_, frame) => {
    const { requests, losses, replies } = await answeredBy({ answer: 'allow' }, [JSON.stringify(frame)]);
    expect(requests).toEqual([]);
    expect(losses).toHaveLength(1);
    for (const { response } of replies) expect(response.subtype).toBe('error');
  });
});
