import { AssayError } from '../../../domain/errors.ts';
import { counted } from '../../../shared/format.ts';
import { RpcError } from '../../../shared/json-rpc.ts';
import type { AgentExit, AgentMcpServer, AgentReport, AgentSession } from '../agent.ts';
import { type AgentTrace, ofUsage, ofWork } from '../agent-trace.ts';
import { concludeAgent, type ReportedError } from '../conclude.ts';
import type { JsonLineReader } from '../json-line-stream.ts';
import { fieldAt, type JsonObject, listOf, textOf } from '../json-shapes.ts';
import { answerAgent } from './client-requests.ts';
import { toReportedError } from './end.ts';
import { isExtension, JsonRpcPeer } from './json-rpc-peer.ts';
import { AcpTerminals } from './terminals.ts';
import { AcpUpdates } from './updates.ts';

/** An MCP server as `session/new` takes it. */
function acpMcpServer(name: string, server: AgentMcpServer): object {
  if ('url' in server) return { type: 'http', name, url: server.url, headers: pairs(server.headers) };
  return { name, command: server.command, args: server.args, env: pairs(server.env) };
}

function pairs(record: Readonly<Record<string, string>>): object[] {
  return Object.entries(record).map(([name, value]) => ({ name, value }));
}

interface ModelChoice {
  readonly peer: JsonRpcPeer;
  readonly sessionId: string;
  /** The answer to `session/new`, which lists the available models. */
  readonly offered: unknown;
}

/** Selects the model of the agent; returns a notice when the agent does not support that. */
async function chooseModel(model: string, { peer, sessionId, offered }: ModelChoice): Promise<string | undefined> {
  const options = listOf(fieldAt(offered, 'configOptions'));
  const option = options.find((one) => fieldAt(one, 'category') === 'model' || fieldAt(one, 'id') === 'model');
  const current = fieldAt(option, 'currentValue') ?? fieldAt(offered, 'models', 'currentModelId');
  if (current === undefined) return `the agent does not support choosing a model, so it may not use \`${model}\``;
  const models = modelsIn(option, offered);
  const value = idOf(model, models);
  if (current === value) return undefined;
  const configId = textOf(fieldAt(option, 'id'));
  try {
    if (configId === undefined) await peer.request('session/set_model', { sessionId, modelId: value });
    else await peer.request('session/set_config_option', { sessionId, configId, value });
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AssayError('AGENT_FAILED', `The agent rejected the model "${model}": ${why}`, {
      hint: `Use one of its models, such as ${models
        .slice(0, 5)
        .map(({ id }) => id)
        .join(', ')}.`,
    });
  }
}

interface OfferedModel {
  readonly id: string;
  readonly name: string | undefined;
}

/** Some agents have their own ids for models with a common name. */
function idOf(model: string, models: readonly OfferedModel[]): string {
  if (models.some(({ id }) => id === model)) return model;
  return models.find(({ name }) => name === model)?.id ?? model;
}

function modelsIn(option: unknown, offered: unknown): OfferedModel[] {
  const values = listOf(fieldAt(option, 'options')).map((one) => offeredModel(one, 'value'));
  const ids = listOf(fieldAt(offered, 'models', 'availableModels')).map((one) => offeredModel(one, 'modelId'));
  return [...values, ...ids].filter((one) => one !== undefined);
}

function offeredModel(one: unknown, idField: string): OfferedModel | undefined {
  const id = textOf(fieldAt(one, idField));
  return id === undefined ? undefined : { id, name: textOf(fieldAt(one, 'name')) };
}

const protocolVersion = 1;
const authenticationRequired = -32_000;
const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

/** One prompt to one agent over the Agent Client Protocol. */
export class AcpConversation implements JsonLineReader {
  readonly lineChannels = ofWork;
  readonly #session: AgentSession;
  readonly #trace: AgentTrace;
  readonly #terminals: AcpTerminals;
  readonly #updates: AcpUpdates;
  readonly #peer: JsonRpcPeer;
  #reportedError: ReportedError | undefined;
  #fault: AssayError | undefined;
  /** Whether the agent has reported how the prompt ended; after that the end of its process means nothing. */
  #isSettled = false;
  #sessionId: string | undefined;

  readonly handlers = { frame: (frame: JsonObject): void => this.#frame(frame) };

  constructor(session: AgentSession, trace: AgentTrace, send: (line: string) => void) {
    this.#session = session;
    this.#trace = trace;
    this.#terminals = new AcpTerminals(session);
    this.#updates = new AcpUpdates(trace, (id) => this.#terminals.recordOf(id));
    const client = { session, terminals: this.#terminals, updates: this.#updates };
    this.#peer = new JsonRpcPeer(send, {
      onRequest: (method, params) => answerAgent(client, method, params),
      onNotification: (method, params) => this.#notification(method, params),
    });
  }

