import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../domain/errors.ts';
import { runningServers } from '../../testing/fakes/mcp/running-servers.ts';
import { stdioDefinition } from '../../testing/fakes/mcp/stdio-definition.ts';
import { openSession } from './open-session.ts';
import { serverDefinitionSchema } from './server-definition.ts';

const options = { directory: import.meta.dirname, env: process.env, timeoutMs: 20_000 };

describe('a server that does not get as far as a session', () => {
  it.each<[string, ErrorCode, RegExp]>([
    ['dies at once', 'MCP_SERVER_NOT_STARTED', /ended with exit code 3.*first line \| Cannot find module "left-pad"/],
    ['dies at the greeting', 'MCP_SERVER_NOT_STARTED', /exit code 4/],
    ['refuses the greeting', 'MCP_SERVER_NOT_STARTED', /refused to start a session: no database \(-32603\)/],
    [
      'old version',
      'MCP_PROTOCOL_VIOLATED',
      /uses version 1999-12-31 of the protocol; Assay supports 2026-07-28, 2025/,
    ],
    ['newer version', 'MCP_VERSION_UNSUPPORTED', /uses version 2099-01-01 of the protocol, which is not supported by/],
    [
      'newer versions',
      'MCP_VERSION_UNSUPPORTED',
      /only version 2099-01-01 .* by this Assay; it supports 2026-07-28, 2025/,
    ],
    ['no version', 'MCP_PROTOCOL_VIOLATED', /refuse: `result.protocolVersion`: missing, and must be a string/],
    ['no name', 'MCP_PROTOCOL_VIOLATED', /refuse: `result.serverInfo.name`: missing, and must be a string/],
    ['no capabilities', 'MCP_PROTOCOL_VIOLATED', /refuse: `result.capabilities`: missing, and must be an object/],
    ['junk flood', 'MCP_PROTOCOL_VIOLATED', /printed 10000 lines that are not messages/],
    ['endless line', 'MCP_PROTOCOL_VIOLATED', /a line of more than 16777216 bytes, which begins with xxx/],
  ])('%s: %s', async (mode, code, says) => {
    const opening = openSession(stdioDefinition(mode), options);
    await expect(opening).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
    await expect(opening).rejects.toThrow(`stdio-server.mjs ${mode} ${process.pid}"`);
    expect(runningServers(mode)).toEqual([]);
  });

  it.concurrent.each<[string, RegExp]>([
    ['silent', /did not answer initialize within 3000 ms\.$/],
    ['junk only', /within 3000 ms\. It sent 2 lines that are not messages, the first: Server is listening\./],
  ])('%s: time is up', async (mode, says) => {
    const opening = openSession(stdioDefinition(mode), { ...options, timeoutMs: 3_000 });
    await expect(opening).rejects.toMatchObject({ code: 'MCP_SERVER_TIMEOUT', message: expect.stringMatching(says) });
    expect(runningServers(mode)).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['no program', { command: 'no-such-program-anywhere' }, /could not be started: there is no such program/],
    ['no folder', { command: 'node', cwd: 'no-such-folder' }, /its working folder ".*no-such-folder" does not exist/],
    ['no executable', { command: `${import.meta.dirname}/session.ts` }, /permission to execute it is denied/],
    ['no possible name', { command: 'no\0de' }, /could not be started/],
  ])('%s', async (_name, definition, says) => {
    const opening = openSession(serverDefinitionSchema().parse(definition), options);
    await expect(opening).rejects.toMatchObject({
      code: 'MCP_SERVER_NOT_STARTED',
      message: expect.stringMatching(says),
    });
  });

  it('is given up when its caller aborts', async () => {
    const stop = new AbortController();
    const opening = openSession(stdioDefinition('silent'), { ...options, signal: stop.signal });
    setImmediate(() => stop.abort());
    await expect(opening).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});

describe('a server without a handshake that does not get as far as a session', () => {
  it.each<[string, ErrorCode, RegExp]>([
    ['dies at once', 'MCP_SERVER_NOT_STARTED', /ended with exit code 3.*first line \| Cannot find module "left-pad"/],
    ['old version', 'MCP_PROTOCOL_VIOLATED', /uses only version 1999-12-31 of the protocol; Assay supports 2026-07-28/],
    ['newer version', 'MCP_VERSION_UNSUPPORTED', /only version 2099-01-01 .*, which is not supported by this Assay/],
    ['newer versions', 'MCP_VERSION_UNSUPPORTED', /only version 2099-01-01 .* it supports 2026-07-28, 2025-11-25/],
    ['refuses its own version', 'MCP_PROTOCOL_VIOLATED', /refused version 2026-07-28, which it says it supports/],
    ['discovery without capabilities', 'MCP_PROTOCOL_VIOLATED', /answered server\/discover without `capabilities`/],
    ['junk flood', 'MCP_PROTOCOL_VIOLATED', /printed 10000 lines that are not messages/],
    ['endless line', 'MCP_PROTOCOL_VIOLATED', /a line of more than 16777216 bytes, which begins with xxx/],
  ])('%s: %s', async (mode, code, says) => {
    const opening = openSession(stdioDefinition(mode, {}, 'modern'), options);
    await expect(opening).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
    expect(runningServers(mode)).toEqual([]);
  });
});
