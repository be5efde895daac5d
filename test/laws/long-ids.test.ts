import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { differenceOfResult, meaningOfResult } from '../../src/domain/tools/tool-meaning.ts';
import { lastAnswer } from '../../src/domain/trace.ts';
import { parseMessage } from '../../src/drive/mcp/wire/parse-message.ts';
import { commandTarget } from '../../src/drive/targets/call/command-target.ts';
import { httpTarget } from '../../src/drive/targets/call/http-target.ts';
import type { TargetKind } from '../../src/drive/targets/target.ts';
import { readByTarget } from './attempt.ts';
import { judgedBy } from './greener.ts';
import { listening } from './listening.ts';
import { part } from './subject.ts';

const written = '{"id":9007199254740993,"count":3}';
const kept = { id: '9007199254740993', count: 3 };

/** The states of criteria about the answer of a tool. */
async function statesOf(kind: TargetKind, config: object, env: Record<string, string | undefined>) {
  const { trials } = await readByTarget(kind, config, {}, { env });
  const { trace = [] } = trials.get('task') ?? {};
  expect(lastAnswer(trace)?.result).toEqual(kept);
  const criteria = [
    'result.id == "9007199254740993"',
    'result.id === 9007199254740993',
    'result.id == "9007199254740992"',
  ];
  const parts = criteria.map((text) => part('criteria', { passCriteria: [text] }));
  return [...(await judgedBy(trace, parts)).states.values()];
}

describe('an id that a number cannot hold keeps its digits', () => {
  it('in the answer of an HTTP endpoint, and is compared by them', async () => {
    await using server = await listening(createServer((_, response) => response.end(written)));
    expect(await statesOf(httpTarget, { url: server.url }, {})).toEqual(['pass', 'pass', 'fail']);
  });

  it('in the answer of a program, and is compared by them', async () => {
    const env = { PATH: process.env.PATH };
    expect(await statesOf(commandTarget, { command: `printf '${written}'` }, env)).toEqual(['pass', 'pass', 'fail']);
  });

  it('in results and arguments of MCP, as data and as text, and not in the schemas of tools', () => {
    const result = (inside: string) => parseMessage(`{"jsonrpc":"2.0","id":1,"result":${inside}}`);
    expect(result(`{"content":[],"structuredContent":${written}}`)).toMatchObject({
      result: { structuredContent: kept },
    });
    expect(parseMessage(`{"method":"tools/call","params":{"arguments":${written}}}`)).toMatchObject({
      params: { arguments: kept },
    });
    expect(result('{"tools":[{"inputSchema":{"maximum":9223372036854775807}}]}')).toMatchObject({
      result: { tools: [{ inputSchema: { maximum: 2 ** 63 } }] },
    });
    expect(meaningOfResult({ content: [{ type: 'text', text: written }] })).toEqual(kept);
  });

  it('and equals the number of a scenario file, which has lost its last digits', () => {
    const result = { content: [], structuredContent: kept };
    expect(differenceOfResult(JSON.parse(written), result)).toBeUndefined();
    expect(differenceOfResult({ id: 9_007_199_254_740_000, count: 3 }, result)).toMatchObject({ path: '$.id' });
  });
});
