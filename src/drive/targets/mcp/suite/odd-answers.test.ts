import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runSuite } from '../../../../testing/support/suite-run.ts';

const serverFile = fileURLToPath(new URL('../../../../testing/fakes/mcp/odd-server.mjs', import.meta.url));
const oddServer = (era: string) => ({ transport: 'stdio', command: 'node', args: [serverFile, era] });

const taken = ['as it should be', 'id as a text', 'one more key in the result', 'one more key in a block'];

/** Each with the place that the error names. */
const refused: Readonly<Record<string, string>> = {
  'content is an object': '`result.content`: expected array, received object',
  'content is null': '`result.content`: expected array, received null',
  'unknown block': '`result.content[1].type`: expected one of "text", "image", "audio", "resource_link", "resource"',
  'block without text': '`result.content[1].text`: missing, and must be a string',
  'picture that is not base64': '`result.content[1].data`: Invalid Base64 string',
  'isError is a text': '`result.isError`: expected boolean, received string',
  'isError is a number': '`result.isError`: expected boolean, received number',
  'version 1.0': '`message.jsonrpc`: expected "2.0"',
  'no version': '`message.jsonrpc`: expected "2.0"',
  batch: '`message`: a batch of messages, which the protocol does not have',
  'result and error': '`message.error`: expected object, received null',
  'one more key': '`message`: Unrecognized key: "took"',
};

/** Messages that the server sends on its own, with what the error names. */
const refusedBefore = {
  'progress without a number': expect.stringContaining('notifications/progress'),
  'log message of an unknown level': expect.stringContaining('notifications/message'),
  'update without an address': expect.stringContaining('notifications/resources/updated'),
  'sampling without messages': expect.stringContaining('sampling/createMessage'),
};

describe.each(['legacy', 'modern'])('a test of a tool of the %s protocol', (era) => {
  it('is an error of the server where official clients refuse the answer, and passes where they take it', async () => {
    const places = { ...refused, ...(era === 'modern' && { 'no result type': '`result.resultType`: missing' }) };
    const names = [...Object.keys(places), ...taken];
    const tests = names.map((name) => ({ name, args: {}, expectedResult: 'hi' }));
    const { record, entries } = await runSuite({ tests }, { server: oddServer(era) });
    expect(entries.map(({ toolName, state }) => [toolName, state])).toEqual([
      ...Object.keys(places).map((name) => [name, 'error']),
      ...taken.map((name) => [name, 'pass']),
    ]);
    for (const [index, place] of Object.values(places).entries())
      expect(entries[index]?.details).toContain(`with a message that official clients refuse: ${place}`);
    expect(record).toMatchObject({ outcome: 'error', fault: { code: 'MCP_PROTOCOL_VIOLATED', blame: 'target' } });
  });

  it.each(Object.entries(refusedBefore))(
    'cannot be judged where official clients refuse what came before the answer: %s',
    async (name, place) => {
      const isRequest = name.startsWith('sampling') && era === 'modern';
      const { record, entries } = await runSuite(
        { tests: [{ name, args: {}, expectedResult: 'hi' }] },
        { server: oddServer(era) },
      );
      expect(entries).toMatchObject([{ state: 'pass' }]);
      // Versions without requests of servers do not have this one at all.
      if (isRequest) expect(record.outcome).toBe('pass');
      else expect(record).toMatchObject({ outcome: 'error', fault: { code: 'NOT_OBSERVED', message: place } });
    },
  );
});
