import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describeControl } from '../../../domain/control-of-trial.ts';
import { AssayError } from '../../../domain/errors.ts';
import { mcpControl } from '../../../drive/mcp/control/mcp-control.ts';
import { MockWire } from '../../../drive/mcp/control/mocked-server.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { serverError } from '../../../shared/json-rpc.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { readServerArgument } from './mcp-check/server-argument.ts';

/** The code of JSON-RPC for a line that cannot be read. */
const parseError = -32_700;

/** `assay mcp mock`: a server that exists only as data, for any client that starts servers. */
export const mcpMock: CliCommand = {
  configure(command) {
    command.argument('<file>', 'file with the server, or with a `server` section that has it');
  },
  run: async ({ args: [file = ''], context }) => {
    const { definition } = await readServerArgument([file], {}, context.cwd);
    if (definition.transport !== 'mock')
      throw new AssayError('USAGE', `The server in "${file}" is not a mocked one.`, {
        hint: 'Set `transport: mock`, and describe its `tools` with their `answers`.',
      });
    const { stdin, stderr } = context;
    if (stdin.isTTY) await write(stderr, 'Speaking MCP on stdin and stdout. Ctrl-D ends it.\n');
    const control = mcpControl(undefined, {
      server: definition.name,
      seed: '',
      onAction: (action) => void stderr.write(`${describeControl(action)}\n`),
    });
    await serve((listener) => new MockWire(definition, control, listener), context);
    return 0;
  },
};

/** Passes messages between the standard streams and a wire until the input ends. */
async function serve(open: (listener: ConstructorParameters<typeof MockWire>[2]) => MockWire, context: CliContext) {
  const send = (message: unknown): void => void context.stdout.write(`${JSON.stringify(message)}\n`);
  await using wire = open({
    onMessage: send,
    onStray: () => undefined,
    onEnd: () => undefined,
    onUnanswered: (id, { what }) =>
      send({ jsonrpc: '2.0', id, error: { code: serverError, message: `The server ${what}` } }),
  });
  const lines = createInterface({ input: context.stdin });
  lines.on('line', (line) => {
    if (line.trim() === '') return;
    const message = parseJson(line);
    if (isRecord(message)) wire.send(message);
    else send({ jsonrpc: '2.0', id: null, error: { code: parseError, message: 'The line is not a message.' } });
  });
  await once(lines, 'close');
  await wire.settled();
}
