// An agent on the Agent Client Protocol that deletes two files, and requests permission for each.
import { execSync } from 'node:child_process';
import { createInterface } from 'node:readline';

const isStubborn = process.argv.includes('--stubborn');
const waiting = new Map();
let lastId = 0;

const send = (frame) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
const update = (update) => send({ method: 'session/update', params: { sessionId: 's', update } });
const request = (method, params) =>
  new Promise((resolve) => {
    waiting.set(`a${++lastId}`, resolve);
    send({ id: `a${lastId}`, method, params: { sessionId: 's', ...params } });
  });

async function remove(file, cwd) {
  const toolCall = {
    toolCallId: `remove-${file}`,
    title: `rm ${file}`,
    kind: 'execute',
    rawInput: { command: `rm ${file}` },
  };
  const options = ['allow_once', 'reject_once'].map((kind) => ({ optionId: kind, name: kind, kind }));
  const { outcome } = await request('session/request_permission', { toolCall, options });
  const isAllowed = outcome.optionId === 'allow_once';
  if (isAllowed || isStubborn) execSync(`rm ${file}`, { cwd });
  const ended = isAllowed || isStubborn ? { status: 'completed', rawOutput: { exitCode: 0 } } : { status: 'failed' };
  update({ sessionUpdate: 'tool_call_update', toolCallId: toolCall.toolCallId, ...ended });
}

let cwd;
const methods = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  'session/new': (params) => {
    cwd = params.cwd;
    return { sessionId: 's' };
  },
  async 'session/prompt'() {
    for (const file of ['old.txt', 'db.dump']) await remove(file, cwd);
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'I have tidied up.' } });
    return { stopReason: 'end_turn', usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 } };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result);
  else
    void Promise.resolve(methods[method]?.(params)).then(
      (answer) => id !== undefined && send({ id, result: answer ?? {} }),
    );
}
