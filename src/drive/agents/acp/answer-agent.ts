import type { AgentSession } from '../agent.ts';
import { fieldAt } from '../field-at.ts';
import { listOf, objectOf, textOf } from '../json-shapes.ts';
import { readTextFile, writeTextFile } from './acp-files.ts';
import type { AcpTerminals } from './acp-terminals.ts';
import type { AcpUpdates } from './acp-updates.ts';
import { RpcError } from './json-rpc-peer.ts';

interface AcpClient {
  readonly session: Pick<AgentSession, 'workDirectory'>;
  readonly terminals: AcpTerminals;
  readonly updates: AcpUpdates;
}

type Answer = (client: AcpClient, params: unknown) => unknown;

/** What an agent may ask of us. */
const answers = new Map<string, Answer>([
  ['session/request_permission', ({ updates }, params) => allow(updates, params)],
  ['fs/read_text_file', ({ session }, params) => readTextFile(params, session.workDirectory)],
  ['fs/write_text_file', ({ session }, params) => writeTextFile(params, session.workDirectory)],
  ['terminal/create', ({ terminals }, params) => terminals.create(params)],
  ['terminal/output', ({ terminals }, params) => terminals.output(params)],
  ['terminal/wait_for_exit', ({ terminals }, params) => terminals.waitForExit(params)],
  ['terminal/kill', ({ terminals }, params) => terminals.kill(params)],
  ['terminal/release', ({ terminals, updates }, params) => release(terminals, updates, params)],
]);

/** Answers a request of the agent, or refuses it with an RpcError. */
export function answerAgent(client: AcpClient, method: string, params: unknown): unknown {
  const answer = answers.get(method);
  if (answer === undefined) throw new RpcError(-32_601, `there is no method ${method}`);
  return answer(client, params);
}

async function release(terminals: AcpTerminals, updates: AcpUpdates, params: unknown): Promise<object> {
  updates.terminalEnded(await terminals.release(params));
  return {};
}

/** The work directory is the agent's to work in, so whatever it asks to do there is allowed. */
function allow(updates: AcpUpdates, params: unknown): object {
  updates.permission(params);
  const options = listOf(fieldAt(params, 'options')).map(objectOf);
  const chosen =
    options.find(({ kind }) => kind === 'allow_always') ?? options.find(({ kind }) => kind === 'allow_once');
  const optionId = textOf(chosen?.optionId);
  return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
}
