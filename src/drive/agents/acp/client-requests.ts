import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { RpcError } from '../../../shared/json-rpc.ts';
import type { AgentSession } from '../agent.ts';
import { fieldAt, listOf, numberOf, objectOf, textOf } from '../json-shapes.ts';
import type { AcpTerminals } from './terminals.ts';
import type { AcpUpdates } from './updates.ts';

/** No file that an agent edits as text is larger. */
const largestFileBytes = 10_000_000;

const invalidParams = -32_602;
const resourceNotFound = -32_002;

/** A pipe that the agent has put into its work directory must not keep us waiting, nor a link lead us astray. */
const guarded = constants.O_NONBLOCK | constants.O_NOFOLLOW;
const reading = constants.O_RDONLY | guarded;
const writing = constants.O_WRONLY | constants.O_CREAT | guarded;

/** Answers `fs/read_text_file`; only files of the work directory are read. */
async function readTextFile(params: unknown, workDirectory: string): Promise<{ content: string }> {
  const path = await pathInside(textOf(fieldAt(params, 'path')), workDirectory);
  await using file = await openFile(path, reading);
  const { size } = await file.stat();
  if (size > largestFileBytes) throw new RpcError(invalidParams, `${path} is too large: ${size} bytes`);
  const content = await file.readFile('utf8');
  const from = Math.max(1, numberOf(fieldAt(params, 'line')) ?? 1) - 1;
  const limit = numberOf(fieldAt(params, 'limit'));
  if (from === 0 && limit === undefined) return { content };
  const lines = content.split('\n').slice(from, limit === undefined ? undefined : from + limit);
  return { content: lines.join('\n') };
}

/** Answers `fs/write_text_file`; only files of the work directory are written. */
async function writeTextFile(params: unknown, workDirectory: string): Promise<object> {
  const content = fieldAt(params, 'content');
  if (typeof content !== 'string') throw new RpcError(invalidParams, 'content must be a string');
  const path = await pathInside(textOf(fieldAt(params, 'path')), workDirectory);
  await mkdir(dirname(path), { recursive: true });
  await using file = await openFile(path, writing);
  await file.truncate();
  await file.writeFile(content);
  return {};
}

async function openFile(path: string, flags: number): Promise<FileHandle> {
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) throw new RpcError(resourceNotFound, `there is no file ${path}`);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new RpcError(invalidParams, `${path} is not a file`);
}

/** The real path of a file that may not exist yet, once every link on the way to it has been followed. */
async function pathInside(path: string | undefined, workDirectory: string): Promise<string> {
  if (path === undefined || !isAbsolute(path)) throw new RpcError(invalidParams, 'path must be absolute');
  const real = await realPathOf(join(path));
  const fromRoot = relative(await realpath(workDirectory), real);
  if (fromRoot === '..' || fromRoot.startsWith(`..${sep}`) || isAbsolute(fromRoot)) {
    throw new RpcError(invalidParams, `${path} is outside the work directory`);
  }
  return real;
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // Writing through a broken link would create a file wherever it points to.
    if (await isThere(path)) throw new RpcError(invalidParams, `${path} is a broken link`);
    const parent = dirname(path);
    return parent === path ? path : join(await realPathOf(parent), basename(path));
  }
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

interface AcpClient {
  readonly session: Pick<AgentSession, 'workDirectory' | 'approver'>;
  readonly terminals: AcpTerminals;
  readonly updates: AcpUpdates;
}

type Answer = (client: AcpClient, params: unknown) => unknown;

/** Handlers of the requests that an agent may send. */
const answers = new Map<string, Answer>([
  ['session/request_permission', permission],
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

/** Asks the policy; without one everything is allowed, once and for all: the work directory is the agent's to work in. */
async function permission({ session: { approver }, updates }: AcpClient, params: unknown): Promise<object> {
  const call = updates.permission(params);
  const options = listOf(fieldAt(params, 'options')).map(objectOf);
  if (call === undefined || options.length === 0)
    approver.lost(`a request for permission ${call ? 'offers no answers' : 'names no tool call'}`);
  const { answer } = call ? await approver.answer({ border: 'acp', ...call }) : { answer: 'none' as const };
  const kinds = optionKinds(answer === 'allow', approver.hasPolicy);
  const chosen = kinds.map((kind) => options.find((option) => option.kind === kind)).find((option) => option);
  const optionId = textOf(chosen?.optionId);
  if (optionId !== undefined) return { outcome: { outcome: 'selected', optionId } };
  if (call && answer === 'allow' && options.length > 0)
    approver.lost(`"${call.tool}" was allowed, and the agent offers no option to allow it`);
  return { outcome: { outcome: 'cancelled' } };
}

/** Under a policy each request needs its own decision. */
function optionKinds(isAllowed: boolean, hasPolicy: boolean): readonly string[] {
  const verb = isAllowed ? 'allow' : 'reject';
  return isAllowed && !hasPolicy ? [`${verb}_always`, `${verb}_once`] : [`${verb}_once`, `${verb}_always`];
}