  kindOf(): string {
    return 'frame';
  }

  get isClosed(): boolean {
    return this.#isSettled;
  }

  /** Runs the agent's task; resolves when the agent has ended in any way, and never rejects. */
  async hold(): Promise<void> {
    try {
      const sessionId = await this.#open();
      this.#sessionId = sessionId;
      const prompt = [{ type: 'text', text: this.#session.prompt }];
      const answer = await this.#peer.request('session/prompt', { sessionId, prompt });
      this.#settle(this.#updates.promptAnswered(answer));
    } catch (error) {
      this.#failed(error);
    }
    await this.#terminals.endAll();
    this.#updates.flush();
    for (const id of this.#terminals.ids) this.#updates.terminalEnded(id);
  }

  /** To be called when the agent's process has ended. */
  processEnded(): void {
    this.#peer.close(new Error('The process of the agent ended.'));
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    const { sawWork, turnsBegun } = this.#trace;
    if (!this.#updates.hasTokens) this.#trace.gap(ofUsage, 'the agent reported no tokens');
    const turns = turnsBegun === 0 ? undefined : turnsBegun;
    const early = exit.exitCode === 0 ? { message: 'it ended before it had answered the prompt' } : undefined;
    const judgedExit = this.#isSettled ? { exitCode: 0, signal: null, timedOut: exit.timedOut } : exit;
    const reportedError = this.#isSettled ? this.#reportedError : early;
    const report = concludeAgent({ exit: judgedExit, reportedError, sawWork, stderrTail, turns });
    return { ...report, exit, fault: this.#fault ?? report.fault };
  }

  async #open(): Promise<string> {
    const clientInfo = { name: 'assay', title: 'Assay', version: '1' };
    const agent = await this.#peer.request('initialize', { protocolVersion, clientCapabilities, clientInfo });
    const about = fieldAt(agent, 'agentInfo');
    // The only source for the version of an agent that was started by a command.
    if (about !== undefined) this.#trace.other('agent-info', about);
    const offered = await this.#newSession(agent);
    const sessionId = textOf(fieldAt(offered, 'sessionId'));
    if (sessionId === undefined)
      throw new AssayError('AGENT_FAILED', 'The agent answered `session/new` without a session id.');
    const { model } = this.#session;
    const notice = model === undefined ? undefined : await chooseModel(model, { peer: this.#peer, sessionId, offered });
    if (notice !== undefined) this.#trace.notice(notice);
    return sessionId;
  }

  /** An agent that requires a login is configured to use the key in its environment. */
  async #newSession(agent: unknown): Promise<unknown> {
    const mcpServers = Object.entries(this.#session.mcpServers).map(([name, server]) => acpMcpServer(name, server));
    const params = { cwd: this.#session.workDirectory, mcpServers };
    try {
      return await this.#peer.request('session/new', params);
    } catch (error) {
      const methodIds = listOf(fieldAt(agent, 'authMethods')).map((method) => textOf(fieldAt(method, 'id')));
      const methodId = methodIds.find((id) => id !== undefined && /api[-_ ]?key/i.test(id));
      if (!isAboutLogin(error) || methodId === undefined) throw error;
      await this.#peer.request('authenticate', { methodId });
      return await this.#peer.request('session/new', params);
    }
  }

  #frame(frame: JsonObject): void {
    if (this.#isSettled) return;
    if (!this.#peer.receive(frame)) this.#trace.unknown('frame', frame);
    const { maxTurns } = this.#session;
    if (maxTurns === undefined || this.#trace.turnsBegun <= maxTurns || this.#isSettled) return;
    this.#settle({ message: `stopped at the limit of ${counted(maxTurns, 'turn')}` });
    this.#peer.notify('session/cancel', { sessionId: this.#sessionId });
    this.#peer.close(new Error('stopped'));
  }

  #notification(method: string, params: unknown): void {
    if (method === 'session/update') this.#updates.update(params);
    else if (isExtension(method)) this.#trace.other(method, params);
    else this.#trace.unknown(method, params);
  }

  #settle(reportedError: ReportedError | undefined): void {
    this.#isSettled = true;
    this.#reportedError = reportedError;
  }

  #failed(error: unknown): void {
    if (this.#isSettled) return;
    if (error instanceof AssayError) this.#fault = error;
    else if (isAboutLogin(error))
      this.#fault = new AssayError('AGENT_NO_KEY', `The agent is not logged in: ${error.message}`);
    if (error instanceof RpcError) this.#settle(toReportedError(error));
    else if (error instanceof AssayError) this.#settle({ message: error.message });
  }
}

function isAboutLogin(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code === authenticationRequired;
}
