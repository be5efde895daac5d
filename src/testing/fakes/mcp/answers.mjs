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

const meta = 'io.modelcontextprotocol/';
const { protocolVersion: _handshakes, serverInfo, ...described } = greeting;
const cacheable = { ttlMs: 60_000, cacheScope: 'private' };

export const discovered = {
  supportedVersions: ['2026-07-28'],
  ...described,
  ...cacheable,
  _meta: { [`${meta}serverInfo`]: serverInfo },
};

/** Text that a client may be tempted to change: spaces, escapes, and characters of more than one unit. */
const requestState = ' {"step":1}\u0000\\u00e9 🎈\n';

const askInRounds = ({ inputResponses, requestState: state, _meta }) => {
  if (_meta[`${meta}clientCapabilities`].sampling === undefined) {
    throw { code: -32021, message: 'Sampling is needed', data: { requiredCapabilities: { sampling: {} } } };
  }
  const request = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 10 } };
  if (inputResponses === undefined) {
    return { resultType: 'input_required', inputRequests: { question: request }, requestState };
  }
  if (state !== requestState) throw { code: -32602, message: `Another state: ${JSON.stringify(state)}` };
  return { resultType: 'complete', ...text(JSON.stringify(inputResponses.question)) };
};

const olderResult = (older, message, send) =>
  new Promise((resolve, reject) => {
    const take = (part) => {
      if (part.id !== message.id) send(part);
      else if (part.error) reject(part.error);
      else resolve({ resultType: 'complete', ...part.result, ...(message.method === 'tools/list' && cacheable) });
    };
    void older(message, take);
  });

/** Answers of a server from 2026-07-28 on that does all things right; `send` carries what it says beside them. */
export function openModernAnswers() {
  const older = openAnswers();
  const listening = new Map();

  const listen = ({ id, params: { notifications } }, send) => {
    const tagged = { [`${meta}subscriptionId`]: id };
    send({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications, _meta: tagged },
    });
    return new Promise((resolve) => {
      const end = () => resolve({ resultType: 'complete', _meta: tagged });
      listening.set(id, { notifications, send, end, tagged });
    });
  };

  const resultOf = (message, send) => {
    const { method, params } = message;
    if (method === 'initialize') throw { code: -32601, message: 'No handshake', data: { supported: ['2026-07-28'] } };
    const version = params?._meta?.[`${meta}protocolVersion`];
    if (version === undefined) throw { code: -32602, message: 'The protocol version is missing' };
    if (version !== '2026-07-28') throw { code: -32022, message: 'No', data: { supported: ['2026-07-28'] } };
    if (method === 'server/discover') return { resultType: 'complete', ...discovered };
    if (method === 'ping') throw { code: -32601, message: 'Method not found', data: { method } };
    if (method === 'subscriptions/listen') return listen(message, send);
    if (method === 'tools/call' && params.name === 'ask') return askInRounds(params);
    if (method === 'tools/call' && params.name === 'log' && params._meta[`${meta}logLevel`] === undefined) {
      return { resultType: 'complete', ...text('not logged') };
    }
    return olderResult(older, message, send);
  };

  const answer = async (message, send) => {
    if (message.id === undefined) {
      listening.get(message.params?.requestId)?.end();
      return older(message, send);
    }
    const { id } = message;
    const body = await Promise.resolve()
      .then(() => resultOf(message, send))
      .then(
        (result) => ({ result }),
        (error) => ({ error }),
      );
    listening.delete(id);
    send({ jsonrpc: '2.0', id, ...body });
  };
  /** Reports a change to those who requested it, on their own streams. */
  const announce = (method, key) => {
    for (const { notifications, send, tagged } of listening.values()) {
      if (notifications[key]) send({ jsonrpc: '2.0', method, params: { _meta: tagged } });
    }
  };
  return { answer, announce, listening };
}

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
        send({
          jsonrpc: '2.0',
          id: 'ask-1',
          method: 'sampling/createMessage',
          params: { messages: [], maxTokens: 10 },
        });
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
