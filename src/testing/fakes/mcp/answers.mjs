const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const inputSchema = { type: 'object' };

export const greeting = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'sample', version: '1.2.3' },
  instructions: 'Ask me anything.',
};

export const tools = [
  { name: 'echo', description: 'Repeats its text', inputSchema: { type: 'object', required: ['text'] } },
  { name: 'fail', description: 'Says that it failed', inputSchema },
  { name: 'hang', description: 'Answers when it is cancelled, which is too late', inputSchema },
  { name: 'cancelled', description: 'How many calls were cancelled', inputSchema },
  { name: 'ask', description: 'Asks the client for a completion', inputSchema },
  { name: 'log', description: 'Sends a log message before it answers', inputSchema },
  { name: 'surroundings', description: 'Where it runs, and one variable', inputSchema },
];

/** One session of a server that does all things right; `send` carries what it says to its client. */
export function openAnswers() {
  const pending = new Map();
  const hanging = new Map();
  let cancelled = 0;

  const call = async ({ name, arguments: args = {} }, id, send) => {
    if (name === 'echo') return text(args.text);
    if (name === 'fail') return { ...text('it did not work'), isError: true };
    if (name === 'cancelled') return text(cancelled);
    if (name === 'surroundings') return text(JSON.stringify({ cwd: process.cwd(), value: process.env.SAMPLE ?? null }));
    if (name === 'hang') return new Promise((resolve) => hanging.set(id, () => resolve(text('too late'))));
    if (name === 'log') {
      send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: args.text } });
      return text('logged');
    }
    if (name === 'ask') {
      const answer = await new Promise((resolve) => {
        pending.set('ask-1', resolve);
        send({ jsonrpc: '2.0', id: 'ask-1', method: 'sampling/createMessage', params: { messages: [] } });
      });
      return text(JSON.stringify(answer.result ?? answer.error));
    }
    throw { code: -32602, message: `Unknown tool: ${name}` };
  };

  const resultOf = async ({ method, params, id }, send) => {
    if (method === 'initialize') return greeting;
    if (method === 'ping') return {};
    if (method === 'tools/call') return call(params, id, send);
    if (method !== 'tools/list') throw { code: -32601, message: 'Method not found', data: { method } };
    // Two pages, to test that both are requested.
    return params?.cursor === 'rest' ? { tools: tools.slice(3) } : { tools: tools.slice(0, 3), nextCursor: 'rest' };
  };

  return async (message, send) => {
    if (message.method === undefined) pending.get(message.id)?.(message);
    else if (message.id === undefined) {
      if (message.method !== 'notifications/cancelled') return;
      cancelled++;
      hanging.get(message.params.requestId)?.();
    } else {
      const { id } = message;
      const answer = await resultOf(message, send).then(
        (result) => ({ result }),
        (error) => ({ error }),
      );
      send({ jsonrpc: '2.0', id, ...answer });
    }
  };
}
