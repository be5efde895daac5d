import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../domain/errors.ts';
import { isRunning, runningServers } from '../../../testing/fakes/mcp/running-servers.ts';
import { stdioDefinition } from '../../../testing/fakes/mcp/stdio-definition.ts';
import { openSession } from '../open-session.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { Era, McpSession } from '../session.ts';

const limits = { timeoutMs: 20_000 };
const soon = { timeoutMs: 150 };
const options = { directory: import.meta.dirname, env: process.env, ...limits };

type Use = (session: McpSession) => Promise<unknown>;
const call: Use = (session) => session.callTool('echo', { text: 'x' }, limits);
const shortCall: Use = (session) => session.callTool('echo', { text: 'x' }, soon);
const callAfterClosing: Use = async (session) => {
  const closed = new Promise((resolve) => session.onNotification('notifications/closed', resolve));
  await session.request(session.aliveMethod, {}, limits);
  await closed;
  return call(session);
};
const list: Use = (session) => session.listTools(limits);

describe.each<Era>(['legacy', 'modern'])('a server of the %s era that goes wrong in a session', (era) => {
  const define = (mode: string): ServerDefinition => stdioDefinition(mode, {}, era);

  it.each<[string, Use, ErrorCode, RegExp]>([
    ['wrong ids', shortCall, 'MCP_SERVER_TIMEOUT', /It sent 1 answers to unknown requests/],
    ['no ids', shortCall, 'MCP_SERVER_TIMEOUT', /It sent 1 messages with neither a method nor an id/],
    [
      'pretty printed',
      shortCall,
      'MCP_SERVER_TIMEOUT',
      /It sent \d+ lines of messages that are printed over several lines, the first: \{\.$/,
    ],
    ['cut off message', shortCall, 'MCP_SERVER_TIMEOUT', /It sent 1 lines that are not messages/],
    ['result is a list', call, 'MCP_PROTOCOL_VIOLATED', /refuse: `message.result`: expected object, received array/],
    ['result is missing', call, 'MCP_PROTOCOL_VIOLATED', /refuse: `message.result`: missing, and must be an object/],
    ['error without code', call, 'MCP_PROTOCOL_VIOLATED', /refuse: `message.error`: expected object, received string/],
    ['nested too deep', call, 'MCP_PROTOCOL_VIOLATED', /nested more than 500 levels deep/],
    ['endless pages', list, 'MCP_PROTOCOL_VIOLATED', /more than 200 pages/],
    ['same page', list, 'MCP_PROTOCOL_VIOLATED', /the same page again and again/],
    ['tools are no list', list, 'MCP_PROTOCOL_VIOLATED', /refuse: `result.tools`: expected array, received object/],
    [
      'tool without name',
      list,
      'MCP_PROTOCOL_VIOLATED',
      /refuse: `result.tools\[0\].name`: missing, and must be a string/,
    ],
    [
      'tool without schema',
      list,
      'MCP_PROTOCOL_VIOLATED',
      /refuse: `result.tools\[0\].inputSchema`: missing, and must be an object/,
    ],
    ['refuses the list', list, 'MCP_PROTOCOL_VIOLATED', /with the error -32603: no tools today/],
  ])('%s: only that request fails', async (mode, use, code, says) => {
    {
      await using session = await openSession(define(mode), options);
      const using = use(session);
      await expect(using).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
      await expect(using).rejects.toThrow(`stdio-server.mjs ${mode} ${process.pid}`);
      expect(session.broken).toBeUndefined();
      expect(await session.request(session.aliveMethod, {}, limits)).toMatchObject({ kind: 'result' });
    }
    expect(runningServers(mode)).toEqual([]);
  });

  it.each<[string, Use, ErrorCode, RegExp]>([
    ['dies at the list', list, 'MCP_SERVER_DIED', /exit code 6 while tools\/list waited for an answer/],
    ['dies in a call', call, 'MCP_SERVER_DIED', /exit code 139 while tools\/call waited.*stderr: Segmentation fault/],
    ['is killed in a call', call, 'MCP_SERVER_DIED', /ended by the signal SIGKILL while tools\/call waited/],
    ['closes stdout', call, 'MCP_SERVER_DIED', /closed its stdout, so no answer can come/],
    ['closes stdin', callAfterClosing, 'MCP_SERVER_DIED', /closed its stdin, so no request can be sent/],
    ['huge frame', call, 'MCP_PROTOCOL_VIOLATED', /a line of more than 16777216 bytes/],
  ])('%s: the session is over', async (mode, use, code, says) => {
    {
      await using session = await openSession(define(mode), options);
      const using = use(session);
      await expect(using).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
      await expect(using).rejects.toThrow(`stdio-server.mjs ${mode} ${process.pid}`);
      expect(session.broken).toMatchObject({ code });
      await expect(call(session)).rejects.toBe(session.broken);
    }
    expect(runningServers(mode)).toEqual([]);
  });

  it.each<[string, RegExp | undefined]>([
    ['junk between', /sent \d+ lines that are not messages, the first: \[info\] got a message/],
    ['duplicate answers', /answers to unknown requests/],
    ['ids as text', /sent 2 answers whose id is a text and not the number that was sent, the first: "/],
    ['answers without a request', /sent \d+ answers to unknown requests, the first: .*"id":99/],
    ['list of lists', /sent 2 messages that are not objects/],
    ['notification flood', undefined],
    [
      'request flood',
      era === 'modern' ? /sent 10000 requests, which this version of the protocol does not/ : undefined,
    ],
    ['endless stderr', undefined],
  ])('%s: is overlooked', async (mode, notice) => {
    {
      await using session = await openSession(define(mode), options);
      for (let time = 0; time < 2; time++) expect(await call(session)).toMatchObject({ kind: 'result' });
      expect(session.broken).toBeUndefined();
      expect(session.notices()).toEqual(notice ? [expect.stringMatching(notice)] : []);
      expect(session.stderr()?.length).toBeLessThan(40_000);
    }
    expect(runningServers(mode)).toEqual([]);
  });

  it('is ended with all that it started', async () => {
    let daemon: number;
    {
      await using session = await openSession(define('leaves a daemon'), options);
      daemon = Number(/daemon (\d+)/.exec(session.stderr() ?? '')?.[1]);
      expect(isRunning(daemon)).toBe(true);
    }
    expect(isRunning(daemon)).toBe(false);
    expect(runningServers('leaves a daemon')).toEqual([]);
  });

  it('is ended though it does not want to', async () => {
    await (await openSession(define('will not end'), options))[Symbol.asyncDispose]();
    expect(runningServers('will not end')).toEqual([]);
  });
});

describe('a server with a handshake that goes wrong', () => {
  it('dies when greeted: the session is over', async () => {
    await using session = await openSession(stdioDefinition('dies when greeted'), options);
    await expect(call(session)).rejects.toMatchObject({
      code: 'MCP_SERVER_DIED',
      message: expect.stringContaining('ended with exit code 5'),
    });
  });
});

describe('a server without a handshake that goes wrong', () => {
  const open = (mode: string): Promise<McpSession> =>
    openSession(stdioDefinition(mode, {}, 'modern'), { ...options, capabilities: { elicitation: {} } });

  it.each<[string, Use, ErrorCode, RegExp]>([
    ['unknown result type', call, 'MCP_PROTOCOL_VIOLATED', /tools\/call with the result type "perhaps"/],
    ['asks for nothing', call, 'MCP_PROTOCOL_VIOLATED', /has neither `inputRequests` nor `requestState`/],
    ['asks for unknown input', call, 'MCP_PROTOCOL_VIOLATED', /a request for files\/read, which is not an input/],
    ['asks for what is not offered', call, 'MCP_PROTOCOL_VIOLATED', /roots\/list, which the client does not offer/],
    ['asks with no method', call, 'MCP_PROTOCOL_VIOLATED', /an input request without a method: "it"/],
    ['state is a number', call, 'MCP_PROTOCOL_VIOLATED', /a `requestState` that is not text/],
    ['asks before it lists', list, 'MCP_PROTOCOL_VIOLATED', /answered tools\/list with a request for input/],
    ['no result type', call, 'MCP_PROTOCOL_VIOLATED', /refuse: `result.resultType`: missing/],
    ['asks without end', call, 'MCP_UNSUPPORTED', /needs input again and again .* Assay gives at most 25/],
    ['asks for everything at once', call, 'MCP_UNSUPPORTED', /needs 101 inputs at once .* at most 100/],
  ])('%s: only that request fails', async (mode, use, code, says) => {
    await using session = await open(mode);
    await expect(use(session)).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
    expect(session.broken).toBeUndefined();
    expect(await session.request(session.aliveMethod, {}, limits)).toMatchObject({ kind: 'result' });
  });

  it.each<[string, RegExp]>([
    ['refuses to report changes', /sent 1 refusals to report changes that it offers, the first: .*: No \(-32601\)/],
    ['does not acknowledge', /sent 1 requests for changes without an acknowledgement/],
  ])('%s: is overlooked', async (mode, notice) => {
    await using session = await open(mode);
    expect((await session.listTools(limits)).length).toBe(7);
    expect(await call(session)).toMatchObject({ kind: 'result' });
    expect(session.notices()).toEqual([expect.stringMatching(notice)]);
  });
});
